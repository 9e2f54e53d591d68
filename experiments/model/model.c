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

/* The slope of the logarithm of the seconds by each term, and by the logarithm of the exponent. */
static double slopes_by_terms(const tess_model_time *time, double exponent, double *out) {
    const double launches = time->terms[TESS_TERM_LAUNCHES], hiding = time->seconds - launches;
    double by_exponent = 0;
    for (tess_term term = 0; term < TESS_TERM_LAUNCHES; term++) {
        const double ratio = log(time->terms[term] / hiding);
        const double weight = time->terms[term] > 0 ? exp(exponent * ratio) : 0;
        out[term] = weight > 0 ? weight / time->terms[term] * hiding / time->seconds : 0;
        by_exponent += weight > 0 ? weight * ratio * hiding / time->seconds : 0;
    }
    out[TESS_TERM_LAUNCHES] = 1 / time->seconds;
    return by_exponent;
}

tess_model_time tess_model_slopes(const double *c, const tess_features *f, double *out) {
#define SLOPE(constant, term, part) out[TESS_CONSTANT_##constant] = by[term] * (part)
    const tess_model_time time = tess_model_predict(c, f);
    const tess_traffic_counts *n = &f->traffic;
    const double *terms = time.terms, share = memory_share(c, f),
                 power = c[TESS_CONSTANT_kept_power];
    const double bytes = TESS_SECTOR * (n->memory_reads + n->memory_writes);
    const double at_random = share * c[TESS_CONSTANT_random] * c[TESS_CONSTANT_memory] *
                             fmax(0, bytes - f->moved_bytes) / c[TESS_CONSTANT_copy_bandwidth];
    const double slower = f->shared_atomics ? c[TESS_CONSTANT_compare_and_swap] : 1;
    const double waits = slower / (c[TESS_CONSTANT_processors] * time.resident);
    const double turns = waits * f->blocks * f->turns * c[TESS_CONSTANT_turn];
    const double barriers = waits * f->barriers * c[TESS_CONSTANT_barrier];
    const double wait = terms[TESS_TERM_LATENCY] - turns - barriers;
    double by[TESS_N_TERMS];
    for (int i = 0; i < TESS_N_CONSTANTS; i++)
        out[i] = 0;
    out[TESS_CONSTANT_exponent] = slopes_by_terms(&time, c[TESS_CONSTANT_exponent], by);
    SLOPE(memory, TESS_TERM_MEMORY, terms[TESS_TERM_MEMORY]);
    SLOPE(random, TESS_TERM_MEMORY, at_random);
    SLOPE(l2_read, TESS_TERM_L2, n->block_reads * c[TESS_CONSTANT_l2_read]);
    SLOPE(l2_write, TESS_TERM_L2, n->writes * c[TESS_CONSTANT_l2_write]);
    SLOPE(l2_line, TESS_TERM_L2, n->lines * c[TESS_CONSTANT_l2_line]);
    SLOPE(l1_read, TESS_TERM_L1, terms[TESS_TERM_L1]);
    SLOPE(pass, TESS_TERM_ATOMICS, n->passes * c[TESS_CONSTANT_pass]);
    SLOPE(value, TESS_TERM_ATOMICS, n->values * c[TESS_CONSTANT_value]);
    SLOPE(missed_pass, TESS_TERM_ATOMICS, n->missed * share * c[TESS_CONSTANT_missed_pass]);
    SLOPE(wavefront, TESS_TERM_SHARED, terms[TESS_TERM_SHARED]);
    SLOPE(turn, TESS_TERM_LATENCY, turns);
    SLOPE(barrier, TESS_TERM_LATENCY, barriers);
    SLOPE(compare_and_swap, TESS_TERM_LATENCY, f->shared_atomics ? turns + barriers : 0);
    SLOPE(wait, TESS_TERM_LATENCY, wait);
    SLOPE(overlap, TESS_TERM_LATENCY, -wait * log(overlap_of(c, f)));
    SLOPE(instruction, TESS_TERM_ISSUE, terms[TESS_TERM_ISSUE]);
    SLOPE(flop, TESS_TERM_FLOPS, terms[TESS_TERM_FLOPS]);
    SLOPE(start, TESS_TERM_LAUNCHES, c[TESS_CONSTANT_start]);
    SLOPE(launch, TESS_TERM_LAUNCHES, f->launches * c[TESS_CONSTANT_launch]);
#undef SLOPE
    const double by_share =
        (1 - share) * (out[TESS_CONSTANT_memory] + out[TESS_CONSTANT_missed_pass]);
    out[TESS_CONSTANT_kept_bytes] = -power * by_share;
    if (by_share > 0)
        out[TESS_CONSTANT_kept_power] =
            power * by_share * log(f->moved_bytes / c[TESS_CONSTANT_kept_bytes]);
    return time;
}
