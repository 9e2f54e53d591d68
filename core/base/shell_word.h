/* A shell word: text as one typed it, quoted where a shell would take it apart. */
#pragma once

#include <stdio.h>

void tess_shell_word_print(const char *word, FILE *stream);
