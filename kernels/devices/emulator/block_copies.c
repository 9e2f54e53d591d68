/* Asynchronous copies of a block's threads: under way until the thread waits. */
#include "core/base/array.h"
#include "kernels/devices/emulator/block_state.h"
#include <string.h>

void tess_block_has_waited(tess_thread_block *block, const struct simt_thread *self,
                           const struct simt_site *site) {
    const int n = block->threads[self->thread].n_copies;
    if (n > 0)
        tess_block_stop(block, self, site, "%d asynchronous copies of its own are not waited for",
                        n);
}

void tess_block_copy_later(struct simt_thread *self, void *to, const void *from, int size,
                           const struct simt_site *site) {
    tess_thread_block *block = self->block;
    tess_block_thread *t = &block->threads[self->thread];
    if (TESS_RESERVE(t->n_copies + 1, &t->copies_capacity, &t->copies) != TESS_OK)
        tess_block_stop(block, self, site, "out of memory for asynchronous copies");
    t->copies[t->n_copies++] = (tess_block_copy){.to = to, .from = from, .size = size};
}

void tess_block_wait(struct simt_thread *self) {
    tess_thread_block *block = self->block;
    tess_block_thread *t = &block->threads[self->thread];
    for (int i = 0; i < t->n_copies; i++)
        memcpy(t->copies[i].to, t->copies[i].from, (size_t)t->copies[i].size);
    t->n_copies = 0;
}
