/* A machine: numbers of a GPU or of the levels of memory of a processor, each with its unit and
 * source, read from a YAML file or from those that ship. */
#pragma once

#include "core/base/status.h"
#include "core/mesh/mesh.h"
#include <stdbool.h>

typedef enum tess_constant {
#define X(name, ...) TESS_CONSTANT_##name,
#include "experiments/model/constant_list.h"
#undef X
    TESS_N_CONSTANTS
} tess_constant;

typedef struct tess_constant_about {
    const char *name, *unit;
    bool fitted;
    double low, high;
    const char *help;
} tess_constant_about;

extern const tess_constant_about tess_constants[TESS_N_CONSTANTS];

/* Bandwidths that limit a whole loop. */
typedef enum tess_bandwidth {
    TESS_BANDWIDTH_MEMORY,
    TESS_BANDWIDTH_REACHED, /* of memory, by the best kernel */
    TESS_BANDWIDTH_L2,
    TESS_BANDWIDTH_L3,
    TESS_BANDWIDTH_SOCKET, /* the memory of one of several sockets */
    TESS_BANDWIDTH_LINK,   /* between sockets */
    TESS_N_BANDWIDTHS
} tess_bandwidth;

/* "memory_bandwidth" ... */
const char *tess_bandwidth_name(tess_bandwidth bandwidth);

/* A level that a loop reads from, the nearest first. */
typedef struct tess_machine_level {
    char name[TESS_NAME_SIZE];
    double capacity;  /* words of 8 bytes of the level above it */
    double bandwidth; /* B/s */
    double random;    /* B/s of lines at any places, of a processor; NaN where that is not said */
} tess_machine_level;

enum { TESS_MOST_LEVELS = 8, TESS_SOURCE_TEXT = 160 };

typedef struct tess_machine {
    char name[TESS_NAME_SIZE];
    char device[2 * TESS_NAME_SIZE]; /* as the driver names it; "" where that is not said */
    char digest[33];                 /* of the file */
    bool has[TESS_N_CONSTANTS];
    double number[TESS_N_CONSTANTS];
    char source[TESS_N_CONSTANTS][TESS_SOURCE_TEXT];
    /* Of `tess model`, or NaN. */
    double bandwidth[TESS_N_BANDWIDTHS]; /* B/s */
    double line_bytes;                   /* that memory hands over at once */
    double flop_rate[2];                 /* in float and in double, flop/s; of tess bound, or NaN */
    int n_levels;
    tess_machine_level levels[TESS_MOST_LEVELS];
} tess_machine;

/* Reads the machine of a file, or of the name of one that ships. Fails (INPUT) with file, line and
 * column; (USAGE) where there is neither, naming those that ship. */
TESS_MUST_CHECK tess_status tess_machine_read(const char *name, tess_machine *out);

/* Whether a machine has levels, or a bandwidth: what the gather model's limits are made of. */
bool tess_machine_has_limits(const tess_machine *machine);

/* Fails (INPUT) by the name of the first number that predictions need and the machine lacks. */
TESS_MUST_CHECK tess_status tess_machine_check(const tess_machine *machine);
