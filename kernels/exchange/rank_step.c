/* A rank step: one time step of the ranks of a process. */
#include "kernels/exchange/rank_step.h"

#include <limits.h>
#include <math.h>

/* Even. */
enum { STEPS_A_GRAPH = 4 };

static const tess_member_loop *loop_of(const tess_member *member, int part) {
    return &member->loops[member->base->schedule->parts[part].loop];
}

static tess_status start_arrivals(const tess_member *member, int part) {
    return member->arrivals[part] ? tess_transfer_start(member->arrivals[part]) : TESS_OK;
}

static tess_status finish_arrivals(const tess_member *member, int part) {
    return member->arrivals[part] ? tess_transfer_finish(member->arrivals[part]) : TESS_OK;
}

static tess_status start_returns(const tess_member *member, int part) {
    tess_transfer *returns = loop_of(member, part)->returns;
    return returns ? tess_transfer_start(returns) : TESS_OK;
}

static tess_status finish_returns(const tess_member *member, int part) {
    tess_transfer *returns = loop_of(member, part)->returns;
    return returns ? tess_transfer_finish(returns) : TESS_OK;
}

static tess_status pack_all(const tess_member *member, int part) {
    const tess_transfer *returns = loop_of(member, part)->returns;
    if (member->arrivals[part])
        TRY(tess_transfer_pack(member->arrivals[part]));
    return returns ? tess_transfer_pack(returns) : TESS_OK;
}

/* The chain that a part of the step is; NULL: it is a loop. */
static const tess_chain *chain_of(const tess_member *member, int part) {
    const tess_team_base *base = member->base;
    return base->ranking->loops[base->schedule->parts[part].loop].chain;
}

static tess_status run_chain(const tess_member *member, int part, tess_chain_blocks_of blocks) {
    return tess_member_run_chain(member, member->base->schedule->parts[part].loop, blocks);
}

/* Buffers of a chain change places when all of it has run. */
static tess_status swap_buffers(const tess_member *member, int part) {
    if (chain_of(member, part))
        tess_chained_step_swap(member->chained, chain_of(member, part)->first);
    return TESS_OK;
}

static tess_status run_early(const tess_member *member, int part) {
    if (chain_of(member, part))
        return member->base->setting->overlap ? run_chain(member, part, TESS_CHAIN_CORE) : TESS_OK;
    return tess_rank_loop_run(&loop_of(member, part)->loop, TESS_EARLY);
}

static tess_status run_rest(const tess_member *member, int part) {
    if (chain_of(member, part) && !member->base->setting->overlap)
        TRY(run_chain(member, part, TESS_CHAIN_CORE));
    if (chain_of(member, part))
        return run_chain(member, part, TESS_CHAIN_REST);
    return tess_rank_loop_run(&loop_of(member, part)->loop, TESS_REST);
}

static tess_status run_late(const tess_member *member, int part) {
    if (chain_of(member, part))
        return TESS_OK;
    return tess_rank_loop_run(&loop_of(member, part)->loop, TESS_LATE);
}

/* What has one value at all elements of other ranks, from the dat of an arg on. */
static tess_moved imports_of(const tess_member *member, const tess_arg *arg, double value) {
    const tess_stored *dat = tess_store_find(member->store, arg->dat, arg->set);
    const tess_rank_set *set = &member->rank_mesh->sets[dat->dat->set];
    return (tess_moved){
        .dat = dat, .first = set->n_owned, .n = set->n - set->n_owned, .value = value};
}

static tess_status fill_imports(const tess_member *member, const tess_arg *arg, double value) {
    const tess_moved moved = imports_of(member, arg, value);
    return tess_mover_move(member->base->mover, TESS_FILL, &moved, 1);
}

/* Sums for points of others begin at 0. */
static tess_status clear_sums(const tess_member *member, int part) {
    const int l = member->base->schedule->parts[part].loop;
    const tess_halo_loop *halo = &member->base->halo->loops[l];
    tess_moved sums[TESS_MOVED_AT_ONCE];
    int n = 0;
    for (int i = 0; i < halo->n_returns; i++) {
        const int arg = halo->returns[i].arg;
        sums[n++] = imports_of(member, &member->base->schedule->bare[l]->args[arg], 0);
        if (n < TESS_MOVED_AT_ONCE && i + 1 < halo->n_returns)
            continue;
        TRY(tess_mover_move(member->base->mover, TESS_FILL, sums, n));
        n = 0;
    }
    return TESS_OK;
}

/* What no loop computes. */
static double no_value(const tess_arg *arg) {
    return arg->type == TESS_INT32 ? INT_MIN : NAN;
}

/* What the loop wrote is not what other ranks have written: whoever reads it shows. */
static tess_status spoil_imports(const tess_member *member, int part) {
    const tess_loop *loop = member->base->schedule->bare[member->base->schedule->parts[part].loop];
    for (int a = 0; a < loop->n_args && member->base->setting->spoils; a++)
        if (loop->args[a].set[0] && loop->args[a].access != TESS_READ &&
            tess_loop_first_of_dat(loop, a) == a)
            TRY(fill_imports(member, &loop->args[a], no_value(&loop->args[a])));
    return TESS_OK;
}

/* What is to arrive before the loop is not there yet: whoever reads it shows. */
static tess_status spoil_arrivals(const tess_member *member, int part) {
    const tess_schedule_part *of = &member->base->schedule->parts[part];
    const tess_loop *loop = member->base->schedule->bare[of->loop];
    for (int a = 0; a < loop->n_args; a++)
        if (of->arrives[a])
            TRY(fill_imports(member, &loop->args[a], no_value(&loop->args[a])));
    return TESS_OK;
}

typedef tess_status stage(const tess_member *member, int part);

/* All ranks of this process come to one stage before any goes on to the next. */
static tess_status each(const tess_rank_step *step, int part, stage *run) {
    for (int32_t i = 0; i < step->n_members; i++)
        TRY(run(&step->members[i], part));
    return TESS_OK;
}

/* Runs what ranks compute, and counts it where that is asked for. */
static tess_status compute(const tess_rank_step *step, int part, stage *run) {
    const tess_device *device = step->base->device;
    if (!step->counts)
        return each(step, part, run);
    for (int32_t i = 0; i < step->n_members; i++) {
        device->reset_counters(step->base->target);
        TRY(run(&step->members[i], part));
        tess_counters_add(&step->members[i].counters, device->counters(step->base->target));
    }
    return TESS_OK;
}

/* The rest beside the core: after what arrived, since it runs beside, too. */
static tess_status run_rest_beside(const tess_member *member, int part) {
    const tess_device *device = member->base->device;
    tess_target *target = member->base->target;
    TRY(device->beside_start(target));
    const tess_status status = run_rest(member, part);
    TRY(device->beside_stop(target));
    return status;
}

static tess_status wait_for_rest(const tess_member *member, int part) {
    (void)part;
    return member->base->device->beside_wait(member->base->target);
}

/* One loop of the step whose core and rest write nothing in common: all that travels, and the rest
 * between, runs beside the core. */
static tess_status run_part_beside(const tess_rank_step *step, int part, bool exchanges) {
    TRY(each(step, part, clear_sums));
    if (exchanges)
        TRY(each(step, part, start_arrivals));
    TRY(each(step, part, run_rest_beside));
    if (exchanges)
        TRY(each(step, part, start_returns));
    TRY(each(step, part, run_early));
    TRY(each(step, part, run_late));
    if (exchanges) {
        TRY(each(step, part, finish_arrivals));
        TRY(each(step, part, finish_returns));
    }
    TRY(each(step, part, wait_for_rest));
    TRY(each(step, part, swap_buffers));
    return each(step, part, spoil_imports);
}

static bool runs_rest_beside(const tess_rank_step *step, int part) {
    return tess_member_runs_rest_beside(&step->members[0], step->base->schedule->parts[part].loop);
}

/* One loop of the step. What arrives travels while the early part of the core runs, which reads
 * nothing that arrives; sums of the rest, by TESS_HALO_PARTIAL_SUMS, while the late one does, which
 * adds to no point of another rank. */
static tess_status run_part(const tess_rank_step *step, int part) {
    TRY(each(step, part, clear_sums));
    TRY(each(step, part, start_arrivals));
    TRY(compute(step, part, run_early));
    TRY(each(step, part, finish_arrivals));
    TRY(compute(step, part, run_rest));
    TRY(each(step, part, start_returns));
    TRY(compute(step, part, run_late));
    TRY(each(step, part, finish_returns));
    TRY(each(step, part, swap_buffers));
    return each(step, part, spoil_imports);
}

/* The exchanges of one loop, with nothing beside them. */
static tess_status exchange_part(const tess_rank_step *step, int part) {
    TRY(each(step, part, start_arrivals));
    TRY(each(step, part, finish_arrivals));
    TRY(each(step, part, start_returns));
    return each(step, part, finish_returns);
}

/* One loop as run_part does it, but nothing runs while values travel, or none do. */
static tess_status run_part_apart(const tess_rank_step *step, int part, bool exchanges) {
    TRY(each(step, part, clear_sums));
    if (exchanges) {
        TRY(each(step, part, start_arrivals));
        TRY(each(step, part, finish_arrivals));
    }
    TRY(each(step, part, run_early));
    TRY(each(step, part, run_rest));
    if (exchanges) {
        TRY(each(step, part, start_returns));
        TRY(each(step, part, finish_returns));
    }
    TRY(each(step, part, run_late));
    TRY(each(step, part, swap_buffers));
    return each(step, part, spoil_imports);
}

/* Whether a step of this kind runs the loops. */
static bool computes(tess_team_variant variant) {
    return variant != TESS_EXCHANGE_ALONE && variant != TESS_PACKING_ALONE;
}

static tess_status run_part_by(const tess_rank_step *step, int part, tess_team_variant variant) {
    const bool beside = runs_rest_beside(step, part);
    switch (variant) {
    case TESS_OVERLAPPED:
        return beside ? run_part_beside(step, part, true) : run_part(step, part);
    case TESS_SERIAL:
        return run_part_apart(step, part, true);
    case TESS_UNEXCHANGED:
        return beside ? run_part_beside(step, part, false) : run_part_apart(step, part, false);
    case TESS_EXCHANGE_ALONE:
        return exchange_part(step, part);
    case TESS_PACKING_ALONE:
    case TESS_N_TEAM_VARIANTS:
        break;
    }
    return each(step, part, pack_all);
}

/* The buffers of chains change places in each step. */
static tess_status run_once(tess_rank_step *step, tess_team_variant variant) {
    for (int part = 0; part < step->base->schedule->n_parts; part++) {
        TRY(run_part_by(step, part, variant));
        if (step->base->setting->pulse)
            ++*step->base->setting->pulse;
    }
    step->is_odd ^= computes(variant);
    return TESS_OK;
}

/* Keeps the launches and messages of steps in a graph. An even number of them finds the buffers of
 * chains as it leaves them. */
static tess_status keep_steps(tess_rank_step *step, tess_team_variant variant,
                              tess_launch_graph **out) {
    const tess_device *device = step->base->device;
    tess_status kept = TESS_OK;
    TRY(device->graph_start(step->base->target));
    for (int i = 0; i < STEPS_A_GRAPH && kept == TESS_OK; i++)
        kept = run_once(step, variant);
    const tess_status stopped = device->graph_stop(step->base->target, out);
    return kept != TESS_OK ? kept : stopped;
}

static tess_status launch_steps(tess_rank_step *step, tess_team_variant variant) {
    tess_launch_graph **graph = &step->graphs[variant][step->is_odd];
    if (!*graph)
        TRY(keep_steps(step, variant, graph));
    if (step->base->setting->pulse)
        ++*step->base->setting->pulse;
    return step->base->device->graph_launch(step->base->target, *graph);
}

tess_status tess_rank_step_spoil(const tess_rank_step *step) {
    for (int part = 0; part < step->base->schedule->n_parts; part++)
        TRY(each(step, part, spoil_arrivals));
    return TESS_OK;
}

tess_status tess_rank_step_run(tess_rank_step *step, tess_team_variant variant, int n) {
    for (int i = 0; i < n;) {
        const bool together = step->base->setting->graph && step->is_warm && n - i >= STEPS_A_GRAPH;
        TRY(together ? launch_steps(step, variant) : run_once(step, variant));
        step->is_warm = true;
        i += together ? STEPS_A_GRAPH : 1;
    }
    return TESS_OK;
}

void tess_rank_step_close(tess_rank_step *step) {
    for (int v = 0; v < TESS_N_TEAM_VARIANTS; v++)
        for (int odd = 0; odd < 2; odd++)
            if (step->graphs[v][odd])
                step->base->device->graph_free(step->base->target, step->graphs[v][odd]);
}
