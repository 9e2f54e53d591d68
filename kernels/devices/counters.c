/* Counters: what a device counted of the launches that it ran. */
#include "kernels/devices/counters.h"

#include <math.h>
#include <stddef.h>

void tess_counters_add(tess_counters *to, const tess_counters *from) {
    to->blocks_executed += from->blocks_executed;
    to->blocks_launched += from->blocks_launched;
    to->thread_steps += from->thread_steps;
    to->barriers += from->barriers;
    to->warp_words += from->warp_words;
    to->instructions += from->instructions;
    to->active_lanes += from->active_lanes;
    to->read_sectors += from->read_sectors;
    to->write_sectors += from->write_sectors;
    to->atomic_sectors += from->atomic_sectors;
    to->atomics += from->atomics;
    to->shared_wavefronts += from->shared_wavefronts;
    to->shared_bank_conflicts += from->shared_bank_conflicts;
}

bool tess_counters_estimated(const tess_counters *counters) {
    return counters->blocks_executed < counters->blocks_launched;
}

void tess_counters_scale(tess_counters *counters) {
    int64_t *const scaled[] = {&counters->barriers,          &counters->warp_words,
                               &counters->instructions,      &counters->active_lanes,
                               &counters->read_sectors,      &counters->write_sectors,
                               &counters->atomic_sectors,    &counters->atomics,
                               &counters->shared_wavefronts, &counters->shared_bank_conflicts};
    if (!tess_counters_estimated(counters))
        return;
    const double all = (double)counters->blocks_launched / (double)counters->blocks_executed;
    for (size_t i = 0; i < sizeof scaled / sizeof *scaled; i++)
        *scaled[i] = llround((double)*scaled[i] * all);
}
