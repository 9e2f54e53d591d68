/* What cutting costs: which partitioners are quick, before any has run. */
#include "experiments/bench/cut_cost.h"
#include "partitioners/partitioner.h"

#include <string.h>

static const double unknown = 20;      /* libraries and programs of others */
static const double most_unasked = 20; /* seconds */

/* Of a spec by the first of its options that costs something else. */
static double seconds_of(const tess_partitioner *partitioner, const char *spec) {
    const tess_partitioner_seconds *with = partitioner->seconds_with;
    for (; with && with->option; with++)
        if (strstr(spec, with->option))
            return with->seconds;
    return partitioner->seconds > 0 ? partitioner->seconds : unknown;
}

double tess_partitioner_cost(const char *name, const char *spec) {
    const tess_partitioner *partitioner = NULL;
    for (int i = 0; (partitioner = tess_partitioner_at(i)); i++)
        if (strcmp(name, partitioner->name) == 0)
            return seconds_of(partitioner, spec);
    return unknown;
}

bool tess_partitioner_is_slow(const char *name, const char *spec, int64_t n) {
    return 1e-6 * (double)n * tess_partitioner_cost(name, spec) > most_unasked;
}
