/* A face list: the faces of polyhedra as these are read; two sides with the same nodes are one. */
#include "data/formats/faces/face_list.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "core/base/splitmix.h"
#include "data/formats/faces/polyhedra_order.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Of nodes in any order. */
static uint64_t hash_of(int64_t n, const int32_t *nodes) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += tess_random_mix((uint64_t)(uint32_t)nodes[i] + UINT64_C(0x9e3779b97f4a7c15));
    return sum;
}

static int32_t *head_of(const tess_face_list *list, int64_t n, const int32_t *nodes) {
    return &list->head[hash_of(n, nodes) & (uint64_t)(list->n_heads - 1)];
}

static int64_t size_of(const tess_face_list *list, int64_t face) {
    return list->rings.start[face + 1] - list->rings.start[face];
}

static const int32_t *nodes_of(const tess_face_list *list, int64_t face) {
    return list->rings.value + list->rings.start[face];
}

static int32_t next_of(const tess_face_list *list, int32_t face) {
    return list->other[face] == -1 ? -1 : -2 - list->other[face];
}

static void set_next(tess_face_list *list, int32_t face, int32_t next) {
    list->other[face] = next < 0 ? -1 : -2 - next;
}

static tess_status sort_nodes(tess_face_list *list, int which, int64_t n, const int32_t *nodes) {
    TRY(TESS_RESERVE(n, &list->sorted_capacity[which], &list->sorted[which]));
    memcpy(list->sorted[which], nodes, (size_t)n * sizeof *nodes);
    tess_sort(list->sorted[which], n);
    return TESS_OK;
}

/* Finds the open face with the n nodes, and the one before it of the same hash; -1: none. */
static tess_status find_open(tess_face_list *list, int64_t n, const int32_t *nodes, int32_t *found,
                             int32_t *before) {
    *found = *before = -1;
    if (list->n_heads == 0)
        return TESS_OK;
    bool is_sorted = false;
    for (int32_t face = *head_of(list, n, nodes); face >= 0; face = next_of(list, face)) {
        if (size_of(list, face) == n) {
            if (!is_sorted)
                TRY(sort_nodes(list, 0, n, nodes));
            is_sorted = true;
            TRY(sort_nodes(list, 1, n, nodes_of(list, face)));
            if (memcmp(list->sorted[0], list->sorted[1], (size_t)n * sizeof *nodes) == 0) {
                *found = face;
                return TESS_OK;
            }
        }
        *before = face;
    }
    return TESS_OK;
}

static void link_face(tess_face_list *list, int32_t face) {
    int32_t *head = head_of(list, size_of(list, face), nodes_of(list, face));
    set_next(list, face, *head);
    *head = face;
}

/* Begins with new heads, as many as there are open faces at least, and no face. */
static tess_status clear_heads(tess_face_list *list, int64_t n) {
    enum { FEWEST = 256 };
    int64_t wanted = FEWEST;
    while (wanted < n)
        wanted *= 2;
    free(TESS_TAKE(list->head));
    list->n_heads = 0;
    TRY(TESS_ALLOC(wanted, &list->head));
    memset(list->head, 0xff, (size_t)wanted * sizeof *list->head);
    list->n_heads = wanted;
    return TESS_OK;
}

static tess_status grow_heads(tess_face_list *list) {
    if (list->n_open < list->n_heads)
        return TESS_OK;
    TRY(clear_heads(list, 2 * list->n_open + 1));
    for (int64_t face = 0; face < list->rings.n; face++)
        if (list->other[face] < 0 && list->owner[face] >= 0)
            link_face(list, (int32_t)face);
    return TESS_OK;
}

/* Takes a face out of those that are open; `before` points to it, -1: the head. */
static void close_face(tess_face_list *list, int32_t face, int32_t before) {
    const int32_t next = next_of(list, face);
    if (before < 0)
        *head_of(list, size_of(list, face), nodes_of(list, face)) = next;
    else
        set_next(list, before, next);
    list->n_open--;
}

static tess_status append_face(tess_face_list *list, int32_t cell, int64_t n,
                               const int32_t *nodes) {
    tess_jagged_array *rings = &list->rings;
    if (rings->n == INT32_MAX - 1)
        FAIL(TESS_ERROR_INPUT, "the cells have more than 2147483646 sides");
    TRY(TESS_RESERVE(rings->n + 1, &list->owner_capacity, &list->owner));
    TRY(TESS_RESERVE(rings->n + 1, &list->other_capacity, &list->other));
    list->owner[rings->n] = cell;
    list->other[rings->n] = -1;
    TRY(tess_jagged_array_append(rings, list->ring_capacity, n, nodes));
    list->n_open++;
    return TESS_OK;
}

tess_status tess_face_list_add(tess_face_list *list, int32_t cell, int64_t n,
                               const int32_t *nodes) {
    int32_t found = -1, before = -1;
    TRY(find_open(list, n, nodes, &found, &before));
    if (found >= 0 && list->owner[found] != cell) {
        close_face(list, found, before);
        list->other[found] = cell;
        return TESS_OK;
    }
    TRY(append_face(list, cell, n, nodes));
    if (found >= 0) /* the cell has this side twice: the first stands for both */
        return TESS_OK;
    if (list->n_open >= list->n_heads)
        return grow_heads(list);
    link_face(list, (int32_t)(list->rings.n - 1));
    return TESS_OK;
}

tess_status tess_face_list_add_polyhedron(tess_face_list *list, int32_t cell,
                                          const tess_polygon_list *added) {
    list->n_polyhedra++;
    if (added->marker) {
        TRY(TESS_RESERVE(list->n_marked + 1, &list->marker_capacity, &list->marker));
        TRY(TESS_RESERVE(list->n_marked + 1, &list->ordinal_capacity, &list->ordinal));
        list->marker[list->n_marked] = added->marker;
        list->ordinal[list->n_marked++] = cell;
    }
    for (int64_t ring = 0; ring < added->n; ring++)
        TRY(tess_face_list_add(list, cell, added->start[ring + 1] - added->start[ring],
                               added->nodes + added->start[ring]));
    return TESS_OK;
}

tess_status tess_face_list_renumber(tess_face_list *list, const int32_t *joined) {
    if (list->rings.n == 0)
        return TESS_OK;
    for (int64_t i = 0; i < list->rings.start[list->rings.n]; i++)
        list->rings.value[i] = joined[list->rings.value[i]];
    TRY(clear_heads(list, list->n_open));
    for (int64_t face = 0; face < list->rings.n; face++) {
        int32_t found = -1, before = -1;
        if (list->other[face] >= 0 || list->owner[face] < 0)
            continue;
        TRY(find_open(list, size_of(list, face), nodes_of(list, face), &found, &before));
        list->other[face] = -1;
        if (found >= 0 && list->owner[found] != list->owner[face]) {
            close_face(list, found, before);
            list->other[found] = list->owner[face];
            list->owner[face] = -1;
            list->n_open--;
        } else if (found < 0) {
            link_face(list, (int32_t)face);
        }
    }
    return TESS_OK;
}

tess_status tess_face_list_take(tess_face_list *list, tess_polyhedra *polyhedra) {
    free(TESS_TAKE(list->head));
    list->n_heads = 0;
    polyhedra->faces = list->rings;
    list->rings = (tess_jagged_array){.n = 0};
    polyhedra->owner = TESS_TAKE(list->owner);
    polyhedra->neighbour = TESS_TAKE(list->other);
    return tess_polyhedra_order(polyhedra);
}

/* --- markers ---------------------------------------------------------------------------------- */

tess_status tess_face_list_mark_begin(tess_face_list *list, const tess_polyhedra *polyhedra,
                                      int64_t first, int64_t end) {
    const int64_t n = end - first;
    tess_face_list_clear(list);
    TRY(TESS_COPY(n + 1, polyhedra->faces.start + first, &list->rings.start));
    TRY(TESS_ALLOC(n, &list->other));
    TRY(clear_heads(list, n));
    list->rings.value = polyhedra->faces.value; /* lent */
    for (int64_t face = 0; face < n; face++)
        link_face(list, (int32_t)face);
    return TESS_OK;
}

tess_status tess_face_list_mark(tess_face_list *list, int32_t *marker_of, int64_t n,
                                const int32_t *nodes, int32_t marker, tess_mark *became) {
    *became = TESS_MARK_STRAY;
    TRY(sort_nodes(list, 0, n, nodes));
    for (int32_t face = *head_of(list, n, nodes); face >= 0; face = next_of(list, face)) {
        if (size_of(list, face) != n)
            continue;
        TRY(sort_nodes(list, 1, n, nodes_of(list, face)));
        if (memcmp(list->sorted[0], list->sorted[1], (size_t)n * sizeof *nodes) != 0)
            continue;
        if (marker_of[face] < 0) {
            marker_of[face] = marker;
            *became = TESS_MARK_TAKEN;
        } else if (*became == TESS_MARK_STRAY) {
            *became = marker_of[face] == marker ? TESS_MARK_TWICE : TESS_MARK_AGAIN;
        }
    }
    return TESS_OK;
}

void tess_face_list_mark_end(tess_face_list *list) {
    list->rings.value = NULL; /* it was lent */
    tess_face_list_clear(list);
}

void tess_face_list_clear(tess_face_list *list) {
    free(list->rings.start);
    free(list->rings.value);
    free(list->owner);
    free(list->other);
    free(list->head);
    free(list->marker);
    free(list->ordinal);
    free(list->sorted[0]);
    free(list->sorted[1]);
    *list = (tess_face_list){.n_polyhedra = 0};
}
