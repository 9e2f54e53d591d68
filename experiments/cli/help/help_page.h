/* A help page: what a command takes, as a manual page; of a group also as the words that a shell
 * completes (those of a command: help_words.h).
 *
 * Every command answers `--help-as=man` and `--help-as=words` as its last argument, whatever stands
 * before it: man pages are made and shells complete from the tables that the command parses with.
 * Words come one a line, each with a tab and what it means: commands, `--option`, `--option=` where
 * a value follows. */
#pragma once

#include "core/base/status.h"
#include <argp.h>
#include <stdio.h>

/* The form that the last argument asks for, "man" or "words", or NULL if it asks for neither. */
const char *tess_help_form(int argc, char *const *argv);

/* Prints the manual page of a command: `program` is its words ("tess mesh info"). Fails (USAGE) on
 * an unknown form. */
TESS_MUST_CHECK tess_status tess_help_page_print(const char *form, const char *program,
                                                 const struct argp *argp, FILE *stream);

/* What a group lists of a command. */
typedef struct tess_help_entry {
    const char *name, *summary;
} tess_help_entry;

/* Prints the page of a command that is a group of others, ended by a name that is NULL. */
TESS_MUST_CHECK tess_status tess_help_group_print(const char *form, const char *program,
                                                  const char *doc, const tess_help_entry *commands,
                                                  FILE *stream);
