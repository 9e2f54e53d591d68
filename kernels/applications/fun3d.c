/* fun3d: compressible Navier-Stokes by node-centred finite volumes on tets and prisms: the loops of
 * FUN3D that NASA's paper on atomic updates measures, around a body in a free stream. */
#include "core/base/array.h"
#include "core/mesh/cells.h"
#include "core/mesh/derive.h"
#include "kernels/applications/dual_mesh.h"
#include "kernels/applications/kernel_table.h"
#include "kernels/text/embed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double real;
#include "kernels/applications/fun3d/fun3d_flow_kernels.h"
#include "kernels/applications/fun3d/fun3d_matrix_kernels.h"

#define CONTENT(path) TESS_FILE_CONTENT(TESS_KERNELS_DIR "/applications/fun3d/" path)
TESS_EMBED_FILES(tess_fun3d_text,
                 CONTENT("fun3d_flow_kernels.h") CONTENT("fun3d_matrix_kernels.h"));

REFERENCE(zero, 4)
REFERENCE(qr_first, 4)
REFERENCE(qr_second, 6)
REFERENCE(qr_third, 8)
REFERENCE(qr, 4)
REFERENCE(lstgs, 12)
REFERENCE(roe_flux, 13)
REFERENCE(visrhs_tets, 5)
REFERENCE(visrhs_prisms, 5)
REFERENCE(visjac_tets, 6)
REFERENCE(visjac_prisms, 6)
REFERENCE(spmv, 3)
REFERENCE(spmv_diagonal, 3)
REFERENCE(sweep, 6)
REFERENCE(correct, 2)
REFERENCE(keep, 2)
REFERENCE(update, 6)

#define BOTH(dat, dim, access) ARG_BOTH("left_edges:nodes", "nodes", dat, dim, "real", access)

static const tess_kernel_arg zero_args[] = {
    ARG_ON("nodes", "gx", 5, "real", TESS_WRITE),
    ARG_ON("nodes", "gy", 5, "real", TESS_WRITE),
    ARG_ON("nodes", "gz", 5, "real", TESS_WRITE),
    ARG_ON("nodes", "res", 5, "real", TESS_WRITE),
};

static const tess_kernel_arg qr_first_args[] = {
    BOTH("x", 3, TESS_READ),
    BOTH("qr_first", 3, TESS_INC),
};

static const tess_kernel_arg qr_second_args[] = {
    BOTH("x", 3, TESS_READ),
    BOTH("qr_first", 3, TESS_READ),
    BOTH("qr_second", 2, TESS_INC),
};

static const tess_kernel_arg qr_third_args[] = {
    BOTH("x", 3, TESS_READ),
    BOTH("qr_first", 3, TESS_READ),
    BOTH("qr_second", 2, TESS_READ),
    BOTH("qr_third", 1, TESS_INC),
};

static const tess_kernel_arg qr_args[] = {
    ARG_ON("nodes", "qr_first", 3, "real", TESS_READ),
    ARG_ON("nodes", "qr_second", 2, "real", TESS_READ),
    ARG_ON("nodes", "qr_third", 1, "real", TESS_READ),
    ARG_ON("nodes", "r", 6, "real", TESS_WRITE),
};

static const tess_kernel_arg lstgs_args[] = {
    BOTH("q", 5, TESS_READ), BOTH("x", 3, TESS_READ), BOTH("r", 6, TESS_READ),
    BOTH("gx", 5, TESS_INC), BOTH("gy", 5, TESS_INC), BOTH("gz", 5, TESS_INC),
};

static const tess_kernel_arg roe_flux_args[] = {
    BOTH("q", 5, TESS_READ),  BOTH("gx", 5, TESS_READ),
    BOTH("gy", 5, TESS_READ), BOTH("gz", 5, TESS_READ),
    BOTH("x", 3, TESS_READ),  ARG_ON("left_edges", "normal", 4, "real", TESS_READ),
    BOTH("res", 5, TESS_INC),
};

/* The gradients in parts: the weights of an edge at its two ends, and one variable after another. A
 * block that runs phase after phase stages nine values of a node at most, not 29. */
static const tess_between lstgs_between[] = {{"weights", 6}};
static const tess_kernel_part lstgs_parts[] = {
    {.name = "lstgs_weights", .n_takes = 4, .takes = {2, 3, 4, 5}, .n_gives = 1, .gives = {0}},
    {.name = "lstgs_add",
     .each = TESS_PART_NUMBER,
     .number = 5,
     .n_takes = 3,
     .takes = {0, 1, ~0},
     .n_adds = 6,
     .adds = {6, 7, 8, 9, 10, 11}},
};

/* The fluxes in parts: half the edge; one variable after another as its two ends see it in the
 * middle; Roe's flux of what they see. A block that runs phase after phase stages five values of a
 * node at most, not 28. */
static const tess_between roe_between[] = {{"half", 3}, {"ends", 10}};
static const tess_kernel_part roe_flux_parts[] = {
    {.name = "roe_half", .n_takes = 2, .takes = {8, 9}, .n_gives = 1, .gives = {0}},
    {.name = "roe_ends",
     .each = TESS_PART_NUMBER,
     .number = 5,
     .n_takes = 9,
     .takes = {0, 1, 2, 3, 4, 5, 6, 7, ~0},
     .n_gives = 1,
     .gives = {1}},
    {.name = "roe_sum", .n_takes = 2, .takes = {10, ~1}, .n_adds = 2, .adds = {11, 12}},
};

/* Of the residual, momentum and energy: density has no viscous flux. */
#define VISRHS_ARGS(map_)                                                                          \
    ARG_GLOBAL("scale", 1, "real", TESS_READ),                                                     \
        ARG_THROUGH(map_, -1, "nodes", "x", 3, "real", TESS_READ),                                 \
        ARG_THROUGH(map_, -1, "nodes", "q", 5, "real", TESS_READ),                                 \
        ARG_THROUGH(map_, -1, "nodes", "amut", 1, "real", TESS_READ),                              \
        ARG_VIEW_THROUGH(map_, -1, "nodes", "res", 1, 4, 5, "real", TESS_INC)

static const tess_kernel_arg visrhs_tets_args[] = {VISRHS_ARGS("tets:nodes")};
static const tess_kernel_arg visrhs_prisms_args[] = {VISRHS_ARGS("prisms:nodes")};

/* What the parts of a prism pass on; of the args scale 0, x 1, q 2, amut 3. A thread finds it all
 * at once, lanes share the work. */
static const tess_between prism_between[] = {{"centre", 3}, {"m", 15}, {"w", 18},    {"t", 6},
                                             {"flow", 18},  {"mu", 6}, {"kappa", 6}, {"volume", 6}};
#define PRISM_TERMS                                                                                \
    {"prism_terms",  TESS_PART_ONCE, 4, 5, 0, {0, 1, 2, 3}, {0, 1, 2, 3, 4}, {0}, NULL, 0,         \
     TESS_USE_THREAD},                                                                             \
        {"prism_centre", TESS_PART_NUMBER, 1, 1, 0, {1}, {0}, {0}, NULL, 3, TESS_USE_LANES},       \
        {"prism_face", TESS_PART_NUMBER, 1, 1, 0, {1}, {1}, {0}, NULL, 5, TESS_USE_LANES},         \
        {"prism_node",  TESS_PART_SLOT, 5, 5, 0, {1, 2, 3, ~0, ~1}, {2, 3, 5, 6, 7}, {0}, NULL, 0, \
         TESS_USE_LANES},                                                                          \
    {                                                                                              \
        "prism_flow", TESS_PART_NUMBER, 7, 1, 0, {0, 2, ~2, ~3, ~5, ~6, ~7}, {4}, {0}, NULL, 18,   \
            TESS_USE_LANES                                                                         \
    }
static const tess_kernel_part visrhs_prisms_parts[] = {
    PRISM_TERMS,
    {.name = "visrhs_prism_edge",
     .each = TESS_PART_EDGE,
     .n_takes = 6,
     .takes = {1, 2, ~0, ~1, ~3, ~4},
     .n_adds = 1,
     .adds = {4}},
};

/* The matrix: 17 entries of a block of 5 by 5, on nodes the diagonal, on pairs of nodes the others.
 */
#define VISJAC_ARGS(cells_)                                                                        \
    ARG_GLOBAL("scale", 1, "real", TESS_READ),                                                     \
        ARG_THROUGH(cells_ ":nodes", -1, "nodes", "x", 3, "real", TESS_READ),                      \
        ARG_THROUGH(cells_ ":nodes", -1, "nodes", "q", 5, "real", TESS_READ),                      \
        ARG_THROUGH(cells_ ":nodes", -1, "nodes", "amut", 1, "real", TESS_READ),                   \
        ARG_MATRIX(cells_, "jac", 17, "real", "float")

/* Their parts: what a cell's blocks share, and a block, or what an edge adds to a column; of the
 * args scale 0, x 1, q 2, amut 3. */
static const tess_between tet_between[] = {{"w", 12},    {"t", 4},    {"flow", 18},   {"mu", 4},
                                           {"kappa", 4}, {"node", 8}, {"stress", 11}, {"rows", 72}};
static const tess_kernel_part visjac_tets_parts[] = {
    {.name = "visjac_tet_terms",
     .n_takes = 4,
     .takes = {0, 1, 2, 3},
     .n_gives = 3,
     .gives = {0, 1, 2},
     .only = TESS_USE_THREAD | TESS_USE_EDGES},
    {.name = "visjac_tet_stress",
     .n_takes = 4,
     .takes = {0, 1, 2, 3},
     .n_gives = 3,
     .gives = {0, 5, 6},
     .only = TESS_USE_THREAD | TESS_USE_SLOTS},
    {.name = "visjac_tet_node",
     .each = TESS_PART_SLOT,
     .n_takes = 3,
     .takes = {1, 2, 3},
     .n_gives = 5,
     .gives = {0, 1, 3, 4, 5},
     .only = TESS_USE_LANES},
    {.name = "tet_flow",
     .each = TESS_PART_NUMBER,
     .number = 18,
     .n_takes = 7,
     .takes = {0, 1, 2, ~0, ~1, ~3, ~4},
     .n_gives = 1,
     .gives = {2},
     .only = TESS_USE_LANES},
    {.name = "visjac_tet_shared_block",
     .each = TESS_PART_PAIR,
     .n_takes = 4,
     .takes = {2, ~0, ~2, ~5},
     .n_adds = 1,
     .adds = {4},
     .only = TESS_USE_LANES | TESS_USE_SLOTS | TESS_USE_SHARED},
    {.name = "tet_row_terms",
     .each = TESS_PART_SLOT,
     .n_takes = 2,
     .takes = {~0, ~2},
     .n_gives = 1,
     .gives = {7},
     .only = TESS_USE_LANES | TESS_USE_SLOTS | TESS_USE_OWN},
    {.name = "visjac_tet_own_block",
     .each = TESS_PART_PAIR,
     .n_takes = 5,
     .takes = {2, ~0, ~1, ~2, ~7},
     .n_adds = 1,
     .adds = {4},
     .only = TESS_USE_LANES | TESS_USE_SLOTS | TESS_USE_OWN},
    {.name = "visjac_tet_block",
     .each = TESS_PART_PAIR,
     .n_takes = 4,
     .takes = {2, ~0, ~5, ~6},
     .n_adds = 1,
     .adds = {4},
     .only = TESS_USE_THREAD | TESS_USE_SLOTS},
    {.name = "visjac_tet_edge",
     .each = TESS_PART_EDGE_SLOT,
     .n_takes = 4,
     .takes = {2, ~0, ~1, ~2},
     .n_adds = 1,
     .adds = {4},
     .only = TESS_USE_EDGES},
};
/* A thread finds an edge of a prism wherever it needs it. Lanes with a row of blocks find each once
 * and share it, or each finds those of its row; lanes with an edge each find their own, as the
 * edges of all in shared memory take more than they save. */
static const tess_between visjac_prism_between[] = {
    {"centre", 3}, {"m", 15},     {"w", 18},     {"t", 6},      {"flow", 18}, {"mu", 6},
    {"kappa", 6},  {"volume", 6}, {"edges", 63}, {"rows", 180}, {"node", 30}, {"momentum", 27}};
static const tess_kernel_part visjac_prisms_parts[] = {
    PRISM_TERMS,
    {.name = "prism_edge_terms",
     .each = TESS_PART_NUMBER,
     .number = 9,
     .n_takes = 6,
     .takes = {1, 2, ~0, ~1, ~3, ~4},
     .n_gives = 2,
     .gives = {8, 11},
     .only = TESS_USE_LANES | TESS_USE_SLOTS | TESS_USE_SHARED},
    {.name = "prism_block_node",
     .each = TESS_PART_SLOT,
     .n_takes = 2,
     .takes = {2, ~11},
     .n_gives = 1,
     .gives = {10},
     .only = TESS_USE_LANES | TESS_USE_SLOTS | TESS_USE_SHARED},
    {.name = "prism_row_terms",
     .each = TESS_PART_SLOT,
     .n_takes = 6,
     .takes = {1, 2, ~0, ~1, ~3, ~4},
     .n_gives = 1,
     .gives = {9},
     .only = TESS_USE_LANES | TESS_USE_SLOTS | TESS_USE_OWN},
    {.name = "visjac_prism_block",
     .each = TESS_PART_PAIR,
     .n_takes = 7,
     .takes = {1, 2, ~0, ~1, ~2, ~3, ~4},
     .n_adds = 1,
     .adds = {4},
     .only = TESS_USE_THREAD | TESS_USE_SLOTS},
    {.name = "visjac_prism_edge",
     .each = TESS_PART_EDGE_SLOT,
     .n_takes = 7,
     .takes = {1, 2, ~0, ~1, ~2, ~3, ~4},
     .n_adds = 1,
     .adds = {4},
     .only = TESS_USE_EDGES},
    {.name = "visjac_prism_shared_block",
     .each = TESS_PART_PAIR,
     .n_takes = 5,
     .takes = {2, ~2, ~4, ~8, ~10},
     .n_adds = 1,
     .adds = {4},
     .only = TESS_USE_LANES | TESS_USE_SLOTS | TESS_USE_SHARED},
    {.name = "visjac_prism_own_block",
     .each = TESS_PART_PAIR,
     .n_takes = 5,
     .takes = {2, ~2, ~3, ~4, ~9},
     .n_adds = 1,
     .adds = {4},
     .only = TESS_USE_LANES | TESS_USE_SLOTS | TESS_USE_OWN},
};

static const tess_kernel_arg visjac_tets_args[] = {VISJAC_ARGS("tets")};
static const tess_kernel_arg visjac_prisms_args[] = {VISJAC_ARGS("prisms")};

static const tess_kernel_arg spmv_args[] = {
    ARG_ON("node_pairs", "jac_others", 17, "float", TESS_READ),
    ARG_THROUGH("node_pairs:nodes", 1, "nodes", "dq", 5, "real", TESS_READ),
    ARG_THROUGH("node_pairs:nodes", 0, "nodes", "product", 4, "real", TESS_INC),
};

static const tess_kernel_arg spmv_diagonal_args[] = {
    ARG_ON("nodes", "jac_diagonal", 17, "real", TESS_READ),
    ARG_ON("nodes", "dq", 5, "real", TESS_READ),
    ARG_ON("nodes", "product", 4, "real", TESS_INC),
};

static const tess_kernel_arg sweep_args[] = {
    ARG_ON("nodes", "step", 1, "real", TESS_READ),
    ARG_ON("nodes", "held", 1, "real", TESS_READ),
    ARG_ON("nodes", "jac_diagonal", 17, "real", TESS_READ),
    ARG_ON("nodes", "res", 5, "real", TESS_READ),
    ARG_ON("nodes", "product", 4, "real", TESS_RW),
    ARG_ON("nodes", "dq", 5, "real", TESS_WRITE),
};

static const tess_kernel_arg correct_args[] = {
    ARG_ON("nodes", "dq", 5, "real", TESS_READ),
    ARG_ON("nodes", "q", 5, "real", TESS_RW),
};

static const tess_kernel_arg keep_args[] = {
    ARG_ON("nodes", "q", 5, "real", TESS_READ),
    ARG_ON("nodes", "q_old", 5, "real", TESS_WRITE),
};

static const tess_kernel_arg update_args[] = {
    ARG_ON("nodes", "step", 1, "real", TESS_READ),  ARG_ON("nodes", "held", 1, "real", TESS_READ),
    ARG_ON("nodes", "q_old", 5, "real", TESS_READ), ARG_ON("nodes", "res", 5, "real", TESS_READ),
    ARG_ON("nodes", "q", 5, "real", TESS_WRITE),    ARG_GLOBAL("residual", 1, "real", TESS_INC),
};

static const tess_kernel kernels[] = {
    {KERNEL_OVER("left_edges", roe_flux, tess_fun3d_text), .flops = 303,
     .antisymmetry = TESS_OPPOSITE, PARTS(roe_between, roe_flux_parts)},
    {KERNEL_OVER("left_edges", lstgs, tess_fun3d_text), .flops = 124, .antisymmetry = TESS_ALIKE,
     PARTS(lstgs_between, lstgs_parts)},
    {KERNEL_OVER("tets", visrhs_tets, tess_fun3d_text), .flops = 488},
    {KERNEL_OVER("prisms", visrhs_prisms, tess_fun3d_text), .flops = 2460,
     PARTS(prism_between, visrhs_prisms_parts)},
    {KERNEL_OVER("nodes", zero, tess_fun3d_text)},
    {KERNEL_OVER("nodes", keep, tess_fun3d_text)},
    {KERNEL_OVER("nodes", update, tess_fun3d_text)},
    {KERNEL_OVER("tets", visjac_tets, tess_fun3d_text), PARTS(tet_between, visjac_tets_parts)},
    {KERNEL_OVER("prisms", visjac_prisms, tess_fun3d_text),
     PARTS(visjac_prism_between, visjac_prisms_parts)},
    {KERNEL_OVER("node_pairs", spmv, tess_fun3d_text)},
    {KERNEL_OVER("nodes", spmv_diagonal, tess_fun3d_text)},
    {KERNEL_OVER("nodes", sweep, tess_fun3d_text)},
    {KERNEL_OVER("nodes", correct, tess_fun3d_text)},
    {KERNEL_OVER("left_edges", qr_first, tess_fun3d_text), .antisymmetry = TESS_ALIKE},
    {KERNEL_OVER("left_edges", qr_second, tess_fun3d_text), .antisymmetry = TESS_ALIKE},
    {KERNEL_OVER("left_edges", qr_third, tess_fun3d_text), .antisymmetry = TESS_ALIKE},
    {KERNEL_OVER("nodes", qr, tess_fun3d_text)},
};

static const char *const maps[] = {"left_edges:nodes", NULL};
#define STAGE "zero", "lstgs", "roe_flux", "visrhs_tets", "visrhs_prisms", "update"
static const char *const step[] = {"keep", STAGE, STAGE, NULL};

static const char *const cells_of_fluxes[] = {"tets", "prisms", NULL}; /* viscous ones */

static tess_status bind(tess_mesh *mesh) {
    tess_status status = TESS_OK;
    tess_cells cells = {.n_cells = 0};
    char map[TESS_CELL_TYPES][TESS_NAME_SIZE];
    CHECK(tess_cells_build(mesh, &cells));
    const int n = cells.n_blocks;
    for (int b = 0; b < n; b++)
        snprintf(map[b], sizeof map[b], "%s:nodes", cells.blocks[b].type->set);
    for (int b = 0; b < n; b++)
        CHECK(tess_mesh_derive(mesh, map[b]));
done:
    tess_cells_release(&cells);
    return status;
}

static const double mach = 0.5, reynolds = 5000, courant = 0.5;

/* The free stream along x with a smooth swirl; `place` in a box of side 1 around the mesh. */
static void start_node(const double *place, bool wall, double *q, double *amut) {
    double square = 0;
    for (int d = 0; d < 3; d++)
        square += (place[d] - 0.5) * (place[d] - 0.5);
    const double bump = 0.1 * exp(-8 * square);
    q[0] = 1 + 0.5 * bump;
    q[1] = wall ? 0 : mach * (1 + bump);
    q[2] = wall ? 0 : 0.3 * bump * (place[2] - 0.5);
    q[3] = wall ? 0 : -0.3 * bump * (place[1] - 0.5);
    q[4] = (1 + bump) / 1.4;
    *amut = wall ? 0 : 30 * bump;
}

/* Marks the nodes of the boundary that is marked "wall". */
static void find_walls(const tess_mesh *mesh, bool *wall) {
    static const char *const sets[] = {"marked_tris", "marked_quads"};
    for (int s = 0; s < 2; s++) {
        char name[TESS_NAME_SIZE];
        snprintf(name, sizeof name, "%s:nodes", sets[s]);
        const tess_map *map = tess_mesh_find_map(mesh, name);
        const tess_dat *marker = tess_mesh_find_dat(mesh, "marker", sets[s]);
        for (int64_t i = 0; map && marker && i < mesh->sets[map->from].size * map->arity; i++) {
            const int32_t of = ((const int32_t *)marker->values)[i / map->arity];
            if (strcmp(mesh->markers[of], "wall") == 0)
                wall[map->index[i]] = true;
        }
    }
}

/* Steps of explicit time over the dual volumes: by the speed of sound through the dual faces and by
 * what diffuses through them. A node of no cell stays as it is. */
static void start_steps(const tess_mesh *mesh, const tess_dual_mesh *dual, tess_state *state) {
    const int32_t *nodes = tess_mesh_find_map(mesh, "left_edges:nodes")->index;
    tess_dat *steps = tess_state_find(state, "step", "nodes");
    const tess_dat *amut = tess_state_find(state, "amut", "nodes");
    for (int64_t i = 0; i < 2 * dual->n_edges; i++) {
        const int64_t at = nodes[i], to = nodes[i ^ 1];
        const double viscosity = 1 + fmax(tess_dat_value(amut, at), tess_dat_value(amut, to));
        double square = 0;
        for (int d = 0; d < 3; d++)
            square += pow(mesh->coordinates[3 * to + d] - mesh->coordinates[3 * at + d], 2);
        const double rate = 1 + mach + 4 * mach / reynolds * viscosity / sqrt(square);
        tess_dat_set(steps, at, tess_dat_value(steps, at) + dual->normal[4 * (i / 2) + 3] * rate);
    }
    for (int64_t i = 0; i < dual->n_nodes; i++)
        if (tess_dat_value(steps, i) > 0)
            tess_dat_set(steps, i, courant / tess_dat_value(steps, i));
}

/* R of a node's QR factorisation, and the sums that the loops qr_... make it of. */
static void start_factors(int64_t node, const double *r, tess_state *state) {
    const double sums[6] = {r[0] * r[0], r[0] * r[1], r[0] * r[2],
                            r[3] * r[3], r[3] * r[4], r[5] * r[5]};
    for (int v = 0; v < 6; v++)
        tess_dat_set(tess_state_find(state, "r", "nodes"), 6 * node + v, r[v]);
    for (int v = 0; v < 3; v++)
        tess_dat_set(tess_state_find(state, "qr_first", "nodes"), 3 * node + v, sums[v]);
    for (int v = 0; v < 2; v++)
        tess_dat_set(tess_state_find(state, "qr_second", "nodes"), 2 * node + v, sums[3 + v]);
    tess_dat_set(tess_state_find(state, "qr_third", "nodes"), node, sums[5]);
}

static void start_nodes(const tess_mesh *mesh, const tess_dual_mesh *dual, const bool *wall,
                        tess_state *state) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, size = 0;
    for (int64_t i = 0; i < 3 * dual->n_nodes; i++)
        low[i % 3] = fmin(low[i % 3], mesh->coordinates[i]);
    for (int64_t i = 0; i < 3 * dual->n_nodes; i++)
        size = fmax(size, mesh->coordinates[i] - low[i % 3]);
    for (int64_t i = 0; i < dual->n_nodes; i++) {
        double place[3], q[5], amut = 0;
        for (int d = 0; d < 3; d++) {
            const double x = mesh->coordinates[3 * i + d];
            place[d] = (x - low[d]) / size;
            tess_dat_set(tess_state_find(state, "x", "nodes"), 3 * i + d, x);
        }
        start_node(place, wall[i], q, &amut);
        for (int v = 0; v < 5; v++)
            tess_dat_set(tess_state_find(state, "q", "nodes"), 5 * i + v, q[v]);
        start_factors(i, dual->factors + 6 * i, state);
        tess_dat_set(tess_state_find(state, "amut", "nodes"), i, amut);
        tess_dat_set(tess_state_find(state, "held", "nodes"), i, dual->outer[i]);
    }
    for (int64_t i = 0; i < 4 * dual->n_edges; i++)
        tess_dat_set(tess_state_find(state, "normal", "left_edges"), i, dual->normal[i]);
    tess_dat_set(tess_state_find(state, "scale", NULL), 0, mach / reynolds);
}

static tess_status start(const tess_mesh *mesh, tess_state *state) {
    tess_status status = TESS_OK;
    tess_dual_mesh dual = {.n_nodes = 0};
    bool *wall = NULL;
    CHECK(tess_dual_mesh_build(mesh, &dual));
    CHECK(TESS_ZEROS(dual.n_nodes, &wall));
    find_walls(mesh, wall);
    start_nodes(mesh, &dual, wall, state);
    start_steps(mesh, &dual, state);
done:
    free(wall);
    tess_dual_mesh_clear(&dual);
    return status;
}

const tess_application tess_application_fun3d = {
    .name = "fun3d",
    .summary = "compressible Navier-Stokes, node-centred finite volumes on tets and prisms",
    .reference = "Stone, Walden, Zubair and Nielsen 2021 (FUN3D); Roe 1981; Anderson and Bonhaus "
                 "1994; Diskin et al. 2010",
    .precision = TESS_DOUBLE,
    .dimension = 3,
    APPLICATION_OF(kernels, maps, step),
    .cells = cells_of_fluxes,
    .bind = bind,
    .start = start,
};
