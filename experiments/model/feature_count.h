/* The count behind features: columns of dats that lie alike, what a loop does with them, and who
 * goes through them: threads of elements, or blocks that stage. Private to experiments/model. */
#pragma once

#include "experiments/model/features.h"
#include "kernels/run/execution.h"

enum { TESS_MOST_COLUMNS = 128 };

/* What the loop does with values of one column at points of a set, or at elements themselves. */
typedef enum tess_count_kind {
    TESS_COUNT_READ,
    TESS_COUNT_SUM,
    TESS_COUNT_OWN_READ,
    TESS_COUNT_OWN_WRITE,
    TESS_N_COUNT_KINDS
} tess_count_kind;

/* Some values of a column in one use, in some phases of a split loop: how many each slot has of
 * them. */
typedef struct tess_count_use {
    tess_count_kind kind;
    int target; /* -1: elements themselves */
    int column;
    int first;       /* in AoS: where they begin in a row */
    unsigned phases; /* as flags: in which it is accessed, or staged; 0: the loop is not split */
    int n_values;    /* of all slots' dats once each: what a block copies of a point */
    int values[TESS_MOST_COLUMNS]; /* by slot */
} tess_count_use;

typedef struct tess_count {
    const tess_features_setting *setting;
    tess_execution *execution; /* drafted */
    const tess_page *page;
    tess_traffic traffic;
    int n_shapes, n_uses, n_kept; /* kept: what waits in memory, behind the shapes of dats */
    tess_column_shape shapes[TESS_MOST_COLUMNS];
    int set_of[TESS_MOST_COLUMNS];                /* target of a column, -1: elements */
    bool is_changed[TESS_MOST_COLUMNS];           /* summed, or written by elements */
    const tess_stored *row_of[TESS_MOST_COLUMNS]; /* of a column in AoS: whose rows they are */
    unsigned phases_of[TESS_MOST_COLUMNS];        /* in SoA: in which its values are staged */
    tess_count_use uses[TESS_MOST_COLUMNS];
    int column[TESS_MOST_COLUMNS / 4]; /* of each of the page's dats */
    int phase;                         /* whose launch is counted; -1: all phases run in one */
    double table_sectors;              /* of the plan's arrays, once */
    double share;                      /* of blocks or positions whose accesses are counted */
    double n_counted;                  /* elements whose accesses were */
    const char *unindexed;             /* a set whose points elements find without an index, NULL */
    double times; /* that an element is computed where each own point does so for itself */
    tess_features *out;
} tess_count;

/* A plan's array by its parameter's name, as it would lie on the device, or NULL. */
const int32_t *tess_count_table(const tess_count *c, const char *set, const char *name);

/* Whether the strategy has this name; where its option has this value. */
bool tess_count_is(const tess_count *c, const char *name);
bool tess_count_has(const tess_count *c, const char *key, const char *value);

/* In how many of the phases, as flags, that the launch runs; 1 where the loop is not split. */
int tess_count_phases(const tess_count *c, unsigned phases);

/* Wavefronts of a warp whose lanes access values at positions [n] of shared memory, -1: none; a
 * value of 8 bytes by half warps. */
double tess_count_wavefronts(const int32_t *positions, int n, int size);

/* How elements that are computed one a thread treat what they read and increment. */
typedef struct tess_count_variant {
    bool reads;                          /* what is read through maps comes from memory */
    bool rows;                           /* elements' own rows are read by all lanes together */
    bool aggregated, sorted, transposed; /* atomics of a warp together */
    tess_touch sums;
    bool adds;  /* sums are read before they are written */
    bool gives; /* increments go to memory at all */
} tess_count_variant;

/* A warp of elements. */
typedef struct tess_count_lanes {
    int n;
    const int32_t *stored, *positions; /* [n] where they are stored, and where their maps lie */
    const uint16_t *colours;           /* [n] that are added one after another; NULL: all at once */
} tess_count_lanes;

/* What a warp of elements reads, and what it adds or writes. */
void tess_count_warp(tess_count *c, const tess_count_variant *how, const tess_count_lanes *warp);

/* Strategies whose threads take elements one behind the other, each for itself. */
void tess_count_atomics(tess_count *c);
void tess_count_global_colour(tess_count *c);
void tess_count_gather(tess_count *c); /* reads=cached */
void tess_count_two_step(tess_count *c);

/* Makes the columns of what two-step keeps, or of what phases pass on in memory, behind those of
 * the loop's dats. */
void tess_count_add_kept(tess_count *c);
void tess_count_add_passed(tess_count *c);

/* Strategies whose blocks copy points to shared memory, or sum there or in registers. */
TESS_MUST_CHECK tess_status tess_count_block_colour(tess_count *c);
TESS_MUST_CHECK tess_status tess_count_block_sum(tess_count *c, bool owned);
TESS_MUST_CHECK tess_status tess_count_gather_staged(tess_count *c);
TESS_MUST_CHECK tess_status tess_count_point_parallel(tess_count *c);
