/* Quality of a mesh: the sizes and shapes of its cells. */
#include "data/mesh_quality.h"

#include "core/base/array.h"
#include "data/cell_measure.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void count_cell(tess_cell_quality *quality, double size, double shape, int64_t row) {
    const int bin = (int)(shape * TESS_QUALITY_BINS);
    quality->n_inverted += size < 0;
    quality->least_size = fmin(quality->least_size, fabs(size));
    quality->largest_size = fmax(quality->largest_size, fabs(size));
    quality->mean += shape;
    quality->count[bin < TESS_QUALITY_BINS ? bin : TESS_QUALITY_BINS - 1]++;
    if (shape < quality->least) {
        quality->least = shape;
        quality->worst = row;
    }
}

/* Adds what is known of later cells. */
static void unite(tess_cell_quality *all, const tess_cell_quality *part) {
    all->n_inverted += part->n_inverted;
    all->least_size = fmin(all->least_size, part->least_size);
    all->largest_size = fmax(all->largest_size, part->largest_size);
    all->mean += part->mean;
    for (int i = 0; i < TESS_QUALITY_BINS; i++)
        all->count[i] += part->count[i];
    if (part->least < all->least || (part->least == all->least && part->worst < all->worst)) {
        all->least = part->least;
        all->worst = part->worst;
    }
}

/* Measures the cells of a type; `shape` [cells] or NULL. */
static void measure_block(const tess_mesh *mesh, const tess_cell_block *block, float *shape,
                          tess_cell_quality *out) {
    const tess_cell_quality nothing = {
        .type = block->type, .n = block->n, .least_size = INFINITY, .least = 2};
    *out = nothing;
#pragma omp parallel
    {
        tess_cell_quality mine = nothing;
#pragma omp for schedule(static)
        for (int64_t i = 0; i < block->n; i++) {
            const int32_t *nodes = block->nodes + i * block->type->n_nodes;
            const double found = tess_cell_shape(mesh, block->type, nodes);
            count_cell(&mine, tess_cell_size(mesh, block->type, nodes), found, i);
            if (shape)
                shape[block->cell ? block->cell[i] : i] = (float)found;
        }
#pragma omp critical(mesh_quality)
        unite(out, &mine);
    }
    out->mean /= (double)block->n;
    snprintf(out->set, sizeof out->set, "%s", block->cell ? block->type->set : "cells");
}

tess_status tess_mesh_quality_measure(const tess_mesh *mesh, tess_mesh_quality *out,
                                      float **shape) {
    tess_status status = TESS_OK;
    tess_cells cells = {.dimension = 0};
    float *shapes = NULL;
    *out = (tess_mesh_quality){.n = 0};
    CHECK(tess_cells_build(mesh, &cells));
    if (shape && cells.n_blocks)
        CHECK(TESS_ALLOC(cells.n_cells, &shapes));
    for (int b = 0; b < cells.n_blocks; b++)
        if (cells.blocks[b].n)
            measure_block(mesh, &cells.blocks[b], shapes, &out->types[out->n++]);
    if (shape)
        *shape = TESS_TAKE(shapes);
done:
    free(shapes);
    tess_cells_release(&cells);
    return status;
}
