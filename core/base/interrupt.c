/* An interrupt: Ctrl-C asks a long computation to end, and what is finished is kept. */
#include "core/base/interrupt.h"

#include "core/base/clock.h"
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t noted, seen, leaving, told;
static atomic_int n_waits; /* begun and not ended, of all threads */
static atomic_bool waited; /* one ended since the last alarm */
static atomic_int n_holds; /* as n_waits */

static double last_computed, noted_computed; /* at the last alarm, and when it was noted */

/* Seconds within which a second signal is the first once more: coreutils' timeout sends one to the
 * program, and one to its group. */
static const double one_signal = 0.1;

static double noted_at[2]; /* the first SIGINT, the first SIGTERM, by the clock; 0: none */

/* True for a signal that came before, and a second one ends the program. */
static bool came_before(int signal_number) {
    const double now = tess_clock_seconds();
    double *first = &noted_at[signal_number == SIGTERM];
    if (*first > 0) {
        if (now - *first > one_signal) {
            signal(signal_number, SIG_DFL);
            raise(signal_number); /* once the handler is left */
        }
        return true;
    }
    *first = now;
    return false;
}

static void note(int signal_number) {
    if (came_before(signal_number))
        return;
    noted = 1;
    waited = false;
    noted_computed = last_computed = tess_clock_cpu_seconds();
    alarm(TESS_INTERRUPT_PATIENCE);
}

/* The end as it stands. */
static void end(void) {
    static const char words[] = "tess: error: interrupted; what is finished is kept\n";
    const ssize_t ignored = told ? 0 : write(STDERR_FILENO, words, sizeof words - 1);
    (void)ignored;
    _exit(tess_status_exit_code(TESS_ERROR_INTERRUPTED));
}

/* On a busy machine a program that computes is given the time that it lacks. */
static void end_unless_seen(int signal) {
    const double now = tess_clock_cpu_seconds();
    const bool excused = atomic_exchange(&waited, false) || n_waits > 0;
    const bool waits = now - last_computed < 0.02;
    (void)signal;
    if (leaving)
        end();
    if (seen)
        return;
    if (excused || (!waits && now - noted_computed < 0.9 * TESS_INTERRUPT_PATIENCE)) {
        last_computed = now;
        alarm(TESS_INTERRUPT_PATIENCE);
        return;
    }
    end();
}

void tess_interrupts_note(void) {
    struct sigaction action = {.sa_handler = note};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action = (struct sigaction){.sa_handler = end_unless_seen, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
}

void tess_interrupts_forget(void) {
    noted = 0;
    alarm(0);
}

void tess_interrupts_leave(bool is_told) {
    told = is_told;
    leaving = 1;
    alarm(TESS_INTERRUPT_PATIENCE);
}

static _Atomic double due = INFINITY; /* INFINITY: none is */

void tess_interrupt_at(double seconds) {
    due = seconds;
}

bool tess_interrupt_will_be_due(void) {
    return due < INFINITY;
}

bool tess_interrupt_is_due(void) {
    const double at = due;
    return at < INFINITY && tess_clock_seconds() >= at;
}

bool tess_interrupted(void) {
    if (noted)
        seen = 1;
    return n_holds == 0 && (noted != 0 || tess_interrupt_is_due());
}

tess_status tess_interrupt_check(void) {
    if (tess_interrupted())
        FAIL(TESS_ERROR_INTERRUPTED, "interrupted");
    return TESS_OK;
}

void tess_interrupt_wait_begin(void) {
    n_waits++;
}

void tess_interrupt_wait_end(void) {
    waited = true;
    n_waits--;
}

void tess_interrupt_hold_begin(void) {
    n_holds++;
}

void tess_interrupt_hold_end(void) {
    n_holds--;
}
