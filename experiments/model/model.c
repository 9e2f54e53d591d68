/* The model: how long a loop takes by its features and a GPU's numbers. */
#include "experiments/model/model.h"

#include <math.h>

const char *tess_term_name(tess_term term) {
    static const char *const names[] = {"memory",  "L2",    "L1",    "atomics", "shared",
                                        "latency", "issue", "flops", "launches"};
    return names[term];
}

/* Thread blocks that a multiprocessor has at a time. Each of its four parts has a quarter of the
 * registers for its warps: with 136 registers an H200 has two blocks of 192 threads and one of 208.
 */
static double resident_blocks(const tess_features *f) {
    const double warps = ceil(f->threads / TESS_LANES);
    const double registers = ceil(f->registers * TESS_LANES / 256) * 256;
    double blocks = fmin(32, floor(64 / warps));
    blocks = fmin(blocks, floor(4 * floor(16384 / registers) / warps));
    if (f->shared_bytes > 0)
        blocks = fmin(blocks, floor((TESS_MOST_SHARED + 1024) / (f->shared_bytes + 1024)));
    return fmax(1, blocks);
}

/* The share of what a run would fetch from memory that the L2 does not have from the run before. */
static double memory_share(const double *c, const tess_features *f) {
    const double ratio =
        pow(f->moved_bytes / c[TESS_CONSTANT_kept_bytes], c[TESS_CONSTANT_kept_power]);
    return ratio / (1 + ratio);
}

/* Bytes from memory up to the least that must move cost as copies do, the others more; `share` of
 * them come from there. */
static double memory_seconds(const double *c, const tess_features *f, double share) {
    const double bytes = TESS_SECTOR * (f->traffic.memory_reads + f->traffic.memory_writes);
    const double least = fmin(bytes, f->moved_bytes);
    return share *
           (c[TESS_CONSTANT_memory] * least +
            c[TESS_CONSTANT_random] * c[TESS_CONSTANT_memory] * (bytes - least)) /
           c[TESS_CONSTANT_copy_bandwidth];
}

/* Waits of a warp that hide each other: the more values its registers hold, the more loads are on
 * their way at a time. */
static double overlap_of(const double *c, const tess_features *f) {
    return pow(fmax(1, f->registers / 64), c[TESS_CONSTANT_overlap]);
}

tess_model_time tess_model_predict(const double *c, const tess_features *f) {
    const tess_traffic_counts *n = &f->traffic;
    const double processors = c[TESS_CONSTANT_processors], resident = resident_blocks(f);
    const double warps = resident * ceil(f->threads / TESS_LANES);
    const double share = memory_share(c, f);
    const double slower = f->shared_atomics ? c[TESS_CONSTANT_compare_and_swap] : 1;
    const double waits =
        f->blocks * f->turns * c[TESS_CONSTANT_turn] + f->barriers * c[TESS_CONSTANT_barrier];
    tess_model_time time = {
        .resident = resident,
        .terms = {
            [TESS_TERM_MEMORY] = memory_seconds(c, f, share),
            [TESS_TERM_L2] = n->block_reads * c[TESS_CONSTANT_l2_read] +
                             n->writes * c[TESS_CONSTANT_l2_write] +
                             n->lines * c[TESS_CONSTANT_l2_line],
            [TESS_TERM_L1] = n->reads * c[TESS_CONSTANT_l1_read],
            [TESS_TERM_ATOMICS] = n->passes * c[TESS_CONSTANT_pass] +
                                  n->values * c[TESS_CONSTANT_value] +
                                  n->missed * share * c[TESS_CONSTANT_missed_pass],
            [TESS_TERM_SHARED] =
                f->wavefronts * c[TESS_CONSTANT_wavefront] / (processors * c[TESS_CONSTANT_clock]),
            [TESS_TERM_LATENCY] =
                waits * slower / (processors * resident) +
                n->instructions * c[TESS_CONSTANT_wait] / (processors * warps * overlap_of(c, f)),
            [TESS_TERM_ISSUE] = n->instructions * c[TESS_CONSTANT_instruction],
            [TESS_TERM_FLOPS] = f->flops * c[TESS_CONSTANT_flop],
            [TESS_TERM_LAUNCHES] = c[TESS_CONSTANT_start] + f->launches * c[TESS_CONSTANT_launch]}};
    const double exponent = c[TESS_CONSTANT_exponent];
    double sum = 0;
    for (tess_term term = 0; term < TESS_TERM_LAUNCHES; term++)
        if (time.terms[term] > 0) /* many are none of a strategy's */
            sum += pow(time.terms[term], exponent);
    for (tess_term term = 0; term < TESS_N_TERMS; term++)
        if (time.terms[term] > time.terms[time.bound])
            time.bound = term;
    time.seconds = pow(sum, 1 / exponent) + time.terms[TESS_TERM_LAUNCHES];
    return time;
}
