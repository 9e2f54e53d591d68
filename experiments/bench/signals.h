/* Interruption: Ctrl-C ends a command after the step at hand, and what is finished is kept. */
#ifndef TESS_SIGNALS_H
#define TESS_SIGNALS_H

#include <stdbool.h>

/* From now on SIGINT and SIGTERM are noted; a second one ends the program at once. */
void tess_interrupts_note(void);

/* True when one was noted. */
bool tess_interrupted(void);

#endif
