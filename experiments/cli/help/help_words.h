/* Help words: what a shell completes behind a command. */
#pragma once

#include <argp.h>
#include <stdio.h>

/* A command line up to the cursor. */
typedef struct tess_cursor {
    const struct argp *argp; /* what the command takes */
    int argc;
    char *const *argv; /* [argc] the words before the cursor; argv[0] is "tess NAME" */
    const char *typed; /* the beginning of the word at the cursor */
} tess_cursor;

/* Prints the words that may stand at the cursor, one a line with a tab and what it means: values of
 * the option that waits for one, else arguments and options. Which of them begin as typed is for
 * the shell to see. */
void tess_help_words_print(const tess_cursor *cursor, FILE *stream);
