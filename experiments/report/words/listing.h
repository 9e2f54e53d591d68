/* A listing: the things of one kind that have names, as commands take them. */
#pragma once

#include "core/base/spec.h"

/* One thing that can be listed. */
typedef struct tess_item {
    const char *name, *summary;
    const char *reference;      /* where it is from, or NULL */
    const tess_option *options; /* ends with key = NULL; NULL where it has none */
} tess_item;

/* One kind of thing, and what the column of references is called. */
typedef struct tess_listing {
    const char *name; /* as typed: "partitioners" */
    const char *reference;
    bool (*at)(int i, tess_item *out); /* fills the i-th item; false past the last */
} tess_listing;

/* The i-th listing; NULL past the last. */
const tess_listing *tess_listing_at(int i);
