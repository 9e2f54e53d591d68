/* A graph of 32-bit arrays, as METIS and SCOTCH take it, and the block sizes to ask them for. */
#pragma once

#include "core/plan/partition.h"

typedef struct tess_graph32 {
    int32_t n_vertices;
    int32_t *offset;    /* [n_vertices + 1] */
    int32_t *neighbour; /* [offset[n_vertices]] */
    int32_t *weight;    /* beside neighbour, or NULL */
} tess_graph32;

/* The offsets of a graph [n + 1] in 32 bits. Fails (INPUT) where it has too many edges for them. */
TESS_MUST_CHECK tess_status tess_offsets32(const tess_rows *graph, int32_t **out);

/* G_M of the problem (core/plan/graph.h). Fails (INPUT) where it has too many edges for 32 bits. */
TESS_MUST_CHECK tess_status tess_graph32_build(const tess_partition_problem *problem, bool weighted,
                                               tess_graph32 **out);

/* The graph of the vertices [n] alone, numbered as listed; `number` [graph->n_vertices] is scratch
 * that holds -1 before and after. */
TESS_MUST_CHECK tess_status tess_graph32_part(const tess_graph32 *graph, const int32_t *vertices,
                                              int32_t n, int32_t *number, tess_graph32 **out);
void tess_graph32_free(tess_graph32 *graph);

/* What is asked of a library that keeps blocks within a tolerance only, so that none exceeds the
 * block size S (Sulyok et al. 2019, section 2.3.2): blocks of S' = floor(S / l) elements, at most
 * l' = (S + epsilon) / S' times as many. */
typedef struct tess_block_target {
    int32_t block_size; /* S', at least 1 */
    double imbalance;   /* l' */
} tess_block_target;

tess_block_target tess_block_target_of(int32_t block_size, double l, double epsilon);

/* Blocks of the target's size that n elements need. */
int32_t tess_block_target_count(tess_block_target target, int64_t n);

/* The tolerance for n elements in so many blocks, where a library takes it of the blocks' mean
 * size, which is below S': how many times that S + epsilon is. */
double tess_block_target_of_mean(tess_block_target target, int64_t n, int32_t n_blocks);

/* The options of partitioners that have a graph (weights) or a target (l and epsilon). */
#define TESS_OPTION_WEIGHTS(default_value)                                                         \
    TESS_CHOICE_OPTION(                                                                            \
        "weights", default_value, "none|shared",                                                   \
        "of the graph's edges: none, or the number of points that two elements share")
#define TESS_OPTION_L                                                                              \
    TESS_REAL_OPTION("l", "1.001", 1, 2,                                                           \
                     "load imbalance: blocks of S' = floor(S / l) elements are asked for")
#define TESS_OPTION_EPSILON                                                                        \
    TESS_REAL_OPTION("epsilon", "0.1", 0, 1000,                                                    \
                     "slack: the imbalance asked for is l' = (S + epsilon) / S'")
