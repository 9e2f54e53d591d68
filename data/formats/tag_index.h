/* A tag index: which position in a file a tag stands for, where tags are any whole numbers. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>

typedef struct tess_tagged {
    int64_t tag;
    int32_t position;
} tess_tagged;

typedef struct tess_tag_index {
    int64_t n;
    int64_t first;       /* the lowest tag */
    int64_t range;       /* tags in `table`; 0 where the tags count up from `first` or are sorted */
    int32_t *table;      /* [range]: place of the tag first + i, -1 for none; owned */
    tess_tagged *sorted; /* [n], by tag, where tags are too sparse for a table; owned */
} tess_tag_index;

/* Fills the index of n tags; fails (INPUT) on a tag that comes twice. */
TESS_MUST_CHECK tess_status tess_tag_index_build(const int64_t *tags, int64_t n,
                                                 tess_tag_index *out);
/* The position of a tag, or -1. */
int32_t tess_tag_index_find(const tess_tag_index *index, int64_t tag);
void tess_tag_index_release(tess_tag_index *index);
