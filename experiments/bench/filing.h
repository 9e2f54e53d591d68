/* A filing: the mesh of a bench, stored in the lab by another thread while its loop is run.
 *
 * Unless the bench's mesh has all maps, the thread opens it once more and derives all that can be,
 * so that the lab has one file of a mesh whatever was run on it, and the bench needs not wait for
 * what its own loop does not use. */
#pragma once

#include "experiments/archive/lab.h"
#include "experiments/bench/workload.h"

typedef struct tess_filing tess_filing;

/* Begins to store the mesh of a workload of these names, which outlive the filing, as the lab does;
 * or `mesh`, which has all maps and outlives it, too, where that is not NULL. */
TESS_MUST_CHECK tess_status tess_filing_begin(const tess_workload_names *names,
                                              const tess_mesh *mesh, tess_lab *lab,
                                              tess_filing **out);

/* Whether it is over, well or not. */
bool tess_filing_is_over(const tess_filing *filing);

/* Waits until it is over and gives the mesh's digest; fails as the storing did. */
TESS_MUST_CHECK tess_status tess_filing_wait(tess_filing *filing, char digest[TESS_DIGEST_SIZE]);

/* Gives up what is not over, and frees all. Accepts NULL. */
void tess_filing_end(tess_filing *filing);
