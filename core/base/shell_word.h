/* A shell word: text as one typed it, quoted where a shell would take it apart. */
#ifndef TESS_SHELL_WORD_H
#define TESS_SHELL_WORD_H

#include <stdio.h>

void tess_shell_word_print(const char *word, FILE *stream);

#endif
