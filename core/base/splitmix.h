/* Random numbers: splitmix64 (Steele, Lea, Flood 2014: Fast splittable pseudorandom number
 * generators), the same on every machine. */
#pragma once

#include <stdint.h>

/* What makes numbers that resemble each other differ in all of their bits: a hash. */
static inline uint64_t tess_random_mix(uint64_t z) {
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The next number of the sequence; *state is its seed at first. */
static inline uint64_t tess_random_next(uint64_t *state) {
    return tess_random_mix(*state += UINT64_C(0x9e3779b97f4a7c15));
}

/* The next of the sequence as a number in [0, n), 0 < n <= 2^32. */
static inline int64_t tess_random_below(uint64_t *state, int64_t n) {
    return (int64_t)((tess_random_next(state) >> 32) * (uint64_t)n >> 32);
}
