/* Marches that were measured, against what is predicted of them from one rank, and from two. */
#include "experiments/report/ranks_against.h"

#include "core/base/argument.h"
#include "core/base/embed_file.h"
#include "core/base/yaml_words.h"
#include "data/mesh_open.h"
#include "experiments/report/json_print.h"
#include "experiments/report/table.h"
#include "kernels/applications/applications.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

TESS_EMBED_FILE(tess_h200_ranks_text, TESS_RESULTS_DIR "/h200_ranks.yaml");

enum { MOST_RANKS = 1 << 20, MOST_MARCHES = 10000 };

/* How far off rows of one kind are. */
typedef struct errors {
    double sum;                 /* of the sizes of all whose step is foretold as a number */
    int n, n_bounded, n_within; /* these; those with bounds alone; of them, measured within */
} errors;

/* The file, and what is made of it row by row. */
typedef struct comparison {
    tess_yaml *yaml;
    const tess_rank_network *network;
    tess_table *table;
    json_t *rows;
    errors one, two; /* from one rank, and from two, too */
    int n_rows;
} comparison;

static tess_status read_seconds(const comparison *c, const tess_yaml_node *node, const char *name,
                                double *out) {
    const char *text = node ? tess_yaml_text(node) : NULL;
    if (!text || tess_argument_real(name, text, 0, out) != TESS_OK || !(*out > 0))
        return tess_yaml_fail(c->yaml, node ? node : tess_yaml_root(c->yaml),
                              "'%s' needs a number above 0", name);
    return TESS_OK;
}

static tess_status read_word(const comparison *c, const tess_yaml_node *march, const char *name,
                             const char **out) {
    const tess_yaml_node *node = tess_yaml_find(c->yaml, march, name);
    *out = node ? tess_yaml_text(node) : NULL;
    return *out ? TESS_OK
                : tess_yaml_fail(c->yaml, node ? node : march, "a march needs its '%s'", name);
}

/* A march, and what of it is measured so far. */
typedef struct marched {
    const tess_yaml_node *node;
    const char *application, *mesh, *chains;
    tess_rank_steps steps;
    tess_halo_metrics two;
} marched;

/* One number of its ranks. */
typedef struct compared {
    const tess_halo_metrics *halo;
    double measured; /* s a step */
    bool has_two;    /* two ranks are measured, and not what is predicted */
    tess_rank_forecast from_one, from_two;
} compared;

/* By which share a forecast is off: of bounds, what is beyond the nearer one. */
static double error_of(const tess_rank_forecast *forecast, double measured) {
    const double nearest = fmin(fmax(measured, forecast->step), forecast->most);
    return nearest / measured - 1;
}

static void note_error(errors *all, const tess_rank_forecast *forecast, double measured) {
    const double error = error_of(forecast, measured);
    if (forecast->most > forecast->step) {
        all->n_bounded++;
        all->n_within += error == 0;
        return;
    }
    all->n++;
    all->sum += fabs(error);
}

static tess_status add_forecast(comparison *c, const tess_rank_forecast *forecast,
                                double measured) {
    const double error = error_of(forecast, measured);
    const bool is_bounded = forecast->most > forecast->step;
    if (is_bounded)
        TRY(tess_table_add_cell(c->table, "%.4g to %.4g", 1e3 * forecast->step,
                                1e3 * forecast->most));
    else
        TRY(tess_table_add_cell(c->table, "%.4g", 1e3 * forecast->step));
    return is_bounded && error == 0 ? tess_table_add_cell(c->table, "within")
                                    : tess_table_add_cell(c->table, "%+.1f", 100 * error);
}

static tess_status add_row(comparison *c, const marched *march, const compared *of) {
    const double values[] = {1e3 * march->steps.one, of->halo->n_ranks, 1e3 * of->measured};
    TRY(tess_table_add_row(c->table));
    TRY(tess_table_add_cell(c->table, "%s", march->application));
    TRY(tess_table_add_cell(c->table, "%s", march->chains));
    TRY(tess_table_add_cell(c->table, "%s", march->mesh));
    for (int i = 0; i < (int)(sizeof values / sizeof *values); i++)
        TRY(tess_table_add_cell(c->table, "%.4g", values[i]));
    TRY(add_forecast(c, &of->from_one, of->measured));
    if (of->has_two)
        TRY(add_forecast(c, &of->from_two, of->measured));
    json_t *row = json_pack(
        "{s:s, s:s, s:s, s:i, s:f, s:f, s:f, s:f, s:f}", "application", march->application,
        "chains", march->chains, "mesh", march->mesh, "ranks", (int)of->halo->n_ranks, "one_rank",
        march->steps.one, "measured", of->measured, "predicted", of->from_one.step,
        "predicted_most", of->from_one.most, "error", error_of(&of->from_one, of->measured));
    if (of->has_two)
        json_object_update_new(row,
                               json_pack("{s:f, s:f, s:f}", "predicted_from_two", of->from_two.step,
                                         "predicted_from_two_most", of->from_two.most,
                                         "error_from_two", error_of(&of->from_two, of->measured)));
    json_array_append_new(c->rows, row);
    note_error(&c->one, &of->from_one, of->measured);
    if (of->has_two)
        note_error(&c->two, &of->from_two, of->measured);
    c->n_rows++;
    return TESS_OK;
}

/* Predicts one number of ranks, which took as long as measured. */
static tess_status compare_count(comparison *c, const tess_rank_case *of, int32_t n_ranks,
                                 double measured, marched *march) {
    tess_halo_metrics halo;
    int n_loops = 0;
    double seconds[2];
    const tess_rank_steps one = {.one = march->steps.one};
    TRY(tess_yaml_fail_at(tess_rank_case_measure(of, n_ranks, &halo, &n_loops, seconds), c->yaml,
                          march->node));
    compared row = {.halo = &halo, .measured = measured, .has_two = march->steps.two > 0};
    row.from_one = tess_rank_forecast_make(&halo, n_loops, &one, c->network);
    if (row.has_two)
        row.from_two = tess_rank_forecast_make(&halo, n_loops, &march->steps, c->network);
    TRY(add_row(c, march, &row));
    if (n_ranks == 2) {
        march->two = halo;
        march->steps.two = measured;
        march->steps.two_halo = &march->two;
    }
    return TESS_OK;
}

/* What exchanges add to the step of two ranks, where that was measured. */
static tess_status read_exposed(const comparison *c, const tess_yaml_node *march, double *out) {
    const tess_yaml_node *exposed = tess_yaml_find(c->yaml, march, "exposed");
    const tess_yaml_node *two = exposed ? tess_yaml_find(c->yaml, exposed, "2") : NULL;
    return two ? read_seconds(c, two, "exposed", out) : TESS_OK;
}

/* Predicts each number of ranks of a march; `steps` has what each took, fewer ranks first. */
static tess_status compare_counts(comparison *c, const tess_rank_case *of, marched *march) {
    const tess_yaml_node *steps = tess_yaml_find(c->yaml, march->node, "steps");
    if (!steps)
        return tess_yaml_fail(c->yaml, march->node, "a march needs its 'steps'");
    TRY(read_seconds(c, tess_yaml_find(c->yaml, steps, "1"), "1", &march->steps.one));
    TRY(read_exposed(c, march->node, &march->steps.two_exposed));
    for (int i = 0; i < tess_yaml_pairs(steps); i++) {
        const tess_yaml_node *key = tess_yaml_key(c->yaml, steps, i);
        int64_t n_ranks = 0;
        double measured = 0;
        TRY(tess_yaml_fail_at(
            tess_argument_integer("steps", tess_yaml_text(key), 1, MOST_RANKS, &n_ranks), c->yaml,
            key));
        TRY(read_seconds(c, tess_yaml_value(c->yaml, steps, i), "steps", &measured));
        if (n_ranks > 1)
            TRY(compare_count(c, of, (int32_t)n_ranks, measured, march));
    }
    return TESS_OK;
}

/* What a march says of itself, but for its steps. */
static tess_status read_march(const comparison *c, const tess_yaml_node *node, tess_rank_case *of,
                              marched *out) {
    static const char *const keys[] = {"application", "mesh",  "halo",    "rank_partitioner",
                                       "chains",      "steps", "exposed", NULL};
    static const char *const modes[] = {TESS_HALO_NAMES, NULL};
    const tess_yaml_node *chains = tess_yaml_find(c->yaml, node, "chains");
    const char *halo = NULL;
    int mode = 0;
    TRY(tess_yaml_check_map(c->yaml, node, "a march", keys));
    TRY(read_word(c, node, "application", &out->application));
    TRY(read_word(c, node, "mesh", &out->mesh));
    TRY(read_word(c, node, "halo", &halo));
    TRY(read_word(c, node, "rank_partitioner", &of->partitioner));
    if (chains)
        TRY(read_word(c, node, "chains", &of->chains));
    out->chains = of->chains ? of->chains : "none";
    TRY(tess_yaml_fail_at(tess_argument_choice("halo", halo, modes, &mode), c->yaml, node));
    of->mode = (tess_halo_mode)mode;
    return tess_yaml_fail_at(tess_application_find(out->application, &of->application), c->yaml,
                             node);
}

static tess_status compare_march(comparison *c, const tess_yaml_node *node) {
    tess_status status = TESS_OK;
    tess_rank_case of = {.partitioner = NULL};
    tess_mesh *mesh = NULL;
    marched march = {.node = node};
    CHECK(read_march(c, node, &of, &march));
    CHECK(tess_yaml_fail_at(tess_mesh_open(march.mesh, &mesh), c->yaml, node));
    CHECK(tess_yaml_fail_at(tess_application_bind(of.application, mesh), c->yaml, node));
    of.mesh = mesh;
    CHECK(compare_counts(c, &of, &march));
done:
    tess_mesh_free(mesh);
    return status;
}

static tess_status compare_all(comparison *c) {
    static const char *const keys[] = {"about", "marches", NULL};
    const tess_yaml_node *root = tess_yaml_root(c->yaml), *marches = NULL;
    int n = 0;
    TRY(tess_yaml_check_map(c->yaml, root, "a file of marches", keys));
    TRY(tess_yaml_list(c->yaml, root, "marches", MOST_MARCHES, &marches, &n));
    for (int i = 0; i < n; i++)
        TRY(compare_march(c, tess_yaml_item(c->yaml, marches, i)));
    if (c->n_rows == 0)
        return tess_yaml_fail(c->yaml, root, "no march has steps on more than one rank");
    return TESS_OK;
}

/* The mean size of errors; null where no step is foretold as a number. */
static json_t *mean_json(const errors *all) {
    return all->n > 0 ? json_real(all->sum / all->n) : json_null();
}

static tess_status print_json(const comparison *c) {
    json_t *all = json_pack("{s:s, s:o, s:i, s:i, s:O}", "schema", "tess.ranks_against/1",
                            "mean_error", mean_json(&c->one), "bounded", c->one.n_bounded, "within",
                            c->one.n_within, "rows", c->rows);
    if (c->two.n + c->two.n_bounded > 0)
        json_object_update_new(all,
                               json_pack("{s:o, s:i, s:i}", "mean_error_from_two",
                                         mean_json(&c->two), "bounded_from_two", c->two.n_bounded,
                                         "within_from_two", c->two.n_within));
    return tess_json_print(all);
}

static void print_errors(const char *from, const errors *all) {
    if (all->n + all->n_bounded == 0)
        return;
    printf("from %s:", from);
    if (all->n > 0)
        printf(" %.1f %% off in the mean of %d", 100 * all->sum / all->n, all->n);
    if (all->n_bounded > 0)
        printf("%s %d of %d within bounds: the core may not hide an exchange",
               all->n > 0 ? ";" : "", all->n_within, all->n_bounded);
    printf("\n");
}

static tess_status print_table(const comparison *c) {
    TRY(tess_table_print(c->table, stdout));
    print_errors("one rank", &c->one);
    print_errors("one and two", &c->two);
    return TESS_OK;
}

tess_status tess_ranks_against(const char *path, const tess_rank_network *network, bool json) {
    static const char *const titles[] = {
        "application", "chains",   "mesh",          ">ms on 1",       ">ranks", ">measured ms",
        ">from 1 ms",  ">error %", ">from 1, 2 ms", ">error of it %", NULL};
    tess_status status = TESS_OK;
    comparison c = {.rows = json_array(), .network = network};
    CHECK(strcmp(path, "h200") == 0 ? tess_yaml_read_text("h200", tess_h200_ranks_text, &c.yaml)
                                    : tess_yaml_read(path, &c.yaml));
    CHECK(tess_table_new(titles, &c.table));
    CHECK(compare_all(&c));
    CHECK(json ? print_json(&c) : print_table(&c));
done:
    json_decref(c.rows);
    tess_table_free(c.table);
    tess_yaml_free(c.yaml);
    return status;
}
