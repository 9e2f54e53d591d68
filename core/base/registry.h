/* A registry: the plug-ins of one kind, which are chosen by name.
 *
 * Its items are `const` structs that begin with `const char *name`, one a file and one line in
 * list.h each. The list is included twice, to declare and to tabulate them:
 *
 *   #define X(name) extern const tess_device tess_device_##name;
 *   #include "list.h"
 *   #undef X
 *   static const void *const items[] = {
 *   #define X(name) &tess_device_##name,
 *   #include "list.h"
 *   #undef X
 *       NULL}; */
#pragma once

#include "core/base/unknown_name.h"

/* An item that this build lacks, and how to get it. */
typedef struct tess_absent {
    const char *name, *advice;
} tess_absent;

typedef struct tess_registry {
    const void *const *items;  /* ends with NULL */
    const tess_absent *absent; /* ends with a name of NULL; or NULL */
    const char *kind;          /* "partitioner" */
    const char *subject; /* how the message of an unknown name begins; NULL: "there is no KIND" */
    tess_unknown_words words; /* how it ends */
} tess_registry;

/* The item at a position from 0; NULL past the last. */
const void *tess_registry_at(const tess_registry *registry, int i);

/* The item of that name, or NULL. */
const void *tess_registry_get(const tess_registry *registry, const char *name);

/* Fails on a name that tess_registry_get has not: (MISSING) with the advice where the item is
 * absent, else (USAGE) with a suggestion. */
TESS_MUST_CHECK tess_status tess_registry_lacks(const tess_registry *registry, const char *name);
