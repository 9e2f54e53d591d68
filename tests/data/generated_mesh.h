/* A mesh made by a generator, for tests. */
#pragma once

#include "core/base/array.h"
#include "data/generators/generator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A call that must succeed; else its words are printed. */
#define OK(call)                                                                                   \
    do {                                                                                           \
        const tess_status ok_status = (call);                                                      \
        if (ok_status != TESS_OK)                                                                  \
            print_error("%s\n", tess_message());                                                   \
        assert_int_equal(ok_status, TESS_OK);                                                      \
    } while (0)

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
