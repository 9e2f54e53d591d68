/* A sweep: the points of a recipe that a lab lacks, made as a campaign. */
#include "experiments/campaign/sweep.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "experiments/campaign/sweep_done.h"
#include "experiments/campaign/sweep_launch.h"
#include <stdio.h>
#include <stdlib.h>

enum {
    SESSION_SECONDS = 120, /* a session takes no more points after: what a kill may cost */
    LOOK_SHARE = 20        /* looks at the lab take at most a 20th of the time */
};

const char *tess_sweep_state_name(tess_sweep_state state) {
    static const char *const names[] = {"to do",  "done before", "failed before",
                                        "passed", "failed",      "skipped"};
    return names[state];
}

int64_t tess_sweep_count(const tess_sweep *sweep, tess_sweep_state state) {
    int64_t n = 0;
    for (int64_t i = 0; i < sweep->points->n; i++)
        n += sweep->results[i].state == state;
    return n;
}

int64_t tess_sweep_unknown_skips(const tess_sweep *sweep) {
    int64_t n = 0;
    for (int64_t i = 0; i < sweep->points->n; i++)
        n += sweep->results[i].state == TESS_POINT_SKIPPED && !sweep->points->items[i].known_skip;
    return n;
}

/* Marks the points that the lab has. */
static tess_status look(tess_sweep *sweep) {
    tess_sweep_done done = {.n = 0};
    int64_t n_unreadable = 0;
    const double start = tess_clock_seconds();
    if (!sweep->options.bench.lab)
        return TESS_OK;
    const tess_status status = tess_sweep_done_read(sweep->options.bench.lab, &done, &n_unreadable);
    for (int64_t i = 0; status == TESS_OK && i < sweep->points->n; i++) {
        tess_sweep_result *result = &sweep->results[i];
        const tess_sweep_entry *entry = tess_sweep_done_find(&done, sweep->points->items[i].digest);
        if (result->state != TESS_POINT_LEFT || !entry || (entry->failed && sweep->retry_failed))
            continue;
        result->state = entry->failed ? TESS_POINT_FAILED_BEFORE : TESS_POINT_DONE_BEFORE;
        snprintf(result->run, sizeof result->run, "%s", entry->run);
    }
    tess_sweep_done_clear(&done);
    sweep->looked = tess_clock_seconds();
    sweep->look_seconds = sweep->looked - start;
    return status;
}

/* Fails (INPUT) on a mesh that is a mistake of the recipe. */
static tess_status check_meshes(const tess_sweep *sweep) {
    const char *before = NULL;
    for (int64_t i = 0; i < sweep->points->n; i++) {
        const tess_sweep_point *point = &sweep->points->items[i];
        char *mesh = NULL;
        tess_status status = TESS_OK;
        if (point->value[TESS_FIELD_mesh] != before)
            status = tess_sweep_mesh(sweep->recipe, point, &mesh);
        before = point->value[TESS_FIELD_mesh];
        free(mesh);
        if (status == TESS_ERROR_INPUT)
            return status;
    }
    return TESS_OK;
}

tess_status tess_sweep_begin(tess_sweep *sweep) {
    TRY(check_meshes(sweep));
    TRY(TESS_ZEROS(sweep->points->n, &sweep->results));
    return look(sweep);
}

void tess_sweep_clear(tess_sweep *sweep) {
    for (int64_t i = 0; sweep->results && i < sweep->points->n; i++)
        free(sweep->results[i].message);
    free(sweep->results);
    sweep->results = NULL;
}

tess_status tess_sweep_experiment(const tess_sweep_point *point, const char *mesh,
                                  tess_experiment *out) {
    tess_status status = TESS_OK;
    tess_experiment experiment;
    TRY(tess_experiment_init(point->kind, &experiment));
    for (tess_field field = 0; field < TESS_N_FIELDS; field++) {
        const char *text = field == TESS_FIELD_mesh ? mesh : point->value[field];
        if (text)
            CHECK(tess_experiment_set(&experiment, field, text));
    }
    CHECK(tess_experiment_check(&experiment));
    CHECK(tess_experiment_check_ranks(&experiment));
    *out = experiment;
    return TESS_OK;
done:
    tess_experiment_clear(&experiment);
    return status;
}

static tess_status find_experiment(const tess_sweep *sweep, const tess_sweep_point *point,
                                   tess_experiment *out) {
    char *mesh = NULL;
    TRY(tess_sweep_mesh(sweep->recipe, point, &mesh));
    const tess_status status = tess_sweep_experiment(point, mesh, out);
    free(mesh);
    return status;
}

/* Gives an experiment for each point, its own where it is left; a point whose mesh is nowhere is
 * skipped. */
static tess_status list_experiments(tess_sweep *sweep, tess_product *out) {
    TRY(TESS_ZEROS(sweep->points->n, &out->experiments));
    for (int64_t i = 0; i < sweep->points->n; i++) {
        tess_sweep_result *result = &sweep->results[i];
        const tess_sweep_point *point = &sweep->points->items[i];
        tess_status status = TESS_OK;
        if (result->state == TESS_POINT_LEFT)
            status = find_experiment(sweep, point, &out->experiments[i]);
        if (status == TESS_ERROR_MEMORY)
            return status;
        if (status != TESS_OK) {
            result->state = TESS_POINT_SKIPPED;
            TRY(tess_text_copy(tess_message(), &result->message));
        }
        if (result->state != TESS_POINT_LEFT)
            TRY(tess_experiment_init(point->kind, &out->experiments[i]));
        out->n++;
    }
    return TESS_OK;
}

/* The first of the points on the same blocks as point i. */
static int64_t family_of(const tess_sweep *sweep, int64_t i) {
    const tess_sweep_point *points = sweep->points->items;
    while (i > 0 && tess_sweep_points_share(&points[i - 1], &points[i], TESS_FIELD_order))
        i--;
    return i;
}

/* Claims the family of a point, unless it has been claimed. */
static tess_status claim(tess_sweep *sweep, int64_t i) {
    const int64_t family = family_of(sweep, i);
    if (sweep->family == family)
        return TESS_OK;
    const tess_sweep_claim granted =
        tess_sweep_claims_take(&sweep->claims, sweep->points->items[family].digest);
    sweep->family = family;
    sweep->is_claimed = granted != TESS_CLAIM_REFUSED;
    return granted == TESS_CLAIM_AGAIN ? look(sweep) : TESS_OK;
}

/* Makes a point by processes of its own, which archive it. */
static tess_status launch(const tess_sweep *sweep, int64_t i) {
    tess_sweep_result *result = &sweep->results[i];
    const tess_sweep_launch what = {.launcher = sweep->launcher,
                                    .lab = tess_lab_folder(sweep->options.bench.lab),
                                    .sweep = sweep->recipe->name,
                                    .digest = sweep->points->items[i].digest,
                                    .view = sweep->options.bench.view,
                                    .fresh = sweep->options.bench.fresh};
    const double start = tess_clock_seconds();
    int code = 0;
    TRY(tess_sweep_launch_make(&what, &sweep->experiments[i], &code, &result->message));
    const bool does_not_fit = code == tess_status_exit_code(TESS_ERROR_USAGE) ||
                              code == tess_status_exit_code(TESS_ERROR_MISSING);
    result->state = code == 0      ? TESS_POINT_PASSED
                    : does_not_fit ? TESS_POINT_SKIPPED
                                   : TESS_POINT_FAILED;
    result->seconds = tess_clock_seconds() - start;
    return TESS_OK;
}

/* Others may work on the same lab: what they are making, or made meanwhile, is not made again. */
static tess_status take_turn(void *context, tess_turn *turn) {
    tess_sweep *sweep = context;
    const int64_t i = turn->order[turn->number];
    const tess_sweep_result *result = &sweep->results[i];
    if (tess_clock_seconds() - sweep->looked > LOOK_SHARE * sweep->look_seconds)
        TRY(look(sweep));
    if (result->state == TESS_POINT_LEFT)
        TRY(claim(sweep, i));
    sweep->elsewhere += result->state == TESS_POINT_LEFT && !sweep->is_claimed;
    turn->use = TESS_TURN_PASS;
    if (result->state != TESS_POINT_LEFT || !sweep->is_claimed)
        return TESS_OK;
    if (sweep->show)
        sweep->show(sweep, i);
    if (tess_sweep_launches(&sweep->experiments[i]))
        return launch(sweep, i);
    turn->use = TESS_TURN_MAKE;
    return TESS_OK;
}

/* Notes which point of which sweep a record is. */
static tess_status name_record(void *context, tess_run *run) {
    const tess_sweep *sweep = context;
    return tess_sweep_point_note(run->record, sweep->recipe->name,
                                 sweep->points->items[run->number].digest,
                                 run->experiment->repetition);
}

/* Notes what became of a point. */
static tess_status note_result(void *context, tess_run *run) {
    tess_sweep *sweep = context;
    tess_sweep_result *result = &sweep->results[run->number];
    if (run->interrupted)
        return TESS_OK;
    result->state = !run->failure                         ? TESS_POINT_PASSED
                    : run->not_applicable || run->missing ? TESS_POINT_SKIPPED
                                                          : TESS_POINT_FAILED;
    snprintf(result->run, sizeof result->run, "%s", run->run ? run->run : "");
    result->seconds = run->seconds;
    return run->failure ? tess_text_copy(run->failure, &result->message) : TESS_OK;
}

tess_status tess_sweep_run(tess_sweep *sweep) {
    tess_status status = TESS_OK;
    tess_product product = {.n = 0};
    tess_campaign campaign = {.n = 0};
    const tess_campaign_listener listener = {
        .context = sweep, .turn = take_turn, .begun = name_record, .ended = note_result};
    sweep->options.session_seconds = SESSION_SECONDS;
    sweep->options.openings_may_fail = true;
    sweep->family = -1;
    CHECK(tess_sweep_claims_open(sweep->options.bench.lab, &sweep->claims));
    CHECK(look(sweep));
    CHECK(list_experiments(sweep, &product));
    sweep->experiments = product.experiments;
    CHECK(tess_campaign_begin(&sweep->options, &listener, &campaign));
    status = tess_campaign_run(&campaign, product.experiments, product.n);
    if (status == TESS_ERROR_INTERRUPTED && tess_sweep_count(sweep, TESS_POINT_LEFT) == 0)
        status = TESS_OK;
done:
    status = tess_campaign_close(&campaign, status);
    tess_sweep_claims_close(&sweep->claims);
    tess_product_clear(&product);
    return status;
}
