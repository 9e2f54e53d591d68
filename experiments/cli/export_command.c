/* tess export: runs, and what partitioners of others read, in the formats of other programs. */
#include "core/base/folder.h"
#include "core/base/registry.h"
#include "core/base/stream_text.h"
#include "core/base/whole_file.h"
#include "experiments/archive/export/exporter.h"
#include "experiments/archive/run_names.h"
#include "experiments/bench/workload.h"
#include "experiments/cli/chosen_runs.h"
#include "experiments/cli/command.h"
#include "partitioners/problem_file.h"

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

typedef struct export_options {
    tess_common common;
    const char *lab, *where, *format, *output;
    const char *mesh, *map, *dat; /* of a loop that is exported instead of runs; NULL */
    int64_t block_size;
    int n_runs;
    const char *runs[TESS_MOST_WORDS];
} export_options;

static const tess_option_row options[] = {
    {"lab", 'l', "DIR", "The lab (default: TESS_LAB, else ./lab)", TESS_KEPT(export_options, lab)},
    {"where", 'w', "FILTER", "Only runs that fit, as in 'tess runs'",
     TESS_KEPT(export_options, where), TESS_ONE_FILTER},
    {"format", 'f', "FORMAT",
     "csv (default): all scalars; json: everything; markdown: a table; metis: the partition of one "
     "run; arrays: its order, blocks, colours and local indices, a .npy file each in the folder "
     "--output; t4: Kernel Tuner's results; benchmark: Google Benchmark's JSON; nvbench: its "
     "JSON; mlflow: MLflow's folders, in --output; ro-crate: metadata that make a lab a research "
     "object",
     TESS_KEPT(export_options, format)},
    {"output", 'o', "FILE", "Where to (default, and -: stdout)", TESS_KEPT(export_options, output)},
    {"mesh", 'm', "MESH",
     "Instead of runs, for partitioners of others: the problem of this mesh. Then FORMAT is graph: "
     "METIS's, elements that share points; hypergraph: hMETIS's, a net a point; patoh: the same "
     "for PaToH; matrix: Matrix Market, elements by points; problem: all that a partitioner may "
     "know",
     1, TESS_KEPT(export_options, mesh)},
    {"map", 'M', "FROM:TO", "The map of the loop, say edges:cells", 1,
     TESS_KEPT(export_options, map)},
    {"dat", 0, "NAME:SET:DIM:TYPE",
     "What the loop increments, which decides the weight of nets (default: one double)", 1,
     TESS_KEPT(export_options, dat)},
    {"block-size", 'b', "N", "Block size, which the format problem names (default: 128)", 1,
     TESS_KEPT(export_options, block_size), .least = 1, .most = INT32_MAX},
    {TESS_KEPT_LIST(export_options, runs, n_runs),
     .refusal = "more than %d runs: choose them by --where"},
    {0}};

static const tess_usage usage = {
    .options = options,
    .args_doc = "[RUN...]",
    .doc = "Write runs (default: all), or the problem of a mesh, in the formats of other "
           "programs.\v"
           "  tess export -f markdown -w tag:paper\n"
           "  tess export -f metis @last -o mesh.part\n"
           "  tess export -f arrays @last -o blocks\n"
           "  tess export -f ro-crate -o lab/ro-crate-metadata.json\n"
           "  tess export --mesh wing.su2 --map edges:cells -f graph -o wing.graph\n"
           "RUN is the beginning of an id, @last, @last~1, or tag:NAME (all that have it)."};

static tess_status exporter_find(const char *name, const tess_exporter **out) {
    *out = tess_registry_get(&registry, name);
    return *out ? TESS_OK : tess_registry_lacks(&registry, name);
}

/* Fails (INPUT) as a run does that cannot be read: the table of all that can be lacks it. */
static tess_status check_readable(const tess_query *query, const char *id) {
    tess_record *record = NULL;
    for (int64_t row = 0; row < query->table->n_rows; row++)
        if (strcmp(id, tess_run_table_id(query->table, row)) == 0)
            return TESS_OK;
    TRY(tess_lab_read_run(query->lab, id, &record));
    tess_record_free(record);
    return TESS_OK;
}

/* Keeps the rows of the runs that were named. */
static tess_status keep_named(tess_query *query, const export_options *asked) {
    tess_status status = TESS_OK;
    tess_run_ids ids = {0};
    int64_t n = 0;
    CHECK(tess_run_ids_add(query->lab, asked->runs, asked->n_runs, &ids));
    for (int64_t k = 0; k < ids.n; k++)
        CHECK(check_readable(query, ids.items[k]));
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

/* What writes the export. */
typedef struct tess_writer {
    tess_status (*write)(void *context, FILE *stream);
    void *context;
} tess_writer;

static tess_status export(const tess_writer *writer, const char *output) {
    if (!output || strcmp(output, "-") == 0)
        return writer->write(writer->context, stdout);
    char *text = NULL;
    tess_printed exported;
    TRY(tess_printed_open(&exported));
    TRY(tess_printed_close(&exported, writer->write(writer->context, exported.stream), &text));
    const tess_status status = tess_whole_file_write(output, text, exported.size);
    free(text);
    return status;
}

/* The runs of a query by an exporter. */
typedef struct run_export {
    const tess_query *query;
    const tess_exporter *exporter;
} run_export;

static tess_status write_runs(void *context, FILE *stream) {
    const run_export *runs = context;
    return runs->exporter->write(runs->query, stream);
}

static tess_status export_folder(const run_export *runs, const char *folder) {
    if (!folder)
        FAIL(TESS_ERROR_USAGE, "the format %s is files in a folder: --output DIR",
             runs->exporter->name);
    TRY(tess_folders_make(folder, true));
    return runs->exporter->write_folder(runs->query, folder);
}

static tess_status export_runs(const export_options *asked) {
    tess_status status = TESS_OK;
    const tess_chosen_runs chosen = {.lab = asked->lab, .where = asked->where};
    run_export runs = {.exporter = NULL};
    tess_query *query = NULL;
    CHECK(exporter_find(asked->common.json ? "json" : asked->format, &runs.exporter));
    CHECK(tess_chosen_runs_open(&chosen, asked->common.quiet, &query));
    if (asked->n_runs)
        CHECK(keep_named(query, asked));
    if (query->n_rows == 0 && !asked->common.quiet)
        fprintf(stderr, "tess: no run is exported: %s\n",
                query->misfit          ? query->misfit
                : query->table->n_rows ? "no run fits"
                                       : "the lab has no runs yet");
    runs.query = query;
    if (runs.exporter->write_folder)
        CHECK(export_folder(&runs, asked->output));
    else
        CHECK(export(&(tess_writer){write_runs, &runs}, asked->output));
done:
    tess_query_close(query);
    return status;
}

static tess_status write_problem(void *context, FILE *stream) {
    const export_options *asked = context;
    tess_status status = TESS_OK;
    tess_workload load = {.mesh = NULL};
    tess_partition_problem *problem = NULL;
    const tess_workload_names names = {
        .mesh = asked->mesh, .map = asked->map, .dat = asked->dat, .unexecuted = true};
    CHECK(tess_workload_open(&names, &load));
    CHECK(tess_partition_problem_build(load.bound, TESS_POINTS_INCREMENTS,
                                       (int32_t)asked->block_size, 1, &problem));
    CHECK(tess_problem_write(problem, tess_problem_format_of(asked->format), stream));
done:
    tess_partition_problem_free(problem);
    tess_workload_clear(&load);
    return status;
}

static bool is_of_a_mesh(const export_options *asked) {
    return tess_problem_format_of(asked->format) != TESS_PROBLEM_N_FORMATS;
}

/* A problem is of a mesh and a map; runs are of a lab. */
static tess_status check(const export_options *asked) {
    if (!is_of_a_mesh(asked) && (asked->mesh || asked->map || asked->dat || asked->block_size))
        FAIL(TESS_ERROR_USAGE,
             "--mesh, --map, --dat and --block-size are for --format %s, not for runs",
             TESS_PROBLEM_FORMATS);
    if (is_of_a_mesh(asked) && (!asked->mesh || !asked->map))
        FAIL(TESS_ERROR_USAGE,
             "the format %s is that of a mesh: tess export --mesh MESH --map edges:cells --format "
             "%s",
             asked->format, asked->format);
    if (is_of_a_mesh(asked) && (asked->n_runs || asked->where || asked->common.json))
        FAIL(TESS_ERROR_USAGE, "either runs or the problem of a mesh, not both");
    return TESS_OK;
}

static tess_status export_run(int argc, char **argv) {
    static export_options asked;
    asked = (export_options){.format = "csv"};
    TRY(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    TRY(check(&asked));
    if (!is_of_a_mesh(&asked))
        return export_runs(&asked);
    asked.block_size = asked.block_size ? asked.block_size : 128;
    return export(&(tess_writer){write_problem, &asked}, asked.output);
}

const tess_command tess_command_export = {
    .name = "export",
    .summary = "Write runs, graphs and hypergraphs in the formats of other programs",
    .run = export_run};
