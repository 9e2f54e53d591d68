/* A report of executed loops: the runs of one `tess run` as a table and as JSON. */
#include "experiments/run_report.h"

#include "core/array.h"
#include "experiments/command.h"
#include "experiments/table.h"
#include <math.h>
#include <stdlib.h>

enum { RUN_PREFIX = 14 }; /* of an id */

tess_status tess_run_row_new(tess_run_row **out) {
    TRY(TESS_ZEROS(1, out));
    (*out)->bandwidth = NAN;
    return TESS_OK;
}

void tess_run_row_free(tess_run_row *row) {
    if (!row)
        return;
    free(row->partitioner);
    free(row->strategy);
    free(row->failure);
    free(row->run);
    free(row->uncounted);
    tess_trial_clear(&row->trial);
    free(row);
}

tess_status tess_run_report_add(tess_run_report *report, tess_run_row **out) {
    TRY(TESS_RESERVE(report->n_rows + 1, &report->capacity, &report->rows));
    TRY(tess_run_row_new(out));
    report->rows[report->n_rows++] = *out;
    return TESS_OK;
}

void tess_run_report_clear(tess_run_report *report) {
    for (int i = 0; i < report->n_rows; i++)
        tess_run_row_free(report->rows[i]);
    free(report->rows);
    *report = (tess_run_report){.n_rows = 0};
}

static const char *check_words(const tess_run_row *row) {
    if (row->misfit)
        return "no fit";
    if (row->interrupted)
        return "interrupted";
    if (row->failure)
        return "FAILED";
    return row->trial.checked ? "passed" : "unchecked";
}

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
    for (int i = 0; i < report->n_rows; i++) {
        *counted |= report->rows[i]->trial.counted || report->rows[i]->hardware.n > 0;
        *timed |= report->rows[i]->trial.n_samples > 0;
    }
}

static double lanes_of(const tess_counters *counters) {
    return counters->instructions > 0
               ? (double)counters->active_lanes / (double)counters->instructions / 32
               : NAN;
}

/* Those of the hardware, where a device has no others. */
static tess_status print_hardware(const tess_run_row *row, tess_table *table) {
    static const char *const names[] = {"read_sectors",          "write_sectors",
                                        "atomic_sectors",        "warp_efficiency",
                                        "shared_bank_conflicts", "barriers"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const double value = tess_hardware_counter(&row->hardware, names[i]);
        if (isnan(value))
            TRY(tess_table_add_cell(table, "%s", ""));
        else
            TRY(tess_table_add_cell(table, value < 1 && value > 0 ? "%.3f" : "%.0f", value));
    }
    return TESS_OK;
}

static tess_status print_counters(const tess_run_row *row, tess_table *table) {
    if (!row->trial.counted)
        return print_hardware(row, table);
    const tess_counters *c = &row->trial.counters;
    const char *about = tess_counters_estimated(c) ? "~" : "";
    const int64_t values[] = {c->read_sectors, c->write_sectors, c->atomic_sectors};
    for (int i = 0; i < 3; i++)
        TRY(tess_table_add_cell(table, "%s%lld", about, (long long)values[i]));
    TRY(tess_table_add_cell(table, "%s%.3f", about, lanes_of(c)));
    TRY(tess_table_add_cell(table, "%s%lld", about, (long long)c->shared_bank_conflicts));
    return tess_table_add_cell(table, "%s%lld", about, (long long)c->barriers);
}

static tess_status print_row(const tess_run_report *report, const tess_run_row *row, bool counted,
                             bool timed, tess_table *table) {
    TRY(tess_table_add_row(table));
    TRY(tess_table_add_cell(table, "%d", row->block_size));
    TRY(tess_table_add_cell(table, "%s", row->partitioner));
    TRY(tess_table_add_cell(table, "%s", row->strategy));
    TRY(tess_table_add_cell(table, "%s", check_words(row)));
    if (!row->failure) {
        TRY(tess_table_add_cell(table, "%d", row->trial.n_launches));
        TRY(tess_table_add_cell(table, "%lld", (long long)row->trial.shared_bytes));
        if (counted)
            TRY(print_counters(row, table));
        if (timed) {
            TRY(tess_table_add_cell(table, "%.4g", 1e3 * tess_trial_median(&row->trial)));
            TRY(tess_table_add_cell(table, "%.4g", 1e-9 * row->bandwidth));
            TRY(tess_table_add_cell(table, "%.3f", row->bandwidth / report->copy_bandwidth));
        }
    } else {
        for (int c = 4; c < N_COLUMNS; c++)
            if ((c < FIRST_COUNTED || c >= FIRST_TIMED || counted) && (c < FIRST_TIMED || timed))
                TRY(tess_table_add_cell(table, "%s", ""));
    }
    if (report->lab)
        TRY(tess_table_add_cell(table, "%.*s", RUN_PREFIX, row->run ? row->run : ""));
    return TESS_OK;
}

/* Marks the fastest run that passed. */
static void mark_fastest(const tess_run_report *report, bool counted, tess_table *table) {
    int best = -1;
    for (int i = 0; i < report->n_rows; i++)
        if (!report->rows[i]->failure && report->rows[i]->trial.n_samples > 0 &&
            (best < 0 || tess_trial_median(&report->rows[i]->trial) <
                             tess_trial_median(&report->rows[best]->trial)))
            best = i;
    if (best >= 0 && report->n_rows > 1)
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
    for (int i = 0; i < report->n_rows; i++)
        CHECK(print_row(report, report->rows[i], counted, timed, table));
    mark_fastest(report, counted, table);
    CHECK(tess_table_print(table, stream));
done:
    tess_table_free(table);
    return status;
}

static void set_counters(json_t *object, const tess_counters *c) {
    json_object_set_new(object, "read_sectors", json_integer(c->read_sectors));
    json_object_set_new(object, "write_sectors", json_integer(c->write_sectors));
    json_object_set_new(object, "atomic_sectors", json_integer(c->atomic_sectors));
    json_object_set_new(object, "atomics", json_integer(c->atomics));
    json_object_set_new(object, "shared_wavefronts", json_integer(c->shared_wavefronts));
    json_object_set_new(object, "shared_bank_conflicts", json_integer(c->shared_bank_conflicts));
    json_object_set_new(object, "warp_efficiency", tess_json_number(lanes_of(c)));
    json_object_set_new(object, "barriers", json_integer(c->barriers));
    json_object_set_new(object, "thread_steps", json_integer(c->thread_steps));
    json_object_set_new(object, "blocks_executed", json_integer(c->blocks_executed));
    json_object_set_new(object, "blocks_launched", json_integer(c->blocks_launched));
    json_object_set_new(object, "estimated", json_boolean(tess_counters_estimated(c)));
}

static void set_hardware(json_t *object, const tess_run_row *row) {
    if (row->uncounted)
        json_object_set_new(object, "uncounted", json_string(row->uncounted));
    if (row->hardware.n == 0)
        return;
    json_t *counters = json_object();
    for (int i = 0; i < row->hardware.n; i++)
        json_object_set_new(counters, row->hardware.values[i].name,
                            tess_json_number(row->hardware.values[i].value));
    json_object_set_new(object, "counters", counters);
}

/* The samples, the round of each, and the session that the rounds are of. */
static void set_samples(json_t *object, const tess_run_row *row) {
    json_t *seconds = json_array(), *rounds = json_array(), *clocks = json_array();
    for (int64_t i = 0; i < row->trial.n_samples; i++) {
        json_array_append_new(seconds, json_real(row->trial.samples[i].seconds));
        json_array_append_new(rounds, json_integer(row->trial.samples[i].round));
        json_array_append_new(clocks, tess_json_number(row->trial.samples[i].clocks.compute));
    }
    json_object_set_new(object, "clocks", clocks);
    json_object_set_new(object, "samples", seconds);
    json_object_set_new(object, "rounds", rounds);
    if (row->session[0])
        json_object_set_new(object, "session", json_string(row->session));
}

static json_t *row_json(const tess_run_row *row) {
    json_t *object = json_pack("{s:s, s:s, s:i, s:s, s:s?}", "partitioner", row->partitioner,
                               "strategy", row->strategy, "block_size", (int)row->block_size,
                               "check", check_words(row), "run", row->run);
    if (!object || row->failure) {
        if (object)
            json_object_set_new(object, "failure", json_string(row->failure));
        return object;
    }
    const tess_trial *trial = &row->trial;
    json_object_set_new(object, "difference", tess_json_number(trial->difference));
    json_object_set_new(object, "launches", json_integer(trial->n_launches));
    json_object_set_new(object, "graph", json_boolean(row->graph));
    json_object_set_new(object, "shared_bytes", json_integer(trial->shared_bytes));
    json_object_set_new(object, "useful_bytes", json_integer(trial->useful_bytes));
    json_object_set_new(object, "moved_bytes_min", json_integer(trial->moved_bytes_min));
    json_object_set_new(object, "redundancy", tess_json_number(row->redundancy));
    json_object_set_new(object, "registers", json_integer(trial->resources.registers));
    json_object_set_new(object, "spilled_bytes", json_integer(trial->resources.spilled));
    json_object_set_new(object, "seconds", tess_json_number(tess_trial_median(trial)));
    json_object_set_new(object, "bandwidth", tess_json_number(row->bandwidth));
    set_samples(object, row);
    if (trial->counted)
        set_counters(object, &trial->counters);
    set_hardware(object, row);
    return object;
}

json_t *tess_run_report_json(const tess_run_report *report) {
    json_t *runs = json_array();
    for (int i = 0; i < report->n_rows; i++)
        json_array_append_new(runs, row_json(report->rows[i]));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s?, s:o, s:o}", "schema", "tess.run/1",
                     "application", report->application, "loop", report->loop, "mesh", report->mesh,
                     "device", report->device, "lab", report->lab, "copy_bandwidth",
                     tess_json_number(report->copy_bandwidth), "runs", runs);
}
