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
        map = tess_mesh_find_map(mesh, "edges:cells") ? "edges:cells" : "faces:cells";
    TRY(tess_mesh_derive(mesh, map));
    TRY(tess_loop_of_map(map, asked->dat, &out->loop));
    return tess_loop_bind(out->loop, mesh, &out->bound);
}

/* An element of a block and where it is along a curve. */
typedef struct placed {
    uint64_t key;
    int32_t element;
} placed;

static void insert_along(placed *elements, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        const placed one = elements[i];
        int64_t at = i;
        for (; at > 0 && one.key < elements[at - 1].key; at--)
            elements[at] = elements[at - 1];
        elements[at] = one;
    }
}

/* Sorts stably, by merging, few by insertion; there is room for half of them. */
static void sort_along(placed *elements, int64_t n, placed *room) {
    const int64_t few = 16, half = n / 2;
    if (n <= few) {
        insert_along(elements, n);
        return;
    }
    sort_along(elements, half, room);
    sort_along(elements + half, n - half, room);
    memcpy(room, elements, (size_t)half * sizeof *room);
    for (int64_t i = 0, j = half, k = 0; i < half; k++) {
        const bool is_later = j < n && elements[j].key < room[i].key;
        elements[k] = is_later ? elements[j] : room[i];
        j += is_later;
        i += !is_later;
    }
}

/* What a thread orders a block with. */
typedef struct block_room {
    double *places;  /* [longest block][dimension] */
    uint64_t *key;   /* [longest block] */
    placed *element; /* [longest block], and half as many */
} block_room;

static void order_block(const tess_partition_problem *problem, const tess_hilbert_box *box,
                        int64_t n, int32_t *elements, const block_room *room) {
    tess_partition_problem_places(problem, elements, 0, n, room->places);
    tess_hilbert_keys_in(box, room->places, n, room->key);
    for (int64_t i = 0; i < n; i++)
        room->element[i] = (placed){room->key[i], elements[i]};
    sort_along(room->element, n, room->element + n);
    for (int64_t i = 0; i < n; i++)
        elements[i] = room->element[i].element;
}

/* Puts the elements of each block along a curve. */
static tess_status order_in_blocks(const tess_partition_problem *problem,
                                   const tess_hilbert_box *box, tess_rows *blocks) {
    tess_status status = TESS_OK;
    const int64_t longest = tess_rows_longest(blocks);
#pragma omp parallel
    {
        block_room room = {.places = NULL};
        tess_status own = TESS_ALLOC(longest * problem->dimension, &room.places);
        if (own == TESS_OK)
            own = TESS_ALLOC(longest, &room.key);
        if (own == TESS_OK)
            own = TESS_ALLOC(longest + longest / 2, &room.element);
#pragma omp for schedule(static)
        for (int64_t b = 0; b < blocks->n; b++)
            if (own == TESS_OK)
                order_block(problem, box, tess_rows_size(blocks, b),
                            blocks->item + blocks->offset[b], &room);
        free(room.places);
        free(room.key);
        free(room.element);
        if (own != TESS_OK) {
#pragma omp critical
            status = own;
        }
    }
    if (status != TESS_OK) /* whose words another thread has */
        FAIL(status, "out of memory for the order of elements in blocks");
    return TESS_OK;
}

/* The box around all elements. */
static tess_hilbert_box box_of(const tess_partition_problem *problem) {
    const int dimension = problem->dimension;
    double corners[2 * 3];
    if (problem->coordinates)
        return tess_hilbert_box_of(problem->coordinates, problem->n_elements, dimension);
    for (int d = 0; d < dimension; d++) {
        corners[d] = problem->centroids.low[d];
        corners[dimension + d] = problem->centroids.high[d];
    }
    return tess_hilbert_box_of(corners, 2, dimension);
}

/* Elements block by block, in each along a curve, or by their numbers where nothing is known of
 * where they are. */
static tess_status order_by_blocks(const tess_partition_problem *problem,
                                   const tess_partition *partition, int32_t **new_to_old) {
    tess_status status = TESS_OK;
    tess_rows *blocks = NULL;
    CHECK(
        tess_rows_build(partition->block_of, partition->n_elements, partition->n_blocks, &blocks));
    if (tess_partition_problem_is_placed(problem)) {
        const tess_hilbert_box box = box_of(problem);
        CHECK(order_in_blocks(problem, &box, blocks));
    }
    *new_to_old = TESS_TAKE(blocks->item);
done:
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
    CHECK((partitioner->places_elements ? tess_partition_problem_build_lean
                                        : tess_partition_problem_build)(
        out->bound, TESS_POINTS_INCREMENTS, asked->block_size, asked->seed, &problem));
    CHECK(tess_partitioner_run(partitioner, problem, spec, TESS_REPAIR_SPLIT, &seconds,
                               &out->partition));
    out->n_blocks = out->partition->n_blocks;
    CHECK(order_by_blocks(problem, out->partition, &order));
    if (!asked->wants_plan)
        tess_partition_free(TESS_TAKE(out->partition));
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
