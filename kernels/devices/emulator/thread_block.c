/* A thread block in the emulator: its threads as fibres on one core, run to completion. */
#include "kernels/devices/emulator/thread_block.h"

#include "core/array.h"
#include "kernels/devices/emulator/fibre.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LANES = 32, SKEWS = 16, SKEW = 320 };

/* The lanes [0, n) of a warp. */
static uint32_t lanes_below(int n) {
    return n < LANES ? (UINT32_C(1) << n) - 1 : UINT32_MAX;
}

static const uint64_t CANARY = UINT64_C(0x7e55e1ab5afe57ac);

typedef enum thread_state { READY, AT_BARRIER, AT_WARP_WORD, ENDED } thread_state;

/* What lies at the lowest address of a stack. */
typedef struct stack_base {
    struct simt_thread self;
    uint64_t canary;
} stack_base;

typedef struct thread {
    tess_fibre fibre;
    thread_state state;
    int stack;
    const struct simt_site *site; /* where it waits */
    enum simt_warp_word word;
    uint32_t mask;
    int argument;
    uint64_t bits;
} thread;

struct tess_thread_block {
    const tess_grid *grid;
    uint32_t index;
    uint32_t generation; /* of shared memory: one more for each block run */
    uint32_t interval;
    int n_live;
    bool failed;
    char message[512];
    tess_fibre scheduler;
    void *arena;
    char *stacks; /* [TESS_MAX_THREADS][SIMT_STACK], in the arena */
    int n_free;
    int free_stacks[TESS_MAX_THREADS];
    thread threads[TESS_MAX_THREADS];
    uint32_t waiting[TESS_MAX_THREADS / LANES]; /* lanes at a warp word */
    uint32_t warp_interval[TESS_MAX_THREADS / LANES];
    uint16_t order[TESS_MAX_THREADS];
    char *shared; /* [TESS_SHARED_MAX] */
    tess_claim *shared_claims;
    tess_allocation *recent; /* allocation of the last global access */
    tess_tally *tally;
    tess_counters counters; /* of the block that runs */
};

/* Keeps the first failure, with its place, and leaves the thread for good. */
__attribute__((format(printf, 4, 5), noreturn)) static void stop(tess_thread_block *block,
                                                                 const struct simt_thread *self,
                                                                 const struct simt_site *site,
                                                                 const char *format, ...) {
    char what[384];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    snprintf(block->message, sizeof block->message, "%s:%d: %s by block %u, thread %d: %s",
             site->file, site->line, site->word, block->index, self->thread, what);
    block->failed = true;
    tess_fibre nowhere;
    tess_fibre_switch(&nowhere, block->scheduler);
    abort();
}

static void check_stack(tess_thread_block *block, const struct simt_thread *self,
                        const struct simt_site *site) {
    if (((const stack_base *)self)->canary != CANARY)
        stop(block, self, site, "the thread needs more than the emulator's %d bytes of stack",
             SIMT_STACK - SKEWS * SKEW);
}

/* Leaves the thread until the scheduler comes back to it. */
static void wait_for(tess_thread_block *block, struct simt_thread *self, thread_state state,
                     const struct simt_site *site) {
    check_stack(block, self, site);
    thread *t = &block->threads[self->thread];
    t->state = state;
    t->site = site;
    tess_fibre_switch(&t->fibre, block->scheduler);
}

static void word_barrier(struct simt_thread *self, const struct simt_site *site) {
    wait_for(self->block, self, AT_BARRIER, site);
}

/* True when every lane of the mask waits at the same word with the same mask. */
static bool warp_complete(const tess_thread_block *block, int first, const thread *t) {
    if ((block->waiting[first / LANES] & t->mask) != t->mask)
        return false;
    for (int l = 0; l < LANES; l++) {
        const thread *other = &block->threads[first + l];
        if ((t->mask >> l & 1) && (other->site != t->site || other->mask != t->mask))
            return false;
    }
    return true;
}

/* What lane `l` of the warp that begins at `first` gets. */
static uint64_t warp_result(const tess_thread_block *block, int first, int l) {
    const thread *t = &block->threads[first + l];
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
    block->waiting[first / LANES] &= ~mask;
    block->warp_interval[first / LANES]++;
    block->counters.warp_words++;
}

static uint64_t word_warp(struct simt_thread *self, enum simt_warp_word word, uint32_t mask,
                          uint64_t bits, int argument, const struct simt_site *site) {
    tess_thread_block *block = self->block;
    const int lane = self->thread % LANES, first = self->thread - lane;
    const int lanes = self->threads - first < LANES ? self->threads - first : LANES;
    if (!(mask >> lane & 1))
        stop(block, self, site, "its mask 0x%08x leaves out the lane itself (%d)", mask, lane);
    if (mask & ~lanes_below(lanes))
        stop(block, self, site, "its mask 0x%08x names lanes that the block lacks", mask);
    if (word == SIMT_SHUFFLE && !(mask >> (argument & 31) & 1))
        stop(block, self, site, "it shuffles from lane %d, which its mask 0x%08x leaves out",
             argument, mask);
    if (word == SIMT_SHUFFLE_DOWN && lane + argument < LANES && !(mask >> (lane + argument) & 1))
        stop(block, self, site, "it shuffles from lane %d, which its mask 0x%08x leaves out",
             lane + argument, mask);
    thread *t = &block->threads[self->thread];
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

/* Claims an access and stops the block at a race. */
static void claim(tess_thread_block *block, const struct simt_thread *self,
                  const tess_allocation *global, const volatile void *p, int size,
                  enum simt_access access, const struct simt_site *site) {
    const tess_grid *grid = block->grid;
    const int warp = self->thread / LANES;
    const tess_claimant who = {.generation = global ? grid->launch : block->generation,
                               .block = block->index,
                               .interval = block->interval,
                               .warp_interval = block->warp_interval[warp],
                               .site = (uint32_t)(site - grid->sites),
                               .thread = (uint16_t)self->thread,
                               .access = (uint8_t)access};
    tess_claimant other;
    bool race = false;
    if (global) {
        race = tess_device_memory_claim(block->grid->memory, global, (const void *)p, size, &who,
                                        &other);
    } else {
        const ptrdiff_t offset = (const volatile char *)p - block->shared;
        tess_claim *words = &block->shared_claims[offset / 4];
        if ((access == SIMT_LOAD || access == SIMT_PLAIN_ADD || access == SIMT_ATOMIC_ADD) &&
            words->writer.generation != block->generation)
            stop(block, self, site, "it reads byte %td of shared memory, which nobody wrote",
                 offset);
        const tess_claimant *found = tess_claim_make(words, size / 4, &who);
        race = found != NULL;
        if (found)
            other = *found;
    }
    if (race) {
        const struct simt_site *place = &grid->sites[other.site];
        stop(
            block, self, site,
            "a race on byte %td of %s with %s at %s:%d by block %u, thread %u: nothing orders them",
            (const volatile char *)p - (global ? global->base : block->shared),
            global ? global->name : "shared memory", place->word, place->file, place->line,
            other.block, other.thread);
    }
}

/* The allocation of a global address, or NULL where it is shared memory; stops at neither. */
static tess_allocation *locate(tess_thread_block *block, const struct simt_thread *self,
                               const volatile void *p, int size, const struct simt_site *site) {
    const char *address = (const char *)p;
    tess_allocation *recent = block->recent;
    if (recent && address >= recent->base && address + size <= recent->base + recent->size)
        return recent;
    const ptrdiff_t offset = address - block->shared;
    if (offset >= 0 && offset < TESS_SHARED_MAX) {
        if (offset + size > block->grid->shared_bytes)
            stop(block, self, site,
                 "byte %td is past the end of the block's %lld bytes of shared "
                 "memory",
                 offset, (long long)block->grid->shared_bytes);
        return NULL;
    }
    tess_allocation *found = tess_device_memory_find(block->grid->memory, address);
    if (!found || address + size > found->base + found->size) {
        const ptrdiff_t past = found ? address - found->base : PTRDIFF_MAX;
        if (found && past < found->size + 4096)
            stop(block, self, site, "byte %td is past the end of %s (%lld bytes)", past,
                 found->name, (long long)found->size);
        stop(block, self, site, "address %p is outside of all that is allocated",
             (const void *)address);
    }
    block->recent = found;
    return found;
}

static void word_access(struct simt_thread *self, const volatile void *p, int size,
                        enum simt_access access, const struct simt_site *site) {
    tess_thread_block *block = self->block;
    const tess_grid *grid = block->grid;
    tess_allocation *global = locate(block, self, p, size, site);
    if ((uintptr_t)p % (unsigned)size != 0)
        stop(block, self, site, "address %p is not aligned to %d bytes", (const void *)(uintptr_t)p,
             size);
    if (!global && access == SIMT_FETCH)
        stop(block, self, site, "fetch is for global memory that nobody writes, not for shared");
    if (grid->check) {
        if (global && access != SIMT_LOAD) {
            *(access == SIMT_FETCH ? &global->fetched : &global->written) = grid->launch;
            if (global->fetched == global->written)
                stop(block, self, site, "%s is fetched and written in one launch", global->name);
        }
        if (access != SIMT_FETCH && size >= 4)
            claim(block, self, global, p, size, access, site);
    }
    if (grid->count &&
        !tess_tally_keep(block->tally, self->thread, (int)(site - grid->sites), access, !global,
                         (uint64_t)((const volatile char *)p - (global ? NULL : block->shared)),
                         size))
        stop(block, self, site, "out of memory for counters");
}

static const struct simt_machine machine = {

    .touch = word_access, .barrier = word_barrier, .warp = word_warp};

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
    *out = block;
    block = NULL;
done:
    tess_thread_block_free(block);
    return status;
}

void tess_thread_block_free(tess_thread_block *block) {
    if (!block)
        return;
    if (block->arena)
        munmap(block->arena, (size_t)(TESS_MAX_THREADS + 1) * SIMT_STACK);
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
    block->threads[self->thread].state = ENDED;
    tess_fibre nowhere;
    tess_fibre_switch(&nowhere, block->scheduler);
}

/* Runs a thread from where it is until it waits or ends. */
static void resume(tess_thread_block *block, int index) {
    thread *t = &block->threads[index];
    block->counters.thread_steps++;
    tess_fibre_switch(&block->scheduler, t->fibre);
    if (!block->failed && t->state == ENDED) {
        block->free_stacks[block->n_free++] = t->stack;
        block->n_live--;
    }
}

static void begin(tess_thread_block *block, int index) {
    thread *t = &block->threads[index];
    t->stack = block->free_stacks[--block->n_free];
    t->state = READY;
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

/* A permutation of the threads from the seed and the block, by splitmix64. */
static void shuffle_order(tess_thread_block *block) {
    const int n = block->grid->threads;
    for (int i = 0; i < n; i++)
        block->order[i] = (uint16_t)i;
    if (block->grid->seed == 0)
        return;
    uint64_t state = block->grid->seed * UINT64_C(0x9e3779b97f4a7c15) + block->index;
    for (int i = n - 1; i > 0; i--) {
        uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        const int j = (int)((z ^ z >> 31) % (uint64_t)(i + 1));
        const uint16_t kept = block->order[i];
        block->order[i] = block->order[j];
        block->order[j] = kept;
    }
}

static const char *state_words(const thread *t) {
    return t->state == ENDED        ? "has ended"
           : t->state == AT_BARRIER ? "waits at a barrier"
                                    : "waits at a warp word";
}

/* Says why no thread can go on. */
static void explain_deadlock(tess_thread_block *block) {
    const int n = block->grid->threads;
    for (int i = 0; i < n; i++) {
        const thread *t = &block->threads[i];
        if (t->state != AT_WARP_WORD)
            continue;
        const int first = i - i % LANES;
        for (int l = 0; l < LANES; l++) {
            const thread *other = &block->threads[first + l];
            if (!(t->mask >> l & 1) ||
                (other->state == AT_WARP_WORD && other->site == t->site && other->mask == t->mask))
                continue;
            snprintf(block->message, sizeof block->message,
                     "%s:%d: %s by block %u, thread %d: its mask 0x%08x names lane %d, which %s%s",
                     t->site->file, t->site->line, t->site->word, block->index, i, t->mask, l,
                     state_words(other),
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
    const thread *t = &block->threads[other];
    snprintf(block->message, sizeof block->message,
             "%s:%d: divergent barrier of block %u: thread %d waits here, thread %d %s (%s:%d)",
             site->file, site->line, block->index, waits, other, state_words(t),
             t->state == ENDED ? "kernel" : t->site->file, t->state == ENDED ? 0 : t->site->line);
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
        } else if (block->grid->count && !tess_tally_flush(block->tally, &block->counters)) {
            FAIL(TESS_ERROR_MEMORY, "out of memory for counters");
        }
    }
    if (block->failed)
        FAIL(TESS_ERROR_CHECK, "%s", block->message);
    return TESS_OK;
}

tess_status tess_thread_block_run(tess_thread_block *block, const tess_grid *grid, int64_t index,
                                  tess_counters *counters) {
    block->grid = grid;
    block->index = (uint32_t)index;
    block->generation++;
    block->interval = 0;
    block->n_live = grid->threads;
    block->failed = false;
    block->recent = NULL;
    block->counters = (tess_counters){.blocks = 1};
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
    if (grid->count && !tess_tally_flush(block->tally, &block->counters))
        FAIL(TESS_ERROR_MEMORY, "out of memory for counters");
    tess_counters_add(counters, &block->counters);
    return TESS_OK;
}
