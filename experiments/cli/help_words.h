/* Help words: what a shell completes behind a command. */
#pragma once

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

/* Prints the words of a command's arguments and options (experiments/cli/help_page.h). */
void tess_help_words_print(const struct argp *argp, const struct argp_option *common, FILE *stream);

/* Prints the values of the option that stands before the cursor, as "-p" or "--partitioner", and
 * waits for one. False: it is none. */
bool tess_help_values_print(const struct argp *argp, const char *word, FILE *stream);
