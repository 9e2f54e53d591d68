/* An outcome: what came of a cut by guesses, and whether other ways are tried. */
#pragma once

#include "partitioners/mosaic/choose.h"
#include "partitioners/mosaic/effort.h"

/* The mesh is regular in places only; many blocks are in pieces, or worse than balls though the
 * mesh was not taken as regular, or were, until polishing mended them; it is a net of channels; a
 * sample spoke against slabs, whose flat fronts annealing may make better than any other in 3D;
 * coordinates cut a solid into so few blocks that all ways take little time; coordinates cut it
 * better; so does its own numbering. Where `hopeless` as many blocks are in pieces as never win
 * against halves: they wait. Where `ragged` halves are quick; where `promising`, too: samples said
 * so. `crossed`: coordinates cut across layers, where lower efforts take another way. `rhombic`:
 * triangles by nodes behind flat fronts whose blocks annealing leaves as they are: perfect rhombi.
 */
typedef struct mosaic_outcome {
    bool patchy, torn, mended, channels, halved, few, rival, natural, hopeless, ragged, promising,
        crossed, rhombic;
    double to_beat; /* of a rival: its points, if polishing without it may have fewer */
} mosaic_outcome;

/* What an order that was judged tells about the guesses. */
mosaic_outcome mosaic_outcome_of(const mosaic_mesh *mesh, const mosaic_cut *cut,
                                 const mosaic_choice *chosen, const mosaic_effort *effort);

/* True where other ways are tried. */
bool mosaic_outcome_is_doubted(const mosaic_outcome *came, const mosaic_effort *effort);

/* True where coasts may tear blocks that are good. */
bool mosaic_mesh_is_ragged(const mosaic_mesh *mesh);
