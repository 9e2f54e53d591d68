/* A reordering: new numbers for all sets of a mesh, from blocks of a loop or from an order. */
#include "experiments/bench/reordering.h"

#include "core/base/array.h"
#include "core/base/rows.h"
#include "core/base/spec.h"
#include "core/base/unknown_name.h"
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
        map = tess_mesh_find_map(mesh, "edges:cells") ||
                      tess_mesh_derive(mesh, "faces:cells") != TESS_OK /* also surfaces in space */
                  ? "edges:cells"
                  : "faces:cells";
    TRY(tess_mesh_derive(mesh, map));
    TRY(tess_loop_of_map(map, asked->dat, &out->loop));
    return tess_loop_bind(out->loop, mesh, &out->bound);
}

static int compare_along(const void *a, const void *b, void *context) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    const uint64_t *key = context, key_x = key[x], key_y = key[y];
    return key_x != key_y ? (key_x > key_y) - (key_x < key_y) : (x > y) - (x < y);
}

/* Elements block by block, in each along a curve, or by their numbers where nothing is known of
 * where they are. */
static tess_status order_by_blocks(const tess_partition_problem *problem,
                                   const tess_partition *partition, int32_t **new_to_old) {
    tess_status status = TESS_OK;
    uint64_t *keys = NULL;
    tess_rows *blocks = NULL;
    CHECK(
        tess_rows_build(partition->block_of, partition->n_elements, partition->n_blocks, &blocks));
    if (problem->coordinates) {
        CHECK(TESS_ALLOC(problem->n_elements, &keys));
        tess_hilbert_keys(problem->coordinates, problem->n_elements, problem->dimension, keys);
#pragma omp parallel for schedule(static)
        for (int64_t b = 0; b < blocks->n; b++)
            qsort_r(blocks->item + blocks->offset[b], (size_t)tess_rows_size(blocks, b),
                    sizeof *blocks->item, compare_along, keys);
    }
    *new_to_old = TESS_TAKE(blocks->item);
done:
    free(keys);
    tess_rows_free(blocks);
    return status;
}

static tess_status find_partitioner(const char *name, const tess_partitioner **out) {
    const tess_status status = tess_partitioner_find(name, out);
    if (status != TESS_ERROR_USAGE)
        return status;
    const char *why = strdupa(tess_message());
    tess_unknown_name orders = tess_unknown_name_of(name);
    tess_unknown_name_add_all(&orders, tess_orders);
    FAIL(status, "%s; orders without blocks are %s", why, orders.known);
}

/* Blocks by a partitioner, and the order that follows. */
static tess_status cut(const tess_reordering_asked *asked, const tess_spec *spec,
                       tess_reordering *out) {
    tess_status status = TESS_OK;
    tess_partition_problem *problem = NULL;
    const tess_partitioner *partitioner = NULL;
    int32_t *order = NULL;
    double seconds = 0;
    CHECK(find_partitioner(spec->name, &partitioner));
    CHECK(tess_partition_problem_build(out->bound, TESS_POINTS_INCREMENTS, asked->block_size,
                                       asked->seed, &problem));
    CHECK(tess_partitioner_run(partitioner, problem, spec, TESS_REPAIR_SPLIT, &seconds,
                               &out->partition));
    CHECK(order_by_blocks(problem, out->partition, &order));
    tess_partition_problem_free(TESS_TAKE(problem));
    CHECK(TESS_ZEROS(1, &out->renumbering));
    CHECK(tess_renumbering_add(out->bound->mesh, out->bound->set, TESS_TAKE(order),
                               out->renumbering));
    CHECK(tess_renumber_others(out->bound->mesh, false, out->renumbering));
done:
    free(order);
    tess_partition_problem_free(problem);
    return status;
}

/* The plan of the blocks, of an order those of consecutive elements, with elements in the order
 * that was found. */
static tess_status build_plan(const tess_reordering_asked *asked, tess_reordering *out) {
    const tess_permutation *elements = tess_renumbering_of(out->renumbering, out->bound->set);
    const tess_plan_options options = {.position = elements ? elements->old_to_new : NULL};
    if (!out->partition)
        TRY(tess_partition_in_order(out->bound, options.position, asked->block_size,
                                    &out->partition));
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
    } else if (tess_order_is_known(asked->order)) {
        CHECK(tess_order_renumber(mesh, asked->order, &out->renumbering));
    } else {
        CHECK(cut(asked, spec, out));
    }
    if (asked->is_derived)
        CHECK(tess_renumber_as_derived(mesh, out->renumbering));
    if (asked->wants_plan)
        CHECK(build_plan(asked, out));
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
