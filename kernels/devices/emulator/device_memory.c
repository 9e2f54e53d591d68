/* Device memory: the allocations of an emulated device, each with the claims on its words. */
#include "kernels/devices/emulator/device_memory.h"

#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 256, ADDRESS_BITS = 40 };

static size_t claims_bytes(int64_t size) {
    return (size_t)((size + 7) / 4) * sizeof(tess_claim);
}

tess_claim *tess_claims_map(int64_t size) {
    void *pages = mmap(NULL, claims_bytes(size), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

void tess_claims_unmap(tess_claim *claims, int64_t size) {
    if (claims)
        munmap(claims, claims_bytes(size));
}

tess_status tess_device_memory_alloc(tess_device_memory *memory, const char *name, int64_t size,
                                     void **out) {
    if (memory->most > 0 && size > memory->most - memory->taken)
        FAIL(TESS_ERROR_MEMORY,
             "%s needs %lld bytes: of %lld of the emulated device %lld are taken", name,
             (long long)size, (long long)memory->most, (long long)memory->taken);
    TRY(TESS_RESERVE(memory->n_allocations + 1, &memory->capacity, &memory->allocations));
    tess_allocation allocation = {.size = size, .address = ++memory->n_made << ADDRESS_BITS};
    snprintf(allocation.name, sizeof allocation.name, "%s", name);
    /* A gap behind each allocation keeps an overrun from being another one's first bytes. */
    const size_t bytes = ((size_t)size + 511) & ~(size_t)255;
    void *base = NULL;
    if (posix_memalign(&base, ALIGNMENT, bytes) != 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory: %zu bytes for %s on the emulated device", bytes,
             name);
    allocation.base = base;
    memset(allocation.base, 0, bytes);
    allocation.claims = tess_claims_map(size);
    if (!allocation.claims) {
        free(allocation.base);
        FAIL(TESS_ERROR_MEMORY, "out of memory: claims of %s", name);
    }
    int i = memory->n_allocations++;
    for (; i > 0 && memory->allocations[i - 1].base > allocation.base; i--)
        memory->allocations[i] = memory->allocations[i - 1];
    memory->allocations[i] = allocation;
    memory->taken += size;
    *out = allocation.base;
    return TESS_OK;
}

static void allocation_clear(tess_allocation *allocation) {
    free(allocation->base);
    tess_claims_unmap(allocation->claims, allocation->size);
}

void tess_device_memory_free(tess_device_memory *memory, void *base) {
    int i = 0;
    while (i < memory->n_allocations && memory->allocations[i].base != base)
        i++;
    if (i == memory->n_allocations)
        return;
    memory->taken -= memory->allocations[i].size;
    allocation_clear(&memory->allocations[i]);
    memory->n_allocations--;
    memmove(&memory->allocations[i], &memory->allocations[i + 1],
            (size_t)(memory->n_allocations - i) * sizeof *memory->allocations);
}

void tess_device_memory_clear(tess_device_memory *memory) {
    for (int i = 0; i < memory->n_allocations; i++)
        allocation_clear(&memory->allocations[i]);
    free(memory->allocations);
    *memory = (tess_device_memory){0};
}

tess_allocation *tess_device_memory_find(const tess_device_memory *memory, const void *address) {
    const char *p = address;
    int first = 0, last = memory->n_allocations;
    while (first < last) {
        const int middle = (first + last) / 2;
        if (memory->allocations[middle].base <= p)
            first = middle + 1;
        else
            last = middle;
    }
    return first > 0 ? &memory->allocations[first - 1] : NULL;
}

bool tess_device_memory_claim(tess_device_memory *memory, const tess_allocation *allocation,
                              const void *address, int size, const tess_claimant *who,
                              tess_claimant *other) {
    const int64_t word = ((const char *)address - allocation->base) / 4;
    uint8_t *lock = &memory->locks[((uintptr_t)address / 8) % TESS_CLAIM_LOCKS];
    while (__atomic_test_and_set(lock, __ATOMIC_ACQUIRE))
        ;
    const tess_claimant *race = tess_claim_make(&allocation->claims[word], size / 4, who);
    if (race)
        *other = *race;
    __atomic_clear(lock, __ATOMIC_RELEASE);
    return race != NULL;
}
