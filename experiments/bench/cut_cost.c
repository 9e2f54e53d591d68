/* What cutting costs: which partitioners are quick, before any has run. */
#include "experiments/bench/cut_cost.h"

#include <string.h>

/* Of a million hexes with their nodes in blocks of 128: processor seconds of `tess run lulesh
 * --mesh hexes:nx=100:ny=100:nz=100 -b 128` on a Xeon, 28 November 2026; of libraries what they
 * take beside mosaic in docs/results/mosaic.md. The first whose name a spec begins with and whose
 * option it has counts. */
static const struct {
    const char *name, *option;
    double seconds;
} costs[] = {
    {"natural", "", 0.01},
    {"random", "", 0.05},
    {"file", "", 0.1},
    {"bricks", "", 0.1},
    {"hilbert", "", 0.5},
    {"rcb", "", 0.6},
    {"rcm", "", 3},
    {"gps", "", 4},
    {"mosaic", "level=quick", 1.8},
    {"mosaic", "effort=0", 1.8},
    {"mosaic", "effort=1", 1.8},
    {"mosaic", "level=long", 60},
    {"mosaic", "effort=4", 60},
    {"mosaic", "effort=5", 60},
    {"mosaic", "effort=6", 60},
    {"mosaic", "", 9},
    {"metis", "", 20},
    {"scotch", "strategy=quality", 200},
};

static const double unknown = 20;      /* libraries and programs of others */
static const double most_unasked = 20; /* seconds */

double tess_partitioner_cost(const char *name, const char *spec) {
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (strcmp(name, costs[i].name) == 0 && strstr(spec, costs[i].option))
            return costs[i].seconds;
    return unknown;
}

bool tess_partitioner_is_slow(const char *name, const char *spec, int64_t n) {
    return 1e-6 * (double)n * tess_partitioner_cost(name, spec) > most_unasked;
}
