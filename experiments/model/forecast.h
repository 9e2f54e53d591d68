/* A forecast: predictions that other threads make while a search goes on. */
#pragma once

#include "experiments/model/prediction.h"

typedef struct tess_forecast tess_forecast;

/* Begins to predict the experiments [n] by a fit on a bench that is open for them; all outlive the
 * forecast. `seconds`: what is not begun by then is late. */
TESS_MUST_CHECK tess_status tess_forecast_begin(const tess_predictor *predictor, tess_bench *bench,
                                                const tess_experiment *experiments, int64_t n,
                                                double seconds, tess_forecast **out);

/* Waits until all is predicted, but no longer than that. */
void tess_forecast_wait(tess_forecast *forecast, double seconds);

/* Whether something was predicted since the last reading. */
bool tess_forecast_has_more(tess_forecast *forecast);

/* Gives the predictions of all experiments, in their order; what is not there yet is late, with the
 * longest time of its kind. Texts stay the forecast's. */
void tess_forecast_read(tess_forecast *forecast, tess_prediction *out);

/* Begins nothing more. Accepts NULL, as the next. */
void tess_forecast_stop(tess_forecast *forecast);

/* Stops, waits for what was begun, frees all, and gives the failure that ended it. */
TESS_MUST_CHECK tess_status tess_forecast_end(tess_forecast *forecast);
