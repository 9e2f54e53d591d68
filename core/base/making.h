/* Making: what threads of this process make now, each thing by one of them. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

enum { TESS_MOST_MAKING = 64 };

typedef struct tess_making {
    pthread_mutex_t mutex; /* of all that follows */
    pthread_cond_t changed;
    int n;
    const char *keys[TESS_MOST_MAKING]; /* [n] who makes it owns its key */
} tess_making;

#define TESS_MAKING_INIT                                                                           \
    { .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER }

/* Whether a thing is being made, or no more can be. */
static inline bool tess_making_is_taken(const tess_making *making, const char *key) {
    for (int i = 0; i < making->n; i++)
        if (strcmp(making->keys[i], key) == 0)
            return true;
    return making->n == TESS_MOST_MAKING;
}

/* Waits for another thread that makes the same; then the caller makes it, unless it is there now,
 * until the end. The key lives until then. Gives whether nothing else is being made. */
static inline bool tess_making_begin(tess_making *making, const char *key) {
    pthread_mutex_lock(&making->mutex);
    while (tess_making_is_taken(making, key))
        pthread_cond_wait(&making->changed, &making->mutex);
    making->keys[making->n++] = key;
    const bool alone = making->n == 1;
    pthread_mutex_unlock(&making->mutex);
    return alone;
}

static inline void tess_making_end(tess_making *making, const char *key) {
    pthread_mutex_lock(&making->mutex);
    int i = 0;
    while (making->keys[i] != key)
        i++;
    making->keys[i] = making->keys[--making->n];
    pthread_cond_broadcast(&making->changed);
    pthread_mutex_unlock(&making->mutex);
}
