/* Plan files: what is read back is the plan that was written, damage is named, and a lab that holds
 * a wrong plan does not verify. */
#include "core/base/array.h"
#include "core/mesh/derive.h"
#include "core/plan/plan_check.h"
#include "data/mesh_open.h"
#include "experiments/archive/lab.h"
#include "experiments/archive/plan_digest.h"
#include "experiments/archive/verify.h"
#include "tests/experiments/archive/scratch_folder.h"
#include "tests/unit.h"

/* HDF5 itself loses memory when a file is damaged. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libhdf5";
}

/* A plan on a small box of quads, and a lab that holds both. */
typedef struct stored {
    tess_lab *lab;
    tess_mesh *mesh;
    tess_loop *loop;
    tess_bound_loop *bound;
    tess_partition *partition;
    tess_plan *plan;
    tess_renumbering *renumbering;
    tess_metrics *metrics;
    tess_plan_content content;
    char digest[TESS_DIGEST_SIZE];
} stored;

static void make_plan(stored *on, const char *map) {
    OK(tess_mesh_open("quads:nx=20:ny=15", &on->mesh));
    OK(tess_mesh_derive(on->mesh, map));
    OK(tess_loop_of_map(map, NULL, &on->loop));
    OK(tess_loop_bind(on->loop, on->mesh, &on->bound));
    tess_partition_problem *problem = NULL;
    OK(tess_partition_problem_build(on->bound, TESS_POINTS_INCREMENTS, 64, 1, &problem));
    int32_t *block_of = NULL;
    OK(TESS_ALLOC(problem->n_elements, &block_of));
    for (int64_t e = 0; e < problem->n_elements; e++)
        block_of[e] = (int32_t)(e / 50);
    OK(tess_partition_build(problem, block_of, TESS_REPAIR_SPLIT, &on->partition));
    free(block_of);
    tess_partition_problem_free(problem);
    const tess_plan_options options = {0};
    OK(tess_plan_build(on->bound, on->partition, &options, &on->plan));
    OK(tess_renumber_build(on->bound, on->plan, TESS_RENUMBER_BLOCKS, false, &on->renumbering));
    OK(tess_metrics_of_plan(on->bound, on->plan, on->renumbering, TESS_SOA, &on->metrics));
}

static int make_stored(void **state) {
    stored *on = calloc(1, sizeof *on);
    char path[64];
    static int n = 0;
    make_plan(on, "edges:cells");
    snprintf(path, sizeof path, "%s/lab%d", folder, n++);
    OK(tess_lab_open(path, true, &on->lab));
    OK(tess_lab_store_mesh(on->lab, on->mesh, on->content.mesh));
    on->content.bound = on->bound;
    on->content.loop = on->loop;
    on->content.partitioner = "file-order";
    on->content.partition = on->partition;
    on->content.plan = on->plan;
    on->content.renumbering = on->renumbering;
    on->content.layout = TESS_SOA;
    on->content.metrics = on->metrics;
    OK(tess_lab_store_plan(on->lab, &on->content, on->digest));
    *state = on;
    return 0;
}

static int free_stored(void **state) {
    stored *on = *state;
    tess_lab_close(on->lab);
    tess_bound_loop_free(on->bound);
    tess_loop_free(on->loop);
    tess_partition_free(on->partition);
    tess_plan_free(on->plan);
    tess_renumbering_free(on->renumbering);
    tess_metrics_free(on->metrics);
    tess_mesh_free(on->mesh);
    free(on);
    return 0;
}

static void plans_come_back_as_they_were(void **state) {
    const stored *on = *state;
    tess_mesh *mesh = NULL;
    tess_plan_content *back = NULL;
    char digest[TESS_DIGEST_SIZE];
    OK(tess_lab_read_mesh(on->lab, on->content.mesh, &mesh));
    OK(tess_lab_read_plan(on->lab, on->digest, mesh, &back));
    OK(tess_digest_of_plan(back, digest));
    assert_string_equal(digest, on->digest); /* every array but these is in it */
    assert_memory_equal(back->plan->thread_colours, on->plan->thread_colours,
                        (size_t)on->plan->n_blocks * sizeof(int32_t));
    assert_int_equal(back->plan->n_block_colours, on->plan->n_block_colours);
    assert_true(back->plan->sets[0].incremented);
    assert_int_equal(back->renumbering->method, TESS_RENUMBER_BLOCKS);
    const tess_permutation *cells = &back->renumbering->sets[0];
    for (int64_t i = 0; i < cells->size; i++)
        assert_int_equal(cells->old_to_new[cells->new_to_old[i]], i);
    assert_int_equal(back->metrics->n_values, on->metrics->n_values);
    for (int i = 0; i < on->metrics->n_values; i++) {
        const tess_metric_value *value = &on->metrics->values[i];
        assert_true(tess_metrics_get(back->metrics, value->name) == value->value);
    }
    assert_int_equal(back->metrics->n_distributions, on->metrics->n_distributions);
    assert_true(on->metrics->n_distributions >= 5);
    for (int i = 0; i < on->metrics->n_distributions; i++)
        assert_memory_equal(
            tess_metrics_of_blocks(back->metrics, on->metrics->distributions[i].name),
            on->metrics->distributions[i].values, (size_t)on->plan->n_blocks * sizeof(double));
    OK(tess_plan_check(back->bound, back->partition->block_of, back->plan));
    tess_plan_content_free(back);
    tess_mesh_free(mesh);
}

static void another_partitioner_is_another_plan(void **state) {
    stored *on = *state;
    char digest[TESS_DIGEST_SIZE];
    on->content.partitioner = "rcb";
    OK(tess_digest_of_plan(&on->content, digest));
    assert_string_not_equal(digest, on->digest);
    on->content.partitioner = "file-order";
}

/* Keeps the words of the last defect. */
static void keep_defect(void *context, const char *words) {
    snprintf(context, 512, "%s", words);
}

static int64_t defects(const stored *on, char words[512]) {
    tess_verify_counts counts;
    const tess_verify_listener listener = {.context = words, .defect = keep_defect};
    words[0] = '\0';
    OK(tess_lab_verify(on->lab, &listener, &counts));
    return counts.n_defects;
}

/* Plans that were stored wrong, with right checksums and digests, are found by their proof. */
static void wrong_plans_do_not_verify(void **state) {
    stored *on = *state;
    char words[512], digest[TESS_DIGEST_SIZE];
    assert_int_equal(defects(on, words), 0);
    tess_plan *plan = on->plan;
    const uint16_t colour = plan->thread_colour[0];
    for (int64_t i = 1; i < plan->block_offset[1]; i++)
        plan->thread_colour[i] = colour;
    OK(tess_lab_store_plan(on->lab, &on->content, digest));
    assert_true(defects(on, words) == 1);
    assert_non_null(strstr(words, digest));
}

static void wrong_metrics_do_not_verify(void **state) {
    stored *on = *state;
    char words[512], digest[TESS_DIGEST_SIZE];
    on->metrics->values[0].value += 1e-9;
    on->content.partitioner = "rcb";
    OK(tess_lab_store_plan(on->lab, &on->content, digest));
    assert_true(defects(on, words) == 1);
    assert_non_null(strstr(words, "the metric reuse_factor is"));
}

static void a_plan_without_its_mesh_does_not_verify(void **state) {
    const stored *on = *state;
    char words[512], *path = NULL;
    OK(tess_lab_file(on->lab, "meshes", on->content.mesh, &path));
    assert_int_equal(remove(path), 0);
    assert_true(defects(on, words) == 1);
    assert_non_null(strstr(words, "its mesh"));
    free(path);
}

/* Flips bits: reading fails by name, or gives what was there. */
static void damage_is_an_error_not_a_crash(void **state) {
    const stored *on = *state;
    char *path = NULL;
    unsigned seed = 7;
    static char bytes[1 << 20], damaged[1 << 20];
    OK(tess_lab_file(on->lab, "plans", on->digest, &path));
    FILE *file = fopen(path, "r+");
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    for (int trial = 0; trial < 300; trial++) {
        memcpy(damaged, bytes, size);
        damaged[(size_t)rand_r(&seed) % size] ^= (char)(1 << (trial & 7));
        rewind(file);
        assert_int_equal(fwrite(damaged, 1, size, file), size);
        fflush(file);
        tess_plan_content *back = NULL;
        if (tess_lab_read_plan(on->lab, on->digest, on->mesh, &back) != TESS_OK)
            assert_non_null(strstr(tess_message(), path));
        else
            OK(tess_plan_check(back->bound, back->partition->block_of, back->plan));
        tess_plan_content_free(back);
    }
    fclose(file);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plans_come_back_as_they_were, make_stored, free_stored),
        cmocka_unit_test_setup_teardown(another_partitioner_is_another_plan, make_stored,
                                        free_stored),
        cmocka_unit_test_setup_teardown(wrong_plans_do_not_verify, make_stored, free_stored),
        cmocka_unit_test_setup_teardown(wrong_metrics_do_not_verify, make_stored, free_stored),
        cmocka_unit_test_setup_teardown(a_plan_without_its_mesh_does_not_verify, make_stored,
                                        free_stored),
        cmocka_unit_test_setup_teardown(damage_is_an_error_not_a_crash, make_stored, free_stored),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
