/* The cost of a piece of work in this process: processor time and memory, from a mark on. */
#include "partitioners/worker/process_cost.h"

#include "core/base/clock.h"
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>

/* A number of /proc/self/status, in bytes; `format` reads its line. ru_maxrss starts from the
 * parent's. */
static int64_t status_bytes(const char *format) {
    long long kilobytes = 0;
    char line[256];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, format, &kilobytes) == 1)
            break;
    if (file)
        fclose(file);
    return kilobytes * 1024;
}

int64_t tess_process_peak_bytes(void) {
    return status_bytes("VmHWM: %lld kB");
}

/* Lets the peak start anew (proc(5), clear_refs). */
static bool peak_restart(void) {
    FILE *file = fopen("/proc/self/clear_refs", "w");
    const bool opened = file && fputs("5", file) >= 0;
    return file && fclose(file) == 0 && opened;
}

/* By one thread at a time: beside another allocator, as AddressSanitizer's, malloc_trim is the
 * first that the C library's hears, and threads that come while it is set up read arenas of zeros.
 */
static void memory_give_back(void) {
    static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&turn);
    malloc_trim(0);
    pthread_mutex_unlock(&turn);
}

tess_process_mark tess_process_mark_now(void) {
    memory_give_back();
    const int64_t bytes = peak_restart() ? status_bytes("VmRSS: %lld kB") : -1;
    return (tess_process_mark){tess_clock_cpu_seconds(), bytes};
}

int64_t tess_process_children_peak_bytes(void) {
    struct rusage usage;
    return getrusage(RUSAGE_CHILDREN, &usage) == 0 ? usage.ru_maxrss * INT64_C(1024) : 0;
}

int64_t tess_process_grown_bytes(const tess_process_mark *mark) {
    const int64_t grown = tess_process_peak_bytes() - mark->bytes;
    return mark->bytes >= 0 && grown > 0 ? grown : 0;
}
