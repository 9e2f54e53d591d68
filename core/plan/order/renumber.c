/* A renumbering: a new order of the elements of some sets, for locality in memory. */
#include "core/plan/order/renumber.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/mesh/pairs.h"
#include "core/plan/colour/loop_colour.h"
#include "core/plan/graph.h"
#include "core/plan/order/element_order.h"
#include "core/plan/order/graph_order.h"
#include "core/plan/plan.h"
#include "core/plan/shared_points.h"
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {TESS_RENUMBER_NAMES, NULL};

const char *tess_renumber_name(tess_renumber_method method) {
    return names[method];
}

tess_status tess_renumber_parse(const char *name, tess_renumber_method *method) {
    for (tess_renumber_method m = TESS_RENUMBER_NONE; names[m]; m++) {
        if (strcmp(name, names[m]) == 0) {
            *method = m;
            return TESS_OK;
        }
    }
    FAIL(TESS_ERROR_USAGE,
         "unknown renumbering '%s': known are none, gps, rcm, blocks, owner, colours, executed",
         name);
}

bool tess_renumber_needs_plan(tess_renumber_method method) {
    return method == TESS_RENUMBER_BLOCKS || method == TESS_RENUMBER_OWNER ||
           method == TESS_RENUMBER_EXECUTED;
}

/* Orders: each gives new_to_old, which the caller frees. What is reached by nothing comes last;
 * ties keep the mesh's order. All take time linear in the loop's maps, but for points by blocks,
 * where those with many blocks are compared. */

/* Gives the ids [n], of the order `from` (NULL: ascending), sorted by key[id] in [0, n_keys),
 * stably. */
static tess_status order_by_key(int64_t n, const int32_t *from, const int32_t *key, int64_t n_keys,
                                int32_t **out) {
    tess_rows *rows = NULL;
    TRY(tess_rows_build_of(from, key, n, n_keys, &rows));
    *out = TESS_TAKE(rows->item);
    tess_rows_free(rows);
    return TESS_OK;
}

/* By number of blocks (none last), then lexicographically by blocks, then by id. */
static int compare_by_blocks(const void *a, const void *b, void *context) {
    const tess_rows *blocks = context;
    const int32_t p = *(const int32_t *)a, q = *(const int32_t *)b;
    const int64_t n = blocks->offset[p + 1] - blocks->offset[p];
    const int64_t m = blocks->offset[q + 1] - blocks->offset[q];
    if (n != m)
        return n == 0 || (m != 0 && n > m) ? 1 : -1;
    for (int64_t i = 0; i < n; i++) {
        const int32_t c = blocks->item[blocks->offset[p] + i];
        const int32_t d = blocks->item[blocks->offset[q] + i];
        if (c != d)
            return c < d ? -1 : 1;
    }
    return p < q ? -1 : p > q;
}

static bool share_first_block(const tess_rows *blocks, int32_t p, int32_t q) {
    return tess_rows_size(blocks, p) == tess_rows_size(blocks, q) &&
           (tess_rows_size(blocks, p) == 0 ||
            blocks->item[blocks->offset[p]] == blocks->item[blocks->offset[q]]);
}

/* Gives the rows of blocks, all of some, in the order of how many these are, then of the blocks,
 * lexicographically: by counting for the number and the first, by comparing for the others. */
static tess_status sort_by_blocks(const tess_rows *blocks, int32_t n_blocks, int32_t **out) {
    tess_status status = TESS_OK;
    int32_t *key = NULL, *by_first = NULL;
    const int64_t n = blocks->n, longest = tess_rows_longest(blocks);
    CHECK(TESS_ALLOC(n, &key));
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        key[i] = blocks->item[blocks->offset[i]];
    CHECK(order_by_key(n, NULL, key, n_blocks, &by_first));
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        key[i] = (int32_t)tess_rows_size(blocks, i);
    CHECK(order_by_key(n, by_first, key, longest + 1, out));
    int32_t *const order = *out;
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        by_first[i] = order[i]; /* runs of one number and first block are found in what stays */
#pragma omp parallel for schedule(dynamic, 4096)
    for (int64_t i = 0; i < n; i++) {
        int64_t end = i + 1;
        if (i > 0 && share_first_block(blocks, by_first[i - 1], by_first[i]))
            continue;
        while (end < n && share_first_block(blocks, by_first[i], by_first[end]))
            end++;
        qsort_r(order + i, (size_t)(end - i), sizeof *order, compare_by_blocks, (void *)blocks);
    }
done:
    free(key);
    free(by_first);
    return status;
}

/* Puts the points that one block has, block by block; those of each ascend. */
static tess_status list_single_points(const tess_incidence *points, int64_t n_blocks,
                                      const int32_t *row_of, int32_t *order) {
    int64_t *first = NULL; /* [n_blocks + 1] */
    TRY(TESS_ZEROS(n_blocks + 1, &first));
    for (int puts = 0; puts < 2; puts++) {
#pragma omp parallel for schedule(static)
        for (int64_t b = 0; b < n_blocks; b++) {
            int64_t n = 0, at = first[b];
            const int32_t *row = tess_incidence_row(points, b, &n);
            for (int64_t i = 0; i < n; i++) {
                if (row_of[row[i]] != -1)
                    continue;
                if (puts)
                    order[at++] = row[i];
                else
                    first[b + 1]++;
            }
        }
        for (int64_t b = 0; b < n_blocks && !puts; b++)
            first[b + 1] += first[b];
    }
    free(first);
    return TESS_OK;
}

/* Points by the number of their blocks, none last, then by these, lexicographically, then by
 * number; `points` are those of blocks, which ascend in each. */
static tess_status order_points_by_blocks(const tess_incidence *points, int32_t n_blocks,
                                          int32_t **new_to_old) {
    tess_status status = TESS_OK;
    tess_shared_points shared = {.n_single = 0};
    int32_t *order = NULL, *sorted = NULL;
    CHECK(TESS_ALLOC(points->n_points, &order));
    CHECK(tess_shared_points_find(points, n_blocks, &shared));
    CHECK(list_single_points(points, n_blocks, shared.row_of, order));
    CHECK(sort_by_blocks(shared.blocks, n_blocks, &sorted));
    int64_t at = shared.n_single + shared.n;
#pragma omp parallel for
    for (int64_t i = 0; i < shared.n; i++)
        order[shared.n_single + i] = shared.point[sorted[i]];
    for (int64_t p = 0; p < points->n_points && at < points->n_points; p++)
        if (shared.row_of[p] == -2)
            order[at++] = (int32_t)p;
    *new_to_old = TESS_TAKE(order);
done:
    tess_shared_points_clear(&shared);
    free(sorted);
    free(order);
    return status;
}

/* Puts each run of equal odd keys, an owner's points on its border, in the order of their blocks.
 */
static void sort_borders(const tess_rows *blocks, const int32_t *key, int32_t *order) {
#pragma omp parallel for schedule(dynamic, 4096)
    for (int64_t i = 0; i < blocks->n; i++) {
        const int32_t k = key[order[i]];
        if (k % 2 == 0 || (i > 0 && key[order[i - 1]] == k))
            continue;
        int64_t end = i + 1;
        while (end < blocks->n && key[order[end]] == k)
            end++;
        qsort_r(order + i, (size_t)(end - i), sizeof *order, compare_by_blocks, (void *)blocks);
    }
}

/* Points by owner, those of no other block first, the others in the order of their blocks, so that
 * what a block shares with another lies together, and those of none last; owner NULL: the first
 * block that accesses. */
static tess_status order_points_by_owner(const tess_rows *blocks, const int32_t *owner,
                                         int32_t n_blocks, int32_t **new_to_old) {
    const int64_t n = blocks->n;
    int32_t *key = NULL;
    TRY(TESS_ALLOC(n, &key));
#pragma omp parallel for
    for (int64_t p = 0; p < n; p++) {
        const int64_t start = blocks->offset[p], accessing = blocks->offset[p + 1] - start;
        if (accessing == 0) {
            key[p] = 2 * n_blocks;
            continue;
        }
        const int32_t own = owner ? owner[p] : blocks->item[start];
        key[p] = 2 * own + (accessing > 1 || blocks->item[start] != own);
    }
    const tess_status status = order_by_key(n, NULL, key, 2 * (int64_t)n_blocks + 1, new_to_old);
    if (status == TESS_OK)
        sort_borders(blocks, key, *new_to_old);
    free(key);
    return status;
}

/* Points of a target along the graph of those that share an element. */
static tess_status order_points_by_graph(const tess_bound_loop *bound,
                                         const tess_loop_target *target,
                                         tess_renumber_method method, int32_t **new_to_old) {
    tess_status status = TESS_OK;
    tess_incidence map = {.index = NULL};
    tess_rows *graph = NULL;
    CHECK(tess_target_incidence(bound, target, &map));
    /* A rank's part has more points than elements, which are joined as points. */
    map.points_are_elements =
        target->set == bound->set && tess_loop_gathers(bound) && map.n_points == bound->n_elements;
    const tess_partition_problem problem = {
        .n_elements = bound->n_elements, .n_maps = 1, .maps = &map};
    CHECK(tess_graph_build_points(&problem, &graph));
    CHECK(method != TESS_RENUMBER_RCM ? tess_order_gps(graph, new_to_old)
                                      : tess_order_rcm(graph, new_to_old));
done:
    tess_incidence_clear(&map);
    tess_rows_free(graph);
    return status;
}

/* Elements by the positions `of` their points (tess_element_order), or points by those of the
 * elements that reach them (tess_first_use_order). */
static tess_status order_by_target(const tess_bound_loop *bound, const tess_loop_target *target,
                                   tess_status (*order)(const tess_incidence *, int64_t,
                                                        const int32_t *, int32_t **),
                                   const int32_t *of, int32_t **new_to_old) {
    tess_incidence map;
    TRY(tess_target_incidence(bound, target, &map));
    const tess_status status = order(&map, bound->n_elements, of, new_to_old);
    tess_incidence_clear(&map);
    return status;
}

/* Elements that several blocks may execute, as points by their owner. */
static tess_status order_shared_elements(const tess_plan *plan, int32_t **new_to_old) {
    tess_rows *blocks = NULL;
    const tess_incidence executed = {
        .index = plan->executed, .offset = plan->block_offset, .n_points = plan->n_elements};
    TRY(tess_incidence_invert(&executed, plan->n_blocks, &blocks));
    const tess_status status = order_points_by_owner(blocks, NULL, plan->n_blocks, new_to_old);
    tess_rows_free(blocks);
    return status;
}

/* Elements in the order in which a plan executes them; where blocks share them, by the first block
 * that executes them, those of no other block first, the others in the order of their blocks. */
static tess_status order_elements_by_plan(const tess_plan *plan, int32_t **new_to_old) {
    if (!plan->owns_points && plan->n_executed == plan->n_elements) /* each is there once */
        return TESS_COPY(plan->n_executed, plan->executed, new_to_old);
    if (plan->new_to_old)
        return TESS_COPY(plan->n_elements, plan->new_to_old, new_to_old);
    if (plan->owns_points)
        return order_shared_elements(plan, new_to_old);
    const tess_incidence executed = {
        .index = plan->executed, .arity = 1, .n_points = plan->n_elements};
    return tess_first_use_order(&executed, plan->n_executed, NULL, new_to_old);
}

/* Takes over another order of a set. */
static void take_order(int32_t *new_to_old, tess_permutation *of) {
    free(of->new_to_old);
    of->new_to_old = new_to_old;
#pragma omp parallel for
    for (int64_t i = 0; i < of->size; i++)
        of->old_to_new[new_to_old[i]] = (int32_t)i;
}

/* Adds the permutation of the loop's own set and takes over the order of its elements; what the set
 * has beyond them, as ranks have, stays behind them. */
static tess_status add_elements(const tess_bound_loop *bound, int32_t *order,
                                tess_renumbering *renumbering) {
    const int64_t n = bound->n_elements, size = bound->mesh->sets[bound->set].size;
    int64_t capacity = n;
    tess_status status = TESS_OK;
    if (size > n)
        status = TESS_RESERVE(size, &capacity, &order);
    if (status != TESS_OK) {
        free(order);
        return status;
    }
    for (int64_t e = n; e < size; e++)
        order[e] = (int32_t)e;
    return tess_renumbering_add(bound->mesh, bound->set, order, renumbering);
}

/* The target whose graph decides: the first that is incremented, else the first. */
static int deciding_target(const tess_bound_loop *bound) {
    for (int r = 0; r < bound->n_targets; r++)
        if (bound->targets[r].incremented)
            return r;
    return 0;
}

/* Sorts the elements by the colours that they get in their order, stably. */
static tess_status sort_by_colour(const tess_bound_loop *bound, tess_permutation *elements) {
    tess_status status = TESS_OK;
    int32_t *colour = NULL, *sorted = NULL, n_colours = 0;
    CHECK(TESS_ALLOC(elements->size, &colour));
    CHECK(tess_loop_colour(bound, elements->new_to_old, TESS_COLOUR_FEWEST, colour, &n_colours));
    for (int64_t e = bound->n_elements; e < elements->size; e++)
        colour[e] = n_colours;
    CHECK(order_by_key(elements->size, elements->new_to_old, colour, n_colours + INT64_C(1),
                       &sorted));
    take_order(sorted, elements);
done:
    free(colour);
    return status;
}

/* Pairs by the positions of their rows, then of their columns; those of a permutation, NULL: the
 * mesh's.
 */
static tess_status order_pairs_by_rows(const tess_map *pairs, int64_t n,
                                       const tess_permutation *rows, int64_t n_rows,
                                       int32_t **new_to_old) {
    tess_status status = TESS_OK;
    int32_t *key = NULL, *by_column = NULL;
    CHECK(TESS_ALLOC(n, &key));
    for (int column = 1; column >= 0; column--) {
        for (int64_t p = 0; p < n; p++) {
            const int32_t point = pairs->index[2 * p + column];
            key[p] = rows ? rows->old_to_new[point] : point;
        }
        CHECK(order_by_key(n, by_column, key, n_rows, column ? &by_column : new_to_old));
    }
done:
    free(key);
    free(by_column);
    return status;
}

/* Gives pairs the order of their rows, whatever they had. */
static tess_status let_pairs_follow(const tess_mesh *mesh, tess_renumbering *renumbering) {
    for (int i = 0; i < renumbering->n_sets; i++) {
        tess_permutation *own = &renumbering->sets[i];
        const tess_map *pairs = tess_pairs_of_set(mesh, own->set);
        if (!pairs)
            continue;
        int32_t *order = NULL;
        TRY(order_pairs_by_rows(pairs, own->size, tess_renumbering_of(renumbering, pairs->to),
                                mesh->sets[pairs->to].size, &order));
        take_order(order, own);
        own->by_rows = true;
    }
    return TESS_OK;
}

/* Whether cells are stated by these sides, and have no nodes of their own: in any format that holds
 * polytopes sides are numbered anew, from the cells. */
static bool are_of_polytopes(const tess_mesh *mesh, int set) {
    bool have_nodes = false;
    for (int m = 0; m < mesh->n_maps; m++)
        have_nodes |=
            mesh->maps[m].from == set && strcmp(mesh->sets[mesh->maps[m].to].name, "nodes") == 0;
    return have_nodes && !tess_mesh_find_map(mesh, "cells:nodes");
}

/* The map of derived sides to their cells; NULL of other sets. */
static const tess_map *derived_sides(const tess_mesh *mesh, int set) {
    const tess_map *found = NULL;
    const bool are_stated_anew = are_of_polytopes(mesh, set);
    for (int m = 0; m < mesh->n_maps; m++) {
        const tess_map *map = &mesh->maps[m];
        if (map->from == set && !map->derived && !are_stated_anew)
            return NULL;
        if (map->from == set && map->to != set && strcmp(mesh->sets[map->to].name, "cells") == 0)
            found = map;
    }
    return found;
}

tess_status tess_renumber_as_derived(const tess_mesh *mesh, tess_renumbering *renumbering) {
    for (int i = 0; i < renumbering->n_sets; i++) {
        tess_permutation *own = &renumbering->sets[i];
        const tess_map *sides = derived_sides(mesh, own->set);
        const tess_permutation *cells = sides ? tess_renumbering_of(renumbering, sides->to) : NULL;
        int32_t *order = NULL;
        if (!cells)
            continue;
        const tess_incidence map = {
            .index = sides->index, .arity = sides->arity, .n_points = cells->size};
        TRY(tess_element_order(&map, own->size, cells->old_to_new, &order));
        take_order(order, own);
    }
    return let_pairs_follow(mesh, renumbering);
}

/* GPS, RCM, COLOURS: the deciding points along their graph, elements by them, other points by these
 * elements; then elements by colour, where they are not points as well. */
static tess_status renumber_by_graph(const tess_bound_loop *bound, tess_renumbering *renumbering) {
    const int deciding = deciding_target(bound);
    const tess_loop_target *target = &bound->targets[deciding];
    int32_t *order = NULL;
    TRY(order_points_by_graph(bound, target, renumbering->method, &order));
    TRY(tess_renumbering_add(bound->mesh, target->set, order, renumbering));
    const bool elements_are_points = tess_renumbering_of(renumbering, bound->set);
    if (!elements_are_points) {
        TRY(order_by_target(bound, target, tess_element_order, renumbering->sets[0].old_to_new,
                            &order));
        TRY(add_elements(bound, order, renumbering));
    }
    const int32_t *elements = tess_renumbering_of(renumbering, bound->set)->new_to_old;
    for (int r = 0; r < bound->n_targets; r++) {
        if (tess_renumbering_of(renumbering, bound->targets[r].set))
            continue;
        TRY(order_by_target(bound, &bound->targets[r], tess_first_use_order, elements, &order));
        TRY(tess_renumbering_add(bound->mesh, bound->targets[r].set, order, renumbering));
    }
    if (renumbering->method == TESS_RENUMBER_COLOURS && !elements_are_points)
        TRY(sort_by_colour(bound, &renumbering->sets[1]));
    return TESS_OK;
}

/* The points of one target by the plan's blocks. */
static tess_status renumber_points(const tess_bound_loop *bound, const tess_plan *plan, int r,
                                   tess_renumbering *renumbering) {
    tess_rows *blocks = NULL;
    int32_t *order = NULL;
    const int set = bound->targets[r].set;
    const bool is_partitioned = strcmp(bound->mesh->sets[set].name, plan->partitioned_set) == 0;
    const tess_incidence points = {.index = plan->sets[r].points,
                                   .offset = plan->sets[r].point_offset,
                                   .n_points = bound->mesh->sets[set].size};
    const int32_t *given = plan->sets[r].new_to_old;
    if (given && plan->renumbered == renumbering->method) {
        TRY(TESS_COPY(points.n_points, given, &order));
        return tess_renumbering_add(bound->mesh, set, order, renumbering);
    }
    if (renumbering->method == TESS_RENUMBER_BLOCKS) {
        TRY(order_points_by_blocks(&points, plan->n_blocks, &order));
        return tess_renumbering_add(bound->mesh, set, order, renumbering);
    }
    TRY(tess_incidence_invert(&points, plan->n_blocks, &blocks));
    const tess_status status =
        order_points_by_owner(blocks, is_partitioned ? plan->owner : NULL, plan->n_blocks, &order);
    tess_rows_free(blocks);
    TRY(status);
    return tess_renumbering_add(bound->mesh, set, order, renumbering);
}

/* BLOCKS and OWNER: points by the plan's blocks, elements in the order of the plan; so are points
 * that are elements as well, where nothing is incremented: each is written where it is executed.
 * EXECUTED: the elements alone. */
static tess_status renumber_by_plan(const tess_bound_loop *bound, const tess_plan *plan,
                                    tess_renumbering *renumbering) {
    bool elements_are_points = false;
    for (int r = 0; r < bound->n_targets; r++) {
        const bool as_points = bound->targets[r].set != bound->set || !tess_loop_gathers(bound);
        elements_are_points |= as_points && bound->targets[r].set == bound->set;
        if (as_points && renumbering->method != TESS_RENUMBER_EXECUTED)
            TRY(renumber_points(bound, plan, r, renumbering));
    }
    if (elements_are_points)
        return TESS_OK;
    int32_t *order = NULL;
    TRY(order_elements_by_plan(plan, &order));
    return add_elements(bound, order, renumbering);
}

tess_status tess_renumbering_add(const tess_mesh *mesh, int set, int32_t *new_to_old,
                                 tess_renumbering *renumbering) {
    tess_status status = TESS_OK;
    const tess_permutation permutation = {
        .set = set, .size = mesh->sets[set].size, .new_to_old = new_to_old};
    int64_t capacity = renumbering->n_sets;
    CHECK(tess_interrupt_check()); /* an order of millions has taken seconds */
    CHECK(TESS_RESERVE(capacity + 1, &capacity, &renumbering->sets));
    tess_permutation *added = &renumbering->sets[renumbering->n_sets];
    *added = permutation;
    CHECK(TESS_ALLOC(added->size, &added->old_to_new));
    renumbering->n_sets++;
    const int64_t n = added->size;
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        added->old_to_new[new_to_old[i]] = (int32_t)i;
    return TESS_OK;
done:
    free(new_to_old);
    return status;
}

tess_status tess_renumber_build(const tess_bound_loop *bound, const tess_plan *plan,
                                tess_renumber_method method, bool pairs_by_rows,
                                tess_renumbering **out) {
    tess_status status = TESS_OK;
    tess_renumbering *renumbering = NULL;
    CHECK(TESS_ZEROS(1, &renumbering));
    renumbering->method = method;
    if (method == TESS_RENUMBER_GPS || method == TESS_RENUMBER_RCM ||
        method == TESS_RENUMBER_COLOURS)
        CHECK(renumber_by_graph(bound, renumbering));
    else if (method != TESS_RENUMBER_NONE && !plan)
        CHECK(tess_fail(TESS_ERROR_INTERNAL, "renumbering by %s needs a plan", names[method]));
    else if (method != TESS_RENUMBER_NONE)
        CHECK(renumber_by_plan(bound, plan, renumbering));
    if (pairs_by_rows)
        CHECK(let_pairs_follow(bound->mesh, renumbering));
    *out = TESS_TAKE(renumbering);
done:
    tess_renumbering_free(renumbering);
    return status;
}

/* Sorts a permutation's places by the segment of the element that lies there, stably. */
static tess_status keep_segments(const int64_t *end, int n_segments, tess_permutation *of) {
    int32_t *segment = NULL, *sorted = NULL;
    TRY(TESS_ALLOC(of->size, &segment));
    for (int64_t e = 0; e < of->size; e++) {
        segment[e] = 0;
        while (segment[e] < n_segments && e >= end[segment[e]])
            segment[e]++;
    }
    const tess_status status =
        order_by_key(of->size, of->new_to_old, segment, n_segments + INT64_C(1), &sorted);
    free(segment);
    TRY(status);
    take_order(sorted, of);
    return TESS_OK;
}

tess_status tess_renumbering_keep_segments(tess_renumbering *renumbering, int set,
                                           const int64_t *end, int n_segments) {
    for (int i = 0; i < renumbering->n_sets; i++)
        if (renumbering->sets[i].set == set)
            return keep_segments(end, n_segments, &renumbering->sets[i]);
    return TESS_OK;
}

tess_status tess_renumber_follow(const tess_bound_loop *bound, const tess_plan *plan,
                                 tess_renumbering *renumbering) {
    int32_t *order = NULL;
    if (!tess_renumber_needs_plan(renumbering->method) ||
        tess_renumbering_of(renumbering, bound->set) || tess_pairs_of_set(bound->mesh, bound->set))
        return TESS_OK;
    TRY(order_elements_by_plan(plan, &order));
    return add_elements(bound, order, renumbering);
}

const tess_permutation *tess_renumbering_of(const tess_renumbering *renumbering, int set) {
    for (int i = 0; i < renumbering->n_sets; i++)
        if (renumbering->sets[i].set == set)
            return &renumbering->sets[i];
    return NULL;
}

void tess_renumbering_free(tess_renumbering *renumbering) {
    if (!renumbering)
        return;
    for (int i = 0; i < renumbering->n_sets; i++) {
        free(renumbering->sets[i].new_to_old);
        free(renumbering->sets[i].old_to_new);
    }
    free(renumbering->sets);
    free(renumbering);
}
