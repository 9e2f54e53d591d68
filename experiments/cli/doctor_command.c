/* The command `tess doctor`: what this machine has, and the fix for what it lacks. */
#include "core/base/json.h"
#include "experiments/cli/command.h"
#include "experiments/cli/equipment.h"
#include "experiments/report/table.h"

typedef struct doctor_options {
    tess_common common;
    const char *lab;
} doctor_options;

static const tess_option_row options[] = {
    {"lab", 'l', "DIR", "Look at the disk of this lab (default: $TESS_LAB, else ./lab)",
     TESS_KEPT(doctor_options, lab)},
    {0}};

static const tess_usage usage = {
    .options = options,
    .doc = "Tell what this machine has of all that tess can use, and the exact fix for what it "
           "lacks. Exits with 4 where something essential is missing.\v"
           "What is missing and not essential is a choice: each line says what it is for."};

static const char *state_of(const tess_finding *finding) {
    return finding->is_there ? "ok" : finding->essential ? "MISSING" : "-";
}

static tess_status print_table(const tess_finding *findings, int n) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    bool complete = true;
    CHECK(tess_table_new(TESS_TITLES("", "what", "for", "found"), &table));
    for (int i = 0; i < n; i++) {
        CHECK(tess_table_add_row(table));
        CHECK(tess_table_add_cell(table, "%s", state_of(&findings[i])));
        CHECK(tess_table_add_cell(table, "%s", findings[i].name));
        CHECK(tess_table_add_cell(table, "%s", findings[i].use));
        CHECK(tess_table_add_cell(table, "%s", findings[i].found));
        complete = complete && findings[i].is_there;
    }
    CHECK(tess_table_print(table, stdout));
    if (!complete)
        puts("\nTo have what is missing:");
    for (int i = 0; i < n; i++)
        if (!findings[i].is_there)
            printf("  %-12s%s\n", findings[i].name, findings[i].fix);
done:
    tess_table_free(table);
    return status;
}

static tess_status print_json(const tess_finding *findings, int n) {
    json_t *items = json_array();
    for (int i = 0; i < n; i++) {
        const tess_finding *finding = &findings[i];
        json_array_append_new(
            items, json_pack("{s:s, s:s, s:b, s:b, s:o, s:o}", "name", finding->name, "use",
                             finding->use, "essential", (int)finding->essential, "is_there",
                             (int)finding->is_there, "found", tess_json_text(finding->found), "fix",
                             finding->is_there ? json_null() : tess_json_text(finding->fix)));
    }
    return tess_json_print(json_pack("{s:s, s:o}", "schema", "tess.doctor/1", "findings", items));
}

static tess_status run(int argc, char **argv) {
    doctor_options asked = {.lab = NULL};
    tess_finding findings[TESS_MOST_FINDINGS];
    int n_missing = 0;
    TRY(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    const int n = tess_machine_look(asked.lab, findings);
    TRY(asked.common.json ? print_json(findings, n) : print_table(findings, n));
    for (int i = 0; i < n; i++)
        n_missing += findings[i].essential && !findings[i].is_there;
    if (n_missing)
        FAIL(TESS_ERROR_MISSING, "%d essential %s missing on this machine", n_missing,
             n_missing == 1 ? "thing is" : "things are");
    return TESS_OK;
}

const tess_command tess_command_doctor = {
    .name = "doctor",
    .summary = "Tell what this machine has, and the fix for what it lacks",
    .run = run};
