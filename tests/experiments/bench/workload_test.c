/* Workloads: values that other threads make are those of one thread, whenever they are asked for.
 */
#include "experiments/bench/workload.h"
#include "tests/kernels/strategy_bench.h"

#include <unistd.h>

static tess_workload open_airfoil(tess_precision precision, bool beside, bool told) {
    tess_workload load;
    const tess_workload_names names = {.mesh = "quads:nx=70:ny=60",
                                       .application = "airfoil",
                                       .precision = precision,
                                       .reference_beside = beside,
                                       .start_beside = told};
    OK(tess_workload_open(&names, &load));
    return load;
}

static void assert_equal_states(const tess_state *got, const tess_state *want) {
    assert_non_null(got);
    assert_int_equal(got->n_dats, want->n_dats);
    for (int d = 0; d < want->n_dats; d++) {
        const tess_dat *dat = &want->dats[d];
        const int64_t n = tess_state_size(want, dat) * dat->dim;
        assert_int_equal(got->dats[d].type, dat->type);
        assert_memory_equal(got->dats[d].values, dat->values,
                            (size_t)n * tess_type_size(dat->type));
    }
}

static void values_do_not_depend_on_who_makes_them(void **state) {
    const tess_precision precisions[] = {TESS_PRECISION_DOUBLE, TESS_PRECISION_FLOAT};
    for (int p = 0; p < 2; p++) {
        tess_workload own = open_airfoil(precisions[p], false, false);
        tess_workload beside = open_airfoil(precisions[p], true, false);
        tess_workload told = open_airfoil(precisions[p], true, true);
        tess_workload *const others[] = {&beside, &told};
        assert_true(tess_workload_is_ready(&own));
        for (int i = 0; i < 2; i++) {
            OK(tess_workload_await(others[i]));
            assert_true(tess_workload_is_ready(others[i]));
            assert_equal_states(others[i]->start, own.start);
            assert_equal_states(others[i]->want, own.want);
            tess_workload_clear(others[i]);
        }
        tess_workload_clear(&own);
    }
}

static void a_reference_waits_until_it_is_told(void **state) {
    tess_workload load = open_airfoil(TESS_PRECISION_AUTO, true, true);
    OK(tess_workload_await_start(&load));
    assert_false(tess_workload_is_ready(&load));
    for (int i = 0; i < 2; i++) /* once is enough */
        OK(tess_workload_begin_reference(&load));
    OK(tess_workload_await(&load));
    assert_true(tess_workload_is_ready(&load));
    tess_workload_clear(&load);

    load = open_airfoil(TESS_PRECISION_AUTO, true, true);
    tess_workload_clear(&load); /* nobody ever asked for it */
}

static void a_reference_may_not_wait(void **state) {
    enum { MOST = 3000 }; /* looks, and tens of milliseconds */
    tess_workload load;
    const tess_workload_names names = {.mesh = "quads:nx=70:ny=60",
                                       .application = "airfoil",
                                       .reference_beside = true,
                                       .start_beside = true,
                                       .reference_soon = true};
    OK(tess_workload_open(&names, &load));
    for (int i = 0; i < MOST && !tess_workload_is_ready(&load); i++)
        usleep(10000);
    assert_true(tess_workload_is_ready(&load));
    tess_workload_clear(&load);
}

/* What another thread was told with. */
typedef struct told {
    int n;
    const tess_state *start;
} told;

static void tell(void *context, const tess_workload *load) {
    told *of = context;
    of->n++;
    of->start = load->start;
}

static void a_start_is_told_of_before_it_is_given(void **state) {
    told of = {0};
    tess_workload load;
    tess_workload_names names = {.mesh = "quads:nx=70:ny=60",
                                 .application = "airfoil",
                                 .reference_beside = true,
                                 .start_beside = true,
                                 .started = tell,
                                 .context = &of};
    OK(tess_workload_open(&names, &load));
    OK(tess_workload_await_start(&load));
    assert_int_equal(of.n, 1);
    assert_ptr_equal(of.start, load.start);
    tess_workload_clear(&load);
    names.start_beside = false; /* nobody waits for it */
    OK(tess_workload_open(&names, &load));
    assert_int_equal(of.n, 1);
    tess_workload_clear(&load);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_do_not_depend_on_who_makes_them),
        cmocka_unit_test(a_reference_waits_until_it_is_told),
        cmocka_unit_test(a_reference_may_not_wait),
        cmocka_unit_test(a_start_is_told_of_before_it_is_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
