/* A fibre: a stack that runs until it switches away, continued by switching back.
 *
 * Switched in assembly on x86-64 and aarch64 (the registers that a call preserves, and the stack
 * pointer), by ucontext elsewhere. */
#pragma once

#include <stddef.h>

/* Where a fibre stands while it does not run. Opaque; one pointer. */
typedef void *tess_fibre;

/* Prepares a fibre on [stack, stack + size) that calls entry(argument) when first switched to; the
 * entry never returns: it switches away for good. `skew` (a multiple of 64, small) moves the start
 * down the stack so that many fibres do not share cache sets. */
tess_fibre tess_fibre_start(void *stack, size_t size, size_t skew, void (*entry)(void *),
                            void *argument);

/* Forgets the fibres that were on some memory: before it is given back. */
void tess_fibre_forget(void *memory, size_t size);

/* Stops here, keeping the position in *from, and goes on at `to`. */
void tess_fibre_switch(tess_fibre *from, tess_fibre to);
