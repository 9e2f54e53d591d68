/* A device plan: on the emulator, which finds races, its arrays are the host's; with one thing
 * wrong in a text they are not, or the emulator says why; and what a device does not plan the host
 * does. */
#include "core/plan/plan_check.h"
#include "kernels/cut/device_cutter.h"
#include "kernels/cut/device_plan.h"
#include "tests/core/small_plan.h"
#include "tests/kernels/changed_page.h"

/* The first array in which two plans differ; NULL: none. */
static const char *differing(const tess_plan *a, const tess_plan *b) {
    const char *array = differing_array(a, b);
    const bool coloured = !array && a->block_colour;
    return coloured && !same(a->block_colour, b->block_colour, a->n_blocks, 4) ? "colours" : array;
}

/* A planner that counts how often it is asked, and how often it could. */
typedef struct counted {
    const tess_planner *planner;
    int n_asked, n_filled;
} counted;

static tess_status fill(void *context, const tess_bound_loop *bound, const int32_t *block_of,
                        const int32_t *position, tess_plan *plan) {
    counted *all = context;
    all->n_asked++;
    const tess_status status =
        all->planner->fill(all->planner->context, bound, block_of, position, plan);
    all->n_filled += status == TESS_OK;
    return status;
}

/* The plan of what was made, by a planner or (NULL) the host. */
static tess_status plan_by(const tess_planner *planner, const small_plan *made, int over,
                           const tess_plan_options *options, tess_plan **out) {
    const int set = tess_mesh_find_set(made->mesh, made->plan->partitioned_set);
    return over < 0 ? tess_plan_build_by(planner, made->bound, &made->partition, options, out)
                    : tess_plan_build_owned_by(planner, made->bound, set, &made->partition, options,
                                               out);
}

/* A random order of n. */
static int32_t *random_positions(uint64_t *seed, int64_t n) {
    int32_t *position = NULL;
    OK(TESS_ALLOC(n, &position));
    for (int64_t i = 0; i < n; i++) {
        const int64_t j = random_below(seed, i + 1);
        position[i] = position[j];
        position[j] = (int32_t)i;
    }
    return position;
}

/* Plans a random loop there and here, in blocks of elements or, of `over` from 0 on, that own
 * points, with elements in an order or ascending; gives what differs. */
static const char *try_plan(uint64_t *seed, tess_plan_options options, bool in_order, int over,
                            counted *all) {
    small_plan made = random_plan(seed, &options, over);
    const tess_planner planner = {.context = all, .fill = fill};
    int32_t *position = in_order ? random_positions(seed, made.bound->n_elements) : NULL;
    tess_plan *here = NULL, *there = NULL;
    const char *found = "fails";
    options.position = position;
    OK(plan_by(NULL, &made, over, &options, &here));
    tess_plan_free(made.plan);
    made.plan = here;
    const tess_status status = plan_by(&planner, &made, over, &options, &there);
    if (status == TESS_OK) {
        OK(tess_plan_check(made.bound, made.partition.block_of, there));
        found = differing(made.plan, there);
    }
    if (!found && over >= 0 &&
        (there->n_executed != made.plan->n_executed ||
         !same(there->owner, made.plan->owner, made.partition.n_elements, 4)))
        found = "owners";
    free(position);
    tess_plan_free(there);
    small_plan_free(&made);
    return found;
}

/* Plans n random loops, all of them there. */
static void try_plans(uint64_t *seed, int n, bool owned) {
    tess_device_cutter *cutter = NULL;
    OK(tess_device_cutter_open("emulator:seed=3", &cutter));
    counted all = {.planner = tess_device_cutter_planner(cutter)};
    for (int trial = 0; trial < n; trial++) {
        const tess_plan_options options = {.thread_order =
                                               trial % 2 ? TESS_ORDER_ELEMENT : TESS_ORDER_COLOUR};
        const char *found = try_plan(seed, options, trial / 2 % 2, owned ? trial % 3 : -1, &all);
        if (found)
            fail_msg("trial %d: %s: %s", trial, found, tess_message());
    }
    assert_int_equal(all.n_asked, n);
    assert_int_equal(all.n_filled, n);
    tess_device_cutter_close(cutter);
}

static void plans_are_those_of_the_host(void **state) {
    (void)state;
    uint64_t seed = 5;
    try_plans(&seed, 16, false);
}

static void plans_of_owned_points_are_those_of_the_host(void **state) {
    (void)state;
    tess_device_cutter *cutter = NULL;
    uint64_t seed = 6;
    try_plans(&seed, 24, true);

    /* Without room there the host does it. */
    OK(tess_device_cutter_open("emulator:memory=1000", &cutter));
    counted all = {.planner = tess_device_cutter_planner(cutter)};
    for (int trial = 0; trial < 12; trial++)
        assert_null(
            try_plan(&seed, (tess_plan_options){.by_number = false}, false, trial % 3, &all));
    assert_int_equal(all.n_asked, 12);
    assert_true(all.n_filled < 12);
    tess_device_cutter_close(cutter);
}

enum { MANY = 10000, FEW = 2100, NODES = 10100, ARITY = 3 };

/* Elements of three nodes, some of them fewer, that lie near each other for most. */
static tess_mesh *mesh_of_many(int n) {
    uint64_t seed = 9;
    tess_mesh *mesh = NULL;
    int32_t *index = NULL;
    OK(tess_mesh_new("many", 2, &mesh));
    OK(tess_mesh_add_set(mesh, "elements", n, NULL));
    OK(tess_mesh_add_set(mesh, "a", NODES, NULL));
    OK(TESS_ALLOC(n * ARITY, &index));
    for (int i = 0; i < n * ARITY; i++)
        index[i] = random_below(&seed, 9) == 0 ? random_below(&seed, NODES)
                   : i % ARITY == 2 && random_below(&seed, 5) == 0
                       ? -1
                       : i / ARITY * (MANY / n) + random_below(&seed, 60);
    OK(tess_mesh_add_map(mesh, "elements", "a", ARITY, TESS_MAP_PADDED, index));
    return mesh;
}

/* Whether blocks of a size have an element here and there, of as many words as they can. */
static bool is_scattered(int32_t block_size) {
    return block_size >= 256 && block_size <= TESS_CUT_CHUNK / ARITY;
}

/* Plans n of them in blocks, there and here; gives what differs, or why a plan fails. */
static const char *plan_many(const tess_planner *planner, int n, int32_t block_size,
                             unsigned incremented) {
    tess_mesh *mesh = mesh_of_many(n);
    tess_loop *loop = random_loop(mesh, incremented);
    tess_bound_loop *bound = NULL;
    tess_plan *here = NULL, *there = NULL;
    OK(tess_loop_bind(loop, mesh, &bound));
    tess_partition partition = natural_partition(n, block_size);
    for (int e = 0; e < n && is_scattered(block_size); e++)
        partition.block_of[e] = e % partition.n_blocks;
    uint64_t seed = 5;
    int32_t *position = is_scattered(block_size) ? random_positions(&seed, n) : NULL;
    const tess_plan_options options = {.position = position};
    OK(tess_plan_build(bound, &partition, &options, &here));
    const tess_status status = tess_plan_build_by(planner, bound, &partition, &options, &there);
    const char *found = status == TESS_OK ? differing(here, there) : tess_message();
    free(position);
    free(partition.block_of);
    tess_plan_free(here);
    tess_plan_free(there);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
    return found;
}

static void many_elements_are_planned_in_any_blocks(void **state) {
    (void)state;
    tess_device_cutter *cutter = NULL;
    OK(tess_device_cutter_open("emulator:count=no:seed=3", &cutter));
    counted all = {.planner = tess_device_cutter_planner(cutter)};
    const tess_planner planner = {.context = &all, .fill = fill};
    static const int32_t sizes[] = {1, 37, 256, TESS_CUT_CHUNK / ARITY};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const char *found = plan_many(&planner, MANY, sizes[i], 1);
        if (found)
            fail_msg("blocks of %d: %s", sizes[i], found);
        assert_int_equal(all.n_filled, (int)i + 1);
    }
    tess_device_cutter_close(cutter);
}

static void large_blocks_are_planned_by_the_host(void **state) {
    (void)state;
    tess_device_cutter *cutter = NULL;
    OK(tess_device_cutter_open("emulator", &cutter));
    counted all = {.planner = tess_device_cutter_planner(cutter)};
    const tess_planner planner = {.context = &all, .fill = fill};
    assert_null(plan_many(&planner, MANY, TESS_CUT_CHUNK / ARITY + 1, 1));
    assert_int_equal(all.n_asked, 1);
    assert_int_equal(all.n_filled, 0);
    tess_device_cutter_close(cutter);
}

static void plans_of_2_31_references_are_left_to_the_host(void **state) {
    (void)state;
    tess_device_points set = {.n_slots = 2};
    tess_device_plan plan = {.n = INT32_MAX / 2, .n_blocks = 1, .n_sets = 1, .sets = &set};
    tess_cut_kernels kernels = {.module = NULL};
    double seconds = 0;
    assert_int_equal(tess_device_plan_here(&kernels, NULL, &plan, &seconds), TESS_ERROR_MISSING);
    assert_string_equal(tess_message(),
                        "a plan of more than 1073741823 elements is made by the host");
}

/* A planner whose page has one thing changed. */
typedef struct changed {
    const tess_device *device;
    tess_target *target;
    char *page;
} changed;

/* The slots for which blocks that own a target's points execute elements, side by side. */
static int32_t *map_of_owned(const tess_bound_loop *bound, int set, int *n_slots) {
    const tess_loop_target *target = bound->targets;
    int32_t *map = NULL;
    while (target->set != set)
        target++;
    *n_slots = 0;
    for (int s = 0; s < target->n_slots; s++)
        *n_slots += !target->incremented || target->slot_incremented[s];
    OK(TESS_ALLOC(bound->n_elements * *n_slots, &map));
    for (int64_t e = 0, at = 0; e < bound->n_elements; e++)
        for (int s = 0; s < target->n_slots; s++)
            if (!target->incremented || target->slot_incremented[s])
                map[at++] = target->slot_index[s][e * target->slot_stride[s]];
    return map;
}

static bool are_offsets(const int64_t *here, const int32_t *there, int64_t n) {
    int64_t i = 0;
    while (i < n && here[i] == there[i])
        i++;
    return i == n;
}

/* Plans blocks that own points there, by a page; gives what differs from the host's plan. */
static const char *plan_owned(const changed *by, uint64_t *seed, int over, int64_t room) {
    small_plan made = random_plan(seed, NULL, over);
    const char *found = NULL;
    tess_plan *here = NULL;
    tess_device_plan there;
    tess_cut_kernels kernels = {.module = NULL};
    double seconds = 0;
    const int set = tess_mesh_find_set(made.mesh, made.plan->partitioned_set);
    OK(tess_plan_build_owned(made.bound, set, &made.partition, NULL, &here));
    OK(tess_device_plan_open(made.bound, made.partition.block_of, here, &there));
    memset(here->executed, -1, (size_t)here->n_executed * sizeof *here->executed);
    there.owned_map = map_of_owned(made.bound, set, &there.owned_slots);
    there.n_owned = made.partition.n_elements;
    there.n_executed = here->n_executed + room;
    tess_status status = tess_cut_kernels_open(by->device, by->target, by->page, &kernels);
    if (status == TESS_OK)
        status = tess_device_plan_here(&kernels, NULL, &there, &seconds);
    tess_cut_kernels_close(&kernels);
    for (int k = 0; k < here->n_sets && status == TESS_OK; k++)
        if (!are_offsets(here->sets[k].point_offset, there.sets[k].point_offset,
                         here->n_blocks + 1))
            found = "point_offset";
    found = status != TESS_OK                      ? tess_message()
            : there.n_executed != here->n_executed ? "n_executed"
            : !are_offsets(here->block_offset, there.block_offset, here->n_blocks + 1)
                ? "block_offset"
            : found ? found
                    : differing(made.plan, here);
    free((void *)there.owned_map);
    tess_device_plan_close(&there);
    tess_plan_free(here);
    small_plan_free(&made);
    return found;
}

static void blocks_may_own_points(void **state) {
    (void)state;
    changed by = {.page = NULL};
    uint64_t seed = 8;
    OK(tess_device_open("emulator:count=no:seed=3", &by.device, &by.target));
    OK(tess_cut_page(TESS_CUT_PLANS, &by.page));
    for (int trial = 0; trial < 12; trial++) {
        const char *found = plan_owned(&by, &seed, trial % 3, 0);
        if (found)
            fail_msg("trial %d: %s", trial, found);
    }
    assert_non_null(strstr(plan_owned(&by, &seed, 0, -1), ": there is room for "));
    free(by.page);
    by.device->close(by.target);
}

/* Plans and colours elements there, by a page; gives what differs from the colours of the host, or
 * why it fails. */
static const char *colour(const changed *by, tess_mesh *mesh, int32_t block_size) {
    const tess_plan_options greedy = {.thread_colouring = TESS_COLOUR_GREEDY};
    tess_loop *loop = random_loop(mesh, 1);
    tess_bound_loop *bound = NULL;
    tess_plan *here = NULL;
    tess_device_plan there;
    tess_cut_kernels kernels = {.module = NULL};
    double seconds = 0;
    uint16_t *colours = NULL;
    int32_t *of_blocks = NULL;
    OK(tess_loop_bind(loop, mesh, &bound));
    tess_partition partition = natural_partition(bound->n_elements, block_size);
    OK(tess_plan_build(bound, &partition, &greedy, &here));
    OK(tess_device_plan_open(bound, partition.block_of, here, &there));
    OK(TESS_ALLOC(there.n, &colours));
    OK(TESS_ALLOC(there.n_blocks, &of_blocks));
    there.sets[0].thread_colour = colours;
    there.sets[0].block_colour = of_blocks;
    there.sets[0].n_points = mesh->sets[bound->targets[0].set].size;
    tess_status status = tess_cut_kernels_open(by->device, by->target, by->page, &kernels);
    if (status == TESS_OK)
        status = tess_device_plan_here(&kernels, NULL, &there, &seconds);
    tess_cut_kernels_close(&kernels);
    const char *found = status != TESS_OK                                         ? tess_message()
                        : !same(colours, here->thread_colour, there.n, 2)         ? "colours"
                        : !same(of_blocks, here->block_colour, there.n_blocks, 4) ? "of blocks"
                                                                                  : NULL;
    free(colours);
    free(of_blocks);
    tess_device_plan_close(&there);
    tess_plan_free(here);
    free(partition.block_of);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    return found;
}

static void elements_have_the_colours_of_the_host(void **state) {
    (void)state;
    changed by = {.page = NULL};
    tess_mesh *mesh = mesh_of_many(FEW);
    OK(tess_device_open("emulator:count=no:seed=3", &by.device, &by.target));
    OK(tess_cut_page(TESS_CUT_PLANS, &by.page));
    for (int32_t size = 37; size < TESS_CUT_CHUNK / ARITY; size *= 4)
        if (colour(&by, mesh, size))
            fail_msg("blocks of %d: %s", size, colour(&by, mesh, size));
    for (int i = 0; i < 65 * ARITY; i++)
        mesh->maps[0].index[i] = i < 64 * ARITY ? 0 : -1;
    assert_null(colour(&by, mesh, 65));
    mesh->maps[0].index[64 * ARITY] = 0;
    assert_non_null(strstr(colour(&by, mesh, 65), "more than 64 colours"));
    tess_mesh_free(mesh);
    free(by.page);
    by.device->close(by.target);
}

/* Elements in a row, each of two points, of which the next one has one; or all of point 0. */
static tess_mesh *mesh_of_row(int n, bool tied) {
    tess_mesh *mesh = NULL;
    int32_t *index = NULL;
    OK(tess_mesh_new("row", 2, &mesh));
    OK(tess_mesh_add_set(mesh, "elements", n, NULL));
    OK(tess_mesh_add_set(mesh, "a", n + 1, NULL));
    OK(TESS_ALLOC(n * 2, &index));
    for (int i = 0; i < n * 2; i++)
        index[i] = tied && i % 2 == 0 ? 0 : i / 2 + i % 2;
    OK(tess_mesh_add_map(mesh, "elements", "a", 2, TESS_MAP_PADDED, index));
    return mesh;
}

/* Elements of which the last one has points of two others that are TESS_CUT_CHUNK apart, of colours
 * 0 and 1.
 */
static tess_mesh *mesh_of_far(void) {
    enum { FAR = TESS_CUT_CHUNK + 10 };
    tess_mesh *mesh = mesh_of_row(FAR, false);
    int32_t *index = mesh->maps[0].index;
    for (int e = 4; e < FAR; e++) {
        index[2 * e] = e + 1 < FAR ? e + 1 : 4;
        index[2 * e + 1] = e + 1 < FAR ? -1 : TESS_CUT_CHUNK + 4;
    }
    return mesh;
}

static void blocks_have_the_colours_of_the_host(void **state) {
    (void)state;
    changed by = {.page = NULL};
    static const struct {
        int n;
        bool tied;
        const char *words; /* NULL: they are the host's */
    } rows[] = {{1, false, NULL},
                {70, false, NULL},
                {256, true, NULL},
                {257, true, "more than 256 have a point in common"}};
    OK(tess_device_open("emulator:count=no:seed=3", &by.device, &by.target));
    OK(tess_cut_page(TESS_CUT_PLANS, &by.page));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tess_mesh *mesh = mesh_of_row(rows[i].n, rows[i].tied);
        const char *found = colour(&by, mesh, 1);
        if (rows[i].words ? !found || !strstr(found, rows[i].words) : found != NULL)
            fail_msg("%d blocks: %s", rows[i].n, found);
        tess_mesh_free(mesh);
    }
    tess_mesh *far = mesh_of_far();
    assert_null(colour(&by, far, 1));
    tess_mesh_free(far);
    free(by.page);
    by.device->close(by.target);
}

static tess_status fill_by_page(void *context, const tess_bound_loop *bound,
                                const int32_t *block_of, const int32_t *position, tess_plan *plan) {
    changed *all = context;
    double seconds = 0;
    tess_cut_kernels kernels = {.module = NULL};
    tess_status status = tess_cut_kernels_open(all->device, all->target, all->page, &kernels);
    if (status == TESS_OK)
        status = tess_device_plan_fill(&kernels, bound, block_of, position, plan, &seconds);
    tess_cut_kernels_close(&kernels);
    return status;
}

static const struct {
    const char *from, *to, *words;
} mutants[] = {
    {"p->position ? fetch(&p->position[element]) : element", "element", "executed"},
    {"load(&p->offsets[block]) + atomic_take(", "atomic_take(", ""},
    {"atomic_add(&p->offsets[block], count_lanes(others))", "atomic_add(&p->offsets[block], 1)",
     ""},
    {"count_lanes(others & ((1u << lane()) - 1))], (int)ELEMENT()", "0], (int)ELEMENT()", ""},
    {"load(&p->offsets[ELEMENT()]));", "0);", ""},
    {"begin + i / n_slots]", "begin + i % n_slots]", ""},
    {"size <= n && takes_part", "size < n && takes_part", ""},
    {"== ((low & size) == 0)", "== ((low & step) == 0)", ""},
    {"for (int i = thread_index(); i < n / 2; i += THREADS) {",
     "for (int i = thread_index(); i < n / 2 - 1; i += THREADS) {", ""},
    {"if (step > WARP || (step == WARP && size > 2 * WARP))", "if (step > WARP)", ""},
    {"if (step > WARP ||", "if (step > 2 * WARP ||", ""},
    {"    barrier();\n    for (int size = 2;", "    for (int size = 2;", ""},
    {"n > 2 * WARP || thread_index() < WARP;", "thread_index() < WARP;", ""},
    {"                warp_barrier(ALL_LANES);\n            for (int i",
     "                ;\n            for (int i", ""},
    {"        store(&set.bits[i], 0);", "", ""},
    {"    barrier();\n    return set;", "    return set;", ""},
    {"word + 1)) != word + 1;) {", "word + 1)) == 0;) {", ""},
    {"    barrier();\n    const int n = load(set->n_words);",
     "    const int n = load(set->n_words);", "race"},
    {"int i = n + thread_index(); i < size", "int i = n + 1 + thread_index(); i < size", ""},
    {"    sort_in_block(set->sorted, size);", "    barrier();", ""},
    {"count_lanes(load(&set->bits[slots[k]]))", "1", ""},
    {"n_before + before", "before", ""},
    {"n_before += more", "n_before = more", ""},
    {"    barrier();\n    return n_before;", "    return n_before;", "shared memory"},
    {"(load(&set->bits[slot]) & ((1u << number % WARP) - 1))", "(load(&set->bits[slot]))", ""},
    {"load(&set->sorted[slot]) + count_lanes", "count_lanes", ""},
    {"are_new >> k & 1", "own[k] >= 0", "race"},
    {"own[k]) : 0xffff", "own[k]) : 0", ""},
    {"store(&p->values[block], n_distinct);", "store(&p->values[block], n_distinct + 1);", ""},
    {"load(&p->offsets[block]) * p->n_slots;", "load(&p->offsets[block]);", ""},
};

/* Of blocks that own points. */
static const struct {
    const char *from, *to;
} mutants_of_owned[] = {
    {"&p->owned_map[e * p->owned_slots]", "&p->owned_map[e]"},
    {"t < s && block >= 0; t++", "t < s - 1 && block >= 0; t++"},
    {"&& block_at(p, other) == block)", "&& block_at(p, other) >= 0)"},
    {"(p->owned_slots ? (int)p->owned_slots : 1)", "1"},
    {"block = point < 0 || point >= p->n_points ? -1", "block = point >= p->n_points ? -1"},
};

/* Of colours. */
static const struct {
    const char *from, *to;
} mutants_of_colours[] = {
    {"place == 0xffff)\n            continue", "0)\n            continue"},
    {"if (load(&of->first[place]) != turn_of(round, e))", "if (0)"},
    {"(0xffff - e)", "e"},
    {"used |= load(&of->taken[place])", "used = load(&of->taken[place])"},
    {"~used & (used + 1)", "~used"},
    {"load(&of->taken[place]) | 1ull << colour", "1ull << colour"},
    {"-1 : 0;\n    barrier();", "-1 : 0;"},
    {"        barrier();\n        UNROLL for (int k = 0; k < ITEMS && k * THREADS < n; k++) {\n"
     "            const int e = k * THREADS + thread_index();\n            if (own",
     "        UNROLL for (int k = 0; k < ITEMS && k * THREADS < n; k++) {\n"
     "            const int e = k * THREADS + thread_index();\n            if (own"},
    {"        barrier();\n    }\n    UNROLL for (int k = 0; k < ITEMS; k++)\n        if (k",
     "    }\n    UNROLL for (int k = 0; k < ITEMS; k++)\n        if (k"},
    {"atomic_take(&p->values[point], 1) == THR", "atomic_take(&p->values[point], 2) == THR"},
    {"point > 0 ? fetch(&p->values[point - 1]) : 0", "point > 0 ? fetch(&p->values[point]) : 0"},
    {"other >= block_index() ||", "other > block_index() ||"},
    {"other + 1) == other + 1)", "other + 1) != 0)"},
    {"        store(&listed[i], 0);\n    barrier();", "        store(&listed[i], 0);"},
    {"store(&p->keys[at], (unsigned long long)block_index() << 32", "store(&p->keys[at], 0ull"},
};

static void mutants_are_found(void **state) {
    (void)state;
    changed all = {.page = NULL};
    char *page = NULL;
    int n_left = 0;
    const tess_planner planner = {.context = &all, .fill = fill_by_page};
    OK(tess_device_open("emulator:count=no:seed=3", &all.device, &all.target));
    OK(tess_cut_page(TESS_CUT_PLANS, &page));
    all.page = page;
    assert_null(plan_many(&planner, FEW, 37, 0));
    assert_null(plan_many(&planner, FEW, TESS_CUT_CHUNK / ARITY, 0));
    EACH_MUTANT(i, mutants) {
        all.page = page_with(page, mutants[i].from, mutants[i].to);
        const char *found = plan_many(&planner, FEW, 37, 0);
        if (!found)
            found = plan_many(&planner, FEW, TESS_CUT_CHUNK / ARITY, 0);
        if (!found || !strstr(found, mutants[i].words))
            print_error("mutant %zu ('%s'): %s\n", i, mutants[i].to, found ? found : "not found"),
                n_left++;
        free(all.page);
    }
    EACH_MUTANT(i, mutants_of_owned) {
        const char *found = NULL;
        uint64_t seed = 8;
        all.page = page_with(page, mutants_of_owned[i].from, mutants_of_owned[i].to);
        for (int trial = 0; trial < 12 && !found; trial++)
            found = plan_owned(&all, &seed, trial % 3, 0);
        if (!found)
            print_error("mutant '%s': not found\n", mutants_of_owned[i].to), n_left++;
        free(all.page);
    }
    tess_mesh *mesh = mesh_of_many(FEW), *far = mesh_of_far();
    EACH_MUTANT(i, mutants_of_colours) {
        all.page = page_with(page, mutants_of_colours[i].from, mutants_of_colours[i].to);
        if (!colour(&all, mesh, 148) && !colour(&all, far, 1))
            print_error("mutant '%s': not found\n", mutants_of_colours[i].to), n_left++;
        free(all.page);
    }
    tess_mesh_free(mesh);
    tess_mesh_free(far);
    assert_int_equal(n_left, 0);
    free(page);
    all.device->close(all.target);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_are_those_of_the_host),
        cmocka_unit_test(plans_of_owned_points_are_those_of_the_host),
        cmocka_unit_test(many_elements_are_planned_in_any_blocks),
        cmocka_unit_test(large_blocks_are_planned_by_the_host),
        cmocka_unit_test(plans_of_2_31_references_are_left_to_the_host),
        cmocka_unit_test(blocks_may_own_points),
        cmocka_unit_test(elements_have_the_colours_of_the_host),
        cmocka_unit_test(blocks_have_the_colours_of_the_host),
        cmocka_unit_test(mutants_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
