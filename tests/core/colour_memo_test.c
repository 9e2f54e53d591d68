/* A memo of colours: an order is coloured once, any other anew, and who comes meanwhile waits. */
#include "core/plan/colour/colour_memo.h"
#include "core/plan/colour/loop_colour.h"
#include "tests/core/small_mesh.h"

#include <pthread.h>
#include <unistd.h>

static void assert_coloured_as_without(const tess_bound_loop *bound, const tess_bound_loop *bare,
                                       const int32_t *order, tess_colouring colouring) {
    const int64_t n = bound->n_elements;
    int32_t *colour = NULL, *bare_colour = NULL, n_colours = -1, n_bare = -2;
    OK(TESS_ALLOC(n, &colour));
    OK(TESS_ALLOC(n, &bare_colour));
    OK(tess_loop_colour(bound, order, colouring, colour, &n_colours));
    OK(tess_loop_colour(bare, order, colouring, bare_colour, &n_bare));
    assert_int_equal(n_colours, n_bare);
    assert_memory_equal(colour, bare_colour, (size_t)n * sizeof *colour);
    free(colour);
    free(bare_colour);
}

static void colours_are_those_without_a_memo(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int trial = 0; trial < 20; trial++) {
        tess_mesh *mesh = random_mesh(&seed, 2);
        tess_loop *loop = random_loop(mesh, 1);
        tess_bound_loop *bound = NULL, *bare = NULL;
        int32_t *order = NULL;
        OK(tess_loop_bind(loop, mesh, &bound));
        OK(tess_loop_bind(loop, mesh, &bare));
        OK(tess_bound_loop_keep_colours(bound));
        OK(TESS_ALLOC(bound->n_elements, &order));
        for (int64_t i = 0; i < bound->n_elements; i++)
            order[i] = (int32_t)(bound->n_elements - 1 - i);
        for (int again = 0; again < 2; again++) {
            assert_coloured_as_without(bound, bare, NULL, TESS_COLOUR_FEWEST);
            assert_coloured_as_without(bound, bare, order, TESS_COLOUR_FEWEST);
            assert_coloured_as_without(bound, bare, order, TESS_COLOUR_GREEDY);
        }
        free(order);
        tess_bound_loop_free(bound);
        tess_bound_loop_free(bare);
        tess_loop_free(loop);
        tess_mesh_free(mesh);
    }
}

static void an_order_is_asked_for_once(void **state) {
    (void)state;
    static const int32_t order[] = {2, 0, 1}, other[] = {0, 2, 1}, found[] = {4, 5, 4};
    int32_t colour[3] = {0}, n_colours = 0;
    tess_colour_memo *memo = NULL;
    OK(tess_colour_memo_new(3, &memo));
    assert_false(tess_colour_memo_take(memo, order, TESS_COLOUR_FEWEST, colour, &n_colours));
    tess_colour_memo_keep(memo, order, TESS_COLOUR_FEWEST, NULL, 0); /* that failed */
    assert_false(tess_colour_memo_take(memo, order, TESS_COLOUR_FEWEST, colour, &n_colours));
    tess_colour_memo_keep(memo, order, TESS_COLOUR_FEWEST, found, 6);
    assert_true(tess_colour_memo_take(memo, order, TESS_COLOUR_FEWEST, colour, &n_colours));
    assert_int_equal(n_colours, 6);
    assert_memory_equal(colour, found, sizeof found);
    assert_false(tess_colour_memo_take(memo, other, TESS_COLOUR_FEWEST, colour, &n_colours));
    assert_false(tess_colour_memo_take(memo, order, TESS_COLOUR_GREEDY, colour, &n_colours));
    assert_false(tess_colour_memo_take(memo, NULL, TESS_COLOUR_FEWEST, colour, &n_colours));
    tess_colour_memo_free(memo);
}

static const int32_t one_order[] = {1, 0}, one_found[] = {1, 2};

static void *take(void *context) {
    int32_t colour[2] = {0}, n_colours = 0;
    const bool taken =
        tess_colour_memo_take(context, one_order, TESS_COLOUR_FEWEST, colour, &n_colours);
    return taken && colour[1] == 2 && n_colours == 3 ? context : NULL;
}

static void who_comes_meanwhile_waits(void **state) {
    (void)state;
    pthread_t thread;
    tess_colour_memo *memo = NULL;
    void *taken = NULL;
    int32_t colour[2] = {0}, n_colours = 0;
    OK(tess_colour_memo_new(2, &memo));
    assert_false(tess_colour_memo_take(memo, one_order, TESS_COLOUR_FEWEST, colour, &n_colours));
    assert_int_equal(pthread_create(&thread, NULL, take, memo), 0);
    usleep(20000);
    tess_colour_memo_keep(memo, one_order, TESS_COLOUR_FEWEST, one_found, 3);
    pthread_join(thread, &taken);
    assert_ptr_equal(taken, memo);
    tess_colour_memo_free(memo);
}

static void what_is_full_keeps_nothing_more(void **state) {
    (void)state;
    int32_t order[1], colour[1] = {9}, n_colours = 0;
    tess_colour_memo *memo = NULL;
    int n_kept = 0;
    OK(tess_colour_memo_new(1, &memo));
    for (order[0] = 0; order[0] < 99; order[0]++) {
        assert_false(tess_colour_memo_take(memo, order, TESS_COLOUR_FEWEST, colour, &n_colours));
        tess_colour_memo_keep(memo, order, TESS_COLOUR_FEWEST, colour, 1);
    }
    for (order[0] = 0; order[0] < 99; order[0]++)
        n_kept += tess_colour_memo_take(memo, order, TESS_COLOUR_FEWEST, colour, &n_colours);
    assert_int_equal(n_kept, 16);
    tess_colour_memo_free(memo);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_those_without_a_memo),
        cmocka_unit_test(an_order_is_asked_for_once),
        cmocka_unit_test(who_comes_meanwhile_waits),
        cmocka_unit_test(what_is_full_keeps_nothing_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
