/* Chopping: an order of the elements cut into blocks. */
#include "partitioners/chop.h"

#include "core/base/key_order.h"
#include <stdlib.h>

void tess_order_chop(const int32_t *order, int64_t n, int32_t block_size, int32_t *block_of) {
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        block_of[order[i]] = (int32_t)(i / block_size);
}

tess_status tess_keys_chop(uint64_t *keys, int64_t n, int32_t block_size, int32_t *block_of) {
    int32_t *order = NULL;
    const tess_status status = tess_key_order(keys, n, &order);
    if (status == TESS_OK)
        tess_order_chop(order, n, block_size, block_of);
    free(order);
    free(keys);
    return status;
}
