/* Points that a device orders by their blocks, or those that own them, and elements that blocks
 * share: on the emulator, which finds races, their order is the host's; with one thing wrong in a
 * text it is not, or the emulator says why. `device_point_order_test cuda MESH...` looks at meshes
 * there alone. */
#include "core/mesh/derive.h"
#include "core/plan/order/renumber.h"
#include "data/mesh_open.h"
#include "kernels/cut/device_plan.h"
#include "tests/core/small_plan.h"
#include "tests/kernels/changed_page.h"

enum { MANY = 3000, POINTS = 2600, ARITY = 3, HUB = 7 };

#define EMULATOR "emulator:count=no:seed=3"

/* A device whose page plans. */
typedef struct by_page {
    const tess_device *device;
    tess_target *target;
    const char *page;
    tess_renumber_method method;
} by_page;

static tess_status fill(void *context, const tess_bound_loop *bound, const int32_t *block_of,
                        const int32_t *position, tess_plan *plan) {
    const by_page *by = context;
    tess_cut_kernels kernels = {.module = NULL};
    double seconds = 0;
    tess_status status = tess_cut_kernels_open(by->device, by->target, by->page, &kernels);
    if (status == TESS_OK)
        status = tess_device_plan_fill(&kernels, bound, block_of, position, plan, &seconds);
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

/* The order that a device's plan has of the points of a loop's sets, of which blocks own `owned`
 * (-1: none), beside the host's: what differs, or why it fails. */
static const char *compare(const tess_bound_loop *bound, int owned, const tess_partition *partition,
                           const by_page *by, bool *is_there) {
    const tess_planner planner = {
        .context = (void *)(uintptr_t)by, .fill = fill, .renumbers = by->method};
    tess_plan *here = NULL, *there = NULL;
    tess_renumbering *host = NULL, *device = NULL;
    const char *found = NULL;
    OK(owned < 0 ? tess_plan_build(bound, partition, NULL, &here)
                 : tess_plan_build_owned(bound, owned, partition, NULL, &here));
    OK(tess_renumber_build(bound, here, by->method, false, &host));
    if ((owned < 0 ? tess_plan_build_by(&planner, bound, partition, NULL, &there)
                   : tess_plan_build_owned_by(&planner, bound, owned, partition, NULL, &there)) !=
        TESS_OK)
        found = tess_message();
    for (int k = 0; !found && k < there->n_sets; k++)
        *is_there = there->sets[k].new_to_old && (owned < 0 || there->new_to_old);
    if (!found)
        OK(tess_renumber_build(bound, there, by->method, false, &device));
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

/* Blocks of one size of many elements, or points that they own, where one point has so many. */
static const char *order_many(const by_page *by, bool owned, int32_t block_size,
                              int32_t most_blocks, bool *is_there) {
    uint64_t seed = 8;
    tess_mesh *mesh = mesh_of_many(block_size, most_blocks);
    tess_loop *loop = owned ? random_loop_of_slots(&seed, mesh, 1) : random_loop(mesh, 1);
    tess_bound_loop *bound = NULL;
    OK(tess_loop_bind(loop, mesh, &bound));
    tess_partition partition = natural_partition(owned ? POINTS : MANY, block_size);
    const char *found = compare(bound, owned ? 1 : -1, &partition, by, is_there);
    free(partition.block_of);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
    return found;
}

static by_page open_page(const char *device, char **page) {
    by_page by = {.method = TESS_RENUMBER_BLOCKS};
    OK(tess_device_open(device, &by.device, &by.target));
    OK(tess_cut_page(TESS_CUT_PLANS, page));
    by.page = *page;
    return by;
}

/* Random plans, of elements and of owned points, then larger ones. */
static void order_all(const by_page *by) {
    uint64_t seed = 6;
    for (int trial = 0; trial < 8; trial++) {
        bool is_there = false;
        const int over = trial % 2 - 1;
        small_plan made = random_plan(&seed, NULL, over);
        const int owned = over < 0 ? -1 : tess_mesh_find_set(made.mesh, made.plan->partitioned_set);
        const char *found = compare(made.bound, owned, &made.partition, by, &is_there);
        if (found || !is_there)
            fail_msg("trial %d: %s", trial, found ? found : "left to the host");
        small_plan_free(&made);
    }
    static const int32_t sizes[2][2] = {{3, 600}, {37, 100}}; /* the latter owned */
    for (int i = 0; i < 4; i++) {
        bool is_there = false;
        const int32_t size = sizes[i / 2][i % 2];
        const char *found = order_many(by, i / 2, size, 3, &is_there);
        if (found || !is_there)
            fail_msg("blocks of %d: %s", size, found ? found : "left to the host");
    }
}

static void points_are_ordered_as_the_host_does(void **state) {
    (void)state;
    char *page = NULL;
    by_page by = open_page(EMULATOR, &page);
    order_all(&by);
    by.method = TESS_RENUMBER_OWNER;
    order_all(&by);
    free(page);
    by.device->close(by.target);
}

static void points_of_very_many_blocks_are_left_to_the_host(void **state) {
    (void)state;
    char *page = NULL;
    by_page by = open_page(EMULATOR, &page);
    for (int i = 0; i < 4; i++) {
        bool is_there = false;
        const int more = i % 2;
        by.method = i / 2 ? TESS_RENUMBER_OWNER : TESS_RENUMBER_BLOCKS;
        assert_null(order_many(&by, false, 37, 2 * TESS_WARP + more, &is_there));
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
    {"n == 0 ? (int)p->n_blocks : p->owners", "p->owners"},
    {"p->owners ? fetch(&p->owners[point]) : first;", "first;"},
    {"n > 1 || (n == 1 && first != own);", "n > 1;"},
    {"n > 1 || (n == 1 && first != own);", "n == 1 && first != own;"},
    {"2 * (unsigned long long)own + is_shared", "2 * (unsigned long long)own"},
    {"+ is_shared);\n    store(&p->ids[ELEMENT()], (int)ELEMENT());", "+ is_shared);"},
};

/* Whether an order by owners, or by blocks, is another one than the host's. */
static bool is_found(by_page *by) {
    bool is_there = false;
    by->method = TESS_RENUMBER_OWNER;
    if (order_many(by, true, 37, 9, &is_there) || order_many(by, false, 37, 9, &is_there))
        return true;
    by->method = TESS_RENUMBER_BLOCKS;
    return order_many(by, false, 600, 3, &is_there);
}

static void mutants_are_found(void **state) {
    (void)state;
    char *page = NULL;
    by_page by = open_page(EMULATOR, &page);
    int n_left = 0;
    EACH_MUTANT(i, mutants) {
        char *changed = page_with(page, mutants[i][0], mutants[i][1]);
        by.page = changed;
        if (!is_found(&by))
            print_error("mutant '%s': not found\n", mutants[i][1]), n_left++;
        free(changed);
    }
    assert_int_equal(n_left, 0);
    free(page);
    by.device->close(by.target);
}

/* A mesh in blocks of one map, of elements or of points, by both methods. */
static int look_at_map(by_page *by, const char *text, tess_mesh *mesh, const char *map) {
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    int n_wrong = 0;
    OK(tess_loop_of_map(map, NULL, &loop));
    OK(tess_loop_bind(loop, mesh, &bound));
    for (int i = 0; i < 4; i++) {
        const int set = bound->targets[0].set;
        const bool owned = i % 2;
        bool is_there = false;
        by->method = i / 2 ? TESS_RENUMBER_OWNER : TESS_RENUMBER_BLOCKS;
        tess_partition partition =
            natural_partition(owned ? mesh->sets[set].size : bound->n_elements, owned ? 48 : 128);
        const char *found = compare(bound, owned ? set : -1, &partition, by, &is_there);
        const char *as_here = is_there ? "the host's order" : "left to the host";
        printf("%s %s by %s of %s: %s\n", text, map, i / 2 ? "owner" : "blocks",
               owned ? "points" : "elements", found ? found : as_here);
        n_wrong += found != NULL;
        free(partition.block_of);
    }
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    return n_wrong;
}

/* By each map that it has or may have. */
static int look_at_mesh(by_page *by, const char *text) {
    static const char *const maps[] = {"edges:cells", "faces:cells", "cells:nodes"};
    int n_wrong = 0;
    tess_mesh *mesh = NULL;
    OK(tess_mesh_open(text, &mesh));
    OK(tess_mesh_derive_all(mesh));
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        n_wrong += tess_mesh_find_map(mesh, maps[i]) ? look_at_map(by, text, mesh, maps[i]) : 0;
    tess_mesh_free(mesh);
    return n_wrong;
}

static int look_at_meshes(const char *device, int n, char **texts) {
    char *page = NULL;
    by_page by = open_page(device, &page);
    int n_wrong = 0;
    for (int i = 0; i < n; i++)
        n_wrong += look_at_mesh(&by, texts[i]);
    printf("%d differ\n", n_wrong);
    free(page);
    by.device->close(by.target);
    return n_wrong > 0;
}

static void meshes_are_ordered_as_the_host_does(void **state) {
    (void)state;
    static char *meshes[] = {"tris:nx=9:ny=14", "hexes:nx=3:ny=4:nz=5"};
    assert_int_equal(look_at_meshes(EMULATOR, 2, meshes), 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_ordered_as_the_host_does),
        cmocka_unit_test(meshes_are_ordered_as_the_host_does),
        cmocka_unit_test(points_of_very_many_blocks_are_left_to_the_host),
        cmocka_unit_test(mutants_are_found),
    };
    return argc > 2 ? look_at_meshes(argv[1], argc - 2, argv + 2)
                    : cmocka_run_group_tests(tests, NULL, NULL);
}
