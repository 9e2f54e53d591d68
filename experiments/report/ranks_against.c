/* Marches that were measured, against what is predicted of them from one rank. */
#include "experiments/report/ranks_against.h"

#include "core/base/argument.h"
#include "core/base/embed_file.h"
#include "core/base/json.h"
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
    tess_rank_network network;
    tess_table *table;
    json_t *rows;
    double error; /* sum of the sizes of all */
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

static tess_status read_network(comparison *c, const tess_yaml_node *root) {
    const struct {
        const char *name;
        double *at;
    } numbers[] = {
        {"alpha", &c->network.alpha}, {"beta", &c->network.beta}, {"launch", &c->network.launch}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        TRY(read_seconds(c, tess_yaml_find(c->yaml, root, numbers[i].name), numbers[i].name,
                         numbers[i].at));
    return TESS_OK;
}

/* One number of ranks of a march. */
typedef struct marched {
    const char *application, *mesh;
    double one_rank, measured; /* s a step */
} marched;

static tess_status add_row(comparison *c, const marched *march, const tess_halo_metrics *halo,
                           double predicted) {
    const double error = predicted / march->measured - 1;
    const double values[] = {1e3 * march->one_rank, halo->n_ranks, 1e3 * march->measured,
                             1e3 * predicted, 100 * error};
    TRY(tess_table_add_row(c->table));
    TRY(tess_table_add_cell(c->table, "%s", march->application));
    TRY(tess_table_add_cell(c->table, "%s", march->mesh));
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        TRY(tess_table_add_cell(c->table, i == 4 ? "%+.1f" : "%.4g", values[i]));
    json_array_append_new(c->rows,
                          json_pack("{s:s, s:s, s:i, s:f, s:f, s:f, s:f}", "application",
                                    march->application, "mesh", march->mesh, "ranks",
                                    (int)halo->n_ranks, "one_rank", march->one_rank, "measured",
                                    march->measured, "predicted", predicted, "error", error));
    c->error += fabs(error);
    c->n_rows++;
    return TESS_OK;
}

/* Predicts each number of ranks of a march; `steps` has what each took. */
static tess_status compare_counts(comparison *c, const tess_rank_case *of,
                                  const tess_yaml_node *steps, marched *march) {
    TRY(read_seconds(c, tess_yaml_find(c->yaml, steps, "1"), "1", &march->one_rank));
    for (int i = 0; i < tess_yaml_pairs(steps); i++) {
        const tess_yaml_node *key = tess_yaml_key(c->yaml, steps, i);
        tess_halo_metrics halo;
        int64_t n_ranks = 0;
        int n_loops = 0;
        double seconds[2];
        if (tess_argument_integer("steps", tess_yaml_text(key), 1, MOST_RANKS, &n_ranks) != TESS_OK)
            return tess_yaml_fail_with_message(c->yaml, key);
        TRY(read_seconds(c, tess_yaml_value(c->yaml, steps, i), "steps", &march->measured));
        if (n_ranks == 1)
            continue;
        TRY(tess_rank_case_measure(of, (int32_t)n_ranks, &halo, &n_loops, seconds));
        TRY(add_row(c, march, &halo,
                    tess_rank_forecast_make(&halo, n_loops, march->one_rank, &c->network).step));
    }
    return TESS_OK;
}

static tess_status compare_march(comparison *c, const tess_yaml_node *node) {
    static const char *const keys[] = {"application",      "mesh",  "halo",
                                       "rank_partitioner", "steps", NULL};
    tess_status status = TESS_OK;
    tess_rank_case of = {.partitioner = NULL};
    tess_mesh *mesh = NULL;
    marched march;
    static const char *const modes[] = {TESS_HALO_NAMES, NULL};
    const char *halo = NULL;
    int mode = 0;
    CHECK(tess_yaml_check_map(c->yaml, node, "a march", keys));
    CHECK(read_word(c, node, "application", &march.application));
    CHECK(read_word(c, node, "mesh", &march.mesh));
    CHECK(read_word(c, node, "halo", &halo));
    CHECK(read_word(c, node, "rank_partitioner", &of.partitioner));
    if (tess_argument_choice("halo", halo, modes, &mode) != TESS_OK ||
        tess_application_find(march.application, &of.application) != TESS_OK)
        CHECK(tess_yaml_fail_with_message(c->yaml, node));
    CHECK(tess_mesh_open(march.mesh, &mesh));
    CHECK(tess_application_bind(of.application, mesh));
    of.mesh = mesh;
    of.mode = (tess_halo_mode)mode;
    CHECK(compare_counts(c, &of, tess_yaml_find(c->yaml, node, "steps"), &march));
done:
    tess_mesh_free(mesh);
    return status;
}

static tess_status compare_all(comparison *c) {
    static const char *const keys[] = {"about", "alpha", "beta", "launch", "marches", NULL};
    const tess_yaml_node *root = tess_yaml_root(c->yaml);
    TRY(tess_yaml_check_map(c->yaml, root, "a file of marches", keys));
    TRY(read_network(c, root));
    const tess_yaml_node *marches = tess_yaml_find(c->yaml, root, "marches");
    for (int i = 0; i < tess_yaml_count(marches); i++)
        TRY(compare_march(c, tess_yaml_item(c->yaml, marches, i)));
    if (c->n_rows == 0)
        return tess_yaml_fail(c->yaml, root, "no march has steps on more than one rank");
    return TESS_OK;
}

tess_status tess_ranks_against(const char *path, bool json) {
    static const char *const titles[] = {"application", "mesh",         "ms on 1", "ranks",
                                         "measured ms", "predicted ms", "error %"};
    tess_status status = TESS_OK;
    comparison c = {.rows = json_array()};
    CHECK(strcmp(path, "h200") == 0 ? tess_yaml_read_text("h200", tess_h200_ranks_text, &c.yaml)
                                    : tess_yaml_read(path, &c.yaml));
    CHECK(tess_table_new(&c.table));
    for (int i = 0; i < (int)(sizeof titles / sizeof *titles); i++)
        CHECK(
            tess_table_add_column(c.table, titles[i], i < 2 ? TESS_ALIGN_LEFT : TESS_ALIGN_RIGHT));
    CHECK(compare_all(&c));
    if (json)
        CHECK(tess_json_print(json_pack("{s:s, s:f, s:O}", "schema", "tess.ranks_against/1",
                                        "mean_error", c.error / c.n_rows, "rows", c.rows)));
    else {
        CHECK(tess_table_print(c.table, stdout));
        printf("the prediction is %.1f %% off in the mean\n", 100 * c.error / c.n_rows);
    }
done:
    json_decref(c.rows);
    tess_table_free(c.table);
    tess_yaml_free(c.yaml);
    return status;
}
