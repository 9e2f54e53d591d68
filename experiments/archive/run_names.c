/* How runs are named on a command line. */
#include "experiments/archive/run_names.h"

#include "core/base/array.h"
#include "experiments/archive/tags.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tess_status append(tess_run_ids *ids, const char *id) {
    for (int64_t i = 0; i < ids->n; i++)
        if (strcmp(ids->items[i], id) == 0)
            return TESS_OK;
    TRY(TESS_RESERVE(ids->n + 1, &ids->capacity, &ids->items));
    snprintf(ids->items[ids->n++], TESS_RUN_ID_SIZE, "%s", id);
    return TESS_OK;
}

static tess_status add_tagged(const tess_lab *lab, const char *tag, tess_run_ids *ids) {
    tess_status status = TESS_OK;
    tess_tags *tags = NULL;
    const int64_t before = ids->n;
    CHECK(tess_tags_read(lab, &tags));
    for (int64_t i = 0; i < tags->n; i++)
        if (strcmp(tags->items[i].name, tag) == 0)
            CHECK(append(ids, tags->items[i].run));
    if (ids->n == before)
        CHECK(
            tess_fail(TESS_ERROR_INPUT, "no run has the tag '%s': 'tess tag' lists the tags", tag));
done:
    tess_tags_free(tags);
    return status;
}

static tess_status add_named(const tess_lab *lab, const char *name, tess_run_ids *ids) {
    char id[TESS_RUN_ID_SIZE];
    if (strncmp(name, "tag:", strlen("tag:")) == 0)
        return add_tagged(lab, name + strlen("tag:"), ids);
    TRY(tess_lab_find(lab, name, id));
    return append(ids, id);
}

tess_status tess_run_ids_add(const tess_lab *lab, const char *const *names, int64_t n,
                             tess_run_ids *ids) {
    for (int64_t i = 0; i < n; i++)
        TRY(add_named(lab, names[i], ids));
    return TESS_OK;
}

void tess_run_ids_clear(tess_run_ids *ids) {
    free(ids->items);
    *ids = (tess_run_ids){0};
}

const char *tess_run_name_behind(const char *word) {
    return strncmp(word, "@last", strlen("@last")) == 0 ? word : word + 1;
}

tess_status tess_run_id_of(const tess_lab *lab, const char *name, char id[TESS_RUN_ID_SIZE]) {
    tess_status status = TESS_OK;
    tess_run_ids ids = {0};
    CHECK(add_named(lab, name, &ids));
    if (ids.n != 1)
        CHECK(tess_fail(TESS_ERROR_INPUT, "'%s' means %lld runs, and one is asked for", name,
                        (long long)ids.n));
    memcpy(id, ids.items[0], TESS_RUN_ID_SIZE);
done:
    tess_run_ids_clear(&ids);
    return status;
}
