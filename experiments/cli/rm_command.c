/* tess rm: runs to the trash, back, or deleted for good. */
#include "core/base/plural.h"
#include "experiments/archive/run_id.h"
#include "experiments/archive/run_names.h"
#include "experiments/archive/trash.h"
#include "experiments/cli/command.h"

typedef struct rm_options {
    tess_common common;
    const char *lab;
    bool empty, restore;
    int n_runs;
    const char *runs[TESS_MOST_WORDS];
} rm_options;

static const tess_option_row options[] = {
    {"lab", 'l', "DIR", "The lab (default: TESS_LAB, else ./lab)", TESS_KEPT(rm_options, lab)},
    {"empty", 0, NULL,
     "Delete what is in the trash, and the plans, meshes and views that no run uses",
     TESS_KEPT(rm_options, empty)},
    {"restore", 0, NULL, "Bring runs back from the trash (whole ids)",
     TESS_KEPT(rm_options, restore)},
    {TESS_KEPT_LIST(rm_options, runs, n_runs),
     .refusal = "more than %d runs at once: give them a tag"},
    {0}};

static const tess_usage usage = {
    .options = options,
    .args_doc = "RUN...",
    .doc = "Move runs with their notes to the lab's trash.\v"
           "  tess rm @last           tess rm tag:mistake\n"
           "  tess rm --restore ID    tess rm --empty\n"
           "RUN is the beginning of an id, @last, @last~1, or tag:NAME (all that have it). --empty "
           "spares unused plans of the last hour and meshes of the last day: a run may be about to "
           "use them."};

static tess_status restore(const tess_lab *lab, const rm_options *asked) {
    for (int i = 0; i < asked->n_runs; i++) {
        char id[TESS_RUN_ID_SIZE];
        tess_run_id_normalise(asked->runs[i], id);
        if (!tess_trash_has(lab, id))
            FAIL(TESS_ERROR_INPUT, "the trash of %s has no run '%s'", tess_lab_folder(lab),
                 asked->runs[i]);
        TRY(tess_trash_restore(lab, id));
    }
    return TESS_OK;
}

static tess_status remove_runs(const tess_lab *lab, const rm_options *asked) {
    tess_status status = TESS_OK;
    tess_run_ids ids = {0};
    CHECK(tess_run_ids_add(lab, asked->runs, asked->n_runs, &ids));
    for (int64_t i = 0; i < ids.n; i++) {
        CHECK(tess_trash_put(lab, ids.items[i]));
        if (!asked->common.quiet)
            fprintf(stderr, "in the trash: %s\n", ids.items[i]);
    }
done:
    tess_run_ids_clear(&ids);
    return status;
}

static tess_status rm_run(int argc, char **argv) {
    tess_status status = TESS_OK;
    static rm_options asked;
    tess_lab *lab = NULL;
    tess_trash_count deleted;
    CHECK(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    if (asked.n_runs == 0 && !asked.empty)
        CHECK(tess_fail(TESS_ERROR_USAGE, asked.restore
                                              ? "which runs? tess rm --restore ID..., by whole ids"
                                              : "which runs? tess rm RUN..., or tess rm --empty"));
    CHECK(tess_lab_open(asked.lab, false, &lab));
    CHECK(asked.restore ? restore(lab, &asked) : remove_runs(lab, &asked));
    if (asked.empty) {
        CHECK(tess_trash_empty(lab, &deleted));
        if (!asked.common.quiet)
            fprintf(stderr, "deleted: %lld run%s, %lld plan%s, %lld mesh%s\n",
                    (long long)deleted.runs, tess_plural(deleted.runs), (long long)deleted.plans,
                    tess_plural(deleted.plans), (long long)deleted.meshes,
                    deleted.meshes == 1 ? "" : "es");
    }
done:
    tess_lab_close(lab);
    return status;
}

const tess_command tess_command_rm = {
    .name = "rm", .summary = "Move runs to the trash, or empty it", .run = rm_run};
