/* A bench for strategies: one loop by one strategy on a small mesh, against the reference. */
#pragma once

#include "core/mesh/derive.h"
#include "core/plan/order/renumber.h"
#include "core/plan/plan_check.h"
#include "kernels/applications/applications.h"
#include "kernels/run/execution.h"
#include "tests/data/generated_mesh.h"

/* A loop of an application on a generated mesh, at the start. */
typedef struct bench_scene {
    tess_mesh *mesh;
    tess_state *start;
    const tess_kernel *kernel;
    tess_type real;
} bench_scene;

/* In a precision; `loop` NULL: the primary one. */
static inline bench_scene bench_scene_open_in(tess_type real, const char *name, const char *loop,
                                              const char *mesh) {
    bench_scene s = {.mesh = generated_mesh(mesh), .real = real};
    const tess_application *application = NULL;
    OK(tess_application_find(name, &application));
    OK(tess_application_kernel(application, loop, &s.kernel));
    OK(tess_application_bind(application, s.mesh));
    OK(tess_kernel_derive(s.kernel, s.mesh));
    OK(tess_application_start(application, s.mesh, real, &s.start));
    OK(tess_application_prepare(application, s.kernel, s.start));
    return s;
}

static inline bench_scene bench_scene_open(const char *name, const char *loop, const char *mesh) {
    return bench_scene_open_in(TESS_DOUBLE, name, loop, mesh);
}

/* A small mesh on which an application runs. */
static inline const char *bench_mesh_of(const tess_application *application) {
    if (strcmp(application->name, "fun3d") == 0)
        return "layers:nx=4:ny=3:prisms=2:tets=2";
    return application->dimension == 3 ? "hexes:nx=4:ny=3:nz=3" : "quads:nx=6:ny=5";
}

static inline void bench_scene_close(bench_scene *s) {
    tess_state_free(s->start);
    tess_mesh_free(s->mesh);
}

/* One run: what is run on what. */
typedef struct bench_case {
    const bench_scene *scene;
    const char *strategy; /* with options */
    const char *layout, *device; /* device NULL: the emulator */
    int block_size, threads;
    tess_arithmetic arithmetic;
    const tess_strategy *mutant; /* in place of the strategy of that name, unless NULL */
    const char *renumber;        /* where data lie; NULL: as the mesh has them */
    const char *tables_page;     /* as tess_execution_options has it */
    bool scattered; /* blocks of elements that are far from each other, else of consecutive ones */
    tess_counters *counters;                    /* filled with those of both runs, unless NULL */
    tess_resources *resources;                  /* filled on device nvrtc, which compiles only */
    void (*see)(const char *page);              /* is shown the compiled page there */
    void (*disturb)(tess_execution *execution); /* unless NULL, called before and after the runs */
} bench_case;

static inline void bench_blocks(const bench_case *c, int64_t n, int32_t *block_of) {
    const int64_t blocks = (n + c->block_size - 1) / c->block_size;
    for (int64_t e = 0; e < n; e++)
        block_of[e] = (int32_t)(c->scattered ? e % blocks : e / c->block_size);
}

/* Spoils a plan: all elements of a block, or all blocks, have one colour. */
static inline void bench_one_thread_colour(tess_plan *plan) {
    for (int64_t k = 0; k < plan->n_executed; k++)
        plan->thread_colour[k] = 0;
    for (int32_t b = 0; b < plan->n_blocks; b++)
        plan->thread_colours[b] = 1;
}

static inline void bench_one_block_colour(tess_plan *plan) {
    for (int32_t b = 0; b < plan->n_blocks; b++)
        plan->block_colour[b] = 0;
    plan->n_block_colours = 1;
}

/* From here on warnings of the C compiler are errors in pages, too. */
static inline void bench_be_strict(void) {
    char compiler[256];
    const char *chosen = getenv("CC");
    snprintf(compiler, sizeof compiler, "%s -Wall -Wextra -Werror",
             chosen && chosen[0] ? chosen : "cc");
    setenv("CC", compiler, 1);
}

/* The plan that a strategy takes. */
static inline tess_plan *bench_plan(const bench_case *c, const tess_strategy *strategy,
                                    const tess_bound_loop *bound) {
    tess_plan *plan = NULL;
    if (bound->n_targets == 0) {
        OK(tess_kernel_plan_direct(bound, NULL, c->block_size, &plan));
        return plan;
    }
    int over = 0;
    while (over < bound->n_targets - 1 && !bound->targets[over].incremented)
        over++;
    tess_partition_problem *problem = NULL;
    tess_partition *partition = NULL;
    if (strategy->owns_points)
        OK(tess_partition_problem_build_inverse(bound, bound->targets[over].set, c->block_size, 1,
                                                &problem));
    else
        OK(tess_partition_problem_build(bound, TESS_POINTS_INCREMENTS, c->block_size, 1, &problem));
    int32_t *block_of = NULL;
    OK(TESS_ALLOC(problem->n_elements, &block_of));
    bench_blocks(c, problem->n_elements, block_of);
    OK(tess_partition_build(problem, block_of, TESS_REPAIR_SPLIT, &partition));
    const tess_plan_options options = {.thread_order = TESS_ORDER_ELEMENT};
    if (strategy->owns_points)
        OK(tess_plan_build_owned(bound, bound->targets[over].set, partition, &options, &plan));
    else
        OK(tess_plan_build(bound, partition, &options, &plan));
    OK(tess_plan_check(bound, partition->block_of, plan));
    free(block_of);
    tess_partition_free(partition);
    tess_partition_problem_free(problem);
    return plan;
}

/* The text without the n-th time of a word. */
static inline char *bench_without(const char *word, const char *text, int n) {
    char *copy = NULL;
    OK(tess_text_copy(text, &copy));
    char *at = copy;
    for (int i = 0; (at = strstr(at, word)) && i < n; i++)
        at += strlen(word);
    assert_non_null(at);
    memset(at, ' ', strlen(word));
    return copy;
}

/* The text with one piece of it in other words. */
static inline char *bench_with_instead(const char *text, const char *piece, const char *other) {
    const char *at = strstr(text, piece);
    assert_non_null(at);
    char *changed = NULL;
    assert_true(asprintf(&changed, "%.*s%s%s", (int)(at - text), text, other, at + strlen(piece)) >
                0);
    return changed;
}

static inline const tess_strategy *bench_strategy(const char *name) {
    const tess_strategy *strategy = NULL;
    OK(tess_strategy_find(name, &strategy));
    return strategy;
}

/* A strategy with one piece of the page's functions in other words; one at a time. */
static const char *bench_change[3]; /* strategy, piece, other words */
static inline tess_status bench_prepare_changed(tess_page *page, const tess_spec *spec) {
    TRY(bench_strategy(bench_change[0])->prepare(page, spec));
    char *text = bench_with_instead(page->functions.text, bench_change[1], bench_change[2]);
    tess_text_writer_clear(&page->functions);
    tess_text_writer_print(&page->functions, "%s", text);
    free(text);
    return TESS_OK;
}

static inline tess_strategy bench_changed(const char *name, const char *piece, const char *to) {
    tess_strategy mutant = *bench_strategy(name);
    bench_change[0] = name;
    bench_change[1] = piece;
    bench_change[2] = to;
    mutant.prepare = bench_prepare_changed;
    return mutant;
}

/* Prepares halo-atomics, or another strategy, so that barrier number bench_removed of the page does
 * nothing. */
static int bench_removed;
static const char *bench_removed_of = "halo-atomics";
static inline tess_status bench_remove_barrier(tess_page *page, const tess_spec *spec) {
    TRY(bench_strategy(bench_removed_of)->prepare(page, spec));
    tess_page_print(page,
                    "#undef barrier\n#define barrier() (__COUNTER__ == %d ? (void)0 : "
                    "SIMT_SELF->machine->barrier(SIMT_SELF, SIMT_SITE(\"barrier\")))\n",
                    bench_removed);
    return TESS_OK;
}

/* How far what is on the device is from running the reference twice. */
static inline double bench_difference(const bench_case *c, tess_store *store) {
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    tess_state *got = NULL, *want = NULL;
    OK(tess_state_copy(c->scene->start, false, &got));
    OK(tess_store_download(store, got));
    OK(tess_state_copy(c->scene->start, true, &want));
    OK(tess_kernel_loop(c->scene->kernel, TESS_DOUBLE, &loop));
    OK(tess_kernel_bind(loop, c->scene->mesh, &bound));
    for (int i = 0; i < 2; i++)
        OK(tess_kernel_reference(c->scene->kernel, bound, want));
    const tess_difference found = tess_state_compare(got, want);
    const double largest = found.largest;
    if (largest > 1e-4)
        print_error("%s by %s, %s, block %d, threads %d: %s differs by %g\n",
                    c->scene->kernel->name, c->strategy, c->layout, c->block_size, c->threads,
                    found.dat->name, largest);
    tess_state_free(got);
    tess_state_free(want);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    return largest;
}

/* A case on its device, ready to run. */
typedef struct bench_opened {
    tess_spec *specs;
    int n_specs;
    const tess_device *device;
    tess_target *target;
    tess_loop *loop;
    tess_bound_loop *bound;
    tess_plan *plan;
    tess_renumbering *renumbering;
    tess_store *store;
    tess_execution *execution;
} bench_opened;

/* Opens a case, up to its execution, and gives the status of opening that. `spoil`, unless NULL,
 * may break the plan before. */
static inline tess_status bench_open(const bench_case *c, void (*spoil)(tess_plan *plan),
                                     bench_opened *o) {
    const tess_strategy *strategy = NULL;
    tess_layouts layouts;
    *o = (bench_opened){.n_specs = 0};
    OK(tess_spec_list_parse(c->strategy, &o->specs, &o->n_specs));
    OK(tess_strategy_find(o->specs[0].name, &strategy));
    if (c->mutant)
        strategy = c->mutant;
    OK(tess_spec_check(&o->specs[0], strategy->options));
    OK(tess_layouts_parse(c->layout, &layouts));
    OK(tess_device_open(c->device ? c->device : "emulator", &o->device, &o->target));
    OK(tess_kernel_loop(c->scene->kernel, c->scene->real, &o->loop));
    OK(tess_kernel_bind(o->loop, c->scene->mesh, &o->bound));
    o->plan = bench_plan(c, strategy, o->bound);
    if (spoil)
        spoil(o->plan);
    if (c->renumber) {
        tess_renumber_method method;
        OK(tess_renumber_parse(c->renumber, &method));
        OK(tess_renumber_build(o->bound, o->plan, method, o->plan->owns_points, &o->renumbering));
    }
    OK(tess_store_open(o->device, o->target, c->scene->start, o->renumbering, &layouts, &o->store));
    const tess_execution_options options = {.kernel = c->scene->kernel,
                                            .strategy = strategy,
                                            .spec = &o->specs[0],
                                            .threads = c->threads,
                                            .arithmetic = c->arithmetic,
                                            .tables_page = c->tables_page,
                                            .keep_text = getenv("BENCH_KEEP_TEXT")};
    return tess_execution_open(&options, o->store, o->bound, o->plan, &o->execution);
}

static inline void bench_close(bench_opened *o) {
    tess_execution_close(o->execution);
    tess_store_close(o->store);
    tess_renumbering_free(o->renumbering);
    tess_plan_free(o->plan);
    tess_bound_loop_free(o->bound);
    tess_loop_free(o->loop);
    o->device->close(o->target);
    tess_spec_list_free(o->specs, o->n_specs);
}

/* Runs the case twice on the device and gives the status of that; *difference to running the
 * reference twice. `spoil` as before. */
static inline tess_status bench_run(const bench_case *c, void (*spoil)(tess_plan *plan),
                                    double *difference) {
    bench_opened o;
    tess_status status = bench_open(c, spoil, &o);
    const bool runs = !c->resources;
    if (c->disturb && status == TESS_OK)
        c->disturb(o.execution);
    for (int i = 0; runs && i < 2 && status == TESS_OK; i++)
        status = tess_execution_run(o.execution);
    if (c->disturb && status == TESS_OK)
        c->disturb(o.execution);
    if (!runs && status == TESS_OK && c->see)
        c->see(o.execution->page.text.text);
    if (!runs && status == TESS_OK)
        OK(o.device->resources(o.target, o.execution->module, o.execution->page.launches[0].kernel,
                               c->resources));
    if (runs && status == TESS_OK && c->counters)
        *c->counters = *o.device->counters(o.target);
    if (runs && status == TESS_OK)
        *difference = bench_difference(c, o.store);
    bench_close(&o);
    return status;
}

/* Runs a case, whose result differs by less than the tolerance. */
static inline void bench_passes(const bench_case *c, double tolerance) {
    double difference = 1;
    OK(bench_run(c, NULL, &difference));
    assert_true(difference < tolerance);
}

/* A strategy that does not go with the loop or its data, as the words say. */
static inline void bench_refuses(const bench_scene *s, const char *strategy, const char *layout,
                                 const char *words) {
    const bench_case c = {.scene = s, .strategy = strategy, .layout = layout, .block_size = 32};
    assert_int_equal(bench_run(&c, NULL, NULL), TESS_ERROR_USAGE);
    assert_non_null(strstr(tess_message(), words));
}
