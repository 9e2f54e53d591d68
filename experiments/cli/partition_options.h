/* The options of `tess partition`: what its command line asks for. */
#ifndef TESS_PARTITION_OPTIONS_H
#define TESS_PARTITION_OPTIONS_H

#include "experiments/bench/line.h"
#include "experiments/cli/command.h"
#include "experiments/cli/in_situ.h"
#include <stdint.h>

typedef struct tess_partition_options {
    tess_common common;
    const char *mesh, *map, *dat, *lab;
    const char *partitioners; /* NULL: all that fit */
    const char *block_sizes;
    bool no_lab, no_view;
    bool front;     /* mosaic's shapes from pencils to bricks in the place of partitioners */
    int64_t refine; /* effort of tess_refine on every partition; 0: none */
    int64_t seed;
    double time_limit;
    tess_in_situ_options in_situ;
    /* values of core's enums of the same names */
    int points, repair, order, colouring, renumber, layout;
} tess_partition_options;

/* Fills *options from the command line, defaults where it is silent. Fails (USAGE) without a mesh
 * or a map, saying how to find one. */
TESS_MUST_CHECK tess_status tess_partition_options_parse(int argc, char **argv,
                                                         tess_partition_options *options);

/* Puts the setting of one run together and checks the partitioner's name and options; the spec
 * outlives it. */
TESS_MUST_CHECK tess_status tess_partition_setting_make(const tess_partition_options *asked,
                                                        const tess_spec *spec, int32_t block_size,
                                                        tess_setting *out);

#endif
