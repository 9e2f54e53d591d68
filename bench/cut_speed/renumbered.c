/* Meshes renumbered on a device by the plan of their elements. */
#include "bench/cut_speed/renumbered.h"

#include "bench/cut_speed/answers.h"
#include "bench/cut_speed/cuts.h"
#include "bench/cut_speed/meshes.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/plan/order/renumber.h"
#include "core/plan/order/renumber_mesh.h"
#include "data/permute_mesh.h"
#include "kernels/cut/device_swap.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a device is asked for: edges, cells and nodes in this order, and what follows. */
typedef struct asked {
    tess_device_set sets[3];
    tess_device_map maps[2];
    tess_device_dat dats[2];
    tess_device_renumbering all;
} asked;

/* Of edges, cells by these and nodes by cells; or of cells, edges and nodes by these. */
static tess_status ask(const tess_mesh *mesh, bool by_cells, asked *of) {
    const tess_set *sets = mesh->sets; /* cells, edges, nodes */
    const int edges = by_cells ? 1 : 0, cells = by_cells ? 0 : 1;
    *of = (asked){.maps = {{edges, cells, 2, mesh->maps[0].index, NULL},
                           {cells, 2, 4, mesh->maps[1].index, NULL}},
                  .dats = {{cells, 4 * sizeof(double), mesh->dats[0].values, NULL},
                           {2, mesh->dimension * (int64_t)sizeof(double), mesh->coordinates, NULL}},
                  .all = {3, of->sets, 2, of->maps, 2, of->dats}};
    of->sets[edges] = (tess_device_set){sets[1].size, by_cells ? 0 : -1, NULL, NULL};
    of->sets[cells] = (tess_device_set){sets[0].size, by_cells ? -1 : 0, NULL, NULL};
    of->sets[2] = (tess_device_set){sets[2].size, 1, NULL, NULL};
    for (int i = 0; i < 3; i++) {
        TRY(TESS_ALLOC(of->sets[i].size, &of->sets[i].new_to_old));
        TRY(TESS_ALLOC(of->sets[i].size, &of->sets[i].old_to_new));
    }
    for (int i = 0; i < 2; i++) {
        TRY(TESS_ALLOC(of->sets[of->maps[i].from].size * of->maps[i].arity,
                       &of->maps[i].renumbered));
        TRY(tess_array_alloc(of->sets[of->dats[i].set].size, (size_t)of->dats[i].bytes,
                             &of->dats[i].renumbered));
    }
    return TESS_OK;
}

static void asked_close(asked *of) {
    for (int i = 0; i < 3; i++) {
        free(of->sets[i].new_to_old);
        free(of->sets[i].old_to_new);
    }
    for (int i = 0; i < 2; i++) {
        free(of->maps[i].renumbered);
        free(of->dats[i].renumbered);
    }
}

/* Whether they are the host's, whose mesh is renumbered. */
static bool is_renumbered(const asked *of, const tess_mesh *mesh, const tess_renumbering *host) {
    bool same = true;
    for (int i = 0; i < 3; i++) {
        const size_t bytes = (size_t)of->sets[i].size * sizeof(int32_t);
        const tess_permutation *set = tess_renumbering_of(host, i == 0 ? 1 : i == 1 ? 0 : 2);
        same = same && memcmp(of->sets[i].new_to_old, set->new_to_old, bytes) == 0 &&
               memcmp(of->sets[i].old_to_new, set->old_to_new, bytes) == 0;
    }
    for (int i = 0; i < 2; i++) {
        const size_t bytes = (size_t)(of->sets[i].size * of->maps[i].arity) * sizeof(int32_t);
        const void *values = i == 0 ? mesh->dats[0].values : mesh->coordinates;
        same = same && memcmp(of->maps[i].renumbered, mesh->maps[i].index, bytes) == 0 &&
               memcmp(of->dats[i].renumbered, values,
                      (size_t)(of->sets[i + 1].size * of->dats[i].bytes)) == 0;
    }
    return same;
}

tess_status time_renumbering(tess_cut_kernels *k, cut_edges *of, const tess_plan *plan,
                             tess_device_plan *there) {
    tess_status status = TESS_OK;
    tess_renumbering *host = NULL;
    asked asked_for = {.all = {.n_sets = 0}};
    double seconds = 0, least = 0;
    CHECK(ask(of->mesh, false, &asked_for));
    there->renumbering = &asked_for.all;
    for (int i = 0; i < REPEATS; i++) {
        CHECK(tess_device_plan_here(k, NULL, there, &seconds));
        least = i == 0 || seconds < least ? seconds : least;
    }
    double clock = tess_clock_seconds();
    CHECK(tess_renumber(of->bound, plan, &host));
    CHECK(tess_mesh_renumber(of->mesh, host));
    printf("and renumbered, with cells, nodes, two maps and two dats: there %.3f ms with the plan, "
           "on the host %.1f without; %s\n",
           1e3 * least, 1e3 * tess_clock_lap(&clock),
           told(is_renumbered(&asked_for, of->mesh, host), "the same arrays", "OTHER ARRAYS"));
done:
    there->renumbering = NULL;
    asked_close(&asked_for);
    tess_renumbering_free(host);
    return status;
}

/* A mesh of edges and cells alone, in their new numbers, and its loop. */
static tess_status edges_renumbered(const asked *of, cut_edges *out) {
    int32_t *index = NULL;
    const tess_device_map *map = &of->maps[0];
    TRY(tess_mesh_new("quads", 2, &out->mesh));
    TRY(tess_mesh_add_set(out->mesh, "cells", of->sets[0].size, NULL));
    TRY(tess_mesh_add_set(out->mesh, "edges", of->sets[1].size, NULL));
    TRY(TESS_COPY(2 * of->sets[1].size, map->renumbered, &index));
    TRY(tess_mesh_add_map(out->mesh, "edges", "cells", 2, 0, index));
    TRY(tess_loop_of_map("edges:cells", "q:cells:4:double", &out->loop));
    TRY(tess_loop_bind(out->loop, out->mesh, &out->bound));
    out->partition =
        (tess_partition){.n_elements = of->sets[0].size,
                         .block_size = BLOCK_SIZE,
                         .n_blocks = (int32_t)((of->sets[0].size + BLOCK_SIZE - 1) / BLOCK_SIZE)};
    TRY(TESS_ALLOC(of->sets[0].size, &out->partition.block_of));
    for (int64_t c = 0; c < of->sets[0].size; c++)
        out->partition.block_of[c] = (int32_t)(c / BLOCK_SIZE);
    return TESS_OK;
}

/* The plan of edges in blocks that own cells, and whether it is the host's. */
static tess_status plan_owned(tess_cut_kernels *k, const asked *of, double *least, double *host,
                              bool *same) {
    tess_status status = TESS_OK;
    cut_edges now = {.mesh = NULL};
    tess_plan *plan = NULL;
    tess_device_plan here = {.sets = NULL};
    CHECK(edges_renumbered(of, &now));
    double clock = tess_clock_seconds();
    CHECK(tess_plan_build_owned(now.bound, 0, &now.partition, NULL, &plan));
    *host = tess_clock_lap(&clock);
    CHECK(tess_device_plan_open(now.bound, now.partition.block_of, plan, &here));
    here.owned_slots = 2;
    here.owned_map = here.sets[0].map;
    here.n_owned = now.partition.n_elements;
    here.n_executed = plan->n_executed;
    CHECK(time_planning(k, NULL, &here, least, same));
done:
    tess_device_plan_close(&here);
    tess_plan_free(plan);
    cut_edges_close(&now);
    return status;
}

tess_status time_cells(tess_cut_kernels *k, const tess_mesh *mesh) {
    tess_status status = TESS_OK;
    asked of = {.all = {.n_sets = 0}};
    const int64_t n = mesh->sets[0].size, n_sides = mesh->sets[1].size;
    const int repeats = n_sides < 40000000 ? REPEATS : 3; /* all travels each time */
    int32_t *block_of = NULL, *offset = NULL;
    double *places = NULL, seconds[4] = {0}, once = 0, copy = 0;
    bool same = false;
    CHECK(copy_mesh(k, 8 * (n_sides + mesh->sets[2].size * mesh->dimension), &copy));
    CHECK(middles_build(mesh, &places));
    CHECK(TESS_ALLOC(n, &block_of));
    CHECK(TESS_ALLOC(n / BLOCK_SIZE + 2, &offset));
    CHECK(ask(mesh, true, &of));
    const tess_cut what = by_rcb(n, mesh->dimension, places);
    tess_device_plan cells = {.n = n,
                              .n_blocks = (int32_t)((n + BLOCK_SIZE - 1) / BLOCK_SIZE),
                              .block_of = block_of,
                              .executed = of.sets[0].new_to_old,
                              .block_offset = offset,
                              .renumbering = &of.all};
    for (int i = 0; i < repeats; i++) {
        CHECK(tess_device_cut_refined(k, &what, block_of, &once));
        seconds[0] = i == 0 || once < seconds[0] ? once : seconds[0];
        CHECK(tess_device_plan_here(k, NULL, &cells, &once));
        seconds[1] = i == 0 || once < seconds[1] ? once : seconds[1];
    }
    CHECK(plan_owned(k, &of, &seconds[2], &seconds[3], &same));
    printf("by %.2fM cells: cut %.3f ms, all renumbered %.3f, %.2fM sides planned in blocks that "
           "own cells %.3f, together %.3f; the plan on the host %.1f; a copy %.3f; %s\n",
           1e-6 * (double)n, 1e3 * seconds[0], 1e3 * seconds[1], 1e-6 * (double)n_sides,
           1e3 * seconds[2], 1e3 * (seconds[0] + seconds[1] + seconds[2]), 1e3 * seconds[3],
           1e3 * copy, told(same, "the same arrays", "OTHER ARRAYS"));
    fflush(stdout);
done:
    asked_close(&of);
    free(places);
    free(block_of);
    free(offset);
    return status;
}

tess_status time_cells_of(tess_cut_kernels *k, int64_t n_cells, const char *tets) {
    tess_mesh *mesh = NULL;
    double *places = NULL;
    tess_status status = tets
                             ? tets_build(n_cells, tets, &mesh)
                             : edges_build((int32_t)llround(sqrt((double)n_cells)), &places, &mesh);
    if (status == TESS_OK)
        status = time_cells(k, mesh);
    free(places);
    tess_mesh_free(mesh);
    return status;
}
