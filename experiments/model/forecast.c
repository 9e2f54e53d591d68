/* A forecast: predictions that other threads make while a search goes on. */
#include "experiments/model/forecast.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/step_back.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

static const double longest_wait = 1e6; /* seconds */

struct tess_forecast {
    tess_predictor predictor;
    tess_bench *bench;
    tess_prediction *predictions; /* [n], written by the threads that predict */
    int64_t n;
    pthread_t thread;
    bool is_begun; /* the thread */
    atomic_bool stopped;
    pthread_mutex_t mutex; /* of all that follows */
    pthread_cond_t changed;
    bool *known; /* [n] */
    int64_t n_known, n_read;
    bool over;
    tess_status status;
    char *message; /* of the failure; NULL: none; owned */
};

static void note_known(void *context, const tess_prediction *one) {
    tess_forecast *forecast = context;
    pthread_mutex_lock(&forecast->mutex);
    forecast->known[one - forecast->predictions] = true;
    forecast->n_known++;
    pthread_mutex_unlock(&forecast->mutex);
}

static void *work(void *context) {
    tess_forecast *forecast = context;
    tess_thread_step_back();
    const tess_status status = tess_predictions_make(&forecast->predictor, forecast->bench,
                                                     forecast->predictions, forecast->n);
    pthread_mutex_lock(&forecast->mutex);
    forecast->status = status;
    if (status != TESS_OK && tess_text_copy(tess_message(), &forecast->message) != TESS_OK)
        forecast->message = NULL;
    forecast->over = true;
    pthread_cond_broadcast(&forecast->changed);
    pthread_mutex_unlock(&forecast->mutex);
    return NULL;
}

static void forecast_free(tess_forecast *forecast) {
    if (!forecast)
        return;
    tess_predictor_close_compiler(&forecast->predictor);
    tess_predictions_clear(forecast->predictions, forecast->n);
    free(forecast->predictions);
    free(forecast->known);
    free(forecast->message);
    pthread_cond_destroy(&forecast->changed);
    pthread_mutex_destroy(&forecast->mutex);
    free(forecast);
}

tess_status tess_forecast_begin(const tess_predictor *predictor, tess_bench *bench,
                                const tess_experiment *experiments, int64_t n, double seconds,
                                tess_forecast **out) {
    tess_status status = TESS_OK;
    tess_forecast *forecast = NULL;
    CHECK(TESS_ZEROS(1, &forecast));
    *forecast = (tess_forecast){.predictor = *predictor, .bench = bench, .n = n};
    pthread_mutex_init(&forecast->mutex, NULL);
    pthread_cond_init(&forecast->changed, NULL);
    forecast->predictor.until = tess_clock_seconds() + seconds;
    forecast->predictor.predicted = note_known;
    forecast->predictor.context = forecast;
    forecast->predictor.stopped = &forecast->stopped;
    CHECK(TESS_ZEROS(n, &forecast->predictions));
    CHECK(TESS_ZEROS(n, &forecast->known));
    for (int64_t i = 0; i < n; i++)
        forecast->predictions[i].experiment = &experiments[i];
    tess_predictor_open_compiler(&forecast->predictor);
    if (pthread_create(&forecast->thread, NULL, work, forecast) != 0)
        CHECK(tess_fail(TESS_ERROR_MEMORY, "no thread can be started"));
    forecast->is_begun = true;
    *out = TESS_TAKE(forecast);
done:
    forecast_free(forecast);
    return status;
}

void tess_forecast_wait(tess_forecast *forecast, double seconds) {
    const struct timespec end = tess_clock_after(fmin(seconds, longest_wait));
    int waited = 0;
    pthread_mutex_lock(&forecast->mutex);
    while (!forecast->over && waited == 0)
        waited = pthread_cond_timedwait(&forecast->changed, &forecast->mutex, &end);
    pthread_mutex_unlock(&forecast->mutex);
}

bool tess_forecast_has_more(tess_forecast *forecast) {
    pthread_mutex_lock(&forecast->mutex);
    const bool more = forecast->n_known > forecast->n_read;
    pthread_mutex_unlock(&forecast->mutex);
    return more;
}

void tess_forecast_read(tess_forecast *forecast, tess_prediction *out) {
    pthread_mutex_lock(&forecast->mutex);
    for (int64_t i = 0; i < forecast->n; i++)
        out[i] = forecast->known[i]
                     ? forecast->predictions[i]
                     : (tess_prediction){.experiment = forecast->predictions[i].experiment,
                                         .late = true};
    forecast->n_read = forecast->n_known;
    pthread_mutex_unlock(&forecast->mutex);
    tess_predictions_fill_late(out, forecast->n);
}

void tess_forecast_stop(tess_forecast *forecast) {
    if (forecast)
        atomic_store(&forecast->stopped, true);
}

tess_status tess_forecast_end(tess_forecast *forecast) {
    if (!forecast)
        return TESS_OK;
    tess_forecast_stop(forecast);
    if (forecast->is_begun)
        pthread_join(forecast->thread, NULL);
    const tess_status status =
        forecast->status == TESS_OK
            ? TESS_OK
            : tess_fail(forecast->status, "%s",
                        forecast->message ? forecast->message : "a prediction failed");
    forecast_free(forecast);
    return status;
}
