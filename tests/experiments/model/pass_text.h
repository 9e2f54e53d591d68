/* A pass's text, compiled here: who includes it has said the words that the program puts before
 * (experiments/model/pass_run.c). */
#pragma once

#ifndef REAL
#define REAL double
#define PASS_TEXT "experiments/model/pass.cu"
#endif

struct params {
    long long first, count, n, n_points;
    const int *index;
    REAL *at_points, *with_elements, *with_points;
    void *lists;
    long long steps;
};

#include "kernels/devices/host/simt_host.h"
#include "kernels/devices/simt.h"
/* clang-format off: the text follows its words */
#include PASS_TEXT
/* clang-format on */
