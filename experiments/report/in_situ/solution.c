/* A solution: the fields of a marching application as they are shown over the blocks of plans. */
#include "experiments/report/in_situ/solution.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include <stdlib.h>
#include <string.h>

enum { VALUES_MAX = 64 }; /* of one dat at one element */

/* Where the values of an element come from: itself, or the mean over a map's points. */
static bool find_variant(const tess_mesh *mesh, const tess_view_mesh *view, const tess_dat *dat,
                         const tess_map **map) {
    *map = NULL;
    if (dat->set == TESS_GLOBAL)
        return false;
    if (strcmp(mesh->sets[dat->set].name, view->set) == 0)
        return true;
    *map = tess_mesh_find_map_between(mesh, view->set, mesh->sets[dat->set].name);
    return *map != NULL;
}

/* The dat's values [dim] at an element of the view's set. */
static void values_at(const tess_dat *dat, const tess_map *map, int32_t element, double *values) {
    memset(values, 0, (size_t)dat->dim * sizeof *values);
    int n = 0;
    for (int s = 0; s < (map ? map->arity : 1); s++) {
        const int64_t point = map ? map->index[(int64_t)element * map->arity + s] : element;
        if (point < 0)
            continue;
        n++;
        for (int d = 0; d < dat->dim; d++)
            values[d] += tess_dat_value(dat, point * dat->dim + d);
    }
    for (int d = 0; d < dat->dim && n > 1; d++)
        values[d] /= n;
}

/* A field of a view; NULL where no way leads from the view's elements to the dat. */
static tess_status gather(const tess_mesh *mesh, const tess_view_mesh *view, const tess_dat *dat,
                          const tess_shown_field *shown, double **out) {
    const tess_map *map = NULL;
    if (!find_variant(mesh, view, dat, &map) || dat->dim > VALUES_MAX)
        return TESS_OK;
    const int dim = shown ? 1 : dat->dim;
    const int32_t *element = tess_view_mesh_find(view, "element")->values;
    TRY(TESS_ALLOC(view->n_cells * dim, out));
    double *field = *out;
#pragma omp parallel for schedule(static)
    for (int64_t c = 0; c < view->n_cells; c++) {
        double values[VALUES_MAX];
        values_at(dat, map, element[c], values);
        if (shown)
            field[c] = shown->value(values);
        else
            memcpy(field + c * dim, values, (size_t)dim * sizeof *values);
    }
    return TESS_OK;
}

/* The fields of one view. */
typedef struct view_fields {
    int n;
    tess_viz_field *fields; /* with values of ours */
} view_fields;

static void clear(view_fields *of) {
    for (int i = 0; i < of->n; i++)
        free((void *)(uintptr_t)of->fields[i].values);
    free(of->fields);
    *of = (view_fields){.n = 0};
}

static tess_status add_field(const tess_state *state, const tess_view_mesh *view,
                             const tess_dat *dat, const tess_shown_field *shown, view_fields *to) {
    double *values = NULL;
    TRY(gather(state->mesh, view, dat, shown, &values));
    if (values)
        to->fields[to->n++] = (tess_viz_field){.name = shown ? shown->name : dat->name,
                                               .dim = shown ? 1 : dat->dim,
                                               .type = TESS_DOUBLE,
                                               .values = values};
    return TESS_OK;
}

static tess_status fields_of(const tess_application *application, const tess_state *state,
                             const tess_view_mesh *view, view_fields *out) {
    int n_most = state->n_dats;
    for (int i = 0; application->shown && application->shown[i].name; i++)
        n_most++;
    TRY(TESS_ZEROS(n_most, &out->fields));
    for (const tess_shown_field *shown = application->shown; shown && shown->name; shown++) {
        const tess_dat *dat = tess_state_find(state, shown->dat, shown->set);
        if (dat)
            TRY(add_field(state, view, dat, shown, out));
    }
    for (int i = 0; i < state->n_dats && !application->shown; i++)
        if (state->dats[i].type != TESS_INT32)
            TRY(add_field(state, view, &state->dats[i], NULL, out));
    return TESS_OK;
}

struct tess_solution {
    const tess_application *application;
    tess_in_situ *in_situ;
    int n_channels;
    view_fields *now; /* [n_channels] */
};

tess_status tess_solution_new(const tess_application *application, tess_in_situ *in_situ,
                              tess_solution **out) {
    tess_solution *solution = NULL;
    TRY(TESS_ZEROS(1, &solution));
    solution->application = application;
    solution->in_situ = in_situ;
    solution->n_channels = tess_in_situ_channels(in_situ);
    const tess_status status = TESS_ZEROS(solution->n_channels, &solution->now);
    if (status == TESS_OK)
        *out = solution;
    else
        tess_solution_free(solution);
    return status;
}

void tess_solution_free(tess_solution *solution) {
    if (!solution)
        return;
    for (int c = 0; solution->now && c < solution->n_channels; c++)
        clear(&solution->now[c]);
    free(solution->now);
    free(solution);
}

/* The application's own time after `step` steps, where each advances it by the global `dt`; else
 * their number. */
static double time_of(const tess_state *state, int64_t step) {
    const tess_dat *dt = tess_state_find(state, "dt", NULL);
    return (double)step * (dt ? tess_dat_value(dt, 0) : 1);
}

tess_status tess_solution_show(tess_solution *solution, const tess_state *state, int64_t step) {
    tess_status status = TESS_OK;
    tess_viz_channel *channels = NULL;
    view_fields *next = NULL;
    int n = 0;
    CHECK(TESS_ZEROS(solution->n_channels, &channels));
    CHECK(TESS_ZEROS(solution->n_channels, &next));
    for (int c = 0; c < solution->n_channels; c++) {
        const tess_view_mesh *view = tess_in_situ_view(solution->in_situ, c, &channels[n].name);
        if (!view)
            continue;
        CHECK(fields_of(solution->application, state, view, &next[c]));
        channels[n].view = view;
        channels[n].n_fields = next[c].n;
        channels[n].fields = next[c].fields;
        n++;
    }
    tess_in_situ_show(solution->in_situ, &(tess_viz_step){.cycle = step,
                                                          .time = time_of(state, step),
                                                          .n_channels = n,
                                                          .channels = channels});
    for (int c = 0; c < solution->n_channels; c++) {
        const view_fields last = solution->now[c];
        solution->now[c] = next[c];
        next[c] = last;
    }
done:
    for (int c = 0; next && c < solution->n_channels; c++)
        clear(&next[c]);
    free(next);
    free(channels);
    return status;
}

tess_status tess_solution_march(const tess_application *application, const tess_mesh *mesh,
                                int64_t steps, int64_t every, tess_in_situ *in_situ) {
    tess_status status = TESS_OK;
    tess_state *state = NULL;
    tess_solution *solution = NULL;
    CHECK(tess_solution_new(application, in_situ, &solution));
    CHECK(tess_application_start(application, mesh, TESS_DOUBLE, &state));
    for (int64_t step = 0; step <= steps && !tess_interrupted(); step++) {
        if (step > 0)
            CHECK(tess_application_march(application, state));
        if (step % every == 0 || step == steps)
            CHECK(tess_solution_show(solution, state, step));
    }
done:
    tess_solution_free(solution);
    tess_state_free(state);
    return status;
}
