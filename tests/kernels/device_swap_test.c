/* A device swap: on the emulator, which finds races, blocks that swapped elements are the
 * host's, element for element, and reach fewer points; with one thing wrong in the text they are
 * not, or the emulator says why. */
#include "core/base/array.h"
#include "kernels/cut/device_swap.h"
#include "partitioners/slab_cut.h"
#include "tests/core/small_problem.h"
#include "tests/kernels/changed_page.h"

/* Elements at random in a square or cube of cells, their points. */
typedef struct attempt {
    int64_t n;
    int dimension, n_slots;
    int32_t block_size;
    int n_cells; /* along each axis */
    int apart;   /* cells that points of an element are apart, at most, along an axis */
    double wide; /* a cell along the first axis, of 1 along others; 0: 1, too */
} attempt;

static const attempt pairs = {1500, 2, 2, 50, 22, 1, 0}, /* the last group is not full */
    tets = {1300, 3, 4, 64, 7, 1, 0},                    /* the last block neither */
    loose = {4000, 2, 4, 256, 90, 45, 0},                /* points too many for a group */
    few = {40, 1, 3, 7, 12, 1, 0}, ones = {30, 2, 2, 1, 5, 1, 0},
                     one_block = {30, 2, 2, 30, 5, 1, 0}, large = {4200, 2, 2, 2049, 30, 1, 0},
                     two = {4000, 2, 2, 1024, 30, 1, 0}, wide = {1300, 3, 4, 64, 7, 1, 6};

static int32_t point_near(const attempt *a, const double *place, uint64_t *seed) {
    int32_t point = 0;
    for (int d = 0; d < a->dimension; d++) {
        const int at = (int)place[d] + random_below(seed, a->apart + 1);
        point = point * a->n_cells + at % a->n_cells;
    }
    return point;
}

/* The caller frees places and map. */
static tess_cut cut_of(const attempt *a) {
    uint64_t seed = (uint64_t)(a->n + a->n_slots);
    double *places = NULL;
    int32_t *map = NULL;
    OK(TESS_ALLOC(a->n * a->dimension, &places));
    OK(TESS_ALLOC(a->n * a->n_slots, &map));
    for (int64_t i = 0; i < a->n * a->dimension; i++)
        places[i] = random_below(&seed, 1000 * a->n_cells) * 1e-3;
    for (int64_t i = 0; i < a->n * a->n_slots; i++) {
        const int64_t e = i / a->n_slots;
        map[i] = point_near(a, places + e * a->dimension, &seed);
        for (int64_t before = e * a->n_slots; before < i; before++)
            if (map[before] == map[i])
                map[i] = -1;
    }
    for (int64_t e = 0; e < a->n && a->wide > 0; e++)
        places[e * a->dimension] *= a->wide;
    return (tess_cut){.rule = TESS_CUT_LONGEST,
                      .n = a->n,
                      .dimension = a->dimension,
                      .places = places,
                      .block_size = a->block_size,
                      .n_slots = a->n_slots,
                      .map = map};
}

static void cut_free(tess_cut *of) {
    free((double *)of->places);
    free((int32_t *)of->map);
}

/* The points that blocks reach, in all. */
static int64_t count_reached(const tess_cut *of, const int32_t *block_of) {
    const int64_t n_blocks = (of->n + of->block_size - 1) / of->block_size;
    int64_t n_points = 0, n_reached = 0;
    bool *is_reached = NULL;
    for (int64_t i = 0; i < of->n * of->n_slots; i++)
        n_points = of->map[i] >= n_points ? of->map[i] + 1 : n_points;
    OK(TESS_ZEROS(n_blocks * n_points, &is_reached));
    for (int64_t i = 0; i < of->n * of->n_slots; i++) {
        if (of->map[i] < 0)
            continue;
        bool *const at = &is_reached[block_of[i / of->n_slots] * n_points + of->map[i]];
        n_reached += !*at;
        *at = true;
    }
    free(is_reached);
    return n_reached;
}

static void assert_sizes(const tess_cut *of, const int32_t *block_of) {
    const int64_t n_blocks = (of->n + of->block_size - 1) / of->block_size;
    int32_t *size = NULL;
    OK(TESS_ZEROS(n_blocks, &size));
    for (int64_t e = 0; e < of->n; e++) {
        assert_in_range(block_of[e], 0, n_blocks - 1);
        size[block_of[e]]++;
    }
    for (int64_t b = 0; b < n_blocks; b++)
        assert_int_equal(size[b], b + 1 < n_blocks ? of->block_size : of->n - b * of->block_size);
    free(size);
}

static const tess_cut_rule slab_rules[] = {TESS_CUT_SLABS, TESS_CUT_THICK_SLABS};

/* Gives the status where it fails, else CHECK where slabs differ from the host's. */
static tess_status try_slabs(const tess_cut_kernels *kernels, const tess_cut *what) {
    tess_status status = TESS_OK;
    tess_cut_kernels with = *kernels;
    tess_cut by = *what;
    double seconds = 0;
    int32_t *here = NULL, *there = NULL;
    by.n_rounds = 0;
    OK(TESS_ZEROS(what->n, &here));
    OK(TESS_ZEROS(what->n, &there));
    for (int i = 0; i < 2 && status == TESS_OK; i++) {
        by.rule = slab_rules[i];
        OK(tess_slabs_cut(&by, here));
        status = tess_device_cut_refined(&with, &by, there, &seconds);
        if (status == TESS_OK && memcmp(here, there, (size_t)what->n * sizeof *here) != 0)
            status = tess_fail(TESS_ERROR_CHECK, "other slabs");
    }
    free(here);
    free(there);
    return status;
}

/* By a page: gives the status where it fails, else CHECK where blocks differ; the points that
 * blocks reached before and after. */
static tess_status try_page(const char *page, const attempt *a, int64_t reached[2]) {
    const tess_device *device = NULL;
    tess_target *target = NULL;
    tess_cut_kernels kernels;
    tess_cut of = cut_of(a);
    int32_t *here = NULL, *there = NULL;
    double seconds = 0;
    OK(TESS_ZEROS(of.n, &here));
    OK(TESS_ZEROS(of.n, &there));
    OK(tess_device_open("emulator:seed=2:count=no", &device, &target));
    OK(tess_cut_kernels_open(device, target, page, &kernels));
    OK(tess_device_cut_refined(&kernels, &of, here, &seconds));
    reached[0] = count_reached(&of, here);
    of.n_rounds = 2;
    OK(tess_swap_cut(&of, here));
    reached[1] = count_reached(&of, here);
    assert_sizes(&of, here);
    tess_status status = tess_device_cut_refined(&kernels, &of, there, &seconds);
    if (status == TESS_OK && memcmp(here, there, (size_t)of.n * sizeof *here) != 0)
        status = tess_fail(TESS_ERROR_CHECK, "other blocks");
    if (status == TESS_OK)
        status = try_slabs(&kernels, &of);
    tess_cut_kernels_close(&kernels);
    device->close(target);
    free(here);
    free(there);
    cut_free(&of);
    return status;
}

static void blocks_are_those_of_the_host(void **state) {
    static const struct {
        const attempt *on;
        bool improves;
    } cases[] = {{&pairs, true},  {&tets, true},  {&loose, false},
                 {&few, false},   {&ones, false}, {&one_block, false},
                 {&large, false}, {&two, true},   {&wide, true}};
    char *page = NULL;
    OK(tess_cut_page(TESS_CUT_ANEW | TESS_CUT_ENDS, &page));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t reached[2];
        if (try_page(page, cases[i].on, reached) != TESS_OK)
            fail_msg("case %zu: %s", i, tess_message());
        if (reached[1] > reached[0] - cases[i].improves)
            fail_msg("case %zu: %lld points before, %lld after", i, (long long)reached[0],
                     (long long)reached[1]);
    }
    free(page);
}

static const struct {
    const char *from, *to;
    const attempt *on;
} mutants[] = {
    {"(p->round < 0 ? at : (long long)load(&p->members[at]))", "at", &pairs},
    {"((slab ^ strip) & 1", "(slab & 1", &tets},
    {"of->extent[d] - x", "of->extent[d] + x", &tets},
    {"left : size) / 2", "left : size)", &tets},
    {"<< (diagonal ? 0 : 16)", "<< 16", &tets},
    {"load(&p->ids[slab_middle(i, p->n, p->block_size)])", "load(&p->ids[i])", &pairs},
    {"p->diagonal ? (unsigned)load(&p->block_of[e]) : 0", "0", &pairs},
    {"(int)p->diagonal, numbers_of(p, e)));\n    store", "1, numbers_of(p, e)));\n    store",
     &pairs},
    {"fetch(&p->map[id * p->n_slots + s]));\n}", "fetch(&p->map[i * p->n_slots + s]));\n}", &tets},
    {"load(&p->places[first + d]) * scale[d]", "load(&p->places[first + d])", &wide},
    {"i < n ? load(&from[i]) : NO_WORD", "i < n ? load(&from[i]) : 0", &pairs},
    {"sort_in_block(ids, size);", "barrier();", &pairs},
    {"fetch(&p->places[id * dimension + d])", "fetch(&p->places[id + d])", &tets},
    {"(int)p->round, d)", "0, d)", &pairs},
    {"load(&values[at - 1]) > value", "load(&values[at - 1]) < value", &pairs},
    {"position < p->n ? load(&p->ids[position]) : -1", "load(&p->ids[position])", &tets},
    {"        store(g->count, 0);\n    barrier();\n    for (int i",
     "        store(g->count, 0);\n    for (int i", &pairs},
    {"    barrier();\n    g->n_points", "    g->n_points", &pairs},
    {"(n + before)", "(before)", &pairs},
    {"-1u) - 1]", "-1u)]", &pairs},
    {"several |= any & own;\n        any |= own;", "any |= own;\n        several |= any & own;",
     &pairs},
    {"!(atomic_or(&g->is_active[i / WARP], bit) & bit)", "1", &pairs},
    {"goes += !(marks", "goes += !!(marks", &pairs},
    {"lack[k] = (lack[k] & marks) | lack[k - 1]", "lack[k] &= marks", &tets},
    {"lack[k] & some;\n            *cost", "some;\n            *cost", &tets},
    {"& ~(1u << home)", "", &pairs},
    {"drawn >> 27", "drawn >> 31", &pairs},
    {"atomic_max(&g->best", "store(&g->best", &pairs},
    {"cost), i));", "cost), 0));", &pairs},
    {"(int)(drawn >> 8) % SWAP_TRIES", "0", &pairs},
    {">= 2 * SWAP_NO_GAIN", "> 2 * SWAP_NO_GAIN", &pairs},
    {" && !share_a_point(g, pair)", "", &pairs},
    {"is_first(g, pair.first, pair.turn) && ", "", &pairs},
    {"        claim_places(g, pair.second, pair.turn);\n", "", &pairs},
    {"(t ? pair.second : pair.first)", "pair.first", &pairs},
    {"        store(&g->best[one.back], 0);\n", "", &pairs},
    {"if (p->n_slots == 2)", "if (p->n_slots != 2)", &tets},
    {"    barrier();\n    if (pair.first >= 0 && is_first", "    if (pair.first >= 0 && is_first",
     &pairs},
    {"if (g.n_points > swap_points(n_slots))\n        return;", "", &loose},
    {"barrier();\n    UNROLL for (int k = 0; k < ITEMS; k++)\n        if (ids",
     "UNROLL for (int k = 0; k < ITEMS; k++)\n        if (ids", &pairs},
    {"if (ids[k] >= 0)", "if (k * THREADS + thread_index() < g.n)", &tets},
};

static void one_thing_wrong_is_found(void **state) {
    char *page = NULL;
    int64_t reached[2];
    OK(tess_cut_page(TESS_CUT_ANEW | TESS_CUT_ENDS, &page));
    EACH_MUTANT(i, mutants) {
        char *mutant = page_with_nth(page, mutants[i].from, mutants[i].to, 0);
        if (try_page(mutant, mutants[i].on, reached) == TESS_OK)
            fail_msg("mutant %zu ('%s') is not found", i, mutants[i].to);
        free(mutant);
    }
    free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_those_of_the_host),
        cmocka_unit_test(one_thing_wrong_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
