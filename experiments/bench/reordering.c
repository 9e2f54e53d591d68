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

/* The place of each element along a curve, so that blocks have an order inside, too; that of its
 * number where nothing is known of where it is. */
static tess_status find_positions(const tess_partition_problem *problem, int32_t **position) {
    tess_status status = TESS_OK;
    int32_t *order = NULL;
    const int64_t n = problem->n_elements;
    CHECK(TESS_ALLOC(n, position));
    if (problem->coordinates)
        CHECK(tess_hilbert_order(problem->coordinates, n, problem->dimension, &order));
    for (int64_t i = 0; i < n; i++)
        (*position)[order ? order[i] : i] = (int32_t)i;
done:
    free(order);
    return status;
}

/* Elements by block, in each by their positions, and all other sets after them. */
static tess_status renumber_by_blocks(tess_reordering *out, const int32_t *position) {
    tess_status status = TESS_OK;
    uint64_t *keys = NULL;
    int32_t *order = NULL;
    const tess_partition *partition = out->partition;
    CHECK(TESS_ALLOC(partition->n_elements, &keys));
    for (int64_t e = 0; e < partition->n_elements; e++)
        keys[e] = (uint64_t)partition->block_of[e] << 32 | (uint32_t)position[e];
    CHECK(tess_key_order(keys, partition->n_elements, &order));
    free(TESS_TAKE(keys));
    CHECK(TESS_ZEROS(1, &out->renumbering));
    CHECK(tess_renumbering_add(out->bound->mesh, out->bound->set, TESS_TAKE(order),
                               out->renumbering));
    CHECK(tess_renumber_others(out->bound->mesh, false, out->renumbering));
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
    CHECK(find_positions(problem, &position));
    tess_partition_problem_free(TESS_TAKE(problem));
    CHECK(renumber_by_blocks(out, position));
done:
    free(position);
    tess_partition_problem_free(problem);
    return status;
}

/* Blocks of consecutive elements of the renumbering that is there. */
static tess_status chop(const tess_reordering_asked *asked, tess_reordering *out) {
    const tess_permutation *elements = tess_renumbering_of(out->renumbering, out->bound->set);
    return tess_partition_in_order(out->bound, elements ? elements->old_to_new : NULL,
                                   asked->block_size, &out->partition);
}

/* The plan of the blocks, with elements in the order that was found. */
static tess_status build_plan(tess_reordering *out) {
    const tess_permutation *elements = tess_renumbering_of(out->renumbering, out->bound->set);
    const tess_plan_options options = {.position = elements ? elements->old_to_new : NULL};
    return tess_plan_build(out->bound, out->partition, &options, &out->plan);
}

tess_status tess_reordering_make(const tess_reordering_asked *asked, tess_mesh *mesh,
                                 tess_reordering *out) {
    tess_status status = TESS_OK;
    tess_spec *spec = NULL;
    *out = (tess_reordering){.loop = NULL};
    CHECK(tess_spec_parse_one(asked->order, "partitioner", &spec));
    CHECK(bind_loop(asked, mesh, out));
    if (asked->given) {
        CHECK(tess_given_order_read(asked->given, mesh, &out->renumbering));
        CHECK(tess_renumbering_check(mesh, out->renumbering));
        CHECK(tess_renumber_others(mesh, false, out->renumbering));
        CHECK(chop(asked, out));
    } else if (tess_order_is_known(asked->order)) {
        CHECK(tess_order_renumber(mesh, asked->order, &out->renumbering));
        CHECK(chop(asked, out));
    } else {
        CHECK(cut(asked, spec, out));
    }
    if (asked->wants_plan)
        CHECK(build_plan(out));
done:
    tess_spec_list_free(spec, 1);
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
