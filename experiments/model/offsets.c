/* Offsets: what runs of an application are off by beside those of all. */
#include "experiments/model/offsets.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct names {
    char of[TESS_OFFSETS_OF_VARIANT][TESS_OFFSET_TEXT];
} names;

/* The names of the groups that a variant belongs to; gives how many. */
static int names_of(const tess_configuration *variant, names *out) {
    if (!variant->application || !*variant->application)
        return 0;
    snprintf(out->of[0], TESS_OFFSET_TEXT, "%s by %s in %s", variant->application,
             variant->strategy, variant->layout);
    snprintf(out->of[1], TESS_OFFSET_TEXT, "%s by all of %s in %.*s, blocks of %d",
             variant->application, variant->base, (int)strcspn(variant->layout, ","),
             variant->layout, variant->block_size);
    return TESS_OFFSETS_OF_VARIANT;
}

/* The position of an offset, or where it would be. */
static int position_of(const tess_offsets *offsets, const char *of) {
    int low = 0, high = offsets->n;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (strcmp(offsets->one[middle].of, of) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const tess_offsets *offsets, int position, const char *of) {
    return position < offsets->n && strcmp(offsets->one[position].of, of) == 0;
}

tess_status tess_offsets_add(tess_offsets *offsets, const char *of, double value) {
    const int position = position_of(offsets, of);
    if (is_at(offsets, position, of))
        return TESS_OK;
    if (offsets->n == TESS_MOST_OFFSETS)
        FAIL(TESS_ERROR_INPUT, "a fit has over %d offsets of applications", TESS_MOST_OFFSETS);
    memmove(&offsets->one[position + 1], &offsets->one[position],
            (size_t)(offsets->n++ - position) * sizeof *offsets->one);
    offsets->one[position] = (tess_offset){.value = value};
    snprintf(offsets->one[position].of, TESS_OFFSET_TEXT, "%s", of);
    return TESS_OK;
}

tess_status tess_offsets_add_variant(tess_offsets *offsets, const tess_configuration *variant) {
    names of;
    const int n = names_of(variant, &of);
    for (int i = 0; i < n; i++)
        TRY(tess_offsets_add(offsets, of.of[i], 0));
    return TESS_OK;
}

int tess_offsets_position(const tess_offsets *offsets, const char *of) {
    const int position = position_of(offsets, of);
    return is_at(offsets, position, of) ? position : offsets->n;
}

int tess_offsets_find(const tess_offsets *offsets, const tess_configuration *variant,
                      int out[TESS_OFFSETS_OF_VARIANT]) {
    names of;
    int n = 0;
    const int n_names = offsets->n > 0 ? names_of(variant, &of) : 0;
    for (int i = 0; i < n_names; i++) {
        out[n] = tess_offsets_position(offsets, of.of[i]);
        n += out[n] < offsets->n;
    }
    return n;
}
