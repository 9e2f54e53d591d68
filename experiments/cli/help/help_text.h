/* A help text: what `tess COMMAND --help` prints. */
#pragma once

#include <argp.h>
#include <stdio.h>

/* What stands behind the options, NULL for nothing, as the command may change it; *made is to be
 * freed. */
const char *tess_help_notes(const struct argp *argp, char **made);

/* Prints what a command takes, its options by group and name; lines that begin with spaces, as
 * examples do, stay as they are. `program` is its words ("tess mesh info"). */
void tess_help_text_print(const char *program, const struct argp *argp, FILE *stream);

/* Prints the first examples and the options that are typed most: those that have a letter, and
 * those named in `typed`, between commas. All of it where the command has few. */
void tess_help_short_print(const char *program, const struct argp *argp, const char *typed,
                           FILE *stream);
