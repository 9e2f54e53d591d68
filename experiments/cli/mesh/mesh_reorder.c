/* tess mesh reorder: a mesh in another order, and what that changes for a pass. */
#include "experiments/cli/mesh/mesh_reorder.h"

#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/progress.h"
#include "core/base/statistics.h"
#include "core/mesh/pairs.h"
#include "data/array_file.h"
#include "data/formats/writer.h"
#include "data/mesh_open.h"
#include "data/permute_mesh.h"
#include "experiments/bench/permutation_file.h"
#include "experiments/model/pass_run.h"
#include "experiments/report/table.h"
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char doc[] =
    "Write a mesh along a curve, in another order, or in that of blocks: cells block by block, "
    "nodes in the order of their first use, all other sets after these; markers, regions and names "
    "stay. Before it writes it says what a sweep over the map will gain, or that the order is good "
    "already.\v"
    "Examples:\n"
    "  tess mesh reorder wing.su2 new.su2\n"
    "  tess mesh reorder wing.su2 new.su2 -p levels --permutation new.npz\n"
    "  tess mesh reorder wing.msh --map faces:cells -p mosaic -b 128 --dry-run\n\n"
    "-p is any partitioner, or an order: hilbert along a curve, rcm and gps along the edges of "
    "cells, levels for sweeps over faces. The permutation file has SET.new_to_old of each set, and "
    "block_offset, block_colour, thread_colour, SET.owner of the blocks, whose numbers are the new "
    "ones; as text it can be given to --apply.";

typedef struct reorder_options {
    tess_common common;
    const char *mesh, *output, *format, *permutation, *machine_name;
    const char *gpu; /* on which sweeps are tried; NULL: on this processor */
    bool dry_run;
    tess_reordering_asked asked;
    int64_t block_size;
    const char *sweep;
    double share; /* of a step's time that its sweeps take, as the mesh is */
    tess_machine machine;
    bool has_times;
    tess_pass_cost now, then;
    tess_comparison gain; /* of sweeps: now / then */
} reorder_options;

/* What a sweep does, as --sweep says it. */
static const tess_option sweep_options[] = {
    TESS_INT_OPTION("reads", "1", 0, 64, "Arrays at points that are read"),
    TESS_INT_OPTION("adds", "0", 0, 64, "Arrays at points that are added to"),
    TESS_INT_OPTION("solves", "0", 0, 16, "Arrays at points that are solved, there and back"),
    TESS_INT_OPTION("lists", "0", 0, 1,
                    "1: pairs of its points are added to, in a matrix whose rows are lists"),
    TESS_INT_OPTION("element", "8", 0, 4096, "Bytes that stream past with each element"),
    TESS_INT_OPTION("written", "0", 0, 4096, "Those of them that an element writes"),
    TESS_INT_OPTION("point", "0", 0, 4096, "Bytes that stream past with each point"),
    TESS_INT_OPTION("rounds", "1", 1, 64, "How often those of the points do"),
    TESS_REAL_OPTION("work", "0", 0, 10000,
                     "Nanoseconds that an element takes on a mesh that caches hold; 0: it computes "
                     "nothing"),
    TESS_INT_OPTION("cold", "0", 0, 1, "1: before each sweep loops go through as much else"),
    {0}};

/* Fails on a setting without a value. */
static tess_status check_sweep(const char *typed) {
    const size_t length = strcspn(typed, ":");
    if (memchr(typed, '=', length))
        return typed[length] ? check_sweep(typed + length + 1) : TESS_OK;
    FAIL(TESS_ERROR_USAGE, "--sweep: '%.*s' has no value: write it as in reads=1:adds=0",
         (int)length, typed);
}

static tess_status set_sweep(const char *typed, tess_pass *pass) {
    tess_status status = TESS_OK;
    tess_spec *specs = NULL;
    char *text = NULL;
    int n = 0;
    if (typed && *typed)
        CHECK(check_sweep(typed));
    CHECK(tess_text_print(&text, "sweep%s%s", typed && *typed ? ":" : "", typed ? typed : ""));
    CHECK(tess_spec_list_parse(text, &specs, &n));
    if (n != 1)
        CHECK(tess_fail(TESS_ERROR_USAGE, "--sweep %s: its settings are separated by ':'", typed));
    CHECK(tess_spec_check(specs, sweep_options));
    pass->reads = (int)tess_spec_int(specs, sweep_options, "reads");
    pass->adds = (int)tess_spec_int(specs, sweep_options, "adds");
    pass->solves = (int)tess_spec_int(specs, sweep_options, "solves");
    pass->lists = tess_spec_int(specs, sweep_options, "lists");
    pass->element_bytes = tess_spec_int(specs, sweep_options, "element");
    pass->written_bytes = tess_spec_int(specs, sweep_options, "written");
    pass->stream_bytes = tess_spec_int(specs, sweep_options, "point");
    pass->rounds = (int)tess_spec_int(specs, sweep_options, "rounds");
    pass->work = tess_spec_real(specs, sweep_options, "work");
    pass->cold = tess_spec_int(specs, sweep_options, "cold");
    if (pass->reads + pass->adds + pass->solves + pass->lists == 0)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "--sweep %s: it reads, adds to or solves one array at least, or lists",
                        typed));
    if (pass->written_bytes > pass->element_bytes)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "--sweep %s: the bytes of an element are %lld, so no more are written",
                        typed, (long long)pass->element_bytes));
    if ((pass->work > 0 || pass->written_bytes) && pass->solves + pass->lists > 0)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "--sweep %s: work lies between what is read, and what is written behind "
                        "it; they go with reads and adds, not with solves or lists",
                        typed));
done:
    free(text);
    tess_spec_list_free(specs, n);
    return status;
}

enum { TURNS = 7, DRY_TURNS = 20 };

/* Runs sweeps on this machine; without a compiler there are no times. */
static tess_status run_passes(const tess_pass *passes, int n_passes, int *n_turns,
                              reorder_options *all, double *seconds) {
    tess_progress_begin("timing a sweep on this machine");
    const tess_status status = tess_pass_run(all->gpu, passes, n_passes, n_turns, seconds);
    tess_progress_end();
    if (status == TESS_ERROR_INTERRUPTED || (status != TESS_OK && all->gpu))
        return status;
    all->has_times = status == TESS_OK;
    if (!all->has_times && !all->common.quiet)
        fprintf(stderr, "tess: no times, for this machine cannot be measured: %s\n",
                tess_message());
    return TESS_OK;
}

/* Both orders in turns. */
static tess_status try_both(const tess_pass passes[2], reorder_options *all) {
    double seconds[DRY_TURNS][2], now[DRY_TURNS], then[DRY_TURNS];
    int n_turns = DRY_TURNS;
    TRY(run_passes(passes, 2, &n_turns, all, seconds[0]));
    if (!all->has_times)
        return TESS_OK;
    for (int turn = 0; turn < n_turns; turn++) {
        now[turn] = seconds[turn][0];
        then[turn] = seconds[turn][1];
    }
    return tess_compare_rounds(then, now, n_turns, &all->gain);
}

/* One order after the other, the mesh being moved between them, so that no map is there twice. */
static tess_status try_and_move(const tess_pass *now, const tess_reordering *reordering,
                                tess_mesh *mesh, reorder_options *all) {
    double before[TURNS], behind[TURNS];
    int n_before = TURNS, n_behind = TURNS;
    all->has_times = false;
    if (!all->machine_name)
        TRY(run_passes(now, 1, &n_before, all, before));
    TRY(tess_mesh_renumber(mesh, reordering->renumbering));
    if (!all->has_times)
        return TESS_OK;
    TRY(run_passes(now, 1, &n_behind, all, behind));
    return tess_compare(behind, n_behind, before, n_before, &all->gain);
}

/* What is foretold by numbers alone. */
static tess_comparison gain_by(double now, double then) {
    const double gain = now / then;
    return (tess_comparison){
        .median_a = then, .median_b = now, .ratio = gain, .low = gain, .high = gain};
}

/* Whether what is swept through are the rows and columns of pairs. */
static bool is_pairs(const tess_bound_loop *bound) {
    const tess_map *pairs = tess_pairs_of_set(bound->mesh, bound->set);
    return pairs && !pairs->padded && pairs->index == bound->targets[0].slot_index[0];
}

/* Finds what a sweep touches before and after, and what it takes: by the levels of a machine's
 * file, or else by trying it. A mesh that is to be written gets its new numbers. */
static tess_status foretell(reorder_options *all, const tess_reordering *reordering,
                            tess_mesh *mesh) {
    const tess_bound_loop *bound = reordering->bound;
    const tess_loop_target *target = &bound->targets[0];
    const tess_permutation *elements = tess_renumbering_of(reordering->renumbering, bound->set);
    const tess_permutation *points = tess_renumbering_of(reordering->renumbering, target->set);
    const tess_machine *machine = all->machine_name ? &all->machine : NULL;
    tess_pass now = {.index = target->slot_index[0],
                     .arity = target->n_slots,
                     .n = bound->n_elements,
                     .n_points = mesh->sets[target->set].size,
                     .point_bytes = target->bytes,
                     .pairs = is_pairs(bound),
                     .window = (int32_t)all->block_size};
    TRY(set_sweep(all->sweep, &now));
    tess_pass then = now;
    then.elements = elements ? elements->new_to_old : NULL;
    then.points = points ? points->old_to_new : NULL;
    TRY(tess_pass_count(&now, machine, &all->now));
    TRY(tess_pass_count(&then, machine, &all->then));
    if (!machine && !all->gpu)
        tess_command_tell_load(&all->common);
    if (!all->dry_run)
        TRY(try_and_move(&now, reordering, mesh, all));
    else if (!machine)
        TRY(try_both((tess_pass[]){now, then}, all));
    if (machine || !all->has_times)
        all->gain = machine ? gain_by(all->now.seconds, all->then.seconds)
                            : gain_by(all->now.lines, fmax(1, all->then.lines));
    else {
        all->now.seconds = all->gain.median_b;
        all->then.seconds = all->gain.median_a;
    }
    all->has_times |= machine != NULL;
    return TESS_OK;
}

/* How many times as fast a step will be whose sweeps take a share of its time now. */
static double gain_of_step(const reorder_options *all, double gain) {
    return 1 / (1 - all->share + all->share / gain);
}

/* A gain of a twentieth is the least that one would notice. */
static bool is_worth_it(double gain) {
    return gain >= 1.05;
}

/* "1.45 times", or what it lies between, where this differs by more than a tenth. */
static const char *times_of(double gain, double low, double high, char text[64]) {
    if (high > 1.1 * low)
        snprintf(text, 64, "between %.2f and %.2f times", low, high);
    else
        snprintf(text, 64, "%.2f times", gain);
    return text;
}

static tess_status add_row(tess_table *table, const char *when, const tess_pass_cost *cost) {
    TRY(tess_table_add_row(table));
    TRY(tess_table_add_cell(table, "%s", when));
    TRY(tess_table_add_cell(table, "%.1f", cost->points));
    TRY(tess_table_add_cell(table, "%.1f", cost->lines));
    return tess_table_add_number(table, "%.3g", 1e3 * cost->seconds);
}

static tess_status print_expected(const reorder_options *all, const tess_reordering *reordering) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    const tess_loop_target *target = &reordering->bound->targets[0];
    const tess_mesh *mesh = reordering->bound->mesh;
    const tess_comparison *gain = &all->gain;
    char text[64];
    printf("A sweep over %s, %lld %s at a time, %lld bytes at each of the %s:\n\n",
           reordering->loop->args[0].map, (long long)all->block_size, reordering->loop->set,
           (long long)target->bytes, mesh->sets[target->set].name);
    CHECK(tess_table_new(TESS_TITLES("order", ">distinct points", ">lines of 64 bytes", ">ms"),
                         &table));
    CHECK(add_row(table, "now", &all->now));
    CHECK(add_row(table, "then", &all->then));
    CHECK(tess_table_print(table, stdout));
    times_of(gain->ratio, gain->low, gain->high, text);
    if (!is_worth_it(gain->ratio))
        printf("\nLeave it: %s (%s).\n",
               is_worth_it(all->now.lines / fmax(1, all->then.lines))
                   ? "the caches hold what a sweep touches, in any order"
                   : "the order is good already",
               text);
    else
        printf("\n%s sweeps of %s the speed, by %s.\n", gain->low > 1 ? "Expect" : "Unclear:", text,
               !all->has_times     ? "the lines that they touch"
               : all->machine_name ? all->machine.name
               : all->gpu          ? "trying both orders on this GPU"
                                   : "trying both orders on this machine");
    if (all->share < 1)
        printf("A step whose sweeps take %.0f %% of its time now: %s.\n", 100 * all->share,
               times_of(gain_of_step(all, gain->ratio), gain_of_step(all, gain->low),
                        gain_of_step(all, gain->high), text));
done:
    tess_table_free(table);
    return status;
}

static json_t *cost_json(const tess_pass_cost *cost) {
    return json_pack("{s:f, s:f, s:o}", "points", cost->points, "lines", cost->lines, "seconds",
                     tess_json_number(cost->seconds));
}

static tess_status tell(const reorder_options *all, const tess_reordering *reordering) {
    if (!all->common.json)
        return print_expected(all, reordering);
    const tess_comparison *gain = &all->gain;
    const int64_t n_blocks =
        reordering->n_blocks
            ? reordering->n_blocks
            : (reordering->bound->n_elements + all->block_size - 1) / all->block_size;
    return tess_json_print(json_pack(
        "{s:s, s:o, s:s, s:I, s:s, s:o, s:o, s:f, s:o, s:o, s:f, s:f, s:b, s:s?, s:I}", "schema",
        "tess.mesh_reorder/1", "mesh", tess_json_text(reordering->bound->mesh->source), "map",
        reordering->loop->args[0].map, "block_size", (json_int_t)all->block_size, "order",
        all->asked.given ? all->asked.given : all->asked.order, "now", cost_json(&all->now), "then",
        cost_json(&all->then), "gain", gain->ratio, "gain_low", tess_json_number(gain->low),
        "gain_high", tess_json_number(gain->high), "share", all->share, "gain_of_step",
        gain_of_step(all, gain->ratio), "is_worth_it", is_worth_it(gain->ratio) && gain->low > 1,
        "machine",
        !all->has_times     ? NULL
        : all->machine_name ? all->machine.name
        : all->gpu          ? all->gpu
                            : "this machine",
        "blocks", (json_int_t)n_blocks));
}

static tess_status write_all(const reorder_options *all, const tess_writer *writer, tess_mesh *mesh,
                             tess_reordering *reordering) {
    if (!all->permutation)
        tess_reordering_release(reordering);
    if (writer)
        TRY(tess_mesh_write(mesh, writer, all->output));
    if (all->permutation)
        TRY(tess_permutation_write(all->permutation, reordering));
    if (writer && !all->common.json)
        printf("\nWritten to %s.\n", all->output);
    if (all->permutation && !all->common.json)
        printf("%sThe permutation is in %s.\n", writer ? "" : "\n", all->permutation);
    for (int64_t i = 0; i < mesh->n_warnings && !all->common.quiet; i++)
        fprintf(stderr, "tess: warning: %s\n", mesh->warnings[i]);
    return TESS_OK;
}

/* Whether --machine names a device, "cuda:gpu=1", and no file of a machine. */
static bool names_device(const char *name) {
    char plugin[TESS_NAME_SIZE];
    const tess_device *device = NULL;
    snprintf(plugin, sizeof plugin, "%.*s", (int)strcspn(name, ":"), name);
    return tess_device_find(plugin, &device) == TESS_OK;
}

/* A GPU that can be timed, and what a sweep does there. */
static tess_status check_gpu(const reorder_options *all, const tess_pass *sweep) {
    const double most_work = 100;
    if (strncmp(all->gpu, "cuda", strlen("cuda")) != 0)
        FAIL(TESS_ERROR_USAGE,
             "--machine %s: cuda is tried, and a file of a machine read; without either this "
             "processor is tried",
             all->gpu);
    if (sweep->solves || sweep->lists || sweep->cold)
        FAIL(TESS_ERROR_USAGE,
             "--sweep %s: solves, lists and cold are a processor's; on a GPU a sweep reads, "
             "computes, adds and writes",
             all->sweep);
    if (sweep->work > most_work)
        FAIL(TESS_ERROR_USAGE,
             "--sweep %s: on a GPU an element takes a fraction of a nanosecond, at most %g here, "
             "for many are executed at a time",
             all->sweep, most_work);
    return TESS_OK;
}

/* What can be wrong before the mesh is read. */
static tess_status check_asked(reorder_options *all, const tess_writer **writer) {
    if (!all->mesh || (!all->output && !all->permutation && !all->dry_run))
        FAIL(TESS_ERROR_USAGE,
             "which mesh, and to which file? tess mesh reorder MESH OUT, or MESH --dry-run");
    if (all->output) {
        TRY(tess_writer_find(all->format, all->output, writer));
        TRY(tess_writer_check(*writer, all->output));
    }
    if (all->asked.given && all->asked.order)
        FAIL(TESS_ERROR_USAGE,
             "--apply gives the order, and -p another one: leave one of them out");
    if (!all->asked.order)
        all->asked.order = "hilbert";
    tess_pass sweep = {.n = 0};
    TRY(set_sweep(all->sweep, &sweep));
    if (!(all->share > 0 && all->share <= 1))
        FAIL(TESS_ERROR_USAGE, "--share %g: a share of a step's time is above 0 and at most 1",
             all->share);
    if (all->machine_name && names_device(all->machine_name)) {
        all->gpu = all->machine_name;
        all->machine_name = NULL;
        TRY(check_gpu(all, &sweep));
    }
    if (all->machine_name) {
        TRY(tess_machine_read(all->machine_name, &all->machine));
        const char *tried = sweep.lists           ? "lists of entries take"
                            : sweep.work > 0      ? "computing leaves to wait for"
                            : sweep.written_bytes ? "writing takes"
                            : sweep.cold          ? "other loops leave of the caches"
                                                  : NULL;
        if (tried)
            FAIL(TESS_ERROR_USAGE, "--machine: what %s is tried on this machine", tried);
        if (all->machine.n_levels == 0)
            FAIL(TESS_ERROR_INPUT, "machine %s lacks levels of memory: it is no processor",
                 all->machine.name);
    }
    return all->permutation ? tess_array_file_check(all->permutation) : TESS_OK;
}

static tess_status reorder_run(int argc, char **argv) {
    static const tess_option_row options[] = {
        {"map", 'M', "FROM:TO",
         "The map that is swept through (default: cells:nodes, or where that is not known "
         "edges:cells or faces:cells)",
         1, TESS_KEPT(reorder_options, asked.map)},
        {"dat", 0, "NAME:SET:DIM:TYPE", "What lies at its points (default: one double)", 1,
         TESS_KEPT(reorder_options, asked.dat)},
        {"sweep", 0, "SETTINGS",
         "What a sweep does: reads=1:adds=0:solves=0 arrays at points, element=8:point=0 bytes "
         "stream past, rounds=1 times those of points, written=0 of those of elements are written; "
         "cold=1: loops between go through as much else; lists=1: pairs of them are entries of "
         "lists; work=NS: an element takes so many nanoseconds where caches hold the mesh",
         1, TESS_KEPT(reorder_options, sweep)},
        {"share", 0, "S",
         "Of a step's time that its sweeps take now, 0 to 1, as a profile says: foretells the step",
         1, TESS_KEPT(reorder_options, share)},
        {"partitioner", 'p', "P", "A partitioner, or hilbert, rcm, gps, levels (default: hilbert)",
         1, TESS_KEPT(reorder_options, asked.order)},
        {"block-size", 'b', "N", "Elements of a block (default: 128)", 1,
         TESS_KEPT(reorder_options, block_size), .least = 1, .most = INT32_MAX},
        {"apply", 0, "FILE", "The permutations of this file of text instead", 1,
         TESS_KEPT(reorder_options, asked.given)},
        {"permutation", 0, "FILE", "Write the permutation of each set, and blocks: .npz, .h5, .txt",
         2, TESS_KEPT(reorder_options, permutation)},
        {"format", 'f', "NAME", "Write this format whatever the extension says", 2,
         TESS_KEPT(reorder_options, format)},
        {"machine", 0, "FILE",
         "Foretell times by this file of 'tess machine measure', or cuda: try both orders on this "
         "GPU (default: on this processor)",
         2, TESS_KEPT(reorder_options, machine_name)},
        {"dry-run", 0, NULL, "Say what is expected, and write nothing", 2,
         TESS_KEPT(reorder_options, dry_run)},
        {TESS_KEPT(reorder_options, mesh)},
        {TESS_KEPT(reorder_options, output),
         .refusal = "two names are asked for, not '%s' besides"},
        {0}};
    static const tess_usage usage = {.options = options, .args_doc = "MESH [OUT]", .doc = doc};
    tess_status status = TESS_OK;
    tess_mesh *mesh = NULL;
    const tess_writer *writer = NULL;
    tess_reordering reordering = {.loop = NULL};
    reorder_options all = {.asked = {.seed = 1}, .block_size = 128, .share = 1};
    CHECK(tess_command_parse(&usage, argc, argv, &all.common, &all));
    CHECK(check_asked(&all, &writer));
    all.asked.wants_plan = all.permutation;
    all.asked.is_derived = !all.permutation && !(writer && writer->keeps_maps);
    all.asked.block_size = (int32_t)all.block_size;
    mallopt(M_MMAP_THRESHOLD, 1 << 20); /* what one step took is not kept beside the next */
    CHECK(tess_mesh_open(all.mesh, &mesh));
    CHECK(tess_reordering_make(&all.asked, mesh, &reordering));
    CHECK(foretell(&all, &reordering, mesh));
    CHECK(tell(&all, &reordering));
    if (!all.dry_run)
        CHECK(write_all(&all, writer, mesh, &reordering));
done:
    tess_reordering_release(&reordering);
    tess_mesh_free(mesh);
    return status;
}

const tess_command tess_mesh_reorder = {
    .name = "reorder",
    .summary = "Write a mesh in another order, or in that of its blocks",
    .run = reorder_run};
