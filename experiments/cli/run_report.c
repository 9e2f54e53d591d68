/* A report of executed loops: the runs of one `tess run` as a table and as JSON. */
#include "experiments/cli/run_report.h"

#include "core/base/array.h"
#include "core/base/json.h"
#include "experiments/cli/command.h"
#include "experiments/cli/table.h"
#include <math.h>

enum { RUN_PREFIX = 14 }; /* of an id */

typedef struct column {
    const char *title;
    bool counted, timed; /* shown only where some run has it */
} column;

static const column columns[] = {
    {"block size", false, false},  {"partitioner", false, false},  {"strategy", false, false},
    {"check", false, false},       {"launches", false, false},     {"shared B", false, false},
    {"read sectors", true, false}, {"write sectors", true, false}, {"atomic sectors", true, false},
    {"lanes", true, false},        {"conflicts", true, false},     {"barriers", true, false},
    {"ms", false, true},           {"GB/s", false, true},          {"of copy", false, true},
};

enum { N_COLUMNS = sizeof columns / sizeof columns[0], FIRST_COUNTED = 6, FIRST_TIMED = 12 };

/* Which of the optional columns some run fills. */
static void shown_columns(const tess_run_report *report, bool *counted, bool *timed) {
    *counted = *timed = false;
    for (int64_t i = 0; i < report->campaign->n; i++) {
        const tess_run *run = report->campaign->runs[i];
        *counted |= run && (run->trial.counted || run->hardware.n > 0);
        *timed |= run && run->trial.n_samples > 0;
    }
}

/* Those of the hardware, where a device has no others. */
static tess_status print_hardware(const tess_run *run, tess_table *table) {
    static const char *const names[] = {"read_sectors",          "write_sectors",
                                        "atomic_sectors",        "warp_efficiency",
                                        "shared_bank_conflicts", "barriers"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const double value = tess_hardware_counter(&run->hardware, names[i]);
        if (isnan(value))
            TRY(tess_table_add_cell(table, "%s", ""));
        else
            TRY(tess_table_add_cell(table, value < 1 && value > 0 ? "%.3f" : "%.0f", value));
    }
    return TESS_OK;
}

static tess_status print_counters(const tess_run *run, tess_table *table) {
    if (!run->trial.counted)
        return print_hardware(run, table);
    const tess_counters *c = &run->trial.counters;
    const char *about = tess_counters_estimated(c) ? "~" : "";
    const int64_t values[] = {c->read_sectors, c->write_sectors, c->atomic_sectors};
    for (int i = 0; i < 3; i++)
        TRY(tess_table_add_cell(table, "%s%lld", about, (long long)values[i]));
    TRY(tess_table_add_cell(table, "%s%.3f", about, tess_run_lanes(c)));
    TRY(tess_table_add_cell(table, "%s%lld", about, (long long)c->shared_bank_conflicts));
    return tess_table_add_cell(table, "%s%lld", about, (long long)c->barriers);
}

static tess_status print_row(const tess_run_report *report, const tess_run *run, bool counted,
                             bool timed, tess_table *table) {
    TRY(tess_table_add_row(table));
    TRY(tess_table_add_cell(table, "%d", (int)run->experiment->block_size));
    TRY(tess_table_add_cell(table, "%s", run->experiment->partitioner.text));
    TRY(tess_table_add_cell(table, "%s", run->experiment->strategy.text));
    TRY(tess_table_add_cell(table, "%s", tess_run_check(run)));
    if (!run->failure) {
        TRY(tess_table_add_cell(table, "%d", run->trial.n_launches));
        TRY(tess_table_add_cell(table, "%lld", (long long)run->trial.shared_bytes));
        if (counted)
            TRY(print_counters(run, table));
        if (timed) {
            TRY(tess_table_add_cell(table, "%.4g", 1e3 * tess_trial_median(&run->trial)));
            TRY(tess_table_add_cell(table, "%.4g", 1e-9 * run->bandwidth));
            TRY(tess_table_add_cell(table, "%.3f", run->bandwidth / run->copy_bandwidth));
        }
    } else {
        for (int c = 4; c < N_COLUMNS; c++)
            if ((c < FIRST_COUNTED || c >= FIRST_TIMED || counted) && (c < FIRST_TIMED || timed))
                TRY(tess_table_add_cell(table, "%s", ""));
    }
    if (report->lab)
        TRY(tess_table_add_cell(table, "%.*s", RUN_PREFIX, run->run ? run->run : ""));
    return TESS_OK;
}

/* Marks the fastest run that passed. */
static void mark_fastest(const tess_run_report *report, bool counted, tess_table *table) {
    int best = -1, n_rows = 0;
    double least = INFINITY;
    for (int64_t i = 0; i < report->campaign->n; i++) {
        const tess_run *run = report->campaign->runs[i];
        if (!run)
            continue;
        if (!run->failure && tess_trial_median(&run->trial) < least) {
            least = tess_trial_median(&run->trial);
            best = n_rows;
        }
        n_rows++;
    }
    if (best >= 0 && n_rows > 1)
        tess_table_mark(table, best, counted ? FIRST_TIMED : FIRST_COUNTED);
}

tess_status tess_run_report_print(const tess_run_report *report, FILE *stream) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    bool counted, timed;
    shown_columns(report, &counted, &timed);
    CHECK(tess_table_new(&table));
    for (int c = 0; c < N_COLUMNS; c++)
        if ((!columns[c].counted || counted) && (!columns[c].timed || timed))
            CHECK(tess_table_add_column(table, columns[c].title,
                                        c == 1 || c == 2 || c == 3 ? TESS_ALIGN_LEFT
                                                                   : TESS_ALIGN_RIGHT));
    if (report->lab)
        CHECK(tess_table_add_column(table, "run", TESS_ALIGN_LEFT));
    for (int64_t i = 0; i < report->campaign->n; i++)
        if (report->campaign->runs[i])
            CHECK(print_row(report, report->campaign->runs[i], counted, timed, table));
    mark_fastest(report, counted, table);
    CHECK(tess_table_print(table, stream));
done:
    tess_table_free(table);
    return status;
}

json_t *tess_run_report_json(const tess_run_report *report) {
    const tess_campaign *campaign = report->campaign;
    const tess_bench *bench = &campaign->bench;
    const tess_experiment *first = &campaign->experiments[0];
    json_t *runs = json_array();
    for (int64_t i = 0; i < campaign->n; i++)
        if (campaign->runs[i])
            json_array_append_new(runs, tess_run_json(campaign->runs[i]));
    return json_pack("{s:s, s:o, s:s?, s:o, s:s, s:o, s:o, s:o}", "schema", "tess.run/1",
                     "application",
                     tess_json_text(first->kernel ? first->kernel : first->application), "loop",
                     bench->load.loop ? bench->load.loop->name : NULL, "mesh",
                     tess_json_text(bench->load.mesh ? bench->load.mesh->source : first->mesh),
                     "device", first->device, "lab", tess_json_text(report->lab), "copy_bandwidth",
                     tess_json_number(bench->copy_bandwidth), "runs", runs);
}
