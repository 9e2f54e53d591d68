/* An axis: a setting of runs that a recipe may vary, known by the name that records have for it.
 *
 * An axis is an option of `tess run` and `tess partition`, so a point of a sweep is a command line
 * of one of them and is understood in the same way. */
#ifndef TESS_SWEEP_AXIS_H
#define TESS_SWEEP_AXIS_H

#include "core/base/status.h"
#include <stdbool.h>

/* What a sweep is made of. */
typedef enum tess_sweep_kind { TESS_SWEEP_PARTITIONS, TESS_SWEEP_RUNS } tess_sweep_kind;

/* In the order in which a sweep goes through them, the slowest first: what is opened once for many
 * points, how their blocks are made, what else they differ in. */
enum {
    TESS_AXIS_MESH,
    TESS_AXIS_MAP,
    TESS_AXIS_DAT,
    TESS_AXIS_APPLICATION,
    TESS_AXIS_LOOP,
    TESS_AXIS_PRECISION,
    TESS_AXIS_DEVICE,
    TESS_AXIS_SAMPLES,
    TESS_AXIS_REPETITION, /* 1, 2 ...: not an option */
    TESS_AXIS_PARTITIONER,
    TESS_AXIS_BLOCK_SIZE,
    TESS_AXIS_SEED,
    TESS_AXIS_POINTS,
    TESS_AXIS_REPAIR,
    TESS_AXIS_REFINE,
    TESS_AXIS_ORDER,
    TESS_AXIS_COLOURING,
    TESS_AXIS_RENUMBER,
    TESS_AXIS_TIME_LIMIT,
    TESS_AXIS_LAYOUT,
    TESS_AXIS_THREADS,
    TESS_AXIS_CACHE,
    TESS_AXIS_GRAPH,
    TESS_AXIS_COUNTERS,
    TESS_AXIS_STRATEGY,
    TESS_AXES,
    TESS_AXES_OPENED = TESS_AXIS_REPETITION, /* the axes before it open something else */
    TESS_AXES_SESSION =
        TESS_AXIS_PARTITIONER,          /* points that differ before it are not timed together */
    TESS_AXES_BLOCKS = TESS_AXIS_LAYOUT /* those before it make other blocks */
};

typedef struct tess_sweep_axis {
    const char *name;
    const char *option;   /* of the command line; NULL: the command's argument */
    const char *value[2]; /* by kind: what is meant where a recipe is silent ("": the option is
                             left out), NULL: it must say */
    bool is_of[2];        /* by kind: whether its runs have it */
    bool is_number;
} tess_sweep_axis;

extern const tess_sweep_axis tess_sweep_axes[TESS_AXES];

/* Checks a value as the command line would and gives it in the form that records have, which the
 * caller frees. The message tells what is wrong, with a suggestion. */
TESS_MUST_CHECK tess_status tess_sweep_axis_read(tess_sweep_kind kind, int axis, const char *text,
                                                 char **out);

/* A command line: "tess run" or "tess partition" with a point's values [TESS_AXES] and `mesh` as
 * its mesh. The caller frees it. */
typedef struct tess_sweep_line {
    int argc;
    char *argv[TESS_AXES + 8];
} tess_sweep_line;

TESS_MUST_CHECK tess_status tess_sweep_line_make(tess_sweep_kind kind, const char *const *value,
                                                 const char *mesh, bool view, tess_sweep_line *out);
void tess_sweep_line_clear(tess_sweep_line *line);

#endif
