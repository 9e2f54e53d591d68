/* Device memory: the allocations of an emulated device, each with the claims on its words. */
#pragma once

#include "core/base/status.h"
#include "kernels/devices/emulator/claims.h"

enum { TESS_ALLOCATION_NAME = 64 };

typedef struct tess_allocation {
    char name[TESS_ALLOCATION_NAME]; /* for messages */
    char *base;
    int64_t size;
    uint64_t address;          /* of `base` for the counters: the same in every run, low bits 0 */
    tess_claim *claims;        /* [size / 4 rounded up]; pages appear when touched */
    uint32_t fetched, written; /* the last launch that did */
} tess_allocation;

enum { TESS_CLAIM_LOCKS = 1024 };

typedef struct tess_device_memory {
    int n_allocations;
    int64_t capacity;
    uint64_t n_made;              /* allocations so far */
    tess_allocation *allocations; /* ascending by base */
    int64_t taken, most;          /* bytes; 0: as many as the machine has */
    uint8_t locks[TESS_CLAIM_LOCKS];
} tess_device_memory;

/* Gives zeroed memory of `size` bytes, 256-byte aligned, that tess_device_memory_free frees. */
TESS_MUST_CHECK tess_status tess_device_memory_alloc(tess_device_memory *memory, const char *name,
                                                     int64_t size, void **out);
void tess_device_memory_free(tess_device_memory *memory, void *base);

/* Frees all that is left. */
void tess_device_memory_clear(tess_device_memory *memory);

/* The last allocation that begins at or before the address (which may lie past its end), or NULL.
 */
tess_allocation *tess_device_memory_find(const tess_device_memory *memory, const void *address);

/* tess_claim_make for an address of an allocation, safe against other workers; a copy of the
 * claimant it races with is left in *other. Whether there is a race. */
bool tess_device_memory_claim(tess_device_memory *memory, const tess_allocation *allocation,
                              const void *address, int size, const tess_claimant *who,
                              tess_claimant *other);

/* Zeroed pages for claims on `size` bytes; NULL when there is no memory. */
tess_claim *tess_claims_map(int64_t size);
void tess_claims_unmap(tess_claim *claims, int64_t size);
