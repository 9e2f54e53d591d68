/* A solution: the fields of a marching application as they are shown over the blocks of plans. */
#pragma once

#include "experiments/report/in_situ/in_situ.h"
#include "kernels/loops/application.h"

/* Fields that are being shown: they stay until the next ones are. */
typedef struct tess_solution tess_solution;

/* For a session whose channels have plans (tess_in_situ_set_plan) and that outlives the result. */
TESS_MUST_CHECK tess_status tess_solution_new(const tess_application *application,
                                              tess_in_situ *in_situ, tess_solution **out);
void tess_solution_free(tess_solution *solution);

/* Hands the state after `step` time steps to all channels: the fields that the application names,
 * else all its dats but those of whole numbers. A dat of another set than the view's is the mean
 * over the map from that to it, or left out. Its time is the application's,
 * where that has one. */
TESS_MUST_CHECK tess_status tess_solution_show(tess_solution *solution, const tess_state *state,
                                               int64_t step);

/* Marches the application from its start in double for `steps` time steps on the host, by its
 * references, and shows start, every `every`th and the last step. Ends early when an interrupt asks
 * for it. */
TESS_MUST_CHECK tess_status tess_solution_march(const tess_application *application,
                                                const tess_mesh *mesh, int64_t steps, int64_t every,
                                                tess_in_situ *in_situ);
