/* The renumbering of a whole mesh: all of its sets in an order that follows from that of one. */
#include "core/plan/order/renumber_mesh.h"

#include "core/base/array.h"
#include "core/mesh/cells.h"
#include "core/mesh/polytopes.h"
#include "core/plan/order/element_order.h"
#include "core/plan/plan.h"
#include <stdlib.h>

/* The nodes of all cells, by whatever the mesh states them. */
typedef struct cell_nodes {
    tess_incidence map; /* index NULL: they are not known */
    int32_t *united;    /* owned */
    tess_rows *rows;    /* owned */
} cell_nodes;

static void cell_nodes_release(cell_nodes *nodes) {
    free(nodes->united);
    tess_rows_free(nodes->rows);
}

static tess_status cell_nodes_find(const tess_mesh *mesh, cell_nodes *out) {
    tess_status status = TESS_OK;
    tess_cells cells = {.dimension = 0};
    tess_polytopes polytopes = {.dimension = 0};
    const tess_map *stated = tess_mesh_find_map(mesh, "cells:nodes");
    out->map.n_points = tess_mesh_set_size(mesh, "nodes");
    if (stated) {
        out->map.index = stated->index;
        out->map.arity = stated->arity;
        return TESS_OK;
    }
    CHECK(tess_cells_build(mesh, &cells));
    CHECK(tess_polytopes_build(mesh, &polytopes));
    if (cells.dimension) {
        CHECK(tess_cells_unite(&cells, &out->map.arity, &out->united));
        out->map.index = out->united;
    } else if (polytopes.dimension) {
        CHECK(tess_polytope_nodes(&polytopes, &out->rows));
        out->map.index = out->rows->item;
        out->map.offset = out->rows->offset;
    }
done:
    tess_polytopes_release(&polytopes);
    tess_cells_release(&cells);
    return status;
}

/* Adds that of a set by first use, where a renumbered one leads to it. */
static tess_status add_led_to(const tess_mesh *mesh, const char *name,
                              tess_renumbering *renumbering) {
    const int set = tess_mesh_find_set(mesh, name);
    for (int m = 0; m < mesh->n_maps && set >= 0; m++) {
        const tess_map *map = &mesh->maps[m];
        const tess_permutation *from = tess_renumbering_of(renumbering, map->from);
        int32_t *order = NULL;
        if (map->to != set || !from || tess_renumbering_of(renumbering, set))
            continue;
        const tess_incidence incidence = {
            .index = map->index, .arity = map->arity, .n_points = mesh->sets[set].size};
        TRY(tess_first_use_order(&incidence, from->size, from->new_to_old, &order));
        TRY(tess_renumbering_add(mesh, set, order, renumbering));
    }
    return TESS_OK;
}

/* Adds a set's permutation: its elements by the places of their points in a renumbered set. */
static tess_status add_by_points(const tess_mesh *mesh, int set, const tess_incidence *map,
                                 const tess_permutation *points, tess_renumbering *renumbering) {
    int32_t *order = NULL;
    TRY(tess_element_order(map, mesh->sets[set].size, points->old_to_new, &order));
    return tess_renumbering_add(mesh, set, order, renumbering);
}

/* Adds that of a set with a map to the one named, if both are there. */
static tess_status add_by_map(const tess_mesh *mesh, int set, const char *to,
                              tess_renumbering *renumbering) {
    const tess_map *map = tess_mesh_find_map_between(mesh, mesh->sets[set].name, to);
    const tess_permutation *points = map ? tess_renumbering_of(renumbering, map->to) : NULL;
    if (!points || map->to == set || tess_renumbering_of(renumbering, set))
        return TESS_OK;
    const tess_incidence incidence = {
        .index = map->index, .arity = map->arity, .n_points = points->size};
    return add_by_points(mesh, set, &incidence, points, renumbering);
}

/* Cells by nodes that are renumbered, nodes by cells that are. */
static tess_status add_cells_and_nodes(const tess_mesh *mesh, tess_renumbering *renumbering) {
    tess_status status = TESS_OK;
    cell_nodes known = {.rows = NULL};
    int32_t *order = NULL;
    const int cells = tess_mesh_find_set(mesh, "cells"), nodes = tess_mesh_find_set(mesh, "nodes");
    if (cells < 0 || nodes < 0)
        return TESS_OK;
    CHECK(cell_nodes_find(mesh, &known));
    const tess_permutation *of_nodes = tess_renumbering_of(renumbering, nodes);
    if (known.map.index && of_nodes && !tess_renumbering_of(renumbering, cells))
        CHECK(add_by_points(mesh, cells, &known.map, of_nodes, renumbering));
    const tess_permutation *of_cells = tess_renumbering_of(renumbering, cells);
    if (known.map.index && of_cells && !tess_renumbering_of(renumbering, nodes)) {
        CHECK(tess_first_use_order(&known.map, of_cells->size, of_cells->new_to_old, &order));
        CHECK(tess_renumbering_add(mesh, nodes, order, renumbering));
    }
done:
    cell_nodes_release(&known);
    return status;
}

tess_status tess_renumber_others(const tess_mesh *mesh, bool by_nodes,
                                 tess_renumbering *renumbering) {
    TRY(add_led_to(mesh, "cells", renumbering));
    TRY(add_cells_and_nodes(mesh, renumbering));
    TRY(add_led_to(mesh, "nodes", renumbering)); /* where no cell leads there */
    TRY(add_cells_and_nodes(mesh, renumbering));
    for (int set = 0; set < mesh->n_sets; set++) {
        TRY(add_by_map(mesh, set, by_nodes ? "nodes" : "cells", renumbering));
        TRY(add_by_map(mesh, set, by_nodes ? "cells" : "nodes", renumbering));
    }
    for (int set = 0; set < mesh->n_sets; set++)
        TRY(add_led_to(mesh, mesh->sets[set].name, renumbering));
    return TESS_OK;
}

tess_status tess_renumber(const tess_bound_loop *bound, const tess_plan *plan,
                          tess_renumbering **out) {
    tess_status status = TESS_OK;
    tess_renumbering *renumbering = NULL;
    int32_t *order = NULL;
    if (plan->owns_points || plan->n_executed != bound->mesh->sets[bound->set].size)
        FAIL(TESS_ERROR_USAGE,
             "blocks of %s own points: elements that several execute have no one "
             "position",
             plan->partitioned_set);
    CHECK(TESS_ZEROS(1, &renumbering));
    CHECK(TESS_COPY(plan->n_elements, plan->executed, &order));
    CHECK(tess_renumbering_add(bound->mesh, bound->set, TESS_TAKE(order), renumbering));
    CHECK(tess_renumber_others(bound->mesh, false, renumbering));
    *out = TESS_TAKE(renumbering);
done:
    tess_renumbering_free(renumbering);
    return status;
}
