/* Offsets: what runs of an application are off by beside those of all: one of the strategy with its
 * options in the layout, and one of all such strategies, whatever their options, in blocks of the
 * size. Loops that no fit knows have none. */
#pragma once

#include "core/base/status.h"

enum { TESS_MOST_OFFSETS = 1024, TESS_OFFSET_TEXT = 240, TESS_OFFSETS_OF_VARIANT = 2 };

/* How a loop is run; texts are the caller's. */
typedef struct tess_configuration {
    const char *application; /* NULL: none that a fit may know */
    const char *base;        /* the strategy without options */
    const char *strategy, *layout;
    int block_size;
} tess_configuration;

typedef struct tess_offset {
    char of[TESS_OFFSET_TEXT]; /* which ways, in words */
    double value;              /* of the logarithm of measured / modelled */
} tess_offset;

/* Sorted by their words. */
typedef struct tess_offsets {
    int n;
    tess_offset one[TESS_MOST_OFFSETS];
} tess_offsets;

/* Adds an offset unless it is there. Fails (INPUT) where there are too many. */
TESS_MUST_CHECK tess_status tess_offsets_add(tess_offsets *offsets, const char *of, double value);

/* The position of an offset, or the number of offsets of these words. */
int tess_offsets_position(const tess_offsets *offsets, const char *of);

/* Adds those of a way that are not there, as 0. */
TESS_MUST_CHECK tess_status tess_offsets_add_variant(tess_offsets *offsets,
                                                     const tess_configuration *variant);

/* Fills the places of a way's offsets that are there; gives how many. */
int tess_offsets_find(const tess_offsets *offsets, const tess_configuration *variant,
                      int out[TESS_OFFSETS_OF_VARIANT]);
