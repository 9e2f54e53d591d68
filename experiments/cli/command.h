/* A command: one word of the program `tess`, its options and what it does.
 *
 * One const struct in one file and one line in list.h:
 *
 *   const tess_command tess_command_show = {
 *       .name = "show", .summary = "Show a run", .run = show_run};
 *
 * `run` parses its own arguments with tess_command_parse and argp, prints results on stdout and
 * nothing else there, and gives a status: main prints the message and maps it to the exit code. */
#pragma once

#include "core/base/status.h"
#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct tess_command {
    const char *name;
    const char *summary; /* one line for `tess --help` */
    /* argv[0] is "tess NAME", argv[argc] NULL. */
    tess_status (*run)(int argc, char **argv);
} tess_command;

/* The commands in the order of list.h; NULL past the last. */
const tess_command *tess_command_at(int i);

/* Finds a command among `commands` (NULL-terminated) or fails (USAGE) with a suggestion; `program`
 * is the words before it, "tess" or "tess mesh". */
TESS_MUST_CHECK tess_status tess_command_find(const char *program,
                                              const tess_command *const *commands, const char *name,
                                              const tess_command **out);

/* Runs the command named by argv[1] of `commands`, with argv[0] "program NAME" and the rest. */
TESS_MUST_CHECK tess_status tess_command_dispatch(const char *program,
                                                  const tess_command *const *commands, int argc,
                                                  char **argv);

/* Prints the help page of a group of commands in a form (help_page.h). */
TESS_MUST_CHECK tess_status tess_command_help(const char *form, const char *program,
                                              const char *doc, const tess_command *const *commands);

/* Runs a command that is a group of others: its help lists them under `doc`, without one it fails.
 */
TESS_MUST_CHECK tess_status tess_command_group(const char *program, const char *doc,
                                               const tess_command *const *commands, int argc,
                                               char **argv);

/* The options that every command has. */
typedef struct tess_common {
    bool json;    /* one JSON object on stdout instead of tables */
    bool quiet;   /* nothing on stderr but errors */
    bool verbose; /* more on stderr */
} tess_common;

/* Parses argv by the options, args_doc, doc, help_filter and parser of `argp`, and the common
 * options into *common. `input` is the parser's state->input. Unknown options fail (USAGE) with a
 * suggestion;
 * --help prints and exits 0. The parser keeps a failure of its own by returning
 * tess_command_refuse(state, status). */
TESS_MUST_CHECK tess_status tess_command_parse(const struct argp *argp, int argc, char **argv,
                                               tess_common *common, void *input);

/* Ends the parsing with the status (its message is kept): return
 * tess_command_refuse(tess_fail(...)) from a parser. TESS_OK goes on. */
error_t tess_command_refuse(tess_status status);

/* Where the value of an option goes: a member of the command's options. */
typedef struct tess_kept {
    int key;
    bool is_flag; /* of type bool, set true; else a const char *, the value */
    size_t offset;
} tess_kept;

#define TESS_KEPT_TEXT(key, options, member)                                                       \
    { key, false, offsetof(options, member) }
#define TESS_KEPT_FLAG(key, options, member)                                                       \
    { key, true, offsetof(options, member) }

/* Keeps the value in the option's member, one of a list that {0} ends; ARGP_ERR_UNKNOWN where the
 * key has none. */
error_t tess_command_keep(const tess_kept *members, int key, const char *value, void *options);

/* Adds an argument to the *n that there are, at most so many of `what`: "runs at once". */
error_t tess_command_collect(const char *value, const char **items, int *n, int most,
                             const char *what);

/* Prints the object on stdout, indented, and takes its reference (also on failure). NULL fails as
 * out of memory. */
TESS_MUST_CHECK tess_status tess_json_print(json_t *object);
