/* A scatter page: the text by which a device reduces rows, and what its kernel takes. */
#pragma once

#include "kernels/devices/device.h"
#include "kernels/devices/page_params.h"
#include "kernels/scatter/scatter_rows.h"

typedef enum tess_reduction { TESS_SUM, TESS_MEAN, TESS_MAX, TESS_MIN } tess_reduction;

typedef enum tess_scatter_type {
    TESS_SCATTER_HALF,
    TESS_SCATTER_FLOAT,
    TESS_SCATTER_DOUBLE
} tess_scatter_type;

enum { TESS_N_REDUCTIONS = TESS_MIN + 1, TESS_N_SCATTER_TYPES = TESS_SCATTER_DOUBLE + 1 };

/* What the kernel finds as p->NAME: its type here, and there. */
#define TESS_SCATTER_PARAMS(X)                                                                     \
    X(int64_t, "long long ", n_rows)                                                               \
    X(int64_t, "long long ", n_points)                                                             \
    X(double, "double ", start)            /* of a reduction */                                    \
    X(tess_address, "const int *", offset) /* scatter_rows.h describes it and the next four */     \
    X(tess_address, "const int *", entry)                                                          \
    X(tess_address, "const int *", target)                                                         \
    X(tess_address, "const int *", count)                                                          \
    X(tess_address, "const int *", order)                                                          \
    X(tess_address, "const void *", values)       /* [sources][width], or partials */              \
    X(tess_address, "void *", result)             /* [n_points][width] */                          \
    X(tess_address, "void *", partial)            /* [n_partials][width] */                        \
    X(tess_address, "const int *", chosen_before) /* of the partials that are read; 0: none */     \
    X(tess_address, "int *", chosen)              /* [n_points][width]; 0: not asked for */        \
    X(tess_address, "int *", chosen_partial)      /* [n_partials][width] */

typedef struct tess_scatter_params {
    TESS_SCATTER_PARAMS(TESS_PARAM_MEMBER)
} tess_scatter_params;

/* What a page is made for. */
typedef struct tess_scatter_kind {
    tess_reduction reduction;
    tess_scatter_type type;
    int width;   /* values of an entry */
    int run;     /* of which a thread takes so many: a divisor of width; 1, or 16 bytes */
    int threads; /* of a block, at most */
} tess_scatter_kind;

int tess_scatter_type_size(tess_scatter_type type);

/* The type in which values are reduced: halves as floats. */
tess_scatter_type tess_scatter_type_summed(tess_scatter_type type);

/* What a reduction begins with, and gives where there is no entry: 0, or an infinity. */
double tess_reduction_start(tess_reduction reduction);

/* The page of two kernels, reduce_values and reduce_partials; the caller frees it. */
TESS_MUST_CHECK tess_status tess_scatter_page(const tess_scatter_kind *kind, char **out);
