/* The generator `quads`: a rectangle of quads in rows. */
#include "data/generators/box.h"

static const tess_option options[] = {TESS_BOX_OPTIONS_2D, TESS_BOX_PERIODIC_2D, {NULL}};

static tess_status generate(const tess_spec *spec, tess_mesh **out) {
    static const signed char corners[] = {0, 1, 3, 2};
    return tess_box_generate(spec, options, 2, "quads", 1, corners, TESS_BOX_EDGES, out);
}

const tess_generator tess_generator_quads = {.name = "quads",
                                             .summary =
                                                 "a rectangle of quads, its shape kept for bricks",
                                             .options = options,
                                             .generate = generate};
