/* A partitioner: the registry, and the way from a problem to a partition. */
#include "partitioners/partitioner.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/registry.h"
#include "partitioners/worker/process_cost.h"
#include "partitioners/worker/worker.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(name) extern const tess_partitioner tess_partitioner_##name;
#define ABSENT(name, advice)
#include "partitioners/list.h"
#undef X
#undef ABSENT

static const void *const items[] = {
#define X(name) &tess_partitioner_##name,
#define ABSENT(name, advice)
#include "partitioners/list.h"
#undef X
#undef ABSENT
    NULL};

static const tess_absent absent[] = {
#define X(name)
#define ABSENT(name, advice) {#name, advice},
#include "partitioners/list.h"
#undef X
#undef ABSENT
    {NULL, NULL}};

static const tess_registry registry = {.items = items,
                                       .absent = absent,
                                       .kind = "partitioner",
                                       .subject = "no partitioner is called",
                                       .words = {"? (known: %s)", " (known: %s)"}};

const tess_partitioner *tess_partitioner_at(int i) {
    return tess_registry_at(&registry, i);
}

tess_status tess_partitioner_find(const char *name, const tess_partitioner **out) {
    *out = tess_registry_get(&registry, name);
    return *out ? TESS_OK : tess_registry_lacks(&registry, name);
}

tess_status tess_partitioner_title(const char *text, char **out) {
    tess_status status = TESS_OK;
    tess_spec *spec = NULL;
    int n = 0;
    *out = NULL;
    if (tess_spec_list_parse(text, &spec, &n) != TESS_OK)
        return tess_text_copy(text, out); /* an imported run's words */
    for (int i = 0; n == 1 && tess_partitioner_at(i) && !*out; i++) {
        const tess_partitioner *plugin = tess_partitioner_at(i);
        const char *key = strcmp(plugin->name, spec->name) == 0 ? plugin->name_option : NULL;
        for (int k = 0; key && k < spec->n_values && !*out; k++)
            if (strcmp(spec->keys[k], key) == 0 && *spec->values[k])
                CHECK(tess_text_print(out, "%s:%s=%s", spec->name, key, spec->values[k]));
    }
    if (!*out)
        CHECK(tess_text_copy(text, out));
done:
    tess_spec_list_free(spec, n);
    return status;
}

void tess_partitioner_expert(const tess_partitioner *partitioner, bool pairs, char *text,
                             size_t size) {
    const char *options = partitioner->expert[pairs ? 0 : 1];
    snprintf(text, size, "%s%s%s", partitioner->name, options ? ":" : "", options ? options : "");
}

uint64_t tess_partitioner_seed(const tess_partition_problem *problem, const tess_spec *spec,
                               const tess_option *options) {
    const int64_t seed = tess_spec_int(spec, options, "seed");
    return seed ? (uint64_t)seed : problem->seed;
}

static tess_status needs_check(const tess_partitioner *partitioner,
                               const tess_partition_problem *problem) {
    if (partitioner->needs_coordinates && !tess_partition_problem_is_placed(problem))
        FAIL(TESS_ERROR_USAGE,
             "partitioner %s needs coordinates, and these elements have none: try gps or metis",
             partitioner->name);
    if (partitioner->needs_shape && problem->shape[0] == 0 && problem->box[0] == 0)
        FAIL(TESS_ERROR_USAGE,
             "partitioner %s needs a loop over the cells of a structured box (`tess mesh "
             "generate`), or one that reaches them: try rcb or hilbert",
             partitioner->name);
    return TESS_OK;
}

/* Runs the partitioner here, or a third party's in the worker. */
static tess_status partition(const tess_partitioner *partitioner,
                             const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of, tess_worker_cost *cost) {
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
    char remark[TESS_REMARK_SIZE];
    tess_cut_cost elsewhere; /* no place: on the host */
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
    snprintf(((listener *)context)->remark, TESS_REMARK_SIZE, "%s", text);
}

static void keep_place(void *context, const char *place, double seconds) {
    tess_cut_cost *elsewhere = &((listener *)context)->elsewhere;
    snprintf(elsewhere->place, sizeof elsewhere->place, "%s", place);
    elsewhere->seconds = seconds;
}

/* Does as `partition`, and hears what it says. */
static tess_status partition_heard(const tess_partitioner *partitioner,
                                   const tess_partition_problem *problem, const tess_spec *spec,
                                   int32_t *block_of, tess_worker_cost *cost, listener *mine) {
    const tess_observer *next = problem->observer;
    const bool chats = partitioner->third_party && !partitioner->runs_code; /* of no use */
    const tess_observer observer = {.context = mine,
                                    .partition = next && next->partition ? pass_partition : NULL,
                                    .progress = next && next->progress ? pass_progress : NULL,
                                    .remark = chats ? NULL : keep_remark,
                                    .elsewhere = keep_place};
    tess_partition_problem heard = *problem;
    mine->next = next;
    heard.observer = &observer;
    TRY(partition(partitioner, &heard, spec, block_of, cost));
    if (problem->cutter && !partitioner->cut_rule && !mine->remark[0])
        snprintf(mine->remark, sizeof mine->remark, "%s cuts on the host, whatever the device is",
                 partitioner->name);
    return TESS_OK;
}

tess_status tess_partitioner_run(const tess_partitioner *partitioner,
                                 const tess_partition_problem *problem, const tess_spec *spec,
                                 tess_repair repair, double *seconds, tess_partition **out) {
    tess_status status = TESS_OK;
    int32_t *block_of = NULL;
    tess_worker_cost cost = {.cpu_seconds = 0};
    listener heard = {.next = NULL};
    CHECK(tess_spec_check(spec, partitioner->options));
    CHECK(needs_check(partitioner, problem));
    CHECK(TESS_ALLOC(problem->n_elements, &block_of));
    const double start = tess_clock_seconds();
    if (problem->n_elements > 0)
        CHECK(partition_heard(partitioner, problem, spec, block_of, &cost, &heard));
    *seconds = tess_clock_seconds() - start;
    CHECK(tess_fail_at(tess_partition_build(problem, block_of, repair, out), "partitioner %s",
                       partitioner->name));
    (*out)->cpu_seconds = cost.cpu_seconds;
    (*out)->start_cpu_seconds = cost.start_cpu_seconds;
    (*out)->peak_bytes = cost.peak_bytes;
    (*out)->grown_bytes = cost.grown_bytes;
    memcpy((*out)->remark, heard.remark, sizeof heard.remark);
    memcpy((*out)->place, heard.elsewhere.place, sizeof heard.elsewhere.place);
    (*out)->place_seconds = heard.elsewhere.seconds;
done:
    free(block_of);
    return status;
}
