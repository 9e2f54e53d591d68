/* Boxes: the generators of a rectangle or a cuboid of quads or hexes in rows, and of triangles,
 * tets or prisms that each quad or hex is cut into. */
#include "core/base/array.h"
#include "core/mesh/cell_type.h"
#include "data/formats/wide_cells.h"
#include "data/generators/generator.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How the boundary is marked: by edges in 2D; in 3D by quads, by two tris each, or by tris on the
 * two z sides only. */
typedef enum box_marks { BY_EDGES, BY_QUADS, BY_TRIS, BY_Z_TRIS } box_marks;

/* The cells into which a quad or a hex is cut. */
typedef struct box_kind {
    const char *set; /* of the cells, and the generator's name */
    int dimension, n_parts;
    box_marks marks;
    signed char corners[36]; /* [n_parts][nodes]: corner number = x + 2 y + 4 z */
} box_kind;

static const box_kind kinds[] = {
    {"quads", 2, 1, BY_EDGES, {0, 1, 3, 2}},
    {"tris", 2, 2, BY_EDGES, {0, 1, 3, 0, 3, 2}},
    {"hexes", 3, 1, BY_QUADS, {0, 1, 3, 2, 4, 5, 7, 6}},
    /* around the hex's diagonal (Kuhn) */
    {"tets", 3, 6, BY_TRIS, {0, 1, 3, 7, 0, 3, 2, 7, 0, 2, 6, 7,
                             0, 6, 4, 7, 0, 4, 5, 7, 0, 5, 1, 7}},
    {"prisms", 3, 2, BY_Z_TRIS, {0, 1, 3, 4, 5, 7, 0, 3, 2, 4, 7, 6}},
};

/* A box as its spec says. */
typedef struct box_shape {
    int dimension;
    int64_t n[3]; /* cells along each axis; 1 along the third in 2D */
    bool periodic[3];
    double length[3];
    double stretch; /* largest / smallest cell along the last axis, which grow geometrically */
} box_shape;

#define STRETCH                                                                                    \
    TESS_REAL_OPTION("stretch", "1", 1, 1e9, "largest / smallest cell along the last axis")
#define PERIODIC(choices)                                                                          \
    TESS_CHOICE_OPTION("periodic", "none", choices,                                                \
                       "axes whose sides are periodic: their nodes are one")

static const tess_option options_2d[] = {
    TESS_INT_OPTION("nx", "100", 1, INT32_MAX, "cells along x"),
    TESS_INT_OPTION("ny", "100", 1, INT32_MAX, "cells along y"),
    TESS_REAL_OPTION("lx", "1", 1e-30, 1e30, "length along x"),
    TESS_REAL_OPTION("ly", "1", 1e-30, 1e30, "length along y"),
    STRETCH,
    PERIODIC("none|x|y|xy"),
    {NULL}};

static const tess_option options_3d[] = {
    TESS_INT_OPTION("nx", "20", 1, INT32_MAX, "cells along x"),
    TESS_INT_OPTION("ny", "20", 1, INT32_MAX, "cells along y"),
    TESS_INT_OPTION("nz", "20", 1, INT32_MAX, "cells along z"),
    TESS_REAL_OPTION("lx", "1", 1e-30, 1e30, "length along x"),
    TESS_REAL_OPTION("ly", "1", 1e-30, 1e30, "length along y"),
    TESS_REAL_OPTION("lz", "1", 1e-30, 1e30, "length along z"),
    STRETCH,
    PERIODIC("none|x|y|z|xy|xz|yz|xyz"),
    {NULL},
};

static tess_status box_of_spec(const tess_spec *spec, int dimension, box_shape *box) {
    const tess_option *options = dimension == 2 ? options_2d : options_3d;
    const char *periodic = tess_spec_text(spec, options, "periodic");
    *box = (box_shape){.dimension = dimension,
                       .n = {1, 1, 1},
                       .stretch = tess_spec_real(spec, options, "stretch")};
    for (int axis = 0; axis < dimension; axis++) {
        const char count[] = {'n', "xyz"[axis], 0}, length[] = {'l', "xyz"[axis], 0};
        box->n[axis] = tess_spec_int(spec, options, count);
        box->length[axis] = tess_spec_real(spec, options, length);
        box->periodic[axis] =
            strcmp(periodic, "none") != 0 && strchr(periodic, "xyz"[axis]) != NULL;
        if (box->periodic[axis] && box->n[axis] < 3)
            FAIL(TESS_ERROR_USAGE, "'%s' is periodic along %c: it needs at least 3 cells there",
                 spec->name, "xyz"[axis]);
    }
    return TESS_OK;
}

static int64_t points_along(const box_shape *box, int axis) {
    return axis >= box->dimension ? 1 : box->n[axis] + !box->periodic[axis];
}

/* a * b, saturated far above any size of a set. */
static int64_t product(int64_t a, int64_t b) {
    const int64_t most = INT64_C(1) << 60;
    return b && a > most / b ? most : a * b;
}

static int32_t point_at(const box_shape *box, int64_t x, int64_t y, int64_t z) {
    const int64_t nx = points_along(box, 0), ny = points_along(box, 1), nz = points_along(box, 2);
    return (int32_t)((z % nz * ny + y % ny) * nx + x % nx);
}

/* Where point i of an axis lies. */
static double position(const box_shape *box, int axis, int64_t i) {
    const double n = (double)box->n[axis], s = (double)i;
    if (axis < box->dimension - 1 || box->stretch == 1 || box->n[axis] < 2)
        return box->length[axis] * s / n;
    const double growth =
        log(box->stretch) / (n - 1); /* of the cells' sizes, from one to the next */
    return box->length[axis] * (expm1(growth * s) / expm1(growth * n));
}

static void place_points(const box_shape *box, double *coordinates) {
    const int64_t nx = points_along(box, 0), ny = points_along(box, 1), nz = points_along(box, 2);
#pragma omp parallel for schedule(static)
    for (int64_t row = 0; row < ny * nz; row++) {
        const double y = position(box, 1, row % ny);
        const double z = box->dimension == 3 ? position(box, 2, row / ny) : 0;
        for (int64_t x = 0; x < nx; x++) {
            double *point = coordinates + (row * nx + x) * box->dimension;
            point[0] = position(box, 0, x);
            point[1] = y;
            if (box->dimension == 3)
                point[2] = z;
        }
    }
}

static tess_status add_cells(const box_shape *box, const box_kind *kind, tess_mesh *mesh) {
    const int64_t n_boxes = product(product(box->n[0], box->n[1]), box->n[2]);
    TRY(tess_mesh_add_set(mesh, "cells", product(n_boxes, kind->n_parts), NULL));
    int32_t *nodes = NULL;
    const int n_nodes = tess_cell_type_of_set(kind->set)->n_nodes;
    const int n_ids = kind->n_parts * n_nodes; /* of a box */
    TRY(TESS_ALLOC(n_boxes * n_ids, &nodes));
#pragma omp parallel for schedule(static)
    for (int64_t row = 0; row < box->n[1] * box->n[2]; row++) {
        const int64_t y = row % box->n[1], z = row / box->n[1];
        for (int64_t x = 0; x < box->n[0]; x++) {
            int32_t *cell = nodes + (row * box->n[0] + x) * n_ids;
            for (int i = 0; i < n_ids; i++) {
                const int corner = kind->corners[i];
                cell[i] = point_at(box, x + (corner & 1), y + (corner >> 1 & 1), z + (corner >> 2));
            }
        }
    }
    return tess_mesh_add_map(mesh, "cells", "nodes", n_nodes, 0, nodes);
}

/* Marked elements in the making. */
typedef struct marked {
    const char *set;
    int arity;
    int64_t n;
    int32_t *nodes, *marker;
} marked;

static void marked_put(marked *to, int32_t marker, const int32_t *nodes) {
    memcpy(to->nodes + to->n * to->arity, nodes, (size_t)to->arity * sizeof *nodes);
    to->marker[to->n++] = marker;
}

/* Marks one side of the box: where `axis` is at its begin (end 0) or end. */
static void mark_side(const box_shape *box, int axis, int end, int32_t marker, bool as_tris,
                      marked *to) {
    const int u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
    const int64_t n_v = box->dimension == 2 ? 1 : box->n[v];
    int64_t at[3] = {0};
    at[axis] = end ? box->n[axis] : 0;
    for (int64_t j = 0; j < n_v; j++) {
        for (int64_t i = 0; i < box->n[u]; i++) {
            int32_t corner[4];
            for (int c = 0; c < 4; c++) { /* around the face */
                at[u] = i + (c == 1 || c == 2);
                at[v] = box->dimension == 2 ? 0 : j + (c > 1);
                corner[c] = point_at(box, at[0], at[1], at[2]);
            }
            marked_put(to, marker, corner);
            if (as_tris)
                marked_put(to, marker, (int32_t[]){corner[0], corner[2], corner[3]});
        }
    }
}

static int64_t sides_of(const box_shape *box, int axis) {
    return box->periodic[axis] ? 0 : 2 * box->n[0] * box->n[1] * box->n[2] / box->n[axis];
}

static tess_status give_marked(tess_mesh *mesh, marked *from) {
    int32_t *nodes = from->nodes, *marker = from->marker;
    if (!from->n)
        return TESS_OK;
    TRY(tess_mesh_add_set(mesh, from->set, from->n, NULL));
    from->nodes = NULL;
    TRY(tess_mesh_add_map(mesh, from->set, "nodes", from->arity, 0, nodes));
    from->marker = NULL;
    return tess_mesh_add_dat(mesh, "marker", from->set, 1, TESS_INT32, marker);
}

static tess_status add_marks(const box_shape *box, box_marks marks, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    marked straight = {.set = marks == BY_EDGES ? "marked_edges" : "marked_quads",
                       .arity = marks == BY_EDGES ? 2 : 4};
    marked tris = {.set = "marked_tris", .arity = 3};
    int64_t n_tris = 0, n_straight = 0;
    for (int axis = 0; axis < box->dimension; axis++) {
        if (marks == BY_TRIS || (marks == BY_Z_TRIS && axis == 2))
            n_tris += 2 * sides_of(box, axis);
        else
            n_straight += sides_of(box, axis);
    }
    CHECK(TESS_ALLOC(n_straight * straight.arity, &straight.nodes));
    CHECK(TESS_ALLOC(n_straight, &straight.marker));
    CHECK(TESS_ALLOC(n_tris * 3, &tris.nodes));
    CHECK(TESS_ALLOC(n_tris, &tris.marker));
    for (int axis = 0; axis < box->dimension; axis++) {
        const bool as_tris = marks == BY_TRIS || (marks == BY_Z_TRIS && axis == 2);
        for (int end = 0; end < 2 && !box->periodic[axis]; end++) {
            const char name[] = {"xyz"[axis], end ? '1' : '0', 0};
            int marker = 0;
            CHECK(tess_mesh_add_marker(mesh, name, &marker));
            mark_side(box, axis, end, marker, as_tris, as_tris ? &tris : &straight);
        }
    }
    CHECK(give_marked(mesh, &straight));
    CHECK(give_marked(mesh, &tris));
done:
    free(straight.nodes);
    free(straight.marker);
    free(tris.nodes);
    free(tris.marker);
    return status;
}

/* Nodes that are one lie at one of the two sides. */
static tess_status warn_of_period(const box_shape *box, tess_mesh *mesh) {
    double period[3] = {0};
    bool is_periodic = false;
    tess_extent_of(mesh, period);
    for (int axis = 0; axis < box->dimension; axis++) {
        period[axis] = box->periodic[axis] ? period[axis] : 0;
        is_periodic = is_periodic || box->periodic[axis];
    }
    return is_periodic ? tess_wide_cells_warn(mesh, period, "the mesh is periodic") : TESS_OK;
}

static tess_status box_fill(const tess_spec *spec, tess_mesh *mesh) {
    box_shape box;
    const box_kind *kind = kinds;
    while (strcmp(kind->set, spec->name) != 0)
        kind++;
    TRY(box_of_spec(spec, kind->dimension, &box));
    const int64_t n_nodes =
        product(product(points_along(&box, 0), points_along(&box, 1)), points_along(&box, 2));
    TRY(tess_mesh_add_set(mesh, "nodes", n_nodes, NULL));
    TRY(TESS_ALLOC(n_nodes * kind->dimension, &mesh->coordinates));
    TRY(add_cells(&box, kind, mesh));
    place_points(&box, mesh->coordinates);
    TRY(add_marks(&box, kind->marks, mesh));
    for (int axis = 0; axis < kind->dimension && kind->n_parts == 1; axis++)
        mesh->shape[axis] = box.n[axis];
    return warn_of_period(&box, mesh);
}

const tess_generator tess_generator_quads = {
    "quads", "a rectangle of quads, its shape kept for bricks", 2, options_2d, box_fill};
const tess_generator tess_generator_tris = {"tris", "a rectangle of right triangles, two a quad", 2,
                                            options_2d, box_fill};
const tess_generator tess_generator_hexes = {
    "hexes", "a cuboid of hexes, its shape kept for bricks", 3, options_3d, box_fill};
const tess_generator tess_generator_tets = {
    "tets", "a cuboid of tets, six a hex around its diagonal", 3, options_3d, box_fill};
const tess_generator tess_generator_prisms = {
    "prisms", "a cuboid of prisms, two a hex, in layers along z", 3, options_3d, box_fill};
