/* A dialogue: a program that this one has started, and talks with line by line. */
#pragma once

#include "core/base/status.h"

typedef struct tess_dialogue tess_dialogue;

/* Starts a program in a process group of its own; its standard input and output are the dialogue.
 * `name` is what messages call it; a line that does not begin with `prefix` is kept as what it
 * printed, as is its standard error. */
TESS_MUST_CHECK tess_status tess_dialogue_open(char *const *argv, const char *name,
                                               const char *prefix, tess_dialogue **out);

/* Says a line, without its end, and does not wait: what asks "" then has the answer. */
void tess_dialogue_say(tess_dialogue *dialogue, const char *line);

/* Says a line, without its end, to a program that still runs; "" says nothing. Gives what stands
 * behind the prefix of the line that it answers, until the next call. Fails (CHECK) where it ends,
 * crashes or does not answer within so many seconds (0: any), with the last of what it printed;
 * (MISSING), (USAGE) in its words where it ends with our codes for those; (INTERRUPTED) after an
 * interrupt.
 */
TESS_MUST_CHECK tess_status tess_dialogue_ask(tess_dialogue *dialogue, const char *line,
                                              double time_limit, const char **answer);

/* Forgets what it has printed so far. */
void tess_dialogue_forget(tess_dialogue *dialogue);

/* Ends it: the program, and all that it has started, are gone. Accepts NULL. */
void tess_dialogue_close(tess_dialogue *dialogue);
