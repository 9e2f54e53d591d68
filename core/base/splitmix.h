/* Random numbers: splitmix64 (Steele, Lea, Flood 2014: Fast splittable pseudorandom number
 * generators), the same on every machine. */
#pragma once

#include <stdint.h>

/* The next number of the sequence; *state is its seed at first. */
uint64_t tess_random_next(uint64_t *state);

/* The next of the sequence as a number in [0, n), 0 < n <= 2^32. */
int64_t tess_random_below(uint64_t *state, int64_t n);
