/* Random numbers: splitmix64. */
#include "core/base/splitmix.h"

uint64_t tess_random_next(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

int64_t tess_random_below(uint64_t *state, int64_t n) {
    return (int64_t)((tess_random_next(state) >> 32) * (uint64_t)n >> 32);
}
