/* Asynchronous copies and additions of a block's threads: under way until the thread waits. */
#include "core/base/array.h"
#include "kernels/devices/emulator/block_state.h"
#include <string.h>

void tess_block_has_waited(tess_thread_block *block, const struct simt_thread *self,
                           const struct simt_site *site) {
    const tess_block_thread *t = &block->threads[self->thread];
    if (t->n_copies > 0)
        tess_block_stop(block, self, site, "%d asynchronous copies of its own are not waited for",
                        t->n_copies);
    if (t->n_adds > 0)
        tess_block_stop(block, self, site, "%d runs of its own are being added and not waited for",
                        t->n_adds);
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

void tess_block_add_later(struct simt_thread *self, const tess_block_add *add,
                          const struct simt_site *site) {
    tess_thread_block *block = self->block;
    tess_block_thread *t = &block->threads[self->thread];
    if (TESS_RESERVE(t->n_adds + 1, &t->adds_capacity, &t->adds) != TESS_OK)
        tess_block_stop(block, self, site, "out of memory for asynchronous additions");
    t->adds[t->n_adds++] = *add;
}

static void add_double(double *to, double value) {
    double old = *to, sum = old + value;
    while (!__atomic_compare_exchange(to, &old, &sum, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        sum = old + value;
}

void tess_block_add_wait(struct simt_thread *self) {
    tess_thread_block *block = self->block;
    tess_block_thread *t = &block->threads[self->thread];
    for (int i = 0; i < t->n_adds; i++) {
        const tess_block_add *add = &t->adds[i];
        for (int v = 0; v < add->n; v++)
            add_double(&add->to[v], add->from[v]);
    }
    t->n_adds = 0;
}
