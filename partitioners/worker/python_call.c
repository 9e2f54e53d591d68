/* A Python call: how a partitioner that is a Python library, or a function of the user's, is run by
 * the worker program. */
#include "partitioners/worker/python_call.h"

#include "core/base/clock.h"
#include "core/base/embed_file.h"
#include "partitioners/worker/worker.h"
#include "partitioners/worker/worker_request.h"
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

TESS_EMBED_FILE(tess_python_worker_text, TESS_PARTITIONERS_DIR "/worker/python_worker.py");
TESS_EMBED_FILE(tess_python_problem_text, TESS_PACKAGE_DIR "/tesselab/problem.py");

enum { MOST_WORDS = 64, WORD_SIZE = PATH_MAX };

/* The arguments of the script, each "key=value". */
typedef struct script_words {
    int n;
    char text[MOST_WORDS][WORD_SIZE];
} script_words;

__attribute__((format(printf, 2, 3))) static void add_word(script_words *words, const char *format,
                                                           ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words->text[words->n++], WORD_SIZE, format, arguments);
    va_end(arguments);
}

tess_status tess_python_path(char path[PATH_MAX]) {
    const char *stated = getenv("TESS_PYTHON");
    struct stat info;
    if (!stated || !stated[0])
        snprintf(path, PATH_MAX, "/usr/bin/python3");
    else if (stat(stated, &info) == 0 && S_ISDIR(info.st_mode))
        snprintf(path, PATH_MAX, "%s/bin/python3", stated);
    else
        snprintf(path, PATH_MAX, "%s", stated);
    if (access(path, X_OK) != 0)
        FAIL(TESS_ERROR_MISSING,
             "Python %s cannot be executed (%s): install it (apt-get install python3) or say with "
             "TESS_PYTHON where it is",
             path, strerror(errno));
    return TESS_OK;
}

/* Where in the request's memory the answer goes, and which statuses it may hold. */
static void add_positions(const tess_worker_request *request, script_words *words) {
    const char *start = request->memory;
    const tess_worker_report *report = request->report;
    add_word(words, "request=%d", TESS_WORKER_FD);
    add_word(words, "block_of=%td", (const char *)request->block_of - start);
    add_word(words, "finished=%td", (const char *)&report->finished - start);
    add_word(words, "status=%td", (const char *)&report->status - start);
    add_word(words, "peak_bytes=%td", (const char *)&report->peak_bytes - start);
    add_word(words, "grown_bytes=%td", (const char *)&report->grown_bytes - start);
    add_word(words, "start_cpu=%td", (const char *)&report->mark.cpu_seconds - start);
    add_word(words, "peak_before=%lld", (long long)tess_process_peak_bytes());
    add_word(words, "grown_before=%lld", (long long)tess_process_grown_bytes(&report->mark));
    add_word(words, "cpu_before=%.9f", tess_clock_cpu_seconds());
    add_word(words, "start_cpu_before=%.9f", report->mark.cpu_seconds);
    add_word(words, "message=%td", report->message - start);
    add_word(words, "message_size=%d", TESS_WORKER_MESSAGE_SIZE);
    add_word(words, "failed=%d", TESS_ERROR_CHECK);
    add_word(words, "missing=%d", TESS_ERROR_MISSING);
}

/* What a function is to know of the problem, and where its arrays are. */
static tess_status add_problem(const tess_worker_request *request, script_words *words) {
    const tess_partition_problem *problem = &request->problem;
    const char *start = request->memory;
    if (words->n + problem->n_maps + 20 > MOST_WORDS)
        FAIL(TESS_ERROR_USAGE, "partitioner python takes loops that reach up to %d sets",
             MOST_WORDS - 20 - words->n);
    add_word(words, "n_elements=%lld", (long long)problem->n_elements);
    add_word(words, "block_size=%d", problem->block_size);
    add_word(words, "seed=%llu", (unsigned long long)problem->seed);
    add_word(words, "dimension=%d", problem->coordinates ? problem->dimension : 0);
    if (problem->coordinates)
        add_word(words, "coordinates=%td", (const char *)problem->coordinates - start);
    add_word(words, "shape=%lld,%lld,%lld", (long long)problem->shape[0],
             (long long)problem->shape[1], (long long)problem->shape[2]);
    add_word(words, "n_maps=%d", problem->n_maps);
    for (int m = 0; m < problem->n_maps; m++) {
        const tess_incidence *map = &problem->maps[m];
        const ptrdiff_t offset = map->offset ? (const char *)map->offset - start : -1;
        add_word(words, "map%d=%td,%td,%d,%lld,%d,%.17g", m, (const char *)map->index - start,
                 offset, map->arity, (long long)map->n_points, map->points_are_elements,
                 map->weight);
    }
    return TESS_OK;
}

static void add_call(script_words *words, const tess_python_call *call) {
    add_word(words, "package=%s", call->package);
    add_word(words, "preset=%s", call->preset);
    if (call->objective)
        add_word(words, "objective=%s", call->objective);
    add_word(words, "n_elements=%lld", (long long)call->n_elements);
    add_word(words, "n_parts=%d", call->n_parts);
    add_word(words, "largest=%d", call->largest);
    add_word(words, "imbalance=%.17g", call->imbalance);
    add_word(words, "threads=%d", call->n_threads);
    add_word(words, "seed=%d", (int)(call->seed & INT32_MAX));
}

tess_python_call tess_python_call_of(const tess_partition_problem *problem, const tess_spec *spec,
                                     const tess_option *options) {
    const double epsilon = tess_spec_real(spec, options, "epsilon");
    const tess_block_target target =
        tess_block_target_of(problem->block_size, tess_spec_real(spec, options, "l"), epsilon);
    const int32_t n_parts = tess_block_target_count(target, problem->n_elements);
    const int64_t mean = (problem->n_elements + n_parts - 1) / n_parts; /* rounded up */
    return (tess_python_call){.preset = tess_spec_text(spec, options, "preset"),
                              .n_elements = problem->n_elements,
                              .n_parts = n_parts,
                              .largest = problem->block_size,
                              .imbalance = (problem->block_size + epsilon) / (double)mean - 1,
                              .n_threads = (int)tess_spec_int(spec, options, "threads"),
                              .seed = tess_partitioner_seed(problem, spec, options)};
}

bool tess_python_call_is_trivial(const tess_python_call *call, int32_t *block_of) {
    if (call->n_parts > 1 && call->n_parts < call->n_elements)
        return false;
    for (int64_t e = 0; e < call->n_elements; e++)
        block_of[e] = call->n_parts == 1 ? 0 : (int32_t)e;
    return true;
}

tess_status tess_python_input_open(FILE **out) {
    const int fd = memfd_create("tess-python-input", 0);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file) {
        const int error = errno;
        if (fd >= 0)
            close(fd);
        FAIL(TESS_ERROR_MEMORY, "no memory for the input of a Python library: %s", strerror(error));
    }
    *out = file;
    return TESS_OK;
}

/* Becomes Python with the script. */
static tess_status become(script_words *words) {
    char path[PATH_MAX];
    TRY(tess_python_path(path));
    char *arguments[MOST_WORDS + 5] = {path, (char[]){"-c"}, (char *)tess_python_worker_text,
                                       (char *)tess_python_problem_text};
    for (int i = 0; i < words->n; i++)
        arguments[4 + i] = words->text[i];
    execv(path, arguments);
    FAIL(TESS_ERROR_MISSING, "%s cannot be executed: %s", path, strerror(errno));
}

tess_status tess_python_become(const tess_python_call *call, FILE *input) {
    script_words words = {.n = 0};
    tess_worker_request *request = NULL;
    const int fd = dup(fileno(input)); /* the file lives as long as Python */
    const bool written = fclose(input) == 0;
    if (fd < 0 || !written)
        FAIL(TESS_ERROR_MEMORY, "the input of a Python library cannot be written: %s",
             strerror(errno));
    TRY(tess_worker_request_open(dup(TESS_WORKER_FD), &request));
    add_call(&words, call);
    add_word(&words, "input=/proc/self/fd/%d", fd);
    add_positions(request, &words);
    tess_worker_request_free(request);
    return become(&words);
}

tess_status tess_python_become_function(const char *file, const char *function) {
    script_words words = {.n = 0};
    tess_worker_request *request = NULL;
    if (strlen(file) + sizeof "file=" > WORD_SIZE || strlen(function) + 10 > WORD_SIZE)
        FAIL(TESS_ERROR_USAGE, "the name of a file or a function has up to %d bytes",
             WORD_SIZE - 10);
    TRY(tess_worker_request_open(dup(TESS_WORKER_FD), &request));
    add_word(&words, "file=%s", file);
    add_word(&words, "function=%s", function);
    add_positions(request, &words);
    const tess_status status = add_problem(request, &words);
    tess_worker_request_free(request);
    return status == TESS_OK ? become(&words) : status;
}
