/* Facet slots: an open hash table, by which rows are found by the nodes of their facets. */
#include "core/mesh/facet_slots.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

tess_status tess_facet_slots_new(int64_t n_rows, size_t row_size, tess_facet_slots *out) {
    *out = (tess_facet_slots){.row_size = row_size, .n = 16};
    while (out->n < n_rows + n_rows / 2)
        out->n *= 2;
    TRY(TESS_ALLOC(out->n, &out->slot));
    memset(out->slot, 0xff, (size_t)out->n * sizeof *out->slot);
    return TESS_OK;
}

void tess_facet_slots_clear(tess_facet_slots *slots) {
    free(slots->slot);
    slots->slot = NULL;
}

int32_t *tess_facet_slot(const tess_facet_slots *slots, const void *rows,
                         const int32_t key[TESS_FACET_NODES_MAX]) {
    const size_t key_size = TESS_FACET_NODES_MAX * sizeof *key, mask = (size_t)slots->n - 1;
    uint64_t hash = 0;
    for (int i = 0; i < TESS_FACET_NODES_MAX; i++)
        hash = (hash ^ (uint32_t)key[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
    int32_t *slot = &slots->slot[hash >> 20 & mask];
    while (*slot >= 0 &&
           memcmp((const char *)rows + (size_t)*slot * slots->row_size, key, key_size) != 0)
        slot = &slots->slot[(size_t)(slot + 1 - slots->slot) & mask];
    return slot;
}
