/* The arrays of a plan, in the memory of a device or of the host. */
#pragma once

#include "kernels/cut/cut_kernels.h"

/* The points of a set that elements reach, and those of each block. */
typedef struct tess_device_points {
    int n_slots;
    const int32_t *map;    /* [n][n_slots]; below 0: none */
    int32_t *point_offset; /* [n_blocks + 1] into points */
    int32_t *points;       /* room for [n][n_slots] */
    uint16_t *local_index; /* [n][n_slots], as in tess_plan_set */
    int64_t n_points;      /* of the set; read where `owner` or `block_colour` is asked */
    int32_t *owner; /* [n_points]: the first block that has each, -1: none; NULL: not asked */
    /* Room for [n], or NULL: not asked. Elements of a block that share a point get different
     * colours, each the least that is free, in their order. */
    uint16_t *thread_colour;
    int32_t *block_colour; /* likewise [n_blocks]: of blocks that share a point */
} tess_device_points;

/* A set whose elements get new numbers. */
typedef struct tess_device_set {
    int64_t size;
    int by; /* the map that it follows: to it, by where elements first lead to each; from it, by the
               numbers of what each leads to; -1: it keeps its numbers */
    int32_t *new_to_old, *old_to_new; /* [size] */
} tess_device_set;

typedef struct tess_device_map {
    int from, to, arity;  /* of the sets */
    const int32_t *index; /* [size of from][arity]; below 0: none */
    int32_t *renumbered;  /* as much; NULL: not asked */
} tess_device_map;

typedef struct tess_device_dat {
    int set;
    int64_t bytes;      /* of an element, a multiple of 4 */
    const void *values; /* [size of set][bytes] */
    void *renumbered;   /* as much */
} tess_device_dat;

/* New numbers of sets: of the first, the plan's, those of its order; each of the others follows one
 * before it. */
typedef struct tess_device_renumbering {
    int n_sets;
    tess_device_set *sets;
    int n_maps;
    tess_device_map *maps;
    int n_dats;
    tess_device_dat *dats;
} tess_device_renumbering;

/* A plan: all in the memory of a device, or of the host. */
typedef struct tess_device_plan {
    int64_t n;
    int32_t n_blocks;
    const int32_t *block_of; /* [n] */
    int32_t *executed;       /* [n] */
    int32_t *block_offset;   /* [n_blocks + 1] */
    int n_sets;
    tess_device_points *sets;
    int32_t n_kept;                       /* blocks that were taken over */
    tess_device_renumbering *renumbering; /* by this plan; NULL: not asked */
    /* Blocks may own points instead: block_of [n_owned] is of those, and a block executes each
     * element that owned_map [n][owned_slots] leads to one of its own. Then executed and what each
     * set has by element are by position; there is room for n_executed of these, which becomes how
     * many they are. owned_slots 0: they do not. */
    int owned_slots;
    const int32_t *owned_map;
    int64_t n_owned, n_executed;
} tess_device_plan;

/* What a plan was before its elements changed. */
typedef struct tess_device_change {
    const tess_device_plan *before; /* its maps and block_of are not read */
    const int32_t *was;             /* [n]: the number that each element had before, -1: none */
} tess_device_change;

/* The positions for which a plan has room. */
static inline int64_t tess_device_plan_room(const tess_device_plan *plan) {
    return plan->owned_slots ? plan->n_executed : plan->n;
}

/* The most slots of a set. */
int64_t tess_device_plan_slots(const tess_device_plan *plan);

/* Takes what is needed beside a plan: params.offsets, taken, sums, points and faults. */
TESS_MUST_CHECK tess_status tess_device_plan_take(tess_cut_room *room, const tess_device_plan *plan,
                                                  tess_cut_params *params);

/* Fails by what kernels have found wrong, of params.was, and of params.before or, where that is 0,
 * params.block_of. */
TESS_MUST_CHECK tess_status tess_device_plan_refuse(const tess_cut_kernels *kernels);
