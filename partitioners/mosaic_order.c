/* Orders: slabs across the whole mesh, then blocks in each of them. */
#include "partitioners/mosaic_order.h"
#include "core/array.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h> //DBG
#include <string.h>

/* Halves want slabs of several blocks, so that few cuts are those of the first walk. */
enum { HALVES_THICKNESS = 4 };

/* Widths that are tried, and the advantage that halves must have, for they take longer. */
static const double widths_tried[] = {1, 0.8};
static const double halves_advantage = 0.99;

/* A walked mesh: elements and points in the order of the walk. */
typedef struct walked_mesh {
    int32_t *order; /* [n_elements] */
    int32_t *level; /* [n_levels + 1] */
    int32_t n_levels;
    double width; /* of a ball of S elements */
    mosaic_pins pins;
} walked_mesh;

static void walked_mesh_clear(walked_mesh *mesh) {
    free(mesh->order);
    free(mesh->level);
    mosaic_pins_clear(&mesh->pins);
}

static tess_status mesh_walk(const mosaic_pins *pins, int64_t block_size, walked_mesh *mesh) {
    tess_status status = TESS_OK;
    mosaic_rows rows = {0};
    mosaic_walk walk = {0};
    CHECK(mosaic_rows_build(pins, &rows));
    CHECK(mosaic_walk_reset(pins, &rows, &walk));
    mesh->width = mosaic_ball_width(&walk, block_size);
    mosaic_walk_across(&walk, 0, pins->n_elements);
    mesh->n_levels = walk.n_levels;
    CHECK(TESS_ALLOC(walk.n_levels + 1, &mesh->level));
    memcpy(mesh->level, walk.level, (size_t)(walk.n_levels + 1) * sizeof *walk.level);
    mesh->order = walk.order;
    walk.order = NULL;
    mosaic_rows_clear(&rows);
    mosaic_walk_clear(&walk);
    CHECK(mosaic_pins_permute(pins, mesh->order, &mesh->pins));
done:
    mosaic_rows_clear(&rows);
    mosaic_walk_clear(&walk);
    return status;
}

/* Distinct points of the blocks that `local` puts elements first ... first + n - 1 into. */
static int64_t count_points(const mosaic_cut *cut, int64_t n, const int32_t *local,
                            mosaic_walk *walk) {
    int64_t n_points = 0;
    for (int64_t begin = 0; begin < n; begin += cut->block_size) {
        const int32_t stamp = ++walk->clock;
        for (int64_t i = begin; i < n && i < begin + cut->block_size; ++i)
            for (int64_t k = mosaic_first(walk->pins, local[i]);
                 k < mosaic_first(walk->pins, (int64_t)local[i] + 1); ++k) {
                n_points += walk->seen[walk->pins->point[k]] != stamp;
                walk->seen[walk->pins->point[k]] = stamp;
            }
    }
    return n_points;
}

/* Points a pin, in the slab of cut->width levels in the middle of the mesh. */
static tess_status try_cut(const walked_mesh *mesh, const mosaic_cut *cut, mosaic_cutter *cutter,
                           double *points) {
    const int32_t thickness = (int32_t)fmin(mesh->n_levels, llround(cut->width));
    const int32_t level = (mesh->n_levels - thickness) / 2;
    const int32_t first = mesh->level[level], end = mesh->level[level + thickness];
    const int32_t *local = NULL;
    TRY(mosaic_cut_range(&mesh->pins, cut, first, end - first, cutter, &local));
    const int64_t n_points = count_points(cut, end - first, local, &cutter->slab.walk);
    *points = (double)n_points / (double)(cutter->slab.pins.n_pins + 1);
    return TESS_OK;
}

static tess_status choose_cut(const walked_mesh *mesh, double factor, mosaic_shape shape,
                              mosaic_cut *cut) {
    tess_status status = TESS_OK;
    mosaic_cutter cutter = {0};
    mosaic_cut tried = *cut;
    double least = INFINITY;
    tried.tries = 1;
    for (int i = 0; i < 3; ++i) {
        double points = 0;
        tried.halves = i == 2;
        tried.width = fmax(1, factor * mesh->width * (i < 2 ? widths_tried[i] : 1));
        CHECK(try_cut(mesh, &tried, &cutter, &points));
        if (points < least * (tried.halves ? halves_advantage : 1)) {
            least = points;
            cut->halves = tried.halves;
            cut->width = tried.width;
        }
    }
    (void)shape;
done:
    mosaic_cutter_clear(&cutter);
    return status;
}

static tess_status slabs_cut(const walked_mesh *mesh, const mosaic_cut *cut, const int32_t *ends,
                             int64_t n_slabs) {
    tess_status status = TESS_OK;
#pragma omp parallel
    {
        mosaic_cutter cutter = {0};
        const int32_t *local = NULL;
#pragma omp for schedule(dynamic, 1)
        for (int64_t i = 0; i < n_slabs; ++i) {
            const int32_t first = i ? ends[i - 1] : 0, n = ends[i] - first;
            const tess_status mine =
                mosaic_cut_range(&mesh->pins, cut, first, n, &cutter, &local);
            if (mine == TESS_OK) {
                int32_t *const old = cutter.slab.walk.queue; /* free now */
                memcpy(old, mesh->order + first, (size_t)n * sizeof *old);
                for (int32_t k = 0; k < n; ++k)
                    mesh->order[first + k] = old[local[k]];
            } else {
#pragma omp critical(mosaic_order)
                status = mine;
            }
        }
        mosaic_cutter_clear(&cutter);
    }
    if (status != TESS_OK)
        FAIL(status, "out of memory while slabs of the mesh were cut");
    return TESS_OK;
}

tess_status mosaic_order_build(const mosaic_pins *pins, const mosaic_cut *cut, mosaic_shape shape,
                               int32_t **order) {
    tess_status status = TESS_OK;
    walked_mesh mesh = {0};
    mosaic_cut chosen = *cut;
    int32_t *ends = NULL;
    const int64_t n = pins->n_elements;
    CHECK(mesh_walk(pins, cut->block_size, &mesh));
    chosen.halves = shape == MOSAIC_HALVES;
    chosen.width = fmax(1, cut->width * mesh.width);
    if (shape == MOSAIC_TRIED)
        CHECK(choose_cut(&mesh, cut->width, shape, &chosen));
    if(getenv("MZ")) //DBG
         fprintf(stderr,"ball %.2f width %.2f halves %d levels %d\n",mesh.width,chosen.width,chosen.halves,mesh.n_levels);
    CHECK(TESS_ALLOC(n / cut->block_size + 2, &ends));
    const mosaic_walk levels = {.level = mesh.level, .n_levels = mesh.n_levels};
    const double thickness = chosen.width * (chosen.halves ? HALVES_THICKNESS : 1);
    const int64_t n_slabs = mosaic_slab_ends(&levels, 0, n, cut->block_size, thickness, ends);
    CHECK(slabs_cut(&mesh, &chosen, ends, n_slabs));
    *order = mesh.order;
    mesh.order = NULL;
done:
    free(ends);
    walked_mesh_clear(&mesh);
    return status;
}
