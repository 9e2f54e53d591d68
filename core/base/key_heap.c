/* A heap of 64-bit keys. */
#include "core/base/key_heap.h"

#include "core/base/array.h"

tess_status tess_key_heap_push(tess_key_heap *heap, uint64_t key) {
    TRY(TESS_RESERVE(heap->n + 1, &heap->capacity, &heap->key));
    int64_t i = heap->n++;
    for (int64_t parent; i > 0 && heap->key[parent = (i - 1) / 2] < key; i = parent)
        heap->key[i] = heap->key[parent];
    heap->key[i] = key;
    return TESS_OK;
}

uint64_t tess_key_heap_pop(tess_key_heap *heap) {
    const uint64_t top = heap->key[0], last = heap->key[--heap->n];
    int64_t i = 0;
    for (int64_t child; (child = 2 * i + 1) < heap->n; i = child) {
        if (child + 1 < heap->n && heap->key[child + 1] > heap->key[child])
            child++;
        if (heap->key[child] <= last)
            break;
        heap->key[i] = heap->key[child];
    }
    heap->key[i] = last;
    return top;
}
