/* Occupancy: the share of a multiprocessor's warps that registers and shared memory let it hold. */
#include "kernels/devices/occupancy.h"

#include <math.h>
#include <stddef.h>

/* What a multiprocessor holds. Registers are 65,536 on all of these. */
static const struct multiprocessor {
    int capability, warps, blocks;
    int shared_kb;   /* for its blocks */
    int reserved_kb; /* of these that the system takes for each block */
} multiprocessors[] = {
    {70, 64, 32, 96, 0},   {72, 64, 32, 96, 0},   {75, 32, 16, 64, 0},   {80, 64, 32, 164, 1},
    {86, 48, 16, 100, 1},  {87, 48, 16, 164, 1},  {89, 48, 24, 100, 1},  {90, 64, 32, 228, 1},
    {100, 64, 32, 228, 1}, {103, 64, 32, 228, 1}, {120, 48, 24, 100, 1},
};

enum {
    LANES = 32,
    QUARTERS = 4,
    QUARTER_REGISTERS = 16384,
    REGISTER_UNIT = 256,
    SHARED_UNIT = 128
};

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t up_to_multiple(int64_t n, int64_t of) {
    return (n + of - 1) / of * of;
}

static const struct multiprocessor *find(int capability) {
    for (size_t i = 0; i < sizeof multiprocessors / sizeof multiprocessors[0]; i++)
        if (multiprocessors[i].capability == capability)
            return &multiprocessors[i];
    return NULL;
}

static int64_t warps_of(const tess_block_needs *needs) {
    return up_to_multiple(needs->threads, LANES) / LANES;
}

static int64_t shared_of(const struct multiprocessor *m, const tess_block_needs *needs) {
    return up_to_multiple(needs->shared_bytes + ((int64_t)m->reserved_kb << 10), SHARED_UNIT);
}

static int64_t count_blocks(const struct multiprocessor *m, const tess_block_needs *needs) {
    const int64_t warps = warps_of(needs), shared = shared_of(m, needs);
    int64_t blocks = least(m->blocks, m->warps / warps);
    if (needs->registers > 0) {
        const int64_t of_warp = up_to_multiple((int64_t)needs->registers * LANES, REGISTER_UNIT);
        blocks = least(blocks, QUARTERS * (QUARTER_REGISTERS / of_warp) / warps);
    }
    return shared > 0 ? least(blocks, ((int64_t)m->shared_kb << 10) / shared) : blocks;
}

int tess_carveout(int capability, const tess_block_needs *needs) {
    const struct multiprocessor *m = find(capability);
    int64_t kb = 0;
    if (!m || needs->threads < 1)
        return -1;
    while (kb << 10 < count_blocks(m, needs) * shared_of(m, needs))
        kb = kb == 0 ? 8 : kb < 64 ? 2 * kb : kb == 64 ? 100 : kb + 32;
    return (int)least(kb, m->shared_kb);
}

double tess_occupancy(int capability, const tess_block_needs *needs) {
    const struct multiprocessor *m = find(capability);
    if (!m || needs->threads < 1)
        return NAN;
    return (double)(count_blocks(m, needs) * warps_of(needs)) / m->warps;
}
