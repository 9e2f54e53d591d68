/* A generator: a plug-in that makes a mesh from a few numbers. */
#include "data/generators/generator.h"

#include "core/base/array.h"
#include "core/base/registry.h"

#define X(name) extern const tess_generator tess_generator_##name;
#include "data/generators/list.h"
#undef X

static const void *const items[] = {
#define X(name) &tess_generator_##name,
#include "data/generators/list.h"
#undef X
    NULL};

static const tess_registry registry = {.items = items,
                                       .kind = "generator",
                                       .subject = "there is neither a file nor a generator",
                                       .words = {"?", "; generators are %s"}};

const tess_generator *tess_generator_at(int i) {
    return tess_registry_at(&registry, i);
}

const tess_generator *tess_generator_of_name(const char *name) {
    return tess_registry_get(&registry, name);
}

tess_status tess_generator_make(const tess_generator *generator, const tess_spec *spec,
                                tess_mesh **out) {
    tess_status status = TESS_OK;
    tess_mesh *mesh = NULL;
    CHECK(tess_mesh_new(spec->name, generator->dimension, &mesh));
    CHECK(generator->fill(spec, mesh));
    *out = TESS_TAKE(mesh);
done:
    tess_mesh_free(mesh);
    return status;
}

tess_status tess_generator_lacks(const char *name) {
    return tess_registry_lacks(&registry, name);
}
