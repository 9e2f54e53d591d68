/* JSON values: numbers that are not finite and texts that are not UTF-8, said in JSON none the
 * less. */
#pragma once

#include <jansson.h>

/* A number, or null where it is not finite (JSON knows none such). */
json_t *tess_json_number(double value);

/* A text that came from outside, a file's name among them: where it is no UTF-8, '?' for each byte
 * that is not ASCII; null for NULL. */
json_t *tess_json_text(const char *text);

/* The text at a key, or "". */
const char *tess_json_text_at(const json_t *object, const char *key);
