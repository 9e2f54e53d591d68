/* Outcomes: what a cut that was judged tells about the guesses. */
#include "partitioners/mosaic/outcome.h"

#include <math.h>

bool mosaic_mesh_is_ragged(const mosaic_mesh *mesh) {
    return mesh->dimension == 2 && !mesh->regular;
}

/* Hexes or prisms by nodes, of which there are at most two to a point, or edges of prisms. */
static bool are_better_in_slabs(const mosaic_pins *pins) {
    if (mosaic_pins_exceed(pins, NODES_POINTS))
        return !mosaic_pins_crowd(pins, SLABBED_CROWDED);
    return mosaic_pins_crowd(pins, SLABBED_EDGES) && !mosaic_pins_crowd(pins, SLABBED_EDGES_MOST);
}

/* True where halves are better than blocks of which very many are in pieces. Of pairs of neighbours
 * annealing mends these, as behind flat fronts, and where there are few it may. */
static bool halves_win(const mosaic_mesh *mesh, const mosaic_cut *cut, const mosaic_choice *chosen,
                       const mosaic_effort *effort) {
    const bool few = mosaic_pins_are_few(&mesh->pins) || mosaic_cut_is_small(mesh, cut);
    const bool flat = chosen->regular && chosen->points < mesh->ball.points * (1 + REGULAR_SETTLED);
    return effort->probes && effort->ways && chosen->pieces > TORN_HOPELESS && !flat && !few &&
           !mosaic_pins_are_links(&mesh->pins);
}

mosaic_outcome mosaic_outcome_of(const mosaic_mesh *mesh, const mosaic_cut *cut,
                                 const mosaic_choice *chosen, const mosaic_effort *effort) {
    const bool as_regular = chosen->regular || mesh->round;
    const bool by_heights = cut->halves && !cut->coordinates;
    const bool near =
        fabs(chosen->points - mesh->ball.points) < REGULAR_SETTLED * mesh->ball.points &&
        chosen->pieces <= TORN_SETTLED && /* flat fronts: nothing is left to gain */
        !mosaic_pins_crowd(&mesh->pins, REGULAR_CROWDED);
    const bool doubtful = chosen->regular ? chosen->torn && !near
                                          : chosen->torn || chosen->patchy || chosen->promising;
    const bool torn = doubtful && !by_heights && !mesh->by_coordinates;
    const bool ragged = mosaic_mesh_is_ragged(mesh);
    return (mosaic_outcome){
        .patchy = chosen->patchy && as_regular,
        .torn = torn,
        .ragged = ragged,
        .hopeless = torn && !ragged && halves_win(mesh, cut, chosen, effort),
        .halved = mesh->dimension > 2 &&
                  (cut->halves || (mesh->by_coordinates && are_better_in_slabs(&mesh->pins))),
        .few = mesh->by_coordinates && mesh->dimension > 2 &&
               mesh->pins.n_elements <= MOSAIC_GROUP_BLOCKS * cut->block_size,
        .promising = chosen->promising,
        .crossed = chosen->crossed,
        .rhombic = mesh->dimension == 2 && chosen->regular && mosaic_pins_fan(&mesh->pins),
        .rival = chosen->rival,
        .to_beat = chosen->to_beat,
        .natural = mesh->natural < chosen->points};
}

bool mosaic_outcome_is_doubted(const mosaic_outcome *came, const mosaic_effort *effort) {
    const bool other = came->torn || came->channels || came->halved || came->few || came->rhombic;
    return came->patchy || came->rival || came->natural || (other && effort->ways);
}
