/* A command: one word of the program `tess`, its options and what it does.
 *
 * One const struct in one file and one line in list.h:
 *
 *   const tess_command tess_command_show = {
 *       .name = "show", .summary = "Show a run", .run = show_run};
 *
 * `run` parses its own arguments with tess_command_parse, prints results on stdout and
 * nothing else there, and gives a status: main prints the message and maps it to the exit code. */
#pragma once

#include "experiments/cli/command_line.h"
#include "experiments/report/json_print.h"

enum { TESS_MOST_WORDS = 4096 }; /* that a command takes beside its options */

typedef struct tess_command {
    const char *name;
    const char *summary; /* one line for `tess --help` */
    /* argv[0] is "tess NAME", argv[argc] NULL. */
    tess_status (*run)(int argc, char **argv);
} tess_command;

/* The commands in the order of list.h, ended by NULL. */
const tess_command *const *tess_commands(void);

/* Runs the command named by argv[1] of `commands` (NULL-terminated), with argv[0] "program NAME"
 * and the rest; `program` is the words before it, "tess" or "tess mesh". Fails (USAGE) with a
 * suggestion otherwise. */
TESS_MUST_CHECK tess_status tess_command_dispatch(const char *program,
                                                  const tess_command *const *commands, int argc,
                                                  char **argv);

/* Whether a word asks for the help of the program or of a group of commands. */
bool tess_command_asks_help(const char *word);

/* Prints the help page of a group of commands in a form (help_page.h). */
TESS_MUST_CHECK tess_status tess_command_help(const char *form, const char *program,
                                              const char *doc, const tess_command *const *commands);

/* Runs a command that is a group of others: its help lists them under `doc`, without one it fails.
 */
TESS_MUST_CHECK tess_status tess_command_group(const char *program, const char *doc,
                                               const tess_command *const *commands, int argc,
                                               char **argv);
