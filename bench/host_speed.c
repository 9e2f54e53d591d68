/* host_speed: CPU time of the strategy sequential against loops written by hand, in turns in one
 * process, as a table: host_speed [ROUNDS]. */
#include "core/base/clock.h"
#include "core/base/statistics.h"
#include "tests/kernels/strategy_bench.h"

#include <math.h>

typedef double real;
#include "kernels/loops/arithmetic_words.h"

#define cells_nodes_ARITY 4
#include "kernels/applications/airfoil/airfoil_kernels.h"
#undef GAMMA
#undef CFL
#define pressure_of miniaero_pressure_of
#include "kernels/applications/miniaero/miniaero_kernels.h"
#include "kernels/applications/volna/volna_kernels.h"

/* What a loop written by hand works on: values in AoS, in the mesh's order. */
static double *values(const bench_scene *a, const char *dat, const char *set) {
    const tess_dat *found = tess_state_find(a->start, dat, set);
    assert_non_null(found);
    return found->values;
}

static const int32_t *map_index(const bench_scene *a, const char *map, int64_t *n) {
    const tess_map *found = tess_mesh_find_map(a->mesh, map);
    *n = a->mesh->sets[found->from].size;
    return found->index;
}

static void airfoil_by_hand(const bench_scene *a) {
    int64_t n = 0;
    const int32_t *nodes = map_index(a, "edges:nodes", &n),
                  *cells = map_index(a, "edges:cells", &n);
    const double *x = values(a, "x", "nodes"), *q = values(a, "q", "cells"),
                 *adt = values(a, "adt", "cells");
    double *res = values(a, "res", "cells");
    for (int64_t e = 0; e < n; e++) {
        const int32_t n0 = nodes[2 * e], n1 = nodes[2 * e + 1];
        const int32_t c0 = cells[2 * e], c1 = cells[2 * e + 1];
        res_calc(&x[2 * n0], &x[2 * n1], &q[4 * c0], &q[4 * c1], &adt[c0], &adt[c1], &res[4 * c0],
                 &res[4 * c1]);
    }
}

static void volna_by_hand(const bench_scene *a) {
    int64_t n = 0;
    const int32_t *cells = map_index(a, "edges:cells", &n);
    const double *area = values(a, "area", "cells"), *flux = values(a, "flux", "edges"),
                 *source = values(a, "source", "edges"), *normal = values(a, "normal", "edges");
    const int *closed = tess_state_find(a->start, "closed", "edges")->values;
    double *rate = values(a, "rate", "cells");
    for (int64_t e = 0; e < n; e++) {
        const int32_t c0 = cells[2 * e], c1 = cells[2 * e + 1];
        space_discretization(&area[c0], &area[c1], &flux[3 * e], &source[2 * e], &normal[2 * e],
                             &closed[e], &rate[4 * c0], &rate[4 * c1]);
    }
}

static void miniaero_by_hand(const bench_scene *a) {
    int64_t n = 0;
    const int32_t *cells = map_index(a, "faces:cells", &n);
    const double *gradient = values(a, "gradient", "cells"),
                 *limiter = values(a, "limiter", "cells"), *w = values(a, "w", "cells"),
                 *centre = values(a, "centre", "cells"), *middle = values(a, "middle", "faces"),
                 *area = values(a, "area", "faces"), *tangent = values(a, "tangent", "faces"),
                 *binormal = values(a, "binormal", "faces");
    double *residual = values(a, "residual", "cells");
    for (int64_t f = 0; f < n; f++) {
        const int32_t c0 = cells[2 * f], c1 = cells[2 * f + 1];
        compute_face_flux(&gradient[15 * c0], &gradient[15 * c1], &limiter[5 * c0],
                          &limiter[5 * c1], &w[5 * c0], &w[5 * c1], &centre[3 * c0],
                          &centre[3 * c1], &middle[3 * f], &area[3 * f], &tangent[3 * f],
                          &binormal[3 * f], &residual[5 * c0], &residual[5 * c1]);
    }
}

static const struct {
    const char *application, *mesh;
    void (*by_hand)(const bench_scene *);
} loops[] = {{"airfoil", "quads:nx=600:ny=400", airfoil_by_hand},
             {"volna", "tris:nx=400:ny=300", volna_by_hand},
             {"miniaero", "hexes:nx=40:ny=40:nz=40", miniaero_by_hand}};

/* Times both in turns: the median of what the strategy takes of the time by hand. */
static double compare(const bench_scene *a, int loop, const char *layout, int n_rounds) {
    double ratio[1000];
    bench_opened o;
    const bench_case c = {.scene = a,
                          .strategy = "sequential",
                          .layout = layout,
                          .device = "host:threads=1",
                          .block_size = 256};
    OK(bench_open(&c, NULL, &o));
    for (int round = -1; round < n_rounds; round++) {
        const double start = tess_clock_cpu_seconds();
        loops[loop].by_hand(a);
        const double middle = tess_clock_cpu_seconds();
        OK(tess_execution_run(o.execution));
        const double end = tess_clock_cpu_seconds();
        if (round >= 0)
            ratio[round] = (end - middle) / (middle - start);
    }
    bench_close(&o);
    return tess_median(ratio, n_rounds);
}

int main(int argc, char **argv) {
    const int asked = argc > 1 ? atoi(argv[1]) : 21;
    const int n_rounds = asked < 1 ? 1 : asked < 1000 ? asked : 1000;
    puts("| loop | mesh | AoS | SoA |\n| --- | --- | --- | --- |");
    for (size_t loop = 0; loop < sizeof loops / sizeof loops[0]; loop++) {
        bench_scene a = bench_scene_open(loops[loop].application, NULL, loops[loop].mesh);
        const double aos = compare(&a, (int)loop, "aos", n_rounds);
        const double soa = compare(&a, (int)loop, "soa", n_rounds);
        printf("| %s | `%s` | %.2f | %.2f |\n", loops[loop].application, loops[loop].mesh, aos,
               soa);
        bench_scene_close(&a);
    }
    return 0;
}
