/* A model against runs: what the gather model allows beside what a lab's runs counted and took. */
#pragma once

#include "core/base/json.h"
#include "experiments/model/gather_model.h"

/* What is compared: a loop on a machine, with the runs of a lab. */
typedef struct tess_model_against {
    const char *application, *kernel; /* the loop by its names */
    const tess_gather_loop *loop;
    const tess_machine *machine;
    tess_hit_cost hits;
    const char *lab; /* its folder */
    bool reached;    /* bandwidths are those that the lab's runs reached, not the machine's */
} tess_model_against;

/* Prints a row a variant of the loop: the sectors that an element asks the L2 for, counted on the
 * emulator or a GPU, the limits that follow, what was measured, and how far the model is off; then
 * the size of blocks at which L2 and memory limit alike. Fails (INPUT) where the lab has no run
 * that says either. */
TESS_MUST_CHECK tess_status tess_model_against_print(const tess_model_against *asked);

/* The report as JSON: rows, errors, crossings. */
TESS_MUST_CHECK tess_status tess_model_against_json(const tess_model_against *asked, json_t **out);
