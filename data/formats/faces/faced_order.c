/* The order of faces: those between two cells first. */
#include "data/formats/faces/faced_order.h"

#include "core/base/array.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The faces at the boundary, set aside. */
typedef struct outer_faces {
    int64_t n, n_values;
    int64_t *start; /* [n + 1]; owned */
    int32_t *value, *owner, *marker;
} outer_faces;

static int64_t face_size(const tess_faced *faced, int64_t f) {
    return faced->faces.start[f + 1] - faced->faces.start[f];
}

static bool is_outer(const tess_faced *faced, int64_t f) {
    return faced->owner[f] >= 0 && faced->neighbour[f] < 0;
}

static tess_status set_outer_aside(const tess_faced *faced, outer_faces *outer) {
    int64_t at = 0, value = 0;
    for (int64_t f = 0; f < faced->faces.n; f++) {
        outer->n += is_outer(faced, f);
        outer->n_values += is_outer(faced, f) ? face_size(faced, f) : 0;
    }
    TRY(TESS_ALLOC(outer->n + 1, &outer->start));
    TRY(TESS_ALLOC(outer->n_values, &outer->value));
    TRY(TESS_ALLOC(outer->n, &outer->owner));
    TRY(TESS_ALLOC(outer->n, &outer->marker));
    for (int64_t f = 0; f < faced->faces.n; f++) {
        if (!is_outer(faced, f))
            continue;
        outer->start[at] = value;
        outer->owner[at] = faced->owner[f];
        outer->marker[at++] = faced->marker ? faced->marker[f] : -1;
        memcpy(outer->value + value, faced->faces.value + faced->faces.start[f],
               (size_t)face_size(faced, f) * sizeof *outer->value);
        value += face_size(faced, f);
    }
    outer->start[at] = value;
    return TESS_OK;
}

/* Moves the faces between two cells to the front; gives where their nodes end. */
static int64_t pack_inner(tess_faced *faced) {
    tess_ragged *rings = &faced->faces;
    int64_t n = 0, value = 0;
    for (int64_t f = 0; f < rings->n; f++) {
        const int64_t size = face_size(faced, f);
        if (faced->owner[f] < 0 || faced->neighbour[f] < 0)
            continue;
        memmove(rings->value + value, rings->value + rings->start[f],
                (size_t)size * sizeof *rings->value);
        faced->owner[n] = faced->owner[f];
        faced->neighbour[n] = faced->neighbour[f];
        rings->start[n++] = value; /* no entry behind this face's own is changed */
        value += size;
    }
    faced->n_inner = n;
    return value;
}

tess_status tess_faced_order(tess_faced *faced) {
    tess_status status = TESS_OK;
    outer_faces outer = {.n = 0};
    tess_ragged *rings = &faced->faces;
    CHECK(set_outer_aside(faced, &outer));
    free(faced->marker);
    faced->marker = TESS_TAKE(outer.marker);
    const int64_t value = pack_inner(faced), n = faced->n_inner;
    memcpy(rings->value + value, outer.value, (size_t)outer.n_values * sizeof *rings->value);
    memcpy(faced->owner + n, outer.owner, (size_t)outer.n * sizeof *faced->owner);
    for (int64_t f = 0; f <= outer.n; f++)
        rings->start[n + f] = value + outer.start[f];
    rings->n = n + outer.n;
done:
    free(outer.start);
    free(outer.value);
    free(outer.owner);
    free(outer.marker);
    return status;
}
