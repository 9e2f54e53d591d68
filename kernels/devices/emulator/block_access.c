/* An access of a thread to memory: found, checked, claimed and counted. */
#include "kernels/devices/emulator/block_state.h"

#include <stddef.h>

/* What TURNS tells apart in one TURN. */
enum { TURNS_MOST = 256 };

/* What a thread does to `size` bytes at `p`, and the word of the text that says so. */
typedef struct touch {
    const struct simt_thread *self;
    const struct simt_site *site;
    const volatile void *p;
    int size;
    enum simt_access access;
} touch;

/* Stops where a thread reads what its own asynchronous copy may not have brought yet. */
static void check_arrived(tess_thread_block *block, const touch *of) {
    const tess_block_thread *t = &block->threads[of->self->thread];
    for (int i = 0; i < t->n_copies; i++) {
        const char *begin = t->copies[i].to, *address = (const char *)of->p;
        if (address + of->size > begin && address < begin + t->copies[i].size)
            tess_block_stop(block, of->self, of->site,
                            "byte %td of shared memory is being copied there and not waited for",
                            address - block->shared);
    }
}

/* Stops where a thread writes what its own asynchronous addition may not have read yet. */
static void check_left(tess_thread_block *block, const touch *of) {
    const tess_block_thread *t = &block->threads[of->self->thread];
    for (int i = 0; i < t->n_adds; i++) {
        const char *begin = (const char *)t->adds[i].from, *address = (const char *)of->p;
        if (address + of->size > begin && address < begin + t->adds[i].n * (int)sizeof(double))
            tess_block_stop(
                block, of->self, of->site,
                "byte %td of shared memory is being added from there and not waited for",
                address - block->shared);
    }
}

/* Claims an access and stops the block at a race. */
static void claim(tess_thread_block *block, const tess_allocation *global, const touch *of) {
    const tess_grid *grid = block->grid;
    const int warp = of->self->thread / TESS_LANES;
    const tess_claimant who = {.generation = global ? grid->launch : block->generation,
                               .block = block->index,
                               .interval = block->interval,
                               .warp_interval = block->warp_interval[warp],
                               .site = (uint32_t)(of->site - grid->sites),
                               .thread = (uint16_t)of->self->thread,
                               .access = (uint8_t)of->access};
    tess_claimant other;
    bool race = false;
    if (global) {
        race = tess_device_memory_claim(block->grid->memory, global, (const void *)of->p, of->size,
                                        &who, &other);
    } else {
        const ptrdiff_t offset = (const volatile char *)of->p - block->shared;
        tess_claim *words = &block->shared_claims[offset / 4];
        if ((of->access == SIMT_LOAD || of->access == SIMT_PLAIN_ADD ||
             of->access == SIMT_ATOMIC_ADD) &&
            words->writer.generation != block->generation)
            tess_block_stop(block, of->self, of->site,
                            "it reads byte %td of shared memory, which nobody wrote", offset);
        const tess_claimant *found = tess_claim_make(words, of->size / 4, &who);
        race = found != NULL;
        if (found)
            other = *found;
    }
    if (race) {
        const struct simt_site *position = &grid->sites[other.site];
        tess_block_stop(
            block, of->self, of->site,
            "a race on byte %td of %s with %s at %s:%d by block %u, thread %u: nothing orders them",
            (const volatile char *)of->p - (global ? global->base : block->shared),
            global ? global->name : "shared memory", position->word, position->file, position->line,
            other.block, other.thread);
    }
}

/* The allocation of a global address, or NULL where it is shared memory; stops at neither. */
static tess_allocation *locate(tess_thread_block *block, const touch *of) {
    const char *address = (const char *)of->p;
    tess_allocation *recent = block->recent;
    if (recent && address >= recent->base && address + of->size <= recent->base + recent->size)
        return recent;
    const ptrdiff_t offset = address - block->shared;
    if (offset >= 0 && offset < TESS_SHARED_MAX) {
        if (offset + of->size > block->grid->shared_bytes)
            tess_block_stop(block, of->self, of->site,
                            "byte %td is past the end of the block's %lld bytes of shared memory",
                            offset, (long long)block->grid->shared_bytes);
        return NULL;
    }
    tess_allocation *found = tess_device_memory_find(block->grid->memory, address);
    if (!found || address + of->size > found->base + found->size) {
        const ptrdiff_t past = found ? address - found->base : PTRDIFF_MAX;
        if (found && past < found->size + 4096)
            tess_block_stop(block, of->self, of->site,
                            "byte %td is past the end of %s (%lld bytes)", past, found->name,
                            (long long)found->size);
        tess_block_stop(block, of->self, of->site, "address %p is outside of all that is allocated",
                        (const void *)address);
    }
    block->recent = found;
    return found;
}

/* Keeps in mind that the launch fetches or writes the allocation; both are not allowed. */
static void mark(tess_thread_block *block, tess_allocation *global, const touch *of) {
    const uint32_t launch = block->grid->launch;
    *(of->access == SIMT_FETCH ? &global->fetched : &global->written) = launch;
    if (global->fetched == global->written)
        tess_block_stop(block, of->self, of->site, "%s is fetched and written in one launch",
                        global->name);
}

/* Keeps an access to be counted. */
static void keep(tess_thread_block *block, const tess_allocation *global, const touch *of,
                 int turn) {
    const volatile char *from = global ? global->base : block->shared;
    const uint64_t counted =
        (global ? global->address : 0) + (uint64_t)((const volatile char *)of->p - from);
    const tess_tally_access kept = {.site = (int)(of->site - block->grid->sites),
                                    .turn = turn + TURNS_MOST * of->self->turn,
                                    .access = of->access,
                                    .shared = !global,
                                    .address = counted,
                                    .size = of->size};
    if (!tess_tally_keep(block->tally, of->self->thread, &kept))
        tess_block_stop(block, of->self, of->site, "out of memory for counters");
}

void tess_block_touch(struct simt_thread *self, const volatile void *p, int size,
                      enum simt_access access, int turn, const struct simt_site *site) {
    tess_thread_block *block = self->block;
    const tess_grid *grid = block->grid;
    const touch of = {self, site, p, size, access};
    tess_allocation *global = locate(block, &of);
    if ((uintptr_t)p % (unsigned)size != 0)
        tess_block_stop(block, self, site, "address %p is not aligned to %d bytes",
                        (const void *)(uintptr_t)p, size);
    if (!global && block->threads[self->thread].n_copies > 0)
        check_arrived(block, &of);
    if (!global && access != SIMT_LOAD && block->threads[self->thread].n_adds > 0)
        check_left(block, &of);
    if (!global && access == SIMT_ATOMIC_ADD && size > 8)
        tess_block_stop(block, self, site, "%s is for global memory, not for shared", site->word);
    if (!global && access == SIMT_FETCH)
        tess_block_stop(block, self, site,
                        "fetch is for global memory that nobody writes, not for shared");
    if (grid->check) {
        if (global && access != SIMT_LOAD)
            mark(block, global, &of);
        if (access != SIMT_FETCH && size >= 4)
            claim(block, global, &of);
    }
    if (grid->count)
        keep(block, global, &of, turn);
}

void tess_block_add_run(struct simt_thread *self, double *to, const double *from, int n, int turn,
                        const struct simt_site *site) {
    tess_thread_block *block = self->block;
    const int bytes = n * (int)sizeof *to;
    if ((uintptr_t)to % 16 != 0 || (uintptr_t)from % 16 != 0 || n <= 0 || bytes % 16 != 0)
        tess_block_stop(block, self, site, "%d bytes from %p to %p are no whole pieces of 16",
                        bytes, (const void *)from, (void *)to);
    if (bytes > TESS_RUN_BYTES)
        tess_block_stop(block, self, site, "%d bytes are more than the %d of a run", bytes,
                        TESS_RUN_BYTES);
    const touch whole = {self, site, to, bytes, SIMT_RUN_ADD};
    tess_allocation *global = locate(block, &whole);
    if (!global)
        tess_block_stop(block, self, site, "only global memory is added to, not shared");
    if (locate(block, &(touch){self, site, from, bytes, SIMT_LOAD}))
        tess_block_stop(block, self, site, "only shared memory is added from, not global");
    tess_block_reads(self, from, sizeof *from, n, site);
    if (block->grid->check)
        mark(block, global, &whole);
    for (int i = 0; i < n && block->grid->check; i++)
        claim(block, global, &(touch){self, site, to + i, sizeof *to, SIMT_ATOMIC_ADD});
    if (block->grid->count)
        keep(block, global, &whole, turn);
    tess_block_add_later(self, &(tess_block_add){.to = to, .from = from, .n = n}, site);
}

void tess_block_reads(struct simt_thread *self, const volatile void *p, int size, int n,
                      const struct simt_site *site) {
    tess_thread_block *block = self->block;
    for (int i = 0; i < n; i++) {
        const touch of = {self, site, (const volatile char *)p + i * size, size, SIMT_LOAD};
        const tess_allocation *global = locate(block, &of);
        if (!global && block->threads[self->thread].n_copies > 0)
            check_arrived(block, &of);
        if (block->grid->check && size >= 4)
            claim(block, global, &of);
    }
}

void tess_block_within(struct simt_thread *self, int i, int n, const char *name,
                       const struct simt_site *site) {
    tess_thread_block *block = self->block;
    if (block->grid->check && (i < 0 || i >= n))
        tess_block_stop(block, self, site, "place %d is none of the %d that %s has", i, n, name);
}

void tess_block_since(struct simt_thread *self, const volatile void *p, int n, const char *name,
                      const struct simt_site *site) {
    tess_thread_block *block = self->block;
    if (!block->grid->check || locate(block, &(touch){self, site, p, 4, SIMT_LOAD}))
        return;
    const ptrdiff_t offset = (const volatile char *)p - block->shared;
    const tess_claimant *writer = &block->shared_claims[offset / 4].writer;
    if (writer->generation == block->generation && (int64_t)writer->interval < n)
        tess_block_stop(block, self, site,
                        "it reads a version of %s from before barrier %d, but that of after "
                        "barrier %d is wanted",
                        name, (int)writer->interval + 1, n);
}

void tess_block_prefetch(struct simt_thread *self, const void *p, int size,
                         const struct simt_site *site) {
    tess_thread_block *block = self->block;
    if ((uintptr_t)p % 16 != 0 || size <= 0 || size % 16 != 0)
        tess_block_stop(block, self, site, "%d bytes at %p are no whole pieces of 16", size, p);
    if (!locate(block, &(touch){self, site, p, size, SIMT_FETCH}))
        tess_block_stop(block, self, site, "only global memory can be brought near, not shared");
}
