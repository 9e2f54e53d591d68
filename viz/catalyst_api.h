/* The Catalyst 2 C API and the part of Conduit's that it needs, opened at run time.
 *
 * libcatalyst carries Conduit's functions under names that begin with `catalyst_`; builds on a
 * Conduit of their own have the plain names. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct conduit_node conduit_node; /* Conduit's own name for what it alone knows */

typedef struct tess_catalyst {
    void *library;
    bool knows_pyramids;                               /* and wedges: Conduit from 0.8.5 on does */
    int (*initialize)(const conduit_node *parameters); /* 0: done; so the next two */
    int (*execute)(const conduit_node *parameters);
    int (*finalize)(const conduit_node *parameters);
    conduit_node *(*create)(void);
    void (*destroy)(conduit_node *node);
    void (*set_text)(conduit_node *node, const char *path, const char *text);
    void (*set_int32)(conduit_node *node, const char *path, int32_t value);
    void (*set_int64)(conduit_node *node, const char *path, int64_t value);
    void (*set_float64)(conduit_node *node, const char *path, double value);
    /* Arrays that stay the caller's: n elements, the first at `offset` bytes, `stride` bytes apart;
     * endianness 0 is the machine's. */
    void (*set_uint8s)(conduit_node *node, const char *path, uint8_t *values, int64_t n,
                       int64_t offset, int64_t stride, int64_t size, int64_t endianness);
    void (*set_int32s)(conduit_node *node, const char *path, int32_t *values, int64_t n,
                       int64_t offset, int64_t stride, int64_t size, int64_t endianness);
    void (*set_int64s)(conduit_node *node, const char *path, int64_t *values, int64_t n,
                       int64_t offset, int64_t stride, int64_t size, int64_t endianness);
    void (*set_float32s)(conduit_node *node, const char *path, float *values, int64_t n,
                         int64_t offset, int64_t stride, int64_t size, int64_t endianness);
    void (*set_float64s)(conduit_node *node, const char *path, double *values, int64_t n,
                         int64_t offset, int64_t stride, int64_t size, int64_t endianness);
} tess_catalyst;

/* Opens libcatalyst, or the library that TESS_CATALYST names. Fails (MISSING) by naming what was
 * looked for and what the linker says of it. */
TESS_MUST_CHECK tess_status tess_catalyst_open(tess_catalyst *out);

/* The implementation that is asked for: CATALYST_IMPLEMENTATION_NAME, else ParaView's. */
const char *tess_catalyst_implementation(void);

/* TESS_OK where libcatalyst will find the implementation: libcatalyst-NAME.so in a folder of
 * CATALYST_IMPLEMENTATION_PATHS or in `catalyst` beside libcatalyst; else MISSING. */
TESS_MUST_CHECK tess_status tess_catalyst_find_implementation(const tess_catalyst *catalyst);
void tess_catalyst_close(tess_catalyst *catalyst);
