/* A device replan: on the emulator, which finds races, a plan after a change is the host's update
 * of it, array by array, and the plan that is built anew; with one thing wrong in the text it is
 * not, or the emulator says why. */
#include "kernels/cut/device_plan.h"

#include "core/plan/plan_update.h"
#include "tests/core/changed_mesh.h"
#include "tests/kernels/changed_page.h"

/* The first array in which two plans differ; NULL: none. */
static const char *differing(const tess_device_plan *a, const tess_device_plan *b) {
    const size_t size = sizeof(int32_t);
    if (a->n_blocks != b->n_blocks ||
        !same(a->block_offset, b->block_offset, a->n_blocks + 1, size))
        return "block_offset";
    if (!same(a->executed, b->executed, a->n, size))
        return "executed";
    for (int k = 0; k < a->n_sets; k++) {
        const tess_device_points *s = &a->sets[k], *t = &b->sets[k];
        if (!same(s->point_offset, t->point_offset, a->n_blocks + 1, size))
            return "point_offset";
        if (!same(s->points, t->points, s->point_offset[a->n_blocks], size))
            return "points";
        if (!same(s->local_index, t->local_index, a->n * s->n_slots, sizeof(uint16_t)))
            return "local_index";
    }
    return NULL;
}

/* A plan like another one, with room for it. */
static tess_device_plan room_for(const tess_device_plan *like) {
    tess_device_plan plan = *like;
    OK(TESS_ALLOC(like->n, &plan.executed));
    OK(TESS_ALLOC(like->n_blocks + 1, &plan.block_offset));
    OK(TESS_ALLOC(like->n_sets, &plan.sets));
    for (int k = 0; k < like->n_sets; k++) {
        tess_device_points *set = &plan.sets[k];
        *set = like->sets[k];
        OK(TESS_ALLOC(like->n_blocks + 1, &set->point_offset));
        OK(TESS_ALLOC(like->n * set->n_slots, &set->points));
        OK(TESS_ALLOC(like->n * set->n_slots, &set->local_index));
    }
    return plan;
}

static void room_free(tess_device_plan *plan) {
    for (int k = 0; k < plan->n_sets; k++) {
        free(plan->sets[k].point_offset);
        free(plan->sets[k].points);
        free(plan->sets[k].local_index);
    }
    free(plan->sets);
    free(plan->executed);
    free(plan->block_offset);
}

/* A mesh that has changed, with plans of both. */
typedef struct changed {
    small_plan made;
    tess_mesh *mesh;
    tess_bound_loop *bound;
    tess_partition *partition;
    int32_t *was;
    tess_plan *plan; /* the host's update */
    tess_device_plan before, updated;
} changed;

enum { MOST_ELEMENTS = 128 };

/* Blocks of others: elements of two that change places, or two that are one. */
static void mix_blocks(tess_partition *partition, int how) {
    int32_t *const block_of = partition->block_of;
    for (int64_t e = 0; how == 1 && e < partition->n_elements / 8; e++) {
        const int64_t other = partition->n_elements - 1 - e;
        const int32_t kept = block_of[e];
        block_of[e] = block_of[other];
        block_of[other] = kept;
    }
    for (int64_t e = 0; how == 2 && e < partition->n_elements; e++)
        block_of[e] /= 2;
    if (how == 2)
        partition->n_blocks = (partition->n_blocks + 1) / 2;
}

/* The plan before has the elements of a block backward, where that is asked. */
static changed change_mesh(uint64_t *seed, const change *how, bool is_backward) {
    static int32_t backward[MOST_ELEMENTS];
    const tess_plan_options options = {.position = is_backward ? backward : NULL};
    int32_t n_untouched = 0;
    for (int i = 0; i < MOST_ELEMENTS; i++)
        backward[i] = MOST_ELEMENTS - i;
    changed c = {.made = random_plan(seed, &options, -1)};
    const int64_t n_before = c.made.bound->n_elements;
    OK(TESS_ALLOC(2 * n_before, &c.was));
    const int64_t n = change_elements(how, seed, n_before, c.was);
    c.mesh = changed_mesh(how, seed, c.made.mesh, c.made.bound->set, n, c.was);
    OK(tess_loop_bind(c.made.loop, c.mesh, &c.bound));
    c.partition = cut_again(&c.made.partition, c.was, n, &n_untouched);
    mix_blocks(c.partition, random_below(seed, 3));
    OK(tess_plan_update(c.bound, c.partition, c.made.plan, c.was, NULL, &c.plan));
    OK(tess_device_plan_open(c.made.bound, c.made.partition.block_of, c.made.plan, &c.before));
    OK(tess_device_plan_open(c.bound, c.partition->block_of, c.plan, &c.updated));
    return c;
}

static void changed_free(changed *c) {
    tess_device_plan_close(&c->before);
    tess_device_plan_close(&c->updated);
    tess_plan_free(c->plan);
    tess_partition_free(c->partition);
    tess_bound_loop_free(c->bound);
    tess_mesh_free(c->mesh);
    free(c->was);
    small_plan_free(&c->made);
}

/* Updates there; gives what is not the host's, or why it fails. */
static const char *try_change(tess_cut_kernels *kernels, const changed *c) {
    double seconds = 0;
    tess_device_plan there = room_for(&c->updated);
    const tess_device_change by = {&c->before, c->was};
    const char *found = tess_message();
    if (tess_device_plan_here(kernels, &by, &there, &seconds) == TESS_OK) {
        found = differing(&c->updated, &there);
        if (!found && there.n_kept != c->plan->n_kept)
            found = "n_kept";
    }
    room_free(&there);
    return found;
}

/* Plans there from nothing, where that is no other plan; gives what differs, or why it fails. */
static const char *try_anew(tess_cut_kernels *kernels, const changed *c) {
    double seconds = 0;
    tess_plan *anew = NULL;
    tess_device_plan whole, there = room_for(&c->updated);
    OK(tess_plan_build(c->bound, c->partition, NULL, &anew));
    OK(tess_device_plan_open(c->bound, c->partition->block_of, anew, &whole));
    const char *found = tess_message();
    if (tess_device_plan_here(kernels, NULL, &there, &seconds) == TESS_OK)
        found = differing(&whole, &there);
    if (!found)
        found = differing(&whole, &c->updated);
    tess_device_plan_close(&whole);
    tess_plan_free(anew);
    room_free(&there);
    return found;
}

/* Kernels of a page, on the emulator. */
typedef struct opened {
    const tess_device *device;
    tess_target *target;
    tess_cut_kernels kernels;
} opened;

static opened open_page(const char *page) {
    opened on = {.device = NULL};
    OK(tess_device_open("emulator:seed=2:count=no", &on.device, &on.target));
    OK(tess_cut_kernels_open(on.device, on.target, page, &on.kernels));
    return on;
}

static void opened_close(opened *on) {
    tess_cut_kernels_close(&on->kernels);
    on->device->close(on->target);
}

static const change changes[] = {
    {0, 0, false, 0, 0},  {4, 4, false, 0, 0}, {4, 0, false, 1, 0},    {0, 5, true, 1, 0},
    {10, 5, false, 2, 0}, {3, 3, true, 0, 10}, {100, 50, false, 0, 0}, {30, 60, true, 1, 3},
};
enum { N_CHANGES = sizeof changes / sizeof changes[0] };

static void updates_are_those_of_the_host(void **state) {
    char *page = NULL;
    uint64_t seed = 3;
    int64_t n_kept = 0;
    OK(tess_cut_page(TESS_CUT_PLANS, &page));
    opened on = open_page(page);
    for (int trial = 0; trial < 12 * N_CHANGES; trial++) {
        const change *how = &changes[trial % N_CHANGES];
        const bool is_backward = trial / N_CHANGES % 2;
        changed c = change_mesh(&seed, how, is_backward);
        const char *found = try_change(&on.kernels, &c);
        if (!found && !is_backward && !how->shuffled && how->points < 2 && how->refreshed == 0)
            found = try_anew(&on.kernels, &c);
        if (found)
            fail_msg("trial %d: %s", trial, found);
        n_kept += c.plan->n_kept;
        changed_free(&c);
    }
    assert_in_range(n_kept, 100, 1000000);
    opened_close(&on);
    free(page);
}

static void what_cannot_have_been_is_refused(void **state) {
    char *page = NULL;
    uint64_t seed = 8;
    OK(tess_cut_page(TESS_CUT_PLANS, &page));
    opened on = open_page(page);
    static const struct {
        int32_t was[2], block;
        const char *words;
    } cases[] = {{{0, 1000}, 0, "element 1 was number 1000: there were"},
                 {{0, -2}, 0, "element 1 was number -2: there were"},
                 {{0, 0}, 0, "elements 0 and 1 were both number 0"},
                 {{0, -1}, -1, "element 1 is in block -1: there are"},
                 {{0, -1}, 1000, "element 1 is in block 1000: there are"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        changed c = change_mesh(&seed, &(change){0, 30, false, 0, 0}, false);
        for (int64_t e = 0; e < c.updated.n; e++)
            c.was[e] = e < 2 ? cases[i].was[e] : -1;
        c.partition->block_of[1] = cases[i].block;
        const char *found = try_change(&on.kernels, &c);
        if (!found || !strstr(found, cases[i].words))
            fail_msg("case %zu: %s", i, found ? found : "it is taken");
        changed_free(&c);
    }
    opened_close(&on);
    free(page);
}

static const struct {
    const char *from, *to;
} mutants[] = {
    {"was < p->n_before && load(&p->now[was]) !=", "was < p->n_before && 0 !="},
    {"p->touched_list ? load(&p->touched_list[block_index()]) :", ""},
    {"number ? load(&p->block_of[number - 1]) : -1", "load(&p->block_of[number ? number - 1 : 0])"},
    {"if (block_now(p, i) != block)", "if (block_now(p, i) < block)"},
    {" && load(&p->offsets[block]) == end - begin", ""},
    {"return point < 0 ? 0 : (unsigned)point + 1;", "return (unsigned)point + 1 + (point < 0);"},
    {"(place == 0xffff) != (own[k] == 0) || ", ""},
    {"atomic_max(&points[place], own[k]);", "store(&points[place], own[k]);"},
    {"thread_index()])]) != own[k];", "thread_index()])]) < own[k];"},
    {"i > 0 && load(&points[i]) <= load(&points[i - 1])", "0"},
    {"(int)load(&points[i]) - 1);", "(int)load(&points[i]));"},
    {"store(&p->same[block_index()], 0);", ";"},
    {"store(&p->kept[block - 1], (int)before + 1);", "store(&p->kept[block - 1], (int)before);"},
    {"store(&p->ranks[b], !load(&p->kept[b]));",
     "store(&p->ranks[b], load(&p->kept[b]) == 0 && b);"},
    {"if (b < p->n_blocks && !load(&p->kept[b]))", "if (b < p->n_blocks)"},
    {"(int)number_now(p, from + i) - 1);", "fetch(&p->executed_before[from + i]));"},
    {"fetch(&p->point_offsets_before[before]) -", "1 + fetch(&p->point_offsets_before[before]) -"},
    {"load(&p->points_now[was + i])", "load(&p->points_now[i])"},
    {"fetch(&p->local_before[from + i])", "fetch(&p->local_before[i])"},
};

static bool is_found(const char *page) {
    opened on = open_page(page);
    uint64_t seed = 1;
    bool found = false;
    for (int trial = 0; trial < 4 * N_CHANGES && !found; trial++) {
        changed c = change_mesh(&seed, &changes[trial % N_CHANGES], trial / N_CHANGES % 2);
        found = try_change(&on.kernels, &c) != NULL;
        changed_free(&c);
    }
    opened_close(&on);
    return found;
}

/* Two elements that were one are looked for alone. */
static bool is_refused(const char *page) {
    opened on = open_page(page);
    uint64_t seed = 8;
    changed c = change_mesh(&seed, &(change){0, 30, false, 0, 0}, false);
    for (int64_t e = 0; e < c.updated.n; e++)
        c.was[e] = e < 2 ? 0 : -1;
    const char *found = try_change(&on.kernels, &c);
    const bool is = found && strstr(found, "both number");
    changed_free(&c);
    opened_close(&on);
    return is;
}

static void one_thing_wrong_is_found(void **state) {
    char *page = NULL;
    int n_left = 0;
    OK(tess_cut_page(TESS_CUT_PLANS, &page));
    assert_false(is_found(page));
    assert_true(is_refused(page));
    EACH_MUTANT(i, mutants) {
        char *mutant = page_with(page, mutants[i].from, mutants[i].to);
        if (!is_found(mutant) && is_refused(mutant))
            print_error("mutant %zu ('%s') is not found\n", i, mutants[i].to), n_left++;
        free(mutant);
    }
    assert_int_equal(n_left, 0);
    free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(updates_are_those_of_the_host),
        cmocka_unit_test(what_cannot_have_been_is_refused),
        cmocka_unit_test(one_thing_wrong_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
