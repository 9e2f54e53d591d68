/* Meshes that are cut: squares of quads, cubes of tets. */
#pragma once

#include "core/mesh/mesh.h"

/* The places of about *n elements, numbered at random: of the cells of a square of quads, or
 * (dimension 3) those of a cube of hexes cut into six tets each, jittered. *n becomes how many. */
TESS_MUST_CHECK tess_status places_build(int dimension, int64_t *n, double **out);

/* The sets cells, edges, nodes, maps edges:cells and cells:nodes, coordinates, and a dat of four
 * doubles on cells, of nx by nx cells, whose places become those of the edges. */
TESS_MUST_CHECK tess_status edges_build(int32_t nx, double **places, tess_mesh **out);

/* A mesh like it of a cube of tets, with their faces; `numbered`: of the generator's options. */
TESS_MUST_CHECK tess_status tets_build(int64_t n_cells, const char *numbered, tess_mesh **out);

/* The middles of their cells. */
TESS_MUST_CHECK tess_status middles_build(const tess_mesh *mesh, double **out);
