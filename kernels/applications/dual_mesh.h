/* A dual mesh: the cells that median planes cut around the nodes of a mesh of any cells, as
 * node-centred finite volumes use them. */
#pragma once

#include "core/mesh/mesh.h"

typedef struct tess_dual_mesh {
    int64_t n_nodes, n_edges; /* of left_edges */
    double *normal;  /* [n_edges][4]: unit normal out of slot 0 and area of the dual face */
    double *factors; /* [n_nodes][6]: r11 r12 r13 r22 r23 r33, see below */
    bool *outer;     /* [n_nodes]: on a face that one cell has */
} tess_dual_mesh;

/* Computes it for a 3D mesh that has left_edges:nodes; the caller clears it. The dual face of an
 * edge in a cell runs between the middles of its two faces there, of the edge and of the cell. The
 * factors are R of the QR factorisation of a node's edge vectors by Gram and Schmidt, which
 * least-squares gradients take (Anderson and Bonhaus 1994; FUN3D); I at a node of no cell. Fails
 * (INPUT) on a cell without a positive volume, by its number. */
TESS_MUST_CHECK tess_status tess_dual_mesh_build(const tess_mesh *mesh, tess_dual_mesh *out);
void tess_dual_mesh_clear(tess_dual_mesh *dual);
