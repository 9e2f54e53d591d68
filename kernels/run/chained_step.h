/* A chained step: the loops of an application's time step, of which runs are executed as chains
 * (core/plan/chain.h). */
#pragma once

#include "core/base/spec.h"
#include "kernels/loops/application.h"
#include "kernels/run/ready_chain.h"

typedef struct tess_chained_step tess_chained_step;

/* Gives the step of an application on a mesh, cut as `text` says: "none"; "auto", the longest runs
 * that need no rings; "auto:rings=N", those that need at most N; or a list of runs, "adt_calc+
 * res_calc,update+...", each used wherever its loops follow each other, the longest first. Behind
 * these ":elements=once" or "points" says where elements are computed (tess_chain_elements). Fails
 * (USAGE) where a run is nowhere in the step, or no chain, by the two loops and the dat. */
TESS_MUST_CHECK tess_status tess_chained_step_new(const tess_application *application,
                                                  const tess_mesh *mesh, tess_type real,
                                                  const char *text, tess_chained_step **out);
void tess_chained_step_free(tess_chained_step *step);

/* Gives the step of which one chain alone is executed so, and its first loop: the first that the
 * text names, which the loops before it then come to. Fails (USAGE) where the text names several,
 * by their loops, and where it names none. */
TESS_MUST_CHECK tess_status tess_chained_step_new_one(const tess_application *application,
                                                      const tess_mesh *mesh, tess_type real,
                                                      const char *text, tess_chained_step **out,
                                                      int *first);

/* Loops of the step, without those that the mesh lacks, and their kernels. */
int tess_chained_step_size(const tess_chained_step *step);
const tess_kernel *const *tess_chained_step_kernels(const tess_chained_step *step);
/* How many loops the chain that begins with loop i has; 1: it runs alone, 0: within a chain. */
int tess_chained_step_length(const tess_chained_step *step, int i);
/* The chain that begins there; NULL: none does. */
const tess_chain *tess_chained_step_chain(const tess_chained_step *step, int i);
/* That chain with its blocks and its page, once the step is open; the step's. */
const tess_ready_chain *tess_chained_step_ready(const tess_chained_step *step, int i);
/* Where elements of the chain that begins there are computed, as the text said. */
tess_chain_elements tess_chained_step_elements(const tess_chained_step *step, int i);

/* Gives the loops of the chain that begins there, "adt_calc+res_calc". The caller frees it. */
TESS_MUST_CHECK tess_status tess_chained_step_name(const tess_chained_step *step, int i,
                                                   char **out);

/* Whether some chain writes the dat and does not store it, as no loop reads it. */
bool tess_chained_step_drops(const tess_chained_step *step, const char *dat, const char *set);

/* What the spec of a loop's strategy says of registers, for tess_chain_way; -1: nothing. */
int tess_chain_registers(const tess_spec *spec);

/* Makes the chains ready to run: blocks, proof (core/plan/chain_check.h), page, compiler. Fails
 * (INPUT) where a dat that is to be zero at the start of the march is not. */
TESS_MUST_CHECK tess_status tess_chained_step_open(tess_chained_step *step,
                                                   const tess_chains_setting *setting);
/* Runs the chain that begins with loop i; dats with two buffers have changed them then. */
TESS_MUST_CHECK tess_status tess_chained_step_run(const tess_chained_step *step, int i);

/* The first chain of the step that has the loops of the one that begins with loop i. */
int tess_chained_step_like(const tess_chained_step *step, int i);

/* Some blocks of a chain on a rank: those that reach nothing of other ranks, or the others that it
 * owns. What two runs write is apart; the buffers change places when both are done. */
typedef enum tess_chain_blocks_of { TESS_CHAIN_CORE, TESS_CHAIN_REST } tess_chain_blocks_of;
TESS_MUST_CHECK tess_status tess_chained_step_run_blocks(const tess_chained_step *step, int i,
                                                         tess_chain_blocks_of blocks);
void tess_chained_step_swap(const tess_chained_step *step, int i);
