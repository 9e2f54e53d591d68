/* A cache of partitions that may be taken again. */
#include "experiments/bench/partition_cache.h"

#include "core/base/clock.h"
#include "core/base/stream_text.h"
#include "experiments/archive/run_table.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the environment: another program may cut otherwise. */
static const char *const made_by[] = {"program",  "commit", "commit_clean",
                                      "compiler", "flags",  "partitioner_version"};
enum {
    N_MADE_BY = sizeof made_by / sizeof *made_by,
    LONGEST_TEXT = 255, /* of a run table */
    MOST_READ = 64      /* plans of a lab that are looked into */
};

static const char option_prefix[] = "partitioner:";

static bool is_option(const tess_value *entry) {
    return strncmp(entry->key, option_prefix, strlen(option_prefix)) == 0;
}

/* The set that is cut. */
static const char *set_of(const tess_bound_loop *bound, const char *owned_set) {
    return owned_set ? owned_set : bound->loop->set;
}

/* All that the blocks follow from, within one mesh and one program: the settings that decide them,
 * with what the options of the partitioner are by default. */
static tess_status key_of(const tess_partition_wanted *want, char **out) {
    const tess_values *configuration = &want->record->configuration;
    tess_status status = TESS_OK;
    char *settings = NULL;
    tess_printed key;
    CHECK(
        tess_experiment_key(want->experiment, TESS_DECIDES_BLOCKS, TESS_DECIDES_BLOCKS, &settings));
    CHECK(tess_printed_open(&key));
    fprintf(key.stream, "%s%s\n%s\n%s", want->owned_set ? "points " : "",
            set_of(want->bound, want->owned_set), want->bound->loop->name, settings);
    for (int64_t i = 0; i < configuration->n; i++)
        if (is_option(&configuration->items[i]))
            fprintf(key.stream, "%s=%s\n", configuration->items[i].key,
                    configuration->items[i].text);
    status = tess_printed_close(&key, TESS_OK, out);
done:
    free(settings);
    return status;
}

static const tess_kept_partition *find_kept(const tess_partition_cache *cache, const char *key) {
    for (int i = 0; i < TESS_MOST_PARTITIONS; i++)
        if (cache->kept[i].key && strcmp(cache->kept[i].key, key) == 0)
            return &cache->kept[i];
    return NULL;
}

/* Takes over the key and the partition. */
static const tess_kept_partition *keep(tess_partition_cache *cache, char *key,
                                       tess_partition *partition, double seconds, const char *run) {
    tess_kept_partition *kept = &cache->kept[cache->n_made++ % TESS_MOST_PARTITIONS];
    free(kept->key);
    tess_partition_free(kept->partition);
    *kept = (tess_kept_partition){.key = key, .partition = partition, .seconds = seconds};
    snprintf(kept->run, sizeof kept->run, "%s", run);
    return kept;
}

/* Whether the run of a row has the same entry, or lacks it like the record. */
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

/* Whether the run of a row cut the same mesh in the same way. */
static bool is_alike(const tess_partition_cache *cache, int64_t row, const tess_record *record) {
    tess_run_field mesh;
    bool alike = tess_run_table_find(cache->table, "mesh_digest", &mesh) &&
                 strcmp(tess_run_text(cache->table, &mesh, row), cache->mesh) == 0;
    alike = alike && agrees(cache->table, row, &record->configuration, "loop");
    for (tess_field field = 0; alike && field < TESS_N_FIELDS; field++)
        if (tess_fields[field].decides == TESS_DECIDES_BLOCKS)
            alike = agrees(cache->table, row, &record->configuration, tess_field_recorded(field));
    for (int i = 0; alike && i < N_MADE_BY; i++)
        alike = agrees(cache->table, row, &record->environment, made_by[i]);
    for (int64_t i = 0; alike && i < record->configuration.n; i++)
        if (is_option(&record->configuration.items[i]))
            alike = agrees(cache->table, row, &record->configuration,
                           record->configuration.items[i].key);
    return alike;
}

/* A program that is not its commit's is the same where it differs from it by the same. */
static tess_status has_same_diff(const tess_partition_cache *cache, const char *run,
                                 const tess_record *record, bool *same) {
    tess_record *other = NULL;
    *same = !record->diff || !*record->diff;
    if (*same)
        return TESS_OK;
    TRY(tess_lab_read_run(cache->lab, run, &other));
    *same = other->diff && strcmp(other->diff, record->diff) == 0;
    tess_record_free(other);
    return TESS_OK;
}

/* Reads the partition of a row's plan, NULL where it is of another loop or set. */
static tess_status read_row(const tess_partition_cache *cache, int64_t row, const char *plan_digest,
                            const tess_plan_content *want, const tess_record *record,
                            tess_partition **out) {
    char path[TESS_PATH_SIZE];
    bool same = false;
    *out = NULL;
    TRY(has_same_diff(cache, tess_run_table_id(cache->table, row), record, &same));
    if (!same)
        return TESS_OK;
    TRY(tess_lab_path(cache->lab, path, "plans/%s.hdf", plan_digest));
    return tess_plan_file_read_partition(path, want, out);
}

/* The run that cut the blocks of a row's run: itself, or the one that it took them from. */
static const char *origin_of(const tess_run_table *table, int64_t row) {
    tess_run_field from;
    const char *origin = tess_run_table_find(table, "partition_reused_from", &from)
                             ? tess_run_text(table, &from, row)
                             : "";
    return *origin ? origin : tess_run_table_id(table, row);
}

/* Whether the plan of a row is that of one of the n rows. */
static bool was_read(const tess_run_table *table, const tess_run_field *plan, const int64_t *rows,
                     int n, int64_t row) {
    for (int i = 0; i < n; i++)
        if (strcmp(tess_run_text(table, plan, rows[i]), tess_run_text(table, plan, row)) == 0)
            return true;
    return false;
}

/* Looks through the runs of the lab, the last one first. Each plan is read once, and few at most:
 * runs that differ in what follows after the cut have plans of their own. */
static tess_status search(const tess_partition_cache *cache, const tess_plan_content *want,
                          tess_record *record, tess_partition **out, const char **run) {
    tess_run_field plan;
    int64_t read[MOST_READ];
    int n_read = 0;
    *out = NULL;
    if (!tess_run_table_find(cache->table, "plan_digest", &plan))
        return TESS_OK;
    for (int64_t row = cache->table->n_rows - 1; row >= 0 && !*out && n_read < MOST_READ; row--) {
        const char *digest = tess_run_text(cache->table, &plan, row);
        if (!*digest || !is_alike(cache, row, record) ||
            was_read(cache->table, &plan, read, n_read, row))
            continue;
        read[n_read++] = row;
        const tess_status status = read_row(cache, row, digest, want, record, out);
        if (status == TESS_ERROR_MEMORY)
            return status;
        if (status != TESS_OK)
            TRY(tess_record_log(record, "cut again, for an earlier partition cannot be read: %s",
                                tess_message()));
        *run = origin_of(cache->table, row);
    }
    return TESS_OK;
}

/* Gives the partition of an earlier run of the lab, or NULL. Takes over the key
 * then. */
static tess_status find_in_lab(tess_partition_cache *cache, const tess_partition_wanted *want,
                               char **key, const tess_kept_partition **out) {
    int64_t n_unreadable = 0;
    const char *run = "";
    tess_partition *partition = NULL;
    tess_plan plan = {.owns_points = want->owned_set != NULL,
                      .block_size = (int32_t)want->experiment->block_size};
    snprintf(plan.partitioned_set, sizeof plan.partitioned_set, "%s",
             set_of(want->bound, want->owned_set));
    tess_plan_content content = {.bound = want->bound,
                                 .loop = want->bound->loop,
                                 .partitioner = want->experiment->partitioner.text,
                                 .plan = &plan};
    memcpy(content.mesh, cache->mesh, sizeof content.mesh);
    if (!cache->table)
        TRY(tess_lab_table(cache->lab, NULL, &cache->table, &n_unreadable));
    TRY(search(cache, &content, want->record, &partition, &run));
    if (!partition)
        return TESS_OK;
    *out = keep(cache, *key, partition, NAN, run);
    *key = NULL;
    return TESS_OK;
}

tess_status tess_partition_cache_take(tess_partition_cache *cache,
                                      const tess_partition_wanted *want, tess_planned *planned) {
    tess_status status = TESS_OK;
    char *key = NULL;
    const double start = tess_clock_seconds();
    if (want->experiment->partitioner.plugin->unrepeatable)
        return TESS_OK;
    CHECK(key_of(want, &key));
    const tess_kept_partition *kept = find_kept(cache, key);
    if (!kept && cache->lab)
        CHECK(find_in_lab(cache, want, &key, &kept));
    if (!kept)
        goto done;
    CHECK(tess_partition_copy(kept->partition, &planned->partition));
    snprintf(planned->partition_run, sizeof planned->partition_run, "%s", kept->run);
    planned->partition_seconds = *kept->run ? tess_clock_seconds() - start : kept->seconds;
done:
    free(key);
    return status;
}

tess_status tess_partition_cache_keep(tess_partition_cache *cache,
                                      const tess_partition_wanted *want,
                                      const tess_planned *planned) {
    tess_status status = TESS_OK;
    char *key = NULL;
    tess_partition *copy = NULL;
    CHECK(key_of(want, &key));
    CHECK(tess_partition_copy(planned->partition, &copy));
    keep(cache, key, copy, planned->partition_seconds, "");
    key = NULL;
done:
    free(key);
    return status;
}

void tess_partition_cache_clear(tess_partition_cache *cache) {
    for (int i = 0; i < TESS_MOST_PARTITIONS; i++) {
        free(cache->kept[i].key);
        tess_partition_free(cache->kept[i].partition);
    }
    tess_run_table_free(cache->table);
    *cache = (tess_partition_cache){.lab = NULL};
}
