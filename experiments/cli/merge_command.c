/* tess merge: the runs of other labs. */
#include "core/base/json.h"
#include "core/base/plural.h"
#include "experiments/archive/merge.h"
#include "experiments/cli/command.h"

#include <string.h>

enum { MOST_LABS = 256 };

typedef struct merge_options {
    tess_common common;
    const char *lab;
    int n_labs;
    const char *labs[MOST_LABS];
} merge_options;

static const tess_option_row options[] = {
    {"lab", 'l', "DIR", "The lab (default: TESS_LAB, else ./lab); made if it is missing",
     TESS_KEPT(merge_options, lab)},
    {TESS_KEPT_LIST(merge_options, labs, n_labs), .refusal = "more than %d labs at once"},
    {0}};

static const tess_usage usage = {
    .options = options,
    .args_doc = "OTHER_LAB...",
    .doc = "Copy what other labs have and this one lacks: meshes, plans, runs, tags and notes. "
           "Merging twice changes nothing. Damaged files are reported and not copied; runs in "
           "this lab's trash stay there.\v"
           "  tess merge /mnt/cluster/lab\n"
           "  tess merge monday/lab tuesday/lab --lab week"};

/* Before this lab is made: no mistyped name leaves an empty one. */
static tess_status require_labs(const merge_options *asked) {
    for (int i = 0; i < asked->n_labs; i++) {
        tess_lab *other = NULL;
        TRY(tess_lab_open(asked->labs[i], false, &other));
        tess_lab_close(other);
    }
    return TESS_OK;
}

/* Fails where something was damaged, or missing, in the labs that were merged. */
static tess_status tell_damage(const tess_merge_counts *all) {
    if (all->n_damaged)
        FAIL(TESS_ERROR_CHECK, "%lld file%s be read and %s not copied; the last: %s",
             (long long)all->n_damaged, all->n_damaged == 1 ? " cannot" : "s cannot",
             all->n_damaged == 1 ? "was" : "were", all->damage);
    if (all->n_incomplete)
        FAIL(TESS_ERROR_CHECK,
             "%lld run%s copied whose mesh or plan is in none of the labs; the last: %s. Merge "
             "again when the other lab is whole",
             (long long)all->n_incomplete, all->n_incomplete == 1 ? " was" : "s were", all->damage);
    return TESS_OK;
}

static tess_status merge_one(tess_lab *lab, const char *folder, tess_merge_counts *counts) {
    tess_lab *other = NULL;
    TRY(tess_lab_open(folder, false, &other));
    const tess_status status = tess_lab_merge(lab, other, counts);
    tess_lab_close(other);
    return status;
}

static json_t *counts_json(const char *folder, const tess_merge_counts *counts) {
    return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "lab", tess_json_text(folder),
                     "meshes", (json_int_t)counts->n_meshes, "plans", (json_int_t)counts->n_plans,
                     "runs", (json_int_t)counts->n_runs, "notes", (json_int_t)counts->n_notes,
                     "damaged", (json_int_t)counts->n_damaged, "incomplete",
                     (json_int_t)counts->n_incomplete, "trashed", (json_int_t)counts->n_trashed);
}

static tess_status merge_run(int argc, char **argv) {
    tess_status status = TESS_OK;
    static merge_options asked;
    tess_lab *lab = NULL;
    json_t *merged = json_array();
    tess_merge_counts counts = {0}, all = {0};
    CHECK(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    if (asked.n_labs == 0)
        CHECK(tess_fail(TESS_ERROR_USAGE, "which labs? tess merge OTHER_LAB..."));
    CHECK(require_labs(&asked));
    CHECK(tess_lab_open(asked.lab, true, &lab));
    for (int i = 0; i < asked.n_labs; i++) {
        CHECK(merge_one(lab, asked.labs[i], &counts));
        all.n_incomplete += counts.n_incomplete;
        if (counts.n_damaged || (counts.n_incomplete && !all.n_damaged))
            memcpy(all.damage, counts.damage, sizeof all.damage);
        all.n_damaged += counts.n_damaged;
        json_array_append_new(merged, counts_json(asked.labs[i], &counts));
        if (!asked.common.json)
            printf("%s: %lld mesh%s, %lld plan%s, %lld run%s, %lld %s copied\n", asked.labs[i],
                   (long long)counts.n_meshes, counts.n_meshes == 1 ? "" : "es",
                   (long long)counts.n_plans, tess_plural(counts.n_plans), (long long)counts.n_runs,
                   tess_plural(counts.n_runs), (long long)counts.n_notes,
                   counts.n_notes == 1 ? "tag or note" : "tags and notes");
    }
    if (asked.common.json)
        CHECK(tess_json_print(json_pack("{s:s, s:O}", "schema", "tess.merge/1", "merged", merged)));
    CHECK(tell_damage(&all));
done:
    json_decref(merged);
    tess_lab_close(lab);
    return status;
}

const tess_command tess_command_merge = {
    .name = "merge", .summary = "Copy the runs of other labs", .run = merge_run};
