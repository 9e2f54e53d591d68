/* Kernel tables: how applications write down the args of their kernels. */
#ifndef TESS_KERNEL_TABLE_H
#define TESS_KERNEL_TABLE_H

#include "kernels/applications/application.h"

/* An arg through slot `slot_` of map "from:to" (-1: all slots), on its own set, or global. */
#define ARG_THROUGH(map_, slot_, set_, dat_, dim_, type_, access_)                                 \
    {                                                                                              \
        .dat = dat_, .set = set_, .map = map_, .slot = slot_, .dim = dim_, .type = type_,          \
        .access = access_                                                                          \
    }
#define ARG_ON(set_, dat_, dim_, type_, access_)                                                   \
    { .dat = dat_, .set = set_, .dim = dim_, .type = type_, .access = access_ }
#define ARG_GLOBAL(dat_, dim_, type_, access_)                                                     \
    { .dat = dat_, .dim = dim_, .type = type_, .access = access_ }

/* The fields of a kernel FUNCTION with FUNCTION_args and FUNCTION_reference. */
#define KERNEL_OVER(set_, function, text_)                                                         \
    .name = #function, .set = set_, .n_args = sizeof function##_args / sizeof function##_args[0],  \
    .args = function##_args, .text = text_, .reference = function##_reference

#endif
