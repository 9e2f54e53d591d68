/* Sorting: against an order by counting, of rows of all lengths around which the ways change. */
#include "core/base/key_heap.h"
#include "core/base/sort.h"
#include "tests/core/small_mesh.h"

enum { MOST = 1300, LARGEST = 90 };

/* Fills values with n numbers of 0 to `below` - 1, and `sorted` with the same in order. */
static void draw(uint64_t *seed, int n, int below, int32_t *values, int32_t *sorted) {
    int count[LARGEST] = {0}, at = 0;
    for (int i = 0; i < n; i++)
        count[values[i] = random_below(seed, below)]++;
    for (int v = 0; v < LARGEST; v++)
        for (int k = 0; k < count[v]; k++)
            sorted[at++] = v;
}

static void rows_of_any_length_are_sorted(void **state) {
    static int32_t values[MOST], sorted[MOST];
    static uint64_t words[MOST];
    static double reals[MOST];
    uint64_t seed = 3;
    for (int n = 0; n < MOST; n += n < 120 ? 1 : 97) {
        draw(&seed, n, n % 3 ? LARGEST : 5, values, sorted);
        for (int i = 0; i < n; i++) {
            words[i] = (uint64_t)values[i] << 40;
            reals[i] = -values[i];
        }
        tess_sort(values, n);
        tess_sort_words(words, n);
        tess_sort_reals(reals, n);
        for (int i = 0; i < n; i++) {
            assert_int_equal(values[i], sorted[i]);
            assert_true(words[i] == (uint64_t)sorted[i] << 40);
            assert_true(reals[n - 1 - i] == -sorted[i]);
        }
    }
}

/* By first bits that are spread, that are few, and that are the same. */
static void spread_words_are_sorted(void **state) {
    static uint64_t words[MOST], sorted[MOST], by_others[MOST];
    const uint64_t factors[] = {UINT64_C(0x9e3779b97f4a7c15), UINT64_C(1) << 60, 1};
    uint64_t seed = 5;
    for (int n = 0; n < MOST; n += n < 120 ? 1 : 97)
        for (int f = 0; f < 3; f++) {
            for (int i = 0; i < n; i++)
                by_others[i] = words[i] = (uint64_t)random_below(&seed, 700) * factors[f];
            tess_sort_spread(words, n, sorted);
            tess_sort_words(by_others, n);
            assert_memory_equal(sorted, by_others, (size_t)n * sizeof *sorted);
        }
}

static void repetitions_are_dropped_and_positions_found(void **state) {
    int32_t values[200], sorted[200];
    uint64_t seed = 4;
    for (int n = 1; n < 200; n++) {
        draw(&seed, n, n % 2 ? 7 : LARGEST, values, sorted);
        const int64_t kept = tess_sort_unique(values, n);
        int64_t distinct = 1;
        for (int i = 1; i < n; i++)
            distinct += sorted[i] != sorted[i - 1];
        assert_int_equal(kept, distinct);
        for (int64_t i = 0; i < kept; i++) {
            assert_true(i == 0 || values[i - 1] < values[i]);
            assert_int_equal(tess_sorted_position(values, kept, values[i]), i);
        }
    }
}

static void a_heap_gives_the_largest_first(void **state) {
    int32_t values[100], sorted[100];
    uint64_t seed = 5;
    tess_key_heap heap = {.n = 0};
    for (int n = 1; n < 100; n++) {
        draw(&seed, n, n % 2 ? 7 : LARGEST, values, sorted);
        for (int i = 0; i < n; i++)
            OK(tess_key_heap_push(&heap, (uint64_t)values[i]));
        for (int i = n; i-- > 0;)
            assert_int_equal(tess_key_heap_pop(&heap), sorted[i]);
    }
    free(heap.key);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_any_length_are_sorted),
        cmocka_unit_test(spread_words_are_sorted),
        cmocka_unit_test(repetitions_are_dropped_and_positions_found),
        cmocka_unit_test(a_heap_gives_the_largest_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
