/* A pass: a loop over the elements of a map, in one numbering, and what it goes through. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A map in a numbering; all is the caller's. */
typedef struct tess_pass {
    const int32_t *index; /* [n][arity], -1 for none */
    int arity;
    int64_t n, n_points;
    int64_t point_bytes; /* at a point in an array, side by side */
    int reads, adds;     /* arrays at points that are read, and that are added to */
    bool pairs;          /* elements are pairs of a row and a column */
    int solves;          /* that are solved, forwards and backwards (pass.cu) */
    bool lists; /* an element adds to its pairs of points, which are entries of lists, by rows; of
                 * all that is read, added to or solved one at least */
    int64_t element_bytes; /* that stream past with each element, beside its row of the map, */
    int64_t written_bytes; /* of which it writes so many (not beside lists or solves), */
    int64_t stream_bytes;  /* and with each point, */
    int rounds;            /* so often, from the nearest cache that holds them */
    double work; /* nanoseconds that an element takes where caches hold all, by what it computes
                  * between what it reads (not beside lists or solves); 0: it computes nothing */
    bool cold;   /* loops that go through as much else are run between */
    const int32_t *elements; /* [n]: new to old; NULL: as they are */
    const int32_t *points;   /* [n_points]: old to new; NULL: as they are */
    int32_t window;          /* consecutive elements that are looked at together */
} tess_pass;

/* The point of a slot of element i in the numbering, -1: none. */
static inline int64_t tess_pass_point(const tess_pass *pass, int64_t i, int slot) {
    const int64_t element = pass->elements ? pass->elements[i] : i;
    const int32_t point = pass->index[element * pass->arity + slot];
    return point >= 0 && pass->points ? pass->points[point] : point;
}

/* Whether pairs are the rows of a matrix that is solved, each with its diagonal beside them: where
 * it begins, its columns, and an entry with each (pass.cu). */
static inline bool tess_pass_has_rows(const tess_pass *pass) {
    return pass->pairs && pass->solves && !pass->adds && !pass->lists;
}

/* Its elements; of rows the diagonal, too. */
static inline int64_t tess_pass_entries(const tess_pass *pass) {
    return pass->n + (tess_pass_has_rows(pass) ? pass->n_points : 0);
}

/* The arrays at points that it holds: a solution has its diagonal beside it, but not that of rows.
 */
static inline int tess_pass_arrays(const tess_pass *pass) {
    return pass->reads + pass->adds + pass->solves +
           (pass->solves > 0 && !tess_pass_has_rows(pass));
}

/* Bytes that elements stream past once, with their rows of the map. */
int64_t tess_pass_element_bytes(const tess_pass *pass);

/* Puts down where each row begins in the pass's numbering [n_points + 1], and its columns,
 * ascending [entries]. The pairs have a row and a column each, in any order. */
void tess_pass_put_rows(const tess_pass *pass, int64_t *begin, int32_t *columns);
