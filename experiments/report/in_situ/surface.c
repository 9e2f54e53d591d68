/* A surface: what a solution is on the walls of a 2D mesh. */
#include "experiments/report/in_situ/surface.h"

#include "core/base/whole_file.h"
#include <stdio.h>

enum { WALL = 1, VALUES_MAX = 64 }; /* of one dat at one cell */

tess_status tess_surface_check(const tess_application *application, const char *path) {
    if (!application->on_walls)
        FAIL(TESS_ERROR_USAGE, "%s has no fields on walls: leave --surface out", application->name);
    return tess_whole_file_check(path);
}

static void print_head(const tess_application *application, FILE *stream) {
    fputs("x,y,normal_x,normal_y", stream);
    for (const tess_shown_field *field = application->on_walls; field->name; field++)
        fprintf(stream, ",%s", field->name);
    fputc('\n', stream);
}

static void print_side(const tess_application *application, const tess_state *state,
                       const int32_t *nodes, int32_t cell, FILE *stream) {
    const double *a = &state->mesh->coordinates[2 * (int64_t)nodes[0]];
    const double *b = &state->mesh->coordinates[2 * (int64_t)nodes[1]];
    fprintf(stream, "%.17g,%.17g,%.17g,%.17g", (a[0] + b[0]) / 2, (a[1] + b[1]) / 2, b[1] - a[1],
            a[0] - b[0]);
    for (const tess_shown_field *field = application->on_walls; field->name; field++) {
        const tess_dat *dat = tess_state_find(state, field->dat, field->set);
        double values[VALUES_MAX] = {0};
        for (int d = 0; d < dat->dim && d < VALUES_MAX; d++)
            values[d] = tess_dat_value(dat, (int64_t)cell * dat->dim + d);
        fprintf(stream, ",%.17g", field->value(values));
    }
    fputc('\n', stream);
}

static int64_t print_walls(const tess_application *application, const tess_state *state,
                           FILE *stream) {
    const tess_map *nodes = tess_mesh_find_map(state->mesh, "bedges:nodes");
    const tess_map *cells = tess_mesh_find_map(state->mesh, "bedges:cells");
    const tess_dat *bound = tess_state_find(state, "bound", "bedges");
    int64_t n_walls = 0;
    print_head(application, stream);
    for (int64_t s = 0; s < tess_state_size(state, bound); s++)
        if ((int)tess_dat_value(bound, s) == WALL) {
            print_side(application, state, &nodes->index[2 * s], cells->index[s], stream);
            n_walls++;
        }
    return n_walls;
}

tess_status tess_surface_write(const tess_application *application, const tess_state *state,
                               const char *path) {
    tess_status status = TESS_OK;
    tess_whole_file file = {.is_remade = false};
    CHECK(tess_surface_check(application, path));
    CHECK(tess_whole_file_open(path, &file));
    if (print_walls(application, state, file.stream) == 0)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s has no walls: %s is not written", state->mesh->source,
                        path));
    CHECK(tess_whole_file_keep(&file));
done:
    tess_whole_file_release(&file);
    return status;
}
