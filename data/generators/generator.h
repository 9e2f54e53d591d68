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
    const tess_option *options; /* ends with key = NULL */
    /* Makes the mesh of a spec that has been checked, by its options (with defaults). */
    tess_status (*generate)(const tess_spec *spec, tess_mesh **out);
} tess_generator;

/* The generators in the order of list.h; NULL past the last. */
const tess_generator *tess_generator_at(int i);

/* The generator of that name, or NULL. */
const tess_generator *tess_generator_of_name(const char *name);

/* Fails (USAGE) on a name that is neither a file's nor a generator's, with a suggestion. */
TESS_MUST_CHECK tess_status tess_generator_lacks(const char *name);
