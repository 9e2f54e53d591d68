/* A report of a sweep: how many of its points are done, and what became of the others. */
#include "experiments/report/sweep_report.h"

#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/shell_word.h"
#include "experiments/report/table.h"
#include <stdlib.h>
#include <string.h>

tess_status tess_sweep_report_print(const tess_sweep *sweep, FILE *stream) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    CHECK(tess_table_new(TESS_TITLES("sweep", ">points"), &table));
    for (int state = 0; state < TESS_POINT_STATES; state++)
        CHECK(tess_table_add_column(table, tess_sweep_state_name((tess_sweep_state)state),
                                    TESS_ALIGN_RIGHT));
    CHECK(tess_table_add_row(table));
    CHECK(tess_table_add_cell(table, "%s%s%s", sweep->recipe->name,
                              sweep->recipe->subset ? "/" : "",
                              sweep->recipe->subset ? sweep->recipe->subset : ""));
    CHECK(tess_table_add_cell(table, "%lld", (long long)sweep->points->n));
    for (int state = 0; state < TESS_POINT_STATES; state++)
        CHECK(tess_table_add_cell(table, "%lld",
                                  (long long)tess_sweep_count(sweep, (tess_sweep_state)state)));
    status = tess_table_print(table, stream);
done:
    tess_table_free(table);
    return status;
}

/* What a reason is about: "airfoil on a.su2" or "edges:cells on a.su2". */
static void print_position(const tess_sweep_point *point, char position[static 512]) {
    static const tess_field abouts[] = {TESS_FIELD_map, TESS_FIELD_application, TESS_FIELD_host};
    snprintf(position, 512, "%s on %s", point->value[abouts[point->kind]],
             point->value[TESS_FIELD_mesh]);
}

/* And of what: "atomics", "metis" or "levels". */
static const char *variant_of(const tess_sweep_point *point) {
    static const tess_field variants[] = {TESS_FIELD_partitioner, TESS_FIELD_strategy,
                                          TESS_FIELD_mesh_order};
    const char *variant = point->value[variants[point->kind]];
    return variant ? variant : "";
}

static bool same_reason(const tess_sweep *sweep, int64_t a, int64_t b) {
    char here[512], there[512];
    if (sweep->results[a].state != sweep->results[b].state ||
        sweep->points->items[a].known_skip != sweep->points->items[b].known_skip ||
        strcmp(sweep->results[a].message, sweep->results[b].message) != 0)
        return false;
    print_position(&sweep->points->items[a], here);
    print_position(&sweep->points->items[b], there);
    return strcmp(here, there) == 0;
}

tess_status tess_sweep_reasons_print(const tess_sweep *sweep, FILE *stream) {
    int64_t n_reasons = 0, capacity = 0;
    struct reason {
        int64_t first, n;
        bool of_others; /* ways than the first's */
    } *reasons = NULL;
    for (int64_t i = 0; i < sweep->points->n; i++) {
        int64_t r = 0;
        if (!sweep->results[i].message)
            continue;
        while (r < n_reasons && !same_reason(sweep, reasons[r].first, i))
            r++;
        if (r == n_reasons) {
            TRY(TESS_RESERVE(n_reasons + 1, &capacity, &reasons));
            reasons[n_reasons++] = (struct reason){.first = i};
        }
        reasons[r].n++;
        reasons[r].of_others |= strcmp(variant_of(&sweep->points->items[reasons[r].first]),
                                       variant_of(&sweep->points->items[i])) != 0;
    }
    for (int64_t r = 0; r < n_reasons; r++) {
        char position[512];
        const tess_sweep_result *result = &sweep->results[reasons[r].first];
        const bool skipped = result->state == TESS_POINT_SKIPPED;
        print_position(&sweep->points->items[reasons[r].first], position);
        fprintf(stream, "tess: %s%s: %s, %s%s: %lld point%s: %s\n",
                tess_sweep_state_name(result->state),
                skipped && sweep->points->items[reasons[r].first].known_skip ? " as known" : "",
                position, variant_of(&sweep->points->items[reasons[r].first]),
                reasons[r].of_others ? " and others" : "", (long long)reasons[r].n,
                reasons[r].n == 1 ? "" : "s", result->message);
    }
    free(reasons);
    return TESS_OK;
}

/* Whether a word is what the command takes anyway: a setting by its default, but for those of which
 * commands have defaults of their own. */
static bool is_usual(const char *word, tess_experiment_kind kind) {
    static const tess_field told[] = {TESS_FIELD_partitioner, TESS_FIELD_block_size,
                                      TESS_FIELD_strategy};
    for (tess_field field = 0; field < TESS_N_FIELDS; field++) {
        char option[TESS_NAME_SIZE];
        const char *standard = tess_fields[field].standard[kind];
        bool is_told = !standard;
        for (size_t i = 0; i < sizeof told / sizeof *told; i++)
            is_told |= told[i] == field;
        tess_field_option(field, option);
        const size_t length = strlen(option);
        if (!is_told && strncmp(word, "--", 2) == 0 && strncmp(word + 2, option, length) == 0 &&
            word[2 + length] == '=' && strcmp(word + 2 + length + 1, standard) == 0)
            return true;
    }
    return false;
}

static tess_status print_command(const tess_sweep *sweep, const tess_sweep_point *point,
                                 FILE *stream) {
    static const char *const flags[] = {"--view"};
    tess_status status = TESS_OK;
    tess_experiment experiment = {.kind = point->kind};
    char *mesh = NULL, **words = NULL;
    TRY(tess_experiment_init(point->kind, &experiment));
    const tess_status found = tess_sweep_mesh(sweep->recipe, point, &mesh);
    if (found != TESS_ERROR_MISSING) /* a file that is elsewhere goes by its name */
        CHECK(found);
    tess_experiment_clear(&experiment);
    CHECK(tess_sweep_experiment(point, mesh ? mesh : point->value[TESS_FIELD_mesh], &experiment));
    CHECK(tess_experiment_command(&experiment, flags, sweep->options.bench.view ? 1 : 0, &words));
    for (int w = 0; words[w]; w++) {
        if (is_usual(words[w], point->kind))
            continue;
        fputs(w ? " " : "", stream);
        tess_shell_word_print(words[w], stream);
    }
    fputc('\n', stream);
done:
    tess_words_free(words);
    free(mesh);
    tess_experiment_clear(&experiment);
    return status;
}

tess_status tess_sweep_commands_print(const tess_sweep *sweep, FILE *stream) {
    for (int64_t i = 0; i < sweep->points->n; i++)
        if (sweep->results[i].state == TESS_POINT_LEFT)
            TRY(print_command(sweep, &sweep->points->items[i], stream));
    fflush(stream); /* what comes next belongs below it, in one pipe, too */
    return TESS_OK;
}

static json_t *json_of_point(const tess_sweep_point *point, const tess_sweep_result *result) {
    json_t *object = json_pack("{s:s, s:s}", "point", point->digest, "state",
                               tess_sweep_state_name(result->state));
    if (!object)
        return NULL;
    for (tess_field axis = 0; axis < TESS_N_FIELDS; axis++) {
        const char *text = point->value[axis];
        if (text && *text)
            json_object_set_new(object, tess_fields[axis].name,
                                tess_field_is_number(axis) ? tess_json_number(strtod(text, NULL))
                                                           : tess_json_text(text));
    }
    if (result->message)
        json_object_set_new(object, "reason", tess_json_text(result->message));
    if (result->state == TESS_POINT_SKIPPED)
        json_object_set_new(object, "known", json_boolean(point->known_skip));
    if (result->run[0])
        json_object_set_new(object, "run", json_string(result->run));
    return object;
}

json_t *tess_sweep_report_json(const tess_sweep *sweep) {
    json_t *points = json_array(), *states = json_object();
    for (int64_t i = 0; i < sweep->points->n; i++)
        json_array_append_new(points, json_of_point(&sweep->points->items[i], &sweep->results[i]));
    for (int state = 0; state < TESS_POINT_STATES; state++)
        json_object_set_new(states, tess_sweep_state_name((tess_sweep_state)state),
                            json_integer(tess_sweep_count(sweep, (tess_sweep_state)state)));
    return json_pack(
        "{s:s, s:s, s:s?, s:o, s:o, s:o}", "schema", "tess.sweep/1", "sweep", sweep->recipe->name,
        "subset", sweep->recipe->subset, "lab",
        tess_json_text(sweep->options.bench.lab ? tess_lab_folder(sweep->options.bench.lab) : NULL),
        "states", states, "points", points);
}
