/* A member: one rank of a team, on its device. */
#include "kernels/exchange/member.h"

#include "core/base/array.h"
#include "core/ranks/halo_check.h"
#include "kernels/exchange/rank_state.h"
#include <stdlib.h>

/* --- loops ------------------------------------------------------------------------------------ */

static const tess_loop_way *way_of(const tess_team_setting *setting, const tess_kernel *kernel) {
    int i = 0;
    while (i + 1 < setting->n_ways && setting->ways[i].kernel != kernel)
        i++;
    return &setting->ways[i];
}

static bool waits_for_arrivals(const tess_team_base *base, int l) {
    bool any = false;
    for (int i = 0; i < base->schedule->n_parts; i++)
        any |= base->schedule->parts[i].loop == l && base->schedule->parts[i].exchanges;
    return any;
}

/* The loop of a chain whose blocks it takes: one whose blocks own points, else the one that numbers
 * the mesh; -1: none is cut. */
static int planned_of(const tess_team_setting *setting, const tess_chained_step *chained,
                      const tess_chain *chain) {
    int found = -1;
    for (int k = chain->n_loops - 1; k >= 0; k--) {
        const tess_loop_way *way =
            way_of(setting, tess_chained_step_kernels(chained)[chain->first + k]);
        const bool owns = way->strategy->owns_points && way->is_cut;
        if (owns || (found < 0 && way == &setting->ways[setting->first]))
            found = k;
    }
    return found;
}

/* Binds a loop of a chain for its blocks alone, unless an earlier chain has these. */
static tess_status bind_chain(const tess_member *member, int l, tess_rank_loop *out) {
    const tess_team_base *base = member->base;
    const tess_chain *chain = base->ranking->loops[l].chain;
    const int k = planned_of(base->setting, base->chained, chain);
    if (k < 0)
        return TESS_OK;
    const tess_ranked_loop ranked = {.loop = chain->loops[k].loop};
    const tess_kernel *kernel = tess_chained_step_kernels(base->chained)[chain->first + k];
    const tess_loop_way *way = way_of(base->setting, kernel);
    for (int other = 0; other < l; other++)
        if (base->ranking->loops[other].chain && member->loops[other].loop.way == way)
            return TESS_OK;
    return tess_rank_loop_bind(way, &ranked, member->rank_mesh,
                               &(tess_rank_overlap){.overlaps = false}, out);
}

static tess_status bind_loops(tess_member *member) {
    const tess_team_base *base = member->base;
    TRY(TESS_ZEROS(base->schedule->n_loops, &member->loops));
    for (int l = 0; l < base->schedule->n_loops; l++) {
        const tess_rank_overlap overlap = {.overlaps = base->setting->overlap,
                                           .arrives = waits_for_arrivals(base, l),
                                           .returns = base->halo->loops[l].n_returns > 0};
        if (base->ranking->loops[l].chain) {
            TRY(bind_chain(member, l, &member->loops[l].loop));
            continue;
        }
        TRY(tess_rank_loop_bind(way_of(base->setting, base->schedule->kernels[l]),
                                &base->ranking->loops[l], member->rank_mesh, &overlap,
                                &member->loops[l].loop));
    }
    return TESS_OK;
}

static tess_rank_loop_setting loop_setting(const tess_team_base *base) {
    const tess_team_setting *setting = base->setting;
    /* Sizes that a GPU's compiler knows cost no registers; a host compiles once for all. */
    const bool one_text = base->crew->n_here > 1 || base->device->one_thread;
    return (tess_rank_loop_setting){.cut = setting->cut,
                                    .checked = setting->checked,
                                    .arithmetic = setting->arithmetic,
                                    .whole = base->ranking->mesh,
                                    .one_text = one_text,
                                    .tables_page = setting->tables_page,
                                    .application = setting->application};
}

/* Whether the blocks of a loop number the mesh: of those that are cut as the first, one does. */
static bool is_first(const tess_member *member, int l) {
    const tess_team_setting *setting = member->base->setting;
    const tess_loop_way *first = &setting->ways[setting->first];
    for (int before = 0; before < l; before++)
        if (member->loops[before].loop.way == first)
            return false;
    return member->loops[l].loop.way == first;
}

/* Where the elements of a set are to be stored; NULL: as the rank's mesh has them. */
static const int32_t *position_of(const tess_member *member, const tess_rank_loop *loop) {
    const tess_permutation *own =
        member->renumbering ? tess_renumbering_of(member->renumbering, loop->bound->set) : NULL;
    return own && loop->way->plan.thread_order != TESS_ORDER_LINES ? own->old_to_new : NULL;
}

/* What a rank owns stays before what it executes of others, and this before what it reads. */
static tess_status keep_segments(tess_member *member) {
    for (int s = 0; s < member->rank_mesh->n_sets; s++) {
        const tess_rank_set *set = &member->rank_mesh->sets[s];
        const int64_t end[] = {set->n_owned, set->n_executed};
        TRY(tess_renumbering_keep_segments(member->renumbering, s, end, 2));
    }
    return TESS_OK;
}

/* Numbers the rank's mesh by a loop: by its blocks, or before there are any. */
static tess_status renumber(tess_member *member, const tess_rank_loop *loop, bool by_plan) {
    const tess_renumber_method method = member->base->setting->renumber;
    const tess_plan *plan = NULL;
    tess_plan *made = NULL;
    if (method == TESS_RENUMBER_NONE || tess_renumber_needs_plan(method) != by_plan ||
        loop->bound->n_targets == 0)
        return TESS_OK;
    if (by_plan)
        TRY(tess_rank_loop_join(loop, &plan, &made));
    const tess_status status =
        tess_renumber_build(loop->bound, plan, method, false, &member->renumbering);
    tess_plan_free(made);
    TRY(status);
    return keep_segments(member);
}

static tess_status follow(tess_member *member, const tess_rank_loop *loop) {
    const tess_plan *plan = NULL;
    tess_plan *made = NULL;
    if (!member->renumbering)
        return TESS_OK;
    TRY(tess_rank_loop_join(loop, &plan, &made));
    const tess_status status = tess_renumber_follow(loop->bound, plan, member->renumbering);
    tess_plan_free(made);
    TRY(status);
    return keep_segments(member);
}

/* Cuts the loops that a partitioner cuts, the first one first: its blocks number the mesh. */
static tess_status cut_loops(tess_member *member) {
    const tess_rank_loop_setting setting = loop_setting(member->base);
    for (int others = 0; others < 2; others++)
        for (int l = 0; l < member->base->schedule->n_loops; l++) {
            tess_rank_loop *loop = &member->loops[l].loop;
            if (!loop->bound || is_first(member, l) == others || !loop->way->is_cut ||
                loop->bound->n_targets == 0)
                continue;
            if (!others)
                TRY(renumber(member, loop, false));
            TRY(tess_rank_loop_cut(&setting, position_of(member, loop), loop));
            TRY(others ? follow(member, loop) : renumber(member, loop, true));
        }
    return member->renumbering
               ? tess_renumbering_check(member->rank_mesh->mesh, member->renumbering)
               : TESS_OK;
}

static tess_status open_loop(tess_member *member, int l) {
    tess_status status = TESS_OK;
    const tess_team_setting *setting = member->base->setting;
    const tess_rank_loop_setting own = loop_setting(member->base);
    tess_rank_loop *loop = &member->loops[l].loop;
    char *folder = NULL;
    if (member->base->ranking->loops[l].chain)
        return TESS_OK;
    CHECK(tess_rank_loop_plan_in_order(&own, position_of(member, loop), loop));
    if (is_first(member, l) && setting->counted)
        CHECK(tess_rank_loop_count_reuse(loop, &member->blocks.blocks, &member->blocks.reuse));
    if (is_first(member, l) && setting->keep_text)
        CHECK(tess_text_print(&folder, "%s/rank%d", setting->keep_text, member->rank_mesh->rank));
    CHECK(tess_rank_loop_open(&own, folder, member->store, loop));
done:
    free(folder);
    return status;
}

/* The plan of the loop whose blocks a chain takes, where it is that kernel's; NULL. */
static const tess_plan *plan_of(const tess_member *member, const tess_loop_way *way) {
    for (int l = 0; l < member->base->schedule->n_loops; l++) {
        const tess_rank_loop *loop = &member->loops[l].loop;
        if (member->base->ranking->loops[l].chain && loop->bound && loop->way == way)
            return loop->phases[TESS_REST].plan;
    }
    return NULL;
}

/* Opens the chains on the rank's mesh. */
static tess_status open_chains(tess_member *member) {
    const tess_team_base *base = member->base;
    const tess_team_setting *setting = base->setting;
    tess_chain_way *ways = NULL;
    if (!base->chained)
        return TESS_OK;
    TRY(tess_chained_step_new(setting->application, base->ranking->mesh, member->state->real,
                              setting->chains, &member->chained));
    TRY(TESS_ZEROS(setting->n_ways, &ways));
    for (int i = 0; i < setting->n_ways; i++)
        ways[i] = (tess_chain_way){.kernel = setting->ways[i].kernel,
                                   .plan = plan_of(member, &setting->ways[i]),
                                   .block_size = setting->ways[i].block_size,
                                   .threads = setting->ways[i].threads,
                                   .registers = tess_chain_registers(setting->ways[i].spec)};
    const tess_chains_setting chains = {.store = member->store,
                                        .n_ways = setting->n_ways,
                                        .ways = ways,
                                        .arithmetic = setting->arithmetic,
                                        .keep_text = setting->keep_text,
                                        .rank = member->rank_mesh};
    const tess_status status = tess_chained_step_open(member->chained, &chains);
    free(ways);
    return status;
}

tess_status tess_member_run_chain(const tess_member *member, int l, tess_chain_blocks_of blocks) {
    return tess_chained_step_run_blocks(member->chained,
                                        member->base->ranking->loops[l].chain->first, blocks);
}

bool tess_member_runs_rest_beside(const tess_member *member, int l) {
    const tess_rank_loop *loop = &member->loops[l].loop;
    const bool apart = member->base->ranking->loops[l].chain
                           ? member->base->setting->overlap
                           : loop->owns_points && loop->overlap.overlaps;
    return member->base->crew->engine->on_device && apart;
}

/* --- transfers -------------------------------------------------------------------------------- */

/* Opens the transfer of some of a loop's lists; `chosen` says which by their args, NULL: all. */
static tess_status open_transfer(tess_member *member, int l, const bool *chosen, int tag,
                                 tess_transfer **out) {
    tess_status status = TESS_OK;
    const tess_team_base *base = member->base;
    const tess_halo_loop *halo = &base->halo->loops[l];
    const tess_halo_list **lists = NULL;
    const int n_all = chosen ? halo->n_arrivals : halo->n_returns;
    int n = 0;
    CHECK(TESS_ALLOC(n_all, &lists));
    for (int i = 0; i < n_all; i++) {
        const tess_halo_list *list = chosen ? &halo->arrivals[i] : &halo->returns[i];
        if (!chosen || chosen[list->arg])
            lists[n++] = list;
    }
    const tess_transfer_setting setting = {.crew = base->crew,
                                           .ranking = base->ranking,
                                           .rank_mesh = member->rank_mesh,
                                           .store = member->store,
                                           .loop = base->schedule->bare[l],
                                           .mover = base->mover,
                                           .writes_elsewhere = base->ranking->loops[l].chain};
    CHECK(tess_transfer_open(&setting, lists, n, !chosen, tag, out));
done:
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
    const tess_rank_loop *loop = &member->loops[l].loop;
    const int s = tess_mesh_find_set(member->rank_mesh->mesh, tess_rank_loop_blocked_set(loop));
    const tess_rank_set *set = &member->rank_mesh->sets[s];
    *n_blocks = 0;
    for (int64_t i = 0; i < set->n_owned; i++)
        blocks->rank_of[set->global[i]] = member->rank_mesh->rank;
    for (int p = 0; p < TESS_N_RANK_PHASES; p++) {
        const tess_plan *plan = loop->phases[p].plan;
        if (!plan)
            continue;
        if (!plan->owns_points) {
            fill_executed(set, plan, blocks, n_blocks);
            continue;
        }
        int32_t *number = NULL;
        TRY(TESS_ALLOC(plan->n_blocks, &number));
        for (int32_t b = 0; b < plan->n_blocks; b++)
            number[b] = -1;
        fill_owned(set, plan, number, blocks, n_blocks);
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
    TRY(bind_loops(out));
    TRY(cut_loops(out));
    TRY(tess_store_open(base->device, base->target, out->state, out->renumbering,
                        &base->setting->layouts, &out->store));
    for (int l = 0; l < base->schedule->n_loops; l++)
        TRY(open_loop(out, l));
    TRY(open_chains(out));
    return open_transfers(out);
}

void tess_member_close(tess_member *member) {
    if (!member->base)
        return;
    for (int i = 0; member->arrivals && i < member->base->schedule->n_parts; i++)
        tess_transfer_close(member->arrivals[i]);
    free(member->arrivals);
    for (int l = 0; member->loops && l < member->base->schedule->n_loops; l++) {
        tess_transfer_close(member->loops[l].returns);
        tess_rank_loop_clear(&member->loops[l].loop);
    }
    free(member->loops);
    tess_chained_step_free(member->chained);
    tess_store_close(member->store);
    tess_renumbering_free(member->renumbering);
    tess_state_free(member->state);
    tess_rank_mesh_free(member->rank_mesh);
}
