/* main.c: runs @loop once from the values in a plan's file, compares the result with the same loop
 * over one element after another on the host, in double, and times it.
 *
 *     @loop_check [FILE]   0: right, 1: wrong, 3: the file is no plan of this program, 4: no device */
#include "@loop.h"
#include <math.h>

enum { WARM_UPS = 3, SAMPLES = @samples };

/* A dat of the loop: on the device, and on the host as the sequential loop, which takes what is real
 * as double, leaves it. */
struct dat {
    const char *name, *file_name, *type, *host_type;
    int written, before; /* before: of a second buffer, the dat whose next values it holds; else -1 */
    double allowed; /* difference, as a part of the largest value: sums are taken in any order */
    void *device, *host;
};

static struct dat dats[] = {
@dats};
enum { N_DATS = sizeof dats / sizeof dats[0] };

/* The loops over one element after another: @sequential_files. */
@declarations
/* Leaves the function with 1, and a message, where a call fails. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        const gpuError_t try_error = (call);                                                       \
        if (try_error != gpuSuccess)                                                               \
            return plan_fail(#call, gpuGetErrorString(try_error));                                 \
    } while (0)

static gpuGraphExec_t graph; /* of the loop's launches; NULL: they are made one by one */

static gpuError_t run(const struct @loop_plan *plan, gpuStream_t stream) {
    return graph ? gpuGraphLaunch(graph, stream)
                 : @loop_launch(@arguments);
}

/* Makes several launches one. */
static void make_graph(const struct @loop_plan *plan, gpuStream_t stream) {
    enum { LAUNCHES = @launches };
    gpuGraph_t launches;
    if (LAUNCHES == 1 || gpuStreamBeginCapture(stream, gpuStreamCaptureModeRelaxed) != gpuSuccess)
        return;
    const gpuError_t error = run(plan, stream);
    if (gpuStreamEndCapture(stream, &launches) != gpuSuccess || error != gpuSuccess ||
        gpuGraphInstantiateWithFlags(&graph, launches, 0) != gpuSuccess)
        graph = NULL;
}

static double value_of(const void *values, const char *type, size_t i) {
    return type[0] == 'd'   ? ((const double *)values)[i]
           : type[0] == 'f' ? (double)((const float *)values)[i]
                            : ((const int *)values)[i];
}

static size_t size_of(const char *type) {
    return type[0] == 'd' ? sizeof(double) : sizeof(float);
}

/* The largest difference of two arrays as a part of the largest value that is wanted. */
static double difference_of(const void *got, const struct dat *dat, size_t n) {
    double most = 0, largest = 0;
    for (size_t i = 0; i < n; i++) {
        const double want = value_of(dat->host, dat->host_type, i);
        const double off = fabs(value_of(got, dat->type, i) - want);
        most = off > most || isnan(off) ? (isnan(off) ? INFINITY : off) : most;
        largest = fabs(want) > largest ? fabs(want) : largest;
    }
    return most > 0 ? most / largest : 0;
}

/* Prints how far a dat is off; 1: further than is allowed. */
static int compare(struct plan_file *file, const struct dat *dat) {
    const size_t bytes = (size_t)file->arrays[plan_file_find(file, dat->file_name)].bytes;
    char *got = (char *)malloc(bytes + 1);
    if (!got || gpuMemcpy(got, dat->device, bytes, gpuMemcpyDeviceToHost) != gpuSuccess) {
        free(got);
        return plan_fail(dat->name, "cannot be brought to the host");
    }
    const double difference = difference_of(got, dat, bytes / size_of(dat->type));
    free(got);
    printf("@loop: %s is off by %.3g of its largest value, %g is allowed\n", dat->name, difference,
           dat->allowed);
    return !(difference <= dat->allowed);
}

/* Puts values on the host. */
static void widen(const struct dat *dat, const void *start, size_t n) {
    if (dat->type[0] == dat->host_type[0])
        memcpy(dat->host, start, n * size_of(dat->type));
    else
        for (size_t i = 0; i < n; i++)
            ((double *)dat->host)[i] = value_of(start, dat->type, i);
}

/* Puts all dats on the device and on the host. */
static int place_dats(struct plan_file *file) {
    for (int i = 0; i < N_DATS; i++) {
        const void *start = plan_file_host(file, dats[i].file_name);
        if (file->failed)
            return 1;
        const size_t bytes = (size_t)file->arrays[plan_file_find(file, dats[i].file_name)].bytes;
        const size_t n = bytes / size_of(dats[i].type);
        dats[i].device = plan_file_copy(file, dats[i].file_name);
        dats[i].host = calloc(n + 1, size_of(dats[i].host_type));
        if (!dats[i].host)
            return plan_fail(dats[i].name, "out of memory");
        if (start)
            widen(&dats[i], start, n);
    }
    return file->failed;
}

/* Runs both loops; 1: some dat differs. */
static int check(struct @loop_plan *plan, gpuStream_t stream) {
    void *host[N_DATS];
    int wrong = 0;
    for (int i = 0; i < N_DATS; i++)
        host[i] = dats[i].host;
    TRY(run(plan, stream));
    TRY(gpuStreamSynchronize(stream));
@calls    for (int i = 0; i < N_DATS; i++)
        if (dats[i].written)
            wrong |= compare(&plan->file, &dats[i]);
    return wrong | plan->file.failed;
}

/* What a chain wrote to second buffers it begins with the next time. */
static void advance(void) {
    for (int i = 0; i < N_DATS; i++)
        if (dats[i].before >= 0) {
            void *const next = dats[i].device;
            dats[i].device = dats[dats[i].before].device;
            dats[dats[i].before].device = next;
        }
}

static int compare_times(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Times the loop by the device's events, each run behind one that is not timed. */
static int time_loop(const struct @loop_plan *plan, gpuStream_t stream) {
    float times[SAMPLES];
    gpuEvent_t start, stop;
    TRY(gpuEventCreate(&start));
    TRY(gpuEventCreate(&stop));
    make_graph(plan, stream);
    for (int i = -WARM_UPS; i < SAMPLES; i++) {
        TRY(run(plan, stream));
        advance();
        TRY(gpuStreamSynchronize(stream));
        TRY(gpuEventRecord(start, stream));
        TRY(run(plan, stream));
        TRY(gpuEventRecord(stop, stream));
        TRY(gpuEventSynchronize(stop));
        TRY(gpuEventElapsedTime(&times[i < 0 ? 0 : i], start, stop));
        advance();
    }
    TRY(gpuEventDestroy(start));
    TRY(gpuEventDestroy(stop));
    qsort(times, SAMPLES, sizeof times[0], compare_times);
    printf("@loop: %.6f ms, the median of %d runs (%.6f to %.6f)\n", times[SAMPLES / 2], SAMPLES,
           times[0], times[SAMPLES - 1]);
    return 0;
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "@loop.plan";
    struct @loop_plan plan;
    gpuStream_t stream;
    if (gpuStreamCreate(&stream) != gpuSuccess) {
        plan_fail("@loop", "there is no device");
        return 4;
    }
    if (@loop_plan_open(path, &plan) != 0 || place_dats(&plan.file) != 0)
        return 3;
    const int wrong = check(&plan, stream) || time_loop(&plan, stream);
    printf("@loop: %s\n", wrong ? "WRONG" : "right");
    for (int i = 0; i < N_DATS; i++) {
        (void)gpuFree(dats[i].device);
        free(dats[i].host);
    }
    @loop_plan_close(&plan);
    return wrong;
}
