/* A chain: a run of consecutive loops of a step that one kernel executes block by block.
 *
 * Loop by loop, every value of a step goes to memory and comes back. In a chain a block of points
 * goes through all loops of the run, and values pass on in registers and shared memory. Which runs
 * can be a chain follows from how their args access dats, and from nothing else:
 *
 *   - The blocks own the points of one set, the chain's `owner`: airfoil's cells. A loop over that
 *     set is direct. A loop over another set (edges) is gathered: a point computes all elements
 *     that add to it, and takes its share; each element is computed by each of its points. Every
 *     loop over that set joins, be it only to fill what the next one reads of the same element.
 *   - A value that a loop reads through a map, at neighbours, must be there before any point goes
 *     on: a loop that reads so what the chain wrote begins a new *stage*, before which the threads
 *     of a block wait. Threads of other blocks nobody waits for: the neighbours' values are
 *     computed again, in *rings* of points around the block's own. Without rings a chain has one
 *     stage.
 *   - What is read at neighbours and stored by the chain has *two buffers*, which change places
 *     after it: another block may still read what was there before.
 *   - What no loop reads before it is overwritten is not stored at all: the values live in the
 *     block. A dat that its reader clears (`cleared`: airfoil's res is zero behind update) need
 *     neither be read nor stored.
 *   - A reduction may be made in a chain; a loop that reads it ends the chain.
 *
 * tess_chain_build says all this of one run, or names the two loops and the dat that forbid it. */
#pragma once

#include "core/plan/loop.h"

/* The loops of a time step in order, without those over sets that the mesh lacks. A loop may come
 * more than once. Behind the last the first comes again. */
typedef struct tess_chain_step {
    int n;
    const tess_loop *const *loops; /* [n] */
} tess_chain_step;

typedef struct tess_chain_loop {
    const tess_loop *loop;
    bool gathered; /* over another set than the owner: computed by each point that it adds to */
    int stage;     /* from 0 */
    int ring;      /* is computed at a block's own points and at so many rings around them */
} tess_chain_loop;

/* A dat that loops of the chain access, of the owner, of elements that are gathered, of a set that
 * is only read, or global (set ""). */
typedef struct tess_chain_dat {
    char dat[TESS_NAME_SIZE], set[TESS_NAME_SIZE];
    int dim; /* the most that an arg has */
    tess_type type;
    bool written;
    bool loaded;      /* a loop uses the value from before the chain */
    int load_ring;    /* at own points (0) or so many rings around; 0 for other sets */
    bool stored;      /* a loop after the chain uses the value from the chain */
    bool two_buffers; /* both, and a block reads what another one stores */
    bool begins_zero; /* it is zero before the chain: the last loop to write it cleared it */
    /* Of the owner's dats, what passes from stage to stage in a block's memory: at own points and
     * `kept_ring` rings; of two versions where a stage reads one at neighbours and writes the
     * other.
     */
    int kept_versions; /* 0, 1 or 2 */
    int kept_ring;
    bool kept_loaded; /* what is loaded is kept, since neighbours in the block read it */
} tess_chain_dat;

typedef struct tess_chain {
    int first, n_loops;     /* which loops of the step */
    tess_chain_loop *loops; /* [n_loops], owned */
    char owner[TESS_NAME_SIZE];
    int n_stages;
    int n_rings;    /* around a block in which loops are computed again */
    int load_rings; /* around a block in which values are loaded: as many, or one more */
    int n_dats;
    tess_chain_dat *dats; /* in the order in which args first name them, owned */
} tess_chain;

/* Gives the chain of the loops first ... first + n - 1 of a step. Fails (USAGE) where they cannot
 * be one, by the two loops and the dat. The step's loops outlive the chain. */
TESS_MUST_CHECK tess_status tess_chain_build(const tess_chain_step *step, int first, int n,
                                             tess_chain **out);
void tess_chain_free(tess_chain *chain);

/* The dat of an arg of one of its loops. */
const tess_chain_dat *tess_chain_dat_of(const tess_chain *chain, const tess_arg *arg);

/* Whether an arg of a loop of the chain is of the dat as it is before the chain: no loop of the
 * chain before that one writes it. */
bool tess_chain_is_before(const tess_chain *chain, int loop, const tess_arg *arg);

/* Whether the dat of an arg is known to be zero when that loop comes. */
bool tess_chain_is_zero(const tess_chain *chain, int loop, const tess_arg *arg);

/* Whether loops a and a + 1 are of one group: over one gathered set and in one stage, so that an
 * element goes through both before the next one. */
bool tess_chain_goes_on(const tess_chain *chain, int a);

/* Which chains are wanted, of those that can be. */
typedef struct tess_chain_wish {
    int most_rings;
    bool (*wants)(const void *of, const tess_chain *chain); /* NULL: all */
    const void *of;
} tess_chain_wish;

/* Cuts a step into chains: from the first loop on the longest run that is wanted.
 * Fills length [step->n]: at the first loop of a run of several how many it has, 1 at loops that
 * run alone, 0 within runs. */
TESS_MUST_CHECK tess_status tess_chains_choose(const tess_chain_step *step,
                                               const tess_chain_wish *wish, int *length);
