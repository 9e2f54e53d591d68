/* A partitioner: a plug-in that cuts a problem into blocks.
 *
 * One const struct in one file, one line in list.h. It sees a tess_partition_problem and gives any
 * block ids; the workbench enforces the contract afterwards (core/plan/partition.h). */
#pragma once

#include "core/plan/partition.h"
#include <stdio.h>

/* What cutting takes by a spec that has an option. */
typedef struct tess_partitioner_seconds {
    const char *option;
    double seconds;
} tess_partitioner_seconds;

typedef struct tess_partitioner {
    const char *name;
    const char *summary;        /* one line, for lists and help */
    const char *reference;      /* the paper, section or page that defines it */
    const tess_option *options; /* ends with key = NULL */
    bool needs_coordinates, needs_shape;
    bool places_elements; /* takes a problem that says centroids one by one as well */
    bool weighs_reads;    /* wants what elements of owned points read beside */
    bool third_party;     /* runs in the worker program, under the time limit */
    bool on_request;      /* slow, or may be missing when it runs: only where it is named */
    bool unrepeatable;    /* depends on more than the problem, the options and the program: a file,
                             what is installed; its partitions are never taken from earlier runs */
    bool runs_code;       /* that its options name: of whoever wrote them, so never from a lab, and
                             from a recipe only with --allow-exec */
    const char *version;  /* of the library behind it; NULL: none, or not known */
    /* Processor seconds of a million elements, about: of hexes with their nodes in blocks of 128 by
     * `tess run lulesh --mesh hexes:nx=100:ny=100:nz=100 -b 128` on a Xeon; 0: not known. */
    double seconds;
    const tess_partitioner_seconds *seconds_with; /* other ones; ends with option = NULL, or NULL */
    /* Options that whoever knows it takes for small blocks, as typed behind its name: where
     * elements reach two points, and where they reach more. NULL: the defaults. */
    const char *expert[2];
    bool yardstick;        /* of how bad blocks can be: nothing of it is marked as the best */
    bool cuts_best;        /* on one mesh or another: what the word `best` stands for */
    const char *trade_off; /* its specs from the fewest thread colours to the most reuse, a list; */
                           /* NULL: it does not trade */
    /* Prints the paths of the programs and files that a checked spec names and that are there, a
     * line each, for records; NULL: it names none, or the one that the option `file_option` is. */
    const char *file_option;
    tess_status (*files)(const tess_spec *spec, FILE *stream);
    const char *name_option; /* that stands for all of a spec in tables; NULL: none does */
    /* Fills the rule and the rounds of swaps by which the problem's cutter cuts as a spec says;
     * false: not the coordinates as they are, which the host turns before. NULL: the host cuts. */
    bool (*cut_rule)(const tess_spec *spec, tess_cut *what);
    /* Fails (MISSING) where the library that was loaded is not the one that it was built for; NULL:
     * there is nothing to check. */
    tess_status (*check)(void);
    /* Fills block_of [problem->n_elements] with ids >= 0. There is at least one element. */
    tess_status (*partition)(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of);
} tess_partitioner;

/* The partitioners of this build, in the order of list.h; NULL past the last. */
const tess_partitioner *tess_partitioner_at(int i);

/* Finds one by name; fails with a suggestion (USAGE) or, where this build lacks its library
 * (MISSING), with how to get it. */
TESS_MUST_CHECK tess_status tess_partitioner_find(const char *name, const tess_partitioner **out);

/* Gives what tables call a spec: all of it, or the name that it says, "exec:name=grow". The caller
 * frees it. */
TESS_MUST_CHECK tess_status tess_partitioner_title(const char *text, char **out);

/* The spec with these options. */
void tess_partitioner_expert(const tess_partitioner *partitioner, bool pairs, char *text,
                             size_t size);

/* Checks the spec, runs the partitioner (third-party ones in the worker), enforces the contract and
 * gives the partition. *seconds: wall time of the partitioner, graph construction included. What
 * the partitioner told observer->remark is in the partition. */
TESS_MUST_CHECK tess_status tess_partitioner_run(const tess_partitioner *partitioner,
                                                 const tess_partition_problem *problem,
                                                 const tess_spec *spec, tess_repair repair,
                                                 double *seconds, tess_partition **out);

/* For partitioners: the digits of a number that a library's header defines. */
#define TESS_DIGITS(number) TESS_DIGITS_OF(number)
#define TESS_DIGITS_OF(number) #number
#define TESS_VERSION_TEXT(a, b, c) TESS_DIGITS(a) "." TESS_DIGITS(b) "." TESS_DIGITS(c)

/* For partitioners: the option `seed`, and the seed that counts, the option's or else the
 * problem's. */
#define TESS_OPTION_SEED                                                                           \
    TESS_INT_OPTION("seed", "0", 0, 2147483647, "of its random choices; 0: the seed of the run")
uint64_t tess_partitioner_seed(const tess_partition_problem *problem, const tess_spec *spec,
                               const tess_option *options);
