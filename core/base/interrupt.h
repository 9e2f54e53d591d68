/* An interrupt: Ctrl-C asks a long computation to end, and what is finished is kept.
 *
 * The signal is noted; whoever computes for long looks for it now and then, frees what it has and
 * fails. Where nobody looks for TESS_INTERRUPT_PATIENCE seconds of computing, or while it waits,
 * say in a library of others, the program ends as it stands: what is in a lab then is whole, for
 * files come into being at once. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>

enum { TESS_INTERRUPT_PATIENCE = 1 };

/* From now on SIGINT and SIGTERM are noted; a second one, a tenth of a second later or more, ends
 * the program at once. */
void tess_interrupts_note(void);

/* Whether one was noted, or is due. From any thread. */
bool tess_interrupted(void);

/* After an interrupt, once all is kept that is to be: the program ends within
 * TESS_INTERRUPT_PATIENCE seconds, whoever still computes or waits. `is_told`: the user has been
 * told why. */
void tess_interrupts_leave(bool is_told);

/* From this moment on, by tess_clock_seconds, whoever computes for long ends as at an interrupt: a
 * search whose time is over gives up what it has begun. INFINITY, as at first: never; 0: now. From
 * any thread, for all. */
void tess_interrupt_at(double seconds);

/* Whether there is such a moment, now or later. */
bool tess_interrupt_will_be_due(void);

/* True from that moment on, whether one was noted or not. */
bool tess_interrupt_is_due(void);

/* Fails (INTERRUPTED) when one was noted, or is due. */
TESS_MUST_CHECK tess_status tess_interrupt_check(void);

/* Forgets the one that was noted: for a program that an interrupt ends as it was meant to end. */
void tess_interrupts_forget(void);

/* Between the two a wait does not end the program: say for a slow disk, which answers in the end.
 * From any thread; may be nested. A second signal still ends the program at once. */
void tess_interrupt_wait_begin(void);
void tess_interrupt_wait_end(void);

/* Between the two no thread is asked to end: for what makes something whole that is to be kept.
 * From any thread; may be nested. A second signal still ends the program at once. */
void tess_interrupt_hold_begin(void);
void tess_interrupt_hold_end(void);
