/* What the emulator counts, on kernels written for it. */
#include "emulator_bench.h"

static void counts_sectors_lanes_and_conflicts(void **state) {
    bench b = bench_open(CHECKED);
    bench_pass(&b,
               "KERNEL(k) {\n"
               "    const struct params *p = PARAMS;\n"
               "    double *s = (double *)shared_memory();\n"
               "    float *f = (float *)(s + 32 * 16);\n"
               "    const int t = thread_index();\n"
               "    double v = fetch(&p->a[t]);\n"           /* 8 sectors */
               "    if (t % 4 == 0) v += fetch(&p->a[t]);\n" /* 8 sectors, 8 lanes */
               "    atomic_add(&p->b[t / 8], v);\n"          /* 1 sector, 32 atomics */
               "    store(&s[t * 16], v);\n" /* all in banks 0, 1: 2 x 16 wavefronts */
               "    store(&f[t], 1.0f);\n"   /* 1 wavefront */
               "}\n",
               1, 32, 32 * 16 * 8 + 128);
    const tess_counters *c = tess_emulator_counters(b.emulator);
    assert_int_equal(c->instructions, 5);
    assert_int_equal(c->active_lanes, 4 * 32 + 8);
    assert_int_equal(c->read_sectors, 16);
    assert_int_equal(c->atomic_sectors, 1);
    assert_int_equal(c->atomics, 32);
    assert_int_equal(c->write_sectors, 0);
    assert_int_equal(c->shared_wavefronts, 33);
    assert_int_equal(c->shared_bank_conflicts, 30);
    tess_emulator_close(b.emulator);
}

/* As counted by an H200 (docs/results/emulator.md). */
static void loads_of_few_lanes_go_together(void **state) {
    bench b = bench_open(CHECKED);
    bench_pass(&b,
               "KERNEL(k) {\n"
               "    double *s = (double *)shared_memory();\n"
               "    const int t = thread_index();\n"
               "    store(&s[t], 0.0);\n" /* 2 wavefronts: a store of two halves */
               "    barrier();\n"
               "    double v = load(&s[t]);\n"                  /* 2: and a load */
               "    if (t == 0 || t == 16) v += load(&s[t]);\n" /* 2: one bank */
               "    if (t == 0 || t == 24) v += load(&s[t]);\n" /* 1: two banks */
               "    if (t % 16 == 0) store(&s[t], v);\n"        /* 2: no store goes so */
               "    barrier();\n"
               "    v += load(&s[t / 4]);\n"                   /* 1: neighbours agree */
               "    if (t < 2 || t == 16) v += load(&s[t]);\n" /* 2: by next ones */
               "    if (t < 3 || t == 16) v += load(&s[t]);\n" /* 2: two halves */
               "    PARAMS->b[0] = v;\n"
               "}\n",
               1, 32, 32 * 8);
    const tess_counters *c = tess_emulator_counters(b.emulator);
    assert_int_equal(c->shared_wavefronts, 14);
    assert_int_equal(c->shared_bank_conflicts, 2);
    tess_emulator_close(b.emulator);
}

/* Copies of 32 values of 8 bytes, from these places of a to 32 that lie side by side: conflicts as
 * an H200 counts them. */
static const struct {
    int conflicts, from[32];
} copies[] = {
    {3, {24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37,  38,  48,
         58, 66, 69, 70, 74, 75, 76, 77, 78, 79, 89, 90, 91, 101, 102, 103}},
    {1, {31, 32, 33, 35, 36, 37, 38, 42, 43, 47, 48, 56, 57, 58, 59, 60,
         61, 62, 63, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79}},
    {2, {33, 34, 41, 42, 43, 44, 45, 46, 47, 48, 58, 59, 60, 61, 62, 63,
         64, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 88, 89, 90}},
    {4, {7,  8,  9,  10, 11, 12, 19, 20, 21, 28, 30, 31, 37, 38,  43,  44,
         51, 52, 61, 62, 63, 68, 72, 77, 84, 85, 86, 87, 92, 100, 101, 102}},
};

static int copied(const char *from, const int *map) {
    bench b = bench_open(CHECKED);
    char text[400];
    if (map)
        memcpy(b.params.map, map, 32 * sizeof *map);
    snprintf(text, sizeof text,
             "KERNEL(k) { double *s = (double *)shared_memory(); const int t = thread_index();\n"
             "    async_copy(&s[t], &PARAMS->a[%s]); async_wait(); }",
             from);
    bench_pass(&b, text, 1, 32, 32 * 8);
    const int64_t conflicts = tess_emulator_counters(b.emulator)->shared_bank_conflicts;
    tess_emulator_close(b.emulator);
    return (int)conflicts;
}

static void copies_go_by_the_lines_they_come_from(void **state) {
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        assert_int_equal(copied("fetch(&PARAMS->map[t])", copies[i].from), copies[i].conflicts);
    assert_int_equal(copied("t", NULL), 0);     /* two lines, half a warp each */
    assert_int_equal(copied("t + 3", NULL), 0); /* three */
    assert_int_equal(copied("t / 2", NULL), 2); /* a value goes to one lane at a time */
    assert_int_equal(copied("4 * t", NULL),
                     6); /* eight lines, four at a time, four banks of each */
}

/* Copies of 4 bytes by one warp, places in words, negative where a lane takes no part: as an H200
 * counts them. The first is of volna's edges, lines of 128 bytes far apart; the second of its rates
 * in AoS; the others turn rows into columns. */
static const struct {
    int wavefronts, conflicts, from[32], to[32];
} copies_of_words[] = {
    {2,
     0,
     {7965,  7966,  7967,  7968,  7969,  7970,  10587, 10588, 10589, 10590, 10591,
      10592, 10593, 10594, 10595, 10596, 10597, 10598, 10599, 10600, 10601, 10602,
      10603, 10604, -1,    -1,    -1,    -1,    -1,    -1,    -1,    -1},
     {1104, 1105, 1106, 1107, 1108, 1109, 1110, 1111, 1112, 1113, 1114,
      1115, 1116, 1117, 1118, 1119, 1120, 1121, 1122, 1123, 1124, 1125,
      1126, 1127, 0,    0,    0,    0,    0,    0,    0,    0}},
    {5,
     3,
     {7636, 7637, 7638, 7639, 7640, 7641, 7642, 7643, 7644, 7645, 7646,
      7647, 7648, 7649, 7988, 7989, 7990, 7991, 7992, 7993, 7994, 7995,
      7996, 7997, 7998, 7999, 8000, 8001, 8002, 8003, 8004, 8005},
     {1320, 1548, 1321, 1549, 1322, 1550, 1323, 1551, 1324, 1552, 1325,
      1553, 1326, 1554, 1327, 1555, 1328, 1556, 1329, 1557, 1330, 1558,
      1331, 1559, 1332, 1560, 1333, 1561, 1334, 1562, 1335, 1563}},
    {12,
     10,
     {0,  1,  2,  3,  4,   505, 506, 507, 508, 509,  1010, 1011, 1012, 1013, 1014, 15,
      16, 17, 18, 19, 520, 521, 522, 523, 524, 1025, 1026, 1027, 1028, 1029, 30,   31},
     {0,  96,  192, 288, 384, 1,   97,  193, 289, 385, 2,   98,  194, 290, 386, 3,
      99, 195, 291, 387, 4,   100, 196, 292, 388, 5,   101, 197, 293, 389, 6,   102}},
    {4,
     2,
     {0,   1,   202, 203, 404, 405, 6,   7,   208, 209, 410, 411, 12,  13,  214, 215,
      416, 417, 18,  19,  220, 221, 422, 423, 24,  25,  226, 227, 428, 429, 30,  31},
     {0, 100, 1, 101, 2,  102, 3,  103, 4,  104, 5,  105, 6,  106, 7,  107,
      8, 108, 9, 109, 10, 110, 11, 111, 12, 112, 13, 113, 14, 114, 15, 115}},
};

static void copies_wait_for_those_before_them(void **state) {
    for (size_t i = 0; i < sizeof copies_of_words / sizeof *copies_of_words; i++) {
        bench b = bench_open(CHECKED);
        void *far = NULL;
        OK(tess_emulator_alloc(b.emulator, "far", 1 << 16, &far));
        b.params.a = far;
        memcpy(b.params.map, copies_of_words[i].from, sizeof copies_of_words[i].from);
        memcpy(b.params.map + 32, copies_of_words[i].to, sizeof copies_of_words[i].to);
        bench_pass(&b,
                   "KERNEL(k) { float *s = (float *)shared_memory();\n"
                   "    const float *a = (const float *)PARAMS->a;\n"
                   "    const int from = fetch(&PARAMS->map[thread_index()]);\n"
                   "    const int to = fetch(&PARAMS->map[32 + thread_index()]);\n"
                   "    if (from >= 0) async_copy(&s[to], &a[from]);\n"
                   "    async_wait(); }\n",
                   1, 32, 2048 * 4);
        const tess_counters *c = tess_emulator_counters(b.emulator);
        assert_int_equal(c->shared_wavefronts, copies_of_words[i].wavefronts);
        assert_int_equal(c->shared_bank_conflicts, copies_of_words[i].conflicts);
        tess_emulator_close(b.emulator);
    }
}

/* Half a warp copies from line 0, the other half from line 2^bit + 0 to 3, bit 2 to 18: which of
 * these four goes after line 0, not with it, on an H200. */
static void lines_are_looked_up_in_four_tables(void **state) {
    static const int alone[] = {1, 2, 3, 1, 2, 3, 2, 1, 2, 1, 3, 1, 3, 2, 1, 3, 1};
    enum { N_BITS = sizeof alone / sizeof *alone };
    for (int other = 0; other < 4; other++) {
        bench b = bench_open(CHECKED);
        void *far = NULL;
        OK(tess_emulator_alloc(b.emulator, "far", (1 << 25) + 1024, &far));
        b.params.a = far;
        for (int i = 0; i < N_BITS; i++)
            b.params.map[i] = (4 << i) + (alone[i] ^ other);
        bench_pass(&b,
                   "KERNEL(k) { float *s = (float *)shared_memory();\n"
                   "    const float *a = (const float *)PARAMS->a;\n"
                   "    const int t = thread_index(), line = fetch(&PARAMS->map[block_index()]);\n"
                   "    async_copy(&s[t], &a[t < 16 ? t : 32 * line + t]);\n"
                   "    async_wait(); }\n",
                   N_BITS, 32, 128);
        const tess_counters *c = tess_emulator_counters(b.emulator);
        assert_int_equal(c->shared_wavefronts, other == 0 ? 2 * N_BITS : N_BITS);
        assert_int_equal(c->shared_bank_conflicts, 0);
        tess_emulator_close(b.emulator);
    }
}

/* Four corners of an element by a function of all four; one is wanted (bookleaf's nodes). */
static void what_is_read_for_nothing_is_not_read(void **state) {
    bench b = bench_open(CHECKED);
    bench_pass(&b,
               "struct element { double corner[4], sum[4]; };\n"
               "static inline void kernel(const double *corner, double *sum) {\n"
               "    for (int i = 0; i < 4; i++) sum[i] += 2 * corner[i]; }\n"
               "INLINE double one(const struct params *p, int slot) {\n"
               "    struct element e;\n"
               "    for (int i = 0; i < 4; i++) e.corner[i] = fetch(&p->a[64 * i]);\n"
               "    for (int i = 0; i < 4; i++) e.sum[i] = 0;\n"
               "    kernel(e.corner, e.sum);\n"
               "    return e.sum[slot]; }\n"
               "KERNEL(k) { double *s = (double *)shared_memory(); store(&s[0], 1.0);\n"
               "    const double unused = load(&s[0]); (void)unused;\n"
               "    double v = 0;\n"
               "    switch (fetch(&PARAMS->map[2])) {\n"
               "    case 0: v = one(PARAMS, 0); break;\n"
               "    case 1: v = one(PARAMS, 1); break; }\n"
               "    store(&PARAMS->b[0], v); }\n",
               1, 1, 8);
    const tess_counters *c = tess_emulator_counters(b.emulator);
    assert_true(b.params.b[0] == 128);
    assert_int_equal(c->instructions, 4); /* a store, the map, a corner, a store */
    assert_int_equal(c->read_sectors, 2);
    tess_emulator_close(b.emulator);
}

/* An element has a value for either end; a GPU reads both and takes one (volna's `source`). */
static void what_one_branch_uses_is_read_by_all(void **state) {
    bench b = bench_open(CHECKED);
    for (int t = 0; t < 32; t++)
        b.params.map[t] = 2 + t % 2;
    bench_pass(&b,
               "KERNEL(k) { float *s = (float *)shared_memory();\n"
               "    const int t = thread_index(), word = fetch(&PARAMS->map[t]);\n"
               "    store(&s[t], 1.0f); store(&s[32 + t], 2.0f); barrier();\n"
               "    float sum[2] = {0, 0};\n"
               "    UNROLL for (int round = 0; round < 3; round++) {\n"
               "        TURN(round);\n"
               "        const int entry = word >> 4 * round & 15, end = entry & 1;\n"
               "        if (entry == 0) continue;\n"
               "        float of[2], to[2][2];\n"
               "        UNROLL for (int d = 0; d < 2; d++) of[d] = load(&s[32 * d + t]);\n"
               "        to[0][0] = of[0] * (float)entry; to[0][1] = of[0] / (float)entry;\n"
               "        to[1][0] = -of[1] * (float)entry; to[1][1] = -of[1] / (float)entry;\n"
               "        if (end == 0) UNROLL for (int d = 0; d < 2; d++) sum[d] += to[0][d];\n"
               "        if (end == 1) UNROLL for (int d = 0; d < 2; d++) sum[d] += to[1][d];\n"
               "    }\n"
               "    store(&PARAMS->b[t], sum[0] + sum[1]); }\n",
               1, 32, 256);
    assert_true(b.params.b[2] == 2.5 && b.params.b[3] < -6);
    const tess_counters *c = tess_emulator_counters(b.emulator);
    assert_int_equal(c->instructions, 6);
    assert_int_equal(c->active_lanes, 6 * 32);
    assert_int_equal(c->shared_wavefronts, 4);
    tess_emulator_close(b.emulator);
}

/* Adding is a load and a store. */
static void plain_adds_count_twice(void **state) {
    bench b = bench_open(CHECKED);
    bench_pass(&b,
               "KERNEL(k) { if (thread_index() < 24) plain_add(&PARAMS->b[thread_index()], 1.0); }",
               1, 32, 0);
    const tess_counters *c = tess_emulator_counters(b.emulator);
    assert_int_equal(c->instructions, 2);
    assert_int_equal(c->active_lanes, 2 * 24);
    assert_int_equal(c->read_sectors, 6);
    assert_int_equal(c->write_sectors, 6);
    tess_emulator_close(b.emulator);
}

static void turns_of_a_loop_are_told_apart(void **state) {
    static const char *const loops[] = {"for (int i = 0; i < 2; i++)", "TURNS(i, 0, 2, 1)",
                                        "for (int i = 0; i < 2 && (TURN(i), 1); i++)"};
    for (int told = 0; told < 3; told++) {
        bench b = bench_open(CHECKED);
        char text[320];
        snprintf(text, sizeof text,
                 "KERNEL(k) { const int t = thread_index();\n"
                 "    %s if (i == 1 || t < 16) \n"
                 "    store(&PARAMS->b[32 * i + (i ? t / 16 + t %% 16 * 2 : t)], 1.0); }\n",
                 loops[told]);
        bench_pass(&b, text, 1, 32, 0);
        const tess_counters *c = tess_emulator_counters(b.emulator);
        assert_int_equal(c->active_lanes, 48);
        assert_int_equal(c->instructions, 2);
        /* 16 lanes, then 32 that share their sectors; else 32 that share none, then 16 */
        assert_int_equal(c->write_sectors, told ? 4 + 8 : 4 + 8 + 8);
        tess_emulator_close(b.emulator);
    }
}

static void a_sample_runs_some_blocks(void **state) {
    bench b = bench_open((tess_emulator_options){.workers = 1, .count = true, .sample = 5});
    bench_pass(&b, "KERNEL(k) { store(&PARAMS->b[block_index()], 1.0); }", 100, 1, 0);
    const tess_counters *c = tess_emulator_counters(b.emulator);
    assert_int_equal(c->blocks_executed, 5);
    assert_int_equal(c->blocks_launched, 100);
    assert_true(tess_counters_estimated(c));
    assert_int_equal(c->write_sectors, 100);
    assert_int_equal(c->memory_instructions, 100);
    assert_int_equal(c->memory_lines, 100);
    assert_int_equal(c->block_write_sectors, 100);
    assert_int_equal(c->thread_steps, 5);
    assert_true(b.params.b[0] + b.params.b[20] + b.params.b[40] == 3);
    tess_emulator_close(b.emulator);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_sectors_lanes_and_conflicts),
        cmocka_unit_test(loads_of_few_lanes_go_together),
        cmocka_unit_test(copies_go_by_the_lines_they_come_from),
        cmocka_unit_test(copies_wait_for_those_before_them),
        cmocka_unit_test(lines_are_looked_up_in_four_tables),
        cmocka_unit_test(what_is_read_for_nothing_is_not_read),
        cmocka_unit_test(what_one_branch_uses_is_read_by_all),
        cmocka_unit_test(plain_adds_count_twice),
        cmocka_unit_test(turns_of_a_loop_are_told_apart),
        cmocka_unit_test(a_sample_runs_some_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
