/* The face: what include/tesselab.h adds to the functions of the floors below it. Both are included
 * here, so the compiler finds what is declared differently. */
#include "core/base/array.h"
#include "core/base/unknown_name.h"
#include "core/mesh/derive.h"
#include "core/plan/order/renumber_mesh.h"
#include "core/plan/plan_check.h"
#include "core/plan/plan_update.h"
#include "core/plan/recut.h"
#include "data/formats/writer.h"
#include "data/mesh_open.h"
#include "data/order_mesh.h"
#include "data/permute_mesh.h"
#include "experiments/bench/experiment.h"
#include "kernels/cut/device_cutter.h"
#include "kernels/run/array_loop.h"
#include "kernels/scatter/scatter.h"
#include "tess_build.h"
#define TESS_INSIDE
#include "include/tesselab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *tess_version(void) {
    return TESS_BUILD_VERSION;
}

/* A copy of n values of `size` bytes. */
static tess_status copy_values(const void *values, int64_t n, size_t size, void **out) {
    TRY(tess_array_alloc(n, size, out));
    if (n > 0)
        memcpy(*out, values, (size_t)n * size);
    return TESS_OK;
}

static tess_status set_is_there(const tess_mesh *mesh, const char *name) {
    if (tess_mesh_find_set(mesh, name) < 0)
        FAIL(TESS_ERROR_USAGE, "the mesh has no set '%s': add it first", name);
    return TESS_OK;
}

tess_status tess_mesh_put_map(tess_mesh *mesh, const char *from, const char *to, int arity,
                              const int32_t *index) {
    void *copy = NULL;
    if (arity < 1)
        FAIL(TESS_ERROR_USAGE, "map %s:%s has no slots", from, to);
    TRY(set_is_there(mesh, from));
    TRY(set_is_there(mesh, to));
    const int64_t n = tess_mesh_set_size(mesh, from);
    bool padded = false;
    for (int64_t i = 0; i < n * arity; i++)
        padded |= index[i] == -1;
    TRY(copy_values(index, n, (size_t)arity * sizeof *index, &copy));
    return tess_mesh_add_map(mesh, from, to, arity, padded ? TESS_MAP_PADDED : 0, copy);
}

tess_status tess_mesh_put_dat(tess_mesh *mesh, const char *name, const char *set, int dim,
                              tess_type type, const void *values) {
    void *copy = NULL;
    if (dim < 1)
        FAIL(TESS_ERROR_USAGE, "dat %s has no values", name);
    if ((unsigned)type > TESS_DOUBLE)
        FAIL(TESS_ERROR_USAGE, "dat %s: there is no type %d", name, type);
    TRY(set_is_there(mesh, set));
    TRY(copy_values(values, tess_mesh_set_size(mesh, set), (size_t)dim * tess_type_size(type),
                    &copy));
    return tess_mesh_add_dat(mesh, name, set, dim, type, copy);
}

tess_status tess_mesh_put_coordinates(tess_mesh *mesh, const double *coordinates) {
    void *copy = NULL;
    const int64_t n_nodes = tess_mesh_set_size(mesh, "nodes");
    const int64_t dimension = mesh->dimension;
    TRY(set_is_there(mesh, "nodes"));
    if (dimension != 2 && dimension != 3)
        FAIL(TESS_ERROR_USAGE, "coordinates have 2 or 3 dimensions, not %d", mesh->dimension);
    for (int64_t i = 0; i < n_nodes * dimension; i++)
        if (!isfinite(coordinates[i]))
            FAIL(TESS_ERROR_INPUT, "coordinate %lld of node %lld is not finite",
                 (long long)(i % dimension), (long long)(i / dimension));
    TRY(copy_values(coordinates, n_nodes, (size_t)dimension * sizeof *coordinates, &copy));
    free(mesh->coordinates);
    mesh->coordinates = copy;
    return TESS_OK;
}

tess_status tess_mesh_save(tess_mesh *mesh, const char *path, const char *format) {
    const tess_writer *writer = NULL;
    TRY(tess_writer_find(format && *format ? format : NULL, path, &writer));
    return tess_mesh_write(mesh, writer, path);
}

int tess_mesh_dimension(const tess_mesh *mesh) {
    return mesh->dimension;
}

const double *tess_mesh_coordinates(const tess_mesh *mesh) {
    return mesh->coordinates;
}

int tess_mesh_n_sets(const tess_mesh *mesh) {
    return mesh->n_sets;
}

const char *tess_mesh_set_name(const tess_mesh *mesh, int set) {
    return set >= 0 && set < mesh->n_sets ? mesh->sets[set].name : NULL;
}

int tess_mesh_n_maps(const tess_mesh *mesh) {
    return mesh->n_maps;
}

const char *tess_mesh_map_name(const tess_mesh *mesh, int map) {
    return map >= 0 && map < mesh->n_maps ? mesh->maps[map].name : NULL;
}

int tess_mesh_map_arity(const tess_mesh *mesh, const char *name) {
    const tess_map *map = tess_mesh_find_map(mesh, name);
    return map ? map->arity : 0;
}

const int32_t *tess_mesh_map_index(const tess_mesh *mesh, const char *name) {
    const tess_map *map = tess_mesh_find_map(mesh, name);
    return map ? map->index : NULL;
}

int tess_mesh_n_warnings(const tess_mesh *mesh) {
    return (int)mesh->n_warnings;
}

const char *tess_mesh_warning(const tess_mesh *mesh, int warning) {
    return warning >= 0 && warning < mesh->n_warnings ? mesh->warnings[warning] : NULL;
}

tess_status tess_partition_cut(const tess_bound_loop *bound, const char *partitioner,
                               int32_t block_size, uint64_t seed, tess_partition **out) {
    tess_status status = TESS_OK;
    tess_partition_problem *problem = NULL;
    tess_spec *spec = NULL;
    const tess_partitioner *plugin = NULL;
    double seconds = 0;
    CHECK(tess_spec_parse_one(partitioner, "partitioner", &spec));
    CHECK(tess_partitioner_find(spec->name, &plugin));
    CHECK(tess_partition_problem_build(bound, TESS_POINTS_INCREMENTS, block_size, seed, &problem));
    CHECK(tess_partitioner_run(plugin, problem, spec, TESS_REPAIR_SPLIT, &seconds, out));
done:
    tess_spec_list_free(spec, 1);
    tess_partition_problem_free(problem);
    return status;
}

tess_status tess_partition_update(const tess_bound_loop *bound, const tess_partition *before,
                                  const int32_t *was, const char *partitioner, uint64_t seed,
                                  tess_partition **out) {
    tess_status status = TESS_OK;
    tess_recut recut;
    tess_bound_loop *part = NULL;
    tess_partition *cut = NULL;
    CHECK(tess_recut_open(before, was, bound->n_elements, &recut));
    CHECK(tess_bound_loop_choose(bound, recut.n, recut.elements, &part));
    if (recut.n > 0)
        CHECK(tess_partition_cut(part, partitioner, before->block_size, seed, &cut));
    CHECK(tess_recut_join(&recut, cut, out));
done:
    tess_partition_free(cut);
    tess_bound_loop_free(part);
    tess_recut_close(&recut);
    return status;
}

int32_t tess_plan_n_kept(const tess_plan *plan) {
    return plan->n_kept;
}

/* The rule of a partitioner that cuts on devices, and its rounds of swaps; fails (USAGE) on another
 * one. */
static tess_status rule_parse(const char *partitioner, tess_cut *what) {
    tess_status status = TESS_OK;
    tess_spec *spec = NULL;
    const tess_partitioner *plugin = NULL;
    CHECK(tess_spec_parse_one(partitioner, "partitioner", &spec));
    CHECK(tess_partitioner_find(spec->name, &plugin));
    CHECK(tess_spec_check(spec, plugin->options));
    if (!plugin->cut_rule || !plugin->cut_rule(spec, what))
        CHECK(tess_fail(
            TESS_ERROR_USAGE,
            "'%s' does not cut on a device: take rcb, rcb:cut=turns, rcb:swap=8 or hilbert",
            partitioner));
    if (what->n_rounds && (!what->map || what->n_slots < 1))
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "'%s' swaps elements by what they reach: give a map of that", partitioner));
done:
    tess_spec_list_free(spec, 1);
    return status;
}

static tess_status check_count(int64_t n) {
    if (n < 0 || n > INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "%lld elements: 0 to 2^31 - 1 are cut", (long long)n);
    return TESS_OK;
}

/* What is to be cut, and what cuts it. */
static tess_status cut_open(const tess_device_places *places, const char *partitioner,
                            int32_t block_size, tess_cut *what, tess_device_cutter **cutter) {
    *what = (tess_cut){.n = places->n,
                       .dimension = places->dimension,
                       .places = places->coordinates,
                       .unchecked = true,
                       .block_size = block_size,
                       .n_slots = places->n_slots,
                       .map = places->map};
    if (block_size < 1)
        FAIL(TESS_ERROR_USAGE, "a block of %d elements: the block size is at least 1", block_size);
    if (what->dimension < 1 || what->dimension > 3)
        FAIL(TESS_ERROR_USAGE, "elements that have %d coordinates: 1 to 3 are cut",
             what->dimension);
    TRY(check_count(what->n));
    TRY(rule_parse(partitioner, what));
    return tess_device_cutter_open(places->device, cutter);
}

static tess_status check_blocks(int64_t n, int32_t n_blocks) {
    TRY(check_count(n));
    if (n_blocks < 0 || n_blocks > n)
        FAIL(TESS_ERROR_INPUT, "%lld elements are in %d blocks", (long long)n, n_blocks);
    return TESS_OK;
}

tess_status tess_partition_on_device(const tess_device_places *places,
                                     const tess_device_blocks *before, const char *partitioner,
                                     int32_t block_size, int32_t *block_of, int32_t *n_blocks) {
    tess_status status = TESS_OK;
    tess_device_cutter *cutter = NULL;
    tess_cut what;
    int32_t n = 0;
    if (before)
        CHECK(check_blocks(before->n, before->n_blocks));
    CHECK(cut_open(places, partitioner, block_size, &what, &cutter));
    n = (int32_t)((what.n + block_size - 1) / block_size);
    if (before && what.n > 0)
        CHECK(tess_device_cutter_recut(cutter, &what, before, block_of, &n));
    else if (what.n > 0)
        CHECK(tess_device_cutter_cut(cutter, &what, block_of));
    if (n_blocks)
        *n_blocks = n;
done:
    tess_device_cutter_close(cutter);
    return status;
}

/* Whether a plan may follow from the one before. */
static tess_status check_device_plan(const tess_device_plan *before, const tess_device_plan *plan) {
    TRY(check_blocks(plan->n, plan->n_blocks));
    if (plan->n < 1 || plan->n_blocks < 1)
        FAIL(TESS_ERROR_INPUT, "a plan of %lld elements in %d blocks: one at least",
             (long long)plan->n, plan->n_blocks);
    if (before)
        TRY(check_blocks(before->n, before->n_blocks));
    if (plan->n_sets < 0 || (before && before->n_sets != plan->n_sets))
        FAIL(TESS_ERROR_USAGE, "the plan before is of %d sets of points, this one of %d",
             before ? before->n_sets : 0, plan->n_sets);
    if (plan->owned_slots < 0 || plan->n_owned < 0 || plan->n_executed < 0)
        FAIL(TESS_ERROR_USAGE,
             "owned_slots is %d, n_owned %lld and n_executed %lld: none is below 0",
             plan->owned_slots, (long long)plan->n_owned, (long long)plan->n_executed);
    for (int k = 0; k < plan->n_sets; k++) {
        const int n_slots = plan->sets[k].n_slots;
        if (n_slots < 1 || (before && before->sets[k].n_slots != n_slots))
            FAIL(TESS_ERROR_USAGE, "set %d of points has %d slots, in the plan before %d", k,
                 n_slots, before ? before->sets[k].n_slots : n_slots);
    }
    return TESS_OK;
}

tess_status tess_plan_on_device(const char *device, const tess_device_plan *before,
                                const int32_t *was, tess_device_plan *plan) {
    tess_device_cutter *cutter = NULL;
    const tess_device_change change = {before, was};
    TRY(check_device_plan(before, plan));
    TRY(tess_device_cutter_open(device, &cutter));
    const tess_status status = tess_device_cutter_plan(cutter, before ? &change : NULL, plan);
    tess_device_cutter_close(cutter);
    return status;
}

tess_status tess_partition_of_blocks(const tess_bound_loop *bound, const int32_t *block_of,
                                     int32_t block_size, tess_partition **out) {
    tess_partition_problem *problem = NULL;
    TRY(tess_partition_problem_build(bound, TESS_POINTS_INCREMENTS, block_size, 1, &problem));
    const tess_status status = tess_partition_build(problem, block_of, TESS_REPAIR_SPLIT, out);
    tess_partition_problem_free(problem);
    return status;
}

int32_t tess_partition_n_blocks(const tess_partition *partition) {
    return partition->n_blocks;
}

const int32_t *tess_partition_block_of(const tess_partition *partition) {
    return partition->block_of;
}

int32_t tess_plan_n_blocks(const tess_plan *plan) {
    return plan->n_blocks;
}

const int32_t *tess_plan_executed(const tess_plan *plan) {
    return plan->executed;
}

const int64_t *tess_plan_block_offset(const tess_plan *plan) {
    return plan->block_offset;
}

const uint16_t *tess_plan_thread_colour(const tess_plan *plan) {
    return plan->thread_colour;
}

const int32_t *tess_plan_block_colour(const tess_plan *plan) {
    return plan->block_colour;
}

int32_t tess_plan_n_block_colours(const tess_plan *plan) {
    return plan->n_block_colours;
}

int tess_plan_n_sets(const tess_plan *plan) {
    return plan->n_sets;
}

/* A set of the plan, one with nothing in it outside of its sets. */
static const tess_plan_set *set_of(const tess_plan *plan, int set) {
    static const tess_plan_set none = {.n_slots = 0};
    return set >= 0 && set < plan->n_sets ? &plan->sets[set] : &none;
}

const char *tess_plan_set_name(const tess_plan *plan, int set) {
    return set >= 0 && set < plan->n_sets ? plan->sets[set].set : NULL;
}

const int64_t *tess_plan_point_offset(const tess_plan *plan, int set) {
    return set_of(plan, set)->point_offset;
}

const int32_t *tess_plan_points(const tess_plan *plan, int set) {
    return set_of(plan, set)->points;
}

int tess_plan_n_slots(const tess_plan *plan, int set) {
    return set_of(plan, set)->n_slots;
}

const uint16_t *tess_plan_local_index(const tess_plan *plan, int set) {
    return set_of(plan, set)->local_index;
}

/* The permutation of a set by name, NULL where it keeps its numbers. */
static const tess_permutation *permutation_of(const tess_renumbering *renumbering,
                                              const tess_mesh *mesh, const char *set) {
    return tess_renumbering_of(renumbering, tess_mesh_find_set(mesh, set));
}

const int32_t *tess_renumbering_new_to_old(const tess_renumbering *renumbering,
                                           const tess_mesh *mesh, const char *set) {
    const tess_permutation *permutation = permutation_of(renumbering, mesh, set);
    return permutation ? permutation->new_to_old : NULL;
}

const int32_t *tess_renumbering_old_to_new(const tess_renumbering *renumbering,
                                           const tess_mesh *mesh, const char *set) {
    const tess_permutation *permutation = permutation_of(renumbering, mesh, set);
    return permutation ? permutation->old_to_new : NULL;
}

tess_status tess_experiment_new(tess_experiment_kind kind, tess_experiment **out) {
    tess_experiment *experiment = NULL;
    if ((unsigned)kind >= TESS_N_KINDS)
        FAIL(TESS_ERROR_USAGE, "there is no kind %d of experiments", kind);
    TRY(TESS_ALLOC(1, &experiment));
    const tess_status status = tess_experiment_init(kind, experiment);
    if (status == TESS_OK)
        *out = experiment;
    else
        free(experiment);
    return status;
}

static tess_status find_field(const tess_experiment *experiment, const char *name,
                              tess_field *out) {
    tess_unknown_name unknown = tess_unknown_name_of(name);
    for (tess_field field = 0; field < TESS_N_FIELDS; field++) {
        if (!tess_field_is_of(field, experiment->kind))
            continue;
        *out = field;
        if (strcmp(tess_fields[field].name, name) == 0)
            return TESS_OK;
        tess_unknown_name_add(&unknown, tess_fields[field].name);
    }
    return tess_unknown_name_fail("an experiment of this kind has no setting", &unknown,
                                  (tess_unknown_words){"?", " (known: %s)"});
}

tess_status tess_experiment_set_by_name(tess_experiment *experiment, const char *name,
                                        const char *text) {
    tess_field field = TESS_N_FIELDS;
    char *before = NULL;
    TRY(find_field(experiment, name, &field));
    TRY(tess_experiment_text(experiment, field, &before));
    tess_status status = tess_experiment_set(experiment, field, text);
    if (status != TESS_OK && tess_experiment_set(experiment, field, before) != TESS_OK)
        status = TESS_ERROR_MEMORY;
    free(before);
    return status;
}

tess_status tess_experiment_text_by_name(const tess_experiment *experiment, const char *name,
                                         char **out) {
    tess_field field = TESS_N_FIELDS;
    TRY(find_field(experiment, name, &field));
    return tess_experiment_text(experiment, field, out);
}

void tess_experiment_free(tess_experiment *experiment) {
    if (experiment)
        tess_experiment_clear(experiment);
    free(experiment);
}

const char *tess_run_id(const tess_run *run) {
    return run->run && *run->run ? run->run : NULL;
}

double tess_run_seconds(const tess_run *run) {
    return tess_trial_median(&run->trial);
}

double tess_run_measure(const tess_run *run, const char *name) {
    if (strcmp(name, "block_size") == 0)
        return (double)run->experiment->block_size;
    return tess_run_value(run, name);
}

const char *tess_record_text(const tess_record *record, const char *key) {
    const char *text = tess_values_text(&record->configuration, key);
    return *text ? text : tess_values_text(&record->environment, key);
}
