/* A report of an evaluation: how far predictions are off for what is left out of the fit, or by a
 * fit that is given. */
#include "experiments/report/evaluation_report.h"

#include "core/base/array.h"
#include "core/base/json.h"
#include "experiments/model/evaluation.h"
#include "experiments/report/json_print.h"
#include "experiments/report/table.h"
#include <math.h>
#include <stdlib.h>

static json_t *errors_json(const tess_fit_errors *errors) {
    return json_pack("{s:s, s:i, s:f, s:f, s:f, s:f, s:f}", "strategy", errors->base, "points",
                     errors->n_points, "median", errors->median, "p90", errors->p90, "bias",
                     errors->bias, "low", errors->low, "high", errors->high);
}

static json_t *cases_json(const tess_close_cases *cases) {
    return json_pack("{s:i, s:i}", "cases", cases->n, "within_5_percent", cases->n_close);
}

/* The share of cases that are close, or NaN. */
static double share_of(const tess_close_cases *cases) {
    return cases->n > 0 ? (double)cases->n_close / cases->n : NAN;
}

/* Numbers that are of too few points are null. */
static json_t *mesh_json(const tess_mesh_evaluation *mesh) {
    return json_pack("{s:s, s:s, s:i, s:o, s:o, s:o, s:i, s:i, s:o, s:o, s:o}", "mesh", mesh->mesh,
                     "application", mesh->application, "points", mesh->n_points, "correlation",
                     tess_json_number(mesh->correlation), "median", tess_json_number(mesh->median),
                     "regret", tess_json_number(mesh->regret), "runs_until_2_percent",
                     mesh->n_until_close, "corrected_runs_until_2_percent", mesh->n_corrected,
                     "regret_after_10_runs", tess_json_number(mesh->regret_corrected), "orders",
                     cases_json(&mesh->orders), "strategies", cases_json(&mesh->strategies));
}

static json_t *evaluation_json(const tess_evaluation *e) {
    json_t *meshes = json_array(), *errors = json_array();
    for (int i = 0; i < e->n_meshes; i++)
        json_array_append_new(meshes, mesh_json(&e->meshes[i]));
    for (int i = 0; i < e->n_errors; i++)
        json_array_append_new(errors, errors_json(&e->errors[i]));
    return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "points", e->n_points,
                     "median", tess_json_number(e->median), "p90", tess_json_number(e->p90),
                     "p90_with_random", tess_json_number(e->p90_with_random), "covered",
                     tess_json_number(e->covered), "mesh_order_within_5_percent",
                     tess_json_number(share_of(&e->orders)), "mesh_strategy_within_5_percent",
                     tess_json_number(share_of(&e->strategies)), "bias", tess_json_number(e->bias),
                     "meshes", meshes, "strategies", errors);
}

static tess_status add_cases(tess_table *table, const tess_close_cases *cases) {
    return tess_table_add_cell(table, "%d/%d", cases->n_close, cases->n);
}

static tess_status print_meshes(const tess_evaluation *e) {
    static const char *const titles[] = {
        "mesh",       ">points",        ">median %", ">correlation", ">regret", ">runs until 2 %",
        ">corrected", ">after 10 runs", ">orders",   ">strategies",  NULL};
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    CHECK(tess_table_new(titles, &table));
    for (int i = 0; i < e->n_meshes; i++) {
        const tess_mesh_evaluation *mesh = &e->meshes[i];
        CHECK(tess_table_add_row(table));
        CHECK(tess_table_add_cell(table, "%s %s", mesh->application, mesh->mesh));
        CHECK(tess_table_add_cell(table, "%d", mesh->n_points));
        CHECK(tess_table_add_cell(table, "%.1f", 100 * mesh->median));
        CHECK(tess_table_add_cell(table, "%.3f", mesh->correlation));
        CHECK(tess_table_add_cell(table, "%.3f", mesh->regret));
        CHECK(tess_table_add_cell(table, "%d", mesh->n_until_close));
        CHECK(tess_table_add_cell(table, "%d", mesh->n_corrected));
        CHECK(tess_table_add_cell(table, "%.3f", mesh->regret_corrected));
        CHECK(add_cases(table, &mesh->orders));
        CHECK(add_cases(table, &mesh->strategies));
    }
    CHECK(tess_table_print(table, stdout));
done:
    tess_table_free(table);
    return status;
}

static tess_status print_strategies(const tess_evaluation *e) {
    static const char *const titles[] = {"strategy", ">points", ">median %",
                                         ">p90 %",   ">bias",   NULL};
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    CHECK(tess_table_new(titles, &table));
    for (int i = 0; i < e->n_errors; i++) {
        CHECK(tess_table_add_row(table));
        CHECK(tess_table_add_cell(table, "%s", e->errors[i].base));
        CHECK(tess_table_add_cell(table, "%d", e->errors[i].n_points));
        CHECK(tess_table_add_cell(table, "%.1f", 100 * e->errors[i].median));
        CHECK(tess_table_add_cell(table, "%.1f", 100 * e->errors[i].p90));
        CHECK(tess_table_add_cell(table, "%.2f", e->errors[i].bias));
    }
    CHECK(tess_table_print(table, stdout));
done:
    tess_table_free(table);
    return status;
}

static tess_status print_one(const char *what, const tess_evaluation *e) {
    printf("%s (%d points without random orders):\n"
           "median error %.1f %%, p90 %.1f %% (with random orders %.1f %%); %.0f %% of times in "
           "the 90 %% interval;\npredicted best within 5 %% of the best in %.0f %% of mesh and "
           "order, %.0f %% of mesh and strategy\n\n",
           what, e->n_points, 100 * e->median, 100 * e->p90, 100 * e->p90_with_random,
           100 * e->covered, 100 * share_of(&e->orders), 100 * share_of(&e->strategies));
    TRY(print_meshes(e));
    putchar('\n');
    TRY(print_strategies(e));
    putchar('\n');
    return TESS_OK;
}

tess_status tess_evaluation_print(const tess_machine *machine, const tess_timed_points *points,
                                  bool json) {
    static const char *const names[] = {"mesh", "application"};
    static const char *const whats[] = {"Each mesh predicted by a fit without it",
                                        "Each application predicted by a fit without it"};
    tess_status status = TESS_OK;
    tess_evaluation *e = NULL;
    json_t *object = json_pack("{s:s, s:s}", "schema", "tess.evaluate/1", "machine", machine->name);
    CHECK(TESS_ZEROS(1, &e));
    for (int what = 0; what < 2; what++) {
        CHECK(tess_evaluate(machine, points->points, points->n, (tess_held_out)what, e));
        if (json)
            json_object_set_new(object, names[what], evaluation_json(e));
        else
            CHECK(print_one(whats[what], e));
    }
    if (json)
        status = tess_json_print(json_incref(object));
done:
    json_decref(object);
    free(e);
    return status;
}

tess_status tess_evaluation_print_fit(const tess_fit *fit, const tess_timed_points *points,
                                      bool json) {
    tess_status status = TESS_OK;
    tess_evaluation *e = NULL;
    CHECK(TESS_ZEROS(1, &e));
    CHECK(tess_evaluate_fit(fit, points->points, points->n, e));
    if (json)
        CHECK(tess_json_print(json_pack("{s:s, s:s, s:s, s:o}", "schema", "tess.evaluate/1",
                                        "machine", fit->machine, "fit", fit->machine, "given",
                                        evaluation_json(e))));
    else
        CHECK(print_one("All predicted by the fit that is given", e));
done:
    free(e);
    return status;
}
