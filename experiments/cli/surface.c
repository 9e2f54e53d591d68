/* A surface: what a solution is on the walls of a 2D mesh. */
#include "experiments/cli/surface.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { WALL = 1, VALUES_MAX = 64 }; /* of one dat at one cell */

tess_status tess_surface_check(const tess_application *application) {
    if (!application->on_walls)
        FAIL(TESS_ERROR_USAGE, "%s has no fields on walls: leave --surface out", application->name);
    return TESS_OK;
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

tess_status tess_surface_write(const tess_application *application, const tess_state *state,
                               const char *path) {
    TRY(tess_surface_check(application));
    const tess_map *nodes = tess_mesh_find_map(state->mesh, "bedges:nodes");
    const tess_map *cells = tess_mesh_find_map(state->mesh, "bedges:cells");
    const tess_dat *bound = tess_state_find(state, "bound", "bedges");
    int64_t n_walls = 0;
    FILE *stream = fopen(path, "w");
    if (!stream)
        FAIL(TESS_ERROR_IO, "%s: cannot be written: %s", path, strerror(errno));
    print_head(application, stream);
    for (int64_t s = 0; s < tess_state_size(state, bound); s++)
        if ((int)tess_dat_value(bound, s) == WALL) {
            print_side(application, state, &nodes->index[2 * s], cells->index[s], stream);
            n_walls++;
        }
    const bool failed = ferror(stream) != 0;
    if (fclose(stream) != 0 || failed)
        FAIL(TESS_ERROR_IO, "%s: cannot be written: %s", path, strerror(errno));
    if (n_walls == 0)
        FAIL(TESS_ERROR_INPUT, "%s has no walls: %s holds no line", state->mesh->source, path);
    return TESS_OK;
}
