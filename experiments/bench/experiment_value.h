/* An experiment: what one run is made of, as a value. A loop on a mesh is cut into blocks and,
 * where it is an application's, executed by a strategy on a device.
 *
 * Its members are the settings of experiment_fields.h. Commands and recipes make experiments from
 * texts; nothing below them sees a command line. Of another program's only a command comes: `tess
 * record` times it. */
#pragma once

#include "kernels/loops/store.h"
#include "kernels/strategies/strategy.h"
#include "partitioners/partitioner.h"

#include <stdint.h>

/* A loop is cut into blocks, which are compared, or executed; or another program is timed. */
typedef enum tess_experiment_kind {
    TESS_CUTTING,
    TESS_RUNNING,
    TESS_TIMING,
    TESS_N_KINDS
} tess_experiment_kind;

/* Choices that no floor below knows. */
typedef enum tess_precision {
    TESS_PRECISION_AUTO, /* the application's */
    TESS_PRECISION_FLOAT,
    TESS_PRECISION_DOUBLE
} tess_precision;
typedef enum tess_partition_on {
    TESS_PARTITION_ON_AUTO,
    TESS_PARTITION_ON_HOST,
    TESS_PARTITION_ON_DEVICE
} tess_partition_on;
typedef enum tess_prove { TESS_PROVE_AUTO, TESS_PROVE_YES } tess_prove;
typedef enum tess_pair_order { TESS_PAIRS_OWN, TESS_PAIRS_BY_ROWS } tess_pair_order;
typedef enum tess_cache { TESS_CACHE_HOT, TESS_CACHE_COLD } tess_cache;
typedef enum tess_counting { TESS_COUNTERS_NO, TESS_COUNTERS_YES } tess_counting;
typedef enum tess_overlap { TESS_OVERLAP_YES, TESS_OVERLAP_NO } tess_overlap;

/* Plug-ins with their options, as typed and as understood. All NULL where unsaid; owned. */
typedef struct tess_chosen_partitioner {
    char *text; /* canonical */
    tess_spec *spec;
    const tess_partitioner *plugin;
} tess_chosen_partitioner;

typedef struct tess_chosen_strategy {
    char *text; /* canonical */
    tess_spec *spec;
    const tess_strategy *plugin;
} tess_chosen_strategy;

typedef struct tess_chosen_layout {
    char *text;
    tess_layouts layouts;
} tess_chosen_layout;

#define TESS_UNSAID INT64_MIN /* of an integer; a text is NULL, a choice -1, a real NaN */

#define TESS_MEMBER_TEXT char *
#define TESS_MEMBER_APPLICATION char *
#define TESS_MEMBER_DEVICE char *
#define TESS_MEMBER_ENGINE char *
#define TESS_MEMBER_PARTITIONER tess_chosen_partitioner
#define TESS_MEMBER_STRATEGY tess_chosen_strategy
#define TESS_MEMBER_LAYOUT tess_chosen_layout
#define TESS_MEMBER_INTEGER(least, most) int64_t
#define TESS_MEMBER_REAL(least) double
#define TESS_MEMBER_CHOICE(...) int

typedef struct tess_experiment {
    tess_experiment_kind kind;
#define TESS_FIELD(name, type, ...) TESS_MEMBER_##type name;
#include "experiments/bench/experiment_fields.h"
#undef TESS_FIELD
} tess_experiment;

typedef enum tess_field {
#define TESS_FIELD(name, ...) TESS_FIELD_##name,
#include "experiments/bench/experiment_fields.h"
#undef TESS_FIELD
    TESS_N_FIELDS
} tess_field;

typedef enum tess_field_type {
    TESS_TYPE_TEXT,
    TESS_TYPE_APPLICATION,
    TESS_TYPE_DEVICE,
    TESS_TYPE_ENGINE,
    TESS_TYPE_PARTITIONER,
    TESS_TYPE_STRATEGY,
    TESS_TYPE_LAYOUT,
    TESS_TYPE_INTEGER,
    TESS_TYPE_REAL,
    TESS_TYPE_CHOICE
} tess_field_type;

typedef enum tess_decides {
    TESS_DECIDES_MESH,
    TESS_DECIDES_BLOCKS,
    TESS_DECIDES_PLAN,
    TESS_DECIDES_RUN,
    TESS_DECIDES_SAMPLES,
    TESS_DECIDES_NOTHING
} tess_decides;

/* What a setting is. */
typedef struct tess_field_about {
    const char *name;
    const char *unit, *help;            /* help: NULL where it is no option */
    const char *standard[TESS_N_KINDS]; /* the default by kind, "": unsaid; NULL: it must be said;
                                  where it is no setting of the kind tess_field_is_of tells */
    tess_field_type type;
    int64_t least, most;        /* of a number */
    const char *const *choices; /* NULL-terminated; else NULL */
    tess_decides decides;
    size_t offset; /* in struct tess_experiment */
} tess_field_about;

extern const tess_field_about tess_fields[TESS_N_FIELDS];

bool tess_field_is_of(tess_field field, tess_experiment_kind kind);
bool tess_field_is_number(tess_field field);
bool tess_field_is_plugin(tess_field field); /* with options of its own: "metis:seed=3" */

/* The key of a setting in a record's configuration; NULL where records do not have it. */
const char *tess_field_recorded(tess_field field);

/* The name of its option: block-size of block_size. */
void tess_field_option(tess_field field, char option[static TESS_NAME_SIZE]);

/* An experiment with the defaults of its kind, which the caller clears. */
TESS_MUST_CHECK tess_status tess_experiment_init(tess_experiment_kind kind, tess_experiment *out);
TESS_MUST_CHECK tess_status tess_experiment_copy(const tess_experiment *from, tess_experiment *out);
void tess_experiment_clear(tess_experiment *experiment);

/* Sets a setting to what a text says; "" leaves it unsaid. Fails (USAGE) by the option's name where
 * the text is not one of its values, with a suggestion; (MISSING) where this build lacks what it
 * names. */
TESS_MUST_CHECK tess_status tess_experiment_set(tess_experiment *experiment, tess_field field,
                                                const char *text);

/* Gives the canonical text of a setting, "" where it is unsaid; the caller frees it. */
TESS_MUST_CHECK tess_status tess_experiment_text(const tess_experiment *experiment,
                                                 tess_field field, char **out);

/* Takes the strategy that is usual on its device where none is said: blocks of a chain own its
 * points where it adds to some. */
TESS_MUST_CHECK tess_status tess_experiment_choose_strategy(tess_experiment *experiment);

/* Gives how its blocks are made, as tables have it: "rcb", or "rcb --refine 3". The caller frees
 * it. */
TESS_MUST_CHECK tess_status tess_experiment_blocks(const tess_experiment *experiment, char **out);

/* Whether it names code that whoever wrote it chose: a kernel, or a partitioner of theirs. What
 * comes from a lab or from somebody else's recipe is not executed unasked. */
bool tess_experiment_runs_code(const tess_experiment *experiment);

/* Whether its mesh is divided among ranks: their number is said, or an engine whose launcher
 * knows it. */
bool tess_experiment_is_ranked(const tess_experiment *experiment);

/* The name of what carries values between its ranks. */
const char *tess_experiment_engine(const tess_experiment *experiment);

/* The device that it names. */
const tess_device *tess_experiment_device(const tess_experiment *experiment);

/* How many of its runs are timed: none where blocks are cut or a device emulates, unless it says
 * so. */
int tess_experiment_samples(const tess_experiment *experiment);

/* Whether two experiments say the same of a setting. */
bool tess_experiment_agrees(const tess_experiment *one, const tess_experiment *other,
                            tess_field field);

/* Fails (USAGE) where settings are missing or do not go together, saying what to do. */
TESS_MUST_CHECK tess_status tess_experiment_check(const tess_experiment *experiment);

/* Checks it and its ranks, where nothing is left for lists to say: every setting without a
 * default is said. */
TESS_MUST_CHECK tess_status tess_experiment_check_whole(const tess_experiment *experiment);

/* Fails (USAGE) where something is said of ranks, but not how many there are, and where a chain is
 * to run on them. */
TESS_MUST_CHECK tess_status tess_experiment_check_ranks(const tess_experiment *experiment);

/* Gives the texts of all settings that decide what is within [first, last], a line each: the key
 * under which that is shared. The caller frees it. */
TESS_MUST_CHECK tess_status tess_experiment_key(const tess_experiment *experiment,
                                                tess_decides first, tess_decides last, char **out);

/* Gives the words of a command line that makes the experiment, NULL-terminated: "tess", "run",
 * "partition" or "record", the n_flags flags, and each setting that is said. The caller frees it by
 * tess_words_free. */
TESS_MUST_CHECK tess_status tess_experiment_command(const tess_experiment *experiment,
                                                    const char *const *flags, int n_flags,
                                                    char ***out);
void tess_words_free(char **words);
