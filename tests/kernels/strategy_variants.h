/* All variants of a loop, with which options on which device, and what ways and loops are like. */
#pragma once

#include "covering.h"
#include "kernels/run/declarations.h"
#include "strategy_bench.h"

static const struct {
    const char *strategy, *device;
} variants[] = {
    {"sequential", "host"},
    {"openmp", "host"},
    {"openmp:copies=private", "host:threads=3"},
    {"atomics", "emulator:seed=1"},
    {"atomics:transpose=shared", "emulator:seed=11"},
    {"atomics:transpose=shuffles", "emulator:seed=12"},
    {"atomics:aggregate=unsorted", "emulator:seed=13"},
    {"atomics:aggregate=sorted", "emulator:seed=14"},
    {"atomics:aggregate=unsorted:transpose=shared", "emulator"},
    {"atomics:aggregate=sorted:transpose=shuffles", "emulator"},
    {"atomics:aggregate=sorted:elements=3", "emulator:seed=19"},
    {"atomics:aggregate=sorted+unsorted", "emulator:seed=21"},
    {"atomics:aggregate=sorted+no:transpose=no+shared", "emulator:seed=22"},
    {"atomics:aggregate=no+unsorted:transpose=shuffles+shared", "emulator"},
    {"atomics:transpose=shared:elements=2", "emulator:seed=20"},
    {"global-colour", "emulator:seed=2"},
    {"block-colour", "emulator:seed=3"},
    {"block-colour:loads=vector", "emulator:seed=15"},
    {"block-colour:loads=single:sums=cleared", "emulator:seed=16"},
    {"block-colour:stage=increments", "emulator"},
    {"block-colour:stage=increments:loads=vector:sums=cleared", "emulator"},
    {"block-colour:stage=none", "emulator"},
    {"two-step", "emulator:seed=4"},
    {"halo-atomics", "emulator:seed=5"},
    {"halo-atomics:prefetch=2", "emulator:seed=17"},
    {"halo-atomics:sum=increment-colours", "emulator:seed=12"},
    {"halo-atomics:sum=slots:stage=increments", "emulator"},
    {"halo-atomics:sum=thread-colours:stage=increments", "emulator"},
    {"halo-atomics:sum=block-gather", "emulator:seed=6"},
    {"halo-atomics:sum=shared-atomics", "emulator:seed=7"},
    {"halo-atomics:border=ordered", "emulator:seed=26"},
    {"halo-atomics:border=ordered:sum=block-gather:stage=increments", "emulator:seed=27"},
    {"halo-atomics:border=ordered:sum=increment-colours", "emulator"},
    {"owner-block", "emulator:seed=8"},
    {"owner-block:sum=increment-colours", "emulator:seed=13"},
    {"owner-block:sum=thread-colours", "emulator"},
    {"owner-block:sum=block-gather:stage=increments", "emulator:seed=9"},
    {"owner-block:sum=shared-atomics", "emulator"},
    {"owner-block:sum=mesh-order", "emulator:seed=28"},
    {"halo-atomics:border=ordered:sum=mesh-order:stage=increments", "emulator"},
    {"point-parallel", "emulator:seed=10"},
    {"point-parallel:prefetch=2", "emulator:seed=18"},
    {"point-parallel:stage=none", "emulator"},
    {"point-parallel:direct=elements:antisymmetry=ignore", "emulator:seed=14"},
    {"point-parallel:direct=staged:slots=each", "emulator:seed=15"},
    {"gather", "host"},
    {"gather", "emulator:seed=21"},
    {"gather:own=staged", "emulator:seed=22"},
    {"gather:own=staged:elements=3", "emulator:seed=23"},
    {"gather:elements=3:prefetch=2", "emulator"},
    {"gather:reads=staged", "emulator:seed=24"},
    {"gather:reads=staged:prefetch=2", "emulator"},
    {"gather:own=staged:reads=staged", "emulator:seed=25"},
};

/* Strategies whose blocks own points need a loop that changes some, and so do choices by slot;
 * gather needs one that does not. */
static inline bool way_fits(const char *strategy, const tess_kernel *kernel) {
    bool changes = false;
    for (int a = 0; a < kernel->n_args; a++)
        changes |= kernel->args[a].map && kernel->args[a].access != TESS_READ;
    if (strncmp(strategy, "gather", 6) == 0)
        return !changes;
    return changes || (strncmp(strategy, "owner-block", 11) != 0 &&
                       strncmp(strategy, "point-parallel", 14) != 0 && !strchr(strategy, '+'));
}

/* Layouts, block sizes, numbers of threads and orders. */
enum { ARRANGEMENTS = 3 };
static inline bench_case arranged(const bench_scene *scene, size_t variant, int arrangement) {
    return (bench_case){.scene = scene,
                        .strategy = variants[variant].strategy,
                        .device = variants[variant].device,
                        .layout = arrangement % 2 ? "aos" : "soa,cells=aos",
                        .block_size = arrangement == 1 ? 40 : 64,
                        .threads = arrangement == 2 ? 32 : 0,
                        .renumber = arrangement == 1 ? "owner" : NULL,
                        .scattered = arrangement == 2};
}

/* Families of properties of a case. */
enum { OF_LOOP, OF_SHAPE, OF_SUM, OF_VARIANT, OF_STRATEGY, OF_OPTION, OF_ARRANGEMENT };

/* Asks for what a loop, a strategy, an option's value and an arrangement of data meet. */
static inline void covering_ask_variants(covering *c) {
    covering_ask(c, OF_LOOP, OF_STRATEGY);
    covering_ask(c, OF_LOOP, OF_ARRANGEMENT);
    covering_ask(c, OF_STRATEGY, OF_ARRANGEMENT);
    covering_ask(c, OF_OPTION, OF_OPTION);
    covering_ask(c, OF_OPTION, OF_SHAPE);
    covering_ask(c, OF_OPTION, OF_ARRANGEMENT);
}

/* The case has the way, its strategy, and a value of each of its options. */
static inline void covering_has_variant(covering *c, size_t variant) {
    char text[COVERING_TEXT];
    tess_spec *specs = NULL;
    int n_specs = 0;
    OK(tess_spec_list_parse(variants[variant].strategy, &specs, &n_specs));
    const tess_option *option = bench_strategy(specs[0].name)->options;
    const char *device = strncmp(variants[variant].device, "host", 4) == 0 ? "host" : "emulator";
    snprintf(text, sizeof text, "%s on %s", variants[variant].strategy, device);
    covering_has(c, OF_VARIANT, text);
    snprintf(text, sizeof text, "%s on %s", specs[0].name, device);
    covering_has(c, OF_STRATEGY, text);
    for (int i = 0; option && option[i].key; i++) {
        snprintf(text, sizeof text, "%s:%s=%s", specs[0].name, option[i].key,
                 tess_spec_text(&specs[0], option, option[i].key));
        covering_has(c, OF_OPTION, text);
    }
    tess_spec_list_free(specs, n_specs);
}

/* The case has what the loop's args are like: where they are, their access, type, size and view;
 * how sums are reached; what the loop declares; the precision. */
static inline void covering_has_shape(covering *c, const bench_scene *scene) {
    const tess_kernel *kernel = scene->kernel;
    const char *sum = "no sums at points";
    char text[COVERING_TEXT];
    for (int a = 0; a < kernel->n_args; a++) {
        const tess_kernel_arg *arg = &kernel->args[a];
        const char *position = arg->map   ? arg->slot < 0 ? "all slots" : "a slot"
                               : arg->set ? "own"
                                          : "global";
        snprintf(text, sizeof text, "%s, %s", position, tess_access_name(arg->access));
        covering_has(c, OF_SHAPE, text);
        snprintf(text, sizeof text, "%s in %s", arg->type,
                 scene->real == TESS_FLOAT ? "float" : "double");
        covering_has(c, OF_SHAPE, text);
        covering_has(c, OF_SHAPE, arg->of > 0 ? "a view" : "whole rows");
        if (arg->map && arg->access == TESS_INC) {
            sum = arg->slot < 0 ? "sums in all slots" : "sums in a slot";
            covering_has(c, OF_SHAPE, arg->dim > 1 ? "sums of several values" : "sums of a value");
        }
    }
    covering_has(c, OF_SUM, sum);
    snprintf(text, sizeof text, "antisymmetry %s", tess_antisymmetry_name(kernel->antisymmetry));
    covering_has(c, OF_SHAPE, text);
    covering_has(c, OF_SHAPE, kernel->independent_ends ? "independent ends" : "ends together");
    covering_has(c, OF_SHAPE, kernel->n_parts > 0 ? "parts" : "no parts");
}
