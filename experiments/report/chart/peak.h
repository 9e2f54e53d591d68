/* A peak: how many floating-point operations a GPU can do in a second. */
#pragma once

typedef struct tess_peak {
    const char *gpu;    /* how its name begins */
    double flops[2];    /* per second: in double, in float */
    const char *source; /* where that is stated */
} tess_peak;

/* The peak of a GPU by the name that its driver gives; NULL where none is known. */
const tess_peak *tess_peak_find(const char *gpu);
