/* The gather model: the words that a loop reads, which are regular, and which come through maps. */
#include "experiments/model/gather_model.h"
#include "kernels/loops/kernel_table.h"
#include "tests/unit.h"

#include <math.h>

static const tess_kernel_arg args[] = {
    ARG_THROUGH("cells:cells", 0, "cells", "q", 1, "real", TESS_READ),
    ARG_THROUGH("cells:cells", 1, "cells", "q", 1, "real", TESS_READ),
    ARG_THROUGH("cells:cells", 0, "cells", "x", 2, "float", TESS_READ),
    ARG_ON("cells", "own", 1, "real", TESS_RW),
    ARG_ON("cells", "out", 3, "int", TESS_WRITE),
    ARG_GLOBAL("dt", 1, "real", TESS_READ),
};

/* A number of the map is half a word: each slot's is read once, whatever is read through it. */
static void words_are_those_by_hand(void **state) {
    const tess_kernel kernel = {
        .name = "k", .set = "cells", .n_args = 6, .args = args, .flops = 10};
    tess_gather_loop loop;
    OK(tess_gather_loop_of(&kernel, 4, &loop));
    assert_true(loop.irregular == 1 + 1 + 1);
    assert_true(loop.regular == 0.5 + 0.5 + 2 + 1.5 && loop.least == loop.regular);
    assert_true(loop.flops == 10);
    static const tess_kernel_arg all[] = {
        ARG_THROUGH("cells:cells", -1, "cells", "q", 1, "real", TESS_READ),
        ARG_THROUGH("cells:cells", 2, "cells", "x", 1, "float", TESS_READ),
    };
    for (int turned = 0; turned < 2; turned++) { /* one slot of all, before or behind them */
        const tess_kernel_arg both[] = {all[turned], all[!turned]};
        const tess_kernel whole = {
            .name = "k", .set = "cells", .n_args = 2, .args = both, .flops = 1};
        OK(tess_gather_loop_of(&whole, 4, &loop));
        assert_true(loop.irregular == 4 + 0.5 && loop.regular == 4 * 0.5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_are_those_by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
