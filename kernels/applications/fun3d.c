/* fun3d: compressible Navier-Stokes by node-centred finite volumes on tets and prisms: the loops of
 * FUN3D that NASA's paper on atomic updates measures, around a body in a free stream. */
#include "core/mesh/cells.h"
#include "core/mesh/derive.h"
#include "kernels/applications/fun3d_start.h"
#include "kernels/devices/embed.h"
#include "kernels/loops/kernel_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double real;
#include "kernels/loops/arithmetic_words.h"

#include "kernels/applications/fun3d/fun3d_flow_kernels.h"
#include "kernels/applications/fun3d/fun3d_matrix_kernels.h"
#include "kernels/applications/fun3d/fun3d_slopes_kernels.h"

#define CONTENT(path) TESS_FILE_CONTENT(TESS_SOURCE_DIR "/kernels/applications/fun3d/" path)
TESS_EMBED_FILES(tess_fun3d_text, CONTENT("fun3d_flow_kernels.h") CONTENT("fun3d_matrix_kernels.h")
                                      CONTENT("fun3d_slopes_kernels.h"));

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
REFERENCE(slopes_tets, 6)
REFERENCE(slopes_prisms, 6)
REFERENCE(expand, 3)
REFERENCE(expand_diagonal, 3)
REFERENCE(primitive_change, 3)
REFERENCE(spmv_slopes, 3)
REFERENCE(spmv_slopes_diagonal, 3)
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

/* A matrix: `dim_` values of a block, on nodes the diagonal, on pairs of nodes the others. The 17
 * entries of a block of 5 by 5 that are not 0, or the 13 slopes that these follow of. */
#define VISJAC_ARGS(cells_, matrix_, dim_)                                                         \
    ARG_GLOBAL("scale", 1, "real", TESS_READ),                                                     \
        ARG_THROUGH(cells_ ":nodes", -1, "nodes", "x", 3, "real", TESS_READ),                      \
        ARG_THROUGH(cells_ ":nodes", -1, "nodes", "q", 5, "real", TESS_READ),                      \
        ARG_THROUGH(cells_ ":nodes", -1, "nodes", "amut", 1, "real", TESS_READ),                   \
        ARG_MATRIX(cells_, matrix_, dim_, "real", "float")

/* Parts of a cell's blocks that both kinds of matrix have: a tet's flow, into 2, and what a lane
 * finds of its own row; the edges of a prism that lanes share, into 8, and their momentum, or those
 * of a lane's own row. */
#define TET_FLOW                                                                                   \
    {                                                                                              \
        .name = "tet_flow", .each = TESS_PART_NUMBER, .number = 18, .n_takes = 7,                  \
        .takes = {0, 1, 2, ~0, ~1, ~3, ~4}, .n_gives = 1, .gives = {2}, .only = TESS_USE_LANES     \
    }
#define TET_ROWS(rows_)                                                                            \
    {                                                                                              \
        .name = "tet_row_terms", .each = TESS_PART_SLOT, .n_takes = 2, .takes = {~0, ~2},          \
        .n_gives = 1, .gives = {rows_}, .only = TESS_USE_LANES | TESS_USE_SLOTS | TESS_USE_OWN     \
    }
#define PRISM_EDGES(momentum_)                                                                     \
    {                                                                                              \
        .name = "prism_edge_terms", .each = TESS_PART_NUMBER, .number = 9, .n_takes = 6,           \
        .takes = {1, 2, ~0, ~1, ~3, ~4}, .n_gives = 2, .gives = {8, momentum_},                    \
        .only = TESS_USE_LANES | TESS_USE_SLOTS | TESS_USE_SHARED                                  \
    }
#define PRISM_ROWS(rows_)                                                                          \
    {                                                                                              \
        .name = "prism_row_terms", .each = TESS_PART_SLOT, .n_takes = 6,                           \
        .takes = {1, 2, ~0, ~1, ~3, ~4}, .n_gives = 1, .gives = {rows_},                           \
        .only = TESS_USE_LANES | TESS_USE_SLOTS | TESS_USE_OWN                                     \
    }

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
    TET_FLOW,
    {.name = "visjac_tet_shared_block",
     .each = TESS_PART_PAIR,
     .n_takes = 4,
     .takes = {2, ~0, ~2, ~5},
     .n_adds = 1,
     .adds = {4},
     .only = TESS_USE_LANES | TESS_USE_SLOTS | TESS_USE_SHARED},
    TET_ROWS(7),
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
    PRISM_EDGES(11),
    {.name = "prism_block_node",
     .each = TESS_PART_SLOT,
     .n_takes = 2,
     .takes = {2, ~11},
     .n_gives = 1,
     .gives = {10},
     .only = TESS_USE_LANES | TESS_USE_SLOTS | TESS_USE_SHARED},
    PRISM_ROWS(9),
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

/* The parts of the loops of slopes. */
static const tess_between slopes_tet_between[] = {
    {"w", 12}, {"t", 4}, {"flow", 18}, {"mu", 4}, {"kappa", 4}, {"stress", 11}, {"rows", 72}};
static const tess_kernel_part slopes_tets_parts[] = {
    {.name = "tet_stress",
     .n_takes = 4,
     .takes = {0, 1, 2, 3},
     .n_gives = 3,
     .gives = {0, 1, 5},
     .only = TESS_USE_THREAD},
    {.name = "tet_node",
     .each = TESS_PART_SLOT,
     .n_takes = 3,
     .takes = {1, 2, 3},
     .n_gives = 4,
     .gives = {0, 1, 3, 4},
     .only = TESS_USE_LANES},
    TET_FLOW,
    {.name = "slopes_tet_shared",
     .each = TESS_PART_PAIR,
     .n_takes = 2,
     .takes = {~0, ~2},
     .n_adds = 1,
     .adds = {4},
     .only = TESS_USE_LANES | TESS_USE_SHARED},
    TET_ROWS(6),
    {.name = "slopes_tet_own",
     .each = TESS_PART_PAIR,
     .n_takes = 3,
     .takes = {~0, ~2, ~6},
     .n_adds = 1,
     .adds = {4},
     .only = TESS_USE_LANES | TESS_USE_OWN},
    {.name = "slopes_tet",
     .each = TESS_PART_PAIR,
     .n_takes = 2,
     .takes = {~0, ~5},
     .n_adds = 1,
     .adds = {4},
     .only = TESS_USE_THREAD},
};
static const tess_between slopes_prism_between[] = {
    {"centre", 3}, {"m", 15},     {"w", 18},     {"t", 6},      {"flow", 18},     {"mu", 6},
    {"kappa", 6},  {"volume", 6}, {"edges", 63}, {"force", 18}, {"momentum", 27}, {"rows", 180}};
static const tess_kernel_part slopes_prisms_parts[] = {
    PRISM_TERMS,
    PRISM_EDGES(10),
    {.name = "prism_force",
     .each = TESS_PART_SLOT,
     .n_takes = 1,
     .takes = {~10},
     .n_gives = 1,
     .gives = {9},
     .only = TESS_USE_LANES | TESS_USE_SHARED},
    {.name = "slopes_prism_shared",
     .each = TESS_PART_PAIR,
     .n_takes = 4,
     .takes = {~2, ~4, ~8, ~9},
     .n_adds = 1,
     .adds = {4},
     .only = TESS_USE_LANES | TESS_USE_SHARED},
    PRISM_ROWS(11),
    {.name = "slopes_prism_own",
     .each = TESS_PART_PAIR,
     .n_takes = 3,
     .takes = {~2, ~4, ~11},
     .n_adds = 1,
     .adds = {4},
     .only = TESS_USE_LANES | TESS_USE_OWN},
    {.name = "slopes_prism",
     .each = TESS_PART_PAIR,
     .n_takes = 7,
     .takes = {1, 2, ~0, ~1, ~2, ~3, ~4},
     .n_adds = 1,
     .adds = {4},
     .only = TESS_USE_THREAD},
};

static const tess_kernel_arg visjac_tets_args[] = {VISJAC_ARGS("tets", "jac", 17)};
static const tess_kernel_arg visjac_prisms_args[] = {VISJAC_ARGS("prisms", "jac", 17)};
static const tess_kernel_arg slopes_tets_args[] = {VISJAC_ARGS("tets", "slopes", 13)};
static const tess_kernel_arg slopes_prisms_args[] = {VISJAC_ARGS("prisms", "slopes", 13)};

static const tess_kernel_arg expand_args[] = {
    ARG_ON("node_pairs", "slopes_others", 13, "float", TESS_READ),
    ARG_THROUGH("node_pairs:nodes", 1, "nodes", "q", 5, "real", TESS_READ),
    ARG_ON("node_pairs", "jac_others", 17, "float", TESS_WRITE),
};

static const tess_kernel_arg expand_diagonal_args[] = {
    ARG_ON("nodes", "slopes_diagonal", 13, "real", TESS_READ),
    ARG_ON("nodes", "q", 5, "real", TESS_READ),
    ARG_ON("nodes", "jac_diagonal", 17, "real", TESS_WRITE),
};

static const tess_kernel_arg primitive_change_args[] = {
    ARG_ON("nodes", "q", 5, "real", TESS_READ),
    ARG_ON("nodes", "dq", 5, "real", TESS_READ),
    ARG_ON("nodes", "change", 4, "real", TESS_WRITE),
};

static const tess_kernel_arg spmv_slopes_args[] = {
    ARG_ON("node_pairs", "slopes_others", 13, "float", TESS_READ),
    ARG_THROUGH("node_pairs:nodes", 1, "nodes", "change", 4, "real", TESS_READ),
    ARG_THROUGH("node_pairs:nodes", 0, "nodes", "product", 4, "real", TESS_INC),
};

static const tess_kernel_arg spmv_slopes_diagonal_args[] = {
    ARG_ON("nodes", "slopes_diagonal", 13, "real", TESS_READ),
    ARG_ON("nodes", "change", 4, "real", TESS_READ),
    ARG_ON("nodes", "product", 4, "real", TESS_INC),
};

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
    {KERNEL_OVER("tets", slopes_tets, tess_fun3d_text),
     PARTS(slopes_tet_between, slopes_tets_parts)},
    {KERNEL_OVER("prisms", slopes_prisms, tess_fun3d_text),
     PARTS(slopes_prism_between, slopes_prisms_parts)},
    {KERNEL_OVER("node_pairs", expand, tess_fun3d_text)},
    {KERNEL_OVER("nodes", expand_diagonal, tess_fun3d_text)},
    {KERNEL_OVER("nodes", primitive_change, tess_fun3d_text)},
    {KERNEL_OVER("node_pairs", spmv_slopes, tess_fun3d_text)},
    {KERNEL_OVER("nodes", spmv_slopes_diagonal, tess_fun3d_text)},
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
    .start = tess_fun3d_start,
};
