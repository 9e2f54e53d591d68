/* The arrays of pages, compared where they lie. */
#pragma once

#include "core/base/array.h"
#include "kernels/codegen/page.h"
#include <stdlib.h>
#include <string.h>

static inline tess_status page_array_read(const tess_page *page, const tess_page_table *table,
                                          char **out) {
    TRY(TESS_ALLOC(table->bytes, out));
    return page->store->device->download(page->store->target, *out, table->address, table->bytes);
}

/* Fails (CHECK) where the text or an array of two pages, both placed, differs. */
static inline tess_status page_arrays_compare(const tess_page *one, const tess_page *other) {
    if (strcmp(one->text.text, other->text.text) != 0)
        FAIL(TESS_ERROR_CHECK, "another page");
    if (one->n_arrays != other->n_arrays)
        FAIL(TESS_ERROR_CHECK, "%d arrays, not %d", other->n_arrays, one->n_arrays);
    for (int i = 0; i < one->n_arrays; i++) {
        const tess_page_table *a = &one->arrays[i], *b = &other->arrays[i];
        char *values[2] = {NULL, NULL};
        if (strcmp(a->name, b->name) != 0 || a->bytes != b->bytes)
            FAIL(TESS_ERROR_CHECK, "%s of %lld bytes, not %s of %lld", b->name, (long long)b->bytes,
                 a->name, (long long)a->bytes);
        tess_status status = page_array_read(one, a, &values[0]);
        if (status == TESS_OK)
            status = page_array_read(other, b, &values[1]);
        const bool same = status == TESS_OK && memcmp(values[0], values[1], (size_t)a->bytes) == 0;
        free(values[0]);
        free(values[1]);
        TRY(status);
        if (!same)
            FAIL(TESS_ERROR_CHECK, "other values of %s", a->name);
    }
    return TESS_OK;
}
