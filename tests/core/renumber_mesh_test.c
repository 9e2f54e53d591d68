/* The renumbering of a whole mesh: elements as executed, what follows in the order of first use. */
#include "core/mesh/derive.h"
#include "core/plan/order/renumber_mesh.h"
#include "data/mesh_open.h"
#include "data/order_mesh.h"
#include "data/permute_mesh.h"
#include "tests/core/small_plan.h"

typedef struct renumbered {
    tess_mesh *mesh;
    tess_loop *loop;
    tess_bound_loop *bound;
    tess_plan *plan;
    tess_renumbering *renumbering;
} renumbered;

/* Blocks of seven elements of the map's set, in a shuffled order. */
static renumbered renumber(const char *mesh, const char *map) {
    renumbered made = {.mesh = NULL};
    tess_partition *partition = NULL;
    OK(tess_mesh_open(mesh, &made.mesh));
    OK(tess_mesh_derive(made.mesh, map));
    OK(tess_loop_of_map(map, NULL, &made.loop));
    OK(tess_loop_bind(made.loop, made.mesh, &made.bound));
    OK(tess_partition_in_order(made.bound, NULL, 7, &partition));
    OK(tess_plan_build(made.bound, partition,
                       &(tess_plan_options){.thread_order = TESS_ORDER_COLOUR}, &made.plan));
    OK(tess_renumber(made.bound, made.plan, &made.renumbering));
    OK(tess_renumbering_check(made.mesh, made.renumbering));
    tess_partition_free(partition);
    return made;
}

static void renumbered_free(renumbered *made) {
    tess_renumbering_free(made->renumbering);
    tess_plan_free(made->plan);
    tess_bound_loop_free(made->bound);
    tess_loop_free(made->loop);
    tess_mesh_free(made->mesh);
}

static const tess_permutation *of(const renumbered *made, const char *set) {
    const tess_permutation *found =
        tess_renumbering_of(made->renumbering, tess_mesh_find_set(made->mesh, set));
    assert_non_null(found);
    return found;
}

/* Whether numbers come first in ascending order along a map of the renumbered mesh. */
static void assert_first_use(const tess_mesh *mesh, const char *map_name) {
    const tess_map *map = tess_mesh_find_map(mesh, map_name);
    int32_t next = 0;
    for (int64_t i = 0; i < mesh->sets[map->from].size * map->arity; i++) {
        assert_in_range(map->index[i], 0, next);
        next += map->index[i] == next;
    }
    assert_int_equal(next, mesh->sets[map->to].size);
}

static void elements_are_as_executed_and_others_follow(void **state) {
    static const char *const cases[][2] = {{"tris:nx=9:ny=7:shuffle=3", "edges:cells"},
                                           {"tris:nx=9:ny=7:shuffle=3", "cells:nodes"},
                                           {"tets:nx=4:ny=3:nz=3:shuffle=3", "faces:cells"},
                                           {"tets:nx=4:ny=3:nz=3:shuffle=3", "edges:nodes"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        renumbered made = renumber(cases[i][0], cases[i][1]);
        const tess_permutation *elements = of(&made, made.loop->set);
        assert_memory_equal(elements->new_to_old, made.plan->executed,
                            (size_t)made.plan->n_executed * sizeof(int32_t));
        assert_int_equal(made.renumbering->n_sets, made.mesh->n_sets);
        OK(tess_mesh_renumber(made.mesh, made.renumbering));
        if (i < 3)
            assert_first_use(made.mesh, i == 0   ? "edges:cells"
                                        : i == 1 ? "cells:nodes"
                                                 : "faces:cells");
        if (i < 3)
            assert_first_use(made.mesh, "cells:nodes");
        renumbered_free(&made);
    }
}

/* Faces that follow cells are upper triangular: by their lower cell, then by the other one. */
static void faces_by_levels_are_upper_triangular(void **state) {
    renumbered made = {.mesh = NULL};
    OK(tess_mesh_open("tets:nx=4:ny=3:nz=3:shuffle=3", &made.mesh));
    OK(tess_mesh_derive(made.mesh, "faces:cells"));
    OK(tess_order_renumber(made.mesh, "levels", &made.renumbering));
    OK(tess_renumbering_check(made.mesh, made.renumbering));
    OK(tess_mesh_renumber(made.mesh, made.renumbering));
    const tess_map *faces = tess_mesh_find_map(made.mesh, "faces:cells");
    int32_t before[2] = {-1, -1};
    int64_t spread = 0;
    for (int64_t f = 0; f < made.mesh->sets[faces->from].size; f++) {
        const int32_t *row = faces->index + 2 * f;
        const int32_t lower = row[0] < row[1] ? row[0] : row[1], upper = row[0] + row[1] - lower;
        assert_true(lower > before[0] || (lower == before[0] && upper > before[1]));
        before[0] = lower;
        before[1] = upper;
        spread = upper - lower > spread ? upper - lower : spread;
    }
    assert_in_range(spread, 1, 60); /* of 216 cells: no neighbour is further than two levels */
    assert_first_use(made.mesh, "cells:nodes");
    renumbered_free(&made);
}

static void blocks_that_share_elements_are_refused(void **state) {
    uint64_t seed = 5;
    small_plan made = random_plan(&seed, NULL, 0);
    while (!made.plan->owns_points) {
        small_plan_free(&made);
        made = random_plan(&seed, NULL, 0);
    }
    tess_renumbering *renumbering = NULL;
    assert_int_equal(tess_renumber(made.bound, made.plan, &renumbering), TESS_ERROR_USAGE);
    assert_non_null(strstr(tess_message(), "own points"));
    small_plan_free(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_as_executed_and_others_follow),
        cmocka_unit_test(faces_by_levels_are_upper_triangular),
        cmocka_unit_test(blocks_that_share_elements_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
