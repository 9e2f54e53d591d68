/* Kernel tables: how applications write down the args of their kernels. */
#pragma once

#include "kernels/loops/application.h"

/* An arg through slot `slot_` of map "from:to" (-1: all slots), on its own set, or global. */
#define ARG_THROUGH(map_, slot_, set_, dat_, dim_, type_, access_)                                 \
    {                                                                                              \
        .dat = dat_, .set = set_, .map = map_, .slot = slot_, .dim = dim_, .type = type_,          \
        .access = access_                                                                          \
    }
/* Two args: through both slots of a map. */
#define ARG_BOTH(map_, set_, dat_, dim_, type_, access_)                                           \
    ARG_THROUGH(map_, 0, set_, dat_, dim_, type_, access_),                                        \
        ARG_THROUGH(map_, 1, set_, dat_, dim_, type_, access_)
/* An arg of the dim_ values from first_ on of the of_ that an element has. */
#define ARG_VIEW_THROUGH(map_, slot_, set_, dat_, first_, dim_, of_, type_, access_)               \
    {                                                                                              \
        .dat = dat_, .set = set_, .map = map_, .slot = slot_, .dim = dim_, .type = type_,          \
        .access = access_, .first = first_, .of = of_                                              \
    }
/* What cells, "tets", add to a matrix over the nodes, two args: NAME_diagonal on nodes, NAME_others
 * on node_pairs; dim_ entries of a block. */
#define ARG_MATRIX(cells_, name_, dim_, diagonal_, others_)                                        \
    ARG_THROUGH(cells_ ":nodes", -1, "nodes", name_ "_diagonal", dim_, diagonal_, TESS_INC),       \
        ARG_THROUGH(cells_ ":node_pairs", -1, "node_pairs", name_ "_others", dim_, others_,        \
                    TESS_INC)
#define ARG_ON(set_, dat_, dim_, type_, access_)                                                   \
    { .dat = dat_, .set = set_, .dim = dim_, .type = type_, .access = access_ }
/* Read and written, and zero behind the loop. */
#define ARG_CLEARED(set_, dat_, dim_, type_)                                                       \
    { .dat = dat_, .set = set_, .dim = dim_, .type = type_, .access = TESS_RW, .cleared = true }
#define ARG_GLOBAL(dat_, dim_, type_, access_)                                                     \
    { .dat = dat_, .dim = dim_, .type = type_, .access = access_ }

/* The fields of a kernel FUNCTION with FUNCTION_args and FUNCTION_reference. */
#define KERNEL_OVER(set_, function, text_)                                                         \
    .name = #function, .set = set_, .n_args = sizeof function##_args / sizeof function##_args[0],  \
    .args = function##_args, .text = text_, .reference = function##_reference

/* The fields of a kernel in parts. */
#define PARTS(between_, parts_)                                                                    \
    .n_between = sizeof between_ / sizeof between_[0], .between = between_,                        \
    .n_parts = sizeof parts_ / sizeof parts_[0], .parts = parts_

/* The fields of an application with these tables. */
#define APPLICATION_OF(kernels_, maps_, step_)                                                     \
    .n_kernels = sizeof kernels_ / sizeof kernels_[0], .kernels = kernels_, .maps = maps_,         \
    .step = step_

/* FUNCTION_reference, which calls FUNCTION on the locals of its first `n` args. */
#define REFERENCE(function, n)                                                                     \
    static void function##_reference(void *const *a, int arity) {                                  \
        (void)arity;                                                                               \
        function(LOCALS_##n);                                                                      \
    }
#define LOCALS_2 a[0], a[1]
#define LOCALS_3 LOCALS_2, a[2]
#define LOCALS_4 LOCALS_3, a[3]
#define LOCALS_5 LOCALS_4, a[4]
#define LOCALS_6 LOCALS_5, a[5]
#define LOCALS_7 LOCALS_6, a[6]
#define LOCALS_8 LOCALS_7, a[7]
#define LOCALS_9 LOCALS_8, a[8]
#define LOCALS_10 LOCALS_9, a[9]
#define LOCALS_11 LOCALS_10, a[10]
#define LOCALS_12 LOCALS_11, a[11]
#define LOCALS_13 LOCALS_12, a[12]
#define LOCALS_14 LOCALS_13, a[13]
