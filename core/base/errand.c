/* An errand: a call that another thread makes while this one goes on. */
#include "core/base/errand.h"

#include "core/base/array.h"
#include "core/base/progress.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct tess_errand {
    tess_status (*call)(void *context);
    void *context;
    pthread_t thread;
    pthread_mutex_t mutex; /* for whoever waits */
    pthread_cond_t ended;
    atomic_bool over;
    tess_status status;
    char *message; /* of the failure; NULL: there was no memory for it; owned */
};

static void *work(void *context) {
    tess_errand *errand = context;
    errand->status = errand->call(errand->context);
    if (errand->status != TESS_OK && tess_text_copy(tess_message(), &errand->message) != TESS_OK)
        errand->message = NULL;
    pthread_mutex_lock(&errand->mutex);
    atomic_store(&errand->over, true);
    pthread_cond_broadcast(&errand->ended);
    pthread_mutex_unlock(&errand->mutex);
    return NULL;
}

tess_status tess_errand_begin(tess_status (*call)(void *context), void *context,
                              tess_errand **out) {
    tess_errand *errand = NULL;
    TRY(TESS_ZEROS(1, &errand));
    errand->call = call;
    errand->context = context;
    pthread_mutex_init(&errand->mutex, NULL);
    pthread_cond_init(&errand->ended, NULL);
    if (pthread_create(&errand->thread, NULL, work, errand) != 0) {
        free(errand);
        FAIL(TESS_ERROR_MEMORY, "no thread can be started");
    }
    *out = errand;
    return TESS_OK;
}

bool tess_errand_is_over(const tess_errand *errand) {
    return atomic_load(&errand->over);
}

tess_status tess_errand_wait(tess_errand *errand) {
    pthread_mutex_lock(&errand->mutex);
    while (!atomic_load(&errand->over))
        pthread_cond_wait(&errand->ended, &errand->mutex);
    pthread_mutex_unlock(&errand->mutex);
    if (errand->status != TESS_OK)
        FAIL(errand->status, "%s",
             errand->message ? errand->message : tess_status_text(errand->status));
    return TESS_OK;
}

tess_status tess_errand_wait_for(tess_errand *errand, const char *words) {
    const bool over = tess_errand_is_over(errand);
    if (!over)
        tess_progress_begin("%s", words);
    const tess_status status = tess_errand_wait(errand);
    if (!over)
        tess_progress_end();
    return status;
}

void tess_errand_free(tess_errand *errand) {
    if (!errand)
        return;
    pthread_join(errand->thread, NULL);
    pthread_cond_destroy(&errand->ended);
    pthread_mutex_destroy(&errand->mutex);
    free(errand->message);
    free(errand);
}
