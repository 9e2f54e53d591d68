/* Copies of the host's threads: each computes with its own, whatever becomes of what they were made
 * of, and all stop where one is told to. */
#include "strategy_bench.h"

/* Weights get the other sign, and map rows other cells: done twice, it changes nothing. */
static void change_what_is_shared(tess_execution *execution) {
    const tess_page *page = &execution->page;
    int n_changed = 0;
    for (int i = 0; i < page->n_params; i++) {
        const tess_page_own *own = &page->params[i].own;
        void *values = (void *)(uintptr_t)page->params[i].value;
        n_changed += own->n > 0;
        for (int64_t e = 0; own->n > 0 && e < page->bound->n_elements; e++)
            for (int d = 0; d < own->n; d++) {
                const int64_t at = e * own->next_element + d * own->next_value;
                if (own->size == 8)
                    ((double *)values)[at] *= -1;
                else
                    ((int32_t *)values)[at] ^= 1;
            }
    }
    assert_int_equal(n_changed, 2); /* weights, and the neighbours of a cell */
}

static int n_times, last_time;

static tess_status count_time(void) {
    return ++n_times == last_time ? TESS_ERROR_INTERRUPTED : TESS_OK;
}

/* Seven times in one region, then up to the third of seven, and a fourth that nobody counts. */
static void run_and_stop(tess_execution *execution) {
    const tess_thread_copies *loops[] = {execution->copies, execution->copies};
    n_times = last_time = 0;
    OK(tess_thread_copies_run(loops, 2, 7, count_time));
    assert_int_equal(n_times, 7);
    n_times = 0;
    last_time = 3;
    assert_int_equal(tess_thread_copies_run(loops, 1, 7, count_time), TESS_ERROR_INTERRUPTED);
    assert_int_equal(n_times, 3);
    OK(tess_thread_copies_run(loops, 2, 1, NULL));
}

static void check(const char *layout, const char *device, const char *renumber,
                  void (*disturb)(tess_execution *execution)) {
    bench_scene scene = bench_scene_open("fv", NULL, "tets:nx=3:ny=3:nz=3");
    const bench_case c = {.scene = &scene,
                          .strategy = "openmp:copies=private",
                          .layout = layout,
                          .device = device,
                          .renumber = renumber,
                          .block_size = 16,
                          .scattered = true,
                          .disturb = disturb};
    bench_passes(&c, 1e-15);
    bench_scene_close(&scene);
}

static void threads_compute_with_their_own(void **state) {
    check("soa", "host:threads=3", NULL, change_what_is_shared);
    check("aos,maps=aos", "host:threads=3", "blocks", change_what_is_shared);
    check("aos", "host:threads=40", NULL, change_what_is_shared); /* more than there are blocks */
    check("soa,maps=aos", "host:threads=1", "blocks", change_what_is_shared);
}

static void all_stop_together(void **state) {
    check("soa", "host:threads=4", NULL, run_and_stop);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_compute_with_their_own),
        cmocka_unit_test(all_stop_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
