/* A rank's process: how a process that is one of several ranks ends. */
#pragma once

#include "kernels/exchange/engine.h"

/* Ends this process where it is a rank that failed among others: it says why and leaves without a
 * word to them, which makes the launcher end them all. Returns where there are no others; `crew`
 * NULL: there are none. */
void tess_rank_process_leave(const tess_crew *crew, tess_status status);
