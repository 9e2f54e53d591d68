/* A generator: a plug-in that makes a mesh from a few numbers.
 *
 * One const struct in one file, one line in list.h. What a generator states is what a
 * reader does (core/mesh/mesh.h): nodes, cells, and marked boundary elements. */
#pragma once

#include "core/base/spec.h"
#include "core/mesh/mesh.h"

typedef struct tess_generator {
    const char *name;
    const char *summary;        /* one line, for lists and help */
    int dimension;              /* of its meshes */
    const tess_option *options; /* ends with key = NULL */
    /* Fills an empty mesh by the options (with defaults) of a spec that has been checked. */
    tess_status (*fill)(const tess_spec *spec, tess_mesh *mesh);
} tess_generator;

/* The generators in the order of list.h; NULL past the last. */
const tess_generator *tess_generator_at(int i);

/* The generator of that name, or NULL. */
const tess_generator *tess_generator_of_name(const char *name);

/* Makes the mesh of a spec that has been checked. */
TESS_MUST_CHECK tess_status tess_generator_make(const tess_generator *generator,
                                                const tess_spec *spec, tess_mesh **out);

/* Fails (USAGE) on a name that is neither a file's nor a generator's, with a suggestion. */
TESS_MUST_CHECK tess_status tess_generator_lacks(const char *name);
