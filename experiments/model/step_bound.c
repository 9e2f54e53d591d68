/* A step's bound: what the loops of a time step move and compute at least: loop by loop, in chains,
 * and as if each value were moved once. */
#include "experiments/model/step_bound.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "kernels/loops/loop_bytes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blocks of a set of points, for all chains that own it. */
typedef struct cut {
    char set[TESS_NAME_SIZE];
    tess_partition *partition;
} cut;

typedef struct finder {
    const tess_bound_setting *setting;
    tess_bound_loop **bound;     /* [n], owned */
    tess_operations *operations; /* [n]: of an element */
    tess_chain_step step;
    int n_cuts;
    cut *cuts; /* [n_cuts], at most one a loop; owned */
    tess_step_bound *out;
} finder;

static tess_status open_loops(finder *f) {
    const tess_bound_setting *s = f->setting;
    TRY(TESS_ZEROS(s->n, &f->bound));
    TRY(TESS_ZEROS(s->n, &f->operations));
    TRY(TESS_ZEROS(s->n, &f->cuts));
    TRY(TESS_ZEROS(s->n, &f->out->own));
    TRY(TESS_ZEROS(s->n, &f->out->loops));
    for (int k = 0; k < s->n; k++) {
        TRY(tess_interrupt_check());
        TRY(tess_kernel_loop(s->kernels[k], s->start->real, &f->out->own[k]));
        TRY(tess_kernel_bind(f->out->own[k], s->mesh, &f->bound[k]));
        int same = 0;
        while (s->kernels[same] != s->kernels[k])
            same++;
        if (same < k)
            f->operations[k] = f->operations[same];
        else
            TRY(tess_operations_count(s->kernels[k], f->bound[k], s->start, s->arithmetic,
                                      &f->operations[k]));
    }
    f->step = (tess_chain_step){.n = s->n, .loops = (const tess_loop *const *)f->out->own};
    return TESS_OK;
}

/* How many elements of its set the args of one dat reach: all where one is direct. */
static tess_status count_reached(const tess_bound_loop *bound, const tess_arg *dat, int64_t *out) {
    const int64_t n = tess_mesh_set_size(bound->mesh, dat->set);
    bool *seen = NULL;
    TRY(TESS_ZEROS(n, &seen));
    *out = 0;
    for (int a = 0; a < bound->loop->n_args; a++) {
        const tess_arg *arg = &bound->loop->args[a];
        if (!tess_arg_shares_dat(arg, dat))
            continue;
        if (!arg->map[0]) {
            *out = n;
            break;
        }
        const tess_map *map = tess_mesh_find_map(bound->mesh, arg->map);
        const int begin = arg->slot < 0 ? 0 : arg->slot;
        const int end = arg->slot < 0 ? map->arity : arg->slot + 1;
        for (int64_t e = 0; e < bound->n_elements; e++)
            for (int s = begin; s < end; s++) {
                const int32_t point = map->index[e * map->arity + s];
                if (point < 0 || seen[point])
                    continue;
                seen[point] = true;
                ++*out;
            }
    }
    free(seen);
    return TESS_OK;
}

/* Bytes that a loop moves: of each dat what it reaches, twice where it comes and goes; its maps. */
static tess_status loop_bytes(const tess_bound_loop *bound, double *out) {
    const tess_loop *loop = bound->loop;
    *out = (double)tess_map_bytes(bound);
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        bool comes_and_goes = false;
        int64_t n = 0;
        if (tess_loop_first_of_dat(loop, a) < a)
            continue;
        for (int b = a; b < loop->n_args; b++)
            comes_and_goes |= tess_arg_shares_dat(&loop->args[b], arg) &&
                              (loop->args[b].access == TESS_INC || loop->args[b].access == TESS_RW);
        TRY(count_reached(bound, arg, &n));
        *out +=
            (comes_and_goes ? 2.0 : 1.0) * arg->dim * (double)tess_type_size(arg->type) * (double)n;
    }
    return TESS_OK;
}

static tess_status describe_loops(finder *f) {
    for (int k = 0; k < f->setting->n; k++) {
        tess_bound_part *part = &f->out->loops[k];
        *part = (tess_bound_part){.first = k, .n = 1, .points = 1};
        TRY(loop_bytes(f->bound[k], &part->bytes));
        tess_operations_add(&part->operations, (double)f->bound[k]->n_elements, &f->operations[k]);
    }
    return TESS_OK;
}

/* What points are: the first set that a loop adds to; else the set of the first loop. */
static void find_points(finder *f) {
    const char *set = f->out->own[0]->set;
    for (int k = f->setting->n - 1; k >= 0; k--)
        for (int a = f->out->own[k]->n_args - 1; a >= 0; a--)
            if (tess_arg_adds(&f->out->own[k]->args[a]))
                set = f->out->own[k]->args[a].set;
    snprintf(f->out->points, sizeof f->out->points, "%s", set);
    f->out->n_points = tess_mesh_set_size(f->setting->mesh, set);
}

/* --- bytes ------------------------------------------------------------------------------------ */

static double map_bytes(const finder *f, int first, int n) {
    return (double)tess_maps_bytes(f->step.loops + first, n, f->setting->mesh);
}

/* Bytes of an arg's dat, once. */
static double bytes_of(const finder *f, const char *set, int dim, tess_type type) {
    return (double)dim * (double)tess_type_size(type) *
           (double)tess_mesh_set_size(f->setting->mesh, set);
}

/* What a step does with a dat. */
typedef struct step_use {
    bool used;    /* what was there before it: no loop before that overwrites it */
    bool written; /* by some loop */
    bool cleared; /* by the last that writes it */
    int dim;      /* the most that an arg has */
} step_use;

static step_use use_of(const finder *f, const tess_arg *dat) {
    step_use use = {.used = false};
    bool gone = false;
    for (int k = 0; k < f->setting->n; k++) {
        const tess_loop *loop = f->out->own[k];
        bool overwritten = false;
        for (int a = 0; a < loop->n_args; a++) {
            const tess_arg *arg = &loop->args[a];
            if (!tess_arg_shares_dat(arg, dat))
                continue;
            use.used |= !gone && arg->access != TESS_WRITE;
            use.written |= arg->access != TESS_READ;
            use.dim = arg->dim > use.dim ? arg->dim : use.dim;
            if (arg->access != TESS_READ)
                use.cleared = arg->cleared;
            overwritten |= arg->access == TESS_WRITE && !arg->map[0] && !arg->is_part;
        }
        gone |= overwritten;
    }
    return use;
}

static bool is_first_of_dat(const finder *f, int k, int a) {
    for (int i = 0; i <= k; i++)
        for (int b = 0; b < (i < k ? f->out->own[i]->n_args : a); b++)
            if (tess_arg_shares_dat(&f->out->own[i]->args[b], &f->out->own[k]->args[a]))
                return false;
    return true;
}

/* The step, each value moved once: in where the step uses what was there, out where the next one
 * does. */
static void describe_once(finder *f) {
    tess_bound_part *part = &f->out->once;
    *part = (tess_bound_part){.n = f->setting->n, .points = 1};
    part->bytes = map_bytes(f, 0, f->setting->n);
    for (int k = 0; k < f->setting->n; k++) {
        tess_operations_add(&part->operations, 1, &f->out->loops[k].operations);
        for (int a = 0; a < f->out->own[k]->n_args; a++) {
            const tess_arg *arg = &f->out->own[k]->args[a];
            const step_use use = use_of(f, arg);
            if (is_first_of_dat(f, k, a) && use.used && !use.cleared)
                part->bytes += (use.written ? 2 : 1) * bytes_of(f, arg->set, use.dim, arg->type);
        }
    }
}

static double chain_bytes(const finder *f, const tess_chain *chain) {
    return map_bytes(f, chain->first, chain->n_loops) +
           (double)tess_chain_dat_bytes(chain, f->setting->mesh);
}

/* --- blocks and rings ------------------------------------------------------------------------- */

/* The loop of a chain that adds to its points; else one that reads them through a map. */
static int reacher_of(const tess_chain *chain) {
    int reader = 0;
    for (int k = 0; k < chain->n_loops; k++)
        for (int a = 0; a < chain->loops[k].loop->n_args; a++) {
            const tess_arg *arg = &chain->loops[k].loop->args[a];
            if (!arg->map[0] || strcmp(arg->set, chain->owner) != 0)
                continue;
            if (arg->access == TESS_INC)
                return k;
            reader = k;
        }
    return reader;
}

/* The points of a chain's owner in blocks; those of the first chain that needs them serve all. */
static tess_status cut_points(finder *f, const tess_chain *chain, const tess_partition **out) {
    tess_status status = TESS_OK;
    tess_partition_problem *problem = NULL;
    const int set = tess_mesh_find_set(f->setting->mesh, chain->owner);
    double seconds = 0;
    const int k = reacher_of(chain);
    for (int i = 0; i < f->n_cuts; i++)
        if (strcmp(f->cuts[i].set, chain->owner) == 0) {
            *out = f->cuts[i].partition;
            return TESS_OK;
        }
    cut *of = &f->cuts[f->n_cuts];
    snprintf(of->set, sizeof of->set, "%s", chain->owner);
    const tess_bound_loop *bound = f->bound[chain->first + k];
    CHECK(
        chain->loops[k].gathered
            ? tess_partition_problem_build_inverse(bound, set, f->setting->block_size, 1, &problem)
            : tess_partition_problem_build(bound, TESS_POINTS_ALL, f->setting->block_size, 1,
                                           &problem));
    CHECK(tess_partitioner_run(f->setting->partitioner, problem, f->setting->spec,
                               TESS_REPAIR_SPLIT, &seconds, &of->partition));
    f->n_cuts++;
    *out = of->partition;
done:
    tess_partition_problem_free(problem);
    return status;
}

/* How often an element of a loop's set is computed: by each point of blocks and their rings that it
 * adds to, or once by each block, as the chain's text does. */
static tess_status count_computed(const tess_chain_setting *setting, const tess_mesh *mesh,
                                  const tess_chain_loop *of, double *n) {
    const tess_chain_blocks *blocks = setting->blocks;
    const tess_chain_entries *entries = tess_chain_entries_of(blocks, of->loop->set);
    tess_status status = TESS_OK;
    tess_chain_list once = {.most = 0};
    const bool is_once = tess_chain_pays_once(setting, entries);
    *n = 0;
    if (is_once)
        CHECK(tess_chain_list_build(setting->chain, mesh, blocks, entries->set, NULL, &once));
    for (int32_t b = 0; b < blocks->n_blocks; b++) {
        const int64_t begin = blocks->place[(int64_t)b * (blocks->n_rings + 2)],
                      end = begin + tess_chain_points(blocks, b, of->ring);
        for (int64_t k = begin; !is_once && k < end; k++)
            for (int64_t at = -1; (at = tess_chain_next_entry(entries, k, at)) >= 0;)
                ++*n;
        *n += is_once ? once.n[b] : 0;
    }
done:
    tess_chain_list_clear(&once);
    return status;
}

static double points_of(const tess_chain_blocks *blocks, int ring) {
    double n = 0;
    for (int32_t b = 0; b < blocks->n_blocks; b++)
        n += (double)tess_chain_points(blocks, b, ring);
    return n;
}

tess_status tess_chain_operations(const tess_chain_setting *setting, const tess_mesh *mesh,
                                  const tess_operations *each, tess_operations *out) {
    const tess_chain *chain = setting->chain;
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_chain_loop *of = &chain->loops[k];
        double n = (double)tess_mesh_set_size(mesh, of->loop->set);
        if (setting->blocks && of->gathered)
            TRY(count_computed(setting, mesh, of, &n));
        else if (setting->blocks)
            n = points_of(setting->blocks, of->ring);
        tess_operations_add(out, n, &each[k]);
    }
    return TESS_OK;
}

static bool has_blocks(const tess_chain *chain) {
    for (int k = 0; k < chain->n_loops; k++)
        if (chain->loops[k].gathered)
            return true;
    return chain->load_rings > 0;
}

static tess_status describe_chain(finder *f, const tess_chain *chain, tess_bound_part *part) {
    tess_status status = TESS_OK;
    tess_chain_blocks *blocks = NULL;
    const tess_partition *partition = NULL;
    *part = (tess_bound_part){.first = chain->first,
                              .n = chain->n_loops,
                              .n_rings = chain->n_rings,
                              .points = 1,
                              .bytes = chain_bytes(f, chain)};
    CHECK(tess_interrupt_check());
    if (has_blocks(chain)) {
        CHECK(cut_points(f, chain, &partition));
        CHECK(tess_chain_blocks_build(chain, f->setting->mesh, partition->block_of,
                                      partition->n_blocks, NULL, &blocks));
        part->n_blocks = partition->n_blocks;
        part->points = points_of(blocks, blocks->n_rings) / (double)partition->n_elements;
    }
    const tess_chain_setting text = {
        .chain = chain, .blocks = blocks, .kernels = f->setting->kernels + chain->first};
    CHECK(tess_chain_operations(&text, f->setting->mesh, f->operations + chain->first,
                                &part->operations));
done:
    tess_chain_blocks_free(blocks);
    return status;
}

/* --- chains ----------------------------------------------------------------------------------- */

/* Keeps why a run is no chain, unless that was said of an earlier one. */
static tess_status refuse(finder *f, int first, int n) {
    tess_step_bound *out = f->out;
    for (int i = 0; i < out->n_refusals; i++)
        if (strncmp(out->refusals[i].why, tess_message(), sizeof out->refusals[i].why - 1) == 0)
            return TESS_OK;
    tess_bound_refusal *refusals =
        realloc(out->refusals, (size_t)(out->n_refusals + 1) * sizeof *refusals);
    if (!refusals)
        FAIL(TESS_ERROR_MEMORY, "out of memory: why loops are no chain");
    out->refusals = refusals;
    refusals[out->n_refusals] = (tess_bound_refusal){.first = first, .n = n};
    snprintf(refusals[out->n_refusals++].why, sizeof refusals->why, "%s", tess_message());
    return TESS_OK;
}

/* Finds all legal chains: [n][n], by first loop and number of loops - 1; the others are NULL. */
static tess_status find_chains(finder *f, tess_chain **chains) {
    const int n = f->setting->n;
    for (int first = 0; first < n; first++) {
        bool refused = false;
        for (int length = 2; first + length <= n; length++) {
            const tess_status status =
                tess_chain_build(&f->step, first, length, &chains[first * n + length - 1]);
            if (status != TESS_OK && status != TESS_ERROR_USAGE)
                return status;
            if (status == TESS_ERROR_USAGE && !refused)
                TRY(refuse(f, first, length));
            refused |= status == TESS_ERROR_USAGE;
        }
    }
    return TESS_OK;
}

/* The described chain of a run; describes it where that is new. */
static tess_status described(finder *f, const tess_chain *chain, const tess_bound_part **out) {
    tess_step_bound *bound = f->out;
    for (int c = 0; c < bound->n_chains; c++)
        if (bound->chains[c].first == chain->first && bound->chains[c].n == chain->n_loops) {
            *out = &bound->chains[c];
            return TESS_OK;
        }
    *out = &bound->chains[bound->n_chains];
    TRY(describe_chain(f, chain, &bound->chains[bound->n_chains]));
    bound->n_chains++;
    return TESS_OK;
}

/* Adds the cut with at most so many rings, unless the one before has its chains. */
static tess_status add_cut(finder *f, tess_chain *const *chains, int most_rings) {
    tess_step_bound *bound = f->out;
    const int n = f->setting->n, n_before = bound->n_chains;
    tess_bound_part sum = {.n = n, .n_rings = most_rings, .points = 1};
    for (int first = 0, length = 0; first < n; first += length) {
        const tess_bound_part *part = &bound->loops[first];
        for (length = n - first; length > 1; length--) {
            const tess_chain *chain = chains[first * n + length - 1];
            if (!chain || chain->n_rings > most_rings)
                continue;
            TRY(described(f, chain, &part));
            break;
        }
        sum.bytes += part->bytes;
        tess_operations_add(&sum.operations, 1, &part->operations);
    }
    if (bound->n_chains > n_before)
        bound->cuts[bound->n_cuts++] = (tess_bound_cut){most_rings, sum};
    return TESS_OK;
}

static tess_status describe_chains(finder *f, bool all) {
    const int n = f->setting->n;
    const tess_bound_part *part = NULL;
    tess_status status = TESS_OK;
    tess_chain **chains = NULL;
    int most_rings = -1;
    CHECK(TESS_ZEROS((int64_t)n * n, &chains));
    CHECK(TESS_ZEROS((int64_t)n * n, &f->out->chains));
    CHECK(find_chains(f, chains));
    for (int i = 0; i < n * n; i++)
        if (chains[i] && chains[i]->n_rings > most_rings)
            most_rings = chains[i]->n_rings;
    CHECK(TESS_ZEROS(most_rings + 1, &f->out->cuts));
    for (int rings = 0; rings <= most_rings; rings++)
        CHECK(add_cut(f, chains, rings));
    for (int i = 0; all && i < n * n; i++)
        if (chains[i])
            CHECK(described(f, chains[i], &part));
done:
    for (int i = 0; chains && i < n * n; i++)
        tess_chain_free(chains[i]);
    free(chains);
    return status;
}

tess_status tess_step_bound_find(const tess_bound_setting *setting, bool all,
                                 tess_step_bound *out) {
    tess_status status = TESS_OK;
    finder f = {.setting = setting, .out = out};
    *out = (tess_step_bound){
        .real = setting->start->real, .arithmetic = setting->arithmetic, .n = setting->n};
    CHECK(open_loops(&f));
    find_points(&f);
    CHECK(describe_loops(&f));
    describe_once(&f);
    CHECK(describe_chains(&f, all));
done:
    for (int k = 0; f.bound && k < setting->n; k++)
        tess_bound_loop_free(f.bound[k]);
    for (int i = 0; i < f.n_cuts; i++)
        tess_partition_free(f.cuts[i].partition);
    free(f.cuts);
    free(f.bound);
    free(f.operations);
    if (status != TESS_OK)
        tess_step_bound_clear(out);
    return status;
}

void tess_step_bound_clear(tess_step_bound *bound) {
    for (int k = 0; bound->own && k < bound->n; k++)
        tess_loop_free(bound->own[k]);
    free(bound->own);
    free(bound->loops);
    free(bound->chains);
    free(bound->cuts);
    free(bound->refusals);
    *bound = (tess_step_bound){.n = 0};
}

/* --- times ------------------------------------------------------------------------------------ */

/* Flops that a GPU computes in the time of a reciprocal and of a root, by arithmetic and type: two
 * for each instruction of the unit that multiplies and adds, in what NVRTC 13 makes of them for
 * sm_90. A quotient takes more. */
static const struct {
    double division, root;
} costs[][2] = {
    [TESS_ARITHMETIC_EXACT] = {{6, 8}, {10, 16}},
    [TESS_ARITHMETIC_FAST] = {{1, 1}, {6, 12}},
};

double tess_operations_cost(const tess_operations *operations, tess_type real,
                            tess_arithmetic arithmetic) {
    const bool is_double = real == TESS_DOUBLE;
    return operations->sums + operations->products + operations->functions +
           costs[arithmetic][is_double].division * operations->divisions +
           costs[arithmetic][is_double].root * operations->roots;
}

tess_status tess_bound_times_of(const tess_step_bound *bound, const tess_bound_part *part,
                                const tess_machine *machine, tess_bound_times *out) {
    const double bandwidth = machine->has[TESS_CONSTANT_copy_bandwidth]
                                 ? machine->number[TESS_CONSTANT_copy_bandwidth]
                                 : machine->bandwidth[TESS_BANDWIDTH_MEMORY];
    const double flops = tess_operations_cost(&part->operations, bound->real, bound->arithmetic);
    if (isnan(bandwidth))
        FAIL(TESS_ERROR_INPUT,
             "machine %s lacks a bandwidth: add 'copy_bandwidth' (B/s) to 'numbers' of its file, "
             "with unit and source",
             machine->name);
    *out = (tess_bound_times){part->bytes / bandwidth,
                              flops / machine->flop_rate[bound->real == TESS_DOUBLE]};
    return TESS_OK;
}
