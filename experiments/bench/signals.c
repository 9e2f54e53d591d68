/* Interruption: Ctrl-C ends a command after the step at hand, and what is finished is kept. */
#include "experiments/bench/signals.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t noted;

static void note(int signal) {
    (void)signal;
    noted = 1;
}

void tess_interrupts_note(void) {
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool tess_interrupted(void) {
    return noted != 0;
}
