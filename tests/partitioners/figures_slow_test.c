/* Figures: the reuse factors of a million quads, as they were measured before tesselab was built.
 */
#include "tests/partitioners/partition_of.h"

#include <math.h>

/* Reuse factor of edges:cells of 1000 x 1000 quads, before any repair. */
typedef struct figure {
    const char *spec;
    int32_t block_size;
    double reuse_factor;
    double tolerance; /* relative: random choices and ties differ */
} figure;

static const figure figures[] = {
    {"file-order", 128, 1.98, 0.005}, {"hilbert", 128, 3.05, 0.005}, {"rcb", 128, 3.196, 0.005},
    {"file-order", 480, 1.99, 0.005}, {"hilbert", 480, 3.43, 0.005}, {"rcb", 480, 3.546, 0.005},
    {"metis", 128, 3.244, 0.005},     {"metis", 480, 3.569, 0.005},
};
enum { FIRST_OF_METIS = 6, N_FIGURES = sizeof figures / sizeof figures[0] };

/* Figures from first on and before end, on side x side quads. */
static void assert_figures(int side, size_t first, size_t end) {
    small_problem f = quads_problem(side, side, 128);
    for (size_t i = first; i < end; i++) {
        if (!in_this_build(figures[i].spec))
            continue;
        f.problem->block_size = figures[i].block_size;
        tess_partition *partition = partition_of(f.problem, figures[i].spec);
        const double ratio = partition->reuse_factor_before / figures[i].reuse_factor;
        print_message("%-24s %4d  %.3f (%.3f)  largest %lld  %.2f s CPU\n", figures[i].spec,
                      figures[i].block_size, partition->reuse_factor_before,
                      figures[i].reuse_factor, (long long)partition->largest_before,
                      partition->cpu_seconds);
        assert_true(fabs(ratio - 1) < figures[i].tolerance);
        if (strcmp(figures[i].spec, "metis") == 0)
            assert_true(partition->largest_before <= figures[i].block_size);
        tess_partition_free(partition);
    }
    small_problem_free(&f);
}

static void a_million_quads(void **state) {
    assert_figures(1000, 0, FIRST_OF_METIS);
}

/* METIS takes half a minute for a million; few blocks of a quarter of them lie at the border. */
static void metis_on_a_quarter_of_them(void **state) {
    assert_figures(500, FIRST_OF_METIS, N_FIGURES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_quads),
        cmocka_unit_test(metis_on_a_quarter_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
