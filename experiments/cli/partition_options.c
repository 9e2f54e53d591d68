/* The options of `tess partition`: what its command line asks for. */
#include "experiments/cli/partition_options.h"

#include "core/base/argument.h"
#include "core/plan/metrics.h"
#include "experiments/archive/plan_choices.h"
#include <stddef.h>

enum {
    KEY_MAP = 'm',
    KEY_PARTITIONER = 'p',
    KEY_BLOCK_SIZE = 'b',
    KEY_LAB = 'l',
    KEY_DAT = 0x100,
    KEY_POINTS,
    KEY_REPAIR,
    KEY_REFINE,
    KEY_FRONT,
    KEY_ORDER,
    KEY_COLOURING,
    KEY_RENUMBER,
    KEY_LAYOUT,
    KEY_SEED,
    KEY_TIME_LIMIT,
    KEY_NO_LAB,
    KEY_NO_VIEW,
};

static const struct argp_option options[] = {
    {"map", KEY_MAP, "FROM:TO", 0,
     "The loop increments data through this map, say edges:cells, faces:cells, cells:nodes; "
     "'tess mesh info --maps MESH' lists those of a mesh",
     1},
    {"dat", KEY_DAT, "NAME:SET:DIM:TYPE", 0,
     "What is incremented, say q:cells:4:double (default: one double)", 1},
    {"partitioner", KEY_PARTITIONER, "P[,P...]", 0,
     "Partitioners with their options, say metis,rcb,metis:method=recursive (default: all that fit "
     "the mesh); 'tess list partitioners' names them",
     2},
    {"block-size", KEY_BLOCK_SIZE, "N[,N...]", 0, "Most elements of a block (default: 128,256)", 2},
    {"points", KEY_POINTS, "increments|all", 0,
     "What blocks should share: points that are incremented (default) or all that are accessed", 2},
    {"repair", KEY_REPAIR, "split|move", 0,
     "What becomes of blocks over the block size: the overflow makes new blocks (default) or moves "
     "to neighbours with room",
     2},
    {"refine", KEY_REFINE, "EFFORT", 0,
     "Exchange elements between neighbouring blocks of every partition, 1 (quick) to 6 (long), so "
     "that they share fewer points",
     2},
    {"front", KEY_FRONT, NULL, 0,
     "What reuse costs in thread colours: mosaic's shapes from pencils to bricks", 2},
    {"seed", KEY_SEED, "N", 0, "Seed of everything random (default: 1)", 2},
    {"time-limit", KEY_TIME_LIMIT, "SECONDS", 0,
     "Longest time of one third-party partitioner (default: 600; 0: none)", 2},
    {"order", KEY_ORDER, "element|colour", 0,
     "Order of the elements inside a block (default: element)", 3},
    {"colouring", KEY_COLOURING, "fewest|dsatur|greedy", 0,
     "How threads and blocks are coloured (default: fewest; greedy is OP2's and the papers')", 3},
    {"renumber", KEY_RENUMBER, "none|gps|rcm|blocks|owner|colours", 0,
     "Where the points' data lie in memory (default: none)", 3},
    {"layout", KEY_LAYOUT, "aos|soa", 0, "Layout of the data (default: soa)", 3},
    {"lab", KEY_LAB, "DIR", 0, "Archive in this folder (default: $TESS_LAB, else ./lab)", 4},
    {"no-lab", KEY_NO_LAB, NULL, 0, "Archive nothing", 4},
    {"no-view", KEY_NO_VIEW, NULL, 0, "Write no file for ParaView", 4},
    TESS_IN_SITU_OPTIONS,
    {NULL},
};

static const char doc[] =
    "Compare partitioners on a mesh: cuts the elements of a loop into thread blocks, colours and "
    "checks every plan, and prints what it costs. The best value of each block size is marked.\v"
    "MESH is a file (SU2, Gmsh, OP2, gr3, meshb, UGRID; .xz .gz .zst as they are) or a generator, "
    "see 'tess mesh "
    "generate --help'.\n\n"
    "Examples:\n"
    "  tess partition wing.su2 --map edges:cells\n"
    "  tess partition wing.su2 --map edges:cells --partitioner metis,rcb --block-size 128,256\n"
    "  tess partition wing.su2 --map edges:cells --front\n"
    "  tess partition wing.su2 --map edges:cells --json | jq '.runs[].reuse_factor'\n\n"
    "reuse: how often a point that a block loads is used; larger is better. thread colours: rounds "
    "in which a block's threads add up, block colours: launches; fewer are better. 'tess explain "
    "METRIC' tells more, 'tess show RUN' all of a run, 'tess view RUN' shows its blocks.";

/* The options that choose by name: the names are in the order of core's enums. */
static const tess_choice choices[] = {
    TESS_PLAN_CHOICES(tess_partition_options),
    {KEY_LAYOUT, "layout", offsetof(tess_partition_options, layout), {"aos", "soa"}},
};

static error_t parse_choice(int key, const char *text, tess_partition_options *into) {
    return tess_command_choose(choices, sizeof choices / sizeof choices[0], key, text, into);
}

static error_t parser(int key, char *arg, struct argp_state *state) {
    tess_partition_options *into = state->input;
    switch (key) {
    case KEY_MAP:
        into->map = arg;
        return 0;
    case KEY_DAT:
        into->dat = arg;
        return 0;
    case KEY_PARTITIONER:
        into->partitioners = arg;
        return 0;
    case KEY_BLOCK_SIZE:
        into->block_sizes = arg;
        return 0;
    case KEY_LAB:
        into->lab = arg;
        return 0;
    case KEY_NO_LAB:
        into->no_lab = true;
        return 0;
    case KEY_NO_VIEW:
        into->no_view = true;
        return 0;
    case KEY_FRONT:
        into->front = true;
        return 0;
    case KEY_REFINE:
        return tess_command_refuse(tess_argument_integer("refine", arg, 0, 6, &into->refine));
    case KEY_SEED:
        return tess_command_refuse(tess_argument_integer("seed", arg, 0, INT64_MAX, &into->seed));
    case KEY_TIME_LIMIT:
        return tess_command_refuse(tess_argument_real("time-limit", arg, 0, &into->time_limit));
    case ARGP_KEY_ARG:
        if (into->mesh)
            return tess_command_refuse(
                tess_fail(TESS_ERROR_USAGE, "one mesh at a time: '%s' and '%s'", into->mesh, arg));
        into->mesh = arg;
        return 0;
    default: {
        const error_t error = tess_in_situ_parse(key, arg, &into->in_situ);
        return error == ARGP_ERR_UNKNOWN ? parse_choice(key, arg, into) : error;
    }
    }
}

tess_status tess_partition_options_parse(int argc, char **argv, tess_partition_options *into) {
    static const struct argp argp = {
        .options = options, .parser = parser, .args_doc = "MESH --map FROM:TO", .doc = doc};
    *into = (tess_partition_options){
        .block_sizes = "128,256", .seed = 1, .time_limit = 600, .layout = TESS_SOA};
    TRY(tess_command_parse(&argp, argc, argv, &into->common, into));
    if (!into->mesh)
        FAIL(TESS_ERROR_USAGE, "name a mesh: tess partition MESH --map FROM:TO");
    if (!into->map)
        FAIL(TESS_ERROR_USAGE,
             "say which map the loop increments through: --map FROM:TO; 'tess mesh info --maps %s' "
             "lists what this mesh has",
             into->mesh);
    if (into->front && into->partitioners)
        FAIL(TESS_ERROR_USAGE, "--front compares shapes of mosaic: leave out --partitioner");
    return TESS_OK;
}

tess_status tess_partition_setting_make(const tess_partition_options *asked, const tess_spec *spec,
                                        int32_t block_size, tess_setting *out) {
    *out = (tess_setting){.spec = spec,
                          .block_size = block_size,
                          .seed = (uint64_t)asked->seed,
                          .points = (tess_points)asked->points,
                          .repair = (tess_repair)asked->repair,
                          .refine = (int)asked->refine,
                          .plan = {.thread_order = (tess_thread_order)asked->order,
                                   .thread_colouring = (tess_colouring)asked->colouring},
                          .renumber = (tess_renumber_method)asked->renumber,
                          .layout = (tess_layout)asked->layout,
                          .time_limit = asked->time_limit};
    TRY(tess_partitioner_find(spec->name, &out->partitioner));
    return tess_spec_check(spec, out->partitioner->options);
}
