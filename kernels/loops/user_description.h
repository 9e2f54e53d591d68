/* A user's description: what the YAML of a kernel says (user_kernel.h); for the files beside this
 * one alone. */
#pragma once

#include "kernels/loops/user_matrix.h"
#include "kernels/loops/user_parts.h"

enum { MOST_DATS = 64, MOST_ARGS = 64, MOST_MATRICES = 8 };

typedef enum start_kind {
    START_DEFAULT,
    START_ZERO,
    START_RANDOM,
    START_INDEX,
    START_XYZ
} start_kind;

/* Texts are the YAML's. */
typedef struct user_dat {
    const tess_yaml_node *node;    /* where it stands; NULL: a matrix's */
    const char *name, *set, *type; /* set NULL: global; type "real" unless said */
    int dim;
    start_kind start;
} user_dat;

/* What the YAML says; the kernel's own texts are the YAML's, too. */
typedef struct tess_user_description {
    tess_yaml *yaml;
    tess_user_matrix *matrices; /* [n_matrices] */
    int n_matrices;
    user_dat dats[MOST_DATS + 2 * MOST_MATRICES]; /* those of the matrices last */
    int n_dats;
    tess_kernel_arg written[MOST_ARGS]; /* as they stand there ... */
    tess_matrix_view *views[MOST_ARGS]; /* of those that are matrices; owned */
    int *components[MOST_ARGS];         /* of the others, or NULL; owned */
    int n_written;
    tess_kernel_arg args[2 * MOST_ARGS];        /* ... and of dats alone */
    const tess_yaml_node *nodes[2 * MOST_ARGS]; /* where these stand */
    int n_args;
    tess_user_parts parts;
    char *
        function; /* of dats alone, where the user's takes more: printed behind the text; or NULL */
} tess_user_description;
