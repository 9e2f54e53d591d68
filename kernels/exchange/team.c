/* A team: the ranks of this process, which march an application together with those of others. */
#include "kernels/exchange/team.h"

#include "core/base/array.h"
#include "core/ranks/halo_check.h"
#include "kernels/exchange/rank_state.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tess_team {
    tess_team_setting setting;
    tess_ranking ranking;
    tess_chained_step *chained; /* NULL: the step has no chains */
    tess_schedule *schedule;
    tess_halo *halo;
    tess_mover mover;
    tess_team_base base;
    int32_t n_members;
    tess_member *members;
    tess_rank_step step;
};

/* --- steps ------------------------------------------------------------------------------------ */

static tess_status run_by(tess_team *team, tess_team_variant variant, int n, double *seconds) {
    const tess_device *device = team->base.device;
    TRY(device->timer_start(team->base.target));
    TRY(tess_rank_step_run(&team->step, variant, n));
    return device->timer_stop(team->base.target, seconds);
}

tess_status tess_team_spoil(tess_team *team) {
    return tess_rank_step_spoil(&team->step);
}

tess_status tess_team_run(tess_team *team, int n, double *seconds) {
    return run_by(team, TESS_OVERLAPPED, n, seconds);
}

tess_status tess_team_count(tess_team *team, double *seconds) {
    const tess_device *device = team->base.device;
    team->step.counts = device->counters && device->counters(team->base.target);
    const tess_status status = run_by(team, TESS_OVERLAPPED, 1, seconds);
    team->step.counts = false;
    return status;
}

tess_status tess_team_time(tess_team *team, tess_team_variant variant, int n, double *seconds) {
    tess_status status = TESS_OK;
    tess_crew *crew = team->base.crew;
    const int32_t n_processes = crew->n_ranks / crew->n_here;
    double *of_all = NULL;
    CHECK(TESS_ALLOC(n_processes, &of_all));
    CHECK(tess_crew_meet(crew)); /* all begin together */
    CHECK(run_by(team, variant, n, seconds));
    CHECK(tess_crew_gather(crew, seconds, of_all, sizeof *seconds));
    for (int32_t r = 0; r < n_processes; r++)
        *seconds = fmax(*seconds, of_all[r]);
    *seconds /= n;
done:
    free(of_all);
    return status;
}

/* --- opening ---------------------------------------------------------------------------------- */

static bool has_chains(const tess_team_setting *setting) {
    return setting->application && setting->chains && strcmp(setting->chains, "none") != 0;
}

static tess_status open_base(tess_team *team, const tess_team_place *place,
                             const tess_state *start) {
    const tess_team_setting *setting = &team->setting;
    if (has_chains(setting))
        TRY(tess_chained_step_new(setting->application, start->mesh, start->real, setting->chains,
                                  &team->chained));
    TRY(team->chained ? tess_schedule_build_chained(team->chained, start->real, setting->mode,
                                                    &team->schedule)
        : setting->application
            ? tess_schedule_build(setting->application, start->mesh, start->real, setting->mode,
                                  &team->schedule)
            : tess_schedule_build_alone(setting->ways[0].kernel, setting->changes, start->real,
                                        setting->mode, &team->schedule));
    team->ranking = (tess_ranking){.mesh = start->mesh,
                                   .owners = place->owners,
                                   .n_loops = team->schedule->n_loops,
                                   .loops = team->schedule->loops};
    TRY(tess_halo_build(&team->ranking, &team->halo));
    tess_schedule_fit(team->schedule, team->halo);
    if (setting->checked) {
        TRY(tess_halo_check(&team->ranking, team->halo));
        TRY(tess_schedule_check(team->schedule, team->halo));
    }
    team->base = (tess_team_base){.setting = setting,
                                  .crew = place->crew,
                                  .device = place->device,
                                  .target = place->target,
                                  .ranking = &team->ranking,
                                  .schedule = team->schedule,
                                  .halo = team->halo,
                                  .chained = team->chained,
                                  .mover = &team->mover};
    return tess_mover_open(place->device, place->target, &team->mover);
}

tess_status tess_team_open(const tess_team_setting *setting, const tess_team_place *place,
                           const tess_state *start, tess_team **out) {
    tess_status status = TESS_OK;
    tess_team *team = NULL;
    if (setting->graph && (!place->crew->engine->on_device || !place->device->graph_start))
        CHECK(tess_fail(
            TESS_ERROR_USAGE,
            "steps on ranks are a graph with --engine nccl or peer only: leave --graph out"));
    CHECK(TESS_ZEROS(1, &team));
    team->setting = *setting;
    CHECK(open_base(team, place, start));
    CHECK(TESS_ZEROS(place->crew->n_here, &team->members));
    for (int32_t i = 0; i < place->crew->n_here; i++) {
        team->n_members++;
        CHECK(tess_member_open(&team->base, place->crew->first + i, start, &team->members[i]));
    }
    team->step = (tess_rank_step){
        .base = &team->base, .n_members = team->n_members, .members = team->members};
    *out = TESS_TAKE(team);
done:
    tess_team_close(team);
    return status;
}

void tess_team_close(tess_team *team) {
    if (!team)
        return;
    tess_rank_step_close(&team->step);
    for (int32_t i = 0; i < team->n_members; i++)
        tess_member_close(&team->members[i]);
    tess_mover_close(&team->mover);
    free(team->members);
    tess_halo_free(team->halo);
    tess_schedule_free(team->schedule);
    tess_chained_step_free(team->chained);
    free(team);
}

/* --- results ---------------------------------------------------------------------------------- */

/* Adds the values of a dat over all processes: each is 0 but where it is owned. */
static tess_status sum_dat(tess_crew *crew, tess_dat *dat, int64_t n) {
    double *values = NULL;
    if (crew->n_here == crew->n_ranks)
        return TESS_OK;
    TRY(TESS_ALLOC(n, &values));
    for (int64_t v = 0; v < n; v++)
        values[v] = tess_dat_value(dat, v);
    const tess_status status = tess_crew_sum(crew, values, n);
    for (int64_t v = 0; v < n && status == TESS_OK; v++)
        tess_dat_set(dat, v, values[v]);
    free(values);
    return status;
}

tess_status tess_team_gather(tess_team *team, tess_state *whole) {
    for (int i = 0; i < whole->n_dats; i++)
        for (int64_t v = 0; v < tess_state_size(whole, &whole->dats[i]) * whole->dats[i].dim; v++)
            tess_dat_set(&whole->dats[i], v, 0);
    for (int32_t i = 0; i < team->n_members; i++) {
        const tess_member *member = &team->members[i];
        TRY(tess_store_download(member->store, member->state));
        tess_rank_state_give(member->rank_mesh, team->schedule, member->state, whole);
    }
    for (int i = 0; i < whole->n_dats; i++)
        TRY(sum_dat(team->base.crew, &whole->dats[i],
                    tess_state_size(whole, &whole->dats[i]) * whole->dats[i].dim));
    return TESS_OK;
}

/* Adds whole numbers over all processes: each is 0 but in one of them. */
static tess_status sum_ints(tess_crew *crew, int32_t *values, int64_t n) {
    double *sums = NULL;
    if (crew->n_here == crew->n_ranks)
        return TESS_OK;
    TRY(TESS_ALLOC(n, &sums));
    for (int64_t v = 0; v < n; v++)
        sums[v] = values[v];
    const tess_status status = tess_crew_sum(crew, sums, n);
    for (int64_t v = 0; v < n && status == TESS_OK; v++)
        values[v] = (int32_t)sums[v];
    free(sums);
    return status;
}

/* Numbers the blocks of each rank, of which it has n_blocks [n_ranks], behind those of the ranks
 * before it. */
static void number_blocks(const int32_t *n_blocks, int32_t *first, tess_ranked_blocks *blocks) {
    for (int32_t r = 0; r < blocks->n_ranks; r++) {
        first[r] = blocks->n_blocks;
        blocks->n_blocks += n_blocks[r];
    }
    for (int64_t e = 0; e < blocks->n; e++)
        blocks->block_of[e] += first[blocks->rank_of[e]];
}

/* The team's own loop, its first, among those of the step, or the chain that has its blocks; else
 * the last that has blocks. */
static int own_loop(const tess_team *team) {
    const tess_team_setting *setting = &team->setting;
    int own = 0;
    for (int l = 0; l < team->schedule->n_loops; l++) {
        const tess_rank_loop *loop = &team->members[0].loops[l].loop;
        if (loop->bound && loop->way == &setting->ways[setting->first])
            return l;
        own = loop->bound ? l : own;
    }
    return own;
}

tess_status tess_team_gather_blocks(const tess_team *team, tess_ranked_blocks **out) {
    tess_status status = TESS_OK;
    tess_ranked_blocks *blocks = NULL;
    int32_t *n_blocks = NULL, *first = NULL;
    tess_crew *crew = team->base.crew;
    const int l = own_loop(team);
    const char *set = tess_rank_loop_blocked_set(&team->members[0].loops[l].loop);
    CHECK(tess_ranked_blocks_new(set, tess_mesh_set_size(team->ranking.mesh, set), crew->n_ranks,
                                 &blocks));
    CHECK(TESS_ZEROS(crew->n_ranks, &n_blocks));
    CHECK(TESS_ALLOC(crew->n_ranks, &first));
    for (int32_t i = 0; i < team->n_members; i++)
        CHECK(tess_member_fill_blocks(&team->members[i], l, blocks, &n_blocks[crew->first + i]));
    CHECK(sum_ints(crew, n_blocks, crew->n_ranks));
    CHECK(sum_ints(crew, blocks->rank_of, blocks->n));
    CHECK(sum_ints(crew, blocks->block_of, blocks->n));
    CHECK(sum_ints(crew, blocks->thread_of, blocks->n));
    CHECK(sum_ints(crew, blocks->thread_colour, blocks->n));
    number_blocks(n_blocks, first, blocks);
    *out = TESS_TAKE(blocks);
done:
    tess_ranked_blocks_free(blocks);
    free(n_blocks);
    free(first);
    return status;
}

tess_status tess_team_take_sum(tess_team *team, const char *dat, double *sum) {
    const tess_team_base *base = &team->base;
    *sum = 0;
    for (int32_t i = 0; i < team->n_members; i++) {
        const tess_stored *stored = tess_store_find(team->members[i].store, dat, "");
        double value = 0; /* room for one value of any type */
        tess_dat one = *stored->dat;
        const int64_t bytes = (int64_t)tess_type_size(one.type);
        one.values = &value;
        TRY(base->device->download(base->target, &value, stored->address, bytes));
        *sum += tess_dat_value(&one, 0);
        tess_dat_set(&one, 0, 0);
        TRY(base->device->upload(base->target, stored->address, &value, bytes));
    }
    return tess_crew_sum(base->crew, sum, 1);
}

tess_team_traffic tess_team_traffic_of(const tess_team *team) {
    tess_team_traffic traffic = {.bytes = 0};
    for (int32_t i = 0; i < team->n_members; i++)
        for (int part = 0; part < team->schedule->n_parts; part++) {
            const int loop = team->schedule->parts[part].loop;
            const tess_transfer *both[] = {team->members[i].arrivals[part],
                                           team->members[i].loops[loop].returns};
            for (int k = 0; k < 2; k++)
                if (both[k]) {
                    traffic.bytes += tess_transfer_bytes(both[k]);
                    traffic.messages += tess_transfer_messages(both[k]);
                }
        }
    return traffic;
}

tess_status tess_team_gather_counters(tess_team *team, tess_counters *of_ranks) {
    tess_status status = TESS_OK;
    tess_crew *crew = team->base.crew;
    tess_counters *mine = NULL;
    CHECK(TESS_ALLOC(team->n_members, &mine));
    for (int32_t i = 0; i < team->n_members; i++)
        mine[i] = team->members[i].counters;
    CHECK(tess_crew_gather(crew, mine, of_ranks, team->n_members * (int)sizeof *mine));
done:
    free(mine);
    return status;
}

tess_status tess_team_sum_blocks(tess_team *team, tess_rank_blocks *out) {
    double sums[3] = {0, 0, 0};
    for (int32_t i = 0; i < team->n_members; i++) {
        sums[0] += (double)team->members[i].blocks.blocks;
        sums[1] += (double)team->members[i].blocks.reuse.accesses;
        sums[2] += (double)team->members[i].blocks.reuse.points;
    }
    TRY(tess_crew_sum(team->base.crew, sums, 3));
    *out = (tess_rank_blocks){(int64_t)sums[0], {(int64_t)sums[1], (int64_t)sums[2]}};
    return TESS_OK;
}

bool tess_team_tables_there(const tess_team *team, const char **remark) {
    const int l = own_loop(team);
    bool there = true;
    for (int32_t i = 0; i < team->n_members && there; i++)
        there = tess_rank_loop_tables_there(&team->members[i].loops[l].loop, remark);
    return there;
}

const tess_chained_step *tess_team_chained(const tess_team *team) {
    return team->chained ? team->members[0].chained : NULL;
}

const tess_halo *tess_team_halo(const tess_team *team) {
    return team->halo;
}

tess_status tess_team_measure_halo(const tess_team *team, int set, tess_halo_metrics *out) {
    return tess_halo_metrics_count(team->schedule, &team->ranking, team->halo, set, own_loop(team),
                                   out);
}
