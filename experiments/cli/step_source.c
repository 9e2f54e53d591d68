/* Where the settings of a step are from: a file, or runs of a lab. */
#include "experiments/cli/step_source.h"

#include "core/base/name_list.h"
#include "experiments/archive/run_names.h"
#include "experiments/bench/step_file.h"
#include "experiments/bench/step_record.h"

static tess_status read_runs(const char *names, const tess_lab *lab, tess_step_sources *out) {
    char name[TESS_LISTED_SIZE], id[TESS_RUN_ID_SIZE];
    for (const char *rest = names; tess_name_list_next(&rest, name);) {
        if (name[0] != '@')
            FAIL(TESS_ERROR_USAGE, "--settings: '%s' beside runs: write @%s, or one file alone",
                 name, name);
        if (out->n == TESS_MOST_MARCHED)
            FAIL(TESS_ERROR_USAGE, "--settings: more than %d runs", TESS_MOST_MARCHED);
        TRY(tess_run_id_of(lab, tess_run_name_behind(name), id));
        TRY(tess_lab_read_run(lab, id, &out->records[out->n++]));
    }
    return TESS_OK;
}

tess_status tess_step_sources_open(const char *names, const char *lab, tess_step_sources *out) {
    tess_status status = TESS_OK;
    tess_lab *opened = NULL;
    *out = (tess_step_sources){.n = 0};
    if (names[0] != '@')
        return tess_yaml_read(names, &out->yaml);
    CHECK(tess_lab_open(lab, false, &opened));
    CHECK(read_runs(names, opened, out));
done:
    tess_lab_close(opened);
    return status;
}

void tess_step_sources_close(tess_step_sources *sources) {
    tess_yaml_free(sources->yaml);
    for (int i = 0; i < sources->n; i++)
        tess_record_free(sources->records[i]);
    *sources = (tess_step_sources){.n = 0};
}

tess_status tess_step_sources_share(const tess_step_sources *sources, const bool *said,
                                    tess_experiment *experiment) {
    if (sources->yaml)
        return tess_step_file_share(sources->yaml, said, experiment);
    for (int i = sources->n - 1; i >= 0; i--) /* the first has the last word, here and below */
        TRY(tess_step_record_share(sources->records[i], said, experiment));
    return TESS_OK;
}

tess_status tess_step_sources_apply(const tess_step_sources *sources, tess_step *step) {
    if (sources->yaml)
        return tess_step_file_apply(sources->yaml, step);
    for (int i = sources->n - 1; i >= 0; i--)
        TRY(tess_step_record_apply(sources->records[i], step));
    return TESS_OK;
}
