/* A fit: the model's constants found from timed runs, a factor for each kind of run, what traits of
 * a run say beside these, and how far predictions were off for meshes that were left out. */
#pragma once

#include "experiments/model/slopes.h"

enum { TESS_MOST_KINDS = 256 };

/* A timed run. Texts are the caller's. */
typedef struct tess_fit_point {
    tess_features features;
    double seconds;
    const char *mesh, *application;
    const char *strategy, *layout; /* as typed, canonical */
    const char *base;              /* the strategy without options */
    const char *order;             /* the partitioner */
    int block_size;
    bool is_random; /* elements or points lie in no order */
} tess_fit_point;

/* What a strategy with its options in a layout takes, the model's time being 1. */
typedef struct tess_fit_kind {
    char strategy[TESS_KIND_TEXT], layout[TESS_KIND_TEXT];
    double factor;
    int n_points, n_meshes;
} tess_fit_kind;

/* How far predictions of a strategy were off where the mesh had been left out. */
typedef struct tess_fit_errors {
    char base[TESS_NAME_SIZE];
    int n_points;
    double median, p90; /* of |predicted / measured - 1| */
    double bias;        /* median of predicted / measured */
    double low, high;   /* measured / predicted: the middle 90 % */
} tess_fit_errors;

typedef struct tess_fit {
    char machine[TESS_NAME_SIZE], device[2 * TESS_NAME_SIZE], digest[33];
    char commit[64]; /* of the program that made it */
    int n_points;
    double constants[TESS_N_CONSTANTS];
    tess_slopes slopes;
    int n_kinds, n_errors;
    tess_fit_kind kinds[TESS_MOST_KINDS];
    tess_fit_errors errors[TESS_MOST_STRATEGIES];
} tess_fit;

/* The seconds of a run: the model's, corrected by what is known of its kind and traits. */
double tess_fit_seconds(const tess_fit *fit, const tess_configuration *variant,
                        const tess_features *features, const tess_model_time *time);

/* Fits constants, factors and slopes to the points [n], of which those for which `left_out` (NULL:
 * none) is true take no part. The machine has all numbers. Errors are not filled. */
TESS_MUST_CHECK tess_status tess_fit_make(const tess_machine *machine, const tess_fit_point *points,
                                          int n, const bool *left_out, tess_fit *out);

/* What predictions are made without. */
typedef enum tess_held_out { TESS_HELD_OUT_MESH, TESS_HELD_OUT_APPLICATION } tess_held_out;

/* Fills predicted [n]: each point by a fit to those of other meshes, or applications. */
TESS_MUST_CHECK tess_status tess_fit_hold_out(const tess_machine *machine,
                                              const tess_fit_point *points, int n,
                                              tess_held_out what, double *predicted);

/* Fills predicted [n]: each point by the fit, which may have been made of it. */
void tess_fit_predict(const tess_fit *fit, const tess_fit_point *points, int n, double *predicted);

/* Fills the errors of each strategy, [TESS_MOST_STRATEGIES] at most, from what was predicted of the
 * points [n]. */
TESS_MUST_CHECK tess_status tess_fit_find_errors(const tess_fit_point *points, int n,
                                                 const double *predicted, tess_fit_errors *out,
                                                 int *n_errors);

/* The kind and the errors of a run; NULL where the fit has none. */
const tess_fit_kind *tess_fit_find(const tess_fit *fit, const char *strategy, const char *layout);
const tess_fit_errors *tess_fit_errors_of(const tess_fit *fit, const char *base);

/* Writes a fit as YAML, and reads it: a file, or one that ships. Reading fails (INPUT) with the
 * place of what is wrong. */
TESS_MUST_CHECK tess_status tess_fit_write(const tess_fit *fit, const char *path);
TESS_MUST_CHECK tess_status tess_fit_read(const char *path, tess_fit *out);

/* Whether reading gives a fit that ships: its machine ships by the same name. */
bool tess_fit_ships(const char *name);

/* Fails (INPUT) where the fit is of another GPU than the machine, naming both. */
TESS_MUST_CHECK tess_status tess_fit_check(const tess_fit *fit, const tess_machine *machine);
