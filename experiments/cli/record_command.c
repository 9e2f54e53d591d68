/* The command `tess record`: the time of any program, archived beside runs. */
#include "core/base/plural.h"
#include "core/base/statistics.h"
#include "experiments/archive/lab.h"
#include "experiments/campaign/given_mesh.h"
#include "experiments/campaign/sweep_points.h"
#include "experiments/campaign/timed_program.h"
#include "experiments/cli/command.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 64 };

typedef struct record_options {
    tess_common common;
    const char *lab, *mesh, *order, *format, *loop, *seconds, *pattern, *name, *sweep_point;
    int64_t samples, warm_up;
    int n_values, n_words;
    const char *values[MOST_VALUES];    /* NAME=VALUE */
    const char *words[TESS_MOST_WORDS]; /* of the program */
    const char *end;                    /* NULL, behind them */
    char *said[TESS_MOST_WORDS + 1];    /* them with the mesh's name in them; owned */
    tess_given_mesh given;
} record_options;

static const tess_option_row options[] = {
    {"lab", 'l', "DIR", "Archive in this folder (default: TESS_LAB, else ./lab)",
     TESS_KEPT(record_options, lab)},
    {"mesh", 'm', "MESH", "What it ran on, as runs beside it call it",
     TESS_KEPT(record_options, mesh)},
    {"mesh-order", 0, "P",
     "Give it the mesh in this order, as its {mesh}: any of 'tess mesh reorder -p'; stored, as it "
     "is; own, likewise, where the program orders it itself",
     TESS_KEPT(record_options, order)},
    {"mesh-format", 0, "NAME", "And in this format (default: that of the mesh's extension)",
     TESS_KEPT(record_options, format)},
    {"loop", 0, "LOOP", "What of it was timed (default: program)", TESS_KEPT(record_options, loop)},
    {"set", 0, "NAME=VALUE", "A setting to group and compare by, say strategy=renumbered",
     TESS_KEPT_LIST(record_options, values, n_values), .refusal = "more than %d values"},
    {"seconds", 0, "FILE", "Take the times from this file, seconds one a line; -: standard input",
     TESS_KEPT(record_options, seconds)},
    {"samples", 0, "N", "Runs of the program (default: 5)", TESS_KEPT(record_options, samples),
     .least = 1, .most = 1000000},
    {"warm-up", 0, "N", "Runs before them that do not count (default: 1)",
     TESS_KEPT(record_options, warm_up), .most = 1000000},
    {"pattern", 0, "REGEX",
     "The program prints its seconds: the first group of this extended regular expression, of "
     "several the last (default: the wall clock)",
     TESS_KEPT(record_options, pattern)},
    {"sweep-point", 0, "SWEEP:DIGEST:REPETITION", "The point of a sweep that this run is",
     TESS_KEPT(record_options, sweep_point), .hidden = true},
    {TESS_KEPT(record_options, name)},
    {TESS_KEPT_LIST(record_options, words, n_words), .refusal = "more than %d words of a program"},
    {0}};

static const tess_usage usage = {
    .options = options,
    .args_doc = "NAME -- PROGRAM [ARGUMENT...]",
    .doc =
        "Archive the time of any program, or times that it has left in a file, beside runs: "
        "with its samples, this machine and the state of this program.\v"
        "Examples:\n"
        "  tess record icoFoam --mesh cavity --pattern \\\n"
        "      'ExecutionTime = ([0-9.]+) s' -- icoFoam\n"
        "  tess record icoFoam --mesh cavity --set order=rcm --seconds times.txt\n"
        "  tess record solver --mesh wing.msh --mesh-order hilbert -- ./solver {mesh}\n"
        "  tess compare @last~1 @last\n"
        "In the program's words {mesh} is a file of the mesh in a folder that is removed "
        "afterwards, "
        "{folder} that folder, {order} the order. Its runs are unchecked; NAME is their "
        "application. A program that ends with 127, as a shell does that does not find one, leaves "
        "no run (exit code 4)."};

/* Splits NAME=VALUE; NAME is a word as settings are. */
static tess_status set_value(const char *typed, tess_values *into) {
    char name[TESS_NAME_SIZE];
    const size_t length = strcspn(typed, "=");
    size_t n = 0;
    while (n < length && (isalnum((unsigned char)typed[n]) || typed[n] == '_'))
        n++;
    if (typed[length] != '=' || n < length || n == 0 || n >= sizeof name)
        FAIL(TESS_ERROR_USAGE, "--set %s: it is NAME=VALUE, NAME of letters, digits and _", typed);
    snprintf(name, sizeof name, "%.*s", (int)n, typed);
    return tess_values_set_text(into, name, typed + length + 1);
}

/* The word behind "--" as it is typed, the first of the program, or NULL. */
static const char *typed_program(int argc, char *const *argv) {
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            return argv[i + 1];
    return NULL;
}

static tess_status check(const record_options *asked, const char *program) {
    if (!asked->name || !*asked->name || asked->name == program)
        FAIL(TESS_ERROR_USAGE, "a name is missing: tess record NAME -- PROGRAM");
    if (!asked->seconds == (asked->n_words == 0))
        FAIL(TESS_ERROR_USAGE, asked->seconds ? "either --seconds or a program, not both"
                                              : "what is timed? tess record NAME -- PROGRAM, or "
                                                "--seconds FILE");
    if (!asked->mesh && (asked->order || asked->format))
        FAIL(TESS_ERROR_USAGE, "which mesh? --mesh MESH");
    return TESS_OK;
}

static tess_status configure(const record_options *asked, tess_record *record) {
    tess_values *into = &record->configuration;
    TRY(tess_values_set_text(into, "application", asked->name));
    TRY(tess_values_set_text(into, "loop", asked->loop ? asked->loop : "program"));
    if (asked->mesh)
        TRY(tess_values_set_text(into, "mesh", asked->mesh));
    if (asked->order)
        TRY(tess_values_set_text(into, "order", asked->order));
    if (asked->sweep_point)
        TRY(tess_sweep_point_note_words(record, asked->sweep_point));
    for (int i = 0; i < asked->n_values; i++)
        TRY(set_value(asked->values[i], into));
    return TESS_OK;
}

/* Says the program's words, with the mesh that they name written to a file. */
static tess_status say_words(record_options *asked) {
    const char *order = !asked->mesh ? NULL : asked->order ? asked->order : "stored";
    bool is_said = false;
    for (int i = 0; i < asked->n_words; i++)
        is_said |= tess_given_mesh_is_said(asked->words[i]);
    if (!is_said && asked->order)
        FAIL(TESS_ERROR_USAGE, "--mesh-order: the program's words name no {mesh}");
    if (is_said && asked->mesh)
        TRY(tess_given_mesh_write(asked->mesh, order, asked->format, &asked->given));
    for (int i = 0; i < asked->n_words; i++)
        TRY(tess_given_mesh_say(&asked->given, order, asked->words[i], &asked->said[i]));
    return TESS_OK;
}

static tess_status measure(record_options *asked, tess_record *record) {
    if (asked->seconds)
        return tess_timed_seconds_read(asked->seconds, record);
    return tess_timed_program_run(&(tess_timed_program){.argv = asked->said,
                                                        .warm_up = asked->warm_up,
                                                        .samples = asked->samples,
                                                        .pattern = asked->pattern},
                                  record);
}

static tess_status report(const record_options *asked, const tess_record *record) {
    const tess_series *times = tess_record_series(record, "time");
    double median = 0;
    TRY(tess_median_of(times->values, times->n, &median));
    if (asked->common.json)
        return tess_json_print(json_pack("{s:s, s:s, s:s, s:I, s:{s:f, s:s}}", "schema",
                                         "tess.record/1", "run", record->id, "application",
                                         asked->name, "samples", (json_int_t)times->n,
                                         "median_time", "value", median, "unit", "s"));
    printf("%s: %.4g s, the median of %lld sample%s; run %s\n", asked->name, median,
           (long long)times->n, tess_plural(times->n), record->id);
    return TESS_OK;
}

/* A program that fails leaves a failed run. */
static tess_status measure_and_store(record_options *asked, tess_lab *lab, tess_record *record) {
    const tess_status measured = measure(asked, record);
    if (measured != TESS_OK && measured != TESS_ERROR_CHECK)
        return measured;
    char why[1024];
    snprintf(why, sizeof why, "%s", measured == TESS_OK ? "" : tess_message());
    TRY(tess_record_set_check(record, measured == TESS_OK ? TESS_UNCHECKED : TESS_FAILED, why));
    TRY(tess_lab_store_run(lab, record));
    if (measured != TESS_OK)
        FAIL(measured, "%s", why);
    return report(asked, record);
}

static tess_status record_run(int argc, char **argv) {
    tess_status status = TESS_OK;
    static record_options asked = {.samples = 5, .warm_up = 1};
    tess_lab *lab = NULL;
    tess_record *record = NULL;
    const char *program = typed_program(argc, argv); /* words are sorted as they are parsed */
    CHECK(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    CHECK(check(&asked, program));
    CHECK(tess_record_new(argc, argv, &record));
    CHECK(configure(&asked, record));
    CHECK(tess_lab_open(asked.lab, true, &lab));
    CHECK(tess_lab_check_writable(lab));
    CHECK(say_words(&asked));
    CHECK(measure_and_store(&asked, lab, record));
done:
    for (int i = 0; i < asked.n_words; i++)
        free(asked.said[i]);
    tess_given_mesh_remove(&asked.given);
    tess_record_free(record);
    tess_lab_close(lab);
    return status;
}

const tess_command tess_command_record = {
    .name = "record", .summary = "Archive the time of any program beside runs", .run = record_run};
