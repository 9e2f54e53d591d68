/* The command `tess ranks`: what ranks cost: counted for any number of them, and measured between
 * those that run. */
#include "core/base/argument.h"
#include "core/base/array.h"
#include "core/base/name_list.h"
#include "data/mesh_open.h"
#include "experiments/cli/command.h"
#include "experiments/cli/ranks/rank_options.h"
#include "experiments/cli/ranks/ranks_measure.h"
#include "experiments/report/ranks_against.h"
#include "experiments/report/table.h"
#include "kernels/applications/applications.h"
#include "kernels/exchange/rank_forecast.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST_RANKS = 1 << 20, MOST_COUNTS = 64 };

typedef struct ranks_options {
    tess_common common;
    const char *engine, *device; /* to measure with */
    bool measure;
    const char *application, *mesh, *partitioner, *network, *against, *chains;
    int64_t ranks[MOST_COUNTS];
    int n_ranks;
    tess_halo_mode mode;
    double steps[3]; /* s of a step on one rank, on two, that exchanges add there; 0: not said */
} ranks_options;

/* Whole numbers with commas between them. */
static tess_status read_ranks(const char *option, const char *text, void *options) {
    ranks_options *into = options;
    into->n_ranks = 0;
    char one[TESS_LISTED_SIZE];
    for (const char *rest = text; tess_name_list_next(&rest, one);) {
        if (into->n_ranks == MOST_COUNTS)
            FAIL(TESS_ERROR_USAGE, "--ranks takes at most %d numbers", MOST_COUNTS);
        TRY(tess_argument_integer(option, one, 1, MOST_RANKS, &into->ranks[into->n_ranks]));
        into->n_ranks++;
    }
    if (into->n_ranks == 0)
        FAIL(TESS_ERROR_USAGE, "--ranks takes numbers, say 4,64,1000");
    return TESS_OK;
}

static tess_status read_steps(const char *option, const char *text, void *options) {
    ranks_options *into = options;
    char one[TESS_LISTED_SIZE];
    int n = 0;
    for (const char *rest = text; tess_name_list_next(&rest, one); n++) {
        if (n == 3)
            FAIL(TESS_ERROR_USAGE,
                 "--step takes a step on one rank, one on two, and what exchanges "
                 "add to that");
        TRY(tess_argument_real(option, one, 0, &into->steps[n]));
    }
    return TESS_OK;
}

static const char *const modes[] = {TESS_HALO_NAMES, NULL};

static const tess_option_row options[] = {
    {"mesh", 'm', "MESH", "The mesh: a file or a generator", TESS_KEPT(ranks_options, mesh)},
    {"ranks", 0, "N,...", "How many ranks (default: 2,4,8)", .read = read_ranks},
    {"rank-partitioner", 0, "P", "How the mesh is cut: any partitioner (default: as by tess march)",
     TESS_KEPT(ranks_options, partitioner)},
    {"halo", 0, "MODE", "redundant or partial-sums, as for tess march (default: redundant)",
     TESS_KEPT_CHOICE(ranks_options, mode, modes)},
    {"chains", 0, "RUNS", "Runs of loops that are one kernel each, as for tess march",
     TESS_KEPT(ranks_options, chains)},
    {"step", 0, "SECONDS,...",
     "What a step takes on one rank, on two, and what exchanges add there: predicts more ranks",
     .read = read_steps},
    {"network", 0, "N", "nvlink, ndr or alpha=SECONDS:beta=BYTES_A_SECOND (default: nvlink)",
     TESS_KEPT(ranks_options, network)},
    {"against", 0, "FILE",
     "Predict marches that were measured, and print both; h200: those of H200s",
     TESS_KEPT(ranks_options, against)},
    {"measure", 0, NULL, "Measure what an exchange costs between these processes", 1,
     TESS_KEPT(ranks_options, measure)},
    {"engine", 0, "E", "What carries values: mpi, nccl or peer (default: mpi)", 1,
     TESS_KEPT(ranks_options, engine)},
    {"device", 'd', "D", "Where they lie: see tess list devices (default: host)", 1,
     TESS_KEPT(ranks_options, device)},
    {TESS_KEPT(ranks_options, application)},
    {0}};

static const tess_usage usage = {
    .options = options,
    .args_doc = "[APPLICATION --mesh MESH]",
    .doc =
        "Count what an application exchanges on any number of ranks, and predict what a step "
        "takes; no MPI is needed. With --measure: what an exchange between the ranks of a ring "
        "costs on this machine.\v"
        "What is counted is counted on the halos themselves. The prediction is a model: the "
        "step of one rank is divided, but the launch of each loop (4 us, or what --network says), "
        "or what the step of two shows that no division shortens; an exchange adds the launches "
        "that no core hides, or the third number of --step, and what packing, alpha + bytes / beta "
        "exceed the core of a loop by. Where it is not sure that the core hides an exchange, two "
        "times stand there: of all that may be hidden, and of nothing. From one rank:\n"
        "  tess ranks airfoil --mesh airfoil:i=800:j=1200 --ranks \\\n"
        "      4,64,1000 --step 1.006e-3\n"
        "How far off it is:\n"
        "  tess ranks --against h200\n"
        "Latency and bandwidth of a machine:\n"
        "  mpiexec -n 2 tess ranks --measure\n"
        "  mpiexec -n 2 tess ranks --measure --engine nccl --device cuda"};

/* One number of ranks. */
typedef struct counted_ranks {
    tess_halo_metrics halo;
    tess_rank_forecast forecast;
    double seconds[2]; /* of cutting, of halos */
} counted_ranks;

/* A time and its efficiency, or the least and the most of both. */
static tess_status add_forecast(tess_table *table, const tess_rank_forecast *forecast) {
    const double least = 1e3 * forecast->step, most = 1e3 * forecast->most;
    if (forecast->most > forecast->step) {
        TRY(tess_table_add_cell(table, "%.4g to %.4g", least, most));
        return tess_table_add_cell(table, "%.4g to %.4g", forecast->efficiency_least,
                                   forecast->efficiency);
    }
    TRY(tess_table_add_cell(table, "%.4g", least));
    return tess_table_add_cell(table, "%.4g", forecast->efficiency);
}

static tess_status print_table(const ranks_options *asked, const counted_ranks *all) {
    static const char *const titles[] = {
        "ranks", "elements a rank", "imbalance",      "core %",    "twice %",   "neighbours",
        "most",  "kB a step each",  "kB of the most", "ms a step", "efficiency"};
    const bool is_forecast = asked->steps[0] > 0;
    const int n_titles = (int)(sizeof titles / sizeof *titles) - (is_forecast ? 0 : 2);
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    CHECK(tess_table_new(NULL, &table));
    static const int yields[] = {0, 1, 5, 6, 3, 4, 2, 0, 7, 0, 0}; /* the highest yields first */
    for (int i = 0; i < n_titles; i++) {
        CHECK(tess_table_add_column(table, titles[i], TESS_ALIGN_RIGHT));
        tess_table_yield(table, yields[i]);
    }
    for (int i = 0; i < asked->n_ranks; i++) {
        const tess_halo_metrics *halo = &all[i].halo;
        const double values[] = {
            halo->n_ranks,          halo->elements,
            halo->rank_imbalance,   100 * halo->core_share,
            100 * halo->exec_share, halo->neighbours_mean,
            halo->neighbours_max,   1e-3 * (double)halo->exchange_bytes / halo->n_ranks,
            1e-3 * halo->bytes_max};
        CHECK(tess_table_add_row(table));
        for (int k = 0; k < (int)(sizeof values / sizeof *values); k++)
            CHECK(tess_table_add_cell(table, k == 1 ? "%.0f" : "%.4g", values[k]));
        if (is_forecast)
            CHECK(add_forecast(table, &all[i].forecast));
    }
    CHECK(tess_table_print(table, stdout));
done:
    tess_table_free(table);
    return status;
}

static tess_status print_json(const ranks_options *asked, const tess_rank_network *network,
                              const counted_ranks *all) {
    json_t *rows = json_array();
    for (int i = 0; i < asked->n_ranks; i++) {
        const tess_halo_metrics *halo = &all[i].halo;
        json_t *row = json_pack(
            "{s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:i, s:I, s:I, s:f, s:i, s:i, s:i, s:i, s:f, s:f}",
            "ranks", (int)halo->n_ranks, "elements", halo->elements, "rank_imbalance",
            halo->rank_imbalance, "core_share", halo->core_share, "exec_share", halo->exec_share,
            "read_share", halo->read_share, "neighbours_mean", halo->neighbours_mean,
            "neighbours_max", (int)halo->neighbours_max, "exchange_bytes",
            (json_int_t)halo->exchange_bytes, "exchange_messages",
            (json_int_t)halo->exchange_messages, "exchange_bytes_max", halo->bytes_max, "exchanges",
            halo->exchanges, "returns", halo->returns, "arriving_dats", halo->arriving_dats,
            "returned_dats", halo->returned_dats, "cut_seconds", all[i].seconds[0], "halo_seconds",
            all[i].seconds[1]);
        if (asked->steps[0] > 0)
            json_object_update_new(row, json_pack("{s:f, s:f, s:f}", "step_seconds",
                                                  all[i].forecast.step, "step_seconds_most",
                                                  all[i].forecast.most, "scaling_efficiency",
                                                  all[i].forecast.efficiency));
        json_array_append_new(rows, row);
    }
    return tess_json_print(json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:o}", "schema",
                                     "tess.ranks_forecast/1", "application", asked->application,
                                     "mesh", asked->mesh, "alpha", network->alpha, "beta",
                                     network->beta, "launch", network->launch, "rows", rows));
}

static tess_status count_all(const ranks_options *asked, const tess_rank_network *network) {
    tess_status status = TESS_OK;
    tess_rank_case of = {
        .partitioner = asked->partitioner, .mode = asked->mode, .chains = asked->chains};
    tess_mesh *mesh = NULL;
    counted_ranks *all = NULL;
    tess_halo_metrics two;
    int n_loops = 0;
    double seconds[2];
    const tess_rank_steps steps = {asked->steps[0], asked->steps[1], asked->steps[2], &two};
    CHECK(tess_application_find(asked->application, &of.application));
    CHECK(TESS_ZEROS(asked->n_ranks, &all));
    CHECK(tess_mesh_open(asked->mesh, &mesh));
    CHECK(tess_application_bind(of.application, mesh));
    of.mesh = mesh;
    if (steps.two > 0)
        CHECK(tess_rank_case_measure(&of, 2, &two, &n_loops, seconds));
    for (int i = 0; i < asked->n_ranks; i++) {
        CHECK(tess_rank_case_measure(&of, (int32_t)asked->ranks[i], &all[i].halo, &n_loops,
                                     all[i].seconds));
        all[i].forecast = tess_rank_forecast_make(&all[i].halo, n_loops, &steps, network);
    }
    CHECK(asked->common.json ? print_json(asked, network, all) : print_table(asked, all));
done:
    free(all);
    tess_mesh_free(mesh);
    return status;
}

static tess_status run(int argc, char **argv) {
    ranks_options asked = {.network = "nvlink", .ranks = {2, 4, 8}, .n_ranks = 3};
    TRY(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    const tess_ranks_measure_setting setting = {.engine = asked.engine ? asked.engine : "mpi",
                                                .device = asked.device ? asked.device : "host",
                                                .json = asked.common.json};
    if (asked.measure)
        return tess_ranks_measure(&setting);
    if (asked.engine || asked.device)
        FAIL(TESS_ERROR_USAGE, "--%s is for --measure: what is counted is the same on all",
             asked.engine ? "engine" : "device");
    tess_rank_network network;
    TRY(tess_rank_network_parse(asked.network, &network));
    if (asked.against)
        return tess_ranks_against(asked.against, &network, asked.common.json);
    if (!asked.application || !asked.mesh)
        FAIL(TESS_ERROR_USAGE,
             "say what to do: tess ranks APPLICATION --mesh MESH, or mpiexec -n 2 "
             "tess ranks --measure");
    return count_all(&asked, &network);
}

const tess_command tess_command_ranks = {
    .name = "ranks", .summary = "Count and measure what ranks cost", .run = run};
