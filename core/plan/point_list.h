/* A point list: points of a set, block after block, each once a block. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>

enum { TESS_SLICE = 32 }; /* points whose entries lie side by side */

typedef struct tess_point_list {
    int64_t n;
    int32_t *points;         /* [n], owned */
    const int32_t *position; /* [points of the set]: where each is stored; NULL: by its id */
    int32_t *by_position;    /* [points of the set]: the points in order, owned */
    int32_t *seen_by;        /* [points of the set]: the block that saw a point last, owned */
    int64_t capacity;
} tess_point_list;

/* Opens an empty list of points of a set of n_points; the caller closes it, whatever failed. */
TESS_MUST_CHECK tess_status tess_point_list_open(tess_point_list *list, int64_t n_points,
                                                 const int32_t *position);
void tess_point_list_close(tess_point_list *list);

/* Puts a point behind the list, unless it is -1 or the block has seen it. Blocks come one
 * after the other. */
TESS_MUST_CHECK tess_status tess_point_list_see(tess_point_list *list, int32_t block,
                                                int32_t point);

/* Puts the points from place `begin` on in the order in which they are stored. */
void tess_point_list_sort(tess_point_list *list, int64_t begin);

/* Fills the list up with -1 to a multiple of TESS_SLICE places. */
TESS_MUST_CHECK tess_status tess_point_list_pad(tess_point_list *list);
