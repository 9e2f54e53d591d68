/* Cuts: partitions that may be taken again. */
#include "experiments/bench/cuts.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "experiments/archive/run_table.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What blocks follow from, beside the mesh and the options of the partitioner. */
static const char *const asked[] = {"loop",   "partitioner", "block_size", "seed",
                                    "points", "repair",      "refine"};
static const char *const made_by[] = {"program",  "commit", "commit_clean",
                                      "compiler", "flags",  "partitioner_version"};
enum {
    N_ASKED = sizeof asked / sizeof *asked,
    N_MADE_BY = sizeof made_by / sizeof *made_by,
    LONGEST_TEXT = 255, /* of a run table */
    MOST_READ = 64      /* plans of a lab that are looked into */
};

static const char option_prefix[] = "partitioner:";

static bool is_option(const tess_value *entry) {
    return strncmp(entry->key, option_prefix, strlen(option_prefix)) == 0;
}

/* The set that is cut. */
static const char *set_of(const tess_bound_loop *bound, const tess_setting *setting) {
    return setting->over ? setting->over : bound->loop->set;
}

/* All that the blocks follow from, within one mesh and one program. */
static tess_status key_of(const tess_bound_loop *bound, const tess_setting *setting,
                          const tess_record *record, char **out) {
    const tess_values *configuration = &record->configuration;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        FAIL(TESS_ERROR_MEMORY, "out of memory for what blocks follow from");
    fprintf(stream, "%s%s\n", setting->over ? "points " : "", set_of(bound, setting));
    for (int i = 0; i < N_ASKED; i++)
        fprintf(stream, "%s\n", tess_values_text(configuration, asked[i]));
    for (int64_t i = 0; i < configuration->n; i++)
        if (is_option(&configuration->items[i]))
            fprintf(stream, "%s=%s\n", configuration->items[i].key, configuration->items[i].text);
    if (fclose(stream) != 0) {
        free(text);
        FAIL(TESS_ERROR_MEMORY, "out of memory for what blocks follow from");
    }
    *out = text;
    return TESS_OK;
}

static const tess_kept_cut *find_kept(const tess_cuts *cuts, const char *key) {
    for (int i = 0; i < TESS_MOST_CUTS; i++)
        if (cuts->kept[i].key && strcmp(cuts->kept[i].key, key) == 0)
            return &cuts->kept[i];
    return NULL;
}

/* Takes over the key and the partition. */
static const tess_kept_cut *keep(tess_cuts *cuts, char *key, tess_partition *partition,
                                 double seconds, const char *run) {
    tess_kept_cut *cut = &cuts->kept[cuts->n_made++ % TESS_MOST_CUTS];
    free(cut->key);
    tess_partition_free(cut->partition);
    *cut = (tess_kept_cut){.key = key, .partition = partition, .seconds = seconds};
    snprintf(cut->run, sizeof cut->run, "%s", run);
    return cut;
}

/* True when the run of a row has the same entry, or lacks it like the record. */
static bool agrees(const tess_run_table *table, int64_t row, const tess_values *entries,
                   const char *key) {
    const tess_value *entry = tess_values_find(entries, key);
    tess_run_field field;
    if (!tess_run_table_find(table, key, &field))
        return !entry;
    if (!field.is_text) {
        const double number = tess_run_number(table, &field, row);
        return entry ? number == entry->number : isnan(number);
    }
    const char *text = entry ? entry->text : "";
    return strlen(text) <= LONGEST_TEXT && strcmp(tess_run_text(table, &field, row), text) == 0;
}

/* True when the run of a row cut the same mesh in the same way. */
static bool is_alike(const tess_cuts *cuts, int64_t row, const tess_record *record) {
    tess_run_field mesh;
    bool alike = tess_run_table_find(cuts->table, "mesh_digest", &mesh) &&
                 strcmp(tess_run_text(cuts->table, &mesh, row), cuts->mesh) == 0;
    for (int i = 0; alike && i < N_ASKED; i++)
        alike = agrees(cuts->table, row, &record->configuration, asked[i]);
    for (int i = 0; alike && i < N_MADE_BY; i++)
        alike = agrees(cuts->table, row, &record->environment, made_by[i]);
    for (int64_t i = 0; alike && i < record->configuration.n; i++)
        if (is_option(&record->configuration.items[i]))
            alike = agrees(cuts->table, row, &record->configuration,
                           record->configuration.items[i].key);
    return alike;
}

/* A program that is not its commit's is the same where it differs from it by the same. */
static tess_status has_same_diff(const tess_cuts *cuts, const char *run, const tess_record *record,
                                 bool *same) {
    tess_record *other = NULL;
    *same = !record->diff || !*record->diff;
    if (*same)
        return TESS_OK;
    TRY(tess_lab_read_run(cuts->lab, run, &other));
    *same = other->diff && strcmp(other->diff, record->diff) == 0;
    tess_record_free(other);
    return TESS_OK;
}

/* Reads the partition of a row's plan, NULL where it is of another loop or set. */
static tess_status read_row(const tess_cuts *cuts, int64_t row, const char *plan_digest,
                            const tess_plan_content *want, const tess_record *record,
                            tess_partition **out) {
    tess_status status = TESS_OK;
    char *path = NULL;
    bool same = false;
    *out = NULL;
    CHECK(has_same_diff(cuts, tess_run_table_id(cuts->table, row), record, &same));
    if (!same)
        goto done;
    CHECK(tess_lab_file(cuts->lab, "plans", plan_digest, &path));
    status = tess_plan_file_read_partition(path, want, out);
done:
    free(path);
    return status;
}

/* The run that cut the blocks of a row's run: itself, or the one that it took them from. */
static const char *origin_of(const tess_run_table *table, int64_t row) {
    tess_run_field from;
    const char *origin = tess_run_table_find(table, "partition_reused_from", &from)
                             ? tess_run_text(table, &from, row)
                             : "";
    return *origin ? origin : tess_run_table_id(table, row);
}

/* True when the plan of a row is that of one of the n rows. */
static bool was_read(const tess_run_table *table, const tess_run_field *plan, const int64_t *rows,
                     int n, int64_t row) {
    for (int i = 0; i < n; i++)
        if (strcmp(tess_run_text(table, plan, rows[i]), tess_run_text(table, plan, row)) == 0)
            return true;
    return false;
}

/* Looks through the runs of the lab, the last one first. Each plan is read once, and few at most:
 * runs that differ in what follows after the cut have plans of their own. */
static tess_status search(const tess_cuts *cuts, const tess_plan_content *want, tess_record *record,
                          tess_partition **out, const char **run) {
    tess_run_field plan;
    int64_t read[MOST_READ];
    int n_read = 0;
    *out = NULL;
    if (!tess_run_table_find(cuts->table, "plan_digest", &plan))
        return TESS_OK;
    for (int64_t row = cuts->table->n_rows - 1; row >= 0 && !*out && n_read < MOST_READ; row--) {
        const char *digest = tess_run_text(cuts->table, &plan, row);
        if (!*digest || !is_alike(cuts, row, record) ||
            was_read(cuts->table, &plan, read, n_read, row))
            continue;
        read[n_read++] = row;
        const tess_status status = read_row(cuts, row, digest, want, record, out);
        if (status == TESS_ERROR_MEMORY)
            return status;
        if (status != TESS_OK)
            TRY(tess_record_log(record, "cut again, for an earlier partition cannot be read: %s",
                                tess_message()));
        *run = origin_of(cuts->table, row);
    }
    return TESS_OK;
}

/* Gives the cut of an earlier run of the lab; NULL where there is none. Takes over the key then. */
static tess_status find_in_lab(tess_cuts *cuts, const tess_bound_loop *bound,
                               const tess_setting *setting, tess_record *record, char **key,
                               const tess_kept_cut **out) {
    int64_t n_unreadable = 0;
    const char *run = "";
    tess_partition *partition = NULL;
    tess_plan over = {.owns_points = setting->over != NULL, .block_size = setting->block_size};
    snprintf(over.partitioned_set, sizeof over.partitioned_set, "%s", set_of(bound, setting));
    tess_plan_content want = {.bound = bound,
                              .loop = bound->loop,
                              .partitioner =
                                  tess_values_text(&record->configuration, "partitioner"),
                              .plan = &over};
    memcpy(want.mesh, cuts->mesh, sizeof want.mesh);
    if (!cuts->table)
        TRY(tess_lab_table(cuts->lab, NULL, &cuts->table, &n_unreadable));
    TRY(search(cuts, &want, record, &partition, &run));
    if (!partition)
        return TESS_OK;
    *out = keep(cuts, *key, partition, NAN, run);
    *key = NULL;
    return TESS_OK;
}

tess_status tess_cuts_line(tess_cuts *cuts, const tess_bound_loop *bound,
                           const tess_setting *setting, tess_record *record, tess_line **out) {
    tess_status status = TESS_OK;
    char *key = NULL;
    tess_partition *copy = NULL;
    tess_setting with = *setting;
    const double start = tess_clock_seconds();
    const tess_kept_cut *kept = NULL;
    CHECK(key_of(bound, setting, record, &key));
    if (!setting->partitioner->unrepeatable)
        kept = find_kept(cuts, key);
    if (!kept && cuts->lab && !setting->partitioner->unrepeatable)
        CHECK(find_in_lab(cuts, bound, setting, record, &key, &kept));
    if (kept)
        with.cut = (tess_cut){.partition = kept->partition,
                              .run = kept->run,
                              .seconds = *kept->run ? tess_clock_seconds() - start : kept->seconds};
    CHECK(tess_line_run(bound, &with, out));
    if (!kept) {
        CHECK(tess_partition_copy((*out)->partition, &copy));
        keep(cuts, key, copy, (*out)->partition_seconds, "");
        key = NULL;
    }
done:
    free(key);
    return status;
}

void tess_cuts_clear(tess_cuts *cuts) {
    for (int i = 0; i < TESS_MOST_CUTS; i++) {
        free(cuts->kept[i].key);
        tess_partition_free(cuts->kept[i].partition);
    }
    tess_run_table_free(cuts->table);
    *cuts = (tess_cuts){.lab = NULL};
}
