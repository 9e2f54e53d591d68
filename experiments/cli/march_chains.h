/* The chains of a march, as the program tells them, and how long a step of it would take on a GPU.
 */
#pragma once

#include "experiments/bench/march.h"
#include "experiments/model/expectation.h"

/* A step's time, as a model of a GPU foretells it. */
typedef struct tess_march_forecast {
    bool is_made;
    char device[2 * TESS_NAME_SIZE]; /* "NVIDIA H200" */
    char why_not[512];               /* where a step has no model; else "" */
    tess_step_time step;
} tess_march_forecast;

/* Fails where a machine that is asked for (NULL: none is) cannot be read. */
TESS_MUST_CHECK tess_status tess_march_forecast_check(const char *machine);

/* Makes it where an emulator counted a sample of a chain's blocks, for a machine (NULL: the usual
 * one), unless none is wanted; where there is no model of a loop that has its reason. */
TESS_MUST_CHECK tess_status tess_march_forecast_make(const char *machine, const tess_march *march,
                                                     tess_march_forecast *out);

/* Adds predicted_time to a record, unless that is NULL. */
TESS_MUST_CHECK tess_status tess_march_forecast_record(const tess_march_forecast *forecast,
                                                       tess_record *record);
json_t *tess_march_forecast_json(const tess_march_forecast *forecast);

/* Prints a line for each chain: its loops, its rings, what it does not store; and the forecast. */
void tess_march_chains_print(const tess_march *march, const tess_march_forecast *forecast);

/* Gives them as an array of objects; NULL: the march is without chains. */
json_t *tess_march_chains_json(const tess_march *march, const tess_march_forecast *forecast);
