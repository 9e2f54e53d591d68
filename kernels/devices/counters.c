/* Counters: what a device counted of the launches that it ran. */
#include "kernels/devices/counters.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

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
    to->atomic_repeats += from->atomic_repeats;
    to->shared_wavefronts += from->shared_wavefronts;
    to->shared_bank_conflicts += from->shared_bank_conflicts;
    to->l2_read_sectors += from->l2_read_sectors;
    to->l2_write_sectors += from->l2_write_sectors;
    to->l2_atomic_sectors += from->l2_atomic_sectors;
    to->dram_read_bytes += from->dram_read_bytes;
    to->dram_write_bytes += from->dram_write_bytes;
    to->block_read_sectors += from->block_read_sectors;
    to->block_write_sectors += from->block_write_sectors;
    to->block_atomic_sectors += from->block_atomic_sectors;
    to->memory_instructions += from->memory_instructions;
    to->memory_lines += from->memory_lines;
}

bool tess_counters_cached(const tess_counters *counters) {
    return counters->l2_read_sectors + counters->l2_write_sectors > 0;
}

void tess_counters_of_caches(const tess_counters *c, tess_cache_counter out[TESS_CACHE_COUNTERS]) {
    const tess_cache_counter all[TESS_CACHE_COUNTERS] = {
        {"block_read_sectors", "1", c->block_read_sectors},
        {"block_write_sectors", "1", c->block_write_sectors},
        {"block_atomic_sectors", "1", c->block_atomic_sectors},
        {"l2_atomic_sectors", "1", c->l2_atomic_sectors},
        {"l2_read_sectors", "1", c->l2_read_sectors},
        {"l2_write_sectors", "1", c->l2_write_sectors},
        {"dram_read_bytes", "B", c->dram_read_bytes},
        {"dram_write_bytes", "B", c->dram_write_bytes},
    };
    memcpy(out, all, sizeof all);
}

double tess_counters_efficiency(const tess_counters *c) {
    return c->instructions > 0 ? (double)c->active_lanes / (double)c->instructions / 32 : NAN;
}

bool tess_counters_estimated(const tess_counters *counters) {
    return counters->blocks_executed < counters->blocks_launched;
}

void tess_counters_scale(tess_counters *counters) {
    int64_t *const scaled[] = {&counters->barriers,
                               &counters->warp_words,
                               &counters->instructions,
                               &counters->active_lanes,
                               &counters->read_sectors,
                               &counters->write_sectors,
                               &counters->atomic_sectors,
                               &counters->atomics,
                               &counters->shared_wavefronts,
                               &counters->shared_bank_conflicts,
                               &counters->atomic_repeats,
                               &counters->block_read_sectors,
                               &counters->block_write_sectors,
                               &counters->block_atomic_sectors,
                               &counters->memory_instructions,
                               &counters->memory_lines};
    if (!tess_counters_estimated(counters))
        return;
    const double all = (double)counters->blocks_launched / (double)counters->blocks_executed;
    for (size_t i = 0; i < sizeof scaled / sizeof *scaled; i++)
        *scaled[i] = llround((double)*scaled[i] * all);
}
