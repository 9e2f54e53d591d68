/* A command line: what a command takes, an option a row (core/base/option_row.h). */
#pragma once

#include "core/base/option_row.h"

/* What a command takes, and its help, as in argp. */
typedef struct tess_usage {
    const tess_option_row *options; /* ended by {0} */
    const char *args_doc, *doc;
    char *(*help_filter)(int key, const char *text, void *input);
    const char
        *typed; /* options that the short help shows beside those with a letter: "steps,every" */
} tess_usage;

/* The options that every command has. */
typedef struct tess_common {
    bool json;    /* one JSON object on stdout instead of tables */
    bool quiet;   /* nothing on stderr but errors */
    bool verbose; /* more on stderr */
} tess_common;

/* Parses argv into *options, and the common options into *common. What is not understood fails
 * (USAGE) with a suggestion; --help prints and exits 0. */
TESS_MUST_CHECK tess_status tess_command_parse(const tess_usage *usage, int argc, char **argv,
                                               tess_common *common, void *options);

/* Says on stderr, unless --quiet, that other programs want the cores by which times are taken. */
void tess_command_tell_load(const tess_common *common);
