/* The options of a command that are settings of experiments, with those that say how experiments
 * are kept. Names, help and defaults follow from experiments/bench/experiment_fields.h. */
#pragma once

#include "experiments/campaign/campaign.h"
#include "experiments/campaign/product.h"
#include "experiments/cli/command.h"

/* How a command takes a setting otherwise than the table has it. */
typedef struct tess_setting_use {
    tess_field field;
    bool left_out;        /* there is no such option */
    bool is_list;         /* it takes several values, separated by commas */
    const char *standard; /* the default; "": left unsaid; NULL: as in the table */
    const char *words;    /* what help says of the default; NULL: what it is */
} tess_setting_use;

#define TESS_LEFT_OUT(setting)                                                                     \
    { .field = TESS_FIELD_##setting, .left_out = true }

/* Of a command that knows nothing of ranks. */
#define TESS_USES_WITHOUT_RANKS                                                                    \
    TESS_LEFT_OUT(ranks), TESS_LEFT_OUT(rank_partitioner), TESS_LEFT_OUT(engine),                  \
        TESS_LEFT_OUT(halo), TESS_LEFT_OUT(overlap)

/* Of a command that takes no samples of a loop. */
#define TESS_USES_WITHOUT_SAMPLES                                                                  \
    TESS_LEFT_OUT(same_bits), TESS_LEFT_OUT(samples), TESS_LEFT_OUT(cache), TESS_LEFT_OUT(graph),  \
        TESS_LEFT_OUT(counters)

/* Of a command that chooses among candidates: all but strategies, of which each has its own. */
#define TESS_USES_CANDIDATES                                                                       \
    {.field = TESS_FIELD_block_size, .is_list = true, .standard = "128,256"},                      \
        {.field = TESS_FIELD_partitioner,                                                          \
         .is_list = true,                                                                          \
         .standard = "rcb,mosaic:level=quick,gps"},                                                \
    {                                                                                              \
        .field = TESS_FIELD_layout, .is_list = true, .standard = "soa,aos"                         \
    }

/* What the options of a command are. */
typedef struct tess_command_spec {
    tess_experiment_kind kind;
    const tess_setting_use *uses; /* [n_uses] */
    int n_uses;
    bool marches;                /* it makes one march: no view of a plan, no turns */
    bool archives_nothing;       /* nor keeps pages: it leaves something else */
    const tess_option_row *more; /* options of its own */
    const char *doc;             /* of its help, as in argp */
    const char *typed;           /* tess_usage.typed */
} tess_command_spec;

#define TESS_USES(uses) .uses = (uses), .n_uses = sizeof(uses) / sizeof *(uses)

/* What is asked for. */
typedef struct tess_cli_settings {
    const tess_command_spec *command_spec;
    tess_common common;
    tess_experiment base;
    const char *lists[TESS_N_FIELDS]; /* as typed; NULL: one value, which the base has */
    char *typed[TESS_N_FIELDS];       /* lists that are not the default; owned */
    bool said[TESS_N_FIELDS];         /* was typed, be it the default */
    const tess_bound_loop *bound;     /* the loop; NULL: it is not known yet, and all may fit */
    const char *lab, *keep_text;
    bool no_lab, view, no_view, fresh;
    double memory; /* GiB that runs timed in turns may hold; 0: the default */
} tess_cli_settings;

/* Begins with the defaults and parses argv into *out, a member of the command's *options. The
 * caller clears it, also on failure. */
TESS_MUST_CHECK tess_status tess_cli_settings_read(const tess_command_spec *command_spec, int argc,
                                                   char **argv, tess_cli_settings *out,
                                                   void *options);
void tess_cli_settings_clear(tess_cli_settings *asked);

/* Prints the spec by which a partitioner cuts a loop best, that of its defaults where nobody said
 * another. */
void tess_cli_partitioner_best(const tess_partitioner *partitioner, const tess_bound_loop *bound,
                               char *text, size_t size);

/* Whether a partitioner takes so long for a loop that it is only made where it is asked for. */
bool tess_cli_partitioner_is_slow(const tess_partitioner *partitioner,
                                  const tess_bound_loop *bound);

/* Gives the experiments: one for each combination of the lists of `fields`, the last one the
 * fastest. "all" stands for all strategies, or all partitioners that fit the loop, but the slow
 * ones where it was not typed; "best" for those that cut best. */
TESS_MUST_CHECK tess_status tess_cli_settings_product(const tess_cli_settings *asked,
                                                      const tess_field *fields, int n_fields,
                                                      tess_product *out);

/* Lists the variants of strategies, in the order of these, that may be the fastest on the device
 * and of the loop that are asked for; or all that predictions have a model of. */
TESS_MUST_CHECK tess_status tess_cli_settings_strategies(tess_cli_settings *asked, bool predicted);

/* Why a partitioner is not among all of a loop, or NULL where it is. */
const char *tess_partitioner_not_applicable(const tess_partitioner *partitioner,
                                            const tess_bound_loop *bound);

/* Opens the lab, or gives NULL where nothing is to be archived. */
TESS_MUST_CHECK tess_status tess_cli_settings_lab(const tess_cli_settings *asked, tess_lab **out);

/* Says on stderr what is odd about the mesh that is asked for, unless --quiet. */
void tess_cli_settings_tell_mesh(const tess_cli_settings *asked, const tess_mesh *mesh);

/* Says on stderr, unless --quiet, that other programs want the cores by which the host is timed. */
void tess_cli_settings_tell_load(const tess_cli_settings *asked);

/* How a campaign keeps the experiments. */
tess_campaign_options tess_cli_settings_options(const tess_cli_settings *asked, int argc,
                                                char *const *argv, tess_lab *lab);
