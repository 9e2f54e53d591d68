/* Timed points: runs of a GPU with their times and features. */
#include "experiments/model/timed_points.h"

#include "core/base/array.h"
#include "core/base/input_file.h"
#include "core/base/json.h"
#include "core/base/whole_file.h"
#include "experiments/archive/run_query.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- features as JSON ------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t offset;
} members[] = {
    {"reads", offsetof(tess_features, traffic.reads)},
    {"block_reads", offsetof(tess_features, traffic.block_reads)},
    {"writes", offsetof(tess_features, traffic.writes)},
    {"lines", offsetof(tess_features, traffic.lines)},
    {"passes", offsetof(tess_features, traffic.passes)},
    {"missed", offsetof(tess_features, traffic.missed)},
    {"values", offsetof(tess_features, traffic.values)},
    {"memory_reads", offsetof(tess_features, traffic.memory_reads)},
    {"memory_writes", offsetof(tess_features, traffic.memory_writes)},
    {"instructions", offsetof(tess_features, traffic.instructions)},
    {"moved_bytes", offsetof(tess_features, moved_bytes)},
    {"flops", offsetof(tess_features, flops)},
    {"wavefronts", offsetof(tess_features, wavefronts)},
    {"barriers", offsetof(tess_features, barriers)},
    {"blocks", offsetof(tess_features, blocks)},
    {"turns", offsetof(tess_features, turns)},
    {"launches", offsetof(tess_features, launches)},
    {"threads", offsetof(tess_features, threads)},
    {"shared_bytes", offsetof(tess_features, shared_bytes)},
    {"registers", offsetof(tess_features, registers)},
};

enum { N_MEMBERS = sizeof members / sizeof *members };

json_t *tess_features_json(const tess_features *features) {
    json_t *object = json_object();
    for (int i = 0; i < N_MEMBERS; i++)
        json_object_set_new(
            object, members[i].name,
            tess_json_number(*(const double *)((const char *)features + members[i].offset)));
    json_object_set_new(object, "shared_atomics", json_boolean(features->shared_atomics));
    return object;
}

/* Fails (INPUT) by the name of what is missing. */
static tess_status features_read(const json_t *json, tess_features *out) {
    *out = (tess_features){.blocks = 0};
    for (int i = 0; i < N_MEMBERS; i++) {
        const json_t *value = json_object_get(json, members[i].name);
        if (!json_is_number(value))
            FAIL(TESS_ERROR_INPUT,
                 "its features lack the number '%s': take 'features' out of the point, and "
                 "'tess predict --features FILE --into FILE' counts them again",
                 members[i].name);
        *(double *)((char *)out + members[i].offset) = json_number_value(value);
    }
    out->shared_atomics = json_is_true(json_object_get(json, "shared_atomics"));
    return TESS_OK;
}

/* --- rows ------------------------------------------------------------------------------------- */

static tess_status rows_of_lab(const char *folder, json_t **out) {
    tess_query *query = NULL;
    TRY(tess_query_open(folder, &query));
    *out = json_array();
    for (int64_t i = 0; i < query->n_rows; i++)
        json_array_append_new(*out, tess_query_json(query, query->rows[i]));
    tess_query_close(query);
    return TESS_OK;
}

static tess_status rows_of_file(const char *path, json_t **out) {
    json_error_t error;
    FILE *stream = NULL;
    TRY(tess_input_open_stream(path, &stream));
    json_t *file = json_loadf(stream, 0, &error);
    fclose(stream);
    if (!file)
        FAIL(TESS_ERROR_INPUT,
             "%s:%d:%d: %s: the file is no whole JSON; 'tess predict --features LAB --into FILE' "
             "writes it again",
             path, error.line, error.column, error.text);
    json_t *rows = json_object_get(file, "runs");
    if (json_is_array(rows))
        *out = json_incref(rows);
    json_decref(file);
    if (!*out)
        FAIL(TESS_ERROR_INPUT,
             "%s: has no array 'runs', as 'tess runs --json' and 'tess predict --features' write "
             "it",
             path);
    return TESS_OK;
}

/* The value of a setting in a row, as text: "" where it has none. */
static const char *setting_of(const json_t *row, tess_field field, char number[32]) {
    const char *key = field == TESS_FIELD_layout ? "layouts" : tess_field_recorded(field);
    const json_t *value = key ? json_object_get(row, key) : NULL;
    if (json_is_string(value))
        return json_string_value(value);
    if (!json_is_number(value) || (field == TESS_FIELD_threads && json_number_value(value) == 0))
        return "";
    snprintf(number, 32, "%.15g", json_number_value(value));
    return number;
}

/* Sets a setting as a record has it. */
static tess_status set_recorded(tess_experiment *x, tess_field field, const char *text) {
    char *restored = NULL;
    if (field != TESS_FIELD_strategy)
        return tess_experiment_set(x, field, text);
    TRY(tess_strategy_restore(text, &restored));
    const tess_status status = tess_experiment_set(x, field, restored);
    free(restored);
    return status;
}

/* The experiment of a row; fails where it is not one of this program's. */
static tess_status experiment_of(const json_t *row, tess_experiment *out) {
    TRY(tess_experiment_init(TESS_RUNNING, out));
    for (tess_field field = 0; field < TESS_N_FIELDS; field++) {
        char number[32];
        const char *text = setting_of(row, field, number);
        if (*text && tess_field_is_of(field, TESS_RUNNING) && field != TESS_FIELD_device)
            TRY(set_recorded(out, field, text));
    }
    if (tess_experiment_runs_code(out))
        FAIL(TESS_ERROR_USAGE, "what a lab says is not executed");
    TRY(tess_experiment_set(out, TESS_FIELD_device, "emulator"));
    return tess_experiment_check_whole(out);
}

static bool is_timed(const json_t *row) {
    return json_number_value(json_object_get(row, "median_time")) > 0 &&
           strncmp(tess_json_text_at(row, "device"), "cuda", 4) == 0 &&
           strcmp(tess_json_text_at(row, "outcome"), "passed") == 0;
}

/* Whether a mesh's elements were numbered at random, and not in an order since. */
static bool is_shuffled(const char *mesh) {
    const char *seed = strstr(mesh, "shuffle="), *order = strstr(mesh, "order=");
    return seed && seed[strlen("shuffle=")] != '-' &&
           (!order || strncmp(order, "order=none", strlen("order=none")) == 0);
}

static tess_fit_point point_of(const json_t *row, const tess_experiment *x) {
    const char *order = x->partitioner.plugin->name;
    return (tess_fit_point){.seconds = json_number_value(json_object_get(row, "median_time")),
                            .mesh = x->mesh,
                            .application = x->application,
                            .strategy = x->strategy.text,
                            .layout = x->layout.text,
                            .base = x->strategy.plugin->name,
                            .order = order,
                            .block_size = (int)x->block_size,
                            .is_random =
                                strcmp(order, "random") == 0 ||
                                (is_shuffled(x->mesh) && strcmp(order, "file-order") == 0)};
}

/* --- features --------------------------------------------------------------------------------- */

/* Where an experiment comes when features are counted: those on one plan one after another. */
typedef struct turn {
    char *key;
    int point;
} turn;

static int compare_turns(const void *a, const void *b) {
    const turn *x = a, *y = b;
    const int order = strcmp(x->key, y->key);
    return order ? order : x->point - y->point;
}

static tess_status turns_of(const tess_timed_points *all, turn *turns) {
    for (int i = 0; i < all->n; i++) {
        char *mesh = NULL, *plan = NULL;
        TRY(tess_experiment_key(&all->experiments[i], TESS_DECIDES_MESH, TESS_DECIDES_MESH, &mesh));
        const tess_status status = tess_shared_plans_key(&all->experiments[i], &plan);
        if (status == TESS_OK && asprintf(&turns[i].key, "%s%s", mesh, plan) < 0)
            turns[i].key = NULL;
        free(mesh);
        free(plan);
        TRY(status);
        turns[i].point = i;
    }
    return TESS_OK;
}

/* Takes what was counted of a point, and keeps it in its row, too; NaN: there is no model of it. */
static void take_features(tess_timed_points *all, int point, const tess_prediction *one) {
    if (one->failure) {
        all->points[point].seconds = NAN;
        return;
    }
    all->points[point].features = one->features;
    json_object_set_new(all->row_of[point], "features",
                        tess_features_json(&all->points[point].features));
}

/* Which of all rows, from 0, a point is made of. */
static size_t place_of(const tess_timed_points *all, int point) {
    size_t place = 0;
    while (json_array_get(all->rows, place) != all->row_of[point])
        place++;
    return place;
}

/* Reads the features of the points [n] that have some; lists the turns of the others. */
static tess_status list_uncounted(tess_timed_points *all, const turn *turns, turn *uncounted,
                                  int *n) {
    *n = 0;
    for (int i = 0; i < all->n; i++) {
        const int point = turns[i].point;
        const json_t *there = json_object_get(all->row_of[point], "features");
        if (there)
            TRY(tess_fail_at(features_read(there, &all->points[point].features), "runs[%zu]",
                             place_of(all, point)));
        else
            uncounted[(*n)++] = turns[i];
    }
    return TESS_OK;
}

/* Points [first, end) of the turns have one mesh. */
static int end_of_mesh(const tess_timed_points *all, const turn *turns, int first, int n) {
    int end = first;
    while (end < n && strcmp(all->experiments[turns[end].point].mesh,
                             all->experiments[turns[first].point].mesh) == 0)
        end++;
    return end;
}

/* Counts the features of the points of these turns [n], mesh after mesh. */
static tess_status count_turns(const tess_predictor *predictor, tess_timed_points *all,
                               const turn *turns, int n, tess_points_progress progress) {
    tess_status status = TESS_OK;
    tess_bench bench = {.opened = NULL};
    tess_prediction *predictions = NULL;
    CHECK(TESS_ZEROS(n, &predictions));
    for (int i = 0; i < n; i++)
        predictions[i] = (tess_prediction){.experiment = &all->experiments[turns[i].point],
                                           .registers = (int)json_number_value(json_object_get(
                                               all->row_of[turns[i].point], "registers"))};
    for (int first = 0, end = 0; first < n; first = end) {
        end = end_of_mesh(all, turns, first, n);
        if (progress)
            progress(first, n);
        CHECK(tess_predictions_make(predictor, &bench, predictions + first, end - first));
        for (int i = first; i < end; i++)
            take_features(all, turns[i].point, &predictions[i]);
    }
    if (progress)
        progress(n, n);
done:
    tess_predictions_clear(predictions, predictions ? n : 0);
    free(predictions);
    tess_bench_close(&bench);
    return status;
}

static tess_status count_features(tess_timed_points *all, const tess_predictor *predictor,
                                  tess_points_progress progress) {
    tess_status status = TESS_OK;
    turn *turns = NULL, *uncounted = NULL;
    int n = 0;
    CHECK(TESS_ZEROS(all->n, &turns));
    CHECK(TESS_ZEROS(all->n, &uncounted));
    CHECK(turns_of(all, turns));
    qsort(turns, (size_t)all->n, sizeof *turns, compare_turns);
    CHECK(list_uncounted(all, turns, uncounted, &n));
    CHECK(count_turns(predictor, all, uncounted, n, progress));
done:
    for (int i = 0; turns && i < all->n; i++)
        free(turns[i].key);
    free(turns);
    free(uncounted);
    return status;
}

/* Takes out the points that have no model. */
static void drop_failed(tess_timed_points *all) {
    int n = 0;
    for (int i = 0; i < all->n; i++) {
        if (isnan(all->points[i].seconds)) {
            tess_experiment_clear(&all->experiments[i]);
            continue;
        }
        all->experiments[n] = all->experiments[i];
        all->row_of[n] = all->row_of[i];
        all->points[n++] = all->points[i];
    }
    all->n_left_out += all->n - n;
    all->n = n;
}

/* --- all of it -------------------------------------------------------------------------------- */

/* Fails (INPUT) for a run of another GPU than the machine is. */
static tess_status check_gpu(const json_t *row, const tess_machine *machine) {
    const char *gpu = tess_json_text_at(row, "gpu");
    if (*gpu && machine && *machine->device && strcmp(gpu, machine->device) != 0)
        FAIL(TESS_ERROR_INPUT,
             "run %s is of the GPU '%s', and machine %s is '%s': a fit is of one GPU, whose "
             "numbers --machine FILE has ('tess machine measure' writes them); other runs are to "
             "be in a lab of their own",
             tess_json_text_at(row, "run"), gpu, machine->name, machine->device);
    return TESS_OK;
}

static tess_status list_points(tess_timed_points *all, const tess_machine *machine) {
    const size_t n = json_array_size(all->rows);
    TRY(TESS_ZEROS((int64_t)n, &all->experiments));
    TRY(TESS_ZEROS((int64_t)n, &all->points));
    TRY(TESS_ZEROS((int64_t)n, &all->row_of));
    for (size_t i = 0; i < n; i++) {
        json_t *row = json_array_get(all->rows, i);
        tess_experiment *x = &all->experiments[all->n];
        if (!is_timed(row) || experiment_of(row, x) != TESS_OK) {
            tess_experiment_clear(x);
            all->n_left_out++;
            continue;
        }
        TRY(check_gpu(row, machine));
        all->points[all->n] = point_of(row, x);
        all->row_of[all->n++] = row;
    }
    return TESS_OK;
}

tess_status tess_timed_points_read(const char *path, const tess_predictor *predictor,
                                   tess_points_progress progress, tess_timed_points *out) {
    tess_status status = TESS_OK;
    tess_timed_points all = {.n = 0};
    struct stat about;
    if (stat(path, &about) != 0)
        FAIL(TESS_ERROR_INPUT, "there is no lab or file '%s'", path);
    CHECK(S_ISDIR(about.st_mode) ? rows_of_lab(path, &all.rows) : rows_of_file(path, &all.rows));
    CHECK(tess_fail_at(list_points(&all, predictor->machine), "%s", path));
    CHECK(tess_fail_at(count_features(&all, predictor, progress), "%s", path));
    drop_failed(&all);
    if (all.n == 0)
        CHECK(tess_fail(TESS_ERROR_INPUT,
                        "%s has no run that passed and was timed on a GPU with a strategy that "
                        "there is a model of (of %d runs)",
                        path, all.n_left_out));
    *out = all;
    all = (tess_timed_points){.n = 0};
done:
    tess_timed_points_clear(&all);
    return status;
}

void tess_timed_points_clear(tess_timed_points *all) {
    for (int i = 0; i < all->n; i++)
        tess_experiment_clear(&all->experiments[i]);
    free(all->experiments);
    free(all->points);
    free(all->row_of);
    json_decref(all->rows);
    *all = (tess_timed_points){.n = 0};
}

tess_status tess_timed_points_write(const tess_timed_points *all, const char *path) {
    static const char *const keys[] = {"mesh",        "application", "loop",       "precision",
                                       "strategy",    "layouts",     "block_size", "partitioner",
                                       "renumber",    "threads",     "device",     "outcome",
                                       "median_time", "gpu",         "features"};
    json_t *rows = json_array();
    for (int i = 0; i < all->n; i++) {
        json_t *row = json_object();
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            if (json_object_get(all->row_of[i], keys[k]))
                json_object_set(row, keys[k], json_object_get(all->row_of[i], keys[k]));
        json_array_append_new(rows, row);
    }
    json_t *file = json_pack("{s:s, s:o}", "schema", "tess.points/1", "runs", rows);
    char *text = file ? json_dumps(file, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(file);
    if (!text)
        FAIL(TESS_ERROR_MEMORY, "out of memory for %s", path);
    const tess_status status = tess_whole_file_write(path, text, strlen(text));
    free(text);
    return status;
}
