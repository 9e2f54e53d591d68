/* A report of a sweep: how many of its points are done, and what became of the others. */
#include "experiments/cli/sweep_report.h"

#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/shell_word.h"
#include "experiments/cli/command.h"
#include "experiments/cli/table.h"
#include <stdlib.h>
#include <string.h>

int64_t tess_sweep_count(const tess_sweep_work *work, tess_sweep_state state) {
    int64_t n = 0;
    for (int64_t i = 0; i < work->points->n; i++)
        n += work->results[i].state == state;
    return n;
}

int64_t tess_sweep_unknown_skips(const tess_sweep_work *work) {
    int64_t n = 0;
    for (int64_t i = 0; i < work->points->n; i++)
        n += work->results[i].state == TESS_POINT_SKIPPED && !work->points->items[i].known_skip;
    return n;
}

tess_status tess_sweep_report_print(const tess_sweep_work *work, FILE *stream) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    CHECK(tess_table_new(&table));
    CHECK(tess_table_add_column(table, "sweep", TESS_ALIGN_LEFT));
    CHECK(tess_table_add_column(table, "points", TESS_ALIGN_RIGHT));
    for (int state = 0; state < TESS_POINT_STATES; state++)
        CHECK(tess_table_add_column(table, tess_sweep_state_name((tess_sweep_state)state),
                                    TESS_ALIGN_RIGHT));
    CHECK(tess_table_add_row(table));
    CHECK(tess_table_add_cell(table, "%s%s%s", work->recipe->name, work->recipe->subset ? "/" : "",
                              work->recipe->subset ? work->recipe->subset : ""));
    CHECK(tess_table_add_cell(table, "%lld", (long long)work->points->n));
    for (int state = 0; state < TESS_POINT_STATES; state++)
        CHECK(tess_table_add_cell(table, "%lld",
                                  (long long)tess_sweep_count(work, (tess_sweep_state)state)));
    status = tess_table_print(table, stream);
done:
    tess_table_free(table);
    return status;
}

/* What a reason is about: "airfoil on a.su2, atomics" or "edges:cells on a.su2, metis". */
static void print_place(const tess_sweep_point *point, char place[static 512]) {
    const char *const *value = point->value;
    const bool runs = point->kind == TESS_SWEEP_RUNS;
    snprintf(place, 512, "%s on %s, %s", value[runs ? TESS_AXIS_APPLICATION : TESS_AXIS_MAP],
             value[TESS_AXIS_MESH], value[runs ? TESS_AXIS_STRATEGY : TESS_AXIS_PARTITIONER]);
}

static bool same_reason(const tess_sweep_work *work, int64_t a, int64_t b) {
    char here[512], there[512];
    if (work->results[a].state != work->results[b].state ||
        work->points->items[a].known_skip != work->points->items[b].known_skip ||
        strcmp(work->results[a].words, work->results[b].words) != 0)
        return false;
    print_place(&work->points->items[a], here);
    print_place(&work->points->items[b], there);
    return strcmp(here, there) == 0;
}

tess_status tess_sweep_reasons_print(const tess_sweep_work *work, FILE *stream) {
    int64_t n_reasons = 0, capacity = 0;
    struct reason {
        int64_t first, n;
    } *reasons = NULL;
    for (int64_t i = 0; i < work->points->n; i++) {
        int64_t r = 0;
        if (!work->results[i].words)
            continue;
        while (r < n_reasons && !same_reason(work, reasons[r].first, i))
            r++;
        if (r == n_reasons) {
            TRY(TESS_RESERVE(n_reasons + 1, &capacity, &reasons));
            reasons[n_reasons++] = (struct reason){.first = i};
        }
        reasons[r].n++;
    }
    for (int64_t r = 0; r < n_reasons; r++) {
        char place[512];
        const tess_sweep_result *result = &work->results[reasons[r].first];
        const bool skipped = result->state == TESS_POINT_SKIPPED;
        print_place(&work->points->items[reasons[r].first], place);
        fprintf(stream, "tess: %s%s: %s: %lld point%s: %s\n", tess_sweep_state_name(result->state),
                skipped && work->points->items[reasons[r].first].known_skip ? " as known" : "",
                place, (long long)reasons[r].n, reasons[r].n == 1 ? "" : "s", result->words);
    }
    free(reasons);
    return TESS_OK;
}

tess_status tess_sweep_commands_print(const tess_sweep_work *work, FILE *stream) {
    for (int64_t i = 0; i < work->points->n; i++) {
        const tess_sweep_point *point = &work->points->items[i];
        tess_sweep_line line;
        char *mesh = NULL;
        if (work->results[i].state != TESS_POINT_LEFT)
            continue;
        const tess_status found = tess_sweep_mesh(work->recipe, point, &mesh);
        if (found != TESS_ERROR_MISSING) /* a file that is elsewhere goes by its name */
            TRY(found);
        const tess_status status =
            tess_sweep_line_make(point->kind, point->value,
                                 mesh ? mesh : point->value[TESS_AXIS_MESH], work->view, &line);
        free(mesh);
        for (int w = 0; status == TESS_OK && w < line.argc; w++) {
            fputs(w ? " " : "", stream);
            w ? tess_shell_word_print(line.argv[w], stream) : (void)fputs(line.argv[w], stream);
        }
        fputc('\n', stream);
        tess_sweep_line_clear(&line);
        TRY(status);
    }
    return TESS_OK;
}

static json_t *json_of_point(const tess_sweep_point *point, const tess_sweep_result *result) {
    json_t *object = json_pack("{s:s, s:s}", "point", point->digest, "state",
                               tess_sweep_state_name(result->state));
    if (!object)
        return NULL;
    for (int axis = 0; axis < TESS_AXES; axis++) {
        const char *text = point->value[axis];
        const tess_sweep_axis *about = &tess_sweep_axes[axis];
        if (text && *text)
            json_object_set_new(object, about->name,
                                about->is_number ? tess_json_number(strtod(text, NULL))
                                                 : tess_json_text(text));
    }
    if (result->words)
        json_object_set_new(object, "reason", tess_json_text(result->words));
    if (result->state == TESS_POINT_SKIPPED)
        json_object_set_new(object, "known", json_boolean(point->known_skip));
    if (result->run[0])
        json_object_set_new(object, "run", json_string(result->run));
    return object;
}

json_t *tess_sweep_report_json(const tess_sweep_work *work) {
    json_t *points = json_array(), *states = json_object();
    for (int64_t i = 0; i < work->points->n; i++)
        json_array_append_new(points, json_of_point(&work->points->items[i], &work->results[i]));
    for (int state = 0; state < TESS_POINT_STATES; state++)
        json_object_set_new(states, tess_sweep_state_name((tess_sweep_state)state),
                            json_integer(tess_sweep_count(work, (tess_sweep_state)state)));
    return json_pack("{s:s, s:s, s:s?, s:o, s:o, s:o}", "schema", "tess.sweep/1", "sweep",
                     work->recipe->name, "subset", work->recipe->subset, "lab",
                     tess_json_text(work->lab ? tess_lab_folder(work->lab) : NULL), "states",
                     states, "points", points);
}
