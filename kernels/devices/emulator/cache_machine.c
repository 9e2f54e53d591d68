/* A cache machine: how a GPU's multiprocessors hold blocks, and the caches that these share. */
#include "kernels/devices/emulator/cache_machine.h"

#include "core/base/registry.h"

#include <stddef.h>

/* NVIDIA, Kepler GK110 whitepaper; that the 48 KiB of the read-only cache act as four of 12 follows
 * from the L2 reads that Langguth et al. 2015, section 7, measured. */
static const tess_cache_machine k20m = {.name = "k20m",
                                        .multiprocessors = 13,
                                        .threads = 2048,
                                        .blocks = 16,
                                        .shared_bytes = 48 << 10,
                                        .l1_bytes = 48 << 10,
                                        .l1_parts = 4,
                                        .l1_line = 32,
                                        .l2_bytes = 1280 << 10};

/* NVIDIA, Hopper tuning guide. Of the 50 MB of L2 an SM is near to a half, and what lies in the
 * other is kept twice. Stores that wait, and how the L2 forgets: from an H200's counters
 * (docs/results/emulator.md, what memory gives and takes). Half of 37.5 MB that a kernel of an H100
 * reads again and again are read from memory, a seventh of 32 MB, nine tenths of 44: so do sets of
 * 64 lines. */
static const tess_cache_machine h100 = {.name = "h100",
                                        .multiprocessors = 132,
                                        .threads = 2048,
                                        .blocks = 32,
                                        .shared_bytes = 228 << 10,
                                        .l1_bytes = 256 << 10,
                                        .l1_parts = 1,
                                        .l1_line = 128,
                                        .l1_shares = true,
                                        .l1_loads = true,
                                        .l1_stores = 12,
                                        .l2_bytes = 24000000,
                                        .l2_picked = 2,
                                        .l2_warm_bytes = 37500000,
                                        .l2_warm_sets = 4577};

static const void *const items[] = {&k20m, &h100, NULL};

static const tess_registry registry = {
    .items = items, .kind = "machine", .words = {"?", "; machines are %s"}};

tess_status tess_cache_machine_find(const char *name, const tess_cache_machine **out) {
    *out = tess_registry_get(&registry, name);
    return *out ? TESS_OK : tess_registry_lacks(&registry, name);
}

static int least(int a, int64_t b) {
    return b < a ? (int)b : a;
}

int tess_cache_machine_resident(const tess_cache_machine *machine, int threads,
                                int64_t shared_bytes) {
    int n = least(machine->blocks, machine->threads / threads);
    if (shared_bytes > 0)
        n = least(n, machine->shared_bytes / shared_bytes);
    return n > 0 ? n : 1;
}

int64_t tess_cache_machine_l1(const tess_cache_machine *machine, int resident,
                              int64_t shared_bytes) {
    const int64_t left = machine->l1_bytes - resident * shared_bytes;
    return !machine->l1_shares ? machine->l1_bytes : left > 0 ? left : 0;
}
