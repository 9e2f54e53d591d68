/* The format of a plan's file: a head, a table of named arrays, and their bytes, as this machine
 * keeps them. Written by tess emit, read by the program that it writes. */
#ifndef PLAN_FORMAT_H
#define PLAN_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PLAN_MAGIC "TESSPLAN"
enum { PLAN_VERSION = 1, PLAN_ALIGNED = 64, PLAN_NAME = 96 };

struct plan_head {
    char magic[8];
    uint32_t version, n_arrays;
    uint64_t bytes;    /* of the whole file */
    uint64_t checksum; /* of all that follows */
    char program[32];  /* which program it is for */
    char about[192];   /* the loop and the sizes of its sets, in words */
};

struct plan_array {
    char name[PLAN_NAME];
    uint64_t bytes, offset; /* offset in the file; 0: that many bytes of zeros */
};

/* Goes on from a sum; bytes that fill no word count as one with zeros. */
static inline uint64_t plan_checksum(uint64_t sum, const void *bytes, size_t n) {
    const char *at = (const char *)bytes;
    for (; n > 0;) {
        const size_t taken = n < sizeof(uint64_t) ? n : sizeof(uint64_t);
        uint64_t word = 0;
        memcpy(&word, at, taken);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
        at += taken;
        n -= taken;
    }
    return sum;
}

#endif
