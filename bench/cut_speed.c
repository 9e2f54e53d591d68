/* cut_speed: seconds in which hilbert and rcb cut a million elements or many, on the host and on a
 * device, beside a copy of the mesh there, in one run; blocks are compared, element for element.
 *
 * usage: cut_speed DEVICE MILLIONS...       cut_speed cuda 1 10 plan:50 tets:5
 *
 * Exits 1 where anything is not the host's.
 *
 * Elements lie as the cells of a square of quads, whose coordinates are tied in rows, and as those
 * of a cube of hexes cut into six tets each, jittered; they are numbered at random. A mesh is what
 * a loop over sides reads: the map from sides to cells and the coordinates of nodes. A copy reads
 * and writes it once. Blocks are of 256. Then the edges of such quads in the mesh's order are
 * planned, and they, cells and nodes renumbered, with maps, coordinates and a dat of four doubles
 * on cells; those of a corner, a hundredth, become others, and their blocks are planned again; and
 * twice as many elements, of which so many have become others, are cut again, here and there;
 * cut:MILLIONS are cut alone, plan:MILLIONS planned alone. Of cells:MILLIONS quads, tets:MILLIONS
 * tets, cells alone are cut, sides, cells and nodes renumbered by these, and sides planned in
 * blocks that own cells; shuffled:MILLIONS are such tets, numbered at random. The edges of
 * refined:MILLIONS quads are cut by rcb, whose blocks swap elements then. */
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/sort.h"
#include "core/mesh/derive.h"
#include "core/plan/order/hilbert_curve.h"
#include "core/plan/order/renumber.h"
#include "core/plan/order/renumber_mesh.h"
#include "core/plan/plan_update.h"
#include "core/plan/recut.h"
#include "data/mesh_open.h"
#include "data/permute_mesh.h"
#include "kernels/cut/device_plan.h"
#include "kernels/cut/device_recut.h"
#include "kernels/cut/device_swap.h"
#include "partitioners/chop.h"
#include "partitioners/rcb.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 256, REPEATS = 7, ROUNDS = 8 };

static int n_wrong; /* answers that are not the host's */

/* The words for what is the host's, or is not. */
static const char *told(bool same, const char *words, const char *otherwise) {
    n_wrong += !same;
    return same ? words : otherwise;
}

/* Of elements in other blocks than the host's. */
static long long told_differing(const int32_t *here, const int32_t *there, int64_t n) {
    long long n_differing = 0;
    for (int64_t e = 0; e < n; e++)
        n_differing += here[e] != there[e];
    n_wrong += n_differing > 0;
    return n_differing;
}

static uint64_t next_random(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

/* Puts the element at a place of the structured mesh there. */
static void fill_place(int dimension, int64_t side, int64_t at, double *x, uint64_t *seed) {
    static const double tets[6][3] = {{3, 2, 1}, {3, 1, 2}, {2, 3, 1},
                                      {1, 3, 2}, {2, 1, 3}, {1, 2, 3}};
    if (dimension == 2) {
        x[0] = ((double)(at % side) + 0.5) / (double)side;
        x[1] = ((double)(at / side) + 0.5) / (double)side;
        return;
    }
    const int64_t hex = at / 6, of[3] = {hex % side, hex / side % side, hex / side / side};
    for (int d = 0; d < 3; d++)
        x[d] = ((double)of[d] + tets[at % 6][d] / 4 + (double)next_random(seed) * 0x1p-34) /
               (double)side;
}

static tess_status places_build(int dimension, int64_t *n, double **out) {
    const double wanted = (double)*n;
    const int64_t side = dimension == 2 ? llround(sqrt(wanted)) : llround(cbrt(wanted / 6));
    uint64_t seed = 7;
    *n = dimension == 2 ? side * side : 6 * side * side * side;
    TRY(TESS_ALLOC(*n * dimension, out));
    double *x = *out;
    for (int64_t e = 0; e < *n; e++)
        fill_place(dimension, side, e, x + e * dimension, &seed);
    for (int64_t e = *n - 1; e > 0; e--) { /* Fisher and Yates */
        const int64_t other = (int64_t)(next_random(&seed) % (uint64_t)(e + 1));
        for (int d = 0; d < dimension; d++) {
            const double kept = x[e * dimension + d];
            x[e * dimension + d] = x[other * dimension + d];
            x[other * dimension + d] = kept;
        }
    }
    return TESS_OK;
}

static tess_cut by_rcb(int64_t n, int dimension, const double *places) {
    return (tess_cut){.rule = TESS_CUT_LONGEST,
                      .n = n,
                      .dimension = dimension,
                      .places = places,
                      .block_size = BLOCK_SIZE};
}

static tess_status cut_here(const tess_cut *what, int32_t *block_of) {
    if (what->rule == TESS_CUT_HILBERT) {
        uint64_t *keys = NULL;
        TRY(TESS_ALLOC(what->n, &keys));
        tess_hilbert_keys(what->places, what->n, what->dimension, keys);
        return tess_keys_chop(keys, what->n, what->block_size, block_of);
    }
    return tess_rcb_cut(what, block_of);
}

/* Seconds in which the device reads and writes the mesh once; 0 where it copies nothing. */
static tess_status copy_mesh(const tess_cut_kernels *k, int64_t bytes, double *seconds) {
    tess_address from = 0, to = 0;
    *seconds = 0;
    if (!k->device->copy)
        return TESS_OK;
    TRY(k->device->alloc(k->target, "a mesh", bytes, &from));
    TRY(k->device->alloc(k->target, "a copy", bytes, &to));
    for (int i = 0; i < REPEATS; i++) {
        double taken = 0;
        TRY(k->device->timer_start(k->target));
        TRY(k->device->copy(k->target, to, from, bytes));
        TRY(k->device->timer_stop(k->target, &taken));
        *seconds = i == 0 || taken < *seconds ? taken : *seconds;
    }
    k->device->free(k->target, from);
    k->device->free(k->target, to);
    return TESS_OK;
}

static tess_status time_rule(tess_cut_kernels *k, const tess_cut *what, double copy) {
    tess_status status = TESS_OK;
    int32_t *here = NULL, *there = NULL;
    double device[REPEATS], wall[REPEATS];
    CHECK(TESS_ALLOC(what->n, &here));
    CHECK(TESS_ALLOC(what->n, &there));
    double clock = tess_clock_seconds();
    CHECK(cut_here(what, here));
    const double host = tess_clock_lap(&clock);
    for (int i = 0; i < REPEATS; i++) {
        CHECK(tess_device_cut_refined(k, what, there, &device[i]));
        wall[i] = tess_clock_lap(&clock);
    }
    tess_sort_reals(device, REPEATS);
    tess_sort_reals(wall, REPEATS);
    printf("| %#.3gM %s | %s | %.2f | %.1f | %.0f | %.3f | %.0f |\n", (double)what->n / 1e6,
           what->dimension == 2 ? "quads" : "tets",
           what->rule == TESS_CUT_HILBERT ? "hilbert" : "rcb", 1e3 * device[REPEATS / 2],
           1e3 * wall[REPEATS / 2], 1e3 * host, 1e3 * copy,
           copy > 0 ? device[REPEATS / 2] / copy : 0);
    const long long n_differing = told_differing(here, there, what->n);
    if (n_differing > 0)
        printf("%lld elements differ\n", n_differing);
    fflush(stdout);
done:
    free(here);
    free(there);
    return status;
}

static tess_status time_size(tess_cut_kernels *k, int dimension, int64_t n) {
    double *places = NULL, copy = 0;
    TRY(places_build(dimension, &n, &places));
    tess_status status = copy_mesh(k, dimension == 2 ? n * (16 + 16) : n * (16 + 4), &copy);
    for (int rule = TESS_CUT_HILBERT; rule <= TESS_CUT_LONGEST && status == TESS_OK; rule++) {
        const tess_cut what = {.rule = (tess_cut_rule)rule,
                               .n = n,
                               .dimension = dimension,
                               .places = places,
                               .block_size = BLOCK_SIZE};
        status = time_rule(k, &what, copy);
    }
    free(places);
    return status;
}

/* A dat of four doubles on cells. */
static tess_status add_state(tess_mesh *mesh) {
    const int64_t n = 4 * tess_mesh_set_size(mesh, "cells");
    double *state = NULL;
    TRY(TESS_ALLOC(n, &state));
    for (int64_t i = 0; i < n; i++)
        state[i] = (double)i;
    return tess_mesh_add_dat(mesh, "state", "cells", 4, TESS_DOUBLE, state);
}

/* Adds the nodes of nx by nx cells. */
static tess_status add_nodes(int32_t nx, tess_mesh *mesh) {
    const int64_t n_cells = (int64_t)nx * nx, n_nodes = (int64_t)(nx + 1) * (nx + 1);
    int32_t *index = NULL;
    TRY(tess_mesh_add_set(mesh, "nodes", n_nodes, NULL));
    TRY(TESS_ALLOC(2 * n_nodes, &mesh->coordinates));
    for (int64_t i = 0; i < 2 * n_nodes; i++)
        mesh->coordinates[i] = (double)(i % 2 ? i / 2 / (nx + 1) : i / 2 % (nx + 1));
    TRY(TESS_ALLOC(4 * n_cells, &index));
    for (int64_t c = 0; c < n_cells; c++) {
        const int32_t corner = (int32_t)(c / nx * (nx + 1) + c % nx);
        const int32_t around[] = {corner, corner + 1, corner + nx + 2, corner + nx + 1};
        memcpy(index + 4 * c, around, sizeof around);
    }
    TRY(tess_mesh_add_map(mesh, "cells", "nodes", 4, 0, index));
    return add_state(mesh);
}

/* The edges between nx by nx cells, whose places become those of the edges. */
static tess_status edges_build(int32_t nx, double **places, tess_mesh **out) {
    const int64_t n_cells = (int64_t)nx * nx, n = 2 * (n_cells - nx);
    tess_mesh *mesh = NULL;
    int32_t *index = NULL;
    TRY(tess_mesh_new("quads", 2, &mesh));
    *out = mesh;
    TRY(tess_mesh_add_set(mesh, "cells", n_cells, NULL));
    TRY(tess_mesh_add_set(mesh, "edges", n, NULL));
    TRY(TESS_ALLOC(2 * n, &index));
    TRY(TESS_ALLOC(2 * n, places));
    for (int64_t c = 0, at = 0; c < n_cells; c++)
        for (int up = 0; up < 2; up++) {
            if (up ? c + nx >= n_cells : (c + 1) % nx == 0)
                continue;
            index[2 * at] = (int32_t)c;
            index[2 * at + 1] = (int32_t)(c + (up ? nx : 1));
            (*places)[2 * at] = (double)(c % nx) + (up ? 0 : 0.5);
            (*places)[2 * at++ + 1] = (double)(c / nx) + (up ? 0.5 : 0);
        }
    TRY(tess_mesh_add_map(mesh, "edges", "cells", 2, 0, index));
    return add_nodes(nx, mesh);
}

/* A mesh like it of a cube of tets, with their faces. */
static tess_status tets_build(int64_t n_cells, const char *numbered, tess_mesh **out) {
    static const char *const names[] = {"cells", "faces", "nodes"};
    static const char *const maps[] = {"faces:cells", "cells:nodes"};
    tess_status status = TESS_OK;
    tess_mesh *from = NULL, *mesh = NULL;
    char text[96];
    const long long nx = llround(cbrt((double)n_cells / 6));
    snprintf(text, sizeof text, "tets:nx=%lld:ny=%lld:nz=%lld%s", nx, nx, nx, numbered);
    TRY(tess_mesh_open(text, &from));
    CHECK(tess_mesh_derive(from, maps[0]));
    CHECK(tess_mesh_new("tets", 3, &mesh));
    *out = mesh;
    for (int i = 0; i < 3; i++)
        CHECK(tess_mesh_add_set(mesh, names[i], tess_mesh_set_size(from, names[i]), NULL));
    CHECK(TESS_COPY(3 * mesh->sets[2].size, from->coordinates, &mesh->coordinates));
    for (int i = 0; i < 2; i++) {
        int32_t *index = NULL;
        const tess_map *map = tess_mesh_find_map(from, maps[i]);
        CHECK(TESS_COPY(from->sets[map->from].size * map->arity, map->index, &index));
        CHECK(tess_mesh_add_map(mesh, names[1 - i], names[2 * i], map->arity, 0, index));
    }
    CHECK(add_state(mesh));
done:
    tess_mesh_free(from);
    return status;
}

/* Blocks of a square of cells' edges, cut by rcb on the device. */
typedef struct cut_edges {
    tess_mesh *mesh;
    tess_loop *loop;
    tess_bound_loop *bound;
    double *places;
    tess_partition partition;
    double seconds; /* of the device */
} cut_edges;

static tess_status cut_edges_open(tess_cut_kernels *k, int64_t n_cells, cut_edges *of) {
    TRY(edges_build((int32_t)llround(sqrt((double)n_cells)), &of->places, &of->mesh));
    TRY(tess_loop_of_map("edges:cells", "q:cells:4:double", &of->loop));
    of->loop->args[0].access = of->loop->args[of->loop->n_args - 1].access = TESS_READ;
    TRY(tess_loop_bind(of->loop, of->mesh, &of->bound));
    const int64_t n = of->bound->n_elements;
    of->partition = (tess_partition){.n_elements = n,
                                     .block_size = BLOCK_SIZE,
                                     .n_blocks = (int32_t)((n + BLOCK_SIZE - 1) / BLOCK_SIZE)};
    TRY(TESS_ALLOC(n, &of->partition.block_of));
    const tess_cut what = by_rcb(n, 2, of->places);
    return tess_device_cut_refined(k, &what, of->partition.block_of, &of->seconds);
}

static void cut_edges_close(cut_edges *of) {
    free(of->partition.block_of);
    free(of->places);
    tess_bound_loop_free(of->bound);
    tess_loop_free(of->loop);
    tess_mesh_free(of->mesh);
}

/* A plan there, the least seconds of it, and whether it is the host's. */
static tess_status time_planning(tess_cut_kernels *k, const tess_device_change *change,
                                 const tess_device_plan *here, double *least, bool *same) {
    tess_status status = TESS_OK;
    tess_device_plan there = *here;
    tess_device_points set = here->sets[0];
    const int64_t n = tess_device_plan_room(here), n_references = n * set.n_slots,
                  n_offsets = here->n_blocks + 1;
    const size_t size = sizeof(int32_t);
    there.sets = &set;
    set.points = there.executed = there.block_offset = set.point_offset = NULL;
    set.local_index = NULL;
    CHECK(TESS_ALLOC(n, &there.executed));
    CHECK(TESS_ALLOC(n_offsets, &there.block_offset));
    CHECK(TESS_ALLOC(n_offsets, &set.point_offset));
    CHECK(TESS_ALLOC(n_references, &set.points));
    CHECK(TESS_ALLOC(n_references, &set.local_index));
    for (int i = 0; i < REPEATS; i++) {
        double seconds = 0;
        CHECK(tess_device_plan_here(k, change, &there, &seconds));
        *least = i == 0 || seconds < *least ? seconds : *least;
    }
    const int64_t n_points = here->sets[0].point_offset[here->n_blocks];
    *same = memcmp(there.executed, here->executed, (size_t)n * size) == 0 &&
            memcmp(there.block_offset, here->block_offset, (size_t)n_offsets * size) == 0 &&
            memcmp(set.point_offset, here->sets[0].point_offset, (size_t)n_offsets * size) == 0 &&
            memcmp(set.points, here->sets[0].points, (size_t)n_points * size) == 0 &&
            memcmp(set.local_index, here->sets[0].local_index, (size_t)n_references * 2) == 0;
done:
    free(there.executed);
    free(there.block_offset);
    free(set.point_offset);
    free(set.points);
    free(set.local_index);
    return status;
}

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

/* Renumbers the mesh here, when a plan of it is made no more. */
static tess_status time_renumbering(tess_cut_kernels *k, cut_edges *of, const tess_plan *plan,
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

/* The middles of cells of four nodes. */
static tess_status middles_build(const tess_mesh *mesh, double **out) {
    const int32_t *nodes = mesh->maps[1].index;
    const int64_t n = mesh->sets[0].size;
    const int dimension = mesh->dimension;
    TRY(TESS_ZEROS(n * dimension, out));
    for (int64_t i = 0; i < 4 * n; i++)
        for (int d = 0; d < dimension; d++)
            (*out)[i / 4 * dimension + d] +=
                mesh->coordinates[nodes[i] * (int64_t)dimension + d] / 4;
    return TESS_OK;
}

/* Cells are cut, all sets renumbered by their blocks, and sides planned in these. */
static tess_status time_cells(tess_cut_kernels *k, const tess_mesh *mesh) {
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

/* The cells alone of quads, or of tets that are numbered so. */
static tess_status time_cells_of(tess_cut_kernels *k, int64_t n_cells, const char *tets) {
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

/* Whether each element has the least colour that none before it has at one of its points. */
static bool are_first_fit(const tess_plan *plan, const uint16_t *colour) {
    const tess_plan_set *set = &plan->sets[0];
    bool all = true;
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        uint64_t taken[2 * BLOCK_SIZE] = {0}; /* of the ends of edges */
        for (int64_t i = plan->block_offset[b]; i < plan->block_offset[b + 1]; i++) {
            const uint16_t *own = set->local_index + i * set->n_slots;
            uint64_t used = 0;
            for (int s = 0; s < set->n_slots; s++)
                used |= taken[own[s]];
            all = all && colour[i] == __builtin_ctzll(~used);
            for (int s = 0; s < set->n_slots; s++)
                taken[own[s]] |= UINT64_C(1) << colour[i] % 64;
        }
    }
    return all;
}

/* Gives blocks the least colour that none before has at one of their points. */
static tess_status colour_blocks(const tess_plan *plan, int64_t n_points, int32_t *colour) {
    const tess_plan_set *set = &plan->sets[0];
    uint64_t *taken = NULL;
    TRY(TESS_ZEROS(n_points, &taken));
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        uint64_t used = 0;
        for (int64_t i = set->point_offset[b]; i < set->point_offset[b + 1]; i++)
            used |= taken[set->points[i]];
        colour[b] = __builtin_ctzll(~used);
        for (int64_t i = set->point_offset[b]; i < set->point_offset[b + 1]; i++)
            taken[set->points[i]] |= UINT64_C(1) << colour[b];
    }
    free(taken);
    return TESS_OK;
}

/* Blocks have colours, too, where they are planned in `seconds`. */
static tess_status time_block_colours(tess_cut_kernels *k, const tess_plan *plan,
                                      tess_device_plan *here, double seconds) {
    tess_status status = TESS_OK;
    int32_t *colours = NULL, *by_host = NULL;
    double with_colours = 0;
    bool same = false;
    CHECK(TESS_ALLOC(here->n_blocks, &colours));
    CHECK(TESS_ALLOC(here->n_blocks, &by_host));
    double clock = tess_clock_seconds();
    CHECK(colour_blocks(plan, here->sets[0].n_points, by_host));
    const double host = tess_clock_lap(&clock);
    here->sets[0].block_colour = colours;
    CHECK(time_planning(k, NULL, here, &with_colours, &same));
    same = same && memcmp(colours, by_host, (size_t)here->n_blocks * sizeof *colours) == 0;
    printf("colours of %d blocks: %.3f ms there, %.1f on the host; %s\n", here->n_blocks,
           1e3 * (with_colours - seconds), 1e3 * host, told(same, "the same", "OTHERS"));
done:
    here->sets[0].block_colour = NULL;
    free(colours);
    free(by_host);
    return status;
}

/* Elements have colours, too, where they are planned. */
static tess_status time_colours(tess_cut_kernels *k, const tess_plan *plan,
                                tess_device_plan *here) {
    tess_status status = TESS_OK;
    uint16_t *colours = NULL;
    double seconds = 0;
    bool same = false;
    CHECK(TESS_ALLOC(here->n, &colours));
    here->sets[0].thread_colour = colours;
    CHECK(time_planning(k, NULL, here, &seconds, &same));
    printf("with colours of elements: planned there %.3f ms; %s\n", 1e3 * seconds,
           told(same && are_first_fit(plan, colours), "those of the host", "OTHERS"));
done:
    here->sets[0].thread_colour = NULL;
    free(colours);
    return status;
}

/* Planned again, with their points by the blocks that have them, or own them, beside the host's
 * order of points and elements. */
static tess_status time_point_order(tess_cut_kernels *k, const cut_edges *of, const tess_plan *plan,
                                    tess_device_plan *here, bool by_owner) {
    tess_status status = TESS_OK;
    tess_renumbering *host = NULL;
    int32_t *order = NULL, *none = NULL;
    double least = 0;
    const int64_t n_points = here->sets[0].n_points;
    CHECK(TESS_ALLOC(n_points, &order));
    for (int i = 0; i < REPEATS && order; i++) {
        double seconds = 0;
        CHECK(tess_device_plan_ordered(
            k, here, &(tess_device_orders){NULL, by_owner, -1, &order, &none}, &seconds));
        least = i == 0 || seconds < least ? seconds : least;
    }
    double clock = tess_clock_seconds();
    CHECK(tess_renumber_build(of->bound, plan,
                              by_owner ? TESS_RENUMBER_OWNER : TESS_RENUMBER_BLOCKS, false, &host));
    const double taken = tess_clock_lap(&clock);
    const bool same =
        order && memcmp(order, host->sets[0].new_to_old, (size_t)n_points * sizeof *order) == 0;
    printf("with points by their %s: planned there %.3f ms, these and elements on the host "
           "%.1f; %s\n",
           by_owner ? "owners" : "blocks", 1e3 * least, 1e3 * taken,
           told(same, "the same order", "ANOTHER ORDER"));
done:
    free(order);
    tess_renumbering_free(host);
    return status;
}

/* Order, points and local indices of the edges of a square of cells, in rcb's blocks. */
static tess_status time_plan(tess_cut_kernels *k, int64_t n_cells) {
    tess_status status = TESS_OK;
    cut_edges of = {.mesh = NULL};
    tess_plan *plan = NULL;
    tess_device_plan here = {.sets = NULL};
    double seconds = 0, copy = 0;
    bool same = false;
    CHECK(cut_edges_open(k, n_cells, &of));
    const int64_t n = of.bound->n_elements;
    CHECK(copy_mesh(k, n * (16 + 16), &copy));
    double clock = tess_clock_seconds();
    CHECK(tess_plan_build(of.bound, &of.partition, NULL, &plan));
    const double host = tess_clock_lap(&clock);
    CHECK(tess_device_plan_open(of.bound, of.partition.block_of, plan, &here));
    CHECK(time_planning(k, NULL, &here, &seconds, &same));
    printf("plan of %.2fM edges: cut on the device %.3f ms, planned there %.3f, on the host %.1f; "
           "a copy %.3f; %s\n",
           1e-6 * (double)n, 1e3 * of.seconds, 1e3 * seconds, 1e3 * host, 1e3 * copy,
           told(same, "the same arrays", "OTHER ARRAYS"));
    CHECK(time_colours(k, plan, &here));
    CHECK(time_point_order(k, &of, plan, &here, false));
    CHECK(time_point_order(k, &of, plan, &here, true));
    here.sets[0].n_points = of.mesh->sets[of.bound->targets[0].set].size;
    CHECK(time_block_colours(k, plan, &here, seconds));
    CHECK(time_cells(k, of.mesh));
    CHECK(time_renumbering(k, &of, plan, &here));
done:
    tess_device_plan_close(&here);
    tess_plan_free(plan);
    cut_edges_close(&of);
    return status;
}

/* Edges in a corner of the square, a share of all, become others, without a number before. */
static tess_status change_corner(const double *places, int64_t n, int64_t n_cells, double share,
                                 int32_t **was) {
    const double corner = sqrt(share) * sqrt((double)n_cells);
    TRY(TESS_ALLOC(n, was));
    for (int64_t e = 0; e < n; e++)
        (*was)[e] = fmax(places[2 * e], places[2 * e + 1]) < corner ? -1 : (int32_t)e;
    return TESS_OK;
}

/* Their plan: as it was, then where blocks that changed are planned anew, here and there. */
static tess_status time_replan(tess_cut_kernels *k, int64_t n_cells, double share) {
    tess_status status = TESS_OK;
    cut_edges of = {.mesh = NULL};
    tess_plan *before = NULL, *updated = NULL;
    tess_device_plan was_there = {.sets = NULL}, here = {.sets = NULL};
    tess_partition now = {.block_size = BLOCK_SIZE};
    int32_t *was = NULL;
    double seconds = 0, all = 0;
    bool same = false, same_anew = false;
    CHECK(cut_edges_open(k, n_cells, &of));
    const int64_t n = of.bound->n_elements;
    CHECK(change_corner(of.places, n, n_cells, share, &was));
    now.n_elements = n;
    CHECK(TESS_ALLOC(n, &now.block_of));
    const tess_cut what = by_rcb(n, 2, of.places);
    const tess_device_blocks blocks = {n, of.partition.n_blocks, of.partition.block_of, was};
    CHECK(tess_device_recut(k, &what, &blocks, now.block_of, &now.n_blocks, &seconds));
    CHECK(tess_plan_build(of.bound, &of.partition, NULL, &before));
    double clock = tess_clock_seconds();
    CHECK(tess_plan_update(of.bound, &now, before, was, NULL, &updated));
    const double host = tess_clock_lap(&clock);
    CHECK(tess_device_plan_open(of.bound, of.partition.block_of, before, &was_there));
    CHECK(tess_device_plan_open(of.bound, now.block_of, updated, &here));
    CHECK(time_planning(k, &(tess_device_change){&was_there, was}, &here, &seconds, &same));
    CHECK(time_planning(k, NULL, &here, &all, &same_anew));
    printf("plan of %.2fM edges, %d of %d blocks kept: updated on the device in %.3f ms, all "
           "planned there %.3f, updated on the host %.1f; %s, anew %s\n",
           1e-6 * (double)n, updated->n_kept, updated->n_blocks, 1e3 * seconds, 1e3 * all,
           1e3 * host, told(same, "the same arrays", "OTHER ARRAYS"),
           told(same_anew, "the same", "OTHERS"));
done:
    tess_device_plan_close(&was_there);
    tess_device_plan_close(&here);
    tess_plan_free(before);
    tess_plan_free(updated);
    free(now.block_of);
    free(was);
    cut_edges_close(&of);
    return status;
}

/* What the host joins where elements that `was` says are cut anew. */
static tess_status recut_here(const tess_cut *what, const tess_partition *before,
                              const int32_t *was, tess_partition **out) {
    tess_status status = TESS_OK;
    tess_recut recut;
    double *places = NULL;
    tess_partition cut = {.block_size = BLOCK_SIZE};
    CHECK(tess_recut_open(before, was, what->n, &recut));
    CHECK(TESS_ALLOC(recut.n * what->dimension, &places));
    CHECK(TESS_ALLOC(recut.n, &cut.block_of));
    for (int64_t i = 0; i < recut.n; i++)
        memcpy(places + i * what->dimension,
               what->places + (int64_t)recut.elements[i] * what->dimension,
               (size_t)what->dimension * sizeof *places);
    cut.n_elements = recut.n;
    cut.n_blocks = (int32_t)((recut.n + BLOCK_SIZE - 1) / BLOCK_SIZE);
    const tess_cut part = by_rcb(recut.n, what->dimension, places);
    CHECK(cut_here(&part, cut.block_of));
    CHECK(tess_recut_join(&recut, &cut, out));
done:
    tess_recut_close(&recut);
    free(places);
    free(cut.block_of);
    return status;
}

/* Elements in a corner of a square, a share of all, have become others: cut anew, here and there.
 */
static tess_status time_recut(tess_cut_kernels *k, int64_t n, double share) {
    tess_status status = TESS_OK;
    double *places = NULL, seconds = 0, least = 0;
    int32_t *was = NULL, *there = NULL, n_blocks = 0;
    int64_t n_changed = 0;
    tess_partition before = {.block_size = BLOCK_SIZE}, *here = NULL;
    CHECK(places_build(2, &n, &places));
    CHECK(TESS_ALLOC(n, &was));
    CHECK(TESS_ALLOC(n, &there));
    CHECK(TESS_ALLOC(n, &before.block_of));
    const tess_cut what = by_rcb(n, 2, places);
    before.n_elements = n;
    before.n_blocks = (int32_t)((n + BLOCK_SIZE - 1) / BLOCK_SIZE);
    CHECK(tess_device_cut_refined(k, &what, before.block_of, &seconds));
    for (int64_t e = 0; e < n; e++) {
        const bool changed = fmax(places[2 * e], places[2 * e + 1]) < sqrt(share);
        was[e] = changed ? -1 : (int32_t)e;
        n_changed += changed;
    }
    const tess_device_blocks blocks = {n, before.n_blocks, before.block_of, was};
    for (int i = 0; i < REPEATS; i++) {
        CHECK(tess_device_recut(k, &what, &blocks, there, &n_blocks, &seconds));
        least = i == 0 || seconds < least ? seconds : least;
    }
    double clock = tess_clock_seconds();
    CHECK(recut_here(&what, &before, was, &here));
    const double host = tess_clock_lap(&clock);
    printf("recut of %.2fM elements, %.2fM others: on the device %.3f ms, on the host %.1f; "
           "%d blocks, the host's %d, %lld elements differ\n",
           1e-6 * (double)n, 1e-6 * (double)n_changed, 1e3 * least, 1e3 * host, n_blocks,
           here->n_blocks, told_differing(here->block_of, there, n));
done:
    free(places);
    free(was);
    free(there);
    free(before.block_of);
    tess_partition_free(here);
    return status;
}

/* Edges of quads by rcb, whose blocks swap elements then. */
static tess_status time_refined(tess_cut_kernels *k, int64_t n_cells) {
    tess_status status = TESS_OK;
    tess_mesh *mesh = NULL;
    double *places = NULL, cut[REPEATS], all[REPEATS];
    int32_t *here = NULL, *there = NULL;
    CHECK(edges_build((int32_t)llround(sqrt((double)n_cells)), &places, &mesh));
    const int64_t n = mesh->sets[1].size;
    const tess_cut once = by_rcb(n, 2, places);
    tess_cut what = once;
    what.n_rounds = ROUNDS;
    what.n_slots = 2;
    what.map = mesh->maps[0].index;
    CHECK(TESS_ALLOC(n, &here));
    CHECK(TESS_ALLOC(n, &there));
    for (int i = 0; i < REPEATS; i++) {
        CHECK(tess_device_cut_refined(k, &once, there, &cut[i]));
        CHECK(tess_device_cut_refined(k, &what, there, &all[i]));
    }
    double clock = tess_clock_seconds();
    CHECK(tess_swap_cut(&what, here));
    const double host = tess_clock_lap(&clock);
    tess_sort_reals(cut, REPEATS);
    tess_sort_reals(all, REPEATS);
    printf("%.2fM edges by rcb and %d rounds of swaps: on the device %.3f ms, rcb alone %.3f, "
           "on the host %.1f; %lld elements differ\n",
           1e-6 * (double)n, ROUNDS, 1e3 * all[REPEATS / 2], 1e3 * cut[REPEATS / 2], 1e3 * host,
           told_differing(here, there, n));
done:
    free(places);
    free(here);
    free(there);
    tess_mesh_free(mesh);
    return status;
}

static bool is_of(const char *size, const char *what) {
    return strncmp(size, what, strlen(what)) == 0;
}

static int64_t size_of(const char *size) {
    const char *colon = strchr(size, ':');
    return llround(1e6 * atof(colon ? colon + 1 : size));
}

/* Whether hilbert and rcb are timed. */
static bool is_cut(const char *size) {
    return !strchr(size, ':') || is_of(size, "cut:");
}

/* What follows their cut. */
static tess_status time_word(tess_cut_kernels *k, const char *word) {
    const int64_t n = size_of(word);
    if (is_of(word, "cut:"))
        return TESS_OK;
    if (is_of(word, "refined:"))
        return time_refined(k, n);
    if (is_of(word, "cells:"))
        return time_cells_of(k, n, NULL);
    if (is_of(word, "tets:") || is_of(word, "shuffled:"))
        return time_cells_of(k, n, is_of(word, "tets:") ? "" : ":shuffle=1");
    TRY(time_plan(k, n));
    return time_replan(k, n, 0.01);
}

static tess_status run(int n_sizes, char **sizes, const char *name) {
    const tess_device *device = NULL;
    tess_target *target = NULL;
    tess_cut_kernels kernels = {.module = NULL};
    char *page = NULL;
    tess_status status = TESS_OK;
    CHECK(tess_device_open(name, &device, &target));
    CHECK(tess_cut_page(TESS_CUT_ALL, &page));
    double clock = tess_clock_seconds();
    CHECK(tess_cut_kernels_open(device, target, page, &kernels));
    printf("%s, compiled in %.1f s; %d repeats\n\n", device->model ? device->model(target) : name,
           tess_clock_lap(&clock), REPEATS);
    printf("| elements | cut by | device ms | with travel ms | host ms | a copy ms | copies |\n"
           "| --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < n_sizes; i++)
        for (int dimension = 2; dimension <= 3 && is_cut(sizes[i]); dimension++)
            CHECK(time_size(&kernels, dimension, size_of(sizes[i])));
    printf("\n");
    for (int i = 0; i < n_sizes; i++)
        CHECK(time_word(&kernels, sizes[i]));
    for (int i = 0; i < n_sizes; i++)
        if (!strchr(sizes[i], ':'))
            CHECK(time_recut(&kernels, 2 * size_of(sizes[i]), 0.01));
done:
    tess_cut_kernels_close(&kernels);
    if (target)
        device->close(target);
    free(page);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fputs("usage: cut_speed DEVICE MILLIONS...\n", stderr);
        return 2;
    }
    if (run(argc - 2, argv + 2, argv[1]) == TESS_OK)
        return n_wrong > 0;
    fprintf(stderr, "cut_speed: %s\n", tess_message());
    return 1;
}
