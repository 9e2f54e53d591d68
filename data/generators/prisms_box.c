/* The generator `prisms`: a cuboid of hexes, each cut into two prisms. */
#include "data/generators/box.h"

static const tess_option options[] = {TESS_BOX_OPTIONS_3D, TESS_BOX_PERIODIC_3D, {NULL}};

static tess_status generate(const tess_spec *spec, tess_mesh **out) {
    static const signed char corners[] = {0, 1, 3, 4, 5, 7, 0, 3, 2, 4, 7, 6};
    return tess_box_generate(spec, options, 3, "prisms", 2, corners, TESS_BOX_Z_TRIS, out);
}

const tess_generator tess_generator_prisms = {
    .name = "prisms",
    .summary = "a cuboid of prisms, two a hex, in layers along z",
    .options = options,
    .generate = generate};
