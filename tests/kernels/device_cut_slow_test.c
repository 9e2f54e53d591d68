/* A device cut: on the emulator, which finds races, blocks are the host's, element for element;
 * with one thing wrong in a text they are not, or the emulator says why; and what a device lacks
 * the host does. */
#include "kernels/cut/device_cutter.h"
#include "kernels/cut/device_swap.h"
#include "tests/kernels/changed_page.h"
#include "tests/partitioners/partition_of.h"

#include <math.h>

static const char *const specs[] = {"rcb", "rcb:cut=turns", "rcb:rotate=30", "hilbert"};
enum { N_SPECS = sizeof specs / sizeof specs[0] };

/* Where elements lie. */
typedef enum scatter {
    ANYWHERE,
    GRID,
    ONE_POINT,
    ON_A_LINE,
    NEARLY_TIED,
    ZEROS_OF_BOTH_SIGNS,
    NEAR_OTHERS,
    CLUSTERED,
    NEARLY_SQUARE,
    TIED,
    TIED_IN_NUMBERS,
    N_SCATTERS
} scatter;

static double coordinate(scatter how, int64_t element, int axis, uint64_t *seed) {
    switch (how) {
    case GRID:
        return random_below(seed, 9) * (axis == 1 ? 2.5 : -0.1);
    case ONE_POINT:
        return 1.5;
    case ON_A_LINE:
        return axis == 0 ? (double)(element % 97) : -3;
    case NEARLY_TIED:
        return nextafter(1e3, random_below(seed, 3) * 1e4) +
               1e-3 * (axis == 1) * random_below(seed, 5);
    case ZEROS_OF_BOTH_SIGNS:
        return random_below(seed, 2)   ? -0.0
               : random_below(seed, 2) ? 0.0
                                       : random_below(seed, 7) - 3;
    case NEAR_OTHERS: /* some nearer than keys tell */
        return random_below(seed, 1500) + 1e-9 * random_below(seed, 3);
    case NEARLY_SQUARE: /* parts extend in both directions nearly as far */
        return random_below(seed, 64) * (axis == 1 ? 1 + 1e-12 : 1);
    case CLUSTERED: /* many */
        return 1e9 * (random_below(seed, 8) > 0) + 1e-3 * random_below(seed, 100);
    case TIED: /* many, in two of three planes; in the first one by numbers alone */
        if (axis == 0 && random_below(seed, 3) == 0)
            return 1e-9 * random_below(seed, 5);
        return axis == 0 ? 3e3 + 3e3 * random_below(seed, 2) : random_below(seed, 1500);
    case TIED_IN_NUMBERS: /* but not in coordinates */
        return axis == 0 ? 3e3 * random_below(seed, 3) + 1e-9 * random_below(seed, 5)
                         : random_below(seed, 1500);
    default:
        return ldexp(random_below(seed, 1 << 30) - (1 << 29), random_below(seed, 40) - 20);
    }
}

/* Elements without maps: only places count. The caller frees the coordinates. */
static tess_partition_problem problem_of(scatter how, int64_t n, int dimension,
                                         int32_t block_size) {
    uint64_t seed = (uint64_t)(n + 10 * how + dimension);
    double *places = NULL;
    OK(TESS_ALLOC(n * dimension, &places));
    for (int64_t i = 0; i < n * dimension; i++)
        places[i] = coordinate(how, i / dimension, (int)(i % dimension), &seed);
    return (tess_partition_problem){
        .n_elements = n, .dimension = dimension, .coordinates = places, .block_size = block_size};
}

/* What a partitioner gives, before blocks are numbered along the mesh. */
static void fill(const tess_partition_problem *problem, const char *text, int32_t *block_of) {
    tess_spec *spec = NULL;
    int n = 0;
    const tess_partitioner *partitioner = NULL;
    OK(tess_spec_list_parse(text, &spec, &n));
    OK(tess_partitioner_find(spec->name, &partitioner));
    if (partitioner->partition(problem, spec, block_of) != TESS_OK)
        fail_msg("%s of %lld elements: %s", text, (long long)problem->n_elements, tess_message());
    tess_spec_list_free(spec, n);
}

static void note_place(void *context, const char *place, double seconds) {
    assert_string_equal(place, "emulator");
    assert_true(seconds > 0);
    ++*(int *)context;
}

/* The number of elements that are in another block than the host's. */
static int64_t count_differing(tess_partition_problem *problem, const char *spec,
                               const tess_cutter *cutter) {
    int told = 0;
    int64_t n_differing = 0;
    const tess_observer observer = {.context = &told, .elsewhere = note_place};
    int32_t *here = NULL, *there = NULL;
    OK(TESS_ALLOC(problem->n_elements, &here));
    OK(TESS_ALLOC(problem->n_elements, &there));
    fill(problem, spec, here);
    problem->cutter = cutter;
    problem->observer = &observer;
    fill(problem, spec, there);
    assert_int_equal(told, 1);
    problem->cutter = NULL;
    problem->observer = NULL;
    for (int64_t e = 0; e < problem->n_elements; e++)
        n_differing += here[e] != there[e];
    free(here);
    free(there);
    return n_differing;
}

/* Each spec in one of the dimensions, in turn: a few calls have all pairs. */
static void assert_same_blocks(scatter how, int64_t n, int32_t block_size, const char *device) {
    static int turn = 0;
    tess_device_cutter *cutter = NULL;
    OK(tess_device_cutter_open(device, &cutter));
    for (int s = 0; s < N_SPECS; s++) {
        const int dimension = n < 1000 ? 1 + (turn + s) % 3 : 2 + (turn + s) % 2;
        tess_partition_problem problem = problem_of(how, n, dimension, block_size);
        assert_int_equal(count_differing(&problem, specs[s], tess_device_cutter_face(cutter)), 0);
        free((double *)problem.coordinates);
    }
    turn++;
    tess_device_cutter_close(cutter);
}

static void blocks_are_those_of_the_host(void **state) {
    for (scatter how = 0; how < N_SCATTERS; how++) {
        assert_same_blocks(how, 700, 32, "emulator:count=no:seed=5");
    }
    assert_same_blocks(GRID, 5000, 130, "emulator:count=no");
}

static void any_number_of_elements_and_any_block_size(void **state) {
    static const struct {
        int64_t n;
        int32_t block_size;
    } sizes[] = {{1, 1},     {1, 128},         {2, 1},    {300, 1},    {300, 299},
                 {300, 300}, {300, INT32_MAX}, {4096, 7}, {8193, 4096}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        assert_same_blocks(i % 2 ? GRID : ANYWHERE, sizes[i].n, sizes[i].block_size,
                           "emulator:count=no");
}

/* So many that sums of chunks are scanned, too: 256 digits of 33 tiles are more than one block
 * scans. */
static void many_elements(void **state) {
    tess_device_cutter *cutter = NULL;
    OK(tess_device_cutter_open("emulator:check=no", &cutter));
    tess_partition_problem problem = problem_of(ON_A_LINE, 33 * TESS_CUT_CHUNK - 5, 2, 64);
    assert_int_equal(count_differing(&problem, "hilbert", tess_device_cutter_face(cutter)), 0);
    free((double *)problem.coordinates);
    tess_device_cutter_close(cutter);
}

/* What a page is tried on. */
typedef struct attempt {
    scatter how;
    tess_cut_rule rule;
    int64_t n;
    int dimension;
} attempt;

static const attempt anywhere = {ANYWHERE, TESS_CUT_LONGEST, 6500, 3},
                     turns = {ANYWHERE, TESS_CUT_IN_TURNS, 6500, 3},
                     grid = {GRID, TESS_CUT_LONGEST, 6500, 3},
                     point = {ONE_POINT, TESS_CUT_LONGEST, 6500, 2},
                     zeros = {ZEROS_OF_BOTH_SIGNS, TESS_CUT_LONGEST, 6500, 3},
                     curve = {ANYWHERE, TESS_CUT_HILBERT, 6500, 3},
                     near = {NEAR_OTHERS, TESS_CUT_LONGEST, 6500, 3},
                     square = {NEARLY_SQUARE, TESS_CUT_LONGEST, 13000, 2},
                     clusters = {CLUSTERED, TESS_CUT_LONGEST, 6500, 2},
                     ties = {TIED, TESS_CUT_LONGEST, 7000, 3},
                     near_ties = {TIED_IN_NUMBERS, TESS_CUT_LONGEST, 7000, 2},
                     chunks = {ON_A_LINE, TESS_CUT_HILBERT, 9 * TESS_CUT_CHUNK,
                               1}; /* scanned by one block */

/* Cuts by a page, and gives the status where it fails, else CHECK where blocks differ. */
static tess_status try_page(const char *page, const attempt *a) {
    const tess_device *device = NULL;
    tess_target *target = NULL;
    tess_cut_kernels kernels;
    tess_partition_problem problem = problem_of(a->how, a->n, a->dimension, 50);
    int32_t *here = NULL, *there = NULL;
    double seconds = 0;
    OK(TESS_ALLOC(problem.n_elements, &here));
    OK(TESS_ZEROS(problem.n_elements, &there));
    fill(&problem,
         a->rule == TESS_CUT_HILBERT   ? "hilbert"
         : a->rule == TESS_CUT_LONGEST ? "rcb"
                                       : "rcb:cut=turns",
         here);
    OK(tess_device_open("emulator:seed=2:count=no", &device, &target));
    if (tess_cut_kernels_open(device, target, page, &kernels) != TESS_OK)
        fail_msg("a page does not compile: %s", tess_message());
    const tess_cut what = {.rule = a->rule,
                           .n = a->n,
                           .dimension = a->dimension,
                           .places = problem.coordinates,
                           .block_size = problem.block_size};
    tess_status status = tess_device_cut_refined(&kernels, &what, there, &seconds);
    if (status == TESS_OK && memcmp(here, there, (size_t)problem.n_elements * sizeof *here) != 0)
        status = tess_fail(TESS_ERROR_CHECK, "other blocks");
    tess_cut_kernels_close(&kernels);
    device->close(target);
    free(here);
    free(there);
    free((double *)problem.coordinates);
    return status;
}

static const char race[] = "of shared memory", other[] = "other blocks";
static const struct {
    const char *from, *to;
    int n; /* which of the page */
    const attempt *on;
    const char *words; /* of the message; "": whatever it says */
} mutants[] = {
    {"barrier(); /* parts may", "/* parts may", 0, &chunks, race}, /* scan.cu */
    {"    barrier();\n    UNROLL for (int w", "    UNROLL for (int w", 0, &anywhere, race},
    {"if (lane() == WARP - 1)", "if (lane() == 0)", 0, &chunks, ""},
    {"start += own[i]", "start += i", 0, &curve, ""},
    {"    barrier();\n    UNROLL for (int i = 0; i < ITEMS; i++) {\n        const long long at "
     "= first + i * THREADS",
     "    UNROLL for (int i = 0; i < ITEMS; i++) {\n        const long long at = first + i * "
     "THREADS",
     0, &curve, race}, /* radix_sort.cu */
    {"    barrier();\n    store(&p->values[thread", "    store(&p->values[thread", 0, &curve, race},
    {"    barrier();\n    UNROLL for (int w = 0; w < WARPS; w++) {\n        const int more",
     "    UNROLL for (int w = 0; w < WARPS; w++) {\n        const int more", 0, &curve, race},
    {"    barrier();\n    UNROLL for (int i = 0; i < ITEMS; i++) {\n        const int at = i",
     "    UNROLL for (int i = 0; i < ITEMS; i++) {\n        const int at = i", 0, &curve, race},
    {"    barrier();\n    UNROLL for (int i = 0; i < ITEMS; i++) {\n        const long long at "
     "= first + i * WARP",
     "    UNROLL for (int i = 0; i < ITEMS; i++) {\n        const long long at = first + i * "
     "WARP",
     0, &curve, race},
    {"        warp_barrier(ALL_LANES);\n        if (digit", "        if (digit", 0, &curve, race},
    {"        warp_barrier(ALL_LANES);\n        ranks[i]", "        ranks[i]", 0, &curve, race},
    {"atomic_add(&counts", "plain_add(&counts", 0, &curve, race},
    {"same & ((1u << lane()) - 1)", "same >> lane() >> 1", 0, &chunks, ""},
    {"bits == sign ? sign :", "", 0, &zeros, other}, /* places.cu */
    {"~word > extents[2 * axis] ? ~word", "0 ? ~word", 0, &anywhere, ""},
    {"        store(&shared[rank_in(team)], 0);\n    barrier();",
     "        store(&shared[rank_in(team)], 0);", 0, &curve, race},
    {"                atomic_max(&shared[k], most);\n        }\n    barrier();",
     "                atomic_max(&shared[k], most);\n        }", 0, &curve, race},
    {"atomic_max(&shared", "store(&shared", 0, &curve, race},
    {": pile->axis + w - dimension", ": pile->axis", 0, &grid, other}, /* select_cut.cu */
    {"(unsigned long long)id :", "(unsigned long long)-id :", 0, &point, other},
    {"if (word > load(&s->high[w]))", "if (0)", 0, &grid, ""},
    {"        set_window(s, depth + 1, 0, ~0ull);\n    }\n    barrier();",
     "        set_window(s, depth + 1, 0, ~0ull);\n    }", 0, &grid, race},
    {"    store(&counts[bin], 0);\n    barrier();", "    store(&counts[bin], 0);", 0, &point, race},
    {"    barrier();\n    const int own = load(&counts", "    const int own = load(&counts", 0,
     &point, race},
    {"&& rank < before + own", "&& rank <= before + own", 0, &grid, ""},
    {"    barrier();\n    return works ?", "    return works ?", 0, &point, race},
    {"    barrier();\n    for (int turn", "    for (int turn", 0, &anywhere, race},
    {"    barrier();\n    if (t < n && rank", "    if (t < n && rank", 0, &anywhere, race},
    {"t, depth) == rank", "t, depth) == rank + 1", 0, &anywhere, ""},
    {"atomic_take(&s->n_few, 1));", "load(&s->n_few));\n        plain_add(&s->n_few, 1);", 0,
     &anywhere, race},
    {"&& n_tied > 1", "&& w == from", 0, &grid, ""},
    {"is_tied &= load", "is_tied = 0 & load", 0, &grid, ""},
    {"second + shuffle", "shuffle", 0, &anywhere, ""},
    {"const int half = n_blocks / 2, second", "const int half = (n_blocks + 1) / 2, second", 0,
     &grid, ""}, /* bisect.cu */
    {"extent > longest_extent ? d", "extent >= longest_extent ? d", 0, &grid, other},
    {"n_long > 1 ? -1", "n_long > 3 ? -1", 0, &square, other},
    {"number == box[2 * d + 1]", "0", 0, &square, other},
    {"number < w.low ||", "", 0, &ties, ""},
    {"        store(&counts[b], 0);\n    barrier();", "        store(&counts[b], 0);", 0, &anywhere,
     race},
    {"    barrier();\n    give_bins", "    give_bins", 0, &anywhere, race},
    {"~load(&extents[0]) != load(&extents[1])", "0", 0, &near_ties, ""},
    {"next.before = w.before", "", 0, &ties, ""},
    {"w.before = next.before", "", 0, &ties, ""},
    {"next < w->next_low ? BEFORE", "0 ? BEFORE", 0, &ties, ""},
    {"bin_of(p, &next, key)", "bin_of(p, &w, key)", 0, &ties, ""},
    {"is_wide ? 3 : 1", "is_wide ? 2 : 1", 0, &ties, ""},
    {"atomic_add(&bins[b]", "plain_add(&bins[b]", 0, &anywhere, ""},
    {"    barrier();\n    const unsigned low", "    const unsigned low", 0, &anywhere, race},
    {"barrier(); /* shared memory is free", "/* shared memory is free", 0, &point, race},
    {"store(&p->boxes_out[12 * (long long)index + t], 0)", "", 0, &square, ""},
    {"store(&p->taken[3 * (long long)index + t], 0)", "", 0, &square, ""},
    {"number > halves->box[h][2 * d + 1] ? number", "0 ? number", 0, &anywhere, ""},
    {"        store(&boxes[t], 0);\n    barrier();", "        store(&boxes[t], 0);", 0, &anywhere,
     race},
    {"    barrier();\n    if (t < 12)\n        atomic_max(&p->boxes_out",
     "    if (t < 12)\n        atomic_max(&p->boxes_out", 0, &anywhere, race},
    {"number < w->low ||", "number <= w->low ||", 0, &grid, ""},
    {" + atomic_take(&p->taken[3 * (long long)tile.index + s], sum)", "", 0, &anywhere, "race"},
    {"same = side == s ? there : same", "same = there", 0, &anywhere, ""},
    {"at = side == s ? to[s] : at", "at = to[s]", 0, &anywhere, ""},
    {"to[s] += count_lanes(there)", "", 0, &anywhere, ""},
    {"if (side != NOWHERE)", "", 0, &anywhere, ""},
    {"1u << third * side", "1u << third * (side > 1)", 0, &anywhere, ""},
    {"n >> third * lane()", "n >> lane()", 0, &anywhere, ""},
    {"n += shuffle_xor(ALL_LANES, n, lanes)", "", 0, &anywhere, ""},
    {"    barrier();\n    UNROLL for (int s = 0; s < 3; s++)\n        to[s]",
     "    UNROLL for (int s = 0; s < 3; s++)\n        to[s]", 0, &anywhere, race},
    {"store(&bins_of(p, b / (int)p->n_bins, index)[b % (int)p->n_bins], 0)", "", 0, &anywhere, ""},
    {"enclose(key_axes(p), &halves, !goes, key)", "", 0, &clusters, ""},
    {"    }\n    barrier();\n    for (int level", "    }\n    for (int level", 0, &anywhere,
     race}, /* finish_parts.cu */
    {"~number > box[2 * d] ? ~number", "0 ? ~number", 0, &anywhere, ""},
    {"store(&s->differ, 0);\n    barrier();", "store(&s->differ, 0);", 0, &anywhere, race},
    {"atomic_max(&s->boxes[k], most);\n        }\n    barrier();",
     "atomic_max(&s->boxes[k], most);\n        }", 0, &anywhere, race},
    {"side < 0 && i < of->rows", "0 && i < of->rows", 0, &square, ""},
    {"before <= half && half", "before < half && half", 0, &anywhere, ""},
    {"barrier();\n    choose_bin", "choose_bin", 0, &anywhere, race},
    {"&w, bins, s);\n    barrier();", "&w, bins, s);", 0, &anywhere, race},
    {"barrier(); /* all are read */", "", 0, &anywhere, race},
    {"1u << third * side", "1u << third * (side > 1)", 1, &anywhere, ""},
    {"n >> third * lane()", "n >> lane()", 1, &anywhere, ""},
    {"n_before : n_before + n_inside", "n_before : n_before", 0, &grid, ""},
    {"            }\n        }\n    barrier();\n}", "            }\n        }\n}", 0, &anywhere,
     race},
    {"put_few(p, pile, id, t);\n    barrier();", "put_few(p, pile, id, t);", 0, &anywhere, race},
    {"atomic_or(&s->differ, 1u << w);\n    barrier();", "atomic_or(&s->differ, 1u << w);", 0,
     &anywhere, race},
    {"lowest_lane(differ)", "(int)p->dimension", 0, &anywhere, ""},
    {"ids[rank], id);\n    }\n    barrier();", "ids[rank], id);\n    }", 0, &anywhere, race},
    {"    barrier();\n    for (int i = t; i < n; i += pile->team.size)",
     "    for (int i = t; i < n; i += pile->team.size)", 0, &point, ""},
    {"from + i]));\n    }\n    barrier();", "from + i]));\n    }", 0, &point, race},
    {"(int)p->level + level, (size", "level, (size", 0, &turns, ""},
    {"part.n_blocks > 1 ? part.end", "part.n_blocks > 2 ? part.end", 0, &anywhere, other},
};

static void one_thing_wrong_is_found(void **state) {
    char *page = NULL;
    int n_left = 0;
    OK(tess_cut_page(TESS_CUT_ANEW | TESS_CUT_ENDS, &page));
    const attempt *const attempts[] = {&anywhere, &turns,  &grid,     &point, &zeros,     &curve,
                                       &near,     &square, &clusters, &ties,  &near_ties, &chunks};
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++)
        OK(try_page(page, attempts[i]));
    EACH_MUTANT(i, mutants) {
        char *mutant = page_with_nth(page, mutants[i].from, mutants[i].to, mutants[i].n);
        const tess_status status = try_page(mutant, mutants[i].on);
        if (status == TESS_OK || !strstr(tess_message(), mutants[i].words)) {
            print_error("mutant %zu ('%s'): %s\n", i, mutants[i].to,
                        status == TESS_OK ? "not found" : tess_message());
            n_left++;
        }
        free(mutant);
    }
    assert_int_equal(n_left, 0);
    free(page);
}

/* What a GPU's compiler says of the texts, where it is on the machine. */
static void texts_compile_for_a_gpu(void **state) {
    static const char *const kernels[] = {"count_digits", "place_by_digit", "survey_places",
                                          "count_bins",   "choose_bins",    "count_again",
                                          "divide_parts", "settle_parts",   "finish_parts",
                                          "scan_chunks",  "swap_elements"};
    const tess_device *device = NULL;
    tess_target *target = NULL;
    tess_device_module *module = NULL;
    char *page = NULL;
    if (tess_device_open("nvrtc:sm=90", &device, &target) != TESS_OK) {
        print_message("skipped: %s\n", tess_message());
        skip();
    }
    OK(tess_cut_page(TESS_CUT_ANEW | TESS_CUT_ENDS, &page));
    OK(device->compile(target, page, &module));
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        tess_resources found;
        OK(device->resources(target, module, kernels[i], &found));
        assert_in_range(found.registers, 1, 128);
    }
    device->unload(target, module);
    device->close(target);
    free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_those_of_the_host),
        cmocka_unit_test(any_number_of_elements_and_any_block_size),
        cmocka_unit_test(many_elements),
        cmocka_unit_test(one_thing_wrong_is_found),
        cmocka_unit_test(texts_compile_for_a_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
