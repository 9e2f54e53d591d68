/* A run file of the lab: runs/<id>.hdf, a record. */
#include "experiments/archive/run_file.h"

#include "core/base/array.h"
#include "core/base/old_word.h"
#include "data/archive/archive_reader.h"
#include "data/archive/archive_writer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_COLUMNS = 4, MEASURE_COLUMNS = 4 };

/* A row of values in memory: unit, number, key, then the text, as wide as the table's widest. */
typedef struct value_head {
    double number;
    char key[TESS_NAME_SIZE];
    char unit[TESS_NAME_SIZE];
} value_head;

static tess_archive_row value_row(size_t width, tess_archive_column columns[VALUE_COLUMNS]) {
    columns[0] =
        (tess_archive_column){"key", TESS_ARCHIVE_TEXT, TESS_NAME_SIZE, offsetof(value_head, key)};
    columns[1] = (tess_archive_column){"text", TESS_ARCHIVE_TEXT, width, sizeof(value_head)};
    columns[2] = (tess_archive_column){"number", TESS_ARCHIVE_DOUBLE, sizeof(double),
                                       offsetof(value_head, number)};
    columns[3] = (tess_archive_column){"unit", TESS_ARCHIVE_TEXT, TESS_NAME_SIZE,
                                       offsetof(value_head, unit)};
    return (tess_archive_row){columns, VALUE_COLUMNS,
                              (sizeof(value_head) + width + 7) & ~(size_t)7};
}

static const tess_archive_column measure_columns[MEASURE_COLUMNS] = {
    {"name", TESS_ARCHIVE_TEXT, TESS_METRIC_NAME_SIZE, offsetof(tess_measure, name)},
    {"unit", TESS_ARCHIVE_TEXT, TESS_NAME_SIZE, offsetof(tess_measure, unit)},
    {"source", TESS_ARCHIVE_TEXT, TESS_SOURCE_SIZE, offsetof(tess_measure, source)},
    {"value", TESS_ARCHIVE_DOUBLE, sizeof(double), offsetof(tess_measure, value)},
};
static const tess_archive_row measure_row = {measure_columns, MEASURE_COLUMNS,
                                             sizeof(tess_measure)};

static tess_status write_values(const tess_values *values, tess_archive_writer *file,
                                const char *path) {
    size_t width = 1;
    for (int64_t i = 0; i < values->n; i++) {
        const size_t length = strlen(values->items[i].text) + 1;
        width = length > width ? length : width;
    }
    tess_archive_column columns[VALUE_COLUMNS];
    const tess_archive_row layout = value_row(width, columns);
    char *rows = NULL;
    TRY(tess_array_zeros(values->n, layout.size, (void **)&rows));
    for (int64_t i = 0; i < values->n; i++) {
        const tess_value *value = &values->items[i];
        char *row = rows + (size_t)i * layout.size;
        value_head head = {.number = value->number};
        strcpy(head.key, value->key);
        strcpy(head.unit, value->unit);
        memcpy(row, &head, sizeof head);
        strcpy(row + sizeof head, value->text);
    }
    const tess_status status =
        tess_archive_write_table(file, path, &layout, values->n, rows, "in `unit`");
    free(rows);
    return status;
}

static tess_status write_head(const tess_record *record, tess_archive_writer *file) {
    TRY(tess_archive_attribute_text(file, "/", "id", record->id));
    TRY(tess_archive_attribute_text(file, "/", "time", record->time));
    TRY(tess_archive_attribute_text(file, "/", "mesh", record->mesh));
    TRY(tess_archive_attribute_text(file, "/", "plan", record->plan));
    return tess_archive_attribute_text(file, "/", "outcome", tess_outcome_name(record->outcome));
}

static tess_status write_sections(const tess_record *record, tess_archive_writer *file) {
    TRY(write_values(&record->configuration, file, "/configuration"));
    TRY(write_values(&record->environment, file, "/environment"));
    TRY(write_values(&record->steps, file, "/steps"));
    TRY(write_values(&record->check, file, "/check"));
    TRY(tess_archive_write_table(file, "/metrics", &measure_row, record->n_measures,
                                 record->measures, "in `unit`"));
    for (int64_t i = 0; i < record->n_series; i++) {
        const tess_series *series = &record->series[i];
        char path[TESS_NAME_SIZE + 16];
        snprintf(path, sizeof path, "/samples/%s", series->name);
        TRY(tess_archive_write_vector(file, path, TESS_ARCHIVE_DOUBLE, series->n, series->values,
                                      series->unit));
    }
    TRY(tess_archive_write_texts(file, "/log", 1, (const char *[]){record->log}));
    return tess_archive_write_texts(file, "/diff", 1, (const char *[]){record->diff});
}

static tess_status write_ranks(const tess_rank_map *ranks, tess_archive_writer *file) {
    if (!ranks->set[0])
        return TESS_OK;
    TRY(tess_archive_write_group(file, "/ranks"));
    TRY(tess_archive_attribute_text(file, "/ranks", "set", ranks->set));
    TRY(tess_archive_attribute_int(file, "/ranks", "ranks", ranks->n_ranks));
    TRY(tess_archive_write_vector(file, "/ranks/rank_of", TESS_ARCHIVE_INT32, ranks->n,
                                  ranks->rank_of, "1"));
    return tess_archive_write_vector(file, "/ranks/copies", TESS_ARCHIVE_INT32, ranks->n,
                                     ranks->n_copies, "1");
}

static tess_status write_chain(const tess_chain_map *chain, tess_archive_writer *file) {
    const tess_chain_blocks *blocks = chain->blocks;
    if (!chain->set[0])
        return TESS_OK;
    TRY(tess_archive_write_group(file, "/chain"));
    TRY(tess_archive_attribute_text(file, "/chain", "set", chain->set));
    TRY(tess_archive_attribute_text(file, "/chain", "loops", chain->loops));
    TRY(tess_archive_attribute_int(file, "/chain", "rings", blocks->n_rings));
    TRY(tess_archive_attribute_int(file, "/chain", "blocks", blocks->n_blocks));
    TRY(tess_archive_write_vector(file, "/chain/place", TESS_ARCHIVE_INT64,
                                  (int64_t)blocks->n_blocks * (blocks->n_rings + 2), blocks->place,
                                  "1"));
    return tess_archive_write_vector(file, "/chain/points", TESS_ARCHIVE_INT32, blocks->n_places,
                                     blocks->points, "1");
}

tess_status tess_run_file_write(const tess_record *record, const char *path) {
    tess_status status = TESS_OK;
    tess_archive_writer *file = NULL;
    CHECK(tess_archive_create("run", &file));
    CHECK(write_head(record, file));
    CHECK(write_sections(record, file));
    CHECK(write_ranks(&record->ranks, file));
    CHECK(write_chain(&record->chain, file));
    CHECK(tess_archive_commit(file, path));
done:
    tess_archive_writer_free(file);
    return status;
}

static tess_status add_value(tess_values *values, const char *row) {
    value_head head;
    memcpy(&head, row, sizeof head);
    TRY(TESS_RESERVE(values->n + 1, &values->capacity, &values->items));
    tess_value *value = &values->items[values->n];
    *value = (tess_value){.number = head.number};
    strcpy(value->key, head.key);
    strcpy(value->unit, head.unit);
    TRY(tess_text_copy(row + sizeof head, &value->text));
    values->n++;
    return TESS_OK;
}

static tess_status read_values(const tess_archive_reader *file, const char *path,
                               tess_values *values) {
    tess_status status = TESS_OK;
    tess_archive_column columns[VALUE_COLUMNS];
    char *rows = NULL;
    int64_t n = 0;
    size_t width = 0;
    CHECK(tess_archive_text_width(file, path, "text", &width));
    const tess_archive_row layout = value_row(width + 1, columns);
    CHECK(tess_archive_read_table(file, path, &layout, &n, (void **)&rows));
    for (int64_t i = 0; i < n; i++)
        CHECK(add_value(values, rows + (size_t)i * layout.size));
done:
    free(rows);
    return status;
}

/* Spells settings as they are spelled today, whatever the record has. */
static tess_status spell_values(tess_values *values) {
    for (int64_t i = 0; i < values->n; i++) {
        tess_value *value = &values->items[i];
        char *today = NULL;
        TRY(tess_text_spelled(TESS_SPELLED_TODAY, value->key, value->text, &today));
        free(value->text);
        value->text = today;
    }
    return TESS_OK;
}

/* Reads which mesh or plan a run is of, which is a file's name in the lab; "" where it has none. */
static tess_status read_digest(const tess_archive_reader *file, const char *name,
                               char digest[TESS_DIGEST_SIZE]) {
    TRY(tess_archive_read_root_text(file, name, TESS_DIGEST_SIZE, digest));
    if (digest[0] && !tess_digest_is_one(digest))
        return tess_archive_damaged(file, "the attribute %s is '%s', no digest", name, digest);
    return TESS_OK;
}

static tess_status read_head(const tess_archive_reader *file, tess_record *record) {
    TRY(tess_archive_read_root_text(file, "id", sizeof record->id, record->id));
    TRY(tess_archive_read_root_text(file, "time", sizeof record->time, record->time));
    TRY(read_digest(file, "mesh", record->mesh));
    TRY(read_digest(file, "plan", record->plan));
    char outcome[16];
    TRY(tess_archive_read_root_text(file, "outcome", sizeof outcome, outcome));
    for (tess_outcome known = TESS_UNCHECKED; known <= TESS_FAILED; known++) {
        if (strcmp(outcome, tess_outcome_name(known)) == 0) {
            record->outcome = known;
            return TESS_OK;
        }
    }
    return tess_archive_damaged(file, "the outcome '%s' is unknown", outcome);
}

static tess_status read_series(const tess_archive_reader *file, const char *name,
                               tess_record *record) {
    char path[TESS_NAME_SIZE + 16];
    if (strlen(name) >= TESS_NAME_SIZE)
        return tess_archive_damaged(file, "the samples '%s' have too long a name", name);
    TRY(TESS_RESERVE(record->n_series + 1, &record->series_capacity, &record->series));
    tess_series *series = &record->series[record->n_series];
    *series = (tess_series){0};
    strcpy(series->name, name);
    snprintf(path, sizeof path, "/samples/%s", name);
    TRY(tess_archive_read_unit(file, path, sizeof series->unit, series->unit));
    int64_t n = -1;
    TRY(tess_archive_read_array(file, path, TESS_ARCHIVE_DOUBLE, 1, &n, (void **)&series->values));
    series->n = series->capacity = n;
    record->n_series++;
    return TESS_OK;
}

static tess_status read_samples(const tess_archive_reader *file, tess_record *record) {
    tess_status status = TESS_OK;
    char **names = NULL;
    int n = 0;
    CHECK(tess_archive_names(file, "/samples", &names, &n));
    for (int i = 0; i < n; i++)
        CHECK(read_series(file, names[i], record));
done:
    tess_archive_names_free(names, n);
    return status;
}

static tess_status read_text(const tess_archive_reader *file, const char *path, char **out) {
    char **texts = NULL;
    int n = 0;
    TRY(tess_archive_read_texts(file, path, &texts, &n));
    const tess_status status = tess_text_copy(n ? texts[0] : "", out);
    tess_archive_names_free(texts, n);
    return status;
}

static tess_status read_scalars(const tess_archive_reader *file, tess_record *record) {
    TRY(read_head(file, record));
    TRY(read_values(file, "/configuration", &record->configuration));
    TRY(spell_values(&record->configuration));
    TRY(read_values(file, "/environment", &record->environment));
    TRY(read_values(file, "/steps", &record->steps));
    TRY(read_values(file, "/check", &record->check));
    TRY(tess_archive_read_table(file, "/metrics", &measure_row, &record->n_measures,
                                (void **)&record->measures));
    record->measures_capacity = record->n_measures;
    for (int64_t i = 0; i < record->n_measures; i++)
        tess_metric_rename(record->measures[i].name);
    return read_samples(file, record);
}

static tess_status read_ranks(const tess_archive_reader *file, tess_rank_map *ranks) {
    int64_t n_ranks = 0;
    if (!tess_archive_exists(file, "/ranks"))
        return TESS_OK;
    ranks->n = -1;
    TRY(tess_archive_read_attribute_into(file, "/ranks", "set", sizeof ranks->set, ranks->set));
    TRY(tess_archive_read_attribute_int(file, "/ranks", "ranks", &n_ranks));
    if (n_ranks < 1 || n_ranks > INT32_MAX)
        return tess_archive_damaged(file, "it is a run on %lld ranks", (long long)n_ranks);
    TRY(tess_archive_read_indices(file, "/ranks/rank_of", n_ranks, &ranks->n, &ranks->rank_of));
    TRY(tess_archive_read_vector(file, "/ranks/copies", TESS_ARCHIVE_INT32, ranks->n,
                                 (void **)&ranks->n_copies));
    ranks->n_ranks = (int32_t)n_ranks;
    return TESS_OK;
}

/* Whether each block's own points and rings lie in order, and are points. */
static tess_status check_chain(const tess_archive_reader *file, const tess_chain_blocks *blocks) {
    const int64_t n_ends = (int64_t)blocks->n_blocks * (blocks->n_rings + 2);
    for (int64_t i = 0; i < n_ends; i++)
        if (blocks->place[i] < (i > 0 ? blocks->place[i - 1] : 0) ||
            blocks->place[i] > blocks->n_places)
            return tess_archive_damaged(file, "place %lld of the chain's blocks is %lld",
                                        (long long)i, (long long)blocks->place[i]);
    for (int64_t i = 0; i < n_ends - 1; i++)
        for (int64_t k = blocks->place[i];
             (i + 1) % (blocks->n_rings + 2) != 0 && k < blocks->place[i + 1]; k++)
            if (blocks->points[k] < 0)
                return tess_archive_damaged(file, "point %lld of the chain's blocks is %d",
                                            (long long)k, blocks->points[k]);
    return TESS_OK;
}

static tess_status read_chain(const tess_archive_reader *file, tess_chain_map *chain) {
    enum { MOST_RINGS = 99 };
    int64_t n_rings = 0, n_blocks = 0;
    if (!tess_archive_exists(file, "/chain"))
        return TESS_OK;
    TRY(TESS_ZEROS(1, &chain->blocks));
    TRY(tess_archive_read_attribute_text(file, "/chain", "loops", &chain->loops));
    TRY(tess_archive_read_attribute_int(file, "/chain", "rings", &n_rings));
    TRY(tess_archive_read_attribute_int(file, "/chain", "blocks", &n_blocks));
    if (n_rings < 0 || n_rings > MOST_RINGS || n_blocks < 1 || n_blocks > INT32_MAX)
        return tess_archive_damaged(file, "a chain of %lld blocks with %lld rings",
                                    (long long)n_blocks, (long long)n_rings);
    chain->blocks->n_rings = (int)n_rings;
    chain->blocks->n_blocks = (int32_t)n_blocks;
    chain->blocks->n_places = -1;
    TRY(tess_archive_read_vector(file, "/chain/place", TESS_ARCHIVE_INT64, n_blocks * (n_rings + 2),
                                 (void **)&chain->blocks->place));
    TRY(tess_archive_read_array(file, "/chain/points", TESS_ARCHIVE_INT32, 1,
                                &chain->blocks->n_places, (void **)&chain->blocks->points));
    TRY(tess_archive_read_attribute_into(file, "/chain", "set", sizeof chain->set, chain->set));
    return check_chain(file, chain->blocks);
}

static tess_status read_rest(const tess_archive_reader *file, tess_record *record) {
    TRY(read_ranks(file, &record->ranks));
    TRY(read_chain(file, &record->chain));
    TRY(read_text(file, "/log", &record->log));
    return read_text(file, "/diff", &record->diff);
}

typedef enum amount { SCALARS, VERIFIED_SCALARS, WHOLE } amount;

static tess_status read_file(const char *path, amount wanted, tess_record **out) {
    tess_status status = TESS_OK;
    tess_archive_reader *file = NULL;
    tess_record *record = NULL;
    TRY(tess_archive_open(path, "run", &file));
    if (wanted == VERIFIED_SCALARS)
        CHECK(tess_archive_read_all(file));
    CHECK(TESS_ZEROS(1, &record));
    CHECK(read_scalars(file, record));
    if (wanted == WHOLE)
        CHECK(read_rest(file, record));
    *out = TESS_TAKE(record);
done:
    tess_record_free(record);
    tess_archive_reader_free(file);
    return status;
}

tess_status tess_run_file_read(const char *path, tess_record **out) {
    return read_file(path, WHOLE, out);
}

tess_status tess_run_file_read_scalars(const char *path, tess_record **out) {
    return read_file(path, SCALARS, out);
}

tess_status tess_run_file_verify(const char *path, tess_record **out) {
    return read_file(path, VERIFIED_SCALARS, out);
}
