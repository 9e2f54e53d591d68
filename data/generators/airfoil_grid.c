/* The generator `airfoil`: a C-grid around the NACA 0012 profile with the sets and maps of OP2's
 * airfoil mesh (new_grid.dat): i=400:j=600 has its 721,801 nodes and 720,000 cells.
 *
 * With z = w^2 the plane around a thin profile becomes a strip: the profile, seen from half its
 * nose radius behind the nose, is a low bump on w's real axis between -1 and 1, the wake the rest
 * of it. Lines of the grid are straight in w. The wake's nodes exist once on either side: edges
 * join the cells across it, as OP2's mesh states them. */
#include "core/base/array.h"
#include "data/generators/generator.h"

#include <math.h>
#include <stdlib.h>

static const tess_option options[] = {
    TESS_INT_OPTION("i", "400", 2, INT32_MAX, "edges along the profile, and along the wake"),
    TESS_INT_OPTION("j", "600", 1, INT32_MAX, "cells from the profile to the far field"),
    TESS_REAL_OPTION("stretch", "1", 1, 1e9,
                     "farthest / nearest cell's height: a boundary layer on the profile"),
    TESS_REAL_OPTION(
        "turn", "0", -90, 90,
        "degrees to turn the grid by, about the nose's focus: 3 meets airfoil's stream"),
    {NULL},
};

/* Half the thickness of a NACA 0012 with a closed trailing edge at x of the chord (Abbott, von
 * Doenhoff: Theory of wing sections). */
static double half_thickness(double x) {
    if (x <= 0 || x >= 1)
        return 0;
    return 0.6 * (0.2969 * sqrt(x) + x * (-0.1260 + x * (-0.3516 + x * (0.2843 - x * 0.1036))));
}

/* The nose radius is 1.1019 t^2 of the chord. */
static const double focus = 1.1019 * 0.12 * 0.12 / 2;

/* Imaginary part of w on the profile where its real part is u: w^2 = x + i y with y the half
 * thickness at x, found by bisection, as x falls and y rises with it. */
static double profile_height(double u) {
    const double chord = 1 + focus;
    double low = 0, high = sqrt(u * u + focus);
    for (int step = 0; step < 80; step++) {
        const double v = (low + high) / 2;
        const double inside =
            chord * half_thickness((u * u - v * v + focus) / chord) - 2 * fabs(u) * v;
        *(inside > 0 ? &low : &high) = v;
    }
    return u == 0 ? sqrt(focus) : (low + high) / 2;
}

typedef struct c_grid {
    int64_t ni, nj; /* cells around and outwards */
    int64_t n_profile;
    double stretch, turn; /* turn in radians, against the clock's hand */
} c_grid;

static int32_t node_at(const c_grid *grid, int64_t i, int64_t j) {
    return (int32_t)(j * (grid->ni + 1) + i);
}

static void turn_node(double angle, double *node) {
    const double x = node[0], y = node[1];
    node[0] = cos(angle) * x - sin(angle) * y;
    node[1] = sin(angle) * x + cos(angle) * y;
}

static void place_nodes(const c_grid *grid, double *coordinates) {
    const double extent = 3; /* of w: far field at 9 chords */
    const double growth = grid->nj > 1 ? log(grid->stretch) / (double)(grid->nj - 1) : 0;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i <= grid->ni; i++) {
        const int64_t off = 2 * i - grid->ni; /* from the nose */
        const double u = extent * (double)off / (double)grid->ni;
        const double floor = llabs(off) < grid->n_profile ? profile_height(u) : 0;
        for (int64_t j = 0; j <= grid->nj; j++) {
            const double share = growth > 0
                                     ? expm1(growth * (double)j) / expm1(growth * (double)grid->nj)
                                     : (double)j / (double)grid->nj;
            const double v = floor + (extent - floor) * share;
            double *node = coordinates + 2 * (int64_t)node_at(grid, i, j);
            node[0] = u * u - v * v;
            node[1] = 2 * u * v;
            if (grid->turn != 0)
                turn_node(grid->turn, node);
        }
    }
}

static tess_status add_cells(const c_grid *grid, tess_mesh *mesh) {
    int32_t *nodes = NULL;
    TRY(TESS_ALLOC(4 * grid->ni * grid->nj, &nodes));
#pragma omp parallel for schedule(static)
    for (int64_t j = 0; j < grid->nj; j++) {
        for (int64_t i = 0; i < grid->ni; i++) {
            int32_t *cell = nodes + 4 * (j * grid->ni + i);
            cell[0] = node_at(grid, i, j);
            cell[1] = node_at(grid, i + 1, j);
            cell[2] = node_at(grid, i + 1, j + 1);
            cell[3] = node_at(grid, i, j + 1);
        }
    }
    return tess_mesh_add_map(mesh, "cells", "nodes", 4, 0, nodes);
}

/* A pair of maps in the making: side:nodes (two) and side:cells. */
typedef struct side_maps {
    int64_t n;
    int n_cells;
    int32_t *nodes, *cells;
} side_maps;

/* Adds a side whose first cell lies to the right of the way from node a to node b. */
static void put_side(side_maps *sides, int32_t a, int32_t b, int64_t first, int64_t second) {
    sides->nodes[2 * sides->n] = a;
    sides->nodes[2 * sides->n + 1] = b;
    sides->cells[sides->n_cells * sides->n] = (int32_t)first;
    if (sides->n_cells == 2)
        sides->cells[2 * sides->n + 1] = (int32_t)second;
    sides->n++;
}

static tess_status give_sides(const char *set, side_maps *sides, tess_mesh *mesh) {
    int32_t *nodes = sides->nodes, *cells = sides->cells;
    TRY(tess_mesh_add_set(mesh, set, sides->n, NULL));
    sides->nodes = NULL;
    TRY(tess_mesh_add_map(mesh, set, "nodes", 2, 0, nodes));
    sides->cells = NULL;
    return tess_mesh_add_map(mesh, set, "cells", sides->n_cells, 0, cells);
}

/* The edges cell by cell: across the wake, above, right. */
static tess_status add_edges(const c_grid *grid, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    const int64_t ni = grid->ni, nj = grid->nj, n_wake = (ni - grid->n_profile) / 2;
    const int64_t n = n_wake + ni * (nj - 1) + (ni - 1) * nj;
    side_maps edges = {.n_cells = 2};
    CHECK(TESS_ALLOC(2 * n, &edges.nodes));
    CHECK(TESS_ALLOC(2 * n, &edges.cells));
    for (int64_t j = 0; j < nj; j++) {
        for (int64_t i = 0; i < ni; i++) {
            const int64_t cell = j * ni + i;
            if (j == 0 && i < n_wake)
                put_side(&edges, node_at(grid, i, 0), node_at(grid, i + 1, 0), ni - 1 - i, cell);
            if (j < nj - 1)
                put_side(&edges, node_at(grid, i, j + 1), node_at(grid, i + 1, j + 1), cell,
                         cell + ni);
            if (i < ni - 1)
                put_side(&edges, node_at(grid, i + 1, j), node_at(grid, i + 1, j + 1), cell + 1,
                         cell);
        }
    }
    CHECK(give_sides("edges", &edges, mesh));
done:
    free(edges.nodes);
    free(edges.cells);
    return status;
}

/* The boundary against the clock's hand, and what bounds there: 1 the profile, 2 the far field. */
static tess_status add_boundary(const c_grid *grid, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    const int64_t ni = grid->ni, nj = grid->nj, n_wake = (ni - grid->n_profile) / 2;
    const int64_t n = grid->n_profile + ni + 2 * nj;
    side_maps bedges = {.n_cells = 1};
    int32_t *bound = NULL;
    CHECK(TESS_ALLOC(2 * n, &bedges.nodes));
    CHECK(TESS_ALLOC(n, &bedges.cells));
    CHECK(TESS_ALLOC(n, &bound));
    for (int64_t i = n_wake; i < ni - n_wake; i++)
        put_side(&bedges, node_at(grid, i + 1, 0), node_at(grid, i, 0), i, 0);
    for (int64_t j = 0; j < nj; j++)
        put_side(&bedges, node_at(grid, ni, j + 1), node_at(grid, ni, j), j * ni + ni - 1, 0);
    for (int64_t i = ni; i-- > 0;)
        put_side(&bedges, node_at(grid, i, nj), node_at(grid, i + 1, nj), (nj - 1) * ni + i, 0);
    for (int64_t j = nj; j-- > 0;)
        put_side(&bedges, node_at(grid, 0, j), node_at(grid, 0, j + 1), j * ni, 0);
    for (int64_t e = 0; e < n; e++)
        bound[e] = e < grid->n_profile ? 1 : 2;
    CHECK(give_sides("bedges", &bedges, mesh));
    CHECK(tess_mesh_add_dat(mesh, "bound", "bedges", 1, TESS_INT32, TESS_TAKE(bound)));
done:
    free(bedges.nodes);
    free(bedges.cells);
    free(bound);
    return status;
}

static tess_status fill(const tess_spec *spec, tess_mesh *mesh) {
    const c_grid grid = {.ni = 3 * tess_spec_int(spec, options, "i"),
                         .nj = tess_spec_int(spec, options, "j"),
                         .n_profile = tess_spec_int(spec, options, "i"),
                         .stretch = tess_spec_real(spec, options, "stretch"),
                         .turn = tess_spec_real(spec, options, "turn") * acos(-1) / 180};
    TRY(tess_mesh_add_set(mesh, "nodes", (grid.ni + 1) * (grid.nj + 1), NULL));
    TRY(tess_mesh_add_set(mesh, "cells", grid.ni * grid.nj, NULL));
    TRY(TESS_ALLOC(2 * (grid.ni + 1) * (grid.nj + 1), &mesh->coordinates));
    place_nodes(&grid, mesh->coordinates);
    TRY(add_cells(&grid, mesh));
    TRY(add_edges(&grid, mesh));
    mesh->shape[0] = grid.ni;
    mesh->shape[1] = grid.nj;
    return add_boundary(&grid, mesh);
}

const tess_generator tess_generator_airfoil = {
    .name = "airfoil",
    .summary = "OP2's airfoil mesh in any size: a C-grid with its maps (3 i j quads)",
    .dimension = 2,
    .options = options,
    .fill = fill};
