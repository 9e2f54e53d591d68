/* Partitions for tests: by a spec as typed, or its refusal. */
#pragma once

#include "partitioners/partitioner.h"
#include "tests/core/small_problem.h"

/* Whether this build has the partitioner of a spec as typed. */
static inline bool in_this_build(const char *text) {
    char name[32];
    const tess_partitioner *partitioner = NULL;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    return tess_partitioner_find(name, &partitioner) == TESS_OK;
}

/* A partition by a spec as typed. */
static inline tess_partition *partition_of(const tess_partition_problem *problem,
                                           const char *text) {
    tess_spec *spec = NULL;
    int n = 0;
    const tess_partitioner *partitioner = NULL;
    tess_partition *partition = NULL;
    double seconds = -1;
    OK(tess_spec_list_parse(text, &spec, &n));
    assert_int_equal(n, 1);
    OK(tess_partitioner_find(spec->name, &partitioner));
    if (tess_partitioner_run(partitioner, problem, spec, TESS_REPAIR_SPLIT, &seconds, &partition) !=
        TESS_OK)
        fail_msg("%s at block size %d: %s", text, problem->block_size, tess_message());
    assert_true(seconds >= 0);
    tess_spec_list_free(spec, n);
    assert_contract(problem, partition);
    return partition;
}

/* Runs a spec that cannot be and compares the message. */
static inline void assert_refused(const tess_partition_problem *problem, const char *text,
                                  tess_status expected, const char *words) {
    tess_spec *spec = NULL;
    int n = 0;
    const tess_partitioner *partitioner = NULL;
    tess_partition *partition = NULL;
    double seconds = 0;
    OK(tess_spec_list_parse(text, &spec, &n));
    OK(tess_partitioner_find(spec->name, &partitioner));
    assert_int_equal(
        tess_partitioner_run(partitioner, problem, spec, TESS_REPAIR_SPLIT, &seconds, &partition),
        expected);
    if (!strstr(tess_message(), words))
        fail_msg("%s: '%s' in '%s'", text, words, tess_message());
    tess_spec_list_free(spec, n);
}
