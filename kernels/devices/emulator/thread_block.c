/* A thread block in the emulator: its threads as fibres on one core, run to completion. */
#include "kernels/devices/emulator/thread_block.h"

#include "core/base/array.h"
#include "core/base/print_args.h"
#include "core/base/splitmix.h"
#include "kernels/devices/emulator/block_state.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LANES = TESS_LANES, SKEWS = 16, SKEW = 320 };

/* The lanes [0, n) of a warp. */
static uint32_t lanes_below(int n) {
    return n < LANES ? (UINT32_C(1) << n) - 1 : UINT32_MAX;
}

static const uint64_t CANARY = UINT64_C(0x7e55e1ab5afe57ac);

/* What lies at the lowest address of a stack. */
typedef struct stack_base {
    struct simt_thread self;
    uint64_t canary;
} stack_base;

void tess_block_stop(tess_thread_block *block, const struct simt_thread *self,
                     const struct simt_site *site, const char *format, ...) {
    char what[384];
    TESS_PRINT_ARGS(what, format);
    snprintf(block->message, sizeof block->message, "%s:%d: %s by block %u, thread %d: %s",
             site->file, site->line, site->word, block->index, self->thread, what);
    block->failed = true;
    tess_fibre nowhere;
    tess_fibre_switch(&nowhere, block->scheduler);
    __builtin_unreachable(); /* nobody switches back */
}

static void check_stack(tess_thread_block *block, const struct simt_thread *self,
                        const struct simt_site *site) {
    if (((const stack_base *)self)->canary != CANARY)
        tess_block_stop(block, self, site,
                        "the thread needs more than the emulator's %d bytes of stack",
                        SIMT_STACK - SKEWS * SKEW);
}

/* Leaves the thread until the scheduler comes back to it. */
static void wait_for(tess_thread_block *block, struct simt_thread *self, tess_thread_state state,
                     const struct simt_site *site) {
    check_stack(block, self, site);
    tess_block_thread *t = &block->threads[self->thread];
    t->state = state;
    t->site = site;
    tess_fibre_switch(&t->fibre, block->scheduler);
}

static void word_barrier(struct simt_thread *self, const struct simt_site *site) {
    tess_block_has_waited(self->block, self, site);
    wait_for(self->block, self, AT_BARRIER, site);
}

/* Whether every lane of the mask waits at the same word with the same mask. */
static bool warp_complete(const tess_thread_block *block, int first, const tess_block_thread *t) {
    if ((block->waiting[first / LANES] & t->mask) != t->mask)
        return false;
    for (int l = 0; l < LANES; l++) {
        const tess_block_thread *other = &block->threads[first + l];
        if ((t->mask >> l & 1) && (other->site != t->site || other->mask != t->mask))
            return false;
    }
    return true;
}

/* What lane `l` of the warp that begins at `first` gets. */
static uint64_t warp_result(const tess_thread_block *block, int first, int l) {
    const tess_block_thread *t = &block->threads[first + l];
    uint64_t lanes = 0;
    switch (t->word) {
    case SIMT_SHUFFLE:
        return block->threads[first + t->argument % LANES].bits;
    case SIMT_SHUFFLE_DOWN:
        return l + t->argument < LANES ? block->threads[first + l + t->argument].bits : t->bits;
    case SIMT_BALLOT:
    case SIMT_MATCH_ANY:
        for (int other = 0; other < LANES; other++)
            if (t->mask >> other & 1) {
                const uint64_t bits = block->threads[first + other].bits;
                if (t->word == SIMT_BALLOT ? bits != 0 : bits == t->bits)
                    lanes |= UINT64_C(1) << other;
            }
        return lanes;
    case SIMT_WARP_BARRIER:
        break;
    }
    return 0;
}

/* Gives every lane of the mask its result and lets it go on. */
static void warp_release(tess_thread_block *block, int first, uint32_t mask) {
    uint64_t results[LANES];
    for (int l = 0; l < LANES; l++)
        if (mask >> l & 1)
            results[l] = warp_result(block, first, l);
    for (int l = 0; l < LANES; l++)
        if (mask >> l & 1) {
            block->threads[first + l].bits = results[l];
            block->threads[first + l].state = READY;
        }
    if (block->threads[first + __builtin_ctz(mask)].word == SIMT_WARP_BARRIER)
        block->warp_interval[first / LANES]++; /* shuffles and votes order no memory */
    block->waiting[first / LANES] &= ~mask;
    block->counters.warp_words++;
}

static uint64_t word_warp(struct simt_thread *self, enum simt_warp_word word, uint32_t mask,
                          uint64_t bits, int argument, const struct simt_site *site) {
    tess_thread_block *block = self->block;
    const int lane = self->thread % LANES, first = self->thread - lane;
    const int lanes = self->threads - first < LANES ? self->threads - first : LANES;
    if (!(mask >> lane & 1))
        tess_block_stop(block, self, site, "its mask 0x%08x leaves out the lane itself (%d)", mask,
                        lane);
    if (mask & ~lanes_below(lanes))
        tess_block_stop(block, self, site, "its mask 0x%08x names lanes that the block lacks",
                        mask);
    if (word == SIMT_SHUFFLE && !(mask >> (argument & 31) & 1))
        tess_block_stop(block, self, site,
                        "it shuffles from lane %d, which its mask 0x%08x leaves out", argument,
                        mask);
    if (word == SIMT_SHUFFLE_DOWN && lane + argument < LANES && !(mask >> (lane + argument) & 1))
        tess_block_stop(block, self, site,
                        "it shuffles from lane %d, which its mask 0x%08x leaves out",
                        lane + argument, mask);
    tess_block_thread *t = &block->threads[self->thread];
    t->word = word;
    t->mask = mask;
    t->bits = bits;
    t->argument = argument;
    t->site = site;
    block->waiting[first / LANES] |= UINT32_C(1) << lane;
    if (warp_complete(block, first, t))
        warp_release(block, first, mask);
    else
        wait_for(block, self, AT_WARP_WORD, site);
    return t->bits;
}

static const struct simt_machine machine = {.touch = tess_block_touch,
                                            .copy = tess_block_copy_later,
                                            .wait = tess_block_wait,
                                            .add_run = tess_block_add_run,
                                            .add_wait = tess_block_add_wait,
                                            .prefetch = tess_block_prefetch,
                                            .reads = tess_block_reads,
                                            .within = tess_block_within,
                                            .since = tess_block_since,
                                            .barrier = word_barrier,
                                            .warp = word_warp};

tess_status tess_thread_block_new(tess_thread_block **out) {
    tess_status status = TESS_OK;
    tess_thread_block *block = NULL;
    CHECK(TESS_ZEROS(1, &block));
    /* Once more than needed, so that the stacks can begin at a multiple of their size. */
    const size_t bytes = (size_t)(TESS_MAX_THREADS + 1) * SIMT_STACK;
    void *arena = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena == MAP_FAILED)
        CHECK(tess_fail(TESS_ERROR_MEMORY, "out of memory: %zu bytes of stacks", bytes));
    block->arena = arena;
    madvise(arena, bytes, MADV_HUGEPAGE);
    block->stacks = (char *)(((uintptr_t)arena + SIMT_STACK - 1) & ~(uintptr_t)(SIMT_STACK - 1));
    block->shared = aligned_alloc(256, TESS_SHARED_MAX);
    block->shared_claims = tess_claims_map(TESS_SHARED_MAX);
    if (!block->shared || !block->shared_claims)
        CHECK(tess_fail(TESS_ERROR_MEMORY, "out of memory: shared memory of a block"));
    CHECK(tess_tally_new(&block->tally));
    *out = TESS_TAKE(block);
done:
    tess_thread_block_free(block);
    return status;
}

void tess_thread_block_free(tess_thread_block *block) {
    if (!block)
        return;
    if (block->arena) {
        const size_t bytes = (size_t)(TESS_MAX_THREADS + 1) * SIMT_STACK;
        tess_fibre_forget(block->arena, bytes);
        munmap(block->arena, bytes);
    }
    for (int i = 0; i < TESS_MAX_THREADS; i++) {
        free(block->threads[i].copies);
        free(block->threads[i].adds);
    }
    free(block->shared);
    tess_claims_unmap(block->shared_claims, TESS_SHARED_MAX);
    tess_tally_free(block->tally);
    free(block);
}

/* The first function of every fibre. */
static void thread_main(void *argument) {
    struct simt_thread *self = argument;
    tess_thread_block *block = self->block;
    block->grid->kernel(block->grid->params);
    static const struct simt_site end = {.file = "kernel", .word = "end"};
    check_stack(block, self, &end);
    tess_block_has_waited(block, self, &end);
    block->threads[self->thread].state = ENDED;
    tess_fibre nowhere;
    tess_fibre_switch(&nowhere, block->scheduler);
}

/* Runs a thread from where it is until it waits or ends. */
static void resume(tess_thread_block *block, int index) {
    tess_block_thread *t = &block->threads[index];
    block->counters.thread_steps++;
    tess_fibre_switch(&block->scheduler, t->fibre);
    if (!block->failed && t->state == ENDED) {
        block->free_stacks[block->n_free++] = t->stack;
        block->n_live--;
    }
}

static void begin(tess_thread_block *block, int index) {
    tess_block_thread *t = &block->threads[index];
    t->stack = block->free_stacks[--block->n_free];
    t->state = READY;
    t->n_copies = 0;
    t->n_adds = 0;
    stack_base *base = (stack_base *)(void *)(block->stacks + (size_t)t->stack * SIMT_STACK);
    *base = (stack_base){.self = {.machine = &machine,
                                  .block = block,
                                  .shared = block->shared,
                                  .thread = index,
                                  .block_id = (int)block->index,
                                  .threads = block->grid->threads},
                         .canary = CANARY};
    t->fibre = tess_fibre_start(base, SIMT_STACK, (size_t)(t->stack % SKEWS) * SKEW, thread_main,
                                &base->self);
    resume(block, index);
}

/* A permutation of the threads from the seed, the launch and the block, by splitmix64. */
static void shuffle_order(tess_thread_block *block) {
    const int n = block->grid->threads;
    for (int i = 0; i < n; i++)
        block->order[i] = (uint16_t)i;
    if (block->grid->seed == 0)
        return;
    uint64_t state = block->grid->seed * UINT64_C(0x9e3779b97f4a7c15) +
                     ((uint64_t)block->grid->launch << 40) + (uint64_t)block->index;
    for (int i = n - 1; i > 0; i--) {
        const int j = (int)(tess_random_next(&state) % (uint64_t)(i + 1));
        const uint16_t kept = block->order[i];
        block->order[i] = block->order[j];
        block->order[j] = kept;
    }
}

static const char *state_words(const tess_block_thread *t, size_t size, char words[]) {
    if (t->state == ENDED)
        snprintf(words, size, "has ended");
    else
        snprintf(words, size, "waits at a %s (%s:%d)",
                 t->state == AT_BARRIER ? "barrier" : "warp word", t->site->file, t->site->line);
    return words;
}

/* Says why no thread can go on. */
static void explain_deadlock(tess_thread_block *block) {
    const int n = block->grid->threads;
    char words[160];
    for (int i = 0; i < n; i++) {
        const tess_block_thread *t = &block->threads[i];
        if (t->state != AT_WARP_WORD)
            continue;
        const int first = i - i % LANES;
        for (int l = 0; l < LANES; l++) {
            const tess_block_thread *other = &block->threads[first + l];
            if (!(t->mask >> l & 1) ||
                (other->state == AT_WARP_WORD && other->site == t->site && other->mask == t->mask))
                continue;
            snprintf(block->message, sizeof block->message,
                     "%s:%d: %s by block %u, thread %d: its mask 0x%08x names lane %d, which %s%s",
                     t->site->file, t->site->line, t->site->word, block->index, i, t->mask, l,
                     state_words(other, sizeof words, words),
                     other->state == AT_WARP_WORD && other->site == t->site ? " with another mask"
                                                                            : "");
            return;
        }
    }
    int waits = 0, other = 0;
    while (waits < n && block->threads[waits].state != AT_BARRIER)
        waits++;
    while (other < n && block->threads[other].state == AT_BARRIER &&
           block->threads[other].site == block->threads[waits].site)
        other++;
    const struct simt_site *site = block->threads[waits].site;
    const tess_block_thread *t = &block->threads[other];
    snprintf(block->message, sizeof block->message,
             "%s:%d: divergent barrier of block %u: thread %d waits here, thread %d %s", site->file,
             site->line, block->index, waits, other, state_words(t, sizeof words, words));
}

/* Lets all threads go on when they all wait at one barrier. False when they do not. */
static bool release_barrier(tess_thread_block *block) {
    const int n = block->grid->threads;
    for (int i = 0; i < n; i++)
        if (block->threads[i].state != AT_BARRIER ||
            block->threads[i].site != block->threads[0].site)
            return false;
    for (int i = 0; i < n; i++)
        block->threads[i].state = READY;
    block->interval++;
    block->counters.barriers++;
    return true;
}

static tess_status run_threads(tess_thread_block *block) {
    const int n = block->grid->threads;
    for (int i = 0; i < n && !block->failed; i++)
        begin(block, block->order[i]);
    while (block->n_live > 0 && !block->failed) {
        bool moved = false;
        for (int i = 0; i < n && !block->failed; i++) {
            if (block->threads[block->order[i]].state == READY) {
                resume(block, block->order[i]);
                moved = true;
            }
        }
        if (moved || block->failed)
            continue;
        if (!release_barrier(block)) {
            explain_deadlock(block);
            block->failed = true;
        } else if (block->grid->count &&
                   !tess_tally_flush(block->tally, &block->counters, block->trace)) {
            FAIL(TESS_ERROR_MEMORY, "out of memory for counters");
        }
    }
    if (block->failed)
        FAIL(TESS_ERROR_CHECK, "%s", block->message);
    return TESS_OK;
}

tess_status tess_thread_block_run(tess_thread_block *block, const tess_grid *grid, int64_t index,
                                  tess_counters *counters, tess_trace *trace) {
    block->grid = grid;
    block->trace = trace;
    block->index = (uint32_t)index;
    block->generation++;
    block->interval = 0;
    block->n_live = grid->threads;
    block->failed = false;
    block->recent = NULL;
    block->counters = (tess_counters){.blocks_executed = 1};
    block->n_free = 0;
    while (block->n_free < grid->threads) {
        block->free_stacks[block->n_free] = grid->threads - 1 - block->n_free;
        block->n_free++;
    }
    memset(block->waiting, 0, sizeof block->waiting);
    memset(block->warp_interval, 0, sizeof block->warp_interval);
    if (grid->check)
        memset(block->shared, 0xff, (size_t)grid->shared_bytes); /* NaN: no luck with zeros */
    shuffle_order(block);
    tess_tally_forget(block->tally);
    TRY(run_threads(block));
    if (grid->count && !tess_tally_flush(block->tally, &block->counters, trace))
        FAIL(TESS_ERROR_MEMORY, "out of memory for counters");
    tess_counters_add(counters, &block->counters);
    return TESS_OK;
}
