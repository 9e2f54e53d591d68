/* A device recut: on the emulator, which finds races, blocks after a change are those that the host
 * joins; with one thing wrong in the text they are not, or the emulator says why. */
#include "core/plan/recut.h"
#include "kernels/cut/device_recut.h"
#include "partitioners/swap.h"
#include "tests/kernels/changed_page.h"
#include "tests/partitioners/partition_of.h"

#include <math.h>

/* Elements in blocks, and what becomes of them. */
typedef struct change {
    int64_t n_before, n;
    int dimension;
    tess_partition before;
    double *places; /* [n][dimension] */
    int32_t *was;   /* [n] */
    int n_rounds;   /* of swaps ... */
    int32_t *map;   /* ... by what elements reach, [n][2] */
} change;

static double *random_places(int64_t n, int dimension, uint64_t *seed) {
    double *places = NULL;
    OK(TESS_ALLOC(n * dimension, &places));
    for (int64_t i = 0; i < n * dimension; i++)
        places[i] = random_below(seed, 1 << 20);
    return places;
}

/* What rcb gives, before blocks are numbered along the mesh. */
static void cut_here(const double *places, int64_t n, int dimension, int32_t block_size,
                     int32_t *block_of) {
    const tess_partition_problem problem = {
        .n_elements = n, .dimension = dimension, .coordinates = places, .block_size = block_size};
    tess_spec *spec = NULL;
    const tess_partitioner *rcb = NULL;
    OK(tess_spec_parse_one("rcb", "partitioner", &spec));
    OK(tess_partitioner_find("rcb", &rcb));
    if (n > 0)
        OK(rcb->partition(&problem, spec, block_of));
    tess_spec_list_free(spec, 1);
}

/* Of each block some elements may go, `lost` of 100 blocks do lose some; n_new come; all are
 * numbered anew. */
static change change_of(int64_t n_before, int lost, int64_t n_new, int dimension, uint64_t seed) {
    enum { BLOCK_SIZE = 50 };
    change c = {.n_before = n_before, .dimension = dimension};
    double *places = random_places(n_before, dimension, &seed);
    int32_t *kept = NULL;
    c.before = (tess_partition){.n_elements = n_before,
                                .block_size = BLOCK_SIZE,
                                .n_blocks = (int32_t)((n_before + BLOCK_SIZE - 1) / BLOCK_SIZE)};
    OK(TESS_ALLOC(n_before, &c.before.block_of));
    OK(TESS_ALLOC(n_before + n_new, &c.was));
    OK(TESS_ALLOC(c.before.n_blocks, &kept));
    cut_here(places, n_before, dimension, BLOCK_SIZE, c.before.block_of);
    for (int32_t b = 0; b < c.before.n_blocks; b++)
        kept[b] = random_below(&seed, 100) >= lost;
    for (int32_t e = 0; e < n_before; e++)
        if (kept[c.before.block_of[e]] || random_below(&seed, 4))
            c.was[c.n++] = e;
    for (int64_t i = 0; i < n_new; i++)
        c.was[c.n++] = -1;
    for (int64_t e = c.n - 1; e > 0; e--) { /* Fisher and Yates */
        const int64_t other = random_below(&seed, (int)e + 1);
        const int32_t was = c.was[e];
        c.was[e] = c.was[other];
        c.was[other] = was;
    }
    c.places = random_places(c.n, dimension, &seed);
    OK(TESS_ALLOC(2 * c.n, &c.map));
    for (int64_t i = 0; i < 2 * c.n; i++) /* two points, by places along an axis */
        c.map[i] = (int32_t)(c.places[i / 2 * dimension] * 0x1p-14) + (int32_t)(i % 2);
    free(kept);
    free(places);
    return c;
}

static void change_free(change *c) {
    free(c->before.block_of);
    free(c->places);
    free(c->was);
    free(c->map);
}

/* As tess_partition_update, but for the numbers of blocks along the mesh. */
static tess_partition *recut_here(const change *c) {
    tess_recut recut;
    tess_partition cut = {.block_size = c->before.block_size}, *joined = NULL;
    double *places = NULL;
    int32_t *map = NULL;
    OK(tess_recut_open(&c->before, c->was, c->n, &recut));
    OK(TESS_ALLOC(recut.n * c->dimension, &places));
    OK(TESS_ALLOC(recut.n, &cut.block_of));
    for (int64_t i = 0; i < recut.n * c->dimension; i++)
        places[i] = c->places[recut.elements[i / c->dimension] * c->dimension + i % c->dimension];
    OK(TESS_ALLOC(2 * recut.n, &map));
    for (int64_t i = 0; i < 2 * recut.n; i++)
        map[i] = c->map[2 * recut.elements[i / 2] + i % 2];
    OK(tess_swap_cut(&(tess_cut){.rule = TESS_CUT_LONGEST,
                                 .n = recut.n,
                                 .dimension = c->dimension,
                                 .places = places,
                                 .block_size = cut.block_size,
                                 .n_slots = 2,
                                 .map = map,
                                 .n_rounds = c->n_rounds},
                     cut.block_of));
    cut.n_elements = recut.n;
    cut.n_blocks = (int32_t)((recut.n + cut.block_size - 1) / cut.block_size);
    OK(tess_recut_join(&recut, &cut, &joined));
    free(places);
    free(map);
    free(cut.block_of);
    tess_recut_close(&recut);
    return joined;
}

/* Cuts by a page, and gives the status where it fails, else CHECK where blocks are not the host's.
 */
static tess_status try_change(const char *page, const change *c) {
    const tess_device *device = NULL;
    tess_target *target = NULL;
    tess_cut_kernels kernels;
    int32_t *there = NULL, n_blocks = -1;
    double seconds = 0;
    OK(TESS_ZEROS(c->n, &there));
    OK(tess_device_open("emulator:seed=2:count=no", &device, &target));
    OK(tess_cut_kernels_open(device, target, page, &kernels));
    const tess_cut what = {.rule = TESS_CUT_LONGEST,
                           .n = c->n,
                           .dimension = c->dimension,
                           .places = c->places,
                           .unchecked = true,
                           .block_size = c->before.block_size,
                           .n_rounds = c->n_rounds,
                           .n_slots = 2,
                           .map = c->map};
    const tess_device_blocks before = {c->n_before, c->before.n_blocks, c->before.block_of, c->was};
    tess_status status = tess_device_recut(&kernels, &what, &before, there, &n_blocks, &seconds);
    if (status == TESS_OK) {
        tess_partition *here = recut_here(c);
        if (here->n_blocks != n_blocks ||
            memcmp(here->block_of, there, (size_t)c->n * sizeof *there) != 0)
            status = tess_fail(TESS_ERROR_CHECK, "other blocks");
        tess_partition_free(here);
    }
    tess_cut_kernels_close(&kernels);
    device->close(target);
    free(there);
    return status;
}

static const struct {
    int64_t n_before;
    int lost; /* of 100 blocks */
    int64_t n_new;
    int dimension, n_rounds;
} changes[] = {{3000, 30, 20, 2, 0}, /* fewer blocks than before */
               {3000, 10, 900, 3, 1} /* more, whose elements are swapped */,
               {3000, 0, 0, 2, 1} /* none is cut */,
               {3000, 100, 5, 1, 0} /* all are */,
               {0, 0, 70, 2, 0}};
enum { N_CHANGES = sizeof changes / sizeof changes[0] };

static change change_number(int i) {
    change c = change_of(changes[i].n_before, changes[i].lost, changes[i].n_new,
                         changes[i].dimension, (uint64_t)i + 3);
    c.n_rounds = changes[i].n_rounds;
    return c;
}

static void blocks_are_those_that_the_host_joins(void **state) {
    char *page = NULL;
    OK(tess_cut_page(TESS_CUT_ANEW | TESS_CUT_ENDS, &page));
    for (int i = 0; i < N_CHANGES; i++) {
        change c = change_number(i);
        if (try_change(page, &c) != TESS_OK)
            fail_msg("change %d: %s", i, tess_message());
        change_free(&c);
    }
    free(page);
}

static void what_cannot_have_been_is_refused(void **state) {
    char *page = NULL;
    OK(tess_cut_page(TESS_CUT_ANEW | TESS_CUT_ENDS, &page));
    static const struct {
        int32_t was[2], block;
        double place;
        const char *words;
    } cases[] = {{{0, 3000}, 0, 0, "element 1 was number 3000: there were 3000, from 0"},
                 {{0, -2}, 0, 0, "element 1 was number -2: there were 3000, from 0"},
                 {{7, 7}, 0, 0, "elements 0 and 1 were both number 7"},
                 {{0, 1}, 60, 0, "element 5 was in block 60: there were 60, from 0"},
                 {{0, 1}, -1, 0, "element 5 was in block -1: there were 60, from 0"},
                 {{0, -1}, 0, NAN, "coordinate 0 of element 1 is not finite"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        change c = change_number(2);
        for (int32_t e = 0; e < c.n; e++)
            c.was[e] = e < 2 ? cases[i].was[e] : -1;
        c.before.block_of[5] = cases[i].block;
        c.places[2] = cases[i].place;
        assert_int_equal(try_change(page, &c), TESS_ERROR_INPUT);
        assert_non_null(strstr(tess_message(), cases[i].words));
        change_free(&c);
    }
    change c = change_number(2); /* of which few are cut, and this is not their number there */
    c.was[2000] = -1;
    c.places[2 * 2000 + 1] = NAN;
    assert_int_equal(try_change(page, &c), TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "coordinate 1 of element 2000 is not finite"));
    change_free(&c);
    free(page);
}

static void more_arrays_than_there_is_room_for_are_refused(void **state) {
    tess_cut_kernels kernels = {.module = NULL};
    tess_address address = 0;
    OK(tess_device_open("emulator", &kernels.device, &kernels.target));
    tess_cut_room room = {.kernels = &kernels};
    const int most = sizeof room.taken / sizeof *room.taken;
    for (int i = 0; i < most; i++)
        OK(tess_cut_take(&room, "an array", 1, 1, &address));
    assert_int_equal(tess_cut_take(&room, "one more", 1, 1, &address), TESS_ERROR_MISSING);
    assert_int_equal(room.n, most);
    tess_cut_room_close(&room);
    kernels.device->close(kernels.target);
}

static tess_status is_compiled_never(const tess_target *target, const char *text, bool *out) {
    *out = false;
    return target || !text ? TESS_ERROR_INTERNAL : TESS_OK;
}

static void each_kind_of_kernels_that_is_asked_for_may_lack(void **state) {
    const tess_device lacks = {.is_compiled = is_compiled_never}, compiles = {.name = "emulator"};
    for (unsigned what = 0; what <= TESS_CUT_ALL; what++) {
        unsigned lacking = 0;
        OK(tess_cut_uncompiled(&lacks, NULL, what, &lacking));
        assert_int_equal(lacking, what);
        OK(tess_cut_uncompiled(&compiles, NULL, what, &lacking));
        assert_int_equal(lacking, 0);
    }
}

static const struct {
    const char *from, *to;
    int on; /* which change */
} mutants[] = {
    {"(unsigned)e + 1);\n    else", "(unsigned)e + 2);\n    else", 0},
    {"load(&p->now[e]) == 0)", "load(&p->now[e]) != 0)", 0},
    {"atomic_max(&p->touched[block], 1u)", "store(&p->touched[block], 1u)", 0},
    {"load(&p->touched[block]);\n}", "0;\n}", 0},
    {"e < p->n && is_chosen", "is_chosen", 0},
    {"at * p->dimension + d]", "at + d]", 0},
    {"fetch(&p->map[e * p->n_slots + s])", "fetch(&p->map[at * p->n_slots + s])", 1},
    {"load(&p->ranks[b])], (int)b)", "load(&p->ranks[b])], (int)b + 1)", 0},
    {"made < p->n_touched ?", "0 ?", 0},
    {"p->n_blocks_before + made - p->n_touched", "p->n_blocks_before + made", 1},
    {"n_closed > 0 ? n_closed : 0", "0", 0},
    {"n_closed > 0 ? n_closed : 0", "n_closed", 1},
};

static void one_thing_wrong_is_found(void **state) {
    char *page = NULL;
    OK(tess_cut_page(TESS_CUT_ANEW | TESS_CUT_ENDS, &page));
    EACH_MUTANT(i, mutants) {
        char *mutant = page_with_nth(page, mutants[i].from, mutants[i].to, 0);
        change c = change_number(mutants[i].on);
        if (try_change(mutant, &c) == TESS_OK)
            fail_msg("mutant %zu ('%s') is not found", i, mutants[i].to);
        change_free(&c);
        free(mutant);
    }
    free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_those_that_the_host_joins),
        cmocka_unit_test(what_cannot_have_been_is_refused),
        cmocka_unit_test(more_arrays_than_there_is_room_for_are_refused),
        cmocka_unit_test(each_kind_of_kernels_that_is_asked_for_may_lack),
        cmocka_unit_test(one_thing_wrong_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
