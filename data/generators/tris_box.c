/* The generator `tris`: a rectangle of quads, each cut into two triangles. */
#include "data/generators/box.h"

static const tess_option options[] = {TESS_BOX_OPTIONS_2D, TESS_BOX_PERIODIC_2D, {NULL}};

static tess_status generate(const tess_spec *spec, tess_mesh **out) {
    static const signed char corners[] = {0, 1, 3, 0, 3, 2};
    return tess_box_generate(spec, options, 2, "tris", 2, corners, TESS_BOX_EDGES, out);
}

const tess_generator tess_generator_tris = {.name = "tris",
                                            .summary = "a rectangle of right triangles, two a quad",
                                            .options = options,
                                            .generate = generate};
