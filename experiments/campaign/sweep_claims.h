/* Claims: which points of sweeps somebody is making, so that others on the same lab leave them.
 *
 * They are locks in one file of the lab, which the kernel gives back however a process ends. A
 * claim is a hint: where the file system has no locks, all get it, and a point is made twice at
 * worst. */
#pragma once

#include "experiments/archive/lab.h"

typedef struct tess_sweep_claims {
    int file; /* -1: all are granted */
} tess_sweep_claims;

typedef enum tess_sweep_claim {
    TESS_CLAIM_FIRST,   /* granted, and nobody had it before */
    TESS_CLAIM_AGAIN,   /* granted; who had it may have made the point: look at the lab */
    TESS_CLAIM_REFUSED, /* another process has it */
} tess_sweep_claim;

/* Opens the claims of a lab, before one looks what it has. */
TESS_MUST_CHECK tess_status tess_sweep_claims_open(const tess_lab *lab, tess_sweep_claims *out);

/* Gives all claims back. */
void tess_sweep_claims_close(tess_sweep_claims *claims);

/* Claims the points that a digest stands for, until the claims are closed. */
tess_sweep_claim tess_sweep_claims_take(const tess_sweep_claims *claims, const char *digest);
