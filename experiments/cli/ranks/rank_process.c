/* A rank's process: how a process that is one of several ranks ends. */
#include "experiments/cli/ranks/rank_process.h"

#include <stdio.h>
#include <unistd.h>

void tess_rank_process_leave(const tess_crew *crew, tess_status status) {
    if (!crew || crew->n_here == crew->n_ranks)
        return;
    fprintf(stderr, "tess: rank %d: %s\n", crew->first, tess_message());
    fflush(NULL);
    _exit(tess_status_exit_code(status));
}
