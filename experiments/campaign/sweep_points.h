/* The points of a sweep: every run that a recipe asks for, once, in the order in which they are
 * made. */
#pragma once

#include "experiments/archive/digest.h"
#include "experiments/archive/record.h"
#include "experiments/campaign/recipe.h"

enum { TESS_SWEEP_MOST_POINTS = 100000 };

/* The key in a record's configuration of the digest of its point. */
#define TESS_SWEEP_POINT_KEY "sweep_point"

typedef struct tess_sweep_point {
    tess_experiment_kind kind;
    const char *value[TESS_N_FIELDS]; /* the recipe's; NULL where the kind has no such axis */
    char digest[TESS_DIGEST_SIZE];    /* of all values that are not the default */
    bool known_skip;                  /* the recipe knows that it may not fit */
} tess_sweep_point;

typedef struct tess_sweep_points {
    int64_t n, capacity;
    tess_sweep_point *items;
} tess_sweep_points;

/* Notes in a record which point of which sweep it is. */
TESS_MUST_CHECK tess_status tess_sweep_point_note(tess_record *record, const char *sweep,
                                                  const char *digest, int64_t repetition);

/* Notes it from the words "SWEEP:DIGEST:REPETITION". Fails (USAGE) on others. */
TESS_MUST_CHECK tess_status tess_sweep_point_note_words(tess_record *record, const char *words);

/* Gives all points of a recipe, which outlives them: without repetition, and without those that its
 * rules exclude. Fails (INPUT) with the position of a rule that cannot be understood. */
TESS_MUST_CHECK tess_status tess_sweep_points_build(const tess_recipe *recipe,
                                                    tess_sweep_points **out);
void tess_sweep_points_free(tess_sweep_points *points);

/* Keeps the points of shard `i` of `n`, 1 <= i <= n, or, if `then_others`, puts those of the next
 * shards behind them. Points on the same blocks go to the same shard, the shards take them in turn.
 */
TESS_MUST_CHECK tess_status tess_sweep_points_shard(tess_sweep_points *points, int64_t i, int64_t n,
                                                    bool then_others);

/* On how many blocks the points are that count [points->n]: the most shards that have any. */
int64_t tess_sweep_points_families(const tess_sweep_points *points, const bool *counts);

/* Whether two points differ in no setting before `axis`. */
bool tess_sweep_points_share(const tess_sweep_point *a, const tess_sweep_point *b, tess_field axis);
