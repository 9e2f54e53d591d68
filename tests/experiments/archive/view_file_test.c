/* Views of a lab are made from what it stores, once, and again when they are gone. */
#include "experiments/archive/view_file.h"

#include "core/mesh/derive.h"
#include "tests/core/small_plan.h"
#include "tests/experiments/archive/scratch_folder.h"
#include "tests/viz/box_mesh.h"

#include <sys/stat.h>
#include <unistd.h>

/* Stores a run of the loop over `map` cut into runs of 8 elements. */
static void store_run(tess_lab *lab, tess_mesh *mesh, const char *map, char id[TESS_RUN_ID_SIZE]) {
    small_plan made = {.mesh = mesh};
    tess_metrics *metrics = NULL;
    tess_record *record = NULL;
    OK(tess_loop_of_map(map, NULL, &made.loop));
    OK(tess_loop_bind(made.loop, mesh, &made.bound));
    made.partition = natural_partition(made.bound->n_elements, 8);
    OK(tess_plan_build(made.bound, &made.partition, NULL, &made.plan));
    OK(tess_metrics_of_plan(made.bound, made.plan, NULL, TESS_SOA, &metrics));
    OK(tess_record_new(1, (char *const[]){"test", NULL}, &record));
    tess_plan_content content = {.bound = made.bound,
                                 .loop = made.loop,
                                 .partitioner = "runs",
                                 .partition = &made.partition,
                                 .plan = made.plan,
                                 .layout = TESS_SOA,
                                 .metrics = metrics};
    OK(tess_lab_store_mesh(lab, mesh, content.mesh));
    snprintf(record->mesh, sizeof record->mesh, "%s", content.mesh);
    OK(tess_lab_store_plan(lab, &content, record->plan));
    OK(tess_lab_store_run(lab, record));
    snprintf(id, TESS_RUN_ID_SIZE, "%s", record->id);
    tess_record_free(record);
    tess_metrics_free(metrics);
    made.mesh = NULL; /* the caller's */
    small_plan_free(&made);
}

static void test_views_of_every_loop_are_made_once(void **state) {
    const char *const maps[] = {"cells:nodes", "edges:nodes", "faces:cells", "bfaces:cells"};
    tess_lab *lab = NULL;
    OK(tess_lab_open(folder, true, &lab));
    const char *const prisms[] = {"prisms"}; /* faces of two types: no faces:nodes */
    tess_mesh *mesh = box_mesh(3, 3, 1, prisms);
    OK(tess_mesh_derive_all(mesh));
    for (int i = 0; i < 4; i++) {
        char id[TESS_RUN_ID_SIZE];
        char *path = NULL, *again = NULL;
        struct stat first, second;
        store_run(lab, mesh, maps[i], id);
        OK(tess_view_file_of_run(lab, id, &path));
        assert_int_equal(stat(path, &first), 0);
        assert_true(first.st_size > 0);
        OK(tess_view_file_of_run(lab, id, &again));
        assert_string_equal(path, again);
        assert_int_equal(stat(path, &second), 0);
        assert_int_equal(first.st_ino, second.st_ino); /* not written again ... */
        unlink(path);
        free(again);
        OK(tess_view_file_of_run(lab, id, &again));
        assert_int_equal(stat(path, &second), 0); /* ... but when it was gone */
        assert_int_equal(first.st_size, second.st_size);
        free(path);
        free(again);
    }
    tess_mesh_free(mesh);
    tess_lab_close(lab);
}

static void test_a_folder_of_views_that_was_removed_is_made_again(void **state) {
    tess_lab *lab = NULL;
    char id[TESS_RUN_ID_SIZE], views[TESS_PATH_SIZE], elsewhere[TESS_PATH_SIZE], *path = NULL;
    OK(tess_lab_open(folder, true, &lab));
    OK(tess_lab_path(lab, views, "views"));
    OK(tess_lab_path(lab, elsewhere, "elsewhere"));
    assert_int_equal(rename(views, elsewhere), 0);
    tess_mesh *mesh = box_mesh(2, 2, 1, (const char *const[]){"hexes"});
    OK(tess_mesh_derive_all(mesh));
    store_run(lab, mesh, "faces:cells", id);
    OK(tess_view_file_of_run(lab, id, &path));
    assert_int_equal(access(path, R_OK), 0);
    free(path);
    tess_mesh_free(mesh);
    tess_lab_close(lab);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views_of_every_loop_are_made_once),
        cmocka_unit_test(test_a_folder_of_views_that_was_removed_is_made_again),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
