/* The generator `hexes`: a cuboid of hexes in rows. */
#include "data/generators/box.h"

static const tess_option options[] = {TESS_BOX_OPTIONS_3D, TESS_BOX_PERIODIC_3D, {NULL}};

static tess_status generate(const tess_spec *spec, tess_mesh **out) {
    static const signed char corners[] = {0, 1, 3, 2, 4, 5, 7, 6};
    return tess_box_generate(spec, options, 3, "hexes", 1, corners, TESS_BOX_QUADS, out);
}

const tess_generator tess_generator_hexes = {.name = "hexes",
                                             .summary =
                                                 "a cuboid of hexes, its shape kept for bricks",
                                             .options = options,
                                             .generate = generate};
