/* Hands a box that is cut anew at every step to a kind of visualisation, for viz_test.py: a process
 * of its own, since ParaView can be started only once in one.
 *
 *   viz_driver KIND FOLDER STEPS DIMENSION CHANNELS [SCRIPT...]
 *
 * with VIZ_DRIVER_PAUSE milliseconds between steps, cells of VIZ_DRIVER_CELLS alone, and, where
 * VIZ_DRIVER_LATE is set, channel c from step c on. At step t the channel's blocks are runs of 8 (t
 * + 1) elements; the field `density` of element e is e + t / 10, `momentum` is (e, -e). Exits with
 * the program's code for the status. */
#include "tests/viz/box_mesh.h"
#include "viz/viz.h"

#include <unistd.h>

enum { CHANNELS_MAX = 4 };

/* What was handed over: it stays until the next step. */
typedef struct handed {
    tess_view_mesh *views[CHANNELS_MAX];
    double *density;
    float *momentum;
} handed;

static void forget(handed *h) {
    for (int c = 0; c < CHANNELS_MAX; c++)
        tess_view_mesh_free(h->views[c]);
    free(h->density);
    free(h->momentum);
}

static tess_status show_step(tess_viz *viz, const tess_mesh *mesh, int step, int n_channels,
                             const char *const *channels, handed *h) {
    handed last = *h;
    tess_viz_channel given[CHANNELS_MAX];
    for (int c = 0; c < n_channels; c++)
        h->views[c] = view_of_runs(mesh, "cells", 8 * (step + 1));
    const int64_t n = h->views[0]->n_cells;
    h->density = malloc((size_t)n * sizeof *h->density);
    h->momentum = malloc((size_t)n * 2 * sizeof *h->momentum);
    const int32_t *element = tess_view_mesh_find(h->views[0], "element")->values;
    for (int64_t c = 0; c < n; c++) {
        h->density[c] = element[c] + step / 10.;
        h->momentum[2 * c] = (float)element[c];
        h->momentum[2 * c + 1] = (float)-element[c];
    }
    const tess_viz_field fields[] = {
        {.name = "density", .dim = 1, .type = TESS_DOUBLE, .values = h->density},
        {.name = "momentum", .dim = 2, .type = TESS_FLOAT, .values = h->momentum}};
    const int n_given = getenv("VIZ_DRIVER_LATE") && step < n_channels ? step + 1 : n_channels;
    for (int c = 0; c < n_given; c++)
        given[c] = (tess_viz_channel){
            .name = channels[c], .view = h->views[c], .n_fields = 2, .fields = fields};
    const char *pause = getenv("VIZ_DRIVER_PAUSE");
    if (pause)
        usleep((useconds_t)atoi(pause) * 1000);
    const tess_status status = tess_viz_execute(
        viz, &(tess_viz_step){
                 .cycle = step, .time = step / 2., .n_channels = n_given, .channels = given});
    forget(&last);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 6)
        return 2;
    const int n_steps = atoi(argv[3]), dimension = atoi(argv[4]);
    const char *channels[CHANNELS_MAX];
    int n_channels = 0;
    for (char *name = strtok(argv[5], ","); name && n_channels < CHANNELS_MAX;
         name = strtok(NULL, ","))
        channels[n_channels++] = name;
    const char *alone = getenv("VIZ_DRIVER_CELLS");
    const char *const how[] = {alone            ? alone
                               : dimension == 3 ? "hexes"
                                                : "quads",
                               alone            ? alone
                               : dimension == 3 ? "pyramids"
                                                : "tris"};
    tess_mesh *mesh = box_mesh(dimension, 4, 2, how);
    const tess_viz_setting setting = {.n_scripts = argc - 6,
                                      .scripts = (const char *const *)argv + 6,
                                      .n_channels = n_channels,
                                      .channels = channels,
                                      .folder = argv[2]};
    tess_viz *viz = NULL;
    handed h = {0};
    tess_status status = tess_viz_open(argv[1], &setting, &viz);
    if (status == TESS_OK)
        printf("%s\n", tess_viz_reason(viz));
    for (int step = 0; status == TESS_OK && step < n_steps; step++)
        status = show_step(viz, mesh, step, n_channels, channels, &h);
    if (status != TESS_OK)
        fprintf(stderr, "error: %s\n", tess_message());
    const tess_status closed = tess_viz_close(viz);
    if (closed != TESS_OK)
        fprintf(stderr, "error: %s\n", tess_message());
    status = status == TESS_OK ? closed : status;
    forget(&h);
    tess_mesh_free(mesh);
    return tess_status_exit_code(status);
}
