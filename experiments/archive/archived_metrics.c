/* The metrics of a plan in its file: written, and read back. */
#include "experiments/archive/archived_metrics.h"

#include "core/base/array.h"
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 256 };

static tess_status write_distribution(tess_archive_writer *file, const char *path, int64_t n_blocks,
                                      const int32_t *values) {
    if (!values)
        return TESS_OK;
    return tess_archive_write_vector(file, path, TESS_ARCHIVE_INT32, n_blocks, values, "1");
}

static tess_status write_metric(tess_archive_writer *file, const tess_metric_value *value) {
    char path[PATH_SIZE];
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
    const int64_t n = metrics->n_blocks;
    TRY(write_distribution(file, "/blocks/size", n, metrics->block_size));
    TRY(write_distribution(file, "/blocks/points", n, metrics->block_points));
    TRY(write_distribution(file, "/blocks/thread_colours", n, metrics->block_thread_colours));
    TRY(write_distribution(file, "/blocks/components", n, metrics->block_components));
    for (int i = 0; i < metrics->n_values; i++)
        TRY(write_metric(file, &metrics->values[i]));
    return TESS_OK;
}

static tess_status read_metric(const tess_archive_reader *file, const char *name,
                               tess_metric_value *value) {
    char path[PATH_SIZE], source[TESS_NAME_SIZE];
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

static tess_status read_distribution(const tess_archive_reader *file, const char *path, int64_t n,
                                     int32_t **out) {
    if (!tess_archive_exists(file, path))
        return TESS_OK;
    return tess_archive_read_vector(file, path, TESS_ARCHIVE_INT32, n, (void **)out);
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
    CHECK(read_distribution(file, "/blocks/size", n_blocks, &metrics->block_size));
    CHECK(read_distribution(file, "/blocks/points", n_blocks, &metrics->block_points));
    CHECK(read_distribution(file, "/blocks/thread_colours", n_blocks,
                            &metrics->block_thread_colours));
    CHECK(read_distribution(file, "/blocks/components", n_blocks, &metrics->block_components));
    *out = TESS_TAKE(metrics);
done:
    tess_archive_names_free(names, n);
    tess_metrics_free(metrics);
    return status;
}
