/* Wrapped text: words in lines that fit a terminal. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Characters that fit a line where a stream is a terminal; 0: it is a pipe or a file, and lines
 * have any length. */
int tess_terminal_width(FILE *stream);

/* Whether the terminal that TERM names has colours, and NO_COLOR is empty or not there. */
bool tess_terminal_colours(void);

/* Characters that a text takes, by the locale. */
int tess_text_width(const char *text);

/* Characters of the longest piece of a text that tess_wrapped_print breaks only in need. */
int tess_longest_piece(const char *text);

/* Prints a text in lines of at most `width` characters (0: any), indented, and ends the last. */
void tess_wrapped_print(const char *text, int indent, int width, FILE *stream);
