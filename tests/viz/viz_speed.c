/* What showing costs, on a square of 707 x 707 quads in blocks of 12 x 12: run by hand.
 *
 *   viz_speed KIND FOLDER [SCRIPT...]
 *
 * prints the seconds of building the view, of writing it as a file, and of handing it over (the
 * first step and the median of the next nine, with one field that changes), and the memory that the
 * hand-over added. */
#include "tests/viz/box_mesh.h"
#include "viz/vtkhdf.h"

#include <time.h>

enum { SIDE = 707, STEPS = 10 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Megabytes of the process in memory now. */
static double resident(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (double)pages * 4096 / 1e6;
}

static tess_mesh *square(int32_t **block_of, int32_t *n_blocks) {
    tess_mesh *mesh = NULL;
    const int across = SIDE / 12 + 1;
    OK(tess_mesh_new("square", 2, &mesh));
    OK(tess_mesh_add_set(mesh, "nodes", (SIDE + 1) * (SIDE + 1), NULL));
    OK(tess_mesh_add_set(mesh, "cells", SIDE * SIDE, NULL));
    mesh->coordinates = malloc((SIDE + 1) * (SIDE + 1) * 2 * sizeof *mesh->coordinates);
    for (int i = 0; i < (SIDE + 1) * (SIDE + 1); i++) {
        mesh->coordinates[2 * i] = i % (SIDE + 1) / (double)SIDE;
        mesh->coordinates[2 * i + 1] = i / (SIDE + 1) / (double)SIDE;
    }
    int32_t *nodes = malloc(SIDE * SIDE * 4 * sizeof *nodes);
    *block_of = malloc(SIDE * SIDE * sizeof **block_of);
    for (int c = 0; c < SIDE * SIDE; c++) {
        const int x = c % SIDE, y = c / SIDE, corner = x + (SIDE + 1) * y;
        const int32_t around[4] = {corner, corner + 1, corner + SIDE + 2, corner + SIDE + 1};
        memcpy(nodes + 4 * c, around, sizeof around);
        (*block_of)[c] = x / 12 + across * (y / 12);
    }
    *n_blocks = across * across;
    OK(tess_mesh_add_map(mesh, "cells", "nodes", 4, false, false, nodes));
    return mesh;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    int32_t *block_of = NULL, n_blocks = 0;
    tess_mesh *mesh = square(&block_of, &n_blocks);
    tess_view_mesh *view = NULL;
    double begin = seconds();
    OK(tess_view_mesh_of_partition(mesh, "cells", n_blocks, block_of, &view));
    printf("%lld cells, %lld points\nview built    %.3f s\n", (long long)view->n_cells,
           (long long)view->n_points, seconds() - begin);
    begin = seconds();
    char path[4096];
    snprintf(path, sizeof path, "%s.hdf", argv[2]);
    OK(tess_vtkhdf_write(view, NULL, 0, NULL, path));
    printf("file written  %.3f s\n", seconds() - begin);

    const char *channel = "mesh";
    const tess_viz_setting setting = {.n_scripts = argc - 3,
                                      .scripts = (const char *const *)argv + 3,
                                      .n_channels = 1,
                                      .channels = &channel,
                                      .folder = argv[2]};
    tess_viz *viz = NULL;
    begin = seconds();
    if (tess_viz_open(argv[1], &setting, &viz) != TESS_OK) {
        fprintf(stderr, "%s\n", tess_message());
        return 1;
    }
    printf("opened        %.3f s\n", seconds() - begin);
    double *field = calloc((size_t)view->n_cells, sizeof *field), step_seconds[STEPS], before = 0;
    const tess_viz_field density = {
        .name = "density", .dim = 1, .type = TESS_DOUBLE, .values = field};
    const tess_viz_channel shown = {
        .name = channel, .view = view, .n_fields = 1, .fields = &density};
    for (int step = 0; step < STEPS; step++) {
        field[step] = step;
        before = step == 0 ? resident() : before;
        begin = seconds();
        OK(tess_viz_execute(
            viz,
            &(tess_viz_step){.cycle = step, .time = step, .n_channels = 1, .channels = &shown}));
        step_seconds[step] = seconds() - begin;
    }
    printf("first step    %.3f s\n", step_seconds[0]);
    const double after = resident();
    qsort(step_seconds + 1, STEPS - 1, sizeof *step_seconds, ascending);
    printf("next steps    %.4f s (median of %d)\n", step_seconds[STEPS / 2], STEPS - 1);
    printf("memory        %.0f MB before the first step, %.0f MB after the last\n", before, after);
    if (tess_viz_close(viz) != TESS_OK)
        fprintf(stderr, "%s\n", tess_message());
    tess_view_mesh_free(view);
    tess_mesh_free(mesh);
    free(block_of);
    free(field);
    return 0;
}
