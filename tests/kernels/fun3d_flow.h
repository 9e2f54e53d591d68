/* A flow: the state of fun3d on a generated mesh, and its loops run by their references. */
#pragma once

#include "kernels/applications/applications.h"
#include "tests/data/generated_mesh.h"

/* The start of fun3d with its first loops run by their references, in this order. */
typedef struct flow {
    tess_mesh *mesh;
    tess_state *state;
    const tess_application *application;
} flow;

static inline flow flow_open(const char *text) {
    flow f = {.mesh = generated_mesh(text)};
    OK(tess_application_find("fun3d", &f.application));
    OK(tess_application_bind(f.application, f.mesh));
    OK(tess_application_start(f.application, f.mesh, TESS_DOUBLE, &f.state));
    return f;
}

static inline void flow_close(flow *f) {
    tess_state_free(f->state);
    tess_mesh_free(f->mesh);
}

static inline double *values_of(const flow *f, const char *dat) {
    tess_dat *found = tess_state_find(f->state, dat, "nodes");
    return found ? found->values : tess_state_find(f->state, dat, NULL)->values;
}

static inline int64_t nodes_of_flow(const flow *f) {
    return tess_mesh_set_size(f->mesh, "nodes");
}

static inline void flow_run(const flow *f, const char *name) {
    const tess_kernel *kernel = NULL;
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    OK(tess_application_kernel(f->application, name, &kernel));
    if (!tess_kernel_applies(kernel, f->mesh))
        return;
    OK(tess_kernel_loop(kernel, TESS_DOUBLE, &loop));
    OK(tess_kernel_bind(loop, f->mesh, &bound));
    OK(tess_kernel_reference(kernel, bound, f->state));
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
}
