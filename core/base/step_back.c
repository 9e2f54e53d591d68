/* Stepping back: a thread that makes what others wait for least. */
#include "core/base/step_back.h"

#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

enum { NICER = 10 };

void tess_thread_step_back(void) {
    const id_t self = (id_t)gettid();
    (void)setpriority(PRIO_PROCESS, self, getpriority(PRIO_PROCESS, self) + NICER);
}

void tess_thread_step_aside(void) {
    tess_thread_step_back();
    omp_set_num_threads((omp_get_max_threads() + 1) / 2);
}
