/* Archiving: what a line leaves in a lab, the plan, its view and the record of the run. */
#include "experiments/bench/line_archive.h"

#include "experiments/archive/plan_choices.h"
#include "experiments/archive/view_file.h"
#include "partitioners/graph32.h"
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

tess_status tess_record_setting(tess_record *record, const tess_bound_loop *bound,
                                const tess_setting *setting, const char *partitioner) {
    static const char *const points[] = TESS_POINTS_NAMES;
    static const char *const repairs[] = TESS_REPAIR_NAMES;
    static const char *const orders[] = TESS_ORDER_NAMES;
    static const char *const colourings[] = TESS_COLOURING_NAMES;
    static const char *const layouts[] = {"aos", "soa"};
    tess_values *into = &record->configuration;
    TRY(tess_values_set_text(into, "mesh", bound->mesh->source));
    TRY(tess_values_set_text(into, "loop", bound->loop->name));
    TRY(tess_values_set_text(into, "partitioner", partitioner));
    TRY(record_options(setting->spec, setting->partitioner->options, setting->block_size, into));
    if (setting->partitioner->version)
        TRY(tess_values_set_text(&record->environment, "partitioner_version",
                                 setting->partitioner->version));
    TRY(tess_values_set_number(into, "block_size", setting->block_size, "elements"));
    TRY(tess_values_set_number(into, "seed", (double)setting->seed, "1"));
    TRY(tess_values_set_text(into, "points", points[setting->points]));
    TRY(tess_values_set_text(into, "repair", repairs[setting->repair]));
    TRY(tess_values_set_number(into, "refine", setting->refine, "1"));
    TRY(tess_values_set_text(into, "thread_order", orders[setting->plan.thread_order]));
    TRY(tess_values_set_text(into, "colouring", colourings[setting->plan.thread_colouring]));
    TRY(tess_values_set_text(into, "renumber", tess_renumber_name(setting->renumber)));
    TRY(tess_values_set_text(into, "layout", layouts[setting->layout]));
    return tess_values_set_number(into, "time_limit", setting->time_limit, "s");
}

/* What the partitioner cost. */
static tess_status record_cost(const tess_line *line, tess_record *record) {
    const tess_partition *partition = line->partition;
    TRY(tess_record_add_step(record, "partition", line->partition_seconds));
    TRY(tess_record_add_measure(record, "partition_seconds", "s", "timer",
                                line->partition_seconds));
    TRY(tess_record_add_measure(record, "partition_cpu_seconds", "s", "timer",
                                partition->cpu_seconds));
    TRY(tess_record_add_measure(record, "partition_memory_bytes", "B", "system",
                                (double)partition->grown_bytes));
    if (partition->peak_bytes == 0)
        return TESS_OK;
    TRY(tess_record_add_measure(record, "worker_start_cpu_seconds", "s", "timer",
                                partition->start_cpu_seconds));
    return tess_record_add_measure(record, "partition_peak_bytes", "B", "system",
                                   (double)partition->peak_bytes);
}

/* What the partitioner gave before the repair, beside the metrics of what came of it, and what it
 * cost; or, where the partition is that of an earlier run, which, for what it cost is measured
 * there. */
static tess_status record_partition(const tess_line *line, tess_record *record) {
    const tess_partition *partition = line->partition;
    TRY(tess_record_add_measure(record, "reuse_factor_before_repair", "1", "plan",
                                partition->reuse_factor_before));
    TRY(tess_record_add_measure(record, "blocks_before_repair", "1", "plan",
                                (double)partition->n_blocks_before));
    TRY(tess_record_add_measure(record, "largest_block_before_repair", "elements", "plan",
                                (double)partition->largest_before));
    TRY(tess_record_add_measure(record, "elements_moved_by_repair", "elements", "plan",
                                (double)partition->n_moved));
    if (partition->remark[0])
        TRY(tess_record_log(record, "%s", partition->remark));
    if (!line->partition_run[0])
        return record_cost(line, record);
    TRY(tess_values_set_text(&record->environment, "partition_reused_from", line->partition_run));
    return tess_record_add_step(record, "read_partition", line->partition_seconds);
}

/* Adds to the record what the line measured and how long it took. */
static tess_status record_line(const tess_line *line, tess_record *record) {
    TRY(tess_record_add_metrics(record, line->metrics));
    TRY(tess_record_add_measure(record, "plan_seconds", "s", "timer", line->plan_seconds));
    TRY(record_partition(line, record));
    TRY(tess_record_add_step(record, "plan", line->plan_seconds));
    TRY(tess_record_add_step(record, "check", line->check_seconds));
    return tess_record_add_step(record, "metrics", line->metrics_seconds);
}

tess_status tess_line_archive(tess_lab *lab, const char *mesh_digest, const tess_bound_loop *bound,
                              const tess_setting *setting, const tess_line *line, bool view,
                              tess_record *record, char **plan_file, char **view_file) {
    TRY(tess_record_set_check(record, TESS_PASSED, "plan_check found no defect"));
    return tess_line_archive_checked(lab, mesh_digest, bound, setting, line, view, record,
                                     plan_file, view_file);
}

tess_status tess_line_archive_checked(tess_lab *lab, const char *mesh_digest,
                                      const tess_bound_loop *bound, const tess_setting *setting,
                                      const tess_line *line, bool view, tess_record *record,
                                      char **plan_file, char **view_file) {
    tess_status status = TESS_OK;
    char *plan_path = NULL, *view_path = NULL;
    const char *partitioner = tess_values_text(&record->configuration, "partitioner");
    tess_plan_content content = {.bound = bound,
                                 .loop = bound->loop,
                                 .partitioner = partitioner,
                                 .partition = line->partition,
                                 .plan = line->plan,
                                 .renumbering = line->renumbering,
                                 .layout = setting->layout,
                                 .metrics = line->metrics};
    memcpy(content.mesh, mesh_digest, sizeof content.mesh);
    memcpy(record->mesh, mesh_digest, sizeof record->mesh);
    CHECK(tess_lab_store_plan(lab, &content, record->plan));
    CHECK(tess_lab_file(lab, "plans", record->plan, &plan_path));
    CHECK(record_line(line, record));
    CHECK(tess_lab_store_run(lab, record)); /* before the view, which can be made again */
    if (view && line->plan->n_executed <= TESS_VIEW_MOST_ELEMENTS) {
        CHECK(tess_lab_file(lab, "views", record->plan, &view_path));
        CHECK(tess_view_file_write(&content, view_path));
    }
    *plan_file = plan_path;
    *view_file = view_path;
    plan_path = view_path = NULL;
done:
    free(plan_path);
    free(view_path);
    return status;
}

tess_status tess_line_archive_failure(tess_lab *lab, const char *mesh_digest, const char *words,
                                      tess_record *record) {
    memcpy(record->mesh, mesh_digest, sizeof record->mesh);
    TRY(tess_record_set_check(record, TESS_FAILED, words));
    return tess_lab_store_run(lab, record);
}
