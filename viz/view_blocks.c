/* The blocks of a view as points: one for each, with all that is known of it. */
#include "viz/view_blocks.h"

#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VTK_VERTEX = 1 };

static tess_status add_array(tess_view_mesh *blocks, const char *name, tess_type type,
                             void **values) {
    if (blocks->n_arrays == TESS_VIEW_ARRAYS_MAX)
        FAIL(TESS_ERROR_INTERNAL, "no room for the array '%s' of blocks", name);
    TRY(tess_array_alloc(blocks->n_cells, tess_type_size(type), values));
    blocks->arrays[blocks->n_arrays++] =
        (tess_view_array){.name = name, .type = type, .values = *values};
    return TESS_OK;
}

/* Takes the value of each block's first cell. */
static tess_status take_array(const tess_view_mesh *view, const tess_view_array *array,
                              tess_view_mesh *blocks) {
    const size_t size = tess_type_size(array->type);
    void *values = NULL;
    TRY(add_array(blocks, array->name, array->type, &values));
    for (int32_t b = 0; b < view->n_blocks; b++)
        memcpy((char *)values + (size_t)b * size,
               (const char *)array->values + (size_t)view->block_cell[b] * size, size);
    return TESS_OK;
}

static bool is_of_blocks(const char *name) {
    return strncmp(name, "block", 5) == 0 || strcmp(name, "display_colour") == 0 ||
           strcmp(name, "rank") == 0;
}

static tess_status add_shared(const tess_view_mesh *view, tess_view_mesh *blocks) {
    int32_t *neighbours = NULL, *shared = NULL;
    TRY(add_array(blocks, "block_neighbours", TESS_INT32, (void **)&neighbours));
    TRY(add_array(blocks, "block_shared", TESS_INT32, (void **)&shared));
    for (int32_t b = 0; b < view->n_blocks; b++) {
        neighbours[b] = view->block_neighbours[b];
        shared[b] = 0;
        for (int64_t i = view->block_point[b]; i < view->block_point[b + 1]; i++)
            shared[b] += view->shared_by[i] > 1;
    }
    return TESS_OK;
}

/* Puts each block's point at the mean of its points; all of these have the same `explode`. */
static void position(const tess_view_mesh *view, tess_view_mesh *blocks) {
    for (int32_t b = 0; b < view->n_blocks; b++) {
        const int64_t begin = view->block_point[b], end = view->block_point[b + 1];
        for (int d = 0; d < 3; d++) {
            double sum = 0;
            for (int64_t i = begin; i < end; i++)
                sum += view->points[3 * i + d];
            blocks->points[3 * b + d] = end > begin ? sum / (double)(end - begin) : 0;
            blocks->explode[3 * b + d] = end > begin ? view->explode[3 * begin + d] : 0;
        }
        blocks->type[b] = VTK_VERTEX;
        blocks->offset[b] = blocks->connectivity[b] = b;
    }
    blocks->offset[view->n_blocks] = view->n_blocks;
}

tess_status tess_view_mesh_of_blocks(const tess_view_mesh *view, tess_view_mesh **out) {
    tess_status status = TESS_OK;
    tess_view_mesh *blocks = NULL;
    const int64_t n = view->n_blocks;
    CHECK(TESS_ZEROS(1, &blocks));
    snprintf(blocks->set, sizeof blocks->set, "%s", view->set);
    blocks->dimension = view->dimension;
    blocks->n_blocks = view->n_blocks;
    blocks->n_cells = blocks->n_points = blocks->n_corners = n;
    CHECK(TESS_ALLOC(n, &blocks->type));
    CHECK(TESS_ALLOC(n + 1, &blocks->offset));
    CHECK(TESS_ALLOC(n, &blocks->connectivity));
    CHECK(TESS_ALLOC(3 * n, &blocks->points));
    CHECK(TESS_ALLOC(3 * n, &blocks->explode));
    position(view, blocks);
    for (int i = 0; i < view->n_arrays; i++)
        if (is_of_blocks(view->arrays[i].name))
            CHECK(take_array(view, &view->arrays[i], blocks));
    CHECK(add_shared(view, blocks));
    *out = TESS_TAKE(blocks);
done:
    tess_view_mesh_free(blocks);
    return status;
}
