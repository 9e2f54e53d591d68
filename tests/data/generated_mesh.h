/* A mesh made by a generator, for tests. */
#pragma once

#include "core/base/array.h"
#include "data/generators/generator.h"
#include "tests/unit.h"

static inline tess_status generated(const char *text, tess_mesh **out) {
    tess_spec *specs = NULL;
    int n = 0;
    OK(tess_spec_list_parse(text, &specs, &n));
    const tess_generator *generator = tess_generator_of_name(specs[0].name);
    assert_non_null(generator);
    OK(tess_spec_check(&specs[0], generator->options));
    const tess_status status = tess_generator_make(generator, &specs[0], out);
    tess_spec_list_free(specs, n);
    return status;
}

/* A generated mesh: "quads:nx=7:ny=5". */
static inline tess_mesh *generated_mesh(const char *text) {
    tess_mesh *mesh = NULL;
    OK(generated(text, &mesh));
    return mesh;
}
