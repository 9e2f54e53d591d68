/* A pass's text, compiled here: who includes it has said the words that the program puts before
 * (experiments/model/pass_run.c). */
#pragma once

struct params {
    long long first, count, n, n_points;
    const int *index;
    double *at_points, *with_elements, *with_points;
    void *lists;
    long long steps;
};

#include "kernels/devices/host/simt_host.h"
#include "kernels/devices/simt.h"
/* clang-format off: the text follows its words */
#include "experiments/model/pass.cu"
/* clang-format on */
