/* tess verify: every file of a lab read and proved again. */
#include "core/base/json.h"
#include "core/base/plural.h"
#include "experiments/archive/verify.h"
#include "experiments/cli/command.h"
#include "experiments/report/progress_line.h"

typedef struct verify_options {
    tess_common common;
    const char *lab;
} verify_options;

static const tess_option_row options[] = {
    {"lab", 'l', "DIR", "The lab (default: TESS_LAB, else ./lab)", TESS_KEPT(verify_options, lab)},
    {.refusal = "'tess verify' takes no '%s': it verifies the whole lab"},
    {0}};

static const tess_usage usage = {
    .options = options,
    .doc = "Read every file of a lab: checksums, digests, the proof (plan_check) and the metrics "
           "of every plan. Leftovers of aborted runs are removed. All defects are reported; "
           "exit code 1 if there are any. A file that somebody holds open to write is in use, no "
           "defect.\v"
           "  tess verify\n"
           "  tess verify --lab /mnt/cluster/lab --json"};

/* What is told while it goes on: defects on stdout, or kept for JSON. */
typedef struct verify_report {
    bool json;
    json_t *defects, *in_use;
} verify_report;

static void report_defect(void *context, const char *words) {
    verify_report *report = context;
    if (report->json) {
        json_array_append_new(report->defects, tess_json_text(words));
        return;
    }
    tess_progress_line_wipe();
    printf("%s\n", words);
}

static void report_in_use(void *context, const char *path) {
    verify_report *report = context;
    if (report->json) {
        json_array_append_new(report->in_use, tess_json_text(path));
        return;
    }
    tess_progress_line_wipe();
    printf("%s: in use, somebody has it open to write: verify it again later\n", path);
}

static void note_progress(void *context, int64_t n, int64_t n_files) {
    (void)context;
    tess_progress_set(n, n_files, NULL);
}

static tess_status print_summary(const tess_verify_counts *counts, const char *lab,
                                 verify_report *report) {
    if (report->json)
        return tess_json_print(json_pack(
            "{s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:O, s:O}", "schema", "tess.verify/1", "lab",
            tess_json_text(lab), "meshes", (json_int_t)counts->n_meshes, "plans",
            (json_int_t)counts->n_plans, "runs", (json_int_t)counts->n_runs, "views",
            (json_int_t)counts->n_views, "temporaries_removed", (json_int_t)counts->n_temporaries,
            "defects", report->defects, "in_use", report->in_use));
    printf("%s: %lld mesh%s, %lld plan%s, %lld run%s, %lld view%s verified", lab,
           (long long)counts->n_meshes, counts->n_meshes == 1 ? "" : "es",
           (long long)counts->n_plans, tess_plural(counts->n_plans), (long long)counts->n_runs,
           tess_plural(counts->n_runs), (long long)counts->n_views, tess_plural(counts->n_views));
    if (counts->n_temporaries)
        printf(", %lld temporary file%s of aborted runs removed", (long long)counts->n_temporaries,
               tess_plural(counts->n_temporaries));
    if (counts->n_in_use)
        printf(", %lld in use", (long long)counts->n_in_use);
    printf("; %lld defect%s\n", (long long)counts->n_defects, tess_plural(counts->n_defects));
    return TESS_OK;
}

static tess_status verify_run_command(int argc, char **argv) {
    tess_status status = TESS_OK;
    verify_options asked = {0};
    verify_report report = {.defects = json_array(), .in_use = json_array()};
    tess_lab *lab = NULL;
    tess_verify_counts counts;
    CHECK(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    CHECK(tess_lab_open(asked.lab, false, &lab));
    report.json = asked.common.json;
    const tess_verify_listener listener = {&report, report_defect, report_in_use, note_progress};
    tess_progress_begin("verifying files");
    status = tess_lab_verify(lab, &listener, &counts);
    tess_progress_end();
    CHECK(status);
    CHECK(print_summary(&counts, tess_lab_folder(lab), &report));
    if (counts.n_defects)
        CHECK(tess_fail(TESS_ERROR_CHECK, "the lab %s has %lld defect%s", tess_lab_folder(lab),
                        (long long)counts.n_defects, tess_plural(counts.n_defects)));
done:
    json_decref(report.defects);
    json_decref(report.in_use);
    tess_lab_close(lab);
    return status;
}

const tess_command tess_command_verify = {.name = "verify",
                                          .summary = "Read and prove every file of a lab again",
                                          .run = verify_run_command};
