/* A memo: colours of a loop's elements, each found once. */
#include "core/plan/colour/colour_memo.h"

#include "core/base/array.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

static const int64_t most_bytes = INT64_C(1) << 30; /* of orders and colours */

typedef enum stage { STAGE_FREE, STAGE_BEING_FOUND, STAGE_FOUND } stage;

typedef struct entry {
    stage stage;
    int colouring;
    int32_t n_colours;
    bool has_order;
    int32_t *order, *colour; /* [n] */
} entry;

struct tess_colour_memo {
    int64_t n;
    int most;              /* entries */
    pthread_mutex_t mutex; /* of all that follows */
    pthread_cond_t changed;
    entry entries[MOST];
};

tess_status tess_colour_memo_new(int64_t n, tess_colour_memo **out) {
    const int64_t fit = most_bytes / (2 * (int64_t)sizeof(int32_t) * (n > 0 ? n : 1));
    TRY(TESS_ZEROS(1, out));
    (*out)->n = n;
    (*out)->most = fit < MOST ? (int)fit : MOST;
    pthread_mutex_init(&(*out)->mutex, NULL);
    pthread_cond_init(&(*out)->changed, NULL);
    return TESS_OK;
}

static void empty(entry *one) {
    free(one->order);
    free(one->colour);
    *one = (entry){.stage = STAGE_FREE};
}

void tess_colour_memo_free(tess_colour_memo *memo) {
    if (!memo)
        return;
    for (int i = 0; i < MOST; i++)
        empty(&memo->entries[i]);
    pthread_cond_destroy(&memo->changed);
    pthread_mutex_destroy(&memo->mutex);
    free(memo);
}

/* The entry of an order; NULL: there is none. The mutex is locked, as for the next. */
static entry *find(tess_colour_memo *memo, const int32_t *order, int colouring) {
    for (int i = 0; i < memo->most; i++) {
        entry *one = &memo->entries[i];
        if (one->stage != STAGE_FREE && one->colouring == colouring &&
            one->has_order == (order != NULL) &&
            (!order || memcmp(one->order, order, (size_t)memo->n * sizeof *order) == 0))
            return one;
    }
    return NULL;
}

/* Notes that the caller finds these colours, where there is room. */
static void begin(tess_colour_memo *memo, const int32_t *order, int colouring) {
    entry *one = memo->entries;
    while (one < memo->entries + memo->most && one->stage != STAGE_FREE)
        one++;
    if (one == memo->entries + memo->most)
        return;
    if (TESS_ALLOC(memo->n, &one->colour) != TESS_OK ||
        (order && TESS_ALLOC(memo->n, &one->order) != TESS_OK)) {
        empty(one);
        return;
    }
    if (order)
        memcpy(one->order, order, (size_t)memo->n * sizeof *order);
    one->has_order = order != NULL;
    one->colouring = colouring;
    one->stage = STAGE_BEING_FOUND;
}

bool tess_colour_memo_take(tess_colour_memo *memo, const int32_t *order, int colouring,
                           int32_t *colour, int32_t *n_colours) {
    pthread_mutex_lock(&memo->mutex);
    entry *one = find(memo, order, colouring);
    while (one && one->stage == STAGE_BEING_FOUND) {
        pthread_cond_wait(&memo->changed, &memo->mutex);
        one = find(memo, order, colouring);
    }
    if (one) {
        memcpy(colour, one->colour, (size_t)memo->n * sizeof *colour);
        *n_colours = one->n_colours;
    } else
        begin(memo, order, colouring);
    pthread_mutex_unlock(&memo->mutex);
    return one != NULL;
}

void tess_colour_memo_keep(tess_colour_memo *memo, const int32_t *order, int colouring,
                           const int32_t *colour, int32_t n_colours) {
    pthread_mutex_lock(&memo->mutex);
    entry *one = find(memo, order, colouring);
    if (one && one->stage == STAGE_BEING_FOUND && colour) {
        memcpy(one->colour, colour, (size_t)memo->n * sizeof *colour);
        one->n_colours = n_colours;
        one->stage = STAGE_FOUND;
    } else if (one && one->stage == STAGE_BEING_FOUND)
        empty(one);
    pthread_cond_broadcast(&memo->changed);
    pthread_mutex_unlock(&memo->mutex);
}
