/* A device renumbering: on the emulator, which finds races, sets get the host's numbers, maps, dats
 * and coordinates follow as on the host, and points have their first block; with one thing wrong in
 * a text they have not. `device_renumber_test cuda MESH...` looks at meshes there alone. */
#include "core/mesh/derive.h"
#include "core/plan/order/renumber_mesh.h"
#include "data/mesh_open.h"
#include "data/permute_mesh.h"
#include "kernels/cut/device_plan.h"
#include "tests/core/small_plan.h"
#include "tests/kernels/changed_page.h"

enum { BLOCK_SIZE = 37 };

/* What a device is asked for, beside what the host has made. */
typedef struct both {
    tess_mesh *mesh;
    tess_loop *loop;
    tess_bound_loop *bound;
    tess_partition partition;
    tess_plan *plan;
    tess_renumbering *host;
    int *index_of; /* [mesh->n_sets]: among those of the device; -1: not there */
    int *map_of, *dat_of;
    tess_device_renumbering there;
    tess_device_plan plan_there;
} both;

static const char *name_of(const both *of, int set) {
    return of->mesh->sets[set].name;
}

/* The map named "from:to", where both sets are those, of a set that the device has or of this one.
 */
static int find_map(const both *of, const char *from, const char *to) {
    char name[2 * TESS_NAME_SIZE];
    snprintf(name, sizeof name, "%s:%s", from, to);
    for (int m = 0; m < of->mesh->n_maps; m++)
        if (strcmp(of->mesh->maps[m].name, name) == 0)
            return m;
    return -1;
}

/* A map by which a set's elements follow those of a set that the device has, as tess_renumber does;
 * -1: the mesh states none. */
static int map_to_follow(const both *of, int set) {
    const char *name = name_of(of, set);
    const bool is_cells = strcmp(name, "cells") == 0, is_nodes = strcmp(name, "nodes") == 0;
    const int nodes = find_map(of, "cells", "nodes");
    const int cells = tess_mesh_find_set(of->mesh, "cells");
    if (is_nodes && cells >= 0 && of->index_of[cells] >= 0)
        return nodes; /* of mixed cells the host has no one map, either */
    for (int to_nodes = 0; to_nodes < 2 && !is_cells && !is_nodes; to_nodes++) {
        const int m = find_map(of, name, to_nodes ? "nodes" : "cells");
        if (m >= 0 && (to_nodes || of->index_of[of->mesh->maps[m].to] >= 0))
            return of->index_of[of->mesh->maps[m].to] >= 0 ? m : -1;
    }
    for (int m = 0; m < of->mesh->n_maps; m++)
        if (of->mesh->maps[m].to == set && of->index_of[of->mesh->maps[m].from] >= 0)
            return m;
    return is_cells && nodes >= 0 && of->index_of[of->mesh->maps[nodes].to] >= 0 ? nodes : -1;
}

static void ask_for_set(both *of, const tess_permutation *set, int by) {
    tess_device_set *asked = &of->there.sets[of->there.n_sets];
    *asked = (tess_device_set){.size = set->size, .by = by};
    OK(TESS_ALLOC(set->size, &asked->new_to_old));
    OK(TESS_ALLOC(set->size, &asked->old_to_new));
    of->index_of[set->set] = of->there.n_sets++;
}

static void ask_for_map(both *of, int m) {
    const tess_map *map = &of->mesh->maps[m];
    const int64_t size = of->mesh->sets[map->from].size;
    tess_device_map *asked = &of->there.maps[of->there.n_maps];
    *asked = (tess_device_map){of->index_of[map->from], of->index_of[map->to], map->arity,
                               map->index, NULL};
    if (asked->from < 0 || asked->to < 0)
        return;
    OK(TESS_ALLOC(size * map->arity, &asked->renumbered));
    of->map_of[of->there.n_maps++] = m;
}

static void ask_for_dat(both *of, int d, int set, int64_t bytes, const void *values) {
    tess_device_dat *asked = &of->there.dats[of->there.n_dats];
    if (set < 0 || of->index_of[set] < 0 || bytes % 4)
        return;
    *asked = (tess_device_dat){of->index_of[set], bytes, values, NULL};
    OK(tess_array_alloc(of->mesh->sets[set].size, (size_t)bytes, &asked->renumbered));
    of->dat_of[of->there.n_dats++] = d;
}

static int64_t bytes_of(const tess_dat *dat) {
    return dat->dim * (dat->type == TESS_DOUBLE ? 8 : 4);
}

/* All that the host renumbers and the mesh states. */
static void ask(both *of) {
    const tess_mesh *mesh = of->mesh;
    OK(TESS_ZEROS(mesh->n_sets, &of->there.sets));
    OK(TESS_ZEROS(mesh->n_maps, &of->there.maps));
    OK(TESS_ZEROS(mesh->n_dats + 1, &of->there.dats));
    OK(TESS_ALLOC(mesh->n_sets, &of->index_of));
    OK(TESS_ALLOC(mesh->n_maps, &of->map_of));
    OK(TESS_ALLOC(mesh->n_dats + 1, &of->dat_of));
    memset(of->index_of, -1, (size_t)mesh->n_sets * sizeof *of->index_of);
    for (int i = 0; i < of->host->n_sets; i++) {
        const int by = i == 0 ? -1 : map_to_follow(of, of->host->sets[i].set);
        if (i == 0 || by >= 0)
            ask_for_set(of, &of->host->sets[i], by);
    }
    for (int m = 0; m < mesh->n_maps; m++)
        ask_for_map(of, m);
    for (int i = 1; i < of->there.n_sets; i++) /* a map is another one there */
        for (int m = 0, by = of->there.sets[i].by; m < of->there.n_maps; m++)
            if (of->map_of[m] == by)
                of->there.sets[i].by = m;
    ask_for_dat(of, -1, tess_mesh_find_set(mesh, "nodes"), 8 * mesh->dimension, mesh->coordinates);
    for (int d = 0; d < mesh->n_dats; d++)
        ask_for_dat(of, d, mesh->dats[d].set, bytes_of(&mesh->dats[d]), mesh->dats[d].values);
    OK(tess_device_plan_open(of->bound, of->partition.block_of, of->plan, &of->plan_there));
    for (int k = 0; k < of->plan->n_sets; k++) {
        tess_device_points *points = &of->plan_there.sets[k];
        points->n_points = mesh->sets[of->bound->targets[k].set].size;
        OK(TESS_ALLOC(points->n_points, &points->owner));
    }
}

/* Takes over a mesh, in blocks of a map's elements. */
static void both_open(tess_mesh *mesh, const char *map, both *out) {
    both of = {.mesh = mesh};
    OK(tess_loop_of_map(map, NULL, &of.loop));
    OK(tess_loop_bind(of.loop, mesh, &of.bound));
    uint64_t seed = 5;
    of.partition = mesh->sets[of.bound->set].size < 10000
                       ? random_partition(&seed, of.bound->n_elements, BLOCK_SIZE)
                       : natural_partition(of.bound->n_elements, BLOCK_SIZE);
    OK(tess_plan_build(of.bound, &of.partition, NULL, &of.plan));
    OK(tess_renumber(of.bound, of.plan, &of.host));
    ask(&of);
    *out = of;
    out->plan_there.renumbering = &out->there;
}

static void both_close(both *of) {
    for (int i = 0; i < of->there.n_sets; i++) {
        free(of->there.sets[i].new_to_old);
        free(of->there.sets[i].old_to_new);
    }
    for (int m = 0; m < of->there.n_maps; m++)
        free(of->there.maps[m].renumbered);
    for (int d = 0; d < of->there.n_dats; d++)
        free(of->there.dats[d].renumbered);
    for (int k = 0; k < of->plan_there.n_sets; k++)
        free(of->plan_there.sets[k].owner);
    free(of->there.sets);
    free(of->there.maps);
    free(of->there.dats);
    free(of->index_of);
    free(of->map_of);
    free(of->dat_of);
    tess_device_plan_close(&of->plan_there);
    tess_renumbering_free(of->host);
    tess_plan_free(of->plan);
    free(of->partition.block_of);
    tess_bound_loop_free(of->bound);
    tess_loop_free(of->loop);
    tess_mesh_free(of->mesh);
}

/* Whether points have the first block that has them. */
static bool owners_are_right(const both *of, int k) {
    const tess_plan_set *set = &of->plan->sets[k];
    const tess_device_points *there = &of->plan_there.sets[k];
    int32_t *owner = NULL;
    OK(TESS_ALLOC(there->n_points, &owner));
    memset(owner, -1, (size_t)there->n_points * sizeof *owner);
    for (int32_t b = of->plan->n_blocks - 1; b >= 0; b--)
        for (int64_t i = set->point_offset[b]; i < set->point_offset[b + 1]; i++)
            owner[set->points[i]] = b;
    const bool right = memcmp(owner, there->owner, (size_t)there->n_points * sizeof *owner) == 0;
    free(owner);
    return right;
}

/* What of the device's is not the host's, whose mesh is renumbered here; NULL: nothing. */
static const char *differing(both *of) {
    static char found[3 * TESS_NAME_SIZE];
    for (int k = 0; k < of->plan->n_sets; k++)
        if (!owners_are_right(of, k))
            return "owners";
    for (int i = 0; i < of->host->n_sets; i++) {
        const tess_permutation *host = &of->host->sets[i];
        const int at = of->index_of[host->set];
        const size_t bytes = (size_t)host->size * sizeof(int32_t);
        if (at < 0)
            continue;
        snprintf(found, sizeof found, "numbers of %s", name_of(of, host->set));
        if (memcmp(host->new_to_old, of->there.sets[at].new_to_old, bytes) != 0 ||
            memcmp(host->old_to_new, of->there.sets[at].old_to_new, bytes) != 0)
            return found;
    }
    OK(tess_mesh_renumber(of->mesh, of->host));
    for (int m = 0; m < of->there.n_maps; m++) {
        const tess_map *map = &of->mesh->maps[of->map_of[m]];
        const int64_t n = of->mesh->sets[map->from].size * map->arity;
        snprintf(found, sizeof found, "map %s", map->name);
        if (memcmp(map->index, of->there.maps[m].renumbered, (size_t)n * sizeof(int32_t)) != 0)
            return found;
    }
    for (int d = 0; d < of->there.n_dats; d++) {
        const tess_device_dat *there = &of->there.dats[d];
        const int dat = of->dat_of[d];
        const void *values = dat < 0 ? of->mesh->coordinates : of->mesh->dats[dat].values;
        const size_t bytes = (size_t)(of->there.sets[there->set].size * there->bytes);
        if (memcmp(values, there->renumbered, bytes) != 0)
            return dat < 0 ? "coordinates" : of->mesh->dats[dat].name;
    }
    return NULL;
}

typedef struct opened {
    const tess_device *device;
    tess_target *target;
    char *page;
} opened;

/* What differs on a mesh, which is taken over, or why the device fails. */
static const char *try_mesh(const opened *on, tess_mesh *mesh, const char *map) {
    static char found[400];
    both of;
    both_open(mesh, map, &of);
    tess_cut_kernels kernels = {.module = NULL};
    double seconds = 0;
    tess_status status = tess_cut_kernels_open(on->device, on->target, on->page, &kernels);
    if (status == TESS_OK)
        status = tess_device_plan_here(&kernels, NULL, &of.plan_there, &seconds);
    const char *differs = status == TESS_OK ? differing(&of) : tess_message();
    snprintf(found, sizeof found, "%s", differs ? differs : "");
    tess_cut_kernels_close(&kernels);
    both_close(&of);
    return differs ? found : NULL;
}

static void open_device(const char *name, opened *on) {
    OK(tess_device_open(name, &on->device, &on->target));
    OK(tess_cut_page(TESS_CUT_PLANS, &on->page));
}

static void close_device(opened *on) {
    free(on->page);
    on->device->close(on->target);
}

/* Adds a map of random rows, most of them near their place; `padded` ones may be shorter, and have
 * a point twice. */
static void add_map(tess_mesh *mesh, const char *from, const char *to, int arity, bool padded,
                    uint64_t *seed) {
    const int64_t n = tess_mesh_set_size(mesh, from), n_points = tess_mesh_set_size(mesh, to);
    int32_t *index = NULL;
    OK(TESS_ALLOC(n * arity, &index));
    for (int64_t i = 0; i < n * arity; i++) {
        const int64_t near = 3 + i / arity * n_points / n / 2 + random_below(seed, 12);
        const bool ends = padded && i % arity > 0 && (index[i - 1] < 0 || !random_below(seed, 4));
        index[i] = ends                         ? -1
                   : random_below(seed, 9) == 0 ? random_below(seed, n_points)
                                                : (int32_t)(near < n_points ? near : n_points - 1);
    }
    index[(n - 1) * arity] = 0;
    OK(tess_mesh_add_map(mesh, from, to, arity, padded ? TESS_MAP_PADDED : 0, index));
}

/* Edges lead to cells, these to nodes, walls to cells and lines to nodes, in rows of up to seven;
 * so do posts, most of which have one least cell. */
static tess_mesh *mesh_of_many(int n) {
    uint64_t seed = 9;
    tess_mesh *mesh = NULL;
    const struct {
        const char *name;
        int size;
    } sets[] = {{"walls", n / 3}, {"posts", n / 4}, {"lines", 1},
                {"edges", n},     {"cells", n / 2}, {"nodes", n / 2 + 7}};
    OK(tess_mesh_new("many", 3, &mesh));
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        OK(tess_mesh_add_set(mesh, sets[i].name, sets[i].size, NULL));
    add_map(mesh, "edges", "cells", 3, true, &seed);
    add_map(mesh, "cells", "nodes", 4, false, &seed);
    add_map(mesh, "walls", "cells", 7, true, &seed);
    for (int i = 0; i < 4; i++) { /* two and two differ by one cell, one way and the other */
        const int32_t row[] = {3, 4, 5 + i / 2, n / 2 - (i % 3 == 0 ? 2 : 4), -1, -1, -1};
        memcpy(&mesh->maps[mesh->n_maps - 1].index[7 * (i + 1)], row, sizeof row);
    }
    add_map(mesh, "posts", "cells", 3, true, &seed);
    for (int i = 0; i < n / 4; i += 4) {
        int32_t *row = &mesh->maps[mesh->n_maps - 1].index[3 * i];
        row[0] = 0;
        row[1] = row[2] = -1;
    }
    add_map(mesh, "lines", "nodes", 2, false, &seed);
    OK(TESS_ALLOC(3 * (n / 2 + 7), &mesh->coordinates));
    for (int i = 0; i < 3 * (n / 2 + 7); i++)
        mesh->coordinates[i] = i;
    float *weights = NULL;
    OK(TESS_ALLOC(5 * n, &weights));
    for (int i = 0; i < 5 * n; i++)
        weights[i] = (float)i;
    OK(tess_mesh_add_dat(mesh, "weight", "edges", 5, TESS_FLOAT, weights));
    return mesh;
}

static void sets_maps_and_dats_are_those_of_the_host(void **state) {
    static const int sizes[] = {5000, 40, 2048}; /* of the last numbers, and "none", take 11 bits */
    opened on;
    open_device("emulator:count=no:seed=3", &on);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const char *found = try_mesh(&on, mesh_of_many(sizes[i]), "edges:cells");
        if (found)
            fail_msg("%d: %s", sizes[i], found);
    }
    close_device(&on);
}

/* Of each map that a mesh has or may have. */
static int look_at_mesh(const opened *on, const char *text) {
    static const char *const maps[] = {"edges:cells", "faces:cells", "cells:nodes"};
    int n_wrong = 0;
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        tess_mesh *mesh = NULL;
        OK(tess_mesh_open(text, &mesh));
        if (tess_mesh_derive_all(mesh) != TESS_OK || !tess_mesh_find_map(mesh, maps[i])) {
            tess_mesh_free(mesh);
            continue;
        }
        const char *found = try_mesh(on, mesh, maps[i]);
        printf("%s %s: %s\n", text, maps[i], found ? found : "the host's arrays");
        n_wrong += found != NULL;
    }
    return n_wrong;
}

static void meshes_are_those_of_the_host(void **state) {
    static const char *const meshes[] = {"tris:nx=9:ny=14", "hexes:nx=4:ny=5:nz=6",
                                         "tets:nx=3:ny=3:nz=3", "prisms:nx=3:ny=4:nz=3",
                                         "airfoil:i=20:j=16"};
    opened on;
    open_device("emulator:count=no:seed=3", &on);
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++)
        assert_int_equal(look_at_mesh(&on, meshes[i]), 0);
    close_device(&on);
}

static void what_is_wrong_is_refused(void **state) {
    opened on;
    open_device("emulator:count=no", &on);
    tess_cut_kernels kernels;
    double seconds = 0;
    OK(tess_cut_kernels_open(on.device, on.target, on.page, &kernels));
    both of;
    both_open(mesh_of_many(40), "edges:cells", &of);
    of.there.sets[1].by = 2;
    assert_int_equal(tess_device_plan_here(&kernels, NULL, &of.plan_there, &seconds),
                     TESS_ERROR_USAGE);
    assert_string_equal(tess_message(), "set 1 follows map 2, which is none of a set before it");
    const tess_device_renumbering there = of.there;
    of.there.n_maps = 0;
    of.there.maps = NULL;
    assert_int_equal(tess_device_plan_here(&kernels, NULL, &of.plan_there, &seconds),
                     TESS_ERROR_USAGE);
    of.there = there;
    of.there.sets[1].by = 0;
    of.there.dats[0].bytes = 6;
    assert_int_equal(tess_device_plan_here(&kernels, NULL, &of.plan_there, &seconds),
                     TESS_ERROR_USAGE);
    assert_string_equal(tess_message(), "dat 0 has 6 bytes an element of set 2: a multiple of 4");
    of.there.dats[0].bytes = 24;
    of.there.sets[0].size--;
    assert_int_equal(tess_device_plan_here(&kernels, NULL, &of.plan_there, &seconds),
                     TESS_ERROR_USAGE);
    of.there.sets[0].size++;
    of.mesh->maps[1].index[5] = 27; /* there are 27 nodes */
    assert_int_equal(tess_device_plan_here(&kernels, NULL, &of.plan_there, &seconds),
                     TESS_ERROR_INPUT);
    assert_string_equal(tess_message(), "a map leads beyond the elements of its set");
    of.mesh->maps[1].index[5] = 26;
    OK(tess_device_plan_here(&kernels, NULL, &of.plan_there, &seconds));
    both_close(&of);
    tess_cut_kernels_close(&kernels);
    close_device(&on);
}

static const struct {
    const char *from, *to;
} mutants[] = {
    {"element_at(p, i) * n_slots", "i * n_slots"},
    {"~(unsigned)(i * n_slots + s)", "~(unsigned)(i * n_slots)"},
    {"(lane() == 0 || point != before)", "point != before"},
    {"lane() > 0 ? lane() - 1 : 0", "(lane() + 1) % WARP"},
    {"(long long)~reached : p->n * p->n_slots + point", "(long long)~reached : p->n * p->n_slots"},
    {"1u << bit % WARP);", "1u << bit / WARP % WORD);"},
    {"store(&p->values[ELEMENT()], count_lanes(load(&p->marks[ELEMENT()])));",
     "store(&p->values[ELEMENT()], load(&p->marks[ELEMENT()]) > 0);"},
    {"& ((1u << bit % WARP) - 1);", "& ((2u << bit % WARP) - 1);"},
    {"load(&p->values[bit / WARP]) + count_lanes(before)", "load(&p->values[bit / WARP])"},
    {"(int)element_at(p, ELEMENT()));", "(int)ELEMENT());"},
    {"point < 0 || point >= p->n_points ? p->n_points :", "point < 0 ? 0 :"},
    {"number > above && number < least", "number > above + 1 && number < least"},
    {"load(&p->values[key >> 32]) + load(&p->ranks[ELEMENT()])", "load(&p->values[key >> 32])"},
    {"key << 32 | (unsigned long long)ELEMENT()", "key << 32"},
    {"? key < other :", "? key > other :"},
    {"while (above < p->n_points)", "if (above < p->n_points)"},
    {"return number < others;", "return number > others;"},
    {"return element < other;", "return element > other;"},
    {"begin + 1; i < end; i++) {", "begin + 1; i < end - 1; i++) {"},
    {"at > begin && comes_before", "at > begin + 1 && comes_before"},
    {"(long long)(key >> 32));", "p->n_points);"},
    {"give_number(p, i, (int)load", "give_number(p, begin, (int)load"},
    {"i < 2 * (int)p->round", "i < 0 * (int)p->round"},
    {"first << p->bits |", "first << p->bits - 1 |"},
    {"second = number_above(p, element, first)", "second = number_above(p, element, number)"},
    {"i < n_rows * n_slots; i += THREADS", "i < n_rows * n_slots - 1; i += THREADS"},
    {"first + row) * n_slots + slot", "first + slot) * n_slots + row"},
    {"row += rows + (slot + slots >= n_slots)", "row += rows"},
    {"? slots - n_slots : slots", "? 0 : slots"},
    {"p->numbers && word >= 0", "p->numbers && word > 0"},
    {"fetch(&p->values[block_index()]) + thread_index(); i < end",
     "fetch(&p->values[block_index()]) + thread_index(); i <= end"},
    {"~(unsigned)block_index());", "(unsigned)block_index() + 1);"},
    {"reached ? (int)~reached : -1", "reached ? (int)~reached : 0"},
};

static void mutants_are_found(void **state) {
    opened on;
    int n_left = 0;
    open_device("emulator:count=no", &on);
    char *page = on.page;
    assert_null(try_mesh(&on, mesh_of_many(1040), "edges:cells"));
    EACH_MUTANT(i, mutants) {
        on.page = page_with(page, mutants[i].from, mutants[i].to);
        if (!try_mesh(&on, mesh_of_many(1040), "edges:cells")) {
            print_error("mutant %zu ('%s') is not found\n", i, mutants[i].to);
            n_left++;
        }
        free(on.page);
    }
    on.page = page;
    assert_int_equal(n_left, 0);
    close_device(&on);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_maps_and_dats_are_those_of_the_host),
        cmocka_unit_test(meshes_are_those_of_the_host),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(mutants_are_found),
    };
    int n_wrong = 0;
    opened on;
    if (argc < 2)
        return cmocka_run_group_tests(tests, NULL, NULL);
    open_device(argv[1], &on);
    for (int i = 2; i < argc; i++)
        n_wrong += look_at_mesh(&on, argv[i]);
    close_device(&on);
    printf("%d differ\n", n_wrong);
    return n_wrong > 0;
}
