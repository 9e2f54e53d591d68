/* A reduction on the host: rows of entries, by the cores of this machine. */
#pragma once

#include "kernels/scatter/scatter_page.h"

/* One level of rows. Arrays are as the kernel's parameters of those names. */
typedef struct tess_host_reduction {
    const tess_scatter_level *level;
    tess_reduction reduction;
    tess_scatter_type type; /* of the result */
    bool reads_partials;    /* `values` are partials of the level before */
    int width;
    int32_t n_points;
    const int32_t *order, *chosen_before; /* or NULL */
    const void *values;
    void *result, *partial;
    int32_t *chosen, *chosen_partial; /* or NULL */
} tess_host_reduction;

/* Gives what the kernel of a page gives, to the bit. */
void tess_reduce_on_host(const tess_host_reduction *what);
