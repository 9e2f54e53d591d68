/* Conditions: the branches of #if that are compiled, of a text that defines what they ask. */
#pragma once

#include "kernels/devices/text_writer.h"
#include <stdbool.h>

/* Prints the text without the other branches. A condition with a name that somebody else may define
 * stays, with all its branches. */
void tess_conditions_print(const char *text, bool is_cuda, tess_text_writer *out);
