/* A heap of 64-bit keys, the largest on top. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>

/* Zeroed it is empty. The caller frees `key`. */
typedef struct tess_key_heap {
    uint64_t *key; /* [n] */
    int64_t n, capacity;
} tess_key_heap;

TESS_MUST_CHECK tess_status tess_key_heap_push(tess_key_heap *heap, uint64_t key);
/* Takes the largest key out of a heap that has one. */
uint64_t tess_key_heap_pop(tess_key_heap *heap);
