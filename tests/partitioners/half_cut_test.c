/* A cut in halves: the blocks are those of a bisection of all elements at once. */
#include "core/base/splitmix.h"
#include "partitioners/half_cut.h"
#include "partitioners/rcb.h"
#include "tests/partitioners/partition_of.h"

#include <math.h>
#include <omp.h>

enum { N = 50000, BLOCK_SIZE = 96 };

/* Points that are the centroids of elements. */
typedef struct cloud {
    tess_partition_problem problem;
    int32_t nodes[N];
    double points[3 * N];
} cloud;

typedef double (*coordinate)(uint64_t *random, int d);

static double spread(uint64_t *random, int d) {
    return (double)tess_random_below(random, 1 << 30) * (d + 1);
}

/* Few values, so that most comparisons tie. */
static double on_a_lattice(uint64_t *random, int d) {
    return (double)tess_random_below(random, 9 - 2 * d) - 3;
}

static double at_one_place(uint64_t *random, int d) {
    return (double)(0 * tess_random_below(random, 2) + d);
}

static double crowded(uint64_t *random, int d) {
    return exp(-(double)tess_random_below(random, 600) / (d + 1));
}

static cloud *cloud_new(int dimension, coordinate coordinate_of) {
    cloud *made = calloc(1, sizeof *made);
    uint64_t random = 7;
    made->problem = (tess_partition_problem){
        .n_elements = N,
        .dimension = dimension,
        .block_size = BLOCK_SIZE,
        .centroids = {
            .dimension = dimension, .arity = 1, .nodes = made->nodes, .points = made->points}};
    for (int32_t i = 0; i < N; i++) {
        made->nodes[i] = i;
        for (int d = 0; d < dimension; d++)
            made->points[i * dimension + d] = coordinate_of(&random, d);
    }
    return made;
}

static void cloud_enclose(cloud *made) {
    tess_centroids *all = &made->problem.centroids;
    for (int d = 0; d < all->dimension; d++) {
        all->low[d] = INFINITY;
        all->high[d] = -INFINITY;
        for (int i = 0; i < N; i++) {
            all->low[d] = fmin(all->low[d], made->points[i * all->dimension + d]);
            all->high[d] = fmax(all->high[d], made->points[i * all->dimension + d]);
        }
    }
}

/* Cuts both ways; gives whether that by halves was possible. */
static bool halves_agree(const cloud *made, bool in_turns) {
    const int dimension = made->problem.dimension;
    const tess_cut what = {.rule = in_turns ? TESS_CUT_IN_TURNS : TESS_CUT_LONGEST,
                           .n = made->problem.n_elements,
                           .dimension = dimension,
                           .places = made->points,
                           .block_size = BLOCK_SIZE};
    const tess_bisection how = {
        .dimension = dimension, .block_size = BLOCK_SIZE, .in_turns = in_turns};
    int32_t *whole = calloc(N, sizeof *whole), *halves = calloc(N, sizeof *halves);
    bool is_cut = false;
    OK(tess_rcb_cut(&what, whole));
    OK(tess_cut_by_halves(&made->problem, &how, halves, &is_cut));
    for (int64_t i = 0; is_cut && i < what.n; i++)
        assert_int_equal(halves[i], whole[i]);
    free(whole);
    free(halves);
    return is_cut;
}

static void blocks_are_those_of_all_at_once(void **state) {
    const coordinate kinds[] = {spread, on_a_lattice, at_one_place, crowded};
    for (int k = 0; k < 4; k++)
        for (int dimension = 1; dimension <= 3; dimension++)
            for (int threads = 1; threads <= 3; threads += 2) {
                cloud *made = cloud_new(dimension, kinds[k]);
                cloud_enclose(made);
                omp_set_num_threads(threads);
                assert_true(halves_agree(made, false));
                assert_true(halves_agree(made, true));
                free(made);
            }
}

/* The elements that are drawn lie beside all others. */
static void a_sample_that_misleads_is_noticed(void **state) {
    cloud *made = cloud_new(3, spread);
    const int n_samples = (int)pow(cbrt(N), 2);
    uint64_t random = 1;
    for (int i = 0; i < n_samples; i++)
        made->points[3 * tess_random_below(&random, N) + 2] = -1e12 - i;
    cloud_enclose(made);
    assert_false(halves_agree(made, false));
    made->problem.coordinates = NULL;
    tess_partition *one_by_one = partition_of(&made->problem, "rcb");
    made->problem.coordinates = made->points;
    tess_partition *listed = partition_of(&made->problem, "rcb");
    assert_memory_equal(one_by_one->block_of, listed->block_of, N * sizeof *listed->block_of);
    tess_partition_free(one_by_one);
    tess_partition_free(listed);
    free(made);
}

static void few_are_cut_at_once(void **state) {
    cloud *made = cloud_new(2, spread);
    cloud_enclose(made);
    made->problem.n_elements = 1000;
    assert_false(halves_agree(made, false));
    free(made);
}

/* Whatever options ask for, where places are not listed. */
static void options_take_centroids_one_by_one(void **state) {
    const char *const specs[] = {"rcb", "rcb:cut=turns", "rcb:rotate=30", "rcb:swap=2"};
    cloud *made = cloud_new(2, spread);
    cloud_enclose(made);
    made->problem.maps = &(tess_incidence){.index = made->nodes, .arity = 1, .n_points = N};
    made->problem.n_maps = 1;
    for (int i = 0; i < 4; i++) {
        made->problem.coordinates = NULL;
        tess_partition *one_by_one = partition_of(&made->problem, specs[i]);
        made->problem.coordinates = made->points;
        tess_partition *listed = partition_of(&made->problem, specs[i]);
        assert_memory_equal(one_by_one->block_of, listed->block_of, N * sizeof *listed->block_of);
        tess_partition_free(one_by_one);
        tess_partition_free(listed);
    }
    free(made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_those_of_all_at_once),
        cmocka_unit_test(a_sample_that_misleads_is_noticed),
        cmocka_unit_test(few_are_cut_at_once),
        cmocka_unit_test(options_take_centroids_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
