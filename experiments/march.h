/* A march: an application's solution step by step on the host, over the blocks of plans. */
#ifndef TESS_MARCH_H
#define TESS_MARCH_H

#include "experiments/in_situ.h"
#include "kernels/application.h"

/* Marches the application from its start in double for `steps` time steps, by its references, and
 * hands start and every `every`th step to all channels of `in_situ` that have a plan: the fields
 * that the application names, else all its dats but those of whole numbers. A dat of another set
 * than the view's is the mean over the map from that to it, or left out where there is none. Ends
 * early when an interrupt asks for it. */
TESS_MUST_CHECK tess_status tess_march(const tess_application *application, const tess_mesh *mesh,
                                       int64_t steps, int64_t every, tess_in_situ *in_situ);

#endif
