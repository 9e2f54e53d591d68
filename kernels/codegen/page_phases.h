/* The phases of a page: its dats in pieces, each staged in some phases of a split loop. */
#pragma once

#include "kernels/codegen/page.h"
#include "kernels/loops/kernel_phases.h"

/* Splits what an open page reads and adds to through maps into pieces of consecutive components
 * that all phases need alike, as dats of their own, and leaves out what none needs. Gives each
 * piece a position in shared memory, which those of other phases share; where copies come ahead,
 * not those of the phase before, which is computed while they are under way. */
TESS_MUST_CHECK tess_status tess_page_split(tess_page *page, const tess_phases *phases,
                                            tess_phase_order order);

/* Prints clear_unstaged(e), zeros in all that is read at points, so that no phase reads what nobody
 * wrote, and compute_phase(e, phase). */
void tess_page_print_phases(tess_page *page, const tess_phases *phases);

/* Of a page with a launch for each phase: temporary arrays for what phases pass on, of so many
 * positions, and prints
 *   read_own(p, e, i, phase)      what a phase reads of the element stored at i itself
 *   read_passed(p, e, k, phase)   what it takes from earlier ones, of the element at position k
 *   pass_on(p, e, k, phase)       what it gives and later ones take */
TESS_MUST_CHECK tess_status tess_page_pass_on(tess_page *page, const tess_phases *phases,
                                              int64_t n_positions);

/* Of a page whose phases run in one launch, and a thread keeps its elements: prints
 *   read_own(p, e, i, phase)      what a phase is the first to need of the element stored at i */
void tess_page_read_once(tess_page *page, const tess_phases *phases);

/* Of a page whose phases run in one launch, while a thread has several elements under way: prints
 * read_own, and
 *   struct passed                 what phases pass on of an element
 *   take_passed(passed, e, phase), keep_passed(passed, e, phase) */
void tess_page_keep(tess_page *page, const tess_phases *phases);

/* Prints read_passed and pass_on as above, but for k, the number of an element in its block,
 * which has n_elements at most. What phases pass on waits in shared memory from *end on, which
 * becomes the end of that; values that never wait at the same time have one place. */
TESS_MUST_CHECK tess_status tess_page_pass_in_shared(tess_page *page, const tess_phases *phases,
                                                     int64_t n_elements, int64_t *end);

/* Bytes of shared memory that a phase takes with a launch of its own. */
int64_t tess_page_phase_bytes(const tess_page *page, int phase);
