/* Prepared loops: each loop of each application has data that its result depends on, and no more.
 */
#include "core/mesh/derive.h"
#include "kernels/applications/applications.h"
#include "kernels/loops/kernel_table.h"
#include "tests/data/generated_mesh.h"
#include <omp.h>

static const struct {
    const char *application, *mesh;
} stages[] = {{"airfoil", "quads:nx=7:ny=5"},
              {"volna", "tris:nx=5:ny=4"},
              {"bookleaf", "quads:nx=7:ny=5"},
              {"lulesh", "hexes:nx=4:ny=3:nz=3"},
              {"fv", "tets:nx=3:ny=3:nz=2"},
              {"miniaero", "tets:nx=3:ny=3:nz=2"},
              {"fun3d", "layers:nx=4:ny=4:prisms=2:tets=2"}};
enum { STAGES = sizeof stages / sizeof *stages };

/* Which of the values that a kernel writes are not what they were. */
static int64_t changed_by(const tess_kernel *kernel, const tess_state *before,
                          const tess_state *after) {
    int64_t n = 0;
    for (int a = 0; a < kernel->n_args; a++) {
        const tess_kernel_arg *arg = &kernel->args[a];
        if (arg->access == TESS_READ)
            continue;
        const tess_dat *old = tess_state_find(before, arg->dat, arg->set);
        const tess_dat *new = tess_state_find(after, arg->dat, arg->set);
        for (int64_t v = 0; v < tess_state_size(after, new) * new->dim; v++)
            n += tess_dat_value(old, v) != tess_dat_value(new, v);
    }
    return n;
}

/* The loop by its reference, on what it is prepared to. */
static void run_prepared(const tess_application *application, const tess_kernel *kernel,
                         const char *text) {
    tess_mesh *mesh = generated_mesh(text);
    tess_state *state = NULL, *before = NULL;
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    OK(tess_application_bind(application, mesh));
    OK(tess_kernel_derive(kernel, mesh));
    OK(tess_application_start(application, mesh, TESS_DOUBLE, &state));
    OK(tess_application_keep(application, kernel, state));
    OK(tess_application_prepare(application, kernel, state));
    OK(tess_state_copy(state, false, &before));
    OK(tess_kernel_loop(kernel, TESS_DOUBLE, &loop));
    OK(tess_kernel_bind(loop, mesh, &bound));
    OK(tess_kernel_reference(kernel, bound, state));
    if (changed_by(kernel, before, state) == 0)
        fail_msg("%s of %s changes nothing", kernel->name, application->name);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_state_free(before);
    tess_state_free(state);
    tess_mesh_free(mesh);
}

/* Of zeros alone every result would be right. */
static void every_loop_changes_something(void **state) {
    for (int s = 0; s < STAGES; s++) {
        const tess_application *application = NULL;
        OK(tess_application_find(stages[s].application, &application));
        for (int k = 0; k < application->n_kernels; k++)
            run_prepared(application, &application->kernels[k], stages[s].mesh);
    }
}

/* Runs a step's loops, each on what those before it left, by a number of threads. */
static tess_state *march_by(const tess_application *application, tess_mesh *mesh, int n_threads) {
    tess_state *state = NULL;
    const int n_usual = omp_get_max_threads();
    omp_set_num_threads(n_threads);
    OK(tess_application_start(application, mesh, TESS_DOUBLE, &state));
    OK(tess_application_march(application, state));
    omp_set_num_threads(n_usual);
    return state;
}

/* Meshes whose loops take several batches, and threads in turn. */
static void any_number_of_threads_gives_the_same_bits(void **unused) {
    (void)unused;
    static const char *const large[STAGES] = {"quads:nx=310:ny=260",
                                              "tris:nx=90:ny=60",
                                              "quads:nx=90:ny=70",
                                              "hexes:nx=18:ny=17:nz=16",
                                              "tets:nx=9:ny=9:nz=12",
                                              "tets:nx=9:ny=9:nz=12",
                                              "layers:nx=16:ny=16:prisms=9:tets=9"};
    for (int s = 0; s < STAGES; s++) {
        const tess_application *application = NULL;
        tess_mesh *mesh = generated_mesh(large[s]);
        OK(tess_application_find(stages[s].application, &application));
        OK(tess_application_bind(application, mesh));
        tess_state *one = march_by(application, mesh, 1);
        for (int n = 2; n < 8; n += 3) {
            tess_state *many = march_by(application, mesh, n);
            for (int d = 0; d < one->n_dats; d++)
                assert_memory_equal(
                    one->dats[d].values, many->dats[d].values,
                    (size_t)(tess_state_size(one, &one->dats[d]) * one->dats[d].dim) *
                        tess_type_size(one->dats[d].type));
            tess_state_free(many);
        }
        tess_state_free(one);
        tess_mesh_free(mesh);
    }
}

/* Moves a value towards that of another. */
static void follow(void *const *a, int arity) {
    (void)arity;
    *(double *)a[0] = 0.5 * *(double *)a[0] + 0.25 * *(double *)a[1];
}

/* A loop whose elements read what those before them wrote has one order. */
static void what_depends_on_the_order_is_run_in_it(void **unused) {
    (void)unused;
    static const tess_kernel_arg args[] = {
        ARG_THROUGH("edges:nodes", 0, "nodes", "v", 1, "real", TESS_RW),
        ARG_THROUGH("edges:nodes", 1, "nodes", "v", 1, "real", TESS_READ)};
    const tess_kernel kernel = {
        .name = "follow", .set = "edges", .n_args = 2, .args = args, .reference = follow};
    tess_mesh *mesh = generated_mesh("quads:nx=60:ny=60");
    tess_state *state = NULL;
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    OK(tess_mesh_derive(mesh, "edges:nodes"));
    OK(tess_state_new(mesh, TESS_DOUBLE, &state));
    OK(tess_state_add(state, "v", "nodes", 1, "real"));
    double want[61 * 61], *values = state->dats[0].values;
    for (int i = 0; i < 61 * 61; i++)
        want[i] = values[i] = 1 + i % 7;
    const tess_map *map = tess_mesh_find_map(mesh, "edges:nodes");
    for (int64_t e = 0; e < mesh->sets[map->from].size; e++)
        want[map->index[2 * e]] =
            0.5 * want[map->index[2 * e]] + 0.25 * want[map->index[2 * e + 1]];
    OK(tess_kernel_loop(&kernel, TESS_DOUBLE, &loop));
    OK(tess_kernel_bind(loop, mesh, &bound));
    const int n_usual = omp_get_max_threads();
    omp_set_num_threads(5);
    OK(tess_kernel_reference(&kernel, bound, state));
    omp_set_num_threads(n_usual);
    assert_memory_equal(values, want, sizeof want);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_state_free(state);
    tess_mesh_free(mesh);
}

/* The loops of a step from one on, of those that the mesh has elements for. */
static void run_from(const tess_application *application, int position, tess_state *state) {
    for (int i = 0, applying = 0; application->step[i]; i++) {
        const tess_kernel *kernel = NULL;
        tess_loop *loop = NULL;
        tess_bound_loop *bound = NULL;
        OK(tess_application_kernel(application, application->step[i], &kernel));
        if (!tess_kernel_applies(kernel, state->mesh) || applying++ < position)
            continue;
        OK(tess_kernel_loop(kernel, TESS_DOUBLE, &loop));
        OK(tess_kernel_bind(loop, state->mesh, &bound));
        OK(tess_kernel_reference(kernel, bound, state));
        tess_bound_loop_free(bound);
        tess_loop_free(loop);
    }
}

/* Prepared to any loop, and on from there: the step. */
static void a_step_goes_on_from_any_loop(void **unused) {
    (void)unused;
    for (int s = 0; s < STAGES; s++) {
        const tess_application *application = NULL;
        tess_mesh *mesh = generated_mesh(stages[s].mesh);
        tess_state *whole = NULL;
        OK(tess_application_find(stages[s].application, &application));
        OK(tess_application_bind(application, mesh));
        OK(tess_application_start(application, mesh, TESS_DOUBLE, &whole));
        OK(tess_application_march(application, whole));
        for (int position = 0; position < 4; position++) {
            tess_state *state = NULL;
            OK(tess_application_start(application, mesh, TESS_DOUBLE, &state));
            OK(tess_application_prepare_at(application, position, state));
            run_from(application, position, state);
            assert_true(tess_state_compare(state, whole).largest == 0);
            tess_state_free(state);
        }
        tess_state_free(whole);
        tess_mesh_free(mesh);
    }
}

static void no_application_is_left_out(void **state) {
    int n = 0;
    while (tess_application_at(n))
        n++;
    assert_int_equal(n, STAGES);
}

/* A product needs neither the gradients' factors nor the other form of its matrix. */
static void what_neither_loop_nor_step_has_is_not_kept(void **state) {
    const tess_application *application = NULL;
    const tess_kernel *kernel = NULL;
    tess_mesh *mesh = generated_mesh("layers:nx=4:ny=4:prisms=2:tets=2");
    tess_state *kept = NULL;
    OK(tess_application_find("fun3d", &application));
    OK(tess_application_kernel(application, "spmv", &kernel));
    OK(tess_application_bind(application, mesh));
    OK(tess_kernel_derive(kernel, mesh));
    OK(tess_application_start(application, mesh, TESS_DOUBLE, &kept));
    assert_non_null(tess_state_find(kept, "slopes_others", "node_pairs"));
    OK(tess_application_keep(application, kernel, kept));
    assert_null(tess_state_find(kept, "slopes_others", "node_pairs"));
    assert_null(tess_state_find(kept, "qr_third", "nodes"));
    assert_non_null(tess_state_find(kept, "jac_others", "node_pairs")); /* of the loop */
    assert_non_null(tess_state_find(kept, "gx", "nodes"));              /* of the step */
    tess_state_free(kept);
    tess_mesh_free(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_loop_changes_something),
        cmocka_unit_test(a_step_goes_on_from_any_loop),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(what_depends_on_the_order_is_run_in_it),
        cmocka_unit_test(no_application_is_left_out),
        cmocka_unit_test(what_neither_loop_nor_step_has_is_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
