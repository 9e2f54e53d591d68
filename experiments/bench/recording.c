/* Recording: what an experiment leaves in its record, and in the lab. */
#include "experiments/bench/recording.h"

#include "core/base/array.h"
#include "core/base/hdf_file.h"
#include "core/base/progress.h"
#include "experiments/archive/digest.h"
#include "experiments/archive/view_file.h"
#include "experiments/bench/ranked_march.h"
#include "experiments/bench/step_record.h"
#include "partitioners/graph32.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Notes every option of the partitioner, as `partitioner:KEY`, those left to their defaults, too:
 * a record must say what a later version's other default was. Beside l and epsilon stands what
 * follows from them, S' and l' (partitioners/graph32.h): blocks of S' elements are asked for, none
 * over l' S'. */
static tess_status record_options(const tess_spec *spec, const tess_option *options,
                                  int32_t block_size, tess_values *into) {
    bool has_l = false, has_epsilon = false;
    for (const tess_option *option = options; option->key; option++) {
        char key[TESS_NAME_SIZE];
        snprintf(key, sizeof key, "partitioner:%s", option->key);
        if (option->kind == TESS_OPTION_INT || option->kind == TESS_OPTION_REAL)
            TRY(tess_values_set_number(into, key, tess_spec_real(spec, options, option->key), "1"));
        else
            TRY(tess_values_set_text(into, key, tess_spec_text(spec, options, option->key)));
        has_l = has_l || strcmp(option->key, "l") == 0;
        has_epsilon = has_epsilon || strcmp(option->key, "epsilon") == 0;
    }
    if (!has_l || !has_epsilon)
        return TESS_OK;
    const tess_block_target target = tess_block_target_of(
        block_size, tess_spec_real(spec, options, "l"), tess_spec_real(spec, options, "epsilon"));
    TRY(tess_values_set_number(into, "partitioner:target_size", target.block_size, "elements"));
    return tess_values_set_number(into, "partitioner:target_imbalance", target.imbalance, "1");
}

/* Notes every setting under its name. */
static tess_status record_settings(const tess_experiment *x, tess_values *into) {
    for (tess_field field = 0; field < TESS_N_FIELDS; field++) {
        const tess_field_about *about = &tess_fields[field];
        char *text = NULL;
        const char *key = tess_field_recorded(field);
        if (!tess_field_is_of(field, x->kind) || !key)
            continue;
        TRY(tess_experiment_text(x, field, &text));
        tess_status status = TESS_OK;
        if (*text && tess_field_is_number(field))
            status = tess_values_set_number(into, key, strtod(text, NULL), about->unit);
        else if (*text)
            status = tess_values_set_text(into, key, text);
        free(text);
        TRY(status);
        if (field == TESS_FIELD_partitioner)
            TRY(record_options(x->partitioner.spec, x->partitioner.plugin->options,
                               (int32_t)x->block_size, into));
    }
    return TESS_OK;
}

/* Notes the files that the partitioner's options name, with the SHA-256 of each, as `sha256sum` has
 * them: a command is not what it was once its program is another. */
static tess_status record_files(const tess_chosen_partitioner *chosen, tess_values *environment) {
    tess_status status = TESS_OK;
    char *paths = NULL, *text = NULL, *rest = NULL;
    size_t size = 0;
    FILE *list = open_memstream(&paths, &size), *lines = open_memstream(&text, &size);
    if (!list || !lines)
        CHECK(tess_fail(TESS_ERROR_MEMORY, "out of memory for the names of files"));
    if (chosen->plugin->file_option)
        fprintf(list, "%s\n",
                tess_spec_text(chosen->spec, chosen->plugin->options, chosen->plugin->file_option));
    else
        CHECK(chosen->plugin->files(chosen->spec, list));
    fflush(list);
    for (char *path = strtok_r(paths, "\n", &rest); path; path = strtok_r(NULL, "\n", &rest)) {
        char digest[TESS_DIGEST_SIZE];
        if (tess_digest_of_file(path, digest) == TESS_OK) /* else the partitioner says so */
            fprintf(lines, "%s%s  %s", ftell(lines) ? "\n" : "", digest, path);
    }
    fflush(lines);
    if (text[0])
        CHECK(tess_values_set_text(environment, "partitioner_files", text));
done:
    if (list)
        fclose(list);
    if (lines)
        fclose(lines);
    free(paths);
    free(text);
    return status;
}

/* What stands for settings of ranks that are unsaid. */
static tess_status record_rank_defaults(const tess_experiment *x, tess_values *into) {
    static const char *const halos[] = {TESS_HALO_NAMES};
    TRY(tess_values_set_text(into, "engine", tess_experiment_engine(x)));
    TRY(tess_values_set_text(into, "halo", halos[tess_experiment_halo(x)]));
    return tess_values_set_text(into, "overlap", x->overlap == TESS_OVERLAP_NO ? "no" : "yes");
}

tess_status tess_record_experiment(tess_record *record, const tess_experiment *experiment) {
    const tess_experiment *x = experiment;
    static const char *const layouts[] = {"aos", "soa"};
    tess_values *into = &record->configuration;
    TRY(record_settings(x, into));
    if (x->partitioner.plugin->version)
        TRY(tess_values_set_text(&record->environment, "partitioner_version",
                                 x->partitioner.plugin->version));
    if (x->partitioner.plugin->files || x->partitioner.plugin->file_option)
        TRY(record_files(&x->partitioner, &record->environment));
    TRY(tess_values_set_text(into, "layout", layouts[x->layout.layouts.layout]));
    if (x->kind == TESS_CUTTING)
        return TESS_OK;
    TRY(tess_values_set_text(into, "layouts", x->layout.text));
    if (x->kernel)
        TRY(tess_values_set_text(into, "application", x->kernel));
    if (tess_experiment_is_ranked(x))
        TRY(record_rank_defaults(x, into));
    TRY(tess_values_set_text(into, "renumber", tess_renumber_name(tess_experiment_renumber(x))));
    return tess_values_set_number(into, "threads",
                                  x->threads == TESS_UNSAID ? 0 : (double)x->threads, "1");
}

tess_status tess_record_gpu(const tess_bench *bench, tess_values *environment) {
    char text[32];
    if (!bench->target || !bench->device->model)
        return TESS_OK;
    TRY(tess_values_set_text(environment, "gpu", bench->device->model(bench->target)));
    const int version = bench->device->facts ? bench->device->facts(bench->target).driver : 0;
    if (version == 0)
        return TESS_OK;
    snprintf(text, sizeof text, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    return tess_values_set_text(environment, "driver", text);
}

tess_status tess_record_workload(tess_record *record, const tess_bench *bench) {
    tess_values *into = &record->configuration;
    TRY(tess_record_gpu(bench, &record->environment));
    TRY(tess_values_set_text(into, "mesh", bench->load.mesh->source));
    TRY(tess_values_set_text(into, "loop", tess_workload_name(&bench->load)));
    if (bench->load.chained)
        TRY(tess_values_set_text(into, TESS_NUMBERED_BY, bench->load.kernel->name));
    if (bench->load.kernel)
        TRY(tess_values_set_text(into, "precision", tess_type_name(bench->load.real)));
    return TESS_OK;
}

/* What is sure of the bits of a result; of chains nothing. Partial sums depend on the ranks. */
static tess_same_bits same_bits_of(const tess_bench *bench, const tess_experiment *x) {
    const tess_renumber_method renumber = tess_experiment_renumber(x);
    /* Elements of a block go in the mesh's order. */
    const bool in_order = x->order == TESS_ORDER_ELEMENT &&
                          (renumber == TESS_RENUMBER_NONE || tess_renumber_needs_plan(renumber));
    const tess_loop *loop = bench->load.bound->loop;
    if (bench->load.chained)
        return TESS_BITS_VARY;
    const tess_same_bits bits = tess_strategy_same_bits(x->strategy.plugin, x->strategy.spec, loop);
    const bool sends_sums = tess_experiment_is_ranked(x) && tess_loop_adds(loop) &&
                            tess_experiment_halo(x) == TESS_HALO_PARTIAL_SUMS;
    return bits == TESS_BITS_OF_ANY && (!in_order || sends_sums) ? TESS_BITS_OF_RUN : bits;
}

tess_status tess_record_same_bits(tess_record *record, const tess_bench *bench,
                                  const tess_experiment *x) {
    static const char *const names[] = {TESS_SAME_BITS_NAMES};
    const tess_same_bits bits = same_bits_of(bench, x);
    if ((int)bits < x->same_bits)
        FAIL(TESS_ERROR_USAGE, "%s: --same-bits %s is for others, as owner-block:sum=block-gather",
             bits == TESS_BITS_VARY ? "sums are taken in any order"
                                    : "the bits are the same in every run of a plan, but not with "
                                      "any blocks",
             names[x->same_bits == TESS_BITS_OF_ANY ? TESS_BITS_OF_ANY : TESS_BITS_OF_RUN]);
    return tess_values_set_text(&record->configuration, "same_bits", names[bits]);
}

tess_status tess_record_result_bits(tess_record *record, const tess_bench *bench,
                                    const tess_experiment *x, const tess_state *result) {
    tess_status status = TESS_OK;
    tess_hash *hash = NULL;
    char digest[TESS_DIGEST_SIZE];
    const char *before = tess_values_text(&record->environment, "result_bits");
    const tess_loop *loop = bench->load.bound->loop;
    CHECK(tess_hash_new("result", &hash));
    for (int a = 0; a < loop->n_args; a++) {
        const tess_dat *dat = tess_state_find(result, loop->args[a].dat, loop->args[a].set);
        if (loop->args[a].access != TESS_READ)
            CHECK(tess_hash_array(hash, dat->values, tess_state_size(result, dat) * dat->dim,
                                  tess_type_size(dat->type)));
    }
    CHECK(tess_hash_finish(hash, digest));
    if (*before && strcmp(before, digest) != 0)
        CHECK(tess_fail(TESS_ERROR_CHECK,
                        "two runs of %s have not the same bits, which it promises",
                        x->strategy.text));
    if (!*before)
        CHECK(tess_values_set_text(&record->environment, "result_bits", digest));
done:
    tess_hash_free(hash);
    return status;
}

/* What the partitioner said, and, where the partition is that of an earlier run, which. */
static tess_status record_partition(const tess_planned *planned, tess_record *record) {
    const tess_partition *partition = planned->partition;
    if (partition->remark[0])
        TRY(tess_record_log(record, "%s", partition->remark));
    if (planned->partition_run[0]) {
        TRY(tess_values_set_text(&record->environment, "partition_reused_from",
                                 planned->partition_run));
        return tess_record_add_step(record, "read_partition", planned->partition_seconds);
    }
    TRY(tess_values_set_text(&record->environment, "partitioned_on",
                             partition->place[0] ? partition->place : "host"));
    if (isnan(partition->cpu_seconds))
        TRY(tess_record_log(record, "its blocks were cut while other threads worked: what that "
                                    "cost was not measured"));
    return tess_record_add_step(record, "partition", planned->partition_seconds);
}

/* How the steps of planning went. */
static tess_status record_planned(const tess_run *run) {
    const tess_planned *planned = run->planned;
    const tess_layout layout = run->experiment->layout.layouts.layout;
    TRY(record_partition(planned, run->record));
    TRY(tess_values_set_text(&run->record->environment, "planned_on",
                             planned->plan->place[0] ? planned->plan->place : "host"));
    TRY(tess_record_add_step(run->record, "plan", planned->plan_seconds));
    if (planned->check_seconds > 0)
        TRY(tess_record_add_step(run->record, "check", planned->check_seconds));
    return tess_record_add_step(run->record, "metrics", planned->metrics_seconds[layout]);
}

/* Every sample with its round and its time in the session. */
static tess_status record_samples(const tess_trial *trial, tess_record *record) {
    for (int64_t i = 0; i < trial->n_samples; i++) {
        const tess_trial_sample *sample = &trial->samples[i];
        TRY(tess_record_add_sample(record, "time", "s", sample->seconds));
        TRY(tess_record_add_sample(record, TESS_SERIES_ROUND, "1", sample->round));
        TRY(tess_record_add_sample(record, TESS_SERIES_START, "s", sample->start));
        if (isfinite(sample->clocks.compute))
            TRY(tess_record_add_sample(record, TESS_SERIES_CLOCK, "Hz", sample->clocks.compute));
        if (isfinite(sample->clocks.memory))
            TRY(tess_record_add_sample(record, TESS_SERIES_MEMORY_CLOCK, "Hz",
                                       sample->clocks.memory));
    }
    return TESS_OK;
}

/* How the loop was executed, and what the check said. */
static tess_status record_trial(const tess_run *run) {
    const tess_trial *trial = &run->trial;
    tess_record *record = run->record;
    if (trial->tables_place[0])
        TRY(tess_values_set_text(&record->environment, "tables_made_on", trial->tables_place));
    if (trial->remark[0])
        TRY(tess_record_log(record, "%s", trial->remark));
    TRY(tess_record_add_step(record, "compile", trial->compile_seconds));
    TRY(tess_record_add_step(record, "first_run", trial->first_seconds));
    TRY(record_samples(trial, record));
    if (!trial->checked)
        return tess_record_set_check(record, TESS_UNCHECKED, "a sample of blocks has no result");
    char message[160];
    snprintf(message, sizeof message, "%s differs by %.3g of its largest value, %.3g is allowed",
             trial->worst[0] ? trial->worst : "nothing", trial->difference, trial->tolerance);
    return tess_record_set_check(record, trial->passed ? TESS_PASSED : TESS_FAILED, message);
}

/* The run stands without its view, which can be made again; then the run says why. */
static tess_status write_view(const tess_bench *bench, const tess_plan_content *content,
                              tess_run *run) {
    tess_progress_begin("writing the view");
    const tess_status status = tess_view_file_of_plan(
        bench->options.lab, content, run->record->plan, run->record->id, &run->view_file);
    tess_progress_end();
    return status == TESS_OK ? TESS_OK : tess_text_copy(tess_message(), &run->unviewed);
}

tess_plan_content tess_planned_content(const tess_bench *bench, const tess_experiment *x,
                                       const tess_planned *planned, const char *mesh) {
    tess_plan_content content = {.bound = bench->load.bound,
                                 .loop = bench->load.bound->loop,
                                 .partitioner = x->partitioner.text,
                                 .partition = planned->partition,
                                 .plan = planned->plan,
                                 .renumbering = planned->renumbering,
                                 .layout = x->layout.layouts.layout,
                                 .metrics = planned->metrics[x->layout.layouts.layout]};
    memcpy(content.mesh, mesh, sizeof content.mesh);
    return content;
}

static tess_status archive_plan(const tess_bench *bench, const tess_experiment *x,
                                tess_planned *planned) {
    char *const digest = planned->digest[x->layout.layouts.layout];
    char stored[TESS_DIGEST_SIZE];
    if (digest[0])
        return TESS_OK;
    const tess_plan_content content = tess_planned_content(bench, x, planned, bench->mesh_digest);
    TRY(tess_lab_store_plan(bench->options.lab, &content, stored));
    memcpy(digest, stored, sizeof stored);
    return TESS_OK;
}

tess_status tess_planned_archive(const tess_bench *bench, const tess_experiment *x,
                                 tess_planned *planned) {
    tess_progress_begin("storing the plan");
    tess_hdf_take(); /* and what the lab remembers: another thread may store the same plan */
    const tess_status status = archive_plan(bench, x, planned);
    tess_hdf_leave();
    tess_progress_end();
    return status;
}

/* Stores the plan, where there is time for it, the run, and the view. */
static tess_status store(const tess_bench *bench, tess_run *run) {
    tess_status status = TESS_OK;
    tess_planned *planned = run->planned;
    tess_record *record = run->record;
    tess_lab *lab = bench->options.lab;
    char *plan_path = NULL;
    const tess_plan_content content =
        tess_planned_content(bench, run->experiment, planned, bench->mesh_digest);
    const bool stored = planned->digest[content.layout][0] || !tess_bench_is_late(bench);
    if (stored) {
        CHECK(tess_planned_archive(bench, run->experiment, planned));
        memcpy(record->plan, planned->digest[content.layout], sizeof record->plan);
        CHECK(tess_lab_file(lab, "plans", record->plan, &plan_path));
    } else {
        CHECK(
            tess_record_log(record, "its plan is not in the lab: the time of the search was over"));
    }
    CHECK(record_planned(run));
    CHECK(tess_lab_store_run(lab, record));
    if (stored && bench->options.view && bench->load.mesh->coordinates)
        CHECK(write_view(bench, &content, run));
    run->plan_file = TESS_TAKE(plan_path);
done:
    free(plan_path);
    return status;
}

tess_status tess_run_archive(const tess_bench *bench, tess_run *run) {
    tess_record *record = run->record;
    const bool executed = run->experiment->kind == TESS_RUNNING;
    TRY(tess_record_add_metrics(record, run->values));
    if (executed)
        TRY(record_trial(run));
    else
        TRY(tess_record_set_check(record, TESS_PASSED, "plan_check found no defect"));
    memcpy(record->mesh, bench->mesh_digest, sizeof record->mesh);
    if (!tess_bench_reports(bench))
        return TESS_OK;
    if (!run->planned || !run->planned->partition)
        return bench->options.lab ? tess_lab_store_run(bench->options.lab, record) : TESS_OK;
    return bench->options.lab ? store(bench, run) : record_planned(run);
}

tess_status tess_run_archive_failure(const tess_bench *bench, tess_run *run) {
    memcpy(run->record->mesh, bench->mesh_digest, sizeof run->record->mesh);
    TRY(tess_record_set_check(run->record, TESS_FAILED, run->failure));
    return tess_lab_store_run(bench->options.lab, run->record);
}
