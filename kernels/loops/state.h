/* A state: the values of all dats of an application, on the host, in the mesh's own numbering. */
#pragma once

#include "core/mesh/mesh.h"

enum { TESS_GLOBAL = -1 }; /* the set of a dat that has one element and no set */

typedef struct tess_state {
    const tess_mesh *mesh; /* outlives the state */
    tess_type real;        /* what "real" is: float or double */
    int n_dats;
    tess_dat *dats; /* values [size of set][dim], or [1][dim] where global; owned */
    bool *is_real;  /* [n_dats]: added as "real"; owned */
} tess_state;

TESS_MUST_CHECK tess_status tess_state_new(const tess_mesh *mesh, tess_type real, tess_state **out);
void tess_state_free(tess_state *state);

/* Adds a dat, zeroed. `set` is NULL for a global one, `type` is "real", "float", "double" or "int".
 * Fails (INPUT) where the mesh lacks the set or there is no such type, (INTERNAL) where the state
 * has the dat. */
TESS_MUST_CHECK tess_status tess_state_add(tess_state *state, const char *name, const char *set,
                                           int dim, const char *type);

/* Takes the i-th dat out; those behind it move up. */
void tess_state_remove(tess_state *state, int i);

/* The dat of that name on that set ("" or NULL: global), or NULL. */
tess_dat *tess_state_find(const tess_state *state, const char *name, const char *set);

/* Fills a dat on the nodes, which is there, with their coordinates. */
void tess_state_put_coordinates(tess_state *state, const char *name);

/* Elements of a dat: the size of its set, 1 where global. */
int64_t tess_state_size(const tess_state *state, const tess_dat *dat);

/* Gives a state of the same dats, all zero. */
TESS_MUST_CHECK tess_status tess_state_blank(const tess_state *state, tess_state **out);

/* Gives a copy; with `widened`, what is real becomes double. */
TESS_MUST_CHECK tess_status tess_state_copy(const tess_state *state, bool widened,
                                            tess_state **out);

/* Value i of a dat, as a double; and setting it. */
double tess_dat_value(const tess_dat *dat, int64_t i);
void tess_dat_set(tess_dat *dat, int64_t i, double value);

/* How far a dat held in that type may be from what it should be, as a part of the largest value
 * that is wanted: sums are taken in any order. */
double tess_type_tolerance(tess_type type);

/* How far a state is from the one it should be. */
typedef struct tess_difference {
    double
        largest; /* |got - want| of a dat over the largest |want| of it; NaN counts as infinite */
    double tolerance; /* for the type in which `got` holds that dat */
    const tess_dat
        *dat; /* of `want`, the one that is worst by its tolerance; NULL: all are equal */
} tess_difference;

/* The largest |got - want| of a dat, infinite where one is no number, and the largest |want|. */
typedef struct tess_extremes {
    double difference, value;
} tess_extremes;

/* Of a dat of n elements. */
tess_extremes tess_dat_extremes(const tess_dat *got, const tess_dat *want, int64_t n);

/* No difference yet from what is wanted, and what one dat that is held in type `got` adds to it:
 * the worse. */
tess_difference tess_difference_none(const tess_state *want);
void tess_difference_add(tess_difference *worst, tess_type got, const tess_dat *want,
                         tess_extremes found);

/* Compares two states of the same dats. */
tess_difference tess_state_compare(const tess_state *got, const tess_state *want);
