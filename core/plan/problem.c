/* A problem: what a partitioner is given, the elements to cut into blocks and the points they
 * reach. */
#include "core/plan/problem.h"

#include "core/base/array.h"
#include "core/mesh/centroid.h"
#include "core/plan/incidence.h"
#include <stdlib.h>
#include <string.h>

static tess_status problem_new(int64_t n_elements, int n_maps, int32_t block_size, uint64_t seed,
                               tess_problem **out) {
    if (block_size < 1)
        FAIL(TESS_ERROR_USAGE, "a block holds at least one element, not %d", (int)block_size);
    TRY(TESS_ZEROS(1, out));
    (*out)->n_elements = n_elements;
    (*out)->block_size = block_size;
    (*out)->seed = seed;
    return TESS_ZEROS(n_maps, &(*out)->maps);
}

/* Adds the coordinates and the shape of the partitioned set. */
static tess_status problem_place(const tess_mesh *mesh, int set, tess_problem *problem) {
    double *centroids = NULL;
    TRY(tess_centroids_build(mesh, set, &centroids));
    problem->coordinates = centroids;
    problem->dimension = centroids ? mesh->dimension : 0;
    int64_t n_cells = 1;
    for (int d = 0; d < mesh->dimension; d++)
        n_cells *= mesh->shape[d];
    const char *name = mesh->sets[set].name;
    const bool are_cells =
        strcmp(name, "cells") == 0 || strcmp(name, "quads") == 0 || strcmp(name, "hexes") == 0;
    if (are_cells && n_cells == problem->n_elements)
        memcpy(problem->shape, mesh->shape, sizeof problem->shape);
    return TESS_OK;
}

/* True when the reach's slots are exactly those of one map, in order: its array is used as is. */
static bool is_whole_map(const tess_reach *reach) {
    for (int s = 0; s < reach->n_slots; s++)
        if (reach->slot_stride[s] != reach->n_slots ||
            reach->slot_index[s] != reach->slot_index[0] + s)
            return false;
    return true;
}

/* The chosen slots of a reach as one incidence, [n_elements][n_chosen]. */
static tess_status incidence_of_slots(const tess_bound_loop *bound, const tess_reach *reach,
                                      const int *chosen, int n_chosen, tess_incidence *map) {
    *map = (tess_incidence){.arity = n_chosen,
                            .n_points = bound->mesh->sets[reach->set].size,
                            .weight = (double)reach->bytes};
    if (n_chosen == reach->n_slots && is_whole_map(reach)) {
        map->index = reach->slot_index[0];
        return TESS_OK;
    }
    int32_t *index = NULL;
    TRY(TESS_ALLOC(bound->n_elements * n_chosen, &index));
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < bound->n_elements; e++)
        for (int c = 0; c < n_chosen; c++)
            index[e * n_chosen + c] =
                reach->slot_index[chosen[c]][e * reach->slot_stride[chosen[c]]];
    map->index = index;
    map->owned = true;
    return TESS_OK;
}

/* The slots of a reach that count under `points`, as one incidence; arity 0 where none does. */
static tess_status incidence_of_reach(const tess_bound_loop *bound, const tess_reach *reach,
                                      tess_points points, tess_incidence *map) {
    int *chosen = NULL, n_chosen = 0;
    TRY(TESS_ALLOC(reach->n_slots, &chosen));
    for (int s = 0; s < reach->n_slots; s++)
        if (tess_reach_counts(bound, reach, s, points))
            chosen[n_chosen++] = s;
    *map = (tess_incidence){.arity = 0};
    const tess_status status =
        n_chosen ? incidence_of_slots(bound, reach, chosen, n_chosen, map) : TESS_OK;
    free(chosen);
    return status;
}

tess_status tess_problem_build(const tess_bound_loop *bound, tess_points points, int32_t block_size,
                               uint64_t seed, tess_problem **out) {
    tess_status status = TESS_OK;
    tess_problem *problem = NULL;
    CHECK(problem_new(bound->n_elements, bound->n_reaches, block_size, seed, &problem));
    for (int r = 0; r < bound->n_reaches; r++) {
        tess_incidence *map = &problem->maps[problem->n_maps];
        CHECK(incidence_of_reach(bound, &bound->reaches[r], points, map));
        problem->n_maps += map->arity > 0;
    }
    CHECK(problem_place(bound->mesh, bound->set, problem));
    *out = problem;
    problem = NULL;
done:
    tess_problem_free(problem);
    return status;
}

static const tess_reach *find_reach(const tess_bound_loop *bound, int set) {
    for (int r = 0; r < bound->n_reaches; r++)
        if (bound->reaches[r].set == set)
            return &bound->reaches[r];
    return NULL;
}

tess_status tess_problem_build_inverse(const tess_bound_loop *bound, int to_set, int32_t block_size,
                                       uint64_t seed, tess_problem **out) {
    tess_status status = TESS_OK;
    tess_problem *problem = NULL;
    tess_rows *inverse = NULL;
    tess_incidence map = {.arity = 0};
    const tess_reach *reach = find_reach(bound, to_set);
    if (!reach)
        CHECK(tess_fail(TESS_ERROR_USAGE, "loop %s does not reach %s: its blocks cannot own them",
                        bound->loop->name, bound->mesh->sets[to_set].name));
    CHECK(incidence_of_reach(bound, reach,
                             reach->incremented ? TESS_POINTS_INCREMENTS : TESS_POINTS_ALL, &map));
    CHECK(tess_incidence_invert(&map, bound->n_elements, &inverse));
    CHECK(problem_new(inverse->n, 1, block_size, seed, &problem));
    problem->maps[0] = (tess_incidence){.index = inverse->item,
                                        .offset = inverse->offset,
                                        .owned = true,
                                        .n_points = bound->n_elements,
                                        .weight = 1};
    problem->n_maps = 1;
    inverse->item = NULL;
    inverse->offset = NULL;
    CHECK(problem_place(bound->mesh, to_set, problem));
    *out = problem;
    problem = NULL;
done:
    if (map.owned)
        free((void *)map.index);
    tess_rows_free(inverse);
    tess_problem_free(problem);
    return status;
}

void tess_problem_free(tess_problem *problem) {
    if (!problem)
        return;
    for (int m = 0; m < problem->n_maps; m++) {
        if (problem->maps[m].owned) {
            free((void *)problem->maps[m].index);
            free((void *)problem->maps[m].offset);
        }
    }
    free(problem->maps);
    free((void *)problem->coordinates);
    free(problem);
}
