/* A tally: the warp-level instructions of emulated blocks, counted from the accesses of threads. */
#include "kernels/devices/emulator/tally.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

enum { LANES = 32, MAX_THREADS = 1024, BANKS = 32, MOST_TURNS = UINT16_MAX, SHARED = 0x80 };

/* Sectors of the longest run. */
enum { RUN_SECTORS = TESS_RUN_BYTES / 32 + 1 };

typedef struct kept {
    uint64_t address;
    int32_t site;
    uint16_t turn;
    uint16_t size;
    uint8_t access; /* and SHARED */
} kept;

typedef struct lane_log {
    int64_t n, capacity;
    kept *accesses;
} lane_log;

/* One warp-level instruction in the making. */
typedef struct instruction {
    int n_lanes;
    uint16_t size;
    uint8_t access;
    bool shared;
    uint64_t address[LANES], source[LANES]; /* where an asynchronous copy comes from */
    uint8_t lane[LANES];
} instruction;

/* The k-th execution of a word in one turn. */
typedef struct execution {
    int32_t turn, k;
    int32_t instruction;
} execution;

/* The executions of one word of the text in this warp, in the order in which they were found. */
typedef struct site_row {
    int64_t n, capacity;
    execution *executions;
    int64_t at;  /* where the next one of the lane that was last here is likely to be */
    int lane;    /* that lane ... */
    int turn, k; /* ... the turn it was in, and how often */
} site_row;

struct tess_tally {
    lane_log threads[MAX_THREADS];
    int n_threads; /* one past the last with accesses */
    int64_t n_rows, row_capacity;
    site_row *rows; /* by site id */
    int64_t n_instructions, instruction_capacity;
    instruction *instructions;
};

tess_status tess_tally_new(tess_tally **out) {
    return TESS_ZEROS(1, out);
}

void tess_tally_free(tess_tally *tally) {
    if (!tally)
        return;
    for (int t = 0; t < MAX_THREADS; t++)
        free(tally->threads[t].accesses);
    for (int64_t r = 0; r < tally->n_rows; r++)
        free(tally->rows[r].executions);
    free(tally->rows);
    free(tally->instructions);
    free(tally);
}

bool tess_tally_keep(tess_tally *tally, int thread, const tess_tally_access *of) {
    lane_log *log = &tally->threads[thread];
    if (log->n == log->capacity &&
        TESS_RESERVE(log->n + 64, &log->capacity, &log->accesses) != TESS_OK)
        return false;
    log->accesses[log->n++] =
        (kept){.address = of->address,
               .site = of->site,
               .turn = (uint16_t)(of->turn < MOST_TURNS ? of->turn : MOST_TURNS),
               .size = (uint16_t)of->size,
               .access = (uint8_t)(of->access | (of->shared ? SHARED : 0))};
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
        for (int64_t r = tally->n_rows; r < tally->row_capacity; r++)
            tally->rows[r].lane = -1;
        tally->n_rows = tally->row_capacity;
    }
    return &tally->rows[site];
}

static bool is_execution(const execution *one, int turn, int k) {
    return one->turn == turn && one->k == k;
}

/* The position of an execution in a row, or its end. */
static int64_t find_execution(const site_row *row, int turn, int k) {
    if (row->at < row->n && is_execution(&row->executions[row->at], turn, k))
        return row->at;
    int64_t position = 0;
    while (position < row->n && !is_execution(&row->executions[position], turn, k))
        position++;
    return position;
}

/* Whether the lane, whose accesses come one behind the other, is part of an instruction. */
static bool has_lane(const instruction *i, int lane) {
    return i->n_lanes > 0 && i->lane[i->n_lanes - 1] == lane;
}

/* Adds an access of a lane to the instruction it belongs to; `source` is that before it. */
static bool put_together(tess_tally *tally, int lane, const kept *access, uint64_t source) {
    site_row *row = row_of(tally, access->site);
    if (!row)
        return false;
    if (row->lane != lane) {
        row->lane = lane;
        row->turn = -1;
        row->at = 0;
    }
    row->k = row->turn == access->turn ? row->k + 1 : 0;
    row->turn = access->turn;
    int64_t position = find_execution(row, row->turn, row->k);
    while (position < row->n && /* a turn that the lane comes back to goes on where it was left */
           has_lane(&tally->instructions[row->executions[position].instruction], lane))
        position = find_execution(row, row->turn, ++row->k);
    row->at = position + 1;
    if (position == row->n) {
        if (TESS_RESERVE(position + 1, &row->capacity, &row->executions) != TESS_OK ||
            TESS_RESERVE(tally->n_instructions + 1, &tally->instruction_capacity,
                         &tally->instructions) != TESS_OK)
            return false;
        tally->instructions[tally->n_instructions] =
            (instruction){.size = access->size,
                          .access = (uint8_t)(access->access & ~SHARED),
                          .shared = (access->access & SHARED) != 0};
        row->executions[row->n++] = (execution){
            .turn = row->turn, .k = row->k, .instruction = (int32_t)tally->n_instructions++};
    }
    instruction *i = &tally->instructions[row->executions[position].instruction];
    i->address[i->n_lanes] = access->address;
    i->source[i->n_lanes] = source;
    i->lane[i->n_lanes++] = (uint8_t)lane;
    return true;
}

/* The distinct sectors of an instruction; gives how many. */
static int find_sectors(const instruction *i, uint64_t sectors[2 * LANES]) {
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

/* The sectors of a lane's run; gives how many. */
static int find_run(const instruction *i, int lane, uint64_t sectors[RUN_SECTORS]) {
    int n = 0;
    const uint64_t last = (i->address[lane] + i->size - 1) / 32;
    for (uint64_t sector = i->address[lane] / 32; sector <= last; sector++)
        sectors[n++] = sector;
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

/* Whether all lanes whose numbers differ in `bit` only, and which both take part, read one
 * address. */
static bool pairs_agree(const instruction *in, unsigned bit) {
    uint64_t address[LANES];
    uint32_t active = 0;
    for (int i = 0; i < in->n_lanes; i++) {
        address[in->lane[i]] = in->address[i];
        active |= 1u << in->lane[i];
    }
    for (unsigned l = 0; l < LANES; l++)
        if ((active >> l & 1) && (active >> (l ^ bit) & 1) && address[l] != address[l ^ bit])
            return false;
    return true;
}

/* The lanes that go to shared memory together: 8-byte requests go in two halves of a warp, 16-byte
 * ones in four quarters, but for 8-byte loads that few lanes take part in: those go as one where
 * all pairs of neighbours, or all of next neighbours, agree. So counts an H200
 * (docs/results/emulator.md). */
static int lanes_together(const instruction *i, bool is_load) {
    if (i->size <= 4 || (i->size == 8 && is_load && (pairs_agree(i, 1) || pairs_agree(i, 2))))
        return LANES;
    return i->size == 8 ? LANES / 2 : LANES / 4;
}

static void count_shared(const instruction *i, bool is_load, tess_counters *counters) {
    const int lanes = lanes_together(i, is_load);
    for (int first = 0; first < LANES; first += lanes) {
        const int wavefronts = wavefronts_of(i, first, first + lanes);
        counters->shared_wavefronts += wavefronts;
        counters->shared_bank_conflicts += wavefronts > 1 ? wavefronts - 1 : 0;
    }
}

static unsigned parity(uint64_t bits) {
    return (unsigned)__builtin_popcountll(bits) & 1;
}

/* Which of four tables of the L1 a line of 128 bytes is looked up in: found on an H200 by copies
 * of 1063 patterns. */
static unsigned table_of(uint64_t line) {
    return parity(line & 0x77ab5) | parity(line & 0x2d5da) << 1;
}

static uint32_t banks_of(uint64_t address, int size) {
    return ((UINT32_C(1) << (size + 3) / 4) - 1) << address / 4 % BANKS;
}

/* Wavefronts of these of the instruction's values. In each a value stays behind where one before it
 * that is left, too, wants a bank of its own where it comes from or goes to, even if that one stays
 * behind itself. */
static int wavefronts_of_copies(const instruction *in, uint32_t left) {
    int wavefronts = 0;
    for (; left; wavefronts++) {
        uint32_t from = 0, to = 0;
        for (int i = 0; i < in->n_lanes; i++) {
            if (!(left >> i & 1))
                continue;
            const uint32_t source = banks_of(in->source[i], in->size);
            const uint32_t target = banks_of(in->address[i], in->size);
            if (!(from & source) && !(to & target))
                left &= ~(UINT32_C(1) << i);
            from |= source;
            to |= target;
        }
    }
    return wavefronts;
}

/* The values of an asynchronous copy go together as far as their lines are in different tables, one
 * part of the warp after the other. Takes those of one pass out of *left. */
static void count_pass(const instruction *in, uint32_t *left, tess_counters *counters) {
    uint64_t lines[4];
    bool taken[4] = {false};
    uint32_t parts[4] = {0};
    const int lanes = in->size <= 4 ? LANES : in->size == 8 ? LANES / 2 : LANES / 4;
    for (int i = 0; i < in->n_lanes; i++) {
        const uint64_t line = in->source[i] / 128;
        const unsigned table = table_of(line);
        if (!(*left >> i & 1) || (taken[table] && lines[table] != line))
            continue;
        taken[table] = true;
        lines[table] = line;
        *left &= ~(UINT32_C(1) << i);
        parts[in->lane[i] / lanes] |= UINT32_C(1) << i;
    }
    for (int p = 0; p < 4; p++) {
        const int wavefronts = wavefronts_of_copies(in, parts[p]);
        counters->shared_wavefronts += wavefronts;
        counters->shared_bank_conflicts += wavefronts > 0 ? wavefronts - 1 : 0;
    }
}

static void count_copy(const instruction *in, tess_counters *counters) {
    uint32_t left = in->n_lanes < LANES ? (UINT32_C(1) << in->n_lanes) - 1 : UINT32_MAX;
    while (left)
        count_pass(in, &left, counters);
}

/* Lanes of an instruction at the address of a lower one. */
static int repeats_of(const instruction *in) {
    int repeats = 0;
    for (int i = 1; i < in->n_lanes; i++) {
        int j = 0;
        while (in->address[j] != in->address[i])
            j++;
        repeats += j < i;
    }
    return repeats;
}

/* Each lane's run goes to memory alone. */
static void count_runs(const instruction *i, tess_counters *counters) {
    uint64_t sectors[RUN_SECTORS];
    counters->atomics += i->n_lanes;
    for (int l = 0; l < i->n_lanes; l++)
        counters->atomic_sectors += find_run(i, l, sectors);
}

static void count(const instruction *i, tess_counters *counters) {
    const int times = i->access == SIMT_PLAIN_ADD ? 2 : 1;
    counters->instructions += times;
    counters->active_lanes += times * i->n_lanes;
    if (i->shared) {
        if (i->access == SIMT_COPY) {
            count_copy(i, counters);
            return;
        }
        if (i->access != SIMT_STORE)
            count_shared(i, true, counters);
        if (i->access == SIMT_STORE || i->access == SIMT_PLAIN_ADD)
            count_shared(i, false, counters);
        return;
    }
    if (i->access == SIMT_RUN_ADD) {
        count_runs(i, counters);
        return;
    }
    uint64_t found[2 * LANES];
    const int sectors = find_sectors(i, found);
    if (i->access == SIMT_ATOMIC_ADD) {
        counters->atomics += i->n_lanes;
        counters->atomic_repeats += repeats_of(i);
        counters->atomic_sectors += sectors;
    }
    if (i->access == SIMT_FETCH || i->access == SIMT_LOAD || i->access == SIMT_PLAIN_ADD)
        counters->read_sectors += sectors;
    if (i->access == SIMT_STORE || i->access == SIMT_PLAIN_ADD)
        counters->write_sectors += sectors;
}

/* For each sector of an atomic the most lanes on one address: so often it is gone to. */
static int passes_of(const instruction *in, const uint64_t *sectors, int n) {
    int passes = 0;
    for (int s = 0; s < n; s++) {
        int most = 0;
        for (int i = 0; i < in->n_lanes; i++) {
            int lanes = 0;
            for (int j = 0; j < in->n_lanes; j++)
                lanes += in->address[j] == in->address[i];
            most = in->address[i] / 32 == sectors[s] && lanes > most ? lanes : most;
        }
        passes += most;
    }
    return passes;
}

/* Adds the runs of an instruction to the trace: an access and a pass a sector each. */
static tess_status trace_runs(const instruction *in, tess_trace *trace) {
    uint64_t sectors[RUN_SECTORS];
    for (int l = 0; l < in->n_lanes; l++) {
        const int n = find_run(in, l, sectors);
        TRY(tess_trace_add(trace, TESS_TRACE_ATOMIC, n, sectors, n));
    }
    return TESS_OK;
}

/* Adds the accesses of a warp to global memory to the trace. */
static bool trace_warp(const tess_tally *tally, tess_trace *trace) {
    static const tess_trace_kind kinds[] = {
        [SIMT_FETCH] = TESS_TRACE_FETCH,     [SIMT_LOAD] = TESS_TRACE_LOAD,
        [SIMT_STORE] = TESS_TRACE_STORE,     [SIMT_COPY] = TESS_TRACE_STORE,
        [SIMT_PLAIN_ADD] = TESS_TRACE_STORE, [SIMT_ATOMIC_ADD] = TESS_TRACE_ATOMIC};
    if (tess_trace_begin_piece(trace) != TESS_OK)
        return false;
    for (int64_t i = 0; i < tally->n_instructions; i++) {
        const instruction *in = &tally->instructions[i];
        uint64_t sectors[2 * LANES];
        if (in->shared)
            continue;
        if (in->access == SIMT_RUN_ADD) {
            if (trace_runs(in, trace) != TESS_OK)
                return false;
            continue;
        }
        const int n = find_sectors(in, sectors);
        const int passes = in->access == SIMT_ATOMIC_ADD ? passes_of(in, sectors, n) : 0;
        if (in->access == SIMT_PLAIN_ADD &&
            tess_trace_add(trace, TESS_TRACE_LOAD, 0, sectors, n) != TESS_OK)
            return false;
        if (tess_trace_add(trace, kinds[in->access], passes, sectors, n) != TESS_OK)
            return false;
    }
    return true;
}

/* Puts one warp together, counts its instructions and clears the rows it used. */
static bool flush_warp(tess_tally *tally, int warp, tess_counters *counters, tess_trace *trace) {
    tally->n_instructions = 0;
    bool ok = true;
    for (int lane = 0; lane < LANES; lane++) {
        const lane_log *log = &tally->threads[warp * LANES + lane];
        for (int64_t i = 0; ok && i < log->n; i++)
            ok = put_together(tally, lane, &log->accesses[i],
                              i > 0 ? log->accesses[i - 1].address : 0);
    }
    for (int lane = 0; lane < LANES; lane++) {
        lane_log *log = &tally->threads[warp * LANES + lane];
        for (int64_t i = 0; i < log->n; i++) {
            if (log->accesses[i].site < tally->n_rows) {
                site_row *row = &tally->rows[log->accesses[i].site];
                row->n = 0;
                row->lane = -1;
            }
        }
        log->n = 0;
    }
    for (int64_t i = 0; i < tally->n_instructions; i++)
        count(&tally->instructions[i], counters);
    return ok && (!trace || trace_warp(tally, trace));
}

bool tess_tally_flush(tess_tally *tally, tess_counters *counters, tess_trace *trace) {
    const int n_warps = trace ? trace->n_warps : (tally->n_threads + LANES - 1) / LANES;
    bool ok = true;
    for (int warp = 0; warp < n_warps; warp++)
        ok = flush_warp(tally, warp, counters, trace) && ok;
    tally->n_threads = 0;
    return ok;
}
