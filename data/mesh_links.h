/* Links of a mesh: what hangs together in it, how far apart numbers of neighbours are, and how many
 * of one thing each of another has. */
#pragma once

#include "core/mesh/mesh.h"

/* Differences of the numbers of neighbours. */
typedef struct tess_bandwidth {
    double mean;
    int64_t most;
} tess_bandwidth;

/* As the mesh is numbered, and after reverse Cuthill-McKee of the neighbours themselves. */
typedef struct tess_band {
    const char *of, *over; /* "cells" that share "edges" */
    tess_bandwidth now, rcm;
} tess_band;

enum { TESS_MOST_DEGREE = 16 };

/* How many elements have 0, 1, 2 ... of something; the last counts those that have as many or more.
 */
typedef struct tess_degrees {
    const char *of; /* "cells of a node" */
    int64_t n, sum, least, most;
    int64_t count[TESS_MOST_DEGREE + 1];
} tess_degrees;

typedef struct tess_mesh_links {
    const char *sides; /* between cells: "edges" or "faces"; NULL: the mesh has neither */
    int64_t n_sides, n_boundary;
    int64_t n_components, largest_component; /* of cells that share sides; cells of the largest */
    int64_t n_boundary_pieces; /* sides of the boundary that share nodes: loops, or surfaces; -1
                                  where these are not known by their nodes */
    int n_bands, n_degrees;
    tess_band bands[2];
    tess_degrees degrees[4];
} tess_mesh_links;

/* Measures the links; adds to the mesh the sets and maps of its sides. A stated map between sides
 * and cells counts: a wake cut whose edges join cells is not one of the boundary. */
TESS_MUST_CHECK tess_status tess_mesh_links_measure(tess_mesh *mesh, tess_mesh_links *out);
