/* The phases of a page: its dats in pieces, each staged in some phases of a split loop. */
#pragma once

#include "kernels/applications/kernel_phases.h"
#include "kernels/page/page.h"

/* Splits what an open page reads and adds to through maps into pieces of consecutive components
 * that all phases need alike, as dats of their own, and leaves out what none needs. Gives each
 * piece a place in shared memory, which those of other phases share; `ahead`: not those of the
 * phase before, which is computed while copies are under way. */
TESS_MUST_CHECK tess_status tess_page_split(tess_page *page, const tess_phases *phases, bool ahead);

/* Prints clear_unstaged(e), zeros in all that is read at points, so that no phase reads what nobody
 * wrote, and compute_phase(e, phase). */
void tess_page_print_phases(tess_page *page, const tess_phases *phases);
