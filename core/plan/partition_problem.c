/* A problem: what a partitioner is given, the elements to cut into blocks and the points they
 * reach. */
#include "core/plan/partition_problem.h"

#include "core/base/array.h"
#include "core/base/gathered_rows.h"
#include "core/base/interrupt.h"
#include "core/base/sort.h"
#include "core/mesh/centroid.h"
#include "core/plan/dat_uses.h"
#include "core/plan/incidence.h"
#include <stdlib.h>
#include <string.h>

static tess_status problem_new(int64_t n_elements, int n_maps, int32_t block_size, uint64_t seed,
                               tess_partition_problem **out) {
    if (block_size < 1)
        FAIL(TESS_ERROR_USAGE, "a block holds at least one element, not %d", (int)block_size);
    TRY(TESS_ZEROS(1, out));
    (*out)->n_elements = n_elements;
    (*out)->block_size = block_size;
    (*out)->seed = seed;
    return TESS_ZEROS(n_maps, &(*out)->maps);
}

bool tess_box_of_set(const tess_mesh *mesh, int set, int64_t shape[3]) {
    const char *name = mesh->sets[set].name;
    const bool are_nodes = strcmp(name, "nodes") == 0;
    const bool are_cells =
        strcmp(name, "cells") == 0 || strcmp(name, "quads") == 0 || strcmp(name, "hexes") == 0;
    int64_t along[3] = {0}, n = 1;
    for (int d = 0; d < mesh->dimension && mesh->shape[d] > 0; d++) {
        along[d] = mesh->shape[d] + are_nodes;
        n *= along[d];
    }
    if ((!are_cells && !are_nodes) || along[0] == 0 || n != mesh->sets[set].size)
        return false;
    memcpy(shape, along, sizeof along);
    return true;
}

/* Moves the rows of the elements that a loop has of its set to the front: they ascend. */
static void take_rows(const int32_t *elements, int64_t n, int dimension, double *rows) {
    for (int64_t i = 0; i < n; i++)
        memmove(rows + i * dimension, rows + (int64_t)elements[i] * dimension,
                (size_t)dimension * sizeof *rows);
}

/* Adds the coordinates of the partitioned set, from element `first` on or of those `elements`, and
 * its shape. */
static tess_status problem_position(const tess_mesh *mesh, int set, int64_t first,
                                    const int32_t *elements, tess_partition_problem *problem) {
    double *centroids = NULL;
    TRY(tess_interrupt_check()); /* centroids of millions of elements take seconds */
    TRY(tess_centroids_build(mesh, set, &centroids));
    if (centroids && elements)
        take_rows(elements, problem->n_elements, mesh->dimension, centroids);
    if (centroids && first > 0)
        memmove(centroids, centroids + first * mesh->dimension,
                (size_t)(problem->n_elements * mesh->dimension) * sizeof *centroids);
    problem->coordinates = centroids;
    problem->dimension = centroids ? mesh->dimension : 0;
    if (problem->n_elements == mesh->sets[set].size)
        tess_box_of_set(mesh, set, problem->shape);
    return tess_interrupt_check();
}

/* The chosen slots of a target (NULL: all) as one incidence, [n_elements][n_chosen]. */
static tess_status incidence_of_slots(const tess_bound_loop *bound, const tess_loop_target *target,
                                      const int *chosen, int n_chosen, tess_incidence *map) {
    *map = (tess_incidence){.arity = n_chosen,
                            .n_points = bound->mesh->sets[target->set].size,
                            .weight = (double)target->bytes};
    map->index = n_chosen == target->n_slots ? tess_loop_target_map(target) : NULL;
    if (map->index)
        return TESS_OK;
    int32_t *index = NULL;
    TRY(TESS_ALLOC(bound->n_elements * n_chosen, &index));
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < bound->n_elements; e++)
        for (int c = 0; c < n_chosen; c++) {
            const int s = chosen ? chosen[c] : c;
            index[e * n_chosen + c] = tess_target_point(target, e, s);
        }
    map->index = index;
    map->owned = true;
    return TESS_OK;
}

tess_status tess_target_incidence(const tess_bound_loop *bound, const tess_loop_target *target,
                                  tess_incidence *out) {
    return incidence_of_slots(bound, target, NULL, target->n_slots, out);
}

/* The slots of a target that count under `points`, as one incidence; arity 0 where none does. */
static tess_status incidence_of_target(const tess_bound_loop *bound, const tess_loop_target *target,
                                       tess_points points, tess_incidence *map) {
    int *chosen = NULL, n_chosen = 0;
    TRY(TESS_ALLOC(target->n_slots, &chosen));
    for (int s = 0; s < target->n_slots; s++)
        if (tess_loop_target_counts(bound, target, s, points))
            chosen[n_chosen++] = s;
    *map = (tess_incidence){.arity = 0};
    const tess_status status =
        n_chosen ? incidence_of_slots(bound, target, chosen, n_chosen, map) : TESS_OK;
    free(chosen);
    return status;
}

/* The number that an element of the set has in the loop, or -1. */
static int32_t number_in_loop(const tess_bound_loop *bound, int32_t element) {
    const int64_t n = bound->n_elements;
    if (bound->elements) {
        const int64_t at = tess_sorted_position(bound->elements, n, element);
        return n > 0 && bound->elements[at] == element ? (int32_t)at : -1;
    }
    const int64_t at = element - bound->first;
    return at >= 0 && at < n ? (int32_t)at : -1;
}

/* Adds each element, which is a point as well, to the end of its row; both are numbered from the
 * first element of the part, and points outside it are none. */
static tess_status incidence_add_own(const tess_bound_loop *bound, tess_incidence *map) {
    const int64_t n = bound->n_elements;
    const int arity = map->arity;
    int32_t *index = NULL;
    TRY(TESS_ALLOC(n * (arity + 1), &index));
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < n; e++) {
        int32_t *row = index + e * (arity + 1);
        for (int s = 0; s < arity; s++)
            row[s] = number_in_loop(bound, map->index[e * arity + s]);
        row[arity] = (int32_t)e;
    }
    if (map->owned)
        free((void *)map->index);
    map->index = index;
    map->arity = arity + 1;
    map->n_points = n;
    map->owned = map->points_are_elements = true;
    return TESS_OK;
}

/* Whether an element's own values count beside those that it reaches in its set. */
static bool counts_own(const tess_bound_loop *bound, const tess_loop_target *target,
                       tess_points points) {
    return target->set == bound->set && (points == TESS_POINTS_ALL || tess_loop_gathers(bound));
}

/* All but where the elements are. */
static tess_status build_incidences(const tess_bound_loop *bound, tess_points points,
                                    tess_partition_problem *problem) {
    bool orders = false;
    for (int r = 0; r < bound->n_targets; r++) {
        tess_incidence *map = &problem->maps[problem->n_maps];
        TRY(incidence_of_target(bound, &bound->targets[r], points, map));
        if (map->arity > 0 && problem->box[0] == 0 &&
            tess_box_of_set(bound->mesh, bound->targets[r].set, problem->box))
            problem->box_map = problem->n_maps;
        if (bound->targets[r].incremented && !orders) {
            problem->order_map = problem->n_maps;
            orders = true;
        }
        problem->n_maps += map->arity > 0;
        if (counts_own(bound, &bound->targets[r], points))
            TRY(incidence_add_own(bound, map));
    }
    return TESS_OK;
}

/* Adds where the elements are: one by one, where `is_lean` and that is known. */
static tess_status problem_place(const tess_bound_loop *bound, bool is_lean,
                                 tess_partition_problem *problem) {
    if (is_lean && bound->n_elements == bound->mesh->sets[bound->set].size)
        problem->centroids = tess_centroids_of(bound->mesh, bound->set);
    if (!problem->centroids.nodes)
        return problem_position(bound->mesh, bound->set, bound->first, bound->elements, problem);
    problem->dimension = bound->mesh->dimension;
    tess_box_of_set(bound->mesh, bound->set, problem->shape);
    return TESS_OK;
}

static tess_status build(const tess_bound_loop *bound, tess_points points, int32_t block_size,
                         uint64_t seed, bool is_lean, tess_partition_problem **out) {
    tess_status status = TESS_OK;
    tess_partition_problem *problem = NULL;
    CHECK(problem_new(bound->n_elements, bound->n_targets, block_size, seed, &problem));
    CHECK(build_incidences(bound, points, problem));
    CHECK(problem_place(bound, is_lean, problem));
    *out = TESS_TAKE(problem);
done:
    tess_partition_problem_free(problem);
    return status;
}

tess_status tess_partition_problem_build(const tess_bound_loop *bound, tess_points points,
                                         int32_t block_size, uint64_t seed,
                                         tess_partition_problem **out) {
    return build(bound, points, block_size, seed, false, out);
}

tess_status tess_partition_problem_build_lean(const tess_bound_loop *bound, tess_points points,
                                              int32_t block_size, uint64_t seed,
                                              tess_partition_problem **out) {
    return build(bound, points, block_size, seed, true, out);
}

bool tess_partition_problem_is_placed(const tess_partition_problem *problem) {
    return problem->coordinates || problem->centroids.nodes;
}

void tess_partition_problem_places(const tess_partition_problem *problem, const int32_t *elements,
                                   int64_t first, int64_t n, double *places) {
    const int dimension = problem->dimension;
    if (!problem->coordinates)
        tess_centroids_fill(&problem->centroids, elements, first, n, places);
    else if (!elements)
        memcpy(places, problem->coordinates + first * dimension,
               (size_t)(n * dimension) * sizeof *places);
    else
        for (int64_t i = 0; i < n; i++)
            for (int d = 0; d < dimension; d++)
                places[i * dimension + d] =
                    problem->coordinates[(int64_t)elements[i] * dimension + d];
}

static const tess_loop_target *find_target(const tess_bound_loop *bound, int set) {
    for (int r = 0; r < bound->n_targets; r++)
        if (bound->targets[r].set == set)
            return &bound->targets[r];
    return NULL;
}

tess_status tess_owned_incidence(const tess_bound_loop *bound, int to_set, tess_incidence *out) {
    const tess_loop_target *target = find_target(bound, to_set);
    if (!target)
        FAIL(TESS_ERROR_USAGE, "loop %s does not reach %s: its blocks cannot own them",
             bound->loop->name, bound->mesh->sets[to_set].name);
    return incidence_of_target(bound, target,
                               target->incremented ? TESS_POINTS_INCREMENTS : TESS_POINTS_ALL, out);
}

tess_status tess_partition_problem_build_inverse(const tess_bound_loop *bound, int to_set,
                                                 int32_t block_size, uint64_t seed,
                                                 tess_partition_problem **out) {
    tess_status status = TESS_OK;
    tess_partition_problem *problem = NULL;
    tess_rows *inverse = NULL;
    tess_incidence map = {.arity = 0};
    CHECK(tess_owned_incidence(bound, to_set, &map));
    CHECK(tess_incidence_invert(&map, bound->n_elements, &inverse));
    CHECK(problem_new(inverse->n, 1, block_size, seed, &problem));
    problem->maps[0] = (tess_incidence){.index = TESS_TAKE(inverse->item),
                                        .offset = TESS_TAKE(inverse->offset),
                                        .owned = true,
                                        .n_points = bound->n_elements,
                                        .weight = 1};
    problem->n_maps = 1;
    CHECK(problem_position(bound->mesh, to_set, 0, NULL, problem));
    *out = TESS_TAKE(problem);
done:
    tess_incidence_clear(&map);
    tess_rows_free(inverse);
    tess_partition_problem_free(problem);
    return status;
}

/* Bytes of the dats that elements read at a point of a target; their own where it is -1. */
static int64_t bytes_read(const tess_dat_uses *uses, int target) {
    int64_t bytes = 0;
    for (int u = 0; u < uses->n; u++)
        if (uses->uses[u].target == target && uses->uses[u].is_read)
            bytes += uses->uses[u].dim * uses->uses[u].value_bytes;
    return bytes;
}

/* Whether some dat is read through slot s of the target. */
static bool reads_slot(const tess_dat_uses *uses, int target, int s) {
    for (int u = 0; u < uses->n; u++)
        if (uses->uses[u].target == target && uses->uses[u].read_slots[s])
            return true;
    return false;
}

/* What the elements of a point read: through chosen slots, from their points. */
typedef struct reach {
    const tess_incidence *elements, *read; /* of each point; of each element */
} reach;

static int64_t gather_read(const void *reach_by, int64_t point, int32_t *items) {
    const reach *by = reach_by;
    int64_t n_elements = 0, n = 0;
    const int32_t *elements = tess_incidence_row(by->elements, point, &n_elements);
    for (int64_t i = 0; i < n_elements; i++) {
        int64_t n_read = 0;
        const int32_t *read = tess_incidence_row(by->read, elements[i], &n_read);
        for (int64_t s = 0; s < n_read; s++)
            if (read[s] >= 0)
                items[n++] = read[s];
    }
    return n;
}

/* Adds the points of target r that the elements of each point of the problem read. */
static tess_status add_reads_of(const tess_bound_loop *bound, const tess_dat_uses *uses, int r,
                                tess_partition_problem *problem) {
    tess_status status = TESS_OK;
    const tess_loop_target *target = &bound->targets[r];
    int *chosen = NULL, n_chosen = 0;
    tess_incidence slots = {.arity = 0};
    tess_rows *read = NULL;
    CHECK(TESS_ALLOC(target->n_slots, &chosen));
    for (int s = 0; s < target->n_slots; s++)
        if (reads_slot(uses, r, s))
            chosen[n_chosen++] = s;
    if (n_chosen == 0)
        goto done;
    CHECK(incidence_of_slots(bound, target, chosen, n_chosen, &slots));
    const tess_rows elements = {.n = problem->n_elements,
                                .offset = (int64_t *)problem->maps[0].offset}; /* only read */
    const tess_row_gatherer gatherer = {.n_rows = problem->n_elements,
                                        .longest = n_chosen * tess_rows_longest(&elements),
                                        .gather = gather_read,
                                        .context = &(reach){&problem->maps[0], &slots}};
    CHECK(tess_rows_gather(&gatherer, NULL, &read));
    problem->reads[problem->n_reads++] = (tess_incidence){.index = TESS_TAKE(read->item),
                                                          .offset = TESS_TAKE(read->offset),
                                                          .owned = true,
                                                          .n_points = slots.n_points,
                                                          .weight = (double)bytes_read(uses, r)};
done:
    tess_incidence_clear(&slots);
    tess_rows_free(read);
    free(chosen);
    return status;
}

tess_status tess_partition_problem_add_reads(const tess_bound_loop *bound,
                                             tess_partition_problem *problem) {
    tess_status status = TESS_OK;
    tess_dat_uses uses = {.n = 0};
    CHECK(tess_dat_uses_build(bound, &uses));
    CHECK(TESS_ALLOC(bound->n_targets, &problem->reads));
    for (int r = 0; r < bound->n_targets; r++)
        CHECK(add_reads_of(bound, &uses, r, problem));
    if (problem->n_reads > 0)
        problem->maps[0].weight = (double)bytes_read(&uses, -1) + sizeof(int32_t);
done:
    tess_dat_uses_free(&uses);
    return status;
}

static void incidences_free(tess_incidence *maps, int n) {
    for (int m = 0; m < n; m++)
        tess_incidence_clear(&maps[m]);
    free(maps);
}

void tess_partition_problem_free(tess_partition_problem *problem) {
    if (!problem)
        return;
    incidences_free(problem->maps, problem->n_maps);
    incidences_free(problem->reads, problem->n_reads);
    free((void *)problem->coordinates);
    free(problem);
}
