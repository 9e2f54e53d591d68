/* A bench for tables: pages and tables that a device makes beside those of the host, and what finds
 * that one thing in the texts is wrong. */
#pragma once

#include "kernels/cut/cut_kernels.h"
#include "kernels/loops/kernel_table.h"
#include "strategy_bench.h"
#include "tests/kernels/changed_page.h"
#include "tests/kernels/page_arrays.h"

/* Of cells that have fewer than four neighbours: some slots are added to, others only read. */
static const tess_kernel_arg args[] = {
    ARG_THROUGH("cells:cells", -1, "cells", "q", 1, "real", TESS_READ),
    ARG_THROUGH("cells:cells", 1, "cells", "sum", 1, "real", TESS_INC),
    ARG_THROUGH("cells:cells", 3, "cells", "sum", 1, "real", TESS_INC),
};
static const tess_kernel neighbours = {
    .name = "neighbours",
    .set = "cells",
    .n_args = 3,
    .args = args,
    .text = "static inline void neighbours(const real *q, real *one, real *other) {\n"
            "    one[0] += q[0] + q[2];\n    other[0] -= q[0] - q[2];\n}\n",
};

static inline bench_scene neighbours_open(const char *mesh) {
    bench_scene s = {.mesh = generated_mesh(mesh), .kernel = &neighbours, .real = TESS_DOUBLE};
    OK(tess_mesh_derive(s.mesh, "cells:cells"));
    OK(tess_state_new(s.mesh, TESS_DOUBLE, &s.start));
    OK(tess_state_add(s.start, "q", "cells", 1, "real"));
    OK(tess_state_add(s.start, "sum", "cells", 1, "real"));
    return s;
}

/* A loop on a mesh by a strategy: its primary one, by point-parallel, in SoA, unless it says so; of
 * no application: neighbours. */
typedef struct attempt {
    const char *application, *loop, *mesh, *strategy, *layout;
    int block_size;
    const char *renumber;
    bool scattered;
    bool padded; /* some edges have one cell */
} attempt;

static inline void pad_map(tess_map *map, const tess_mesh *mesh) {
    map->padded = true;
    for (int64_t e = 0; e < mesh->sets[map->from].size; e += 7)
        map->index[e * map->arity + 1] = -1;
}

static inline void open_case(const attempt *a, const char *device, const bench_scene *scene,
                             const char *tables_page, bench_opened *o) {
    const bench_case c = {.scene = scene,
                          .strategy = a->strategy ? a->strategy : "point-parallel",
                          .layout = a->layout ? a->layout : "soa",
                          .device = device,
                          .block_size = a->block_size,
                          .renumber = a->renumber,
                          .scattered = a->scattered,
                          .tables_page = tables_page};
    (void)bench_open(&c, NULL, o);
}

/* By a page of kernels: gives the status where it fails, else CHECK where
 * tables differ, MISSING where the host made them. */
static inline tess_status try_scene(const char *page, const attempt *a, const char *device,
                                    const bench_scene *scene) {
    bench_opened here, there;
    tess_status status = TESS_OK;
    open_case(a, device, scene, NULL, &here);
    open_case(a, device, scene, page, &there);
    if (!here.execution || !there.execution)
        status = tess_fail(TESS_ERROR_CHECK, "no execution: %s", tess_message());
    else if (!there.execution->tables_there)
        status = tess_fail(TESS_ERROR_MISSING, "%s", there.execution->remark);
    else
        status = page_arrays_compare(&here.execution->page, &there.execution->page);
    bench_close(&here);
    bench_close(&there);
    return status;
}

static inline tess_status try_page(const char *page, const attempt *a) {
    bench_scene scene = a->application ? bench_scene_open(a->application, a->loop, a->mesh)
                                       : neighbours_open(a->mesh);
    if (a->padded)
        pad_map((tess_map *)tess_mesh_find_map(scene.mesh, "edges:cells"), scene.mesh);
    const tess_status status = try_scene(page, a, "emulator:seed=3:count=no", &scene);
    bench_scene_close(&scene);
    return status;
}

/* The tables of all cases are the host's. */
static inline void tables_try(const attempt *const *cases, size_t n) {
    char *page = NULL;
    OK(tess_cut_page(TESS_CUT_TABLES, &page));
    for (size_t i = 0; i < n; i++)
        if (try_page(page, cases[i]) != TESS_OK)
            fail_msg("case %zu: %s", i, tess_message());
    free(page);
}

/* One thing wrong, and a case that finds it. */
typedef struct table_mutant {
    const char *from, *to;
    const attempt *on;
} table_mutant;

static inline void tables_find(const table_mutant *mutants, size_t n) {
    char *page = NULL;
    OK(tess_cut_page(TESS_CUT_TABLES, &page));
    for (size_t i = 0; i < n; i++) {
        if ((i == 0 || mutants[i].on != mutants[i - 1].on) &&
            try_page(page, mutants[i].on) != TESS_OK)
            fail_msg("what mutant %zu is of fails, too: %s", i, tess_message());
        char *mutant = page_with(page, mutants[i].from, mutants[i].to);
        if (try_page(mutant, mutants[i].on) == TESS_OK)
            fail_msg("mutant %zu ('%s') is not found", i, mutants[i].to);
        free(mutant);
    }
    free(page);
}
