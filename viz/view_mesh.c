/* A view mesh: a mesh split along its blocks, with what a plan says of each element. */
#include "viz/view_mesh.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "core/plan/block_quantities.h"
#include "core/plan/incidence.h"
#include "viz/view_shape.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_OF_WARP = 32 };

/* The first hue that no neighbour has, else the one that fewest have. */
static int32_t best_hue(const int32_t taken[TESS_VIEW_HUES]) {
    int32_t best = 0;
    for (int32_t h = 1; h < TESS_VIEW_HUES; h++)
        best = taken[h] < taken[best] ? h : best;
    return best;
}

/* Gives hue [n_blocks], each in [0, TESS_VIEW_HUES): first fit in the order of blocks among those
 * that have a site of sites[offset[b] ... offset[b + 1]) in common; where all hues are taken, the
 * one that fewest of them have; and n_neighbours [n_blocks], how many those are. The caller frees
 * it. */
static tess_status hues_build(int32_t n_blocks, const int64_t *offset, const int32_t *sites,
                              int64_t n_sites, int32_t *n_neighbours, int32_t **hue) {
    tess_status status = TESS_OK;
    tess_rows *blocks_of = NULL;
    int32_t *hues = NULL, *seen_by = NULL, taken[TESS_VIEW_HUES];
    const tess_incidence incidence = {.index = sites, .offset = offset, .n_points = n_sites};
    CHECK(tess_incidence_invert(&incidence, n_blocks, &blocks_of));
    CHECK(TESS_ALLOC(n_blocks, &hues));
    CHECK(TESS_ALLOC(n_blocks, &seen_by));
    memset(seen_by, 0xff, (size_t)n_blocks * sizeof *seen_by);
    for (int32_t b = 0; b < n_blocks; b++) {
        memset(taken, 0, sizeof taken);
        n_neighbours[b] = 0;
        for (int64_t i = offset[b]; i < offset[b + 1]; i++) {
            for (int64_t j = blocks_of->offset[sites[i]]; j < blocks_of->offset[sites[i] + 1];
                 j++) {
                const int32_t neighbour = blocks_of->item[j];
                if (neighbour == b || seen_by[neighbour] == b)
                    continue;
                seen_by[neighbour] = b;
                n_neighbours[b]++;
                if (neighbour < b)
                    taken[hues[neighbour]]++;
            }
        }
        hues[b] = best_hue(taken);
    }
    *hue = TESS_TAKE(hues);
done:
    tess_rows_free(blocks_of);
    free(hues);
    free(seen_by);
    return status;
}

/* Where the pieces of each shown element are, and the sites of their corners. */
typedef struct pieces {
    int64_t *cell;     /* [n_elements + 1] */
    int64_t *corner;   /* [n_elements + 1] */
    int32_t *site;     /* [n_corners] */
    int32_t *of_point; /* [n_points] the site of each point of the view */
} pieces;

static void pieces_free(pieces *p) {
    free(p->cell);
    free(p->corner);
    free(p->site);
    free(p->of_point);
}

/* Counts the pieces of each element, then lists them: type and offset of each cell, sites of its
 * corners. */
static tess_status list_pieces(const tess_view_shape *shape, const tess_rows *order,
                               tess_view_mesh *view, pieces *p) {
    const int64_t n = order->offset[order->n];
    TRY(TESS_ALLOC(n + 1, &p->cell));
    TRY(TESS_ALLOC(n + 1, &p->corner));
    p->cell[0] = p->corner[0] = 0;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        tess_view_pieces counted = {0};
        tess_view_shape_append(shape, order->item[i], &counted);
        p->cell[i + 1] = counted.n_pieces;
        p->corner[i + 1] = counted.n_corners;
    }
    for (int64_t i = 0; i < n; i++) {
        p->cell[i + 1] += p->cell[i];
        p->corner[i + 1] += p->corner[i];
    }
    view->n_cells = p->cell[n];
    view->n_corners = p->corner[n];
    TRY(TESS_ALLOC(view->n_cells, &view->type));
    TRY(TESS_ALLOC(view->n_cells + 1, &view->offset));
    TRY(TESS_ALLOC(view->n_corners, &p->site));
    view->offset[0] = 0;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        tess_view_pieces filled = {.vtk = view->type + p->cell[i],
                                   .first_corner = p->corner[i],
                                   .end = view->offset + p->cell[i] + 1,
                                   .site = p->site + p->corner[i]};
        tess_view_shape_append(shape, order->item[i], &filled);
    }
    return TESS_OK;
}

/* Gives each block points of its own, one for each site that it has. */
static tess_status split_points(const tess_rows *order, tess_view_mesh *view, pieces *p) {
    tess_status status = TESS_OK;
    int32_t *distinct = NULL; /* [n_corners]: each block's sites at the start of its corners */
    CHECK(TESS_ALLOC(view->n_corners, &distinct));
    CHECK(TESS_ALLOC(order->n + 1, &view->block_point));
    CHECK(TESS_ALLOC(view->n_corners, &view->connectivity));
    int64_t *first = view->block_point;
    first[0] = 0;
    if (view->n_corners)
        memcpy(distinct, p->site, (size_t)view->n_corners * sizeof *distinct);
#pragma omp parallel for schedule(dynamic, 16)
    for (int32_t b = 0; b < order->n; b++) {
        const int64_t begin = p->corner[order->offset[b]];
        first[b + 1] = tess_sort_unique(distinct + begin, p->corner[order->offset[b + 1]] - begin);
    }
    for (int32_t b = 0; b < order->n; b++)
        first[b + 1] += first[b];
    view->n_points = first[order->n];
    CHECK(TESS_ALLOC(view->n_points, &p->of_point));
#pragma omp parallel for schedule(dynamic, 16)
    for (int32_t b = 0; b < order->n; b++) {
        const int64_t begin = p->corner[order->offset[b]];
        const int64_t end = p->corner[order->offset[b + 1]];
        const int64_t n = first[b + 1] - first[b];
        memcpy(p->of_point + first[b], distinct + begin, (size_t)n * sizeof *distinct);
        for (int64_t i = begin; i < end; i++)
            view->connectivity[i] =
                first[b] + tess_sorted_position(distinct + begin, n, p->site[i]);
    }
done:
    free(distinct);
    return status;
}

/* Adds the mean of `points` [n][3] to mean and gives n, or leaves it where there are none. */
static void mean_of(int64_t n, const double *points, double mean[3]) {
    for (int d = 0; d < 3; d++) {
        mean[d] = 0;
        for (int64_t i = 0; i < n; i++)
            mean[d] += points[3 * i + d];
        mean[d] /= n ? (double)n : 1;
    }
}

static tess_status place_points(const tess_view_shape *shape, tess_view_mesh *view,
                                const pieces *p) {
    TRY(TESS_ALLOC(3 * view->n_points, &view->points));
    TRY(TESS_ALLOC(3 * view->n_points, &view->explode));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < view->n_points; i++)
        tess_view_shape_point(shape, p->of_point[i], view->points + 3 * i);
    double centre[3];
    mean_of(view->n_points, view->points, centre);
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < view->n_blocks; b++) {
        const int64_t begin = view->block_point[b], end = view->block_point[b + 1];
        double block_centre[3];
        mean_of(end - begin, view->points + 3 * begin, block_centre);
        for (int64_t i = begin; i < end; i++)
            for (int d = 0; d < 3; d++)
                view->explode[3 * i + d] = (float)(block_centre[d] - centre[d]);
    }
    return TESS_OK;
}

/* Counts the blocks that have a point of their own at each site. */
static tess_status count_sharers(int64_t n_sites, tess_view_mesh *view, const pieces *p) {
    int32_t *count = NULL;
    TRY(TESS_ALLOC(view->n_points, &view->shared_by));
    TRY(TESS_ZEROS(n_sites, &count));
    for (int64_t i = 0; i < view->n_points; i++)
        count[p->of_point[i]]++;
    for (int64_t i = 0; i < view->n_points; i++)
        view->shared_by[i] = count[p->of_point[i]];
    free(count);
    return TESS_OK;
}

static tess_status add_array(tess_view_mesh *view, const char *name, tess_type type, void *values) {
    void **array = (void **)values;
    TRY(tess_array_alloc(view->n_cells, tess_type_size(type), array));
    view->arrays[view->n_arrays++] =
        (tess_view_array){.name = name, .type = type, .values = *array};
    return TESS_OK;
}

/* Adds an int array that gives each cell what its block has. */
static tess_status add_block_ints(tess_view_mesh *view, const char *name, const int32_t *of_block) {
    int32_t *values = NULL;
    TRY(add_array(view, name, TESS_INT32, &values));
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < view->n_blocks; b++)
        for (int64_t c = view->block_cell[b]; c < view->block_cell[b + 1]; c++)
            values[c] = of_block[b];
    return TESS_OK;
}

/* Adds an int array that gives each cell what its element, by position in the order, has. */
static tess_status add_element_ints(tess_view_mesh *view, const char *name, const pieces *p,
                                    int64_t n_elements, const int32_t *of_position) {
    int32_t *values = NULL;
    TRY(add_array(view, name, TESS_INT32, &values));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n_elements; i++)
        for (int64_t c = p->cell[i]; c < p->cell[i + 1]; c++)
            values[c] = of_position[i];
    return TESS_OK;
}

static tess_status add_partition_arrays(const tess_view_shape *shape, const tess_rows *order,
                                        tess_view_mesh *view, const pieces *p) {
    tess_status status = TESS_OK;
    int32_t *hue = NULL, *of_block = NULL;
    CHECK(add_element_ints(view, "element", p, order->offset[order->n], order->item));
    CHECK(TESS_ALLOC(order->n, &of_block));
    for (int32_t b = 0; b < order->n; b++)
        of_block[b] = b;
    CHECK(add_block_ints(view, "block", of_block));
    CHECK(TESS_ALLOC(order->n, &view->block_neighbours));
    CHECK(hues_build((int32_t)order->n, view->block_point, p->of_point,
                     tess_view_shape_sites(shape), view->block_neighbours, &hue));
    CHECK(add_block_ints(view, "display_colour", hue));
    for (int32_t b = 0; b < order->n; b++)
        of_block[b] = (int32_t)(order->offset[b + 1] - order->offset[b]);
    CHECK(add_block_ints(view, "block_elements", of_block));
done:
    free(hue);
    free(of_block);
    return status;
}

/* Builds the view of elements in the order in which they are shown, block after block; gives the
 * positions of its elements' pieces, too. */
static tess_status view_build(const tess_mesh *mesh, const char *set, const tess_rows *order,
                              pieces *p, tess_view_mesh **out) {
    tess_status status = TESS_OK;
    tess_view_shape *shape = NULL;
    tess_view_mesh *view = NULL;
    CHECK(TESS_ZEROS(1, &view));
    snprintf(view->set, sizeof view->set, "%s", set);
    view->dimension = mesh->dimension;
    view->n_blocks = (int32_t)order->n;
    CHECK(tess_view_shape_build(mesh, set, &shape));
    CHECK(list_pieces(shape, order, view, p));
    CHECK(TESS_ALLOC(order->n + 1, &view->block_cell));
    for (int32_t b = 0; b <= order->n; b++)
        view->block_cell[b] = p->cell[order->offset[b]];
    CHECK(split_points(order, view, p));
    CHECK(place_points(shape, view, p));
    CHECK(count_sharers(tess_view_shape_sites(shape), view, p));
    CHECK(add_partition_arrays(shape, order, view, p));
    *out = TESS_TAKE(view);
done:
    tess_view_shape_free(shape);
    tess_view_mesh_free(view);
    return status;
}

static tess_status view_of_blocks(const tess_mesh *mesh, const char *set, int32_t n_blocks,
                                  const int32_t *block_of, pieces *p, tess_view_mesh **out) {
    tess_status status = TESS_OK;
    tess_rows *order = NULL;
    const int64_t n_elements = tess_mesh_set_size(mesh, set);
    for (int64_t e = 0; e < n_elements; e++)
        if (block_of[e] < 0 || block_of[e] >= n_blocks)
            FAIL(TESS_ERROR_INTERNAL, "element %lld is in block %d of %d", (long long)e,
                 block_of[e], n_blocks);
    CHECK(tess_rows_build(block_of, n_elements, n_blocks, &order));
    CHECK(view_build(mesh, set, order, p, out));
done:
    tess_rows_free(order);
    return status;
}

tess_status tess_view_mesh_of_partition(const tess_mesh *mesh, const char *set, int32_t n_blocks,
                                        const int32_t *block_of, tess_view_mesh **out) {
    pieces p = {0};
    const tess_status status = view_of_blocks(mesh, set, n_blocks, block_of, &p, out);
    pieces_free(&p);
    return status;
}

/* Adds an int array that gives each cell what its element has. */
static tess_status add_ints_of(const int32_t *of_element, const char *name, tess_view_mesh *view) {
    int32_t *values = NULL;
    TRY(add_array(view, name, TESS_INT32, &values));
    const int32_t *element = tess_view_mesh_find(view, "element")->values;
#pragma omp parallel for schedule(static)
    for (int64_t c = 0; c < view->n_cells; c++)
        values[c] = of_element[element[c]];
    return TESS_OK;
}

/* Adds a colour: of cells where `name` has more than 0 a darker hue than that of their block. */
static tess_status add_darker_colour(const char *colour_name, const char *name,
                                     tess_view_mesh *view) {
    int32_t *colour = NULL;
    TRY(add_array(view, colour_name, TESS_INT32, &colour));
    const int32_t *hue = tess_view_mesh_find(view, "display_colour")->values;
    const int32_t *number = tess_view_mesh_find(view, name)->values;
    for (int64_t c = 0; c < view->n_cells; c++)
        colour[c] = hue[c] + (number[c] > 0 ? TESS_VIEW_HUES : 0);
    return TESS_OK;
}

tess_status tess_view_mesh_of_ranks(const tess_mesh *mesh, const char *set, int32_t n_ranks,
                                    const int32_t *rank_of, const int32_t *n_copies,
                                    tess_view_mesh **out) {
    tess_status status = TESS_OK;
    tess_view_mesh *view = NULL;
    CHECK(tess_view_mesh_of_partition(mesh, set, n_ranks, rank_of, &view));
    CHECK(add_ints_of(rank_of, "rank", view));
    CHECK(add_ints_of(n_copies, "halo", view));
    CHECK(add_darker_colour("rank_colour", "halo", view));
    *out = TESS_TAKE(view);
done:
    tess_view_mesh_free(view);
    return status;
}

/* The block that owns each point of the set, and how many others have it in their rings. */
static tess_status find_owners(int64_t n_points, const tess_chain_blocks *blocks, int32_t *owner,
                               int32_t *n_rings) {
    const int n_ends = blocks->n_rings + 2;
    memset(owner, 0xff, (size_t)n_points * sizeof *owner);
    for (int32_t b = 0; b < blocks->n_blocks; b++) {
        const int64_t *place = blocks->place + (int64_t)b * n_ends;
        for (int64_t k = place[0]; k < place[n_ends - 1]; k++) {
            const int32_t point = blocks->points[k];
            if (point < 0 || point >= n_points || (k < place[1] && owner[point] >= 0))
                FAIL(TESS_ERROR_INPUT, "point %d of block %d is another block's, or not there",
                     point, b);
            if (k < place[1])
                owner[point] = b;
            else
                n_rings[point]++;
        }
    }
    for (int64_t i = 0; i < n_points; i++)
        if (owner[i] < 0)
            FAIL(TESS_ERROR_INPUT, "point %lld is no block's own", (long long)i);
    return TESS_OK;
}

/* Lists the points of all rings. */
static tess_status list_rings(const tess_chain_blocks *blocks, tess_view_mesh *view) {
    const int n_ends = blocks->n_rings + 2;
    int64_t n = 0;
    TRY(TESS_ZEROS(view->n_blocks + 1, &view->ring_begin));
    TRY(TESS_ALLOC(blocks->n_places, &view->ring_element));
    for (int32_t b = 0; b < blocks->n_blocks; b++) {
        const int64_t *place = blocks->place + (int64_t)b * n_ends;
        for (int64_t k = place[1]; k < place[n_ends - 1]; k++)
            view->ring_element[n++] = blocks->points[k];
        view->ring_begin[b + 1] = n;
    }
    return TESS_OK;
}

static tess_status add_ring_arrays(const int32_t *n_rings, tess_view_mesh *view) {
    tess_status status = TESS_OK;
    int32_t *of_block = NULL;
    CHECK(add_ints_of(n_rings, "ring", view));
    CHECK(add_darker_colour("ring_colour", "ring", view));
    CHECK(TESS_ALLOC(view->n_blocks, &of_block));
    for (int32_t b = 0; b < view->n_blocks; b++)
        of_block[b] = (int32_t)(view->ring_begin[b + 1] - view->ring_begin[b]);
    CHECK(add_block_ints(view, "block_ring", of_block));
done:
    free(of_block);
    return status;
}

tess_status tess_view_mesh_of_chain(const tess_mesh *mesh, const char *set,
                                    const tess_chain_blocks *blocks, tess_view_mesh **out) {
    tess_status status = TESS_OK;
    tess_view_mesh *view = NULL;
    int32_t *owner = NULL, *n_rings = NULL;
    if (tess_mesh_find_set(mesh, set) < 0)
        FAIL(TESS_ERROR_INPUT, "blocks own points of %s, which %s lacks", set, mesh->source);
    const int64_t n_points = tess_mesh_set_size(mesh, set);
    CHECK(TESS_ALLOC(n_points, &owner));
    CHECK(TESS_ZEROS(n_points, &n_rings));
    CHECK(find_owners(n_points, blocks, owner, n_rings));
    CHECK(tess_view_mesh_of_partition(mesh, set, blocks->n_blocks, owner, &view));
    CHECK(list_rings(blocks, view));
    CHECK(add_ring_arrays(n_rings, view));
    *out = TESS_TAKE(view);
done:
    tess_view_mesh_free(view);
    free(owner);
    free(n_rings);
    return status;
}

tess_status tess_view_mesh_of_ranked_blocks(const tess_mesh *mesh, const tess_ranked_blocks *blocks,
                                            tess_view_mesh **out) {
    tess_status status = TESS_OK;
    tess_view_mesh *view = NULL;
    int32_t *warp = NULL;
    CHECK(
        tess_view_mesh_of_partition(mesh, blocks->set, blocks->n_blocks, blocks->block_of, &view));
    CHECK(TESS_ALLOC(blocks->n, &warp));
    for (int64_t e = 0; e < blocks->n; e++)
        warp[e] = blocks->thread_of[e] / THREADS_OF_WARP;
    CHECK(add_ints_of(blocks->rank_of, "rank", view));
    CHECK(add_ints_of(blocks->thread_of, "thread", view));
    CHECK(add_ints_of(warp, "warp", view));
    CHECK(add_ints_of(blocks->thread_colour, "thread_colour", view));
    *out = TESS_TAKE(view);
done:
    free(warp);
    tess_view_mesh_free(view);
    return status;
}

/* Adds an array that gives each cell what its block has, unless the view has it. */
static tess_status add_block_values(tess_view_mesh *view, const tess_quantity *quantity,
                                    const double *of_block) {
    const bool whole = tess_quantity_is_whole(quantity);
    void *values = NULL;
    if (tess_view_mesh_find(view, quantity->name))
        return TESS_OK;
    TRY(add_array(view, quantity->name, whole ? TESS_INT32 : TESS_FLOAT, &values));
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < view->n_blocks; b++)
        for (int64_t c = view->block_cell[b]; c < view->block_cell[b + 1]; c++) {
            if (whole)
                ((int32_t *)values)[c] = (int32_t)of_block[b];
            else
                ((float *)values)[c] = (float)of_block[b];
        }
    return TESS_OK;
}

/* Adds the quantities of blocks: from the metrics, counted where these lack them. */
static tess_status add_plan_arrays(const tess_bound_loop *bound, const tess_plan *plan,
                                   const tess_metrics *metrics, tess_view_mesh *view) {
    if (plan->block_colour)
        TRY(add_block_ints(view, "block_colour", plan->block_colour));
    for (int i = 0; tess_block_quantity_at(i); i++) {
        const tess_quantity *quantity = tess_block_quantity_at(i);
        const double *known = metrics ? tess_metrics_of_blocks(metrics, quantity->name) : NULL;
        double *counted = NULL;
        if (!known)
            TRY(tess_block_quantity_values(bound, plan, i, &counted));
        const tess_status status =
            known || counted ? add_block_values(view, quantity, known ? known : counted) : TESS_OK;
        free(counted);
        TRY(status);
    }
    return TESS_OK;
}

static tess_status add_thread_colours(const tess_plan *plan, const pieces *p,
                                      tess_view_mesh *view) {
    tess_status status = TESS_OK;
    int32_t *colour = NULL;
    CHECK(TESS_ALLOC(plan->n_executed, &colour));
    for (int64_t i = 0; i < plan->n_executed; i++)
        colour[i] = plan->thread_colour[i];
    CHECK(add_element_ints(view, "thread_colour", p, plan->n_executed, colour));
done:
    free(colour);
    return status;
}

/* Threads take the elements of a block in the order of execution. */
static tess_status add_threads(const tess_plan *plan, const pieces *p, tess_view_mesh *view) {
    tess_status status = TESS_OK;
    int32_t *thread = NULL, *warp = NULL;
    CHECK(TESS_ALLOC(plan->n_executed, &thread));
    CHECK(TESS_ALLOC(plan->n_executed, &warp));
    for (int32_t b = 0; b < plan->n_blocks; b++)
        for (int64_t i = plan->block_offset[b]; i < plan->block_offset[b + 1]; i++) {
            thread[i] = (int32_t)(i - plan->block_offset[b]);
            warp[i] = thread[i] / THREADS_OF_WARP;
        }
    CHECK(add_element_ints(view, "thread", p, plan->n_executed, thread));
    CHECK(add_element_ints(view, "warp", p, plan->n_executed, warp));
done:
    free(thread);
    free(warp);
    return status;
}

tess_status tess_view_mesh_of_plan(const tess_bound_loop *bound, const tess_plan *plan,
                                   const int32_t *block_of, const tess_metrics *metrics,
                                   tess_view_mesh **out) {
    tess_status status = TESS_OK;
    pieces p = {0};
    tess_view_mesh *view = NULL;
    if (plan->owns_points) {
        CHECK(view_of_blocks(bound->mesh, plan->partitioned_set, plan->n_blocks, block_of, &p,
                             &view));
    } else {
        const tess_rows order = {
            .n = plan->n_blocks, .offset = plan->block_offset, .item = plan->executed};
        CHECK(view_build(bound->mesh, plan->partitioned_set, &order, &p, &view));
        CHECK(add_threads(plan, &p, view));
        if (plan->thread_colour)
            CHECK(add_thread_colours(plan, &p, view));
    }
    CHECK(add_plan_arrays(bound, plan, metrics, view));
    *out = TESS_TAKE(view);
done:
    tess_view_mesh_free(view);
    pieces_free(&p);
    return status;
}

void tess_view_mesh_free(tess_view_mesh *view) {
    if (!view)
        return;
    for (int i = 0; i < view->n_arrays; i++)
        free(view->arrays[i].values);
    free(view->type);
    free(view->offset);
    free(view->connectivity);
    free(view->points);
    free(view->explode);
    free(view->shared_by);
    free(view->block_cell);
    free(view->block_point);
    free(view->block_neighbours);
    free(view->ring_begin);
    free(view->ring_element);
    free(view);
}

const tess_view_array *tess_view_mesh_find(const tess_view_mesh *view, const char *name) {
    for (int i = 0; i < view->n_arrays; i++)
        if (strcmp(view->arrays[i].name, name) == 0)
            return &view->arrays[i];
    return NULL;
}
