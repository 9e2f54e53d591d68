/* The generator `irregular`: a Delaunay triangulation of points that are moved at random.
 *
 * The points of a square grid are moved by less than a quarter of its spacing, which leaves the
 * grid's triangles valid; edges are flipped until all are Delaunay (Lawson 1977). Then, round after
 * round, points are moved farther where the triangles around stay valid, and edges flipped again:
 * the grid is forgotten. Coordinates are whole numbers, so that every test is exact and the flips
 * end. */
#include "core/base/array.h"
#include "data/generators/generator.h"

#include <stdlib.h>

static const tess_option options[] = {
    TESS_INT_OPTION("nx", "100", 1, 1 << 16, "points along x, less one"),
    TESS_INT_OPTION("ny", "100", 1, 1 << 16, "points along y, less one; 2 nx ny triangles"),
    TESS_REAL_OPTION("jitter", "1", 0, 1, "how far points are moved, of what is possible"),
    TESS_INT_OPTION("rounds", "4", 0, 100, "how often points are moved: 0 keeps the grid"),
    TESS_INT_OPTION("seed", "0", 0, 1e15, "of the moves and the grid's diagonals"),
    {NULL},
};

enum { SPACING = 1 << 12, MOST_MOVE = SPACING / 4 - 1 };

/* Triangles with their neighbours: neighbour[3 t + i] lies across the edge opposite to node i. */
typedef struct triangulation {
    int64_t nx, ny, n_points, n_triangles;
    int64_t *x, *y;     /* [n_points] */
    int32_t *node;      /* [n_triangles][3], against the clock's hand */
    int32_t *neighbour; /* [n_triangles][3], -1 at the boundary */
} triangulation;

static uint64_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state ^ *state >> 29) >> 16;
}

/* A whole number in [-most, most]. */
static int64_t random_move(uint64_t *state, int64_t most) {
    return (int64_t)(next_random(state) % (uint64_t)(2 * most + 1)) - most;
}

static void place_points(triangulation *mesh, double jitter, uint64_t *state) {
    const int64_t most = (int64_t)(jitter * MOST_MOVE);
    for (int64_t j = 0; j <= mesh->ny; j++) {
        for (int64_t i = 0; i <= mesh->nx; i++) {
            const int64_t point = j * (mesh->nx + 1) + i;
            const int64_t move_x = random_move(state, most), move_y = random_move(state, most);
            mesh->x[point] = i * SPACING + (i > 0 && i < mesh->nx ? move_x : 0);
            mesh->y[point] = j * SPACING + (j > 0 && j < mesh->ny ? move_y : 0);
        }
    }
}

/* Number of the triangle at side `side` of grid cell (i, j), -1 outside: 0 below, 1 right, 2 above,
 * 3 left. Both triangles of a cell are numbered 2 * cell and 2 * cell + 1. A cell's first triangle
 * has its lower side; `falling` cells are cut from the upper left to the lower right. */
static int32_t triangle_at(const triangulation *mesh, const uint8_t *falling, int64_t i, int64_t j,
                           int side) {
    if (i < 0 || j < 0 || i >= mesh->nx || j >= mesh->ny)
        return -1;
    const int64_t cell = j * mesh->nx + i;
    const bool second = side == 2 || (falling[cell] ? side == 1 : side == 3);
    return (int32_t)(2 * cell + second);
}

static void cut_cells(triangulation *mesh, const uint8_t *falling) {
    for (int64_t j = 0; j < mesh->ny; j++) {
        for (int64_t i = 0; i < mesh->nx; i++) {
            const int64_t cell = j * mesh->nx + i;
            const int32_t a = (int32_t)(j * (mesh->nx + 1) + i), b = a + 1;
            const int32_t d = (int32_t)(a + mesh->nx + 1), c = d + 1;
            const int32_t below = triangle_at(mesh, falling, i, j - 1, 2);
            const int32_t right = triangle_at(mesh, falling, i + 1, j, 3);
            const int32_t above = triangle_at(mesh, falling, i, j + 1, 0);
            const int32_t left = triangle_at(mesh, falling, i - 1, j, 1);
            const int32_t first = (int32_t)(2 * cell), second = first + 1;
            const int32_t nodes[2][6] = {{a, b, c, a, c, d}, {a, b, d, b, c, d}};
            const int32_t across[2][6] = {{right, second, below, above, left, first},
                                          {second, left, below, above, first, right}};
            for (int k = 0; k < 6; k++) {
                mesh->node[6 * cell + k] = nodes[falling[cell]][k];
                mesh->neighbour[6 * cell + k] = across[falling[cell]][k];
            }
        }
    }
}

/* Whether point d lies strictly inside the circle around a, b, c, which turn against the clock's
 * hand. Differences are below 2^30, so that the determinant fits 128 bits. */
static bool in_circle(const triangulation *mesh, int32_t a, int32_t b, int32_t c, int32_t d) {
    const int64_t ax = mesh->x[a] - mesh->x[d], ay = mesh->y[a] - mesh->y[d];
    const int64_t bx = mesh->x[b] - mesh->x[d], by = mesh->y[b] - mesh->y[d];
    const int64_t cx = mesh->x[c] - mesh->x[d], cy = mesh->y[c] - mesh->y[d];
    __extension__ typedef __int128 wide;
    const wide sum = (wide)(ax * ax + ay * ay) * (bx * cy - by * cx) +
                     (wide)(bx * bx + by * by) * (cx * ay - cy * ax) +
                     (wide)(cx * cx + cy * cy) * (ax * by - ay * bx);
    return sum > 0;
}

static int position_of(const triangulation *mesh, int32_t triangle, int32_t neighbour) {
    const int32_t *of = mesh->neighbour + 3 * (int64_t)triangle;
    return of[0] == neighbour ? 0 : of[1] == neighbour ? 1 : 2;
}

/* Turns the edge between triangle t (opposite to its node i) and its neighbour u if it is not
 * Delaunay: t = (p, b, c), u = (q, c, b) become (p, b, q), (p, q, c). */
static bool flip(triangulation *mesh, int32_t t, int i) {
    int32_t *t_node = mesh->node + 3 * (int64_t)t, *t_next = mesh->neighbour + 3 * (int64_t)t;
    const int32_t u = t_next[i];
    if (u < 0)
        return false;
    const int k = position_of(mesh, u, t);
    int32_t *u_node = mesh->node + 3 * (int64_t)u, *u_next = mesh->neighbour + 3 * (int64_t)u;
    const int32_t p = t_node[i], b = t_node[(i + 1) % 3], c = t_node[(i + 2) % 3], q = u_node[k];
    if (!in_circle(mesh, p, b, c, q))
        return false;
    const int32_t beyond_pc = t_next[(i + 1) % 3], beyond_pb = t_next[(i + 2) % 3];
    const int32_t beyond_qb = u_next[(k + 1) % 3], beyond_qc = u_next[(k + 2) % 3];
    const int32_t t_new[] = {p, b, q, beyond_qb, u, beyond_pb};
    const int32_t u_new[] = {p, q, c, beyond_qc, beyond_pc, t};
    if (beyond_qb >= 0)
        mesh->neighbour[3 * (int64_t)beyond_qb + position_of(mesh, beyond_qb, u)] = t;
    if (beyond_pc >= 0)
        mesh->neighbour[3 * (int64_t)beyond_pc + position_of(mesh, beyond_pc, t)] = u;
    for (int n = 0; n < 3; n++) {
        t_node[n] = t_new[n];
        t_next[n] = t_new[3 + n];
        u_node[n] = u_new[n];
        u_next[n] = u_new[3 + n];
    }
    return true;
}

/* Flips until every edge is Delaunay; the stack holds triangles whose edges are to be looked at. */
static tess_status make_delaunay(triangulation *mesh) {
    tess_status status = TESS_OK;
    int32_t *stack = NULL;
    int64_t capacity = 0;
    for (int64_t first = 0; first < mesh->n_triangles; first++) {
        CHECK(TESS_RESERVE(1, &capacity, &stack));
        stack[0] = (int32_t)first;
        for (int64_t n = 1; n > 0;) {
            const int32_t t = stack[--n];
            for (int i = 0; i < 3; i++) {
                const int32_t u = mesh->neighbour[3 * (int64_t)t + i];
                if (!flip(mesh, t, i))
                    continue;
                CHECK(TESS_RESERVE(n + 2, &capacity, &stack));
                stack[n++] = u;
                stack[n++] = t;
                break;
            }
        }
    }
done:
    free(stack);
    return status;
}

/* Whether the triangle's nodes turn against the clock's hand. */
static bool is_valid(const triangulation *mesh, int32_t triangle) {
    const int32_t *node = mesh->node + 3 * (int64_t)triangle;
    const int64_t ux = mesh->x[node[1]] - mesh->x[node[0]],
                  uy = mesh->y[node[1]] - mesh->y[node[0]];
    const int64_t vx = mesh->x[node[2]] - mesh->x[node[0]],
                  vy = mesh->y[node[2]] - mesh->y[node[0]];
    return ux * vy - uy * vx > 0;
}

/* Whether all triangles around an inner point are valid; `first` is one of them. */
static bool star_is_valid(const triangulation *mesh, int32_t point, int32_t first) {
    int32_t t = first;
    do {
        if (!is_valid(mesh, t))
            return false;
        const int32_t *node = mesh->node + 3 * (int64_t)t;
        const int position = node[0] == point ? 0 : node[1] == point ? 1 : 2;
        t = mesh->neighbour[3 * (int64_t)t + (position + 1) % 3];
    } while (t != first);
    return true;
}

/* Moves every inner point at random, or leaves it where a triangle would turn over. `star` has room
 * for a triangle of each point. */
static void move_points(triangulation *mesh, double jitter, int32_t *star, uint64_t *state) {
    const int64_t most = (int64_t)(jitter * SPACING / 2);
    for (int64_t i = 0; i < 3 * mesh->n_triangles; i++)
        star[mesh->node[i]] = (int32_t)(i / 3);
    for (int64_t j = 1; j < mesh->ny; j++) {
        for (int64_t i = 1; i < mesh->nx; i++) {
            const int64_t point = j * (mesh->nx + 1) + i;
            const int64_t x = mesh->x[point], y = mesh->y[point];
            mesh->x[point] += random_move(state, most);
            mesh->y[point] += random_move(state, most);
            if (!star_is_valid(mesh, (int32_t)point, star[point])) {
                mesh->x[point] = x;
                mesh->y[point] = y;
            }
        }
    }
}

/* Moves and flips round after round. */
static tess_status make_irregular(triangulation *mesh, double jitter, int64_t rounds,
                                  uint64_t *state) {
    tess_status status = TESS_OK;
    int32_t *star = NULL;
    CHECK(TESS_ALLOC(mesh->n_points, &star));
    for (int64_t round = 0; round < rounds; round++) {
        if (round > 0)
            move_points(mesh, jitter, star, state);
        CHECK(make_delaunay(mesh));
    }
done:
    free(star);
    return status;
}

/* Marks the boundary, whose edges are those of the grid: x0, x1, y0, y1. */
static tess_status add_marked(const triangulation *grid, tess_mesh *mesh) {
    static const char *const names[] = {"x0", "x1", "y0", "y1"};
    const int64_t nx = grid->nx, ny = grid->ny, row = nx + 1;
    int32_t *nodes = NULL, *marker = NULL;
    TRY(tess_mesh_add_set(mesh, "marked_edges", 2 * (nx + ny), NULL));
    TRY(TESS_ALLOC(4 * (nx + ny), &nodes));
    int64_t at = 0;
    for (int side = 0; side < 4; side++) {
        const int64_t first = side == 1 ? nx : side == 3 ? ny * row : 0;
        for (int64_t i = 0; i < (side < 2 ? ny : nx); i++) {
            nodes[at++] = (int32_t)(first + i * (side < 2 ? row : 1));
            nodes[at++] = (int32_t)(first + (i + 1) * (side < 2 ? row : 1));
        }
    }
    TRY(tess_mesh_add_map(mesh, "marked_edges", "nodes", 2, 0, nodes));
    TRY(TESS_ALLOC(2 * (nx + ny), &marker));
    at = 0;
    for (int side = 0; side < 4; side++)
        for (int64_t i = 0; i < (side < 2 ? ny : nx); i++)
            marker[at++] = side;
    TRY(tess_mesh_add_dat(mesh, "marker", "marked_edges", 1, TESS_INT32, marker));
    for (int side = 0; side < 4; side++) {
        int number = 0;
        TRY(tess_mesh_add_marker(mesh, names[side], &number));
    }
    return TESS_OK;
}

static tess_status give(triangulation *grid, tess_mesh *mesh) {
    const double unit = 1.0 / (double)(SPACING * grid->nx);
    TRY(TESS_ALLOC(2 * grid->n_points, &mesh->coordinates));
    for (int64_t i = 0; i < grid->n_points; i++) {
        mesh->coordinates[2 * i] = (double)grid->x[i] * unit;
        mesh->coordinates[2 * i + 1] = (double)grid->y[i] * unit;
    }
    int32_t *nodes = TESS_TAKE(grid->node);
    TRY(tess_mesh_add_map(mesh, "cells", "nodes", 3, 0, nodes));
    return add_marked(grid, mesh);
}

static tess_status fill(const tess_spec *spec, tess_mesh *mesh) {
    tess_status status = TESS_OK;
    uint8_t *falling = NULL;
    triangulation grid = {.nx = tess_spec_int(spec, options, "nx"),
                          .ny = tess_spec_int(spec, options, "ny")};
    uint64_t state = (uint64_t)tess_spec_int(spec, options, "seed");
    grid.n_points = (grid.nx + 1) * (grid.ny + 1);
    grid.n_triangles = 2 * grid.nx * grid.ny;
    CHECK(tess_mesh_add_set(mesh, "nodes", grid.n_points, NULL));
    CHECK(tess_mesh_add_set(mesh, "cells", grid.n_triangles, NULL));
    CHECK(TESS_ALLOC(grid.n_points, &grid.x));
    CHECK(TESS_ALLOC(grid.n_points, &grid.y));
    CHECK(TESS_ALLOC(3 * grid.n_triangles, &grid.node));
    CHECK(TESS_ALLOC(3 * grid.n_triangles, &grid.neighbour));
    CHECK(TESS_ALLOC(grid.nx * grid.ny, &falling));
    next_random(&state);
    const double jitter = tess_spec_real(spec, options, "jitter");
    const int64_t rounds = tess_spec_int(spec, options, "rounds");
    place_points(&grid, rounds ? jitter : 0, &state);
    for (int64_t cell = 0; cell < grid.nx * grid.ny; cell++)
        falling[cell] = (uint8_t)(next_random(&state) & 1);
    cut_cells(&grid, falling);
    CHECK(make_irregular(&grid, jitter, rounds, &state));
    CHECK(give(&grid, mesh));
done:
    free(falling);
    free(grid.x);
    free(grid.y);
    free(grid.node);
    free(grid.neighbour);
    return status;
}

const tess_generator tess_generator_irregular = {
    .name = "irregular",
    .summary = "Delaunay triangles of a rectangle's points moved at random",
    .dimension = 2,
    .options = options,
    .fill = fill};
