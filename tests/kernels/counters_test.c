/* Counters: all of them are added up, and those of a sample of blocks are made whole. */
#include "kernels/devices/counters.h"
#include "tests/unit.h"

#include <string.h>

enum { N = sizeof(tess_counters) / sizeof(int64_t) };

static void all_are_added(void **state) {
    int64_t from[N], to[N];
    for (int i = 0; i < N; i++) {
        from[i] = i + 1;
        to[i] = 100 * i;
    }
    tess_counters one, sum;
    memcpy(&one, from, sizeof one);
    memcpy(&sum, to, sizeof sum);
    tess_counters_add(&sum, &one);
    memcpy(to, &sum, sizeof sum);
    for (int i = 0; i < N; i++)
        assert_int_equal(to[i], 101 * i + 1);
}

/* Two blocks of six ran. Caches are of all blocks, and what was executed is what it was. */
static void a_sample_is_made_whole(void **state) {
    int64_t values[N];
    for (int i = 0; i < N; i++)
        values[i] = i + 1;
    tess_counters c, was;
    memcpy(&was, values, sizeof was);
    was.blocks_executed = 2;
    was.blocks_launched = 6;
    c = was;
    tess_counters_scale(&c);
    const size_t kept[] = {
        offsetof(tess_counters, blocks_executed),  offsetof(tess_counters, blocks_launched),
        offsetof(tess_counters, thread_steps),     offsetof(tess_counters, l2_read_sectors),
        offsetof(tess_counters, l2_write_sectors), offsetof(tess_counters, l2_atomic_sectors),
        offsetof(tess_counters, dram_read_bytes),  offsetof(tess_counters, dram_write_bytes)};
    memcpy(values, &was, sizeof was);
    int64_t now[N];
    memcpy(now, &c, sizeof c);
    for (size_t i = 0; i < N; i++) {
        bool is_kept = false;
        for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
            is_kept |= kept[k] == i * sizeof(int64_t);
        assert_int_equal(now[i], (is_kept ? 1 : 3) * values[i]);
    }
    c.blocks_executed = 6;
    was = c;
    tess_counters_scale(&c);
    assert_memory_equal(&c, &was, sizeof c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_added),
        cmocka_unit_test(a_sample_is_made_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
