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

/* Prints a screen: the first examples and the options that are typed most, which are those with a
 * letter and those named in `typed`, between commas; NULL: all that not every command has. All of
 * it where that is a screen. */
void tess_help_short_print(const char *program, const struct argp *argp, const char *typed,
                           FILE *stream);
