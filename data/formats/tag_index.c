/* A tag index: which position in a file a tag stands for, where tags are any whole numbers. */
#include "data/formats/tag_index.h"

#include "core/base/array.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static tess_status refuse_twice(int64_t tag) {
    FAIL(TESS_ERROR_INPUT, "the tag %" PRId64 " is given twice", tag);
}

static tess_status build_table(const int64_t *tags, tess_tag_index *index) {
    TRY(TESS_ALLOC(index->range, &index->table));
    memset(index->table, 0xFF, (size_t)index->range * sizeof *index->table); /* all -1 */
    for (int64_t i = 0; i < index->n; i++) {
        int32_t *position = &index->table[tags[i] - index->first];
        if (*position >= 0)
            return refuse_twice(tags[i]);
        *position = (int32_t)i;
    }
    return TESS_OK;
}

static int compare_tags(const void *a, const void *b) {
    const int64_t left = ((const tess_tagged *)a)->tag, right = ((const tess_tagged *)b)->tag;
    return (left > right) - (left < right);
}

static tess_status build_sorted(const int64_t *tags, tess_tag_index *index) {
    TRY(TESS_ALLOC(index->n, &index->sorted));
    for (int64_t i = 0; i < index->n; i++)
        index->sorted[i] = (tess_tagged){.tag = tags[i], .position = (int32_t)i};
    qsort(index->sorted, (size_t)index->n, sizeof *index->sorted, compare_tags);
    for (int64_t i = 1; i < index->n; i++)
        if (index->sorted[i].tag == index->sorted[i - 1].tag)
            return refuse_twice(index->sorted[i].tag);
    return TESS_OK;
}

tess_status tess_tag_index_build(const int64_t *tags, int64_t n, tess_tag_index *out) {
    int64_t lowest = n ? tags[0] : 0, highest = lowest;
    bool in_order = true;
    for (int64_t i = 0; i < n; i++) {
        lowest = tags[i] < lowest ? tags[i] : lowest;
        highest = tags[i] > highest ? tags[i] : highest;
        in_order &= (uint64_t)tags[i] - (uint64_t)tags[0] == (uint64_t)i;
    }
    tess_tag_index index = {.n = n, .first = lowest};
    tess_status status = TESS_OK;
    if (!in_order && (uint64_t)highest - (uint64_t)lowest < (uint64_t)(4 * n + 1024)) {
        index.range = highest - lowest + 1;
        CHECK(build_table(tags, &index));
    } else if (!in_order) {
        CHECK(build_sorted(tags, &index));
    }
    *out = index;
    index = (tess_tag_index){0};
done:
    tess_tag_index_release(&index);
    return status;
}

int32_t tess_tag_index_find(const tess_tag_index *index, int64_t tag) {
    if (index->sorted) {
        const tess_tagged wanted = {.tag = tag};
        const tess_tagged *found =
            bsearch(&wanted, index->sorted, (size_t)index->n, sizeof wanted, compare_tags);
        return found ? found->position : -1;
    }
    const uint64_t offset = (uint64_t)tag - (uint64_t)index->first;
    if (index->table)
        return offset < (uint64_t)index->range ? index->table[offset] : -1;
    return offset < (uint64_t)index->n ? (int32_t)offset : -1;
}

void tess_tag_index_release(tess_tag_index *index) {
    free(index->table);
    free(index->sorted);
    *index = (tess_tag_index){0};
}
