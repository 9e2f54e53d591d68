/* update_speed: seconds in which the edges of a square of quads are cut by rcb and planned in
 * blocks of 256, and in which that is done again where those of a corner have become others; in
 * wall time and in that of all processors.
 *
 * usage: update_speed QUADS PER_CENT       update_speed 10e6 1 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tesselab.h>
#include <time.h>

static void need(tess_status status) {
    if (status == TESS_OK)
        return;
    fprintf(stderr, "update_speed: %s\n", tess_message());
    exit(1);
}

static void tell(const char *what) {
    static struct timespec last;
    static clock_t last_clock;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double wall =
        (double)(now.tv_sec - last.tv_sec) + 1e-9 * (double)(now.tv_nsec - last.tv_nsec);
    if (what)
        printf("%-24s %9.1f ms %9.1f ms of processors\n", what, 1e3 * wall,
               1e3 * (double)(clock() - last_clock) / CLOCKS_PER_SEC);
    clock_gettime(CLOCK_MONOTONIC, &last);
    last_clock = clock();
}

static double reuse_of(const tess_bound_loop *bound, const tess_plan *plan) {
    tess_metrics *metrics = NULL;
    need(tess_metrics_of_plan(bound, plan, NULL, TESS_AOS, &metrics));
    const double reuse = tess_metrics_get(metrics, "reuse_factor");
    tess_metrics_free(metrics);
    return reuse;
}

/* The edges with both cells in a corner of the square have become others. */
static int32_t *change_corner(const tess_mesh *mesh, int side, double per_cent) {
    const int64_t n = tess_mesh_set_size(mesh, "edges");
    const int32_t *cells = tess_mesh_map_index(mesh, "edges:cells");
    const int corner = (int)lround(side * sqrt(per_cent / 100));
    int32_t *was = malloc((size_t)n * sizeof *was);
    int64_t n_changed = 0;
    for (int64_t e = 0; was && e < n; e++) {
        const int32_t cell = cells[2 * e + 1];
        was[e] = cell % side < corner && cell / side < corner ? -1 : (int32_t)e;
        n_changed += was[e] < 0;
    }
    printf("%lld edges, %lld changed\n", (long long)n, (long long)n_changed);
    return was;
}

int main(int argc, char **argv) {
    const int side = argc == 3 ? (int)lround(sqrt(atof(argv[1]))) : 0;
    char text[64];
    tess_mesh *mesh = NULL;
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    tess_partition *blocks = NULL, *blocks_now = NULL;
    tess_plan *plan = NULL, *updated = NULL, *whole = NULL;
    if (side < 2) {
        fputs("usage: update_speed QUADS PER_CENT\n", stderr);
        return 2;
    }
    snprintf(text, sizeof text, "quads:nx=%d:ny=%d", side, side);
    need(tess_mesh_open(text, &mesh));
    need(tess_mesh_derive(mesh, "edges:cells"));
    need(tess_loop_of_map("edges:cells", "q:cells:4:double", &loop));
    need(tess_loop_bind(loop, mesh, &bound));
    int32_t *was = change_corner(mesh, side, atof(argv[2]));
    tell(NULL);
    need(tess_partition_cut(bound, "rcb", 256, 1, &blocks));
    tell("cut");
    need(tess_plan_build(bound, blocks, NULL, &plan));
    tell("planned");
    need(tess_partition_update(bound, blocks, was, "rcb", 1, &blocks_now));
    tell("cut where it changed");
    need(tess_plan_update(bound, blocks_now, plan, was, NULL, &updated));
    tell("planned where it changed");
    need(tess_plan_build(bound, blocks_now, NULL, &whole));
    tell("these blocks as a whole");
    need(tess_plan_check(bound, tess_partition_block_of(blocks_now), updated));
    printf(
        "%d of %d blocks kept, block colours %d, %d and of the whole %d; reuse %.4f, then %.4f\n",
        tess_plan_n_kept(updated), tess_plan_n_blocks(updated), tess_plan_n_block_colours(plan),
        tess_plan_n_block_colours(updated), tess_plan_n_block_colours(whole), reuse_of(bound, plan),
        reuse_of(bound, updated));
    free(was);
    tess_plan_free(plan);
    tess_plan_free(updated);
    tess_plan_free(whole);
    tess_partition_free(blocks);
    tess_partition_free(blocks_now);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
    return 0;
}
