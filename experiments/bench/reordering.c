/* A reordering: new numbers for all sets of a mesh, from blocks of a loop or from an order. */
#include "experiments/bench/reordering.h"

#include "core/base/array.h"
#include "core/base/key_order.h"
#include "core/base/spec.h"
#include "core/mesh/derive.h"
#include "core/plan/order/hilbert_curve.h"
#include "data/given_order.h"
#include "data/order_mesh.h"
#include "partitioners/partitioner.h"
#include <stdlib.h>
#include <string.h>

/* The loop of the map, on the mesh. */
static tess_status bind_loop(const tess_reordering_asked *asked, tess_mesh *mesh,
                             tess_reordering *out) {
    const char *map = asked->map;
    if (mesh->tied)
        FAIL(TESS_ERROR_INPUT,
             "%s: its file has %s, which would be lost under new numbers: 'tess mesh convert' "
             "writes a mesh without them, which can be renumbered",
             mesh->source, mesh->tied);
    if (!map && tess_mesh_derive(mesh, "cells:nodes") == TESS_OK)
        map = "cells:nodes";
    if (!map)
        map = mesh->dimension == 2 || tess_mesh_find_map(mesh, "edges:cells") ? "edges:cells"
                                                                              : "faces:cells";
    TRY(tess_mesh_derive(mesh, map));
    TRY(tess_loop_of_map(map, asked->dat, &out->loop));
    return tess_loop_bind(out->loop, mesh, &out->bound);
}

/* The place of each element along a curve, so that blocks have an order inside, too; NULL where
 * nothing is known of where they are. */
static tess_status find_places(const tess_partition_problem *problem, int32_t **position) {
    tess_status status = TESS_OK;
    uint64_t *keys = NULL;
    int32_t *order = NULL;
    const int64_t n = problem->n_elements;
    if (!problem->coordinates)
        return TESS_OK;
    CHECK(TESS_ALLOC(n, &keys));
    tess_hilbert_keys(problem->coordinates, n, problem->dimension, keys);
    CHECK(tess_key_order(keys, n, &order));
    CHECK(TESS_ALLOC(n, position));
    for (int64_t i = 0; i < n; i++)
        (*position)[order[i]] = (int32_t)i;
done:
    free(keys);
    free(order);
    return status;
}

/* Blocks by a partitioner, and the order that follows. */
static tess_status cut(const tess_reordering_asked *asked, const tess_spec *spec,
                       tess_reordering *out) {
    tess_status status = TESS_OK;
    tess_partition_problem *problem = NULL;
    const tess_partitioner *partitioner = NULL;
    int32_t *position = NULL;
    double seconds = 0;
    CHECK(tess_partitioner_find(spec->name, &partitioner));
    CHECK(tess_partition_problem_build(out->bound, TESS_POINTS_INCREMENTS, asked->block_size,
                                       asked->seed, &problem));
    CHECK(tess_partitioner_run(partitioner, problem, spec, TESS_REPAIR_SPLIT, &seconds,
                               &out->partition));
    CHECK(find_places(problem, &position));
    tess_partition_problem_free(TESS_TAKE(problem));
    CHECK(tess_plan_build(out->bound, out->partition, &(tess_plan_options){.position = position},
                          &out->plan));
    CHECK(tess_renumber(out->bound, out->plan, &out->renumbering));
done:
    free(position);
    tess_partition_problem_free(problem);
    return status;
}

/* Blocks of consecutive elements of the renumbering that is there. */
static tess_status chop(const tess_reordering_asked *asked, tess_reordering *out) {
    const tess_permutation *elements = tess_renumbering_of(out->renumbering, out->bound->set);
    const int32_t *position = elements ? elements->old_to_new : NULL;
    TRY(tess_partition_in_order(out->bound, position, asked->block_size, &out->partition));
    return tess_plan_build(out->bound, out->partition, &(tess_plan_options){.position = position},
                           &out->plan);
}

static bool is_order(const char *name) {
    for (int i = 0; tess_orders[i]; i++)
        if (strcmp(tess_orders[i], name) == 0)
            return true;
    return false;
}

tess_status tess_reordering_make(const tess_reordering_asked *asked, tess_mesh *mesh,
                                 tess_reordering *out) {
    tess_status status = TESS_OK;
    tess_spec *specs = NULL;
    int n = 0;
    *out = (tess_reordering){.loop = NULL};
    CHECK(tess_spec_list_parse(asked->order, &specs, &n));
    if (n != 1)
        CHECK(tess_fail(TESS_ERROR_USAGE, "one partitioner or order is asked for, not '%s'",
                        asked->order));
    CHECK(bind_loop(asked, mesh, out));
    if (asked->given) {
        CHECK(tess_given_order_read(asked->given, mesh, &out->renumbering));
        CHECK(tess_renumbering_check(mesh, out->renumbering));
        CHECK(tess_renumber_others(mesh, out->renumbering));
        CHECK(chop(asked, out));
    } else if (is_order(asked->order)) {
        CHECK(tess_order_renumber(mesh, asked->order, &out->renumbering));
        CHECK(chop(asked, out));
    } else {
        CHECK(cut(asked, &specs[0], out));
    }
done:
    tess_spec_list_free(specs, n);
    return status;
}

void tess_reordering_release(tess_reordering *reordering) {
    tess_renumbering_free(reordering->renumbering);
    tess_plan_free(reordering->plan);
    tess_partition_free(reordering->partition);
    tess_bound_loop_free(reordering->bound);
    tess_loop_free(reordering->loop);
    *reordering = (tess_reordering){.loop = NULL};
}
