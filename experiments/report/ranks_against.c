/* Marches that were measured, against what is predicted of them from one rank, and from two. */
#include "experiments/report/ranks_against.h"

#include "core/base/argument.h"
#include "core/base/embed_file.h"
#include "core/base/yaml_file.h"
#include "data/mesh_open.h"
#include "experiments/report/json_print.h"
#include "experiments/report/table.h"
#include "kernels/applications/applications.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

TESS_EMBED_FILE(tess_h200_ranks_text, TESS_RESULTS_DIR "/h200_ranks.yaml");

enum { MOST_RANKS = 1 << 20 };

/* The file, and what is made of it row by row. */
typedef struct comparison {
    tess_yaml *yaml;
    const tess_rank_network *network;
    tess_table *table;
    json_t *rows;
    double error, two_error; /* sums of the sizes of all */
    int n_rows, n_two;
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
    const char *application, *mesh, *chains;
    tess_rank_steps steps;
    tess_halo_metrics two;
} marched;

/* One number of its ranks; predicted from one rank, and from one and two, NaN where two are not
 * measured or are what is predicted. */
typedef struct compared {
    const tess_halo_metrics *halo;
    double measured, predicted, from_two; /* s a step */
} compared;

static tess_status add_row(comparison *c, const marched *march, const compared *of) {
    const double error = of->predicted / of->measured - 1,
                 two_error = of->from_two / of->measured - 1;
    const bool has_two = !isnan(of->from_two);
    const double values[] = {1e3 * march->steps.one, of->halo->n_ranks, 1e3 * of->measured,
                             1e3 * of->predicted,    100 * error,       1e3 * of->from_two,
                             100 * two_error};
    const int n = (int)(sizeof values / sizeof *values) - (has_two ? 0 : 2);
    TRY(tess_table_add_row(c->table));
    TRY(tess_table_add_cell(c->table, "%s", march->application));
    TRY(tess_table_add_cell(c->table, "%s", march->chains));
    TRY(tess_table_add_cell(c->table, "%s", march->mesh));
    for (int i = 0; i < n; i++)
        TRY(tess_table_add_cell(c->table, i == 4 || i == 6 ? "%+.1f" : "%.4g", values[i]));
    json_t *row = json_pack("{s:s, s:s, s:s, s:i, s:f, s:f, s:f, s:f}", "application",
                            march->application, "chains", march->chains, "mesh", march->mesh,
                            "ranks", (int)of->halo->n_ranks, "one_rank", march->steps.one,
                            "measured", of->measured, "predicted", of->predicted, "error", error);
    if (has_two)
        json_object_update_new(row, json_pack("{s:f, s:f}", "predicted_from_two", of->from_two,
                                              "error_from_two", two_error));
    json_array_append_new(c->rows, row);
    c->error += fabs(error);
    c->n_rows++;
    c->two_error += has_two ? fabs(two_error) : 0;
    c->n_two += has_two;
    return TESS_OK;
}

/* Predicts one number of ranks, which took as long as measured. */
static tess_status compare_count(comparison *c, const tess_rank_case *of, int32_t n_ranks,
                                 double measured, marched *march) {
    tess_halo_metrics halo;
    int n_loops = 0;
    double seconds[2];
    const tess_rank_steps one = {.one = march->steps.one};
    TRY(tess_rank_case_measure(of, n_ranks, &halo, &n_loops, seconds));
    compared row = {.halo = &halo, .measured = measured, .from_two = NAN};
    row.predicted = tess_rank_forecast_make(&halo, n_loops, &one, c->network).step;
    if (march->steps.two > 0)
        row.from_two = tess_rank_forecast_make(&halo, n_loops, &march->steps, c->network).step;
    TRY(add_row(c, march, &row));
    if (n_ranks == 2) {
        march->two = halo;
        march->steps.two = measured;
        march->steps.two_halo = &march->two;
    }
    return TESS_OK;
}

/* Predicts each number of ranks of a march; `steps` has what each took, fewer ranks first. */
static tess_status compare_counts(comparison *c, const tess_rank_case *of,
                                  const tess_yaml_node *steps, marched *march) {
    TRY(read_seconds(c, tess_yaml_find(c->yaml, steps, "1"), "1", &march->steps.one));
    for (int i = 0; i < tess_yaml_pairs(steps); i++) {
        const tess_yaml_node *key = tess_yaml_key(c->yaml, steps, i);
        int64_t n_ranks = 0;
        double measured = 0;
        if (tess_argument_integer("steps", tess_yaml_text(key), 1, MOST_RANKS, &n_ranks) != TESS_OK)
            return tess_yaml_fail_with_message(c->yaml, key);
        TRY(read_seconds(c, tess_yaml_value(c->yaml, steps, i), "steps", &measured));
        if (n_ranks > 1)
            TRY(compare_count(c, of, (int32_t)n_ranks, measured, march));
    }
    return TESS_OK;
}

/* What a march says of itself, but for its steps. */
static tess_status read_march(const comparison *c, const tess_yaml_node *node, tess_rank_case *of,
                              marched *out) {
    static const char *const keys[] = {"application", "mesh",  "halo", "rank_partitioner",
                                       "chains",      "steps", NULL};
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
    if (tess_argument_choice("halo", halo, modes, &mode) != TESS_OK ||
        tess_application_find(out->application, &of->application) != TESS_OK)
        return tess_yaml_fail_with_message(c->yaml, node);
    of->mode = (tess_halo_mode)mode;
    return TESS_OK;
}

static tess_status compare_march(comparison *c, const tess_yaml_node *node) {
    tess_status status = TESS_OK;
    tess_rank_case of = {.partitioner = NULL};
    tess_mesh *mesh = NULL;
    marched march = {.steps = {.two = 0}};
    CHECK(read_march(c, node, &of, &march));
    CHECK(tess_mesh_open(march.mesh, &mesh));
    CHECK(tess_application_bind(of.application, mesh));
    of.mesh = mesh;
    CHECK(compare_counts(c, &of, tess_yaml_find(c->yaml, node, "steps"), &march));
done:
    tess_mesh_free(mesh);
    return status;
}

static tess_status compare_all(comparison *c) {
    static const char *const keys[] = {"about", "marches", NULL};
    const tess_yaml_node *root = tess_yaml_root(c->yaml);
    TRY(tess_yaml_check_map(c->yaml, root, "a file of marches", keys));
    const tess_yaml_node *marches = tess_yaml_find(c->yaml, root, "marches");
    for (int i = 0; i < tess_yaml_count(marches); i++)
        TRY(compare_march(c, tess_yaml_item(c->yaml, marches, i)));
    if (c->n_rows == 0)
        return tess_yaml_fail(c->yaml, root, "no march has steps on more than one rank");
    return TESS_OK;
}

static tess_status print_json(const comparison *c) {
    json_t *all = json_pack("{s:s, s:f, s:O}", "schema", "tess.ranks_against/1", "mean_error",
                            c->error / c->n_rows, "rows", c->rows);
    if (c->n_two > 0)
        json_object_set_new(all, "mean_error_from_two", json_real(c->two_error / c->n_two));
    return tess_json_print(all);
}

static tess_status print_table(const comparison *c) {
    TRY(tess_table_print(c->table, stdout));
    printf("the prediction from one rank is %.1f %% off in the mean", 100 * c->error / c->n_rows);
    if (c->n_two > 0)
        printf(", that from one and two %.1f %%", 100 * c->two_error / c->n_two);
    printf("\n");
    return TESS_OK;
}

tess_status tess_ranks_against(const char *path, const tess_rank_network *network, bool json) {
    static const char *const titles[] = {"application",  "chains",       "mesh",      "ms on 1",
                                         "ranks",        "measured ms",  "from 1 ms", "error %",
                                         "from 1, 2 ms", "error of it %"};
    tess_status status = TESS_OK;
    comparison c = {.rows = json_array(), .network = network};
    CHECK(strcmp(path, "h200") == 0 ? tess_yaml_read_text("h200", tess_h200_ranks_text, &c.yaml)
                                    : tess_yaml_read(path, &c.yaml));
    CHECK(tess_table_new(&c.table));
    for (int i = 0; i < (int)(sizeof titles / sizeof *titles); i++)
        CHECK(
            tess_table_add_column(c.table, titles[i], i < 3 ? TESS_ALIGN_LEFT : TESS_ALIGN_RIGHT));
    CHECK(compare_all(&c));
    CHECK(json ? print_json(&c) : print_table(&c));
done:
    json_decref(c.rows);
    tess_table_free(c.table);
    tess_yaml_free(c.yaml);
    return status;
}
