/* A partitioner: the registry, and the way from a problem to a partition. */
#include "partitioners/partitioner.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "partitioners/worker/process_cost.h"
#include "partitioners/worker/worker.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TESS_PARTITIONER(name) extern const tess_partitioner tess_partitioner_##name;
#define TESS_PARTITIONER_ABSENT(name, advice)
#include "partitioners/list.h"
#undef TESS_PARTITIONER
#undef TESS_PARTITIONER_ABSENT

static const tess_partitioner *const partitioners[] = {
#define TESS_PARTITIONER(name) &tess_partitioner_##name,
#define TESS_PARTITIONER_ABSENT(name, advice)
#include "partitioners/list.h"
#undef TESS_PARTITIONER
#undef TESS_PARTITIONER_ABSENT
    NULL};

/* All names, with the advice how to get those that this build lacks (NULL: it has it). */
static const char *const names[] = {
#define TESS_PARTITIONER(name) #name,
#define TESS_PARTITIONER_ABSENT(name, advice) #name,
#include "partitioners/list.h"
#undef TESS_PARTITIONER
#undef TESS_PARTITIONER_ABSENT
    NULL};

static const char *const advices[] = {
#define TESS_PARTITIONER(name) NULL,
#define TESS_PARTITIONER_ABSENT(name, advice) advice,
#include "partitioners/list.h"
#undef TESS_PARTITIONER
#undef TESS_PARTITIONER_ABSENT
    NULL};

const tess_partitioner *tess_partitioner_at(int i) {
    const int n = (int)(sizeof partitioners / sizeof partitioners[0]);
    return i >= 0 && i < n ? partitioners[i] : NULL;
}

/* The names that this build knows, separated by ", ". */
static void known_names(char *text, size_t size) {
    text[0] = '\0';
    for (int i = 0; partitioners[i]; i++) {
        if (i > 0)
            strncat(text, ", ", size - strlen(text) - 1);
        strncat(text, partitioners[i]->name, size - strlen(text) - 1);
    }
}

tess_status tess_partitioner_find(const char *name, const tess_partitioner **out) {
    for (int i = 0; partitioners[i]; i++) {
        if (strcmp(partitioners[i]->name, name) == 0) {
            *out = partitioners[i];
            return TESS_OK;
        }
    }
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            FAIL(TESS_ERROR_MISSING, "partitioner %s is not in this build: %s", name, advices[i]);
    char known[512];
    known_names(known, sizeof known);
    const char *near = tess_suggest(name, names);
    FAIL(TESS_ERROR_USAGE, "no partitioner is called '%s'%s%s%s (known: %s)", name,
         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", known);
}

uint64_t tess_partitioner_seed(const tess_problem *problem, const tess_spec *spec,
                               const tess_option *options) {
    const int64_t seed = tess_spec_int(spec, options, "seed");
    return seed ? (uint64_t)seed : problem->seed;
}

static tess_status needs_check(const tess_partitioner *partitioner, const tess_problem *problem) {
    if (partitioner->needs_coordinates && !problem->coordinates)
        FAIL(TESS_ERROR_USAGE,
             "partitioner %s needs coordinates, and these elements have none: try gps or metis",
             partitioner->name);
    if (partitioner->needs_shape && problem->shape[0] == 0)
        FAIL(TESS_ERROR_USAGE,
             "partitioner %s needs a loop over the cells of a structured box (`tess mesh "
             "generate`): try rcb or hilbert",
             partitioner->name);
    return TESS_OK;
}

/* Runs the partitioner here, or a third party's in the worker. */
static tess_status partition(const tess_partitioner *partitioner, const tess_problem *problem,
                             const tess_spec *spec, int32_t *block_of, tess_worker_cost *cost) {
    if (!partitioner->third_party) {
        const tess_process_mark mark = tess_process_mark_now();
        TRY(partitioner->partition(problem, spec, block_of));
        cost->cpu_seconds = tess_clock_cpu_seconds() - mark.cpu_seconds;
        cost->grown_bytes = tess_process_grown_bytes(&mark);
        return TESS_OK;
    }
    char *text = NULL;
    TRY(tess_spec_print(spec, partitioner->options, &text));
    const tess_status status = tess_worker_run(problem, text, block_of, cost);
    free(text);
    return status;
}

/* Keeps what a partitioner remarks, and passes all else on to the problem's own observer. */
typedef struct listener {
    const tess_observer *next; /* or NULL */
    char *remark;              /* [TESS_REMARK_SIZE] */
} listener;

static tess_status pass_partition(void *context, const char *what, int step, int64_t n_elements,
                                  const int32_t *block_of) {
    const tess_observer *next = ((const listener *)context)->next;
    return next->partition(next->context, what, step, n_elements, block_of);
}

static tess_status pass_progress(void *context, const char *what, double fraction) {
    const tess_observer *next = ((const listener *)context)->next;
    return next->progress(next->context, what, fraction);
}

static void keep_remark(void *context, const char *text) {
    snprintf(((const listener *)context)->remark, TESS_REMARK_SIZE, "%s", text);
}

/* The same as `partition`; `remark` is "" where there is none. */
static tess_status partition_heard(const tess_partitioner *partitioner, const tess_problem *problem,
                                   const tess_spec *spec, int32_t *block_of, tess_worker_cost *cost,
                                   char *remark) {
    const tess_observer *next = problem->observer;
    listener mine = {.next = next, .remark = remark};
    const tess_observer observer = {.context = &mine,
                                    .partition = next && next->partition ? pass_partition : NULL,
                                    .progress = next && next->progress ? pass_progress : NULL,
                                    .remark = keep_remark};
    tess_problem heard = *problem;
    heard.observer = &observer;
    return partition(partitioner, &heard, spec, block_of, cost);
}

tess_status tess_partitioner_run(const tess_partitioner *partitioner, const tess_problem *problem,
                                 const tess_spec *spec, tess_repair repair, double *seconds,
                                 tess_partition **out) {
    tess_status status = TESS_OK;
    int32_t *block_of = NULL;
    tess_worker_cost cost = {.cpu_seconds = 0};
    char remark[TESS_REMARK_SIZE] = "";
    CHECK(tess_spec_check(spec, partitioner->options));
    CHECK(needs_check(partitioner, problem));
    CHECK(TESS_ALLOC(problem->n_elements, &block_of));
    const double start = tess_clock_seconds();
    if (problem->n_elements > 0)
        CHECK(partition_heard(partitioner, problem, spec, block_of, &cost, remark));
    *seconds = tess_clock_seconds() - start;
    status = tess_partition_build(problem, block_of, repair, out);
    if (status != TESS_OK)
        CHECK(tess_fail_at(status, "partitioner %s", partitioner->name));
    (*out)->cpu_seconds = cost.cpu_seconds;
    (*out)->start_cpu_seconds = cost.start_cpu_seconds;
    (*out)->peak_bytes = cost.peak_bytes;
    (*out)->grown_bytes = cost.grown_bytes;
    memcpy((*out)->remark, remark, sizeof remark);
done:
    free(block_of);
    return status;
}
