/* The emulator: what it computes and what it finds, on kernels written for it. */
#include "emulator_bench.h"

/* Runs a kernel that is wrong and looks for the words in what is said of it. */
static void finds(const char *kernel, int n_blocks, int threads, int shared_bytes,
                  const char *words) {
    for (uint64_t seed = 0; seed < 3; seed++) {
        tess_emulator_options options = CHECKED;
        options.seed = seed;
        bench b = bench_open(options);
        assert_int_equal(bench_run(&b, kernel, n_blocks, threads, shared_bytes), TESS_ERROR_CHECK);
        if (!strstr(tess_message(), words))
            print_error("said: %s\n", tess_message());
        assert_non_null(strstr(tess_message(), words));
        tess_emulator_close(b.emulator);
    }
}

static const char REVERSE[] = "KERNEL(k) {\n"
                              "    const struct params *p = PARAMS;\n"
                              "    double *s = (double *)shared_memory();\n"
                              "    const int i = block_index() * block_threads();\n"
                              "    store(&s[thread_index()], load(&p->a[i + thread_index()]));\n"
                              "    barrier();\n"
                              "    store(&p->b[i + thread_index()], "
                              "load(&s[block_threads() - 1 - thread_index()]));\n"
                              "}\n";

static void threads_exchange_through_shared_memory(void **state) {
    for (int mode = 0; mode < 4; mode++) {
        bench b = bench_open((tess_emulator_options){
            .workers = 1 + mode % 2, .seed = 7, .check = mode > 1, .count = mode > 1});
        bench_pass(&b, REVERSE, N / 64, 64, 64 * 8);
        for (int i = 0; i < N; i++)
            assert_true(b.params.b[i] == i / 64 * 64 + 63 - i % 64);
        assert_int_equal(tess_emulator_counters(b.emulator)->thread_steps, 2 * N);
        assert_int_equal(tess_emulator_counters(b.emulator)->barriers, N / 64);
        tess_emulator_close(b.emulator);
    }
}

static void warp_words_give_what_they_say(void **state) {
    bench b = bench_open(CHECKED);
    bench_pass(&b,
               "KERNEL(k) {\n"
               "    const struct params *p = PARAMS;\n"
               "    const int i = block_index() * block_threads() + thread_index();\n"
               "    double v = load(&p->a[i]);\n"
               "    for (int d = 16; d > 0; d /= 2)\n"
               "        v += shuffle_down(ALL_LANES, v, d);\n"
               "    const double sum = shuffle(ALL_LANES, v, 0);\n"
               "    const unsigned odd = ballot(ALL_LANES, lane() % 2);\n"
               "    const unsigned same = match_any(ALL_LANES, fetch(&p->map[i]));\n"
               "    warp_barrier(ALL_LANES);\n"
               "    store(&p->b[i], sum + count_lanes(odd) * 1e4 + lowest_lane(same) * 1e6);\n"
               "}\n",
               2, 128, 0);
    for (int i = 0; i < N; i++) {
        const int warp = i / 32, sum = 32 * (32 * warp) + 496, lowest = i % 32 / 2 * 2;
        assert_true(b.params.b[i] == sum + 16 * 1e4 + lowest * 1e6);
    }
    tess_emulator_close(b.emulator);
}

static void atomics_add_up_over_blocks_and_workers(void **state) {
    for (int checked = 0; checked < 2; checked++) {
        bench b = bench_open((tess_emulator_options){.workers = 2, .check = checked});
        bench_pass(&b, "KERNEL(k) { atomic_add(&PARAMS->b[thread_index() % 3], 1.0); }", 500, 96,
                   0);
        assert_true(b.params.b[0] + b.params.b[1] + b.params.b[2] == 500 * 96);
        tess_emulator_close(b.emulator);
    }
}

/* Each thread of 500 blocks takes a number of its own, and the highest one is kept; five of them
 * are first to claim a place, 32 to set a bit. */
static void atomics_give_numbers_and_keep_the_most(void **state) {
    for (int checked = 0; checked < 2; checked++) {
        bench b = bench_open((tess_emulator_options){.workers = 2, .check = checked});
        bench_pass(
            &b,
            "KERNEL(k) {\n"
            "    int *numbers = (int *)PARAMS->b;\n"
            "    const int own = atomic_take(&numbers[0], 1);\n"
            "    atomic_max((unsigned *)&numbers[1], (unsigned)own);\n"
            "    atomic_max((unsigned long long *)&numbers[2], 1ull << 40 | own % 7);\n"
            "    if (atomic_claim(&numbers[6 + own % 5], own + 1) == 0)\n"
            "        atomic_add(&numbers[4], 1);\n"
            "    if (!(atomic_or((unsigned *)&numbers[5], 1u << own % 32) >> own % 32 & 1))\n"
            "        atomic_add(&numbers[4], 100);\n"
            "}\n",
            500, 96, 0);
        const int *numbers = (const int *)b.params.b;
        assert_int_equal(numbers[0], 500 * 96);
        assert_int_equal(numbers[1], 500 * 96 - 1);
        assert_int_equal(*(const uint64_t *)&numbers[2], UINT64_C(1) << 40 | 6);
        assert_int_equal(numbers[4], 5 + 32 * 100);
        assert_int_equal(numbers[5], -1);
        for (int i = 0; i < 5; i++)
            assert_int_equal((numbers[6 + i] - 1) % 5, i);
        tess_emulator_close(b.emulator);
    }
}

static void launches_that_no_gpu_takes_are_refused(void **state) {
    static const struct {
        int n_blocks, threads, shared_bytes;
        const char *words;
    } cases[] = {
        {0, 32, 0, "a launch of 0 blocks: CUDA takes 1 to 2147483647"},
        {1, 0, 0, "a block of 0 threads: it has 1 to 1024"},
        {1, 1025, 0, "a block of 1025 threads"},
        {1, 32, TESS_SHARED_MAX + 1, "bytes of shared memory a block: the emulator has"},
    };
    bench b = bench_open(CHECKED);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(bench_run(&b, "KERNEL(k) { (void)PARAMS; }", cases[i].n_blocks,
                                   cases[i].threads, cases[i].shared_bytes),
                         TESS_ERROR_USAGE);
        assert_non_null(strstr(tess_message(), cases[i].words));
    }
    tess_emulator_close(b.emulator);
}

static void finds_divergent_barriers(void **state) {
    finds("KERNEL(k) { if (thread_index() < 7) barrier(); }", 1, 32, 0,
          "divergent barrier of block 0: thread 0 waits here, thread 7 has ended");
    finds("KERNEL(k) {\n if (thread_index() < 7)\n barrier();\n else\n barrier(); }", 1, 32, 0,
          "kernel.cu:3: divergent barrier of block 0: thread 0 waits here, thread 7 waits at a "
          "barrier (kernel.cu:5)");
}

static void finds_wrong_masks(void **state) {
    finds("KERNEL(k) { PARAMS->b[0] = shuffle(0x7fffffffu, 1.0, 0); }", 1, 32, 0,
          "thread 31: its mask 0x7fffffff leaves out the lane itself");
    finds("KERNEL(k) { if (lane() < 16) warp_barrier(ALL_LANES); }", 1, 32, 0,
          "names lane 16, which has ended");
    finds(
        "KERNEL(k) {\n if (lane() < 16)\n warp_barrier(ALL_LANES);\n else\n barrier(); }", 1, 32, 0,
        "kernel.cu:3: warp_barrier by block 0, thread 0: its mask 0xffffffff names lane 16, which "
        "waits at a barrier (kernel.cu:5)");
    finds("KERNEL(k) { if (lane() < 16) PARAMS->b[0] = shuffle(0xffffu, 1.0, 20); }", 1, 32, 0,
          "shuffles from lane 20");
    finds("KERNEL(k) { if (lane() < 16) PARAMS->b[0] = shuffle_xor(0xffffu, 1.0, 16); }", 1, 32, 0,
          "which its mask 0x0000ffff leaves out");
}

/* Lanes that read what others of the warp wrote, behind a vote and a shuffle alone. */
static void finds_races_that_votes_do_not_order(void **state) {
    static const char text[] = "KERNEL(k) {\n"
                               "    const struct params *p = PARAMS;\n"
                               "    double *s = (double *)shared_memory();\n"
                               "    store(&s[lane()], load(&p->a[lane()]));\n"
                               "    const unsigned odd = ballot(ALL_LANES, lane() & 1);\n"
                               "    const int other = shuffle(ALL_LANES, 31 - lane(), lane());\n"
                               "    %s\n"
                               "    store(&p->b[lane()], load(&s[other]) + count_lanes(odd));\n"
                               "}\n";
    char kernel[1024];
    snprintf(kernel, sizeof kernel, text, "");
    finds(kernel, 1, 32, 32 * 8, "a race on byte ");
    snprintf(kernel, sizeof kernel, text, "warp_barrier(ALL_LANES);");
    bench b = bench_open(CHECKED);
    bench_pass(&b, kernel, 1, 32, 32 * 8);
    tess_emulator_close(b.emulator);
}

static void finds_races(void **state) {
    /* two threads of a block on one word */
    finds("KERNEL(k) { plain_add(&PARAMS->b[thread_index() / 2], 1.0); }", 1, 32, 0,
          "a race on byte ");
    /* two blocks, each alone in itself: a wrong block colour */
    finds("KERNEL(k) { plain_add(&PARAMS->b[thread_index() + block_index() * 31], 1.0); }", 2, 32,
          0, "a race on byte 248 of b with plain_add at kernel.cu:1 by block ");
    /* plain in one block, atomic in the other: a border point taken for an inner one */
    finds("KERNEL(k) { if (block_index()) plain_add(&PARAMS->b[0], 1.0); "
          "else atomic_add(&PARAMS->b[0], 1.0); }",
          2, 1, 0, "a race on byte 0 of b");
    /* a barrier removed between writing and reading shared memory */
    finds("KERNEL(k) { double *s = (double *)shared_memory(); store(&s[thread_index()], 1.0);\n"
          "barrier(); store(&s[thread_index()], 2.0);\n"
          "PARAMS->b[thread_index()] = load(&s[thread_index() ^ 1]); }",
          1, 32, 256, "of shared memory with ");
    /* written after others read it */
    finds("KERNEL(k) { double *s = (double *)shared_memory(); store(&s[thread_index()], 1.0);\n"
          "barrier(); PARAMS->b[thread_index()] = load(&s[0]);\n"
          "if (thread_index() == 40) store(&s[0], 2.0); }",
          1, 64, 512, "of shared memory with ");
}

static void a_warp_barrier_orders_one_warp_only(void **state) {
    static const char kernel[] =
        "KERNEL(k) { double *s = (double *)shared_memory(); store(&s[thread_index()], 1.0);\n"
        "warp_barrier(ALL_LANES);\n"
        "PARAMS->b[thread_index()] = load(&s[(thread_index() + %d) %% block_threads()]); }";
    char text[400];
    snprintf(text, sizeof text, kernel, 0);
    bench b = bench_open(CHECKED);
    bench_pass(&b, text, 1, 64, 512);
    tess_emulator_close(b.emulator);
    snprintf(text, sizeof text, kernel, 32);
    tess_emulator_options options = CHECKED;
    b = bench_open(options);
    assert_int_equal(bench_run(&b, text, 1, 64, 512), TESS_ERROR_CHECK);
    tess_emulator_close(b.emulator);
}

static void finds_accesses_out_of_bounds(void **state) {
    finds(REVERSE, 1, 64, 64 * 8 - 32, "past the end of the block's 480 bytes of shared memory");
    finds("KERNEL(k) { store(&PARAMS->b[PARAMS->n + thread_index()], 1.0); }", 1, 1, 0,
          "past the end of b");
    finds("KERNEL(k) { double *s = (double *)shared_memory(); PARAMS->b[0] = load(&s[0]); }", 1, 1,
          64, "which nobody wrote");
    finds("KERNEL(k) { float *s = (float *)shared_memory(), v[4] = {0}; atomic_add4(s, v); }", 1, 1,
          64, "atomic_add4 is for global memory, not for shared");
    finds("KERNEL(k) { float v[4] = {0}; atomic_add4((float *)PARAMS->b + 2, v); }", 1, 1, 0,
          "is not aligned to 16 bytes");
    finds("KERNEL(k) { PARAMS->b[0] = fetch(&PARAMS->a[0]); store(&PARAMS->a[0], 1.0); }", 1, 1, 0,
          "a is fetched and written");
}

static void finds_copies_that_are_not_waited_for(void **state) {
    static const char begin[] =
        "KERNEL(k) { double *s = (double *)shared_memory(); const int t = thread_index();\n"
        "async_copy(&s[t], &PARAMS->a[t]);\n";
    char text[400];
    snprintf(text, sizeof text,
             "%sasync_wait(); barrier(); store(&PARAMS->b[t], load(&s[t ^ 1])); }", begin);
    bench b = bench_open(CHECKED);
    bench_pass(&b, text, 1, 64, 512);
    for (int i = 0; i < 64; i++)
        assert_true(b.params.b[i] == (i ^ 1));
    tess_emulator_close(b.emulator);
    snprintf(text, sizeof text, "%sstore(&PARAMS->b[t], load(&s[t])); async_wait(); }", begin);
    finds(text, 1, 64, 512, "of shared memory is being copied there and not waited for");
    snprintf(text, sizeof text, "%sstore(&s[t], 1.0); async_wait(); }", begin);
    finds(text, 1, 64, 512, "of shared memory is being copied there and not waited for");
    snprintf(text, sizeof text, "%sbarrier(); async_wait(); }", begin);
    finds(text, 1, 64, 512, "1 asynchronous copies of its own are not waited for");
    snprintf(text, sizeof text, "%s}", begin);
    finds(text, 1, 64, 512, ": 1 asynchronous copies of its own are not waited for");
    /* waited for by the thread itself, but no barrier before another reads */
    snprintf(text, sizeof text, "%sasync_wait(); store(&PARAMS->b[t], load(&s[t ^ 1])); }", begin);
    finds(text, 1, 64, 512, "of shared memory");
}

static void finds_runs_that_are_not_waited_for(void **state) {
    static const char begin[] =
        "KERNEL(k) { double *s = (double *)shared_memory() + 2 * thread_index();\n"
        "store(&s[0], thread_index() + 1.0); store(&s[1], 2.0);\n"
        "async_add_run(&PARAMS->b[2 * (thread_index() % 3)], s, 2);\n";
    char text[600];
    snprintf(text, sizeof text, "%sasync_add_wait(); store(&s[0], 9.0); }", begin);
    bench b = bench_open(CHECKED);
    bench_pass(&b, text, 1, 64, 1024);
    assert_true(b.params.b[0] == 22 * 21 / 2 * 3 + 22 && b.params.b[3] == 2 * 21);
    assert_int_equal(tess_emulator_counters(b.emulator)->atomics, 64);
    assert_int_equal(tess_emulator_counters(b.emulator)->atomic_sectors, 64);
    tess_emulator_close(b.emulator);
    snprintf(text, sizeof text, "%sstore(&s[1], 9.0); async_add_wait(); }", begin);
    finds(text, 1, 64, 1024, "of shared memory is being added from there and not waited for");
    snprintf(text, sizeof text, "%sbarrier(); async_add_wait(); }", begin);
    finds(text, 1, 64, 1024, "1 runs of its own are being added and not waited for");
    snprintf(text, sizeof text, "%s}", begin);
    finds(text, 1, 64, 1024, ": 1 runs of its own are being added and not waited for");
    snprintf(text, sizeof text, "%sasync_add_wait(); store(&PARAMS->b[0], 1.0); }", begin);
    finds(text, 1, 64, 1024, "a race on byte");
}

static void finds_runs_that_cannot_be_added(void **state) {
    static const char *const texts[][2] = {
        {"async_add_run(&PARAMS->b[1], s, 2)", "are no whole pieces of 16"},
        {"async_add_run(PARAMS->b, s + 1, 2)", "are no whole pieces of 16"},
        {"async_add_run(PARAMS->b, s, 1)", "are no whole pieces of 16"},
        {"async_add_run(PARAMS->b, s, 0)", "are no whole pieces of 16"},
        {"async_add_run(PARAMS->b, s, 4)", "past the end of the block's 16 bytes"},
        {"async_add_run(&PARAMS->b[PARAMS->n], s, 2)", "past the end of b"},
        {"async_add_run(s, s, 2)", "only global memory is added to"},
        {"async_add_run(PARAMS->b, PARAMS->a, 2)", "only shared memory is added from"},
        {"async_add_run(PARAMS->b, s, 2000)", "more than the 4096 of a run"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "KERNEL(k) { double *s = (double *)shared_memory(); store(&s[0], 1.0);\n"
                 "store(&s[1], 1.0); %s; async_add_wait(); }",
                 texts[i][0]);
        finds(text, 1, 1, 16, texts[i][1]);
    }
    finds("KERNEL(k) { double *s = (double *)shared_memory(); store(&s[0], 1.0);\n"
          "async_add_run(PARAMS->b, s, 2); async_add_wait(); }",
          1, 1, 16, "which nobody wrote");
}

/* Rows of four doubles, 48 bytes apart, in pieces of 16: of eight lanes at a time no two meet in a
 * bank; value by value two lanes of 16 do. */
static void rows_travel_in_pieces(void **state) {
    static const char begin[] = "KERNEL(k) { double *s = (double *)shared_memory() + 6 * "
                                "thread_index(), v[4] = {1, 2, 3, 4};\n";
    char text[600];
    bench b = bench_open(CHECKED);
    snprintf(text, sizeof text,
             "%sstore_run(s, v, 4); load_run(v, s, 4);\n"
             "for (int d = 0; d < 4; d++) plain_add(&PARAMS->a[thread_index()], v[d]); }",
             begin);
    bench_pass(&b, text, 1, 32, 1536);
    assert_int_equal(tess_emulator_counters(b.emulator)->shared_wavefronts, 2 * 2 * 4);
    assert_int_equal(tess_emulator_counters(b.emulator)->shared_bank_conflicts, 0);
    tess_emulator_close(b.emulator);
    snprintf(text, sizeof text, "%sstore_run(s + 1, v, 2); }", begin);
    finds(text, 1, 32, 1536, "aligned");
    snprintf(text, sizeof text, "%sload_run(v, s, 2); store(&PARAMS->a[0], v[0]); }", begin);
    finds(text, 1, 1, 1536, "which nobody wrote");
    snprintf(text, sizeof text, "%sstore_run(s - 6 * thread_index(), v, 4); }", begin);
    finds(text, 1, 32, 1536, "a race on byte");
}

static void finds_what_cannot_be_brought_near(void **state) {
    bench b = bench_open(CHECKED);
    bench_pass(&b,
               "KERNEL(k) { prefetch_run(&PARAMS->a[2], 32);\n"
               "prefetch_run(&PARAMS->a[0], (int)PARAMS->n * 8); }",
               1, 1, 0);
    assert_int_equal(tess_emulator_counters(b.emulator)->read_sectors, 0);
    tess_emulator_close(b.emulator);
    finds("KERNEL(k) { prefetch_run(&PARAMS->a[1], 32); }", 1, 1, 0, "no whole pieces of 16");
    finds("KERNEL(k) { prefetch_run(&PARAMS->a[2], 24); }", 1, 1, 0, "no whole pieces of 16");
    finds("KERNEL(k) { prefetch_run(&PARAMS->a[2], 0); }", 1, 1, 0, "no whole pieces of 16");
    finds("KERNEL(k) { prefetch_run(&PARAMS->b[PARAMS->n - 2], 32); }", 1, 1, 0,
          "past the end of b");
    finds("KERNEL(k) { prefetch_run(shared_memory(), 16); }", 1, 1, 64, "not shared");
}

static void refuses_a_text_with_the_compilers_words(void **state) {
    tess_c_module *module = NULL;
    assert_int_equal(
        tess_c_module_open("int f(void) { return nothing_of_the_kind; }", "-O1", &module),
        TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "nothing_of_the_kind"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_exchange_through_shared_memory),
        cmocka_unit_test(warp_words_give_what_they_say),
        cmocka_unit_test(atomics_add_up_over_blocks_and_workers),
        cmocka_unit_test(atomics_give_numbers_and_keep_the_most),
        cmocka_unit_test(launches_that_no_gpu_takes_are_refused),
        cmocka_unit_test(finds_divergent_barriers),
        cmocka_unit_test(finds_wrong_masks),
        cmocka_unit_test(finds_races),
        cmocka_unit_test(finds_races_that_votes_do_not_order),
        cmocka_unit_test(a_warp_barrier_orders_one_warp_only),
        cmocka_unit_test(finds_accesses_out_of_bounds),
        cmocka_unit_test(finds_copies_that_are_not_waited_for),
        cmocka_unit_test(finds_runs_that_are_not_waited_for),
        cmocka_unit_test(finds_runs_that_cannot_be_added),
        cmocka_unit_test(rows_travel_in_pieces),
        cmocka_unit_test(finds_what_cannot_be_brought_near),
        cmocka_unit_test(refuses_a_text_with_the_compilers_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
