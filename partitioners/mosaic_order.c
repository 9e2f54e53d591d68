/* Orders: slabs across the whole mesh, then blocks in each of them. */
#include "partitioners/mosaic_order.h"
#include "core/array.h"
#include "partitioners/mosaic_piece.h"

#include <math.h>
#include <stdlib.h>

/* Cuts one slab, elements begin ... end - 1 of `pins`, and permutes that segment of the order. */
static tess_status slab_cut(const mosaic_pins *pins, const mosaic_cut *cut, int64_t begin,
                            int64_t end, mosaic_piece *piece, int32_t *order) {
    int32_t *ends = NULL;
    TRY(mosaic_piece_fill(pins, begin, end - begin, piece));
    TRY(TESS_ALLOC((end - begin) / cut->block_size + 70, &ends));
    mosaic_cut_region(&piece->walk, cut, 0, end - begin, ends);
    free(ends);
    int32_t *const old = piece->walk.queue; /* free now */
    for (int64_t i = begin; i < end; ++i)
        old[i - begin] = order[i];
    for (int64_t i = begin; i < end; ++i)
        order[i] = old[piece->walk.order[i - begin]];
    return TESS_OK;
}

static tess_status slabs_cut(const mosaic_pins *pins, const mosaic_cut *cut, const int32_t *ends,
                             int64_t n_slabs, int32_t *order) {
    tess_status status = TESS_OK;
#pragma omp parallel
    {
        mosaic_piece piece = {0};
#pragma omp for schedule(dynamic, 1)
        for (int64_t i = 0; i < n_slabs; ++i) {
            const tess_status mine =
                slab_cut(pins, cut, i ? ends[i - 1] : 0, ends[i], &piece, order);
            if (mine != TESS_OK) {
#pragma omp critical(mosaic_order)
                status = mine;
            }
        }
        mosaic_piece_clear(&piece);
    }
    if (status != TESS_OK)
        FAIL(status, "out of memory while slabs of the mesh were cut");
    return TESS_OK;
}

/* Walks across the mesh; gives the order, the slabs' ends and their number. */
static tess_status mesh_walk(const mosaic_pins *pins, mosaic_cut *cut, int32_t **order,
                             int32_t **ends, int64_t *n_slabs) {
    tess_status status = TESS_OK;
    const int64_t n = pins->n_elements;
    mosaic_rows rows = {0};
    mosaic_walk walk = {0};
    CHECK(mosaic_rows_build(pins, &rows));
    CHECK(mosaic_walk_reset(pins, &rows, &walk));
    cut->width = fmax(1, cut->width * mosaic_ball_width(&walk, cut->block_size));
    mosaic_walk_across(&walk, 0, n);
    CHECK(TESS_ALLOC(n / cut->block_size + 2, ends));
    *n_slabs = mosaic_slab_ends(&walk, 0, n, cut->block_size, cut->width, *ends);
    *order = walk.order;
    walk.order = NULL;
done:
    mosaic_walk_clear(&walk);
    mosaic_rows_clear(&rows);
    return status;
}

tess_status mosaic_order_build(const mosaic_pins *pins, const mosaic_cut *cut, int32_t **order) {
    tess_status status = TESS_OK;
    mosaic_cut actual = *cut;
    mosaic_pins walked = {0};
    int32_t *ends = NULL, *found = NULL;
    int64_t n_slabs = 0;
    CHECK(mesh_walk(pins, &actual, &found, &ends, &n_slabs));
    CHECK(mosaic_pins_permute(pins, found, &walked));
    CHECK(slabs_cut(&walked, &actual, ends, n_slabs, found));
    *order = found;
    found = NULL;
done:
    free(found);
    free(ends);
    mosaic_pins_clear(&walked);
    return status;
}
