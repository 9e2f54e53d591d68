/* tess export: runs in the formats of other programs. */
#include "core/base/array.h"
#include "core/base/registry.h"
#include "core/base/whole_file.h"
#include "experiments/archive/export/exporter.h"
#include "experiments/archive/run_names.h"
#include "experiments/cli/command.h"

#include <stdlib.h>
#include <string.h>

#define X(name) extern const tess_exporter tess_exporter_##name;
#include "experiments/archive/export/list.h"
#undef X

static const void *const items[] = {
#define X(name) &tess_exporter_##name,
#include "experiments/archive/export/list.h"
#undef X
    NULL};

static const tess_registry registry = {
    .items = items,
    .kind = "format",
    .words = {"?; 'tess export --help' lists them", "; 'tess export --help' lists them"}};

enum { MOST_RUNS = 4096 };

typedef struct export_options {
    tess_common common;
    const char *lab, *where, *format, *output;
    int n_runs;
    const char *runs[MOST_RUNS];
} export_options;

static const struct argp_option options[] = {
    {"lab", 'l', "DIR", 0, "The lab (default: TESS_LAB, else ./lab)", 0},
    {"where", 'w', "FILTER", 0, "Only runs that fit, as in 'tess runs'", 0},
    {"format", 'f', "FORMAT", 0,
     "csv (default): all scalars; json: everything; markdown: a table; metis: the partition of one "
     "run; t4: Kernel Tuner's results; benchmark: Google Benchmark's JSON; ro-crate: metadata that "
     "make a lab a research object",
     0},
    {"output", 'o', "FILE", 0, "Where to (default: stdout)", 0},
    {NULL}};

static error_t parse(int key, char *value, struct argp_state *state) {
    export_options *into = state->input;
    switch (key) {
    case 'l':
        into->lab = value;
        return 0;
    case 'w':
        into->where = value;
        return 0;
    case 'f':
        into->format = value;
        return 0;
    case 'o':
        into->output = value;
        return 0;
    case ARGP_KEY_ARG:
        if (into->n_runs == MOST_RUNS)
            return tess_command_refuse(tess_fail(
                TESS_ERROR_USAGE, "more than %d runs: choose them by --where", MOST_RUNS));
        into->runs[into->n_runs++] = value;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[RUN...]",
    .doc = "Writes runs (default: all) in the formats of other programs.\v"
           "  tess export -f markdown -w tag:paper\n"
           "  tess export -f metis @last -o mesh.part\n"
           "  tess export -f ro-crate -o lab/ro-crate-metadata.json\n"
           "RUN is the beginning of an id, @last, @last~1, or tag:NAME (all that have it)."};

static tess_status exporter_find(const char *name, const tess_exporter **out) {
    *out = tess_registry_get(&registry, name);
    return *out ? TESS_OK : tess_registry_lacks(&registry, name);
}

/* Keeps the rows of the runs that were named. */
static tess_status keep_named(tess_query *query, const export_options *asked) {
    tess_status status = TESS_OK;
    tess_run_ids ids = {0};
    int64_t n = 0;
    for (int i = 0; i < asked->n_runs; i++)
        CHECK(tess_run_ids_add(query->lab, asked->runs[i], &ids));
    for (int64_t i = 0; i < query->n_rows; i++) {
        bool named = false;
        for (int64_t k = 0; k < ids.n && !named; k++)
            named = strcmp(ids.items[k], tess_run_table_id(query->table, query->rows[i])) == 0;
        if (named)
            query->rows[n++] = query->rows[i];
    }
    query->n_rows = n;
done:
    tess_run_ids_clear(&ids);
    return status;
}

static tess_status export(const tess_query *query, const tess_exporter *exporter,
                          const char *output) {
    if (!output)
        return exporter->write(query, stdout);
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        FAIL(TESS_ERROR_MEMORY, "out of memory for what is exported");
    tess_status status = exporter->write(query, stream);
    if (fclose(stream) != 0 && status == TESS_OK)
        status = tess_fail(TESS_ERROR_MEMORY, "out of memory for what is exported");
    if (status == TESS_OK)
        status = tess_whole_file_write(output, text, size);
    free(text);
    return status;
}

static tess_status export_run(int argc, char **argv) {
    tess_status status = TESS_OK;
    static export_options asked;
    const tess_exporter *exporter = NULL;
    tess_query *query = NULL;
    asked = (export_options){.format = "csv"};
    CHECK(tess_command_parse(&argp, argc, argv, &asked.common, &asked));
    CHECK(exporter_find(asked.common.json ? "json" : asked.format, &exporter));
    CHECK(tess_query_open(asked.lab, &query));
    if (asked.where)
        CHECK(tess_query_filter(query, asked.where));
    if (asked.n_runs)
        CHECK(keep_named(query, &asked));
    CHECK(export(query, exporter, asked.output));
done:
    tess_query_close(query);
    return status;
}

const tess_command tess_command_export = {
    .name = "export", .summary = "Write runs in the formats of other programs", .run = export_run};
