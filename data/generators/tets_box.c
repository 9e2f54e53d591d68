/* The generator `tets`: a cuboid of hexes, each cut into six tets around its diagonal (Kuhn). */
#include "data/generators/box.h"

static const tess_option options[] = {TESS_BOX_OPTIONS_3D, TESS_BOX_PERIODIC_3D, {NULL}};

static tess_status generate(const tess_spec *spec, tess_mesh **out) {
    static const signed char corners[] = {0, 1, 3, 7, 0, 3, 2, 7, 0, 2, 6, 7,
                                          0, 6, 4, 7, 0, 4, 5, 7, 0, 5, 1, 7};
    return tess_box_generate(spec, options, 3, "tets", 6, corners, TESS_BOX_TRIS, out);
}

const tess_generator tess_generator_tets = {.name = "tets",
                                            .summary =
                                                "a cuboid of tets, six a hex around its diagonal",
                                            .options = options,
                                            .generate = generate};
