/* Key orders: beside a sort by comparison, of keys that are spread, crowded, few and equal. */
#include "core/base/key_order.h"
#include "tests/core/small_mesh.h"
#include <omp.h>

enum { N_KINDS = 6 };

/* A key of a kind: any bits, high ones, low ones, crowded in one bucket, few values, one. */
static uint64_t key_of_kind(int kind, uint64_t *seed) {
    const uint64_t any = (uint64_t)random_below(seed, INT32_MAX) << 33 ^
                         (uint64_t)random_below(seed, INT32_MAX) << 12 ^
                         (uint64_t)random_below(seed, INT32_MAX);
    const uint64_t of_kind[N_KINDS] = {
        any, any << 44, any & 0xfffff, any % 100 ? any >> 40 : any, any % 3, UINT64_MAX};
    return of_kind[kind];
}

static int compare_keyed(const void *a, const void *b, void *context) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    const uint64_t *keys = context;
    return keys[x] != keys[y] ? (keys[x] > keys[y]) - (keys[x] < keys[y]) : (x > y) - (x < y);
}

static void elements_ascend_by_key_then_by_number(void **state) {
    static const int64_t sizes[] = {0, 1, 2, 100, 4097, 9000, 200000};
    uint64_t seed = 3;
    for (int trial = 0; trial < 7 * N_KINDS; trial++) {
        const int64_t n = sizes[trial / N_KINDS];
        uint64_t *keys = NULL;
        int32_t *expected = NULL, *order = NULL;
        OK(TESS_ALLOC(n, &keys));
        OK(TESS_ALLOC(n, &expected));
        for (int64_t i = 0; i < n; i++) {
            keys[i] = key_of_kind(trial % N_KINDS, &seed);
            expected[i] = (int32_t)i;
        }
        qsort_r(expected, (size_t)n, sizeof *expected, compare_keyed, keys);
        for (int n_threads = 1; n_threads <= 5; n_threads += 2) {
            omp_set_num_threads(n_threads);
            OK(tess_key_order(keys, n, &order));
            assert_memory_equal(order, expected, (size_t)n * sizeof *order);
            free(order);
        }
        free(keys);
        free(expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(elements_ascend_by_key_then_by_number)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
