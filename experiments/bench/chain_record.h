/* What chains leave in a record: how each goes through its loops, and the blocks of one. */
#pragma once

#include "experiments/archive/record.h"
#include "kernels/run/chained_step.h"

#define TESS_CHAIN_KEY "chain " /* and its number */

/* The registers that a thread of chain 1 has by a cap that was chosen for it. */
#define TESS_CAP_KEY "register cap"

/* Notes of each chain of an open step, as `chain 1`, `chain 2` ... of the environment, what
 * `tess explain` tells: its loops, stages and rings, buffers, what is not stored, bytes. */
TESS_MUST_CHECK tess_status tess_record_chains(const tess_chained_step *step, const tess_mesh *mesh,
                                               tess_record *record);

/* Keeps the blocks of the step's longest chain, of its first where several are. */
TESS_MUST_CHECK tess_status tess_record_chain_blocks(const tess_chained_step *step,
                                                     tess_record *record);
