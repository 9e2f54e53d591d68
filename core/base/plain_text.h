/* Plain text: text of somebody else without what a terminal would obey. */
#pragma once

#include <stdio.h>

/* Prints as fprintf does; of control characters only ends of lines and tabs stay, others become
 * \x1b, as tables show them. */
__attribute__((format(printf, 2, 3))) void tess_plain_print(FILE *stream, const char *format, ...);
