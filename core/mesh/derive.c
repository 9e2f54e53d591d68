/* Derivation: the sets and maps that follow from a mesh's cells and nodes. */
#include "core/mesh/derive.h"

#include "core/base/array.h"
#include "core/base/progress.h"
#include "core/base/unknown_name.h"
#include "core/mesh/derived_edges.h"
#include "core/mesh/pairs.h"
#include "core/mesh/sides.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What derivations ask of a mesh. */
typedef struct derive_source {
    tess_mesh *mesh;
    tess_cells cells;
    bool tri_faces, quad_faces; /* cells have such faces */
} derive_source;

static bool has_map(const derive_source *source, const char *map) {
    return tess_mesh_find_map(source->mesh, map) != NULL;
}

static bool has_set(const derive_source *source, const char *set) {
    return tess_mesh_find_set(source->mesh, set) >= 0;
}

static const char *interior_set(const derive_source *source) {
    return source->cells.dimension == 2 ? "edges" : "faces";
}

static const char *boundary_set(const derive_source *source) {
    return source->cells.dimension == 2 ? "bedges" : "bfaces";
}

/* A stated interior hides which sides are the boundary's, unless the boundary is stated, too. */
static bool can_have_interior(const derive_source *source) {
    return source->cells.dimension && !has_set(source, interior_set(source));
}

static bool can_have_boundary(const derive_source *source) {
    return can_have_interior(source) && !has_set(source, boundary_set(source));
}

static tess_status add_sides(derive_source *source, const char *name) {
    (void)name;
    return tess_sides_add(source->mesh, &source->cells, can_have_interior(source),
                          can_have_boundary(source));
}

static bool can_2d_interior(const derive_source *source, const char *name) {
    (void)name;
    return source->cells.dimension == 2 && can_have_interior(source);
}

static bool can_2d_boundary(const derive_source *source, const char *name) {
    (void)name;
    return source->cells.dimension == 2 && can_have_boundary(source);
}

static bool can_3d_edges(const derive_source *source, const char *name) {
    (void)name;
    return source->cells.dimension == 3 && !has_set(source, "edges");
}

static tess_status add_3d_edges(derive_source *source, const char *name) {
    (void)name;
    return tess_cell_edges_add(source->mesh, &source->cells);
}

static bool is_boundary(const char *name) {
    return name[0] == 'b';
}

static bool can_faces(const derive_source *source, const char *name) {
    return source->cells.dimension == 3 &&
           (is_boundary(name) ? can_have_boundary(source) : can_have_interior(source));
}

static bool can_faces_nodes(const derive_source *source, const char *name) {
    return can_faces(source, name) && source->tri_faces != source->quad_faces;
}

/* True for "btri_faces:nodes" and its like where cells have faces of that type beside another. */
static bool can_shape_faces(const derive_source *source, const char *name) {
    return can_faces(source, name) && source->tri_faces && source->quad_faces;
}

/* The map "btri_faces:nodes" is "bfaces:nodes" where all faces are triangles, and so on. */
static void map_of_all_faces(const char *name, char map[TESS_NAME_SIZE]) {
    snprintf(map, TESS_NAME_SIZE, "%s%s", is_boundary(name) ? "b" : "", strstr(name, "faces"));
}

static bool can_all_faces(const derive_source *source, const char *name) {
    const bool quad = strstr(name, "quad") != NULL;
    char map[TESS_NAME_SIZE];
    map_of_all_faces(name, map);
    return source->cells.dimension == 3 && (quad ? source->quad_faces : source->tri_faces) &&
           !(quad ? source->tri_faces : source->quad_faces) && !has_map(source, name) &&
           (has_map(source, map) || can_faces(source, name));
}

/* Adds the map `name` with the content of the map `other`, and its from-set. */
static tess_status add_copy(tess_mesh *mesh, const char *name, const char *other) {
    const tess_map *map = tess_mesh_find_map(mesh, other);
    if (!map)
        FAIL(TESS_ERROR_INTERNAL, "map %s is missing where %s is derived", other, name);
    const int arity = map->arity;
    const int64_t n = mesh->sets[map->from].size;
    char from[TESS_NAME_SIZE];
    snprintf(from, sizeof from, "%.*s", (int)strcspn(name, ":"), name);
    int32_t *index = NULL;
    TRY(TESS_COPY(n * arity, map->index, &index));
    if (tess_mesh_find_set(mesh, from) < 0) {
        const tess_status status = tess_mesh_add_set(mesh, from, n, NULL);
        if (status != TESS_OK) {
            free(index);
            return status;
        }
    }
    return tess_mesh_add_map(mesh, from, strchr(name, ':') + 1, arity, TESS_MAP_DERIVED, index);
}

static tess_status add_all_faces(derive_source *source, const char *name) {
    char map[TESS_NAME_SIZE];
    map_of_all_faces(name, map);
    if (!has_map(source, map))
        TRY(add_sides(source, name));
    return add_copy(source->mesh, name, map);
}

static bool can_all_cells(const derive_source *source, const char *name) {
    return has_map(source, "cells:nodes") && source->cells.n_blocks == 1 &&
           strncmp(name, source->cells.blocks[0].type->set, strcspn(name, ":")) == 0;
}

static tess_status add_all_cells(derive_source *source, const char *name) {
    return add_copy(source->mesh, name, "cells:nodes");
}

static bool can_cells_of_types(const derive_source *source, const char *name) {
    (void)name;
    return source->cells.n_blocks && !has_map(source, "cells:nodes");
}

/* Those of several types are padded; files state those of one type for surfaces in space. */
static tess_status add_cells_of_types(derive_source *source, const char *name) {
    (void)name;
    const tess_cells *cells = &source->cells;
    const bool mixed = cells->n_blocks > 1;
    int arity = 0;
    int32_t *nodes = NULL, *count = NULL;
    TRY(tess_cells_unite(cells, &arity, &nodes));
    TRY(tess_mesh_add_map(source->mesh, "cells", "nodes", arity,
                          mixed ? TESS_MAP_PADDED | TESS_MAP_DERIVED : TESS_MAP_DERIVED, nodes));
    if (!mixed)
        return TESS_OK;
    TRY(TESS_ALLOC(cells->n_cells, &count));
    for (int64_t cell = 0; cell < cells->n_cells; cell++)
        count[cell] = cells->blocks[cells->block_of[cell]].type->n_nodes;
    return tess_mesh_add_dat(source->mesh, "n_nodes", "cells", 1, TESS_INT32, count);
}

static bool can_left_edges(const derive_source *source, const char *name) {
    return has_map(source, "edges:nodes") || can_2d_interior(source, name) ||
           can_3d_edges(source, name);
}

static tess_status add_left_edges(derive_source *source, const char *name) {
    if (can_2d_interior(source, name))
        TRY(add_sides(source, name));
    if (can_3d_edges(source, name))
        TRY(add_3d_edges(source, name));
    return tess_left_edges_add(source->mesh);
}

/* The map over which cells are neighbours, or "". */
static const char *neighbour_map(const derive_source *source) {
    if (source->cells.dimension != 2 && has_map(source, "faces:cells"))
        return "faces:cells";
    return source->cells.dimension != 3 && has_map(source, "edges:cells") ? "edges:cells" : "";
}

static bool can_neighbours(const derive_source *source, const char *name) {
    (void)name;
    return neighbour_map(source)[0] || can_have_interior(source);
}

static tess_status add_neighbours(derive_source *source, const char *name) {
    if (!neighbour_map(source)[0])
        TRY(add_sides(source, name));
    return tess_neighbours_add(source->mesh, neighbour_map(source));
}

static bool can_pairs(const derive_source *source, const char *name) {
    (void)name;
    return source->cells.dimension && !has_set(source, "node_pairs");
}

static tess_status add_pairs(derive_source *source, const char *name) {
    (void)name;
    return tess_node_pairs_add(source->mesh, &source->cells);
}

/* The cells of the type that the map "tets:node_pairs" names, or NULL. */
static const tess_cell_block *block_of_map(const derive_source *source, const char *name) {
    for (int b = 0; b < source->cells.n_blocks; b++)
        if (strncmp(name, source->cells.blocks[b].type->set, strcspn(name, ":")) == 0)
            return &source->cells.blocks[b];
    return NULL;
}

static bool can_pairs_of_cells(const derive_source *source, const char *name) {
    const tess_map *pairs = tess_mesh_find_map(source->mesh, "node_pairs:nodes");
    return block_of_map(source, name) && (pairs ? pairs->derived : can_pairs(source, name));
}

static tess_status add_pairs_of_cells(derive_source *source, const char *name) {
    char nodes[TESS_NAME_SIZE];
    const tess_cell_block *block = block_of_map(source, name);
    snprintf(nodes, sizeof nodes, "%s:nodes", block->type->set);
    if (!has_map(source, nodes))
        TRY(add_copy(source->mesh, nodes, "cells:nodes"));
    if (!has_map(source, "node_pairs:nodes"))
        TRY(add_pairs(source, name));
    return tess_pairs_of_map_add(source->mesh, nodes, "node_pairs");
}

/* A map that can be derived. Synonyms repeat other maps: under the name of the type that all
 * elements have, or those of all types in one. tess_mesh_derive_all leaves them out, and pairs,
 * which are many more than cells. */
typedef struct derive_rule {
    const char *map;
    bool (*can)(const derive_source *source, const char *name);
    tess_status (*add)(derive_source *source, const char *name);
    bool only_by_name;
} derive_rule;

static const derive_rule rules[] = {
    {"edges:nodes", can_2d_interior, add_sides, false},
    {"edges:cells", can_2d_interior, add_sides, false},
    {"bedges:nodes", can_2d_boundary, add_sides, false},
    {"bedges:cells", can_2d_boundary, add_sides, false},
    {"faces:cells", can_faces, add_sides, false},
    {"bfaces:cells", can_faces, add_sides, false},
    {"faces:nodes", can_faces_nodes, add_sides, false},
    {"bfaces:nodes", can_faces_nodes, add_sides, false},
    {"tri_faces:nodes", can_shape_faces, add_sides, false},
    {"tri_faces:cells", can_shape_faces, add_sides, false},
    {"tri_faces:faces", can_shape_faces, add_sides, false},
    {"quad_faces:nodes", can_shape_faces, add_sides, false},
    {"quad_faces:cells", can_shape_faces, add_sides, false},
    {"quad_faces:faces", can_shape_faces, add_sides, false},
    {"btri_faces:nodes", can_shape_faces, add_sides, false},
    {"btri_faces:cells", can_shape_faces, add_sides, false},
    {"btri_faces:bfaces", can_shape_faces, add_sides, false},
    {"bquad_faces:nodes", can_shape_faces, add_sides, false},
    {"bquad_faces:cells", can_shape_faces, add_sides, false},
    {"bquad_faces:bfaces", can_shape_faces, add_sides, false},
    {"edges:nodes", can_3d_edges, add_3d_edges, false},
    {"left_edges:nodes", can_left_edges, add_left_edges, false},
    {"cells:cells", can_neighbours, add_neighbours, false},
    {"tri_faces:nodes", can_all_faces, add_all_faces, true},
    {"tri_faces:cells", can_all_faces, add_all_faces, true},
    {"quad_faces:nodes", can_all_faces, add_all_faces, true},
    {"quad_faces:cells", can_all_faces, add_all_faces, true},
    {"btri_faces:nodes", can_all_faces, add_all_faces, true},
    {"btri_faces:cells", can_all_faces, add_all_faces, true},
    {"bquad_faces:nodes", can_all_faces, add_all_faces, true},
    {"bquad_faces:cells", can_all_faces, add_all_faces, true},
    {"tris:nodes", can_all_cells, add_all_cells, true},
    {"quads:nodes", can_all_cells, add_all_cells, true},
    {"tets:nodes", can_all_cells, add_all_cells, true},
    {"pyramids:nodes", can_all_cells, add_all_cells, true},
    {"prisms:nodes", can_all_cells, add_all_cells, true},
    {"hexes:nodes", can_all_cells, add_all_cells, true},
    {"cells:nodes", can_cells_of_types, add_cells_of_types, true},
    {"node_pairs:nodes", can_pairs, add_pairs, true},
    {"tris:node_pairs", can_pairs_of_cells, add_pairs_of_cells, true},
    {"quads:node_pairs", can_pairs_of_cells, add_pairs_of_cells, true},
    {"tets:node_pairs", can_pairs_of_cells, add_pairs_of_cells, true},
    {"pyramids:node_pairs", can_pairs_of_cells, add_pairs_of_cells, true},
    {"prisms:node_pairs", can_pairs_of_cells, add_pairs_of_cells, true},
    {"hexes:node_pairs", can_pairs_of_cells, add_pairs_of_cells, true},
};

enum { N_RULES = sizeof rules / sizeof rules[0] };

static tess_status source_open(const tess_mesh *mesh, derive_source *source) {
    *source = (derive_source){.mesh = (tess_mesh *)mesh};
    TRY(tess_cells_build(mesh, &source->cells));
    source->tri_faces = tess_cells_have_faces(&source->cells, 3);
    source->quad_faces = tess_cells_have_faces(&source->cells, 4);
    return TESS_OK;
}

static bool can_derive(const derive_source *source, const derive_rule *rule) {
    return !has_map(source, rule->map) && rule->can(source, rule->map);
}

tess_status tess_mesh_derivable(const tess_mesh *mesh, const char ***out) {
    tess_status status = TESS_OK;
    derive_source source = {.mesh = NULL};
    const char **names = NULL;
    int n = 0;
    CHECK(source_open(mesh, &source));
    CHECK(TESS_ALLOC(mesh->n_maps + N_RULES + 1, &names));
    for (int m = 0; m < mesh->n_maps; m++)
        names[n++] = mesh->maps[m].name;
    for (int r = 0; r < N_RULES; r++)
        if (can_derive(&source, &rules[r]))
            names[n++] = rules[r].map;
    names[n] = NULL;
    *out = names;
done:
    tess_cells_release(&source.cells);
    return status;
}

/* Suggests faces:cells where edges:cells is asked for in 3D, and the other way round in 2D. */
static void suggest_sides(const char *const *names, tess_unknown_name *unknown) {
    static const char *const sides[][2] = {{"edges:cells", "faces:cells"},
                                           {"faces:cells", "edges:cells"},
                                           {"bedges:cells", "bfaces:cells"},
                                           {"bfaces:cells", "bedges:cells"}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        for (int n = 0; strcmp(unknown->name, sides[i][0]) == 0 && names[n]; n++)
            if (strcmp(names[n], sides[i][1]) == 0)
                snprintf(unknown->near, sizeof unknown->near, "%s", names[n]);
}

/* Fails where a map would follow from elements of a type, but for the cells that these are. */
static tess_status require_cells(const derive_source *source, const char *name) {
    bool is_known = false;
    for (int r = 0; r < N_RULES; r++)
        is_known |= strcmp(rules[r].map, name) == 0;
    for (int t = 0; t < TESS_CELL_TYPES && is_known && !source->cells.dimension; t++) {
        const char *type = tess_cell_types[t].set;
        if (tess_mesh_find_map_between(source->mesh, type, "nodes"))
            FAIL(TESS_ERROR_USAGE,
                 "%s has no map '%s', for it has no cells: add the set cells, and the map %s:cells "
                 "that says which of them each of the %s is",
                 source->mesh->source, name, type, type);
    }
    return TESS_OK;
}

/* Fails with the maps that a mesh has or can have, and the one that was perhaps meant. */
static tess_status cannot_derive(const tess_mesh *mesh, const char *name) {
    const char **names = NULL;
    TRY(tess_mesh_derivable(mesh, &names));
    char subject[512];
    snprintf(subject, sizeof subject, "%s has no map", mesh->source);
    tess_unknown_name unknown = tess_unknown_name_of(name);
    tess_unknown_name_add_all(&unknown, names);
    suggest_sides(names, &unknown);
    const tess_unknown_words words = {"? It can have %s",
                                      *names ? ": it can have %s" : ", and can have no other"};
    free(names);
    return tess_unknown_name_fail(subject, &unknown, words);
}

tess_status tess_mesh_derive(tess_mesh *mesh, const char *name) {
    tess_status status = TESS_OK;
    derive_source source = {.mesh = NULL};
    if (tess_mesh_find_map(mesh, name))
        return TESS_OK;
    CHECK(source_open(mesh, &source));
    for (int r = 0; r < N_RULES; r++) {
        if (strcmp(rules[r].map, name) == 0 && can_derive(&source, &rules[r])) {
            CHECK(rules[r].add(&source, name));
            goto done;
        }
    }
    CHECK(require_cells(&source, name));
    status = cannot_derive(mesh, name);
done:
    tess_cells_release(&source.cells);
    return status;
}

tess_status tess_mesh_derive_all(tess_mesh *mesh) {
    tess_status status = TESS_OK;
    derive_source source = {.mesh = NULL};
    tess_progress_begin("deriving sets and maps");
    CHECK(source_open(mesh, &source));
    for (int r = 0; r < N_RULES; r++)
        if (!rules[r].only_by_name && can_derive(&source, &rules[r]))
            CHECK(rules[r].add(&source, rules[r].map));
done:
    tess_progress_end();
    tess_cells_release(&source.cells);
    return status;
}
