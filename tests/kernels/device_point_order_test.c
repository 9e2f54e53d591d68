/* Points that a device orders by their blocks: on the emulator, which finds races, their order is
 * the host's; with one thing wrong in a text it is not, or the emulator says why. */
#include "core/plan/order/renumber.h"
#include "kernels/cut/device_cutter.h"
#include "kernels/cut/device_plan.h"
#include "tests/core/small_plan.h"
#include "tests/kernels/changed_page.h"

enum { MANY = 3000, POINTS = 2600, ARITY = 3, HUB = 7 };

/* A device whose page plans. */
typedef struct by_page {
    const tess_device *device;
    tess_target *target;
    const char *page;
} by_page;

static tess_status fill(void *context, const tess_bound_loop *bound, const int32_t *block_of,
                        tess_plan *plan) {
    const by_page *by = context;
    tess_cut_kernels kernels = {.module = NULL};
    double seconds = 0;
    tess_status status = tess_cut_kernels_open(by->device, by->target, by->page, &kernels);
    if (status == TESS_OK)
        status = tess_device_plan_fill(&kernels, bound, block_of, plan, &seconds);
    tess_cut_kernels_close(&kernels);
    return status;
}

/* Elements of points near each other for most, of which some reach the same few: a point has from
 * no block to `most_blocks`. */
static tess_mesh *mesh_of_many(int32_t block_size, int32_t most_blocks) {
    uint64_t seed = 4;
    tess_mesh *mesh = NULL;
    int32_t *index = NULL;
    OK(tess_mesh_new("many", 2, &mesh));
    OK(tess_mesh_add_set(mesh, "elements", MANY, NULL));
    OK(tess_mesh_add_set(mesh, "a", POINTS, NULL));
    OK(TESS_ALLOC(MANY * ARITY, &index));
    for (int i = 0; i < MANY * ARITY; i++) {
        const int near = i / ARITY / 2 + random_below(&seed, 40);
        index[i] = random_below(&seed, 9) == 0   ? random_below(&seed, POINTS)
                   : random_below(&seed, 9) == 0 ? -1
                                                 : near;
        index[i] = index[i] == HUB ? 0 : index[i];
    }
    for (int32_t b = 0; b < most_blocks; b++)
        index[b * block_size * ARITY] = HUB;
    OK(tess_mesh_add_map(mesh, "elements", "a", ARITY, TESS_MAP_PADDED, index));
    return mesh;
}

/* The order that a device's plan has of the points of a loop's sets, beside the host's: what
 * differs, or why it fails. */
static const char *compare(const tess_bound_loop *bound, const tess_partition *partition,
                           const by_page *by, bool *is_there) {
    const tess_planner planner = {(void *)(uintptr_t)by, fill, .orders_points = true};
    tess_plan *here = NULL, *there = NULL;
    tess_renumbering *host = NULL, *device = NULL;
    const char *found = NULL;
    OK(tess_plan_build(bound, partition, NULL, &here));
    OK(tess_renumber_build(bound, here, TESS_RENUMBER_BLOCKS, false, &host));
    if (tess_plan_build_by(&planner, bound, partition, NULL, &there) != TESS_OK)
        found = tess_message();
    for (int k = 0; !found && k < there->n_sets; k++)
        *is_there = there->sets[k].by_blocks != NULL;
    if (!found)
        OK(tess_renumber_build(bound, there, TESS_RENUMBER_BLOCKS, false, &device));
    for (int i = 0; !found && i < host->n_sets; i++)
        if (host->sets[i].set != device->sets[i].set ||
            memcmp(host->sets[i].new_to_old, device->sets[i].new_to_old,
                   (size_t)host->sets[i].size * sizeof(int32_t)) != 0)
            found = "order";
    tess_renumbering_free(host);
    tess_renumbering_free(device);
    tess_plan_free(here);
    tess_plan_free(there);
    return found;
}

/* Blocks of one size of many elements, one of whose points has so many of them. */
static const char *order_many(const by_page *by, int32_t block_size, int32_t most_blocks,
                              bool *is_there) {
    tess_mesh *mesh = mesh_of_many(block_size, most_blocks);
    tess_loop *loop = random_loop(mesh, 1);
    tess_bound_loop *bound = NULL;
    OK(tess_loop_bind(loop, mesh, &bound));
    tess_partition partition = natural_partition(MANY, block_size);
    const char *found = compare(bound, &partition, by, is_there);
    free(partition.block_of);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
    return found;
}

static by_page open_page(char **page) {
    by_page by = {.page = NULL};
    OK(tess_device_open("emulator:count=no:seed=3", &by.device, &by.target));
    OK(tess_cut_page(TESS_CUT_PLANS, page));
    by.page = *page;
    return by;
}

static void points_are_ordered_as_the_host_does(void **state) {
    (void)state;
    char *page = NULL;
    const by_page by = open_page(&page);
    uint64_t seed = 6;
    for (int trial = 0; trial < 20; trial++) {
        bool is_there = false;
        small_plan made = random_plan(&seed, NULL, -1);
        const char *found = compare(made.bound, &made.partition, &by, &is_there);
        if (found || !is_there)
            fail_msg("trial %d: %s", trial, found ? found : "left to the host");
        small_plan_free(&made);
    }
    static const int32_t sizes[] = {1, 13, 37, 600};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bool is_there = false;
        const char *found = order_many(&by, sizes[i], 3, &is_there);
        if (found || !is_there)
            fail_msg("blocks of %d: %s", sizes[i], found ? found : "left to the host");
    }
    free(page);
    by.device->close(by.target);
}

static void points_of_very_many_blocks_are_left_to_the_host(void **state) {
    (void)state;
    char *page = NULL;
    const by_page by = open_page(&page);
    for (int more = 0; more < 2; more++) {
        bool is_there = false;
        assert_null(order_many(&by, 37, 2 * TESS_WARP + more, &is_there));
        assert_int_equal(is_there, !more);
    }
    free(page);
    by.device->close(by.target);
}

/* What is changed in the text, one place each. */
static const char *const mutants[][2] = {
    {"atomic_add(&p->reached[point], 1u);", "atomic_add(&p->reached[point], 2u);"},
    {"load(&p->reached[point]) == 1)\n            atomic_add", "1)\n            atomic_add"},
    {"store(&p->new_to_old[start + before], point);", "store(&p->new_to_old[before], point);"},
    {"        start += more;\n    }\n}\n\n/* A warp a word. */",
     "    }\n}\n\n/* A warp a word. */"},
    {"load(&p->reached[ELEMENT()]) != 1;", "load(&p->reached[ELEMENT()]) > 1;"},
    {"rows = is_row ? same : ~same;", "rows = same;"},
    {"count_lanes(rows & (bit - 1)) : -1;", "count_lanes(rows & bit) : -1;"},
    {"store(&p->values[row], (int)n);", "store(&p->values[row], (int)n + 1);"},
    {"        atomic_max(&p->touched[0], n);", "        atomic_max(&p->touched[0], 2u);"},
    {"atomic_take(&p->taken[row], 1)], block_index());", "atomic_take(&p->taken[row], 1)], 0);"},
    {"load(&values[at - 1]) > value", "load(&values[at - 1]) < value"},
    {"(unsigned long long)((n - 1) &", "(unsigned long long)(n &"},
    {"i < first + 2; i++)", "i < first + 1; i++)"},
    {"(i < n ? load(&p->made[begin + i]) : 0);", "(i < n ? load(&p->made[begin]) : 0);"},
    {"p->new_to_old[p->n_touched + ELEMENT()]", "p->new_to_old[ELEMENT()]"},
};

static void mutants_are_found(void **state) {
    (void)state;
    char *page = NULL;
    by_page by = open_page(&page);
    int n_left = 0;
    for (size_t i = 0; i < sizeof mutants / sizeof *mutants; i++) {
        char *changed = page_with(page, mutants[i][0], mutants[i][1]);
        bool is_there = false;
        by.page = changed;
        if (!order_many(&by, 37, 9, &is_there) && !order_many(&by, 600, 3, &is_there))
            print_error("mutant '%s': not found\n", mutants[i][1]), n_left++;
        free(changed);
    }
    assert_int_equal(n_left, 0);
    free(page);
    by.device->close(by.target);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_ordered_as_the_host_does),
        cmocka_unit_test(points_of_very_many_blocks_are_left_to_the_host),
        cmocka_unit_test(mutants_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
