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

double tess_occupancy(int capability, const tess_block_needs *needs) {
    const struct multiprocessor *m = NULL;
    for (size_t i = 0; i < sizeof multiprocessors / sizeof multiprocessors[0]; i++)
        if (multiprocessors[i].capability == capability)
            m = &multiprocessors[i];
    if (!m || needs->threads < 1)
        return NAN;
    const int64_t warps = up_to_multiple(needs->threads, LANES) / LANES;
    int64_t blocks = least(m->blocks, m->warps / warps);
    if (needs->registers > 0) {
        const int64_t of_warp = up_to_multiple((int64_t)needs->registers * LANES, REGISTER_UNIT);
        blocks = least(blocks, QUARTERS * (QUARTER_REGISTERS / of_warp) / warps);
    }
    const int64_t shared =
        up_to_multiple(needs->shared_bytes + ((int64_t)m->reserved_kb << 10), SHARED_UNIT);
    if (shared > 0)
        blocks = least(blocks, ((int64_t)m->shared_kb << 10) / shared);
    return (double)(blocks * warps) / m->warps;
}
