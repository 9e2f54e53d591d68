/* Antisymmetry: what holds is proved, what does not is refused by the dat that shows it. */
#include "kernels/applications/applications.h"
#include "kernels/loops/kernel_table.h"
#include "strategy_bench.h"

#include "core/mesh/derive.h"
#include "kernels/run/declarations.h"

/* What the checks say of a loop of an application that declares something. */
static tess_status check_both(const char *application_name, const char *loop_name,
                              const char *mesh_text, tess_antisymmetry declared, bool apart) {
    const tess_application *application = NULL;
    const tess_kernel *kernel = NULL;
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    OK(tess_application_find(application_name, &application));
    OK(tess_application_kernel(application, loop_name, &kernel));
    tess_mesh *mesh = generated_mesh(mesh_text);
    OK(tess_application_bind(application, mesh));
    OK(tess_kernel_derive(kernel, mesh));
    tess_kernel declaring = *kernel;
    declaring.antisymmetry = declared;
    declaring.independent_ends = apart;
    OK(tess_kernel_loop(&declaring, TESS_DOUBLE, &loop));
    OK(tess_kernel_bind(loop, mesh, &bound));
    tess_status status = tess_antisymmetry_check(&declaring, bound);
    if (status == TESS_OK)
        status = tess_independent_ends_check(&declaring, bound);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
    return status;
}

static tess_status check(const char *application, const char *loop, const char *mesh,
                         tess_antisymmetry declared) {
    return check_both(application, loop, mesh, declared, false);
}

static tess_status check_apart(const char *application, const char *loop, const char *mesh) {
    return check_both(application, loop, mesh, TESS_NOT_ANTISYMMETRIC, true);
}

static void says(tess_status status, const char *words) {
    assert_int_equal(status, TESS_ERROR_INPUT);
    if (!strstr(tess_message(), words))
        print_error("said: %s\n", tess_message());
    assert_non_null(strstr(tess_message(), words));
}

static void fluxes_are_what_they_declare(void **state) {
    OK(check("airfoil", "res_calc", "quads:nx=4:ny=3", TESS_EXCHANGE));
    OK(check("airfoil", "res_calc", "quads:nx=4:ny=3", TESS_OPPOSITE));
    OK(check("miniaero", "compute_face_flux", "hexes:nx=2:ny=2:nz=2", TESS_OPPOSITE));
}

/* A face's own normal does not turn with its cells; a bed pushes both sides alike. */
static void false_declarations_are_refused(void **state) {
    says(check("miniaero", "compute_face_flux", "hexes:nx=2:ny=2:nz=2", TESS_EXCHANGE),
         "declares antisymmetry exchange, which is wrong: on random values 'residual'");
    says(check("volna", "space_discretization", "tris:nx=3:ny=3", TESS_OPPOSITE),
         "declares antisymmetry opposite, which is wrong: on random values 'rate'");
}

static void loops_without_two_ends_have_none(void **state) {
    says(check("lulesh", "integrate_stress", "hexes:nx=2:ny=2:nz=2", TESS_OPPOSITE),
         "is not accessed through both of two slots");
    says(check("airfoil", "bres_calc", "quads:nx=4:ny=3", TESS_OPPOSITE),
         "is not accessed through both of two slots");
}

/* volna's cells divide by their own area. */
static void ends_are_apart_where_each_reads_its_own(void **state) {
    OK(check_apart("volna", "space_discretization", "tris:nx=3:ny=3"));
    says(check_apart("airfoil", "res_calc", "quads:nx=4:ny=3"),
         "independent, which is wrong: on random values what a point gets of 'res' depends on what "
         "is read at slot 0 of another");
    says(check_apart("lulesh", "integrate_stress", "hexes:nx=2:ny=2:nz=2"),
         "independent, which is wrong");
}

/* Cells in a row have two neighbours at most, so that their map has two slots. */
static void maps_from_a_set_to_itself_are_refused(void **state) {
    const tess_kernel_arg args[] = {
        ARG_THROUGH("cells:cells", -1, "cells", "q", 1, "real", TESS_READ),
        ARG_THROUGH("cells:cells", -1, "cells", "r", 1, "real", TESS_INC)};
    for (int row = 0; row < 2; row++) {
        tess_kernel kernel = {.name = "k", .set = "cells", .n_args = 2, .args = args};
        kernel.antisymmetry = row ? TESS_OPPOSITE : TESS_NOT_ANTISYMMETRIC;
        kernel.independent_ends = !row;
        tess_loop *loop = NULL;
        tess_bound_loop *bound = NULL;
        tess_mesh *mesh = generated_mesh(row ? "quads:nx=9:ny=1" : "tris:nx=4:ny=3");
        OK(tess_mesh_derive(mesh, "cells:cells"));
        OK(tess_kernel_loop(&kernel, TESS_DOUBLE, &loop));
        OK(tess_kernel_bind(loop, mesh, &bound));
        says(row ? tess_antisymmetry_check(&kernel, bound)
                 : tess_independent_ends_check(&kernel, bound),
             row ? "its ends opposite, which cannot be verified of a map from a set to itself"
                 : "its ends independent, which cannot be verified of a map from a set to itself");
        tess_bound_loop_free(bound);
        tess_loop_free(loop);
        tess_mesh_free(mesh);
    }
}

static bool is_read_through(const tess_kernel *kernel, const char *map) {
    for (int a = 0; a < kernel->n_args; a++)
        if (kernel->args[a].map && kernel->args[a].access == TESS_READ &&
            strcmp(kernel->args[a].map, map) == 0)
            return true;
    return false;
}

/* Every loop that increments declares as much as holds, so none is forgotten. */
static void shipped_loops_declare_all_that_holds(void **state) {
    for (int i = 0; tess_application_at(i); i++) {
        const tess_application *application = tess_application_at(i);
        const char *mesh = application->dimension == 2 ? "quads:nx=4:ny=3"
                           : strcmp(application->name, "fun3d") == 0
                               ? "layers:nx=3:ny=3:prisms=1:tets=1"
                               : "hexes:nx=2:ny=2:nz=2";
        for (int k = 0; k < application->n_kernels; k++) {
            const tess_kernel *kernel = &application->kernels[k];
            bool increments = false, several = false;
            for (int a = 0; a < kernel->n_args; a++) {
                const tess_kernel_arg *arg = &kernel->args[a];
                if (!arg->map || arg->access != TESS_INC)
                    continue;
                increments = true;
                several |= arg->slot != 0 && is_read_through(kernel, arg->map);
            }
            if (!increments)
                continue;
            static const tess_antisymmetry strongest[] = {TESS_EXCHANGE, TESS_ALIKE, TESS_OPPOSITE,
                                                          TESS_NOT_ANTISYMMETRIC};
            int holds = 0;
            while (check(application->name, kernel->name, mesh, strongest[holds]) != TESS_OK)
                holds++;
            assert_string_equal(tess_antisymmetry_name(strongest[holds]),
                                tess_antisymmetry_name(kernel->antisymmetry));
            const bool apart =
                several && check_apart(application->name, kernel->name, mesh) == TESS_OK;
            assert_int_equal(apart, kernel->independent_ends);
        }
    }
}

/* What a loop declares cleared is zero behind it; a wrong declaration is refused by the dat. */
static void what_is_cleared_is_proved(void **state) {
    static const struct {
        const char *application, *loop, *mesh, *dat, *message;
    } cases[] = {
        {"airfoil", "update", "quads:nx=4:ny=3", "res", NULL},
        {"bookleaf", "getacc_apply", "quads:nx=4:ny=3", "sums", NULL},
        {"bookleaf", "getacc_apply", "quads:nx=4:ny=3", "u",
         "declares 'u' cleared, which is wrong"},
        {"airfoil", "update", "quads:nx=4:ny=3", "q", "declares 'q' cleared: that can be"},
        {"miniaero", "advance", "hexes:nx=2:ny=2:nz=2", "w",
         "declares 'w' cleared, which is wrong"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const tess_application *application = NULL;
        const tess_kernel *kernel = NULL;
        tess_kernel_arg args[32];
        tess_loop *loop = NULL;
        tess_bound_loop *bound = NULL;
        OK(tess_application_find(cases[i].application, &application));
        OK(tess_application_kernel(application, cases[i].loop, &kernel));
        tess_mesh *mesh = generated_mesh(cases[i].mesh);
        OK(tess_application_bind(application, mesh));
        tess_kernel declaring = *kernel;
        declaring.args = args;
        for (int a = 0; a < kernel->n_args; a++) {
            args[a] = kernel->args[a];
            args[a].cleared = strcmp(args[a].dat, cases[i].dat) == 0;
        }
        OK(tess_kernel_loop(&declaring, TESS_DOUBLE, &loop));
        OK(tess_kernel_bind(loop, mesh, &bound));
        const tess_status status = tess_cleared_check(&declaring, bound);
        if (cases[i].message)
            says(status, cases[i].message);
        else
            OK(status);
        tess_bound_loop_free(bound);
        tess_loop_free(loop);
        tess_mesh_free(mesh);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fluxes_are_what_they_declare),
        cmocka_unit_test(false_declarations_are_refused),
        cmocka_unit_test(what_is_cleared_is_proved),
        cmocka_unit_test(loops_without_two_ends_have_none),
        cmocka_unit_test(ends_are_apart_where_each_reads_its_own),
        cmocka_unit_test(maps_from_a_set_to_itself_are_refused),
        cmocka_unit_test(shipped_loops_declare_all_that_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
