/* The generator `layers`: triangles of a plane or of a wing's surface, extruded in columns: layers
 * of prisms that grow from the wall, then layers of prisms that are cut into three tets each. */
#include "core/base/array.h"
#include "core/base/splitmix.h"
#include "data/formats/elements.h"
#include "data/generators/generator.h"
#include "data/generators/wing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const tess_option options[] = {
    TESS_CHOICE_OPTION("base", "irregular", "regular|irregular|wing", "the triangles at the wall"),
    TESS_INT_OPTION("nx", "20", 3, 1 << 16,
                    "columns along x, less one; of a wing: around its section"),
    TESS_INT_OPTION("ny", "20", 1, 1 << 16, "columns along y, less one; of a wing: along its span"),
    TESS_INT_OPTION("prisms", "8", 0, 1 << 16, "layers of prisms at the wall"),
    TESS_INT_OPTION("tets", "8", 0, 1 << 16, "layers of prisms that are cut into tets"),
    TESS_REAL_OPTION("stretch", "1000", 1, 1e12,
                     "height of the last layer of prisms / of the first"),
    TESS_REAL_OPTION("height", "1", 1e-9, 1e9,
                     "of all layers; nx columns and a wing's chord have length 1"),
    TESS_INT_OPTION("seed", "1", 0, 1e15, "of the order of columns in each layer of tets"),
    {NULL},
};

/* What is extruded. Node k * n_columns + c stands in column c on level k; level 0 is the wall. */
typedef struct layers {
    const tess_mesh *base;
    int64_t n_columns, n_triangles, n_sides; /* n_sides: boundary edges of the base */
    const int32_t *triangles;                /* [n_triangles][3], against the clock's hand */
    const int32_t *sides;                    /* [n_sides][2] */
    int64_t prisms, tets;                    /* layers */
    double stretch, height;
    int64_t seed;
    bool wing;
    int32_t *position;   /* [n_columns]: of each column in the order of a layer of tets */
    int wall, far, side; /* markers */
    tess_elements *elements;
} layers;

static int64_t levels_of(const layers *l) {
    return l->prisms + l->tets + 1;
}

/* The triangles at the wall as a mesh of two dimensions; those of a wing are joined in x. */
static tess_status base_make(const tess_spec *spec, tess_mesh **out) {
    tess_status status = TESS_OK;
    char *text = NULL;
    tess_spec *specs = NULL;
    int n = 0;
    const char *base = tess_spec_text(spec, options, "base");
    const bool irregular = strcmp(base, "irregular") == 0;
    CHECK(tess_text_print(&text, "%s:nx=%lld:ny=%lld%s", irregular ? "irregular" : "tris",
                          (long long)tess_spec_int(spec, options, "nx"),
                          (long long)tess_spec_int(spec, options, "ny"),
                          strcmp(base, "wing") == 0 ? ":periodic=x" : ""));
    CHECK(tess_spec_list_parse(text, &specs, &n));
    CHECK(tess_generator_make(tess_generator_of_name(specs[0].name), &specs[0], out));
done:
    free(text);
    tess_spec_list_free(specs, n);
    return status;
}

/* How far level k is from the wall, of the whole height: prisms grow geometrically, tets are as
 * high as the last of them. */
static double level_share(const layers *l, int64_t k) {
    const double n = (double)l->prisms;
    const double growth = l->prisms > 1 ? log(l->stretch) / (n - 1) : 0; /* of one to the next */
    const double prisms = growth > 0 ? expm1(growth * n) / expm1(growth) : n;
    const double last = exp(growth * (n - 1));
    const double below = (double)(k < l->prisms ? k : l->prisms);
    const double at = growth > 0 ? expm1(growth * below) / expm1(growth) : below;
    const double tets = l->prisms ? last : 1;
    return (at + tets * ((double)k - below)) / (prisms + tets * (double)l->tets);
}

static void place_nodes(const layers *l, double *coordinates) {
    for (int64_t k = 0; k < levels_of(l); k++) {
        const double height = l->height * level_share(l, k);
#pragma omp parallel for schedule(static)
        for (int64_t c = 0; c < l->n_columns; c++) {
            const double *at = l->base->coordinates + 2 * c;
            double *node = coordinates + 3 * (k * l->n_columns + c);
            if (l->wing) {
                tess_wing_point(at, height, node);
                continue;
            }
            node[0] = at[0];
            node[1] = at[1];
            node[2] = height;
        }
    }
}

static void swap(int32_t *a, int32_t *b) {
    const int32_t other = *a;
    *a = *b;
    *b = other;
}

/* Appends an element of the nodes at these columns, each on level k or, where its bit is set in
 * `upper`, above. */
static tess_status append(const layers *l, tess_element_type type, const int32_t *columns,
                          int64_t k, unsigned upper, int marker) {
    tess_element element = {.type = type, .marker = marker};
    for (int i = 0; i < tess_element_kinds[type].arity; i++)
        element.nodes[i] = (int32_t)((k + (upper >> i & 1)) * l->n_columns + columns[i]);
    return tess_elements_append(l->elements, &element, 1);
}

static tess_status add_prisms(const layers *l) {
    for (int64_t k = 0; k < l->prisms; k++) {
        for (int64_t t = 0; t < l->n_triangles; t++) {
            const int32_t *c = l->triangles + 3 * t;
            const int32_t columns[6] = {c[0], c[1], c[2], c[0], c[1], c[2]};
            TRY(append(l, TESS_ELEMENT_PRISM, columns, k, 070, 0));
        }
        for (int64_t s = 0; s < l->n_sides; s++) {
            const int32_t *c = l->sides + 2 * s;
            const int32_t columns[4] = {c[0], c[1], c[1], c[0]};
            TRY(append(l, TESS_ELEMENT_QUAD, columns, k, 014, l->side));
        }
    }
    return TESS_OK;
}

/* Puts the columns in a random order, another in each layer. */
static void order_columns(const layers *l, int64_t layer) {
    uint64_t state = (uint64_t)l->seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)layer;
    for (int64_t i = 0; i < l->n_columns; i++) {
        const int64_t j = tess_random_below(&state, i + 1);
        l->position[i] = l->position[j];
        l->position[j] = (int32_t)i;
    }
}

/* Cuts the prism over a triangle into three tets of positive volume. Its columns a < b < c, by
 * their places, give a0 b0 c0 c1, a0 b0 b1 c1, a0 a1 b1 c1: the diagonal of each vertical quad
 * follows from its two columns, so that the prism beside has the same. */
static tess_status cut_prism(const layers *l, const int32_t *triangle, int64_t k) {
    static const struct {
        int corner[4];
        unsigned upper;
        bool turned; /* over, where a b c turn against the clock's hand */
    } cuts[3] = {{{0, 1, 2, 2}, 010, false}, {{0, 1, 1, 2}, 014, true}, {{0, 0, 1, 2}, 016, false}};
    int32_t column[3] = {triangle[0], triangle[1], triangle[2]};
    bool turned = false;
    for (int pass = 0; pass < 3; pass++) {
        const int i = pass % 2;
        if (l->position[column[i]] > l->position[column[i + 1]]) {
            swap(&column[i], &column[i + 1]);
            turned = !turned;
        }
    }
    for (int t = 0; t < 3; t++) {
        int32_t columns[4];
        for (int i = 0; i < 4; i++)
            columns[i] = column[cuts[t].corner[i]];
        unsigned upper = cuts[t].upper;
        if (turned != cuts[t].turned) { /* the first and the last node change places */
            swap(&columns[0], &columns[3]);
            upper = (upper & 06) | upper >> 3 | (upper & 1) << 3;
        }
        TRY(append(l, TESS_ELEMENT_TET, columns, k, upper, 0));
    }
    return TESS_OK;
}

static tess_status add_tets(const layers *l) {
    for (int64_t k = l->prisms; k < l->prisms + l->tets; k++) {
        order_columns(l, k);
        for (int64_t t = 0; t < l->n_triangles; t++)
            TRY(cut_prism(l, l->triangles + 3 * t, k));
        for (int64_t s = 0; s < l->n_sides; s++) {
            int32_t a = l->sides[2 * s], b = l->sides[2 * s + 1];
            if (l->position[a] > l->position[b])
                swap(&a, &b);
            TRY(append(l, TESS_ELEMENT_TRI, (int32_t[]){a, a, b}, k, 06, l->side));
            TRY(append(l, TESS_ELEMENT_TRI, (int32_t[]){a, b, b}, k, 02, l->side));
        }
    }
    return TESS_OK;
}

static tess_status add_elements(const layers *l, tess_mesh *mesh) {
    TRY(add_prisms(l));
    TRY(add_tets(l));
    for (int64_t t = 0; t < l->n_triangles; t++) {
        const int32_t *c = l->triangles + 3 * t;
        TRY(append(l, TESS_ELEMENT_TRI, c, 0, 0, l->wall));
        TRY(append(l, TESS_ELEMENT_TRI, c, levels_of(l) - 1, 0, l->far));
    }
    return tess_elements_state(l->elements, mesh);
}

/* Refuses a mesh whose sets would be too large before it is made. */
static tess_status size_check(const tess_spec *spec) {
    const double nx = (double)tess_spec_int(spec, options, "nx");
    const double ny = (double)tess_spec_int(spec, options, "ny");
    const double prisms = (double)tess_spec_int(spec, options, "prisms");
    const double tets = (double)tess_spec_int(spec, options, "tets");
    if (prisms + tets < 1)
        FAIL(TESS_ERROR_USAGE, "'layers' needs at least one layer of prisms or of tets");
    const double n_cells = 2 * nx * ny * (prisms + 3 * tets);
    if (n_cells > INT32_MAX)
        FAIL(TESS_ERROR_INPUT,
             "set 'cells' would have %.3g elements; at most 2147483647 are possible", n_cells);
    return TESS_OK;
}

static tess_status layers_of_spec(const tess_spec *spec, const tess_mesh *base, layers *l) {
    const tess_map *triangles = tess_mesh_find_map(base, "cells:nodes");
    const tess_map *sides = tess_mesh_find_map(base, "marked_edges:nodes");
    *l = (layers){.base = base,
                  .n_columns = tess_mesh_set_size(base, "nodes"),
                  .n_triangles = tess_mesh_set_size(base, "cells"),
                  .n_sides = tess_mesh_set_size(base, "marked_edges"),
                  .triangles = triangles->index,
                  .sides = sides->index,
                  .prisms = tess_spec_int(spec, options, "prisms"),
                  .tets = tess_spec_int(spec, options, "tets"),
                  .stretch = tess_spec_real(spec, options, "stretch"),
                  .height = tess_spec_real(spec, options, "height"),
                  .seed = tess_spec_int(spec, options, "seed"),
                  .wing = tess_spec_is(spec, options, "base", "wing")};
    return TESS_ALLOC(l->n_columns, &l->position);
}

static tess_status fill(const tess_spec *spec, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    tess_mesh *base = NULL;
    tess_elements elements = {.n_cut = 0};
    layers l = {.position = NULL};
    CHECK(size_check(spec));
    CHECK(base_make(spec, &base));
    CHECK(layers_of_spec(spec, base, &l));
    l.elements = &elements;
    const int64_t n_nodes = l.n_columns * levels_of(&l);
    CHECK(tess_mesh_add_set(mesh, "nodes", n_nodes, NULL));
    CHECK(TESS_ALLOC(3 * n_nodes, &mesh->coordinates));
    CHECK(tess_mesh_add_marker(mesh, "wall", &l.wall));
    CHECK(tess_mesh_add_marker(mesh, "far", &l.far));
    CHECK(tess_mesh_add_marker(mesh, "sides", &l.side));
    place_nodes(&l, mesh->coordinates);
    CHECK(add_elements(&l, mesh));
done:
    tess_elements_clear(&elements);
    free(l.position);
    tess_mesh_free(base);
    return status;
}

const tess_generator tess_generator_layers = {
    .name = "layers",
    .summary = "layers of prisms under layers of tets, over a plane or around a wing",
    .dimension = 3,
    .options = options,
    .fill = fill};
