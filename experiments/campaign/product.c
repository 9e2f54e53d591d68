/* A product: experiments that differ in some settings. */
#include "experiments/campaign/product.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

/* The length of the first item of a list: up to a comma that is not quoted. */
static size_t item_length(const char *list) {
    bool quoted = false;
    const char *c = list;
    for (; *c && (quoted || *c != ','); c++) {
        if (*c == '\\' && quoted && c[1])
            c++;
        else if (*c == '"')
            quoted = !quoted;
    }
    return (size_t)(c - list);
}

/* Ends an item where what follows a comma may belong to it. */
static size_t layout_length(const char *list) {
    size_t length = item_length(list);
    while (list[length]) {
        const size_t next = item_length(list + length + 1);
        if (!memchr(list + length + 1, '=', next))
            break;
        length += 1 + next;
    }
    return length;
}

static tess_status lacks_value(tess_field field, const char *list) {
    char option[TESS_NAME_SIZE];
    tess_field_option(field, option);
    if (!*list)
        FAIL(TESS_ERROR_USAGE, "--%s has no value", option);
    FAIL(TESS_ERROR_USAGE, "--%s: '%s' has a comma with no value beside it", option, list);
}

tess_status tess_axis_split(tess_field field, const char *list, tess_axis *out) {
    tess_status status = TESS_OK;
    tess_axis axis = {.field = field};
    int64_t capacity = 0;
    for (const char *at = list;;) {
        const size_t length =
            tess_fields[field].type == TESS_TYPE_LAYOUT ? layout_length(at) : item_length(at);
        if (length == 0)
            CHECK(lacks_value(field, list));
        CHECK(TESS_RESERVE(axis.n + 1, &capacity, &axis.texts));
        CHECK(TESS_ALLOC((int64_t)length + 1, &axis.texts[axis.n]));
        memcpy(axis.texts[axis.n], at, length);
        axis.texts[axis.n++][length] = '\0';
        if (!at[length])
            break;
        at += length + 1;
    }
    *out = axis;
    axis.n = 0;
    axis.texts = NULL;
done:
    tess_axis_clear(&axis);
    return status;
}

void tess_axis_clear(tess_axis *axis) {
    for (int i = 0; i < axis->n; i++)
        free(axis->texts[i]);
    free(axis->texts);
    axis->texts = NULL;
    axis->n = 0;
}

tess_status tess_product_build(const tess_experiment *base, const tess_axis *axes, int n_axes,
                               tess_product *out) {
    tess_status status = TESS_OK;
    tess_product product = {.n = 0};
    int64_t n = 1;
    for (int a = 0; a < n_axes; a++)
        n *= axes[a].n;
    CHECK(TESS_ZEROS(n, &product.experiments));
    for (int64_t i = 0; i < n; i++) {
        CHECK(tess_experiment_copy(base, &product.experiments[i]));
        product.n++;
        int64_t rest = i;
        for (int a = n_axes - 1; a >= 0; a--) {
            CHECK(tess_experiment_set(&product.experiments[i], axes[a].field,
                                      axes[a].texts[rest % axes[a].n]));
            rest /= axes[a].n;
        }
    }
    *out = product;
    product = (tess_product){.n = 0};
done:
    tess_product_clear(&product);
    return status;
}

void tess_product_clear(tess_product *product) {
    for (int64_t i = 0; i < product->n; i++)
        tess_experiment_clear(&product->experiments[i]);
    free(product->experiments);
    *product = (tess_product){.n = 0};
}
