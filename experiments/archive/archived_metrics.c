/* The metrics of a plan in its file: written, and read back. */
#include "experiments/archive/archived_metrics.h"

#include "core/base/array.h"
#include "core/plan/block_quantities.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a file has a quantity of blocks: its name without what all of them begin with. */
static void path_of(const char *name, char path[TESS_ARCHIVE_PATH_SIZE]) {
    static const char beginning[] = "block_";
    const bool begins = strncmp(name, beginning, strlen(beginning)) == 0;
    const char *rest = begins ? name + strlen(beginning) : name;
    snprintf(path, TESS_ARCHIVE_PATH_SIZE, "/blocks/%s",
             strcmp(rest, "elements") == 0 ? "size" : rest);
}

/* Whole numbers are stored as such. */
static tess_status write_distribution(tess_archive_writer *file, const tess_distribution *of_blocks,
                                      int64_t n) {
    char path[TESS_ARCHIVE_PATH_SIZE];
    const tess_quantity *quantity = tess_quantity_find(of_blocks->name);
    int32_t *whole = NULL;
    path_of(of_blocks->name, path);
    if (!tess_quantity_is_whole(quantity))
        return tess_archive_write_vector(file, path, TESS_ARCHIVE_DOUBLE, n, of_blocks->values,
                                         quantity->unit);
    TRY(TESS_ALLOC(n, &whole));
    for (int64_t b = 0; b < n; b++)
        whole[b] = (int32_t)of_blocks->values[b];
    const tess_status status =
        tess_archive_write_vector(file, path, TESS_ARCHIVE_INT32, n, whole, quantity->unit);
    free(whole);
    return status;
}

static tess_status write_metric(tess_archive_writer *file, const tess_metric_value *value) {
    char path[TESS_ARCHIVE_PATH_SIZE];
    snprintf(path, sizeof path, "/metrics/%s", value->name);
    for (char *slash = strchr(path + strlen("/metrics/"), '/'); slash; slash = strchr(slash, '/'))
        *slash = ':';
    const tess_quantity *metric = tess_metric_find(value->name);
    TRY(tess_archive_write_double(file, path, value->value, value->unit));
    TRY(tess_archive_attribute_text(file, path, "source", tess_source_name(value->source)));
    return tess_archive_attribute_text(file, path, "long_name",
                                       metric ? metric->long_name : value->name);
}

tess_status tess_archived_metrics_write(const tess_metrics *metrics, tess_archive_writer *file) {
    if (!metrics)
        return TESS_OK;
    for (int i = 0; i < metrics->n_distributions; i++)
        TRY(write_distribution(file, &metrics->distributions[i], metrics->n_blocks));
    for (int i = 0; i < metrics->n_values; i++)
        TRY(write_metric(file, &metrics->values[i]));
    return TESS_OK;
}

static tess_status read_metric(const tess_archive_reader *file, const char *name,
                               tess_metric_value *value) {
    char path[TESS_ARCHIVE_PATH_SIZE], source[TESS_NAME_SIZE];
    if (strlen(name) >= sizeof value->name)
        return tess_archive_damaged(file, "the metric '%s' has too long a name", name);
    strcpy(value->name, name);
    for (char *colon = strchr(value->name, ':'); colon; colon = strchr(colon, ':'))
        *colon = '/';
    tess_metric_rename(value->name);
    snprintf(path, sizeof path, "/metrics/%s", name);
    TRY(tess_archive_read_double(file, path, &value->value));
    TRY(tess_archive_read_unit(file, path, sizeof value->unit, value->unit));
    TRY(tess_archive_read_attribute_into(file, path, "source", sizeof source, source));
    if (tess_source_find(source, &value->source))
        return TESS_OK;
    return tess_archive_damaged(file, "%s has the unknown source '%s'", path, source);
}

/* Adds a quantity of blocks that the file has. */
static tess_status read_distribution(const tess_archive_reader *file, const tess_quantity *quantity,
                                     int32_t n, tess_metrics *metrics) {
    char path[TESS_ARCHIVE_PATH_SIZE];
    int32_t *whole = NULL;
    double *values = NULL;
    path_of(quantity->name, path);
    if (!tess_archive_exists(file, path))
        return TESS_OK;
    if (!tess_quantity_is_whole(quantity)) {
        TRY(tess_archive_read_vector(file, path, TESS_ARCHIVE_DOUBLE, n, (void **)&values));
        return tess_metrics_add_blocks(metrics, quantity->name, values);
    }
    TRY(tess_archive_read_vector(file, path, TESS_ARCHIVE_INT32, n, (void **)&whole));
    tess_status status = TESS_ALLOC(n, &values);
    for (int32_t b = 0; status == TESS_OK && b < n; b++)
        values[b] = whole[b];
    free(whole);
    return status == TESS_OK ? tess_metrics_add_blocks(metrics, quantity->name, values) : status;
}

tess_status tess_archived_metrics_read(const tess_archive_reader *file, int32_t n_blocks,
                                       tess_metrics **out) {
    tess_status status = TESS_OK;
    tess_metrics *metrics = NULL;
    char **names = NULL;
    int n = 0;
    CHECK(tess_metrics_new(&metrics));
    CHECK(tess_archive_names(file, "/metrics", &names, &n));
    CHECK(TESS_RESERVE(n, &metrics->capacity, &metrics->values));
    for (int i = 0; i < n; i++)
        CHECK(read_metric(file, names[i], &metrics->values[metrics->n_values++]));
    metrics->n_blocks = n_blocks;
    for (int i = 0; tess_block_quantity_at(i); i++)
        CHECK(read_distribution(file, tess_block_quantity_at(i), n_blocks, metrics));
    *out = TESS_TAKE(metrics);
done:
    tess_archive_names_free(names, n);
    tess_metrics_free(metrics);
    return status;
}
