/* What cutting costs: which partitioners are quick, before any has run. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Seconds of one core for a million elements, about, of a partitioner by name and its spec: which
 * comes first, and which is made beside. */
double tess_partitioner_cost(const char *name, const char *spec);

/* Whether that is so much for n elements that it is only made where it is asked for. */
bool tess_partitioner_is_slow(const char *name, const char *spec, int64_t n);
