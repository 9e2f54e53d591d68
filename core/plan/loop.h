/* A loop: a user kernel applied to every element of a set, and the args it reads and increments.
 *
 * An arg is a dat, direct (map NULL) or through one slot of a map from the loop's set. The loop is
 * described by names, so that one description fits every mesh; tess_loop_bind resolves them. */
#pragma once

#include "core/mesh/mesh.h"

typedef enum tess_access { TESS_READ, TESS_WRITE, TESS_RW, TESS_INC } tess_access;

#define TESS_ACCESS_NAMES "read", "write", "rw", "inc"
const char *tess_access_name(tess_access access);

/* Values of a dat at one element: no thread has room for more. */
enum { TESS_MOST_DIM = 4096 };

typedef struct tess_arg {
    char dat[TESS_NAME_SIZE]; /* name of the dat */
    char set[TESS_NAME_SIZE]; /* the set it is on */
    char map[TESS_NAME_SIZE]; /* "edges:cells", or "" where the arg is direct */
    int slot;                 /* of the map, -1 for all its slots; 0 where direct */
    int dim;                  /* 1 to TESS_MOST_DIM */
    tess_type type;
    tess_access access;
    bool is_part; /* some of the values that an element has in the dat, not all */
    bool cleared; /* of rw: zero behind the loop, whatever it was */
} tess_arg;

typedef struct tess_loop {
    char name[TESS_NAME_SIZE];
    char set[TESS_NAME_SIZE]; /* the from-set */
    int n_args;
    tess_arg *args; /* owned */
} tess_loop;

/* Which of a loop's indirect slots count as points of a block. */
typedef enum tess_points {
    TESS_POINTS_INCREMENTS, /* its increment maps; its read maps where it increments nothing */
    TESS_POINTS_ALL         /* every indirect map: the paper's G_M */
} tess_points;

/* A loop without args, and a copy of one added to it. Fails (INPUT) on a name that is too long,
 * (USAGE) on a dim, type or access that there is not. */
TESS_MUST_CHECK tess_status tess_loop_new(const char *name, const char *set, tess_loop **out);
TESS_MUST_CHECK tess_status tess_loop_add_arg(tess_loop *loop, const tess_arg *arg);
void tess_loop_free(tess_loop *loop);

/* Whether an arg increments a dat through a map; whether it is write or rw through one; whether it
 * goes through a slot of its map. */
static inline bool tess_arg_adds(const tess_arg *arg) {
    return arg->map[0] && arg->access == TESS_INC;
}
static inline bool tess_arg_writes_points(const tess_arg *arg) {
    return arg->map[0] && (arg->access == TESS_WRITE || arg->access == TESS_RW);
}
static inline bool tess_arg_has_slot(const tess_arg *arg, int slot) {
    return arg->slot < 0 || arg->slot == slot;
}

/* Whether some arg of a loop does. */
bool tess_loop_adds(const tess_loop *loop);
bool tess_loop_writes_points(const tess_loop *loop);

/* Whether two args are of one dat; and the first arg of a loop that is of the dat of arg a. */
bool tess_arg_shares_dat(const tess_arg *a, const tess_arg *b);
int tess_loop_first_of_dat(const tess_loop *loop, int a);

/* The loop that increments dats through all slots of one map, as `tess partition` makes it.
 * dat is NULL or "NAME:SET:DIM:TYPE" (NULL: one double). Fails (USAGE) when SET is not the
 * map's to-set. */
TESS_MUST_CHECK tess_status tess_loop_of_map(const char *map, const char *dat, tess_loop **out);

/* One to-set that a loop reaches: which slots lead there. */
typedef struct tess_loop_target {
    int set;                    /* index into mesh->sets */
    int n_slots;                /* distinct (map, slot) pairs, in the order of the loop's args */
    const int32_t **slot_index; /* [n_slots]: the map's index array, offset by the slot ... */
    int *slot_stride;           /* [n_slots]: ... and its arity */
    bool *slot_incremented;     /* [n_slots]: some arg through it is inc or rw or write */
    bool incremented;           /* any of them */
    int64_t bytes;              /* of all dats accessed at one point of this set */
    int32_t *chosen;            /* [n_elements][n_slots], where elements were chosen; owned */
} tess_loop_target;

/* The point of an element through a slot, -1: none. */
static inline int32_t tess_target_point(const tess_loop_target *target, int64_t element, int slot) {
    return target->slot_index[slot][element * target->slot_stride[slot]];
}

/* A loop on a mesh: the from-set and every to-set it reaches. */
typedef struct tess_bound_loop {
    const tess_mesh *mesh;
    const tess_loop *loop;
    int set;
    int64_t first, n_elements; /* of the set's; first is 0 but where it is a part */
    const int32_t *elements;   /* [n_elements]: those of the set, where some were chosen; or NULL */
    int n_targets;
    tess_loop_target *targets; /* in the order in which args first name the to-sets; owned */
} tess_bound_loop;

/* Resolves the loop's names on a mesh that has its maps. Fails (INPUT) by naming the arg. The mesh
 * and the loop outlive the result. */
TESS_MUST_CHECK tess_status tess_loop_bind(const tess_loop *loop, const tess_mesh *mesh,
                                           tess_bound_loop **out);

/* Gives the elements first ... end - 1 of a bound loop as a loop of their own, numbered from 0, to
 * be planned. The bound loop outlives it. */
TESS_MUST_CHECK tess_status tess_bound_loop_part(const tess_bound_loop *bound, int64_t first,
                                                 int64_t end, tess_bound_loop **out);

/* Gives n elements of a bound loop, ascending, as a loop of their own in the same way. Both outlive
 * it. */
TESS_MUST_CHECK tess_status tess_bound_loop_choose(const tess_bound_loop *bound, int64_t n,
                                                   const int32_t *elements, tess_bound_loop **out);
void tess_bound_loop_free(tess_bound_loop *bound);

/* Whether the loop changes nothing through maps, so that no two of its elements race. */
bool tess_loop_gathers(const tess_bound_loop *bound);

/* The map whose slots, in order, are exactly the target's, [n_elements][n_slots]; NULL: none. */
const int32_t *tess_loop_target_map(const tess_loop_target *target);

/* Whether slot s of a target counts under `points` for this loop. */
bool tess_loop_target_counts(const tess_bound_loop *bound, const tess_loop_target *target, int slot,
                             tess_points points);
