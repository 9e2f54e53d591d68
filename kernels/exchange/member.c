/* A member: one rank of a team, on its device. */
#include "kernels/exchange/member.h"

#include "core/base/array.h"
#include "core/plan/plan_check.h"
#include "core/ranks/halo_check.h"
#include "kernels/exchange/rank_state.h"
#include "kernels/run/declarations.h"
#include <stdlib.h>
#include <string.h>

/* --- loops in two cuts ------------------------------------------------------------------------ */

/* One loop of a member while it is opened. */
typedef struct opening {
    tess_member *member;
    int loop;
    bool is_primary; /* it is the setting's loop */
    tess_execution_options options;
} opening;

/* The set that blocks own in strategies over points: the one that the loop adds to. */
static const char *owned_set(const tess_bound_loop *bound) {
    int r = 0;
    while (r + 1 < bound->n_targets && !bound->targets[r].incremented)
        r++;
    return bound->mesh->sets[bound->targets[r].set].name;
}

/* The plan of a part, in the part's own numbers, proved. */
static tess_status plan_part(const opening *o, const tess_bound_loop *part, tess_plan **out) {
    tess_status status = TESS_OK;
    const tess_team_setting *setting = o->member->base->setting;
    tess_partition *partition = NULL;
    if (part->n_targets == 0)
        return tess_kernel_plan_direct(part, NULL, setting->block_size, out);
    if (o->options.strategy->owns_points) {
        CHECK(setting->cut(setting->cut_context, part, owned_set(part), &partition));
        CHECK(tess_plan_build_owned(part, tess_mesh_find_set(part->mesh, owned_set(part)),
                                    partition, setting->plan, out));
    } else if (o->is_primary) {
        CHECK(setting->cut(setting->cut_context, part, NULL, &partition));
        CHECK(tess_plan_build(part, partition, setting->plan, out));
    } else {
        CHECK(tess_partition_in_order(part, NULL, setting->block_size, &partition));
        CHECK(tess_plan_build(part, partition, NULL, out));
    }
    if (setting->checked)
        CHECK(tess_plan_check(part, partition->block_of, *out));
done:
    tess_partition_free(partition);
    return status;
}

/* Adds the blocks of a part's plan, which is in the part's own numbers. */
static tess_status count_blocks(const tess_bound_loop *part, const tess_plan *plan,
                                tess_rank_blocks *to) {
    tess_reuse reuse;
    TRY(tess_reuse_count(part, plan, &reuse));
    to->blocks += plan->n_blocks;
    to->reuse.accesses += reuse.accesses;
    to->reuse.points += reuse.points;
    return TESS_OK;
}

/* Elements of a loop that run together. */
typedef struct phase_span {
    const char *name; /* in the folder of its page */
    int64_t first, end;
} phase_span;

static tess_status open_phase(opening *o, phase_span span, tess_member_phase *out) {
    tess_status status = TESS_OK;
    const int64_t first = span.first;
    tess_member *member = o->member;
    tess_member_loop *loop = &member->loops[o->loop];
    const tess_team_setting *setting = member->base->setting;
    tess_bound_loop *part = NULL;
    char *folder = NULL;
    if (first == span.end)
        return TESS_OK;
    CHECK(tess_bound_loop_part(loop->bound, first, span.end, &part));
    CHECK(plan_part(o, part, &out->plan));
    if (o->is_primary && setting->counted && part->n_targets > 0)
        CHECK(count_blocks(part, out->plan, &member->blocks));
    if (o->is_primary && setting->keep_text)
        CHECK(tess_text_print(&folder, "%s/rank%d-%s", setting->keep_text, member->rank_mesh->rank,
                              span.name));
    o->options.keep_text = folder;
    for (int64_t k = 0; k < out->plan->n_executed; k++)
        out->plan->executed[k] += (int32_t)first;
    CHECK(tess_execution_open(&o->options, o->member->store, loop->bound, out->plan,
                              &out->execution));
done:
    free(folder);
    tess_bound_loop_free(part);
    return status;
}

static bool waits_for_arrivals(const tess_team_base *base, int l) {
    bool any = false;
    for (int i = 0; i < base->schedule->n_parts; i++)
        any |= base->schedule->parts[i].loop == l && base->schedule->parts[i].exchanges;
    return any;
}

/* Opens a loop: in two cuts where it waits, so that its core runs meanwhile. Strategies that own
 * points or go through what is stored one by one take all elements at once. */
static tess_status open_loop(tess_member *member, int l) {
    const tess_team_base *base = member->base;
    const tess_ranked_loop *ranked = &base->ranking->loops[l];
    tess_member_loop *loop = &member->loops[l];
    opening o = {.member = member,
                 .loop = l,
                 .is_primary = base->schedule->kernels[l] == base->setting->kernel,
                 .options = {.kernel = base->schedule->kernels[l],
                             .strategy = base->other_strategy,
                             .spec = &base->others,
                             .threads = base->setting->threads,
                             .arithmetic = base->setting->arithmetic,
                             .whole = base->ranking->mesh,
                             .application = base->setting->application}};
    if (o.is_primary) {
        o.options.strategy = base->setting->strategy;
        o.options.spec = base->setting->spec;
    }
    TRY(tess_kernel_bind(ranked->loop, member->rank_mesh->mesh, &loop->bound));
    TRY(tess_declarations_check(o.options.kernel, loop->bound));
    const tess_rank_set *set = &member->rank_mesh->sets[loop->bound->set];
    const bool executes_others =
        ranked->mode == TESS_HALO_REDUNDANT && tess_loop_adds(ranked->loop);
    const bool arrives = waits_for_arrivals(base, l), returns = base->halo->loops[l].n_returns > 0;
    const bool is_cut = (arrives || returns) && base->setting->overlap &&
                        !o.options.strategy->owns_points && !o.options.strategy->in_storage_order;
    loop->bound->n_elements = executes_others ? set->n_executed : set->n_owned;
    const int64_t border = is_cut ? set->n_core : 0;
    const int64_t middle = !arrives ? 0 : returns ? border / 2 : border;
    TRY(open_phase(&o, (phase_span){"early", 0, middle}, &loop->early));
    TRY(open_phase(&o, (phase_span){"late", middle, border}, &loop->late));
    return open_phase(&o, (phase_span){"rest", border, loop->bound->n_elements}, &loop->rest);
}

/* --- transfers -------------------------------------------------------------------------------- */

/* Opens the transfer of some of a loop's lists; `chosen` says which by their args, NULL: all. */
static tess_status open_transfer(tess_member *member, int l, const bool *chosen, int tag,
                                 tess_transfer **out) {
    tess_status status = TESS_OK;
    const tess_team_base *base = member->base;
    const tess_halo_loop *halo = &base->halo->loops[l];
    const tess_halo_list **lists = NULL;
    const tess_mover **movers = NULL;
    const int n_all = chosen ? halo->n_arrivals : halo->n_returns;
    int n = 0;
    CHECK(TESS_ALLOC(n_all, &lists));
    CHECK(TESS_ALLOC(n_all, &movers));
    for (int i = 0; i < n_all; i++) {
        const tess_halo_list *list = chosen ? &halo->arrivals[i] : &halo->returns[i];
        const tess_arg *arg = &base->schedule->bare[l]->args[list->arg];
        if (chosen && !chosen[list->arg])
            continue;
        lists[n] = list;
        movers[n++] =
            tess_mover_of(base->movers, tess_state_find(member->state, arg->dat, arg->set));
    }
    const tess_transfer_setting setting = {.crew = base->crew,
                                           .ranking = base->ranking,
                                           .rank_mesh = member->rank_mesh,
                                           .store = member->store,
                                           .loop = base->schedule->bare[l],
                                           .movers = movers};
    CHECK(tess_transfer_open(&setting, lists, n, !chosen, tag, out));
done:
    free(movers);
    free(lists);
    return status;
}

static tess_status open_transfers(tess_member *member) {
    const tess_schedule *schedule = member->base->schedule;
    TRY(TESS_ZEROS(schedule->n_parts, &member->arrivals));
    for (int i = 0; i < schedule->n_parts; i++)
        if (schedule->parts[i].exchanges)
            TRY(open_transfer(member, schedule->parts[i].loop, schedule->parts[i].arrives, i,
                              &member->arrivals[i]));
    for (int l = 0; l < schedule->n_loops; l++)
        if (member->base->halo->loops[l].n_returns > 0)
            TRY(open_transfer(member, l, NULL, schedule->n_parts + l, &member->loops[l].returns));
    return TESS_OK;
}

/* --- blocks ----------------------------------------------------------------------------------- */

enum { N_PHASES = 3 };

/* The plans of a loop, in the order of their elements; NULL where a phase has none. */
static void plans_of(const tess_member_loop *loop, const tess_plan *plans[N_PHASES]) {
    plans[0] = loop->early.plan;
    plans[1] = loop->late.plan;
    plans[2] = loop->rest.plan;
}

/* Whether blocks own points, not elements of the loop. */
static bool owns_points(const tess_member *member, int l) {
    return member->base->schedule->kernels[l] == member->base->setting->kernel &&
           member->base->setting->strategy->owns_points;
}

const char *tess_member_blocked_set(const tess_member *member, int l) {
    const tess_bound_loop *bound = member->loops[l].bound;
    return owns_points(member, l) ? owned_set(bound) : bound->mesh->sets[bound->set].name;
}

/* The blocks of points that a plan owns, in `number` [n_blocks] -1 where they have none of the
 * member's. */
static void fill_owned(const tess_rank_set *set, const tess_plan *plan, int32_t *number,
                       tess_ranked_blocks *blocks, int32_t *n_blocks) {
    for (int64_t i = 0; i < set->n_owned; i++) {
        int32_t *own = &number[plan->owner[i]];
        if (*own < 0)
            *own = (*n_blocks)++;
        blocks->block_of[set->global[i]] = *own;
    }
}

/* The blocks of elements that a plan executes, in their order. */
static void fill_executed(const tess_rank_set *set, const tess_plan *plan,
                          tess_ranked_blocks *blocks, int32_t *n_blocks) {
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        bool is_own = false;
        for (int64_t k = plan->block_offset[b]; k < plan->block_offset[b + 1]; k++) {
            if (plan->executed[k] >= set->n_owned)
                continue;
            const int64_t element = set->global[plan->executed[k]];
            is_own = true;
            blocks->block_of[element] = *n_blocks;
            blocks->thread_of[element] = (int32_t)(k - plan->block_offset[b]);
            blocks->thread_colour[element] = plan->thread_colour ? plan->thread_colour[k] : 0;
        }
        *n_blocks += is_own;
    }
}

tess_status tess_member_fill_blocks(const tess_member *member, int l, tess_ranked_blocks *blocks,
                                    int32_t *n_blocks) {
    const int s = tess_mesh_find_set(member->rank_mesh->mesh, tess_member_blocked_set(member, l));
    const tess_rank_set *set = &member->rank_mesh->sets[s];
    const tess_plan *plans[N_PHASES];
    plans_of(&member->loops[l], plans);
    *n_blocks = 0;
    for (int64_t i = 0; i < set->n_owned; i++)
        blocks->rank_of[set->global[i]] = member->rank_mesh->rank;
    for (int p = 0; p < N_PHASES; p++) {
        if (!plans[p])
            continue;
        if (!plans[p]->owns_points) {
            fill_executed(set, plans[p], blocks, n_blocks);
            continue;
        }
        int32_t *number = NULL;
        TRY(TESS_ALLOC(plans[p]->n_blocks, &number));
        for (int32_t b = 0; b < plans[p]->n_blocks; b++)
            number[b] = -1;
        fill_owned(set, plans[p], number, blocks, n_blocks);
        free(number);
    }
    return TESS_OK;
}

/* --- a member --------------------------------------------------------------------------------- */

tess_status tess_member_open(const tess_team_base *base, int32_t rank, const tess_state *start,
                             tess_member *out) {
    *out = (tess_member){.base = base};
    TRY(tess_rank_mesh_build(base->ranking, base->halo, rank, &out->rank_mesh));
    if (base->setting->checked)
        TRY(tess_rank_mesh_check(base->ranking, base->halo, out->rank_mesh));
    TRY(tess_rank_state_take(out->rank_mesh, base->schedule, start, &out->state));
    TRY(tess_store_open(base->device, base->target, out->state, NULL, &base->setting->layouts,
                        &out->store));
    TRY(TESS_ZEROS(base->schedule->n_loops, &out->loops));
    for (int l = 0; l < base->schedule->n_loops; l++)
        TRY(open_loop(out, l));
    return open_transfers(out);
}

static void close_phase(tess_member_phase *phase) {
    tess_execution_close(phase->execution);
    tess_plan_free(phase->plan);
}

void tess_member_close(tess_member *member) {
    if (!member->base)
        return;
    for (int i = 0; member->arrivals && i < member->base->schedule->n_parts; i++)
        tess_transfer_close(member->arrivals[i]);
    free(member->arrivals);
    for (int l = 0; member->loops && l < member->base->schedule->n_loops; l++) {
        tess_transfer_close(member->loops[l].returns);
        close_phase(&member->loops[l].early);
        close_phase(&member->loops[l].rest);
        close_phase(&member->loops[l].late);
        tess_bound_loop_free(member->loops[l].bound);
    }
    free(member->loops);
    tess_store_close(member->store);
    tess_state_free(member->state);
    tess_rank_mesh_free(member->rank_mesh);
}
