/* The options of `tess run`: what its command line asks for. */
#ifndef TESS_RUN_OPTIONS_H
#define TESS_RUN_OPTIONS_H

#include "experiments/cli/command.h"
#include "experiments/cli/in_situ.h"
#include <stdint.h>

typedef struct tess_run_options {
    tess_common common;
    const char *application; /* NULL where the user brings a kernel */
    const char *kernel;      /* its text; `loop` is then the file that describes it */
    const char *mesh, *loop, *lab, *keep_text;
    const char *partitioners, *strategies, *block_sizes, *layout, *device;
    bool no_lab, no_view;
    bool fresh;                     /* partitions of earlier runs in the lab are not taken */
    int64_t seed, threads, samples; /* threads 0, samples -1: the default */
    double memory;                  /* GiB that variants timed in turns may hold; 0: the default */
    double time_limit;
    tess_in_situ_options in_situ;
    int64_t steps; /* that the application marches to be shown */
    /* values of core's enums of the same names; renumber: -1 as the strategy likes it; precision: 0
     * the application's, 1 float, 2 double */
    int points, repair, order, colouring, renumber, precision;
    int cache;    /* 1: flushed before each sample */
    int graph;    /* tess_graph_use */
    int counters; /* 1: those of the hardware are read, too */
} tess_run_options;

/* Fills *options from the command line, defaults where it is silent. Fails (USAGE) without an
 * application and a mesh, saying how to find one. */
TESS_MUST_CHECK tess_status tess_run_options_parse(int argc, char **argv,
                                                   tess_run_options *options);

/* The command line that asks for all of that again, but for what is shown: `program` "run" and
 * options, NULL-terminated. The caller frees it by tess_run_line_free. */
TESS_MUST_CHECK tess_status tess_run_line_print(const tess_run_options *options,
                                                const char *program, char ***argv);
void tess_run_line_free(char **argv);

#endif
