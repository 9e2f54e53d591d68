/* An old word: a value, or the name of an option, that has another name today (old_words.h). */
#pragma once

#include "core/base/status.h"

/* How a text spells words that have been renamed: as programs of before did, or as today's does. */
typedef enum tess_spelling { TESS_SPELLED_BEFORE, TESS_SPELLED_TODAY } tess_spelling;

/* A word in a spelling: a value of the setting or option `of`, or the name of an option, of "". It
 * is itself where it was never renamed. */
const char *tess_word_spelled(tess_spelling spelling, const char *of, const char *word);

/* Gives a text in a spelling; the caller frees it. The text is a value of the setting `of`, or a
 * list of specs (core/base/spec.h) or a part of one, whose options are spelled each. */
TESS_MUST_CHECK tess_status tess_text_spelled(tess_spelling spelling, const char *of,
                                              const char *text, char **out);
