/* The gather model: the bandwidth limits of a loop that only gathers, by Langguth et al. 2015. */
#pragma once

#include "experiments/model/machine.h"
#include "kernels/loops/application.h"

/* What an element of a gather loop moves, in words of 8 bytes, and computes. */
typedef struct tess_gather_loop {
    double regular;   /* words that are streamed: own values read and written, map rows */
    double irregular; /* words read at neighbours */
    double least;     /* words if every value comes from memory once */
    double flops;
} tess_gather_loop;

/* What a hit in a nearer level costs: nothing (equation 6, which table 2 of the paper follows) or a
 * word (equation 5, as the paper prints it). */
typedef enum tess_hit_cost { TESS_HITS_FREE, TESS_HITS_ONE_WORD } tess_hit_cost;

/* Describes a kernel's loop; `real` is a double, and an arg of all slots of a map has `neighbours`.
 * Fails (USAGE) where the loop is no gather, saying why. */
TESS_MUST_CHECK tess_status tess_gather_loop_of(const tess_kernel *kernel, int neighbours,
                                                tess_gather_loop *out);

/* Flops a second that a level allows where each block reads `working_set` words at random. The
 * machine has line_bytes. */
double tess_gather_level(const tess_gather_loop *loop, const tess_machine *machine, int level,
                         double working_set, tess_hit_cost hits);

/* Flops a second at so many B/s where each value comes once; and where every neighbour's value
 * brings a line. */
double tess_gather_best(const tess_gather_loop *loop, double bandwidth);
double tess_gather_worst(const tess_gather_loop *loop, double bandwidth, double line_bytes);

/* Sectors a cell (read and written) at which L2 and memory limit alike: a* = least bytes / 32 times
 * the ratio of the bandwidths. */
double tess_gather_balance(const tess_gather_loop *loop, double l2_bandwidth,
                           double memory_bandwidth);
