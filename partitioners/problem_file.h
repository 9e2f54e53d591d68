/* A problem as a file: for programs of others that cut graphs, hypergraphs and matrices, and whole.
 *
 * The element of number e is vertex e + 1 of the graph and of the hypergraphs, row e + 1 of the
 * matrix. docs/user_partitioner/README.md describes the formats to users. */
#pragma once

#include "core/plan/partition_problem.h"
#include <stdio.h>

/* The formats, in the order of TESS_PROBLEM_FORMATS. */
typedef enum tess_problem_format {
    TESS_PROBLEM_GRAPH,      /* METIS's: elements that share points; weights count these */
    TESS_PROBLEM_HYPERGRAPH, /* hMETIS's: a net a point of several elements, weighted by its bytes
                              */
    TESS_PROBLEM_PATOH,      /* the same as PaToH has it */
    TESS_PROBLEM_MATRIX,     /* Matrix Market: elements by points, those of all maps side by side */
    TESS_PROBLEM_WHOLE,      /* all that a partitioner is given, as text of our own */
    TESS_PROBLEM_N_FORMATS
} tess_problem_format;

#define TESS_PROBLEM_FORMATS "graph|hypergraph|patoh|matrix|problem"

/* The format of that name; or TESS_PROBLEM_N_FORMATS. */
tess_problem_format tess_problem_format_of(const char *name);

/* Writes the problem; errors of the stream are the caller's to find. */
TESS_MUST_CHECK tess_status tess_problem_write(const tess_partition_problem *problem,
                                               tess_problem_format format, FILE *file);

/* The graph, its edges weighted or not. */
TESS_MUST_CHECK tess_status tess_problem_write_graph(const tess_partition_problem *problem,
                                                     bool weighted, FILE *file);

/* hMETIS's hypergraph; *n_nets: how many it has. */
TESS_MUST_CHECK tess_status tess_problem_write_hypergraph(const tess_partition_problem *problem,
                                                          FILE *file, int64_t *n_nets);
