/* A tally: the warp-level instructions of emulated blocks, counted from the accesses of threads. */
#include "kernels/devices/emulator/tally.h"

#include "core/array.h"
#include <stdlib.h>
#include <string.h>

enum { LANES = 32, MAX_THREADS = 1024, BANKS = 32 };

typedef struct kept {
    uint64_t address;
    int32_t site;
    uint8_t size;
    uint8_t access;
    bool shared;
} kept;

typedef struct lane_log {
    int64_t n, capacity;
    kept *accesses;
} lane_log;

/* One warp-level instruction in the making. */
typedef struct instruction {
    int n_lanes;
    uint8_t size, access;
    bool shared;
    uint64_t address[LANES];
    uint8_t lane[LANES];
} instruction;

/* The instructions of one word of the text in this warp: the k-th one is instruction[k]. */
typedef struct site_row {
    int64_t n, capacity;
    int32_t *instruction;
    int lane;  /* the lane that was last here ... */
    int64_t k; /* ... and how often */
} site_row;

struct tess_tally {
    lane_log threads[MAX_THREADS];
    int n_threads; /* one past the last with accesses */
    int64_t n_rows, row_capacity;
    site_row *rows; /* by site id */
    int64_t n_instructions, instruction_capacity;
    instruction *instructions;
};

void tess_counters_add(tess_counters *to, const tess_counters *from) {
    to->blocks += from->blocks;
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

tess_status tess_tally_new(tess_tally **out) {
    return TESS_ZEROS(1, out);
}

void tess_tally_free(tess_tally *tally) {
    if (!tally)
        return;
    for (int t = 0; t < MAX_THREADS; t++)
        free(tally->threads[t].accesses);
    for (int64_t r = 0; r < tally->n_rows; r++)
        free(tally->rows[r].instruction);
    free(tally->rows);
    free(tally->instructions);
    free(tally);
}

bool tess_tally_keep(tess_tally *tally, int thread, int site, enum simt_access access, bool shared,
                     uint64_t address, int size) {
    lane_log *log = &tally->threads[thread];
    if (log->n == log->capacity &&
        TESS_RESERVE(log->n + 64, &log->capacity, &log->accesses) != TESS_OK)
        return false;
    log->accesses[log->n++] = (kept){.address = address,
                                     .site = site,
                                     .size = (uint8_t)size,
                                     .access = (uint8_t)access,
                                     .shared = shared};
    if (thread >= tally->n_threads)
        tally->n_threads = thread + 1;
    return true;
}

void tess_tally_forget(tess_tally *tally) {
    for (int t = 0; t < tally->n_threads; t++)
        tally->threads[t].n = 0;
    tally->n_threads = 0;
}

/* The row of a site, made when it is new. */
static site_row *row_of(tess_tally *tally, int site) {
    if (site >= tally->n_rows) {
        if (TESS_RESERVE(site + 1, &tally->row_capacity, &tally->rows) != TESS_OK)
            return NULL;
        const size_t fresh = (size_t)(tally->row_capacity - tally->n_rows);
        memset(tally->rows + tally->n_rows, 0, fresh * sizeof *tally->rows);
        tally->n_rows = tally->row_capacity;
    }
    return &tally->rows[site];
}

/* Adds an access of a lane to the instruction it belongs to. */
static bool put_together(tess_tally *tally, int lane, const kept *access) {
    site_row *row = row_of(tally, access->site);
    if (!row)
        return false;
    if (row->lane != lane) {
        row->lane = lane;
        row->k = 0;
    }
    const int64_t k = row->k++;
    if (k == row->n) {
        if (TESS_RESERVE(k + 1, &row->capacity, &row->instruction) != TESS_OK ||
            TESS_RESERVE(tally->n_instructions + 1, &tally->instruction_capacity,
                         &tally->instructions) != TESS_OK)
            return false;
        tally->instructions[tally->n_instructions] =
            (instruction){.size = access->size, .access = access->access, .shared = access->shared};
        row->instruction[row->n++] = (int32_t)tally->n_instructions++;
    }
    instruction *i = &tally->instructions[row->instruction[k]];
    i->address[i->n_lanes] = access->address;
    i->lane[i->n_lanes++] = (uint8_t)lane;
    return true;
}

static int distinct_sectors(const instruction *i) {
    uint64_t sectors[2 * LANES];
    int n = 0;
    for (int l = 0; l < i->n_lanes; l++) {
        const uint64_t last = (i->address[l] + i->size - 1) / 32;
        for (uint64_t sector = i->address[l] / 32; sector <= last; sector++) {
            int s = n - 1;
            while (s >= 0 && sectors[s] != sector)
                s--;
            if (s < 0)
                sectors[n++] = sector;
        }
    }
    return n;
}

/* Wavefronts of the lanes [first, last): the most distinct 4-byte words that fall into one bank. */
static int wavefronts_of(const instruction *in, int first, int last) {
    uint64_t words[BANKS][LANES];
    int n[BANKS] = {0}, most = 0;
    for (int i = 0; i < in->n_lanes; i++) {
        if (in->lane[i] < first || in->lane[i] >= last)
            continue;
        const uint64_t end = (in->address[i] + in->size - 1) / 4;
        for (uint64_t word = in->address[i] / 4; word <= end; word++) {
            const int bank = (int)(word % BANKS);
            int w = n[bank] - 1;
            while (w >= 0 && words[bank][w] != word)
                w--;
            if (w < 0)
                words[bank][n[bank]++] = word;
            if (n[bank] > most)
                most = n[bank];
        }
    }
    return most;
}

/* 8-byte requests go in two halves of a warp, 16-byte ones in four quarters. */
static void count_shared(const instruction *i, int times, tess_counters *counters) {
    const int lanes = i->size <= 4 ? 32 : i->size == 8 ? 16 : 8;
    for (int first = 0; first < LANES; first += lanes) {
        const int wavefronts = wavefronts_of(i, first, first + lanes);
        counters->shared_wavefronts += times * wavefronts;
        counters->shared_bank_conflicts += wavefronts > 1 ? times * (wavefronts - 1) : 0;
    }
}

static void count(const instruction *i, tess_counters *counters) {
    const int times = i->access == SIMT_PLAIN_ADD ? 2 : 1;
    counters->instructions += times;
    counters->active_lanes += times * i->n_lanes;
    if (i->shared) {
        count_shared(i, times, counters);
        return;
    }
    const int sectors = distinct_sectors(i);
    if (i->access == SIMT_ATOMIC_ADD) {
        counters->atomics += i->n_lanes;
        counters->atomic_sectors += sectors;
    }
    if (i->access == SIMT_FETCH || i->access == SIMT_LOAD || i->access == SIMT_PLAIN_ADD)
        counters->read_sectors += sectors;
    if (i->access == SIMT_STORE || i->access == SIMT_PLAIN_ADD)
        counters->write_sectors += sectors;
}

/* Puts one warp together, counts its instructions and clears the rows it used. */
static bool flush_warp(tess_tally *tally, int warp, tess_counters *counters) {
    tally->n_instructions = 0;
    bool ok = true;
    for (int lane = 0; lane < LANES; lane++) {
        const lane_log *log = &tally->threads[warp * LANES + lane];
        for (int64_t i = 0; ok && i < log->n; i++)
            ok = put_together(tally, lane, &log->accesses[i]);
    }
    for (int lane = 0; lane < LANES; lane++) {
        lane_log *log = &tally->threads[warp * LANES + lane];
        for (int64_t i = 0; i < log->n; i++) {
            if (log->accesses[i].site < tally->n_rows) {
                site_row *row = &tally->rows[log->accesses[i].site];
                row->n = row->k = 0;
                row->lane = -1;
            }
        }
        log->n = 0;
    }
    for (int64_t i = 0; i < tally->n_instructions; i++)
        count(&tally->instructions[i], counters);
    return ok;
}

bool tess_tally_flush(tess_tally *tally, tess_counters *counters) {
    bool ok = true;
    for (int warp = 0; warp * LANES < tally->n_threads; warp++)
        ok = flush_warp(tally, warp, counters) && ok;
    tally->n_threads = 0;
    return ok;
}
