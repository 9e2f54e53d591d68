/* Tests of errands: what another thread came to, in its words. */
#include "core/base/errand.h"
#include "tests/unit.h"

#include <stdatomic.h>

#include <sched.h>

typedef struct task {
    atomic_bool may_end;
    int result;
} task;

static tess_status work(void *context) {
    task *it = context;
    while (!atomic_load(&it->may_end))
        sched_yield();
    it->result = 7;
    return TESS_OK;
}

static tess_status complain(void *context) {
    FAIL(TESS_ERROR_INPUT, "line %d is bad", ((task *)context)->result);
}

static void an_errand_is_over_when_its_call_has_ended(void **state) {
    task it = {.result = 0};
    tess_errand *errand = NULL;
    OK(tess_errand_begin(work, &it, &errand));
    assert_false(tess_errand_is_over(errand));
    atomic_store(&it.may_end, true);
    OK(tess_errand_wait(errand));
    assert_true(tess_errand_is_over(errand));
    assert_int_equal(it.result, 7);
    tess_errand_free(errand);
}

static void a_failure_is_told_in_its_words_each_time(void **state) {
    task it = {.result = 3};
    tess_errand *errand = NULL;
    OK(tess_errand_begin(complain, &it, &errand));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tess_errand_wait(errand), TESS_ERROR_INPUT);
        assert_string_equal(tess_message(), "line 3 is bad");
    }
    tess_errand_free(errand);
}

static void freeing_waits(void **state) {
    task it = {.may_end = true};
    tess_errand *errand = NULL;
    OK(tess_errand_begin(work, &it, &errand));
    tess_errand_free(errand);
    assert_int_equal(it.result, 7);
    tess_errand_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_errand_is_over_when_its_call_has_ended),
        cmocka_unit_test(a_failure_is_told_in_its_words_each_time),
        cmocka_unit_test(freeing_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
