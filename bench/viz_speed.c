/* What showing costs: run by hand.
 *
 *   viz_speed KIND FOLDER [SCRIPT...]
 *
 * Builds the view of a square of 707 x 707 quads in blocks of 12 x 12, writes it as a file, hands
 * it over in ten steps, and prints seconds and memory; marches airfoil before the session is opened
 * and while it is open with no step due, and prints how the steps differ. viz_look.py is a script
 * that looks at every value and draws nothing. */
#include "core/base/clock.h"
#include "core/base/sort.h"
#include "data/mesh_open.h"
#include "kernels/applications/applications.h"
#include "tests/viz/box_mesh.h"
#include "viz/viz.h"
#include "viz/vtkhdf_writer.h"

#include <sys/wait.h>
#include <unistd.h>

enum { SIDE = 707, STEPS = 10, MARCHED = 16 };

/* Megabytes of the process: "VmRSS" in memory now, "VmHWM" at most since forget_peak. */
static double memory(const char *name) {
    char line[256];
    long long kibibytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0)
            kibibytes = atoll(line + strlen(name) + 1);
    if (file)
        fclose(file);
    return (double)kibibytes * 1024 / 1e6;
}

static void forget_peak(void) {
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file && fputs("5", file) < 0)
        printf("the peak of memory is that of the whole run\n");
    if (file)
        fclose(file);
}

/* Megabytes of the arrays that are handed over. */
static double view_size(const tess_view_mesh *view) {
    const int64_t bytes = view->n_cells * (1 + 8 + 4 * view->n_arrays) + 8 * view->n_corners +
                          view->n_points * (24 + 12);
    return (double)bytes / 1e6;
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
    OK(tess_mesh_add_map(mesh, "cells", "nodes", 4, 0, nodes));
    return mesh;
}

/* Airfoil on 720,000 cells. */
typedef struct flow {
    tess_mesh *mesh;
    const tess_application *application;
    tess_state *state;
} flow;

static void flow_open(flow *f) {
    OK(tess_mesh_open("airfoil:i=400:j=600", &f->mesh));
    OK(tess_application_find("airfoil", &f->application));
    OK(tess_application_bind(f->application, f->mesh));
    OK(tess_application_start(f->application, f->mesh, TESS_DOUBLE, &f->state));
}

static void flow_close(flow *f) {
    tess_state_free(f->state);
    tess_mesh_free(f->mesh);
}

/* The CPU seconds of one time step on the host. */
static double step_cpu(const flow *f) {
    const double begin = tess_clock_thread_seconds();
    OK(tess_application_march(f->application, f->state));
    return tess_clock_thread_seconds() - begin;
}

/* A process that never opens a session, marches a step for each letter 's' and ends at another.
 * (The end of the pipe would not do: programs that a session starts keep it open.) */
typedef struct twin {
    pid_t process;
    int ask, answer;
} twin;

static void twin_serve(int asked, int answer) {
    flow f = {0};
    flow_open(&f);
    char letter = 0;
    double spent = 0;
    while (read(asked, &letter, 1) == 1 && letter == 's') {
        spent = step_cpu(&f);
        if (write(answer, &spent, sizeof spent) != sizeof spent)
            break;
    }
    flow_close(&f);
}

static twin twin_start(void) {
    int ask[2], answer[2];
    if (pipe(ask) != 0 || pipe(answer) != 0)
        exit(1);
    const pid_t process = fork();
    if (process == 0) {
        close(ask[1]);
        twin_serve(ask[0], answer[1]);
        exit(0);
    }
    close(ask[0]);
    close(answer[1]);
    return (twin){.process = process, .ask = ask[1], .answer = answer[0]};
}

static double twin_step_cpu(const twin *t) {
    double spent = 0;
    if (write(t->ask, "s", 1) != 1 || read(t->answer, &spent, sizeof spent) != sizeof spent)
        exit(1);
    return spent;
}

static void twin_end(const twin *t) {
    if (write(t->ask, "e", 1) == 1)
        waitpid(t->process, NULL, 0);
    close(t->ask);
    close(t->answer);
}

static void report_steps(const char *what, double steps[STEPS]) {
    const double first = steps[0];
    tess_sort_reals(steps + 1, STEPS - 1);
    printf("  %-18s first %.4f s, then %.4f s (median of %d)\n", what, first, steps[STEPS / 2],
           STEPS - 1);
}

/* Hands the view over, with one field that changes. */
static void hand_over(tess_viz *viz, const char *channel, const tess_view_mesh *view,
                      double *field) {
    const tess_viz_field density = {
        .name = "density", .dim = 1, .type = TESS_DOUBLE, .values = field};
    const tess_viz_channel shown = {
        .name = channel, .view = view, .n_fields = 1, .fields = &density};
    double wall[STEPS], cpu[STEPS];
    forget_peak();
    const double before = memory("VmRSS");
    for (int step = 0; step < STEPS; step++) {
        field[step] = step;
        const double begin = tess_clock_seconds(), cpu_begin = tess_clock_thread_seconds();
        OK(tess_viz_execute(
            viz,
            &(tess_viz_step){.cycle = step, .time = step, .n_channels = 1, .channels = &shown}));
        wall[step] = tess_clock_seconds() - begin;
        cpu[step] = tess_clock_thread_seconds() - cpu_begin;
    }
    printf("handing %lld cells over\n", (long long)view->n_cells);
    report_steps("wall", wall);
    report_steps("CPU", cpu);
    printf("  memory             %.0f MB before, %.0f MB after, %.0f MB at most; the arrays have "
           "%.0f MB\n",
           before, memory("VmRSS"), memory("VmHWM"),
           view_size(view) + 8e-6 * (double)view->n_cells);
}

static tess_view_mesh *cut(const tess_mesh *mesh, int32_t n_blocks, const int32_t *block_of,
                           const char *folder) {
    tess_view_mesh *view = NULL;
    char path[4096];
    double begin = tess_clock_seconds();
    OK(tess_view_mesh_of_partition(mesh, "cells", n_blocks, block_of, &view));
    printf("view built           %.3f s, %lld points\n", tess_clock_seconds() - begin,
           (long long)view->n_points);
    begin = tess_clock_seconds();
    snprintf(path, sizeof path, "%s.hdf", folder);
    OK(tess_vtkhdf_write(view, &(tess_view_source){.of = NULL}, path));
    printf("file written         %.3f s\n", tess_clock_seconds() - begin);
    return view;
}

/* Compares steps with a session open and none due to those of a process without one, in turn. With
 * kind `off` it tells what the two processes differ by for no reason. */
static void compare_steps(const twin *without) {
    flow f = {0};
    flow_open(&f);
    double with_session[MARCHED], ratio[MARCHED];
    for (int step = 0; step < MARCHED; step++) {
        double alone = step % 2 ? twin_step_cpu(without) : 0;
        with_session[step] = step_cpu(&f);
        alone = step % 2 ? alone : twin_step_cpu(without);
        ratio[step] = with_session[step] / alone;
    }
    tess_sort_reals(with_session, MARCHED);
    tess_sort_reals(ratio, MARCHED);
    printf("a step of airfoil on %lld cells, sequential, with the session open and none due\n"
           "  CPU                %.3f s; to one without a session %+.2f %% (median of %d pairs; "
           "quartiles %+.2f, %+.2f)\n",
           (long long)tess_mesh_set_size(f.mesh, "cells"), with_session[MARCHED / 2],
           100 * ratio[MARCHED / 2] - 100, MARCHED, 100 * ratio[MARCHED / 4] - 100,
           100 * ratio[3 * MARCHED / 4] - 100);
    flow_close(&f);
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    const twin without = twin_start(); /* before anything of ParaView's is loaded */
    int32_t *block_of = NULL, n_blocks = 0;
    tess_mesh *mesh = square(&block_of, &n_blocks);
    tess_view_mesh *view = cut(mesh, n_blocks, block_of, argv[2]);
    double *field = calloc((size_t)view->n_cells, sizeof *field);

    const char *channel = "mesh";
    const tess_viz_setting setting = {.n_scripts = argc - 3,
                                      .scripts = (const char *const *)argv + 3,
                                      .n_channels = 1,
                                      .channels = &channel,
                                      .folder = argv[2]};
    tess_viz *viz = NULL;
    const double begin = tess_clock_seconds();
    if (tess_viz_open(argv[1], &setting, &viz) != TESS_OK) {
        fprintf(stderr, "%s\n", tess_message());
        return 1;
    }
    printf("opened               %.3f s\n", tess_clock_seconds() - begin);
    hand_over(viz, channel, view, field);
    compare_steps(&without);
    twin_end(&without);
    if (tess_viz_close(viz) != TESS_OK)
        fprintf(stderr, "%s\n", tess_message());
    free(field);
    tess_view_mesh_free(view);
    tess_mesh_free(mesh);
    free(block_of);
    return 0;
}
