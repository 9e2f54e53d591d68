/* A schedule: which dats arrive from other ranks before which loop of a time step. */
#include "kernels/exchange/schedule.h"

#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- loops ------------------------------------------------------------------------------------ */

static bool sums_globally(const tess_loop *loop) {
    for (int a = 0; a < loop->n_args; a++)
        if (!loop->args[a].set[0] && loop->args[a].access == TESS_INC)
            return true;
    return false;
}

static tess_status add_loop(const tess_kernel *kernel, tess_type real, tess_halo_mode mode,
                            tess_schedule *schedule) {
    const int l = schedule->n_loops;
    TRY(tess_kernel_loop(kernel, real, &schedule->bare[l]));
    schedule->n_loops++;
    const tess_loop *loop = schedule->bare[l];
    const bool sums =
        tess_loop_adds(loop) && (mode == TESS_HALO_PARTIAL_SUMS || sums_globally(loop));
    schedule->kernels[l] = kernel;
    schedule->loops[l] = (tess_ranked_loop){
        .loop = loop, .mode = sums ? TESS_HALO_PARTIAL_SUMS : TESS_HALO_REDUNDANT};
    return TESS_ZEROS(loop->n_args, &schedule->loops[l].arrives);
}

/* What a chain does with a dat of its own. */
static tess_access access_of(const tess_chain_dat *dat) {
    if (!dat->set[0])
        return dat->written ? TESS_INC : TESS_READ;
    return !dat->written ? TESS_READ : dat->loaded ? TESS_RW : TESS_WRITE;
}

static tess_status refuse_stored(const tess_chain *chain) {
    for (int d = 0; d < chain->n_dats; d++)
        if (chain->dats[d].stored && chain->dats[d].set[0] &&
            strcmp(chain->dats[d].set, chain->owner) != 0)
            FAIL(TESS_ERROR_USAGE,
                 "the chain of %s and %d more stores '%s' of the %s that it gathers; on ranks a "
                 "chain stores values of its %s alone: leave that loop out of it",
                 chain->loops[0].loop->name, chain->n_loops - 1, chain->dats[d].dat,
                 chain->dats[d].set, chain->owner);
    return TESS_OK;
}

/* Adds the loop that stands for the chain with which part i of the step begins. */
static tess_status add_chain(const tess_chained_step *chained, int i, tess_schedule *schedule) {
    const tess_chain *chain = tess_chained_step_chain(chained, i);
    const int l = schedule->n_loops;
    char name[TESS_NAME_SIZE];
    TRY(refuse_stored(chain));
    snprintf(name, sizeof name, "%.20s+%.20s", chain->loops[0].loop->name,
             chain->loops[chain->n_loops - 1].loop->name);
    TRY(tess_loop_new(name, chain->owner, &schedule->bare[l]));
    schedule->n_loops++;
    tess_loop *loop = schedule->bare[l];
    TRY(TESS_ZEROS(chain->n_dats, &loop->args));
    for (int d = 0; d < chain->n_dats; d++) {
        const tess_chain_dat *dat = &chain->dats[d];
        tess_arg *arg = &loop->args[loop->n_args++];
        *arg = (tess_arg){.dim = dat->dim, .type = dat->type, .access = access_of(dat)};
        memcpy(arg->dat, dat->dat, sizeof arg->dat);
        memcpy(arg->set, dat->set, sizeof arg->set);
    }
    schedule->kernels[l] = tess_chained_step_kernels(chained)[i];
    schedule->loops[l] = (tess_ranked_loop){.loop = loop, .chain = chain};
    return TESS_ZEROS(loop->n_args, &schedule->loops[l].arrives);
}

/* The first loop that writes the dat of an arg, or NULL. */
static const tess_loop *writer_of(const tess_schedule *schedule, const tess_arg *arg) {
    for (int l = 0; l < schedule->n_loops; l++)
        for (int a = 0; a < schedule->bare[l]->n_args; a++)
            if (tess_arg_shares_dat(&schedule->bare[l]->args[a], arg) &&
                schedule->bare[l]->args[a].access != TESS_READ)
                return schedule->bare[l];
    return NULL;
}

/* Whether a loop reads an arg at elements of other ranks. */
static bool reads_others(const tess_ranked_loop *ranked, const tess_arg *arg) {
    if (ranked->chain) {
        const tess_chain_dat *dat = tess_chain_dat_of(ranked->chain, arg);
        return dat->loaded && (dat->load_ring > 0 || strcmp(dat->set, ranked->chain->owner) != 0);
    }
    const bool executes_others =
        ranked->mode == TESS_HALO_REDUNDANT && tess_loop_adds(ranked->loop);
    if (arg->map[0])
        return arg->access == TESS_READ;
    return executes_others && (arg->access == TESS_READ || arg->access == TESS_RW);
}

static tess_status find_arrivals(const tess_schedule *schedule, tess_ranked_loop *ranked) {
    for (int a = 0; a < ranked->loop->n_args; a++) {
        const tess_arg *arg = &ranked->loop->args[a];
        const tess_loop *writer = writer_of(schedule, arg);
        if (!arg->set[0] && arg->access == TESS_READ && writer)
            FAIL(
                TESS_ERROR_USAGE,
                "loop %s reads the global value '%s', which loop %s adds to: on several ranks that "
                "is not possible",
                ranked->loop->name, arg->dat, writer->name);
        ranked->arrives[a] = arg->set[0] && writer && reads_others(ranked, arg);
    }
    return TESS_OK;
}

/* --- parts ------------------------------------------------------------------------------------ */

/* Whether every element at which loop `l` reads the dat of its arg is one at which loop `k`
 * does: values that arrived for k are there for l. */
static bool covers(const tess_ranked_loop *k, const tess_ranked_loop *l, const tess_arg *dat) {
    if (k == l)
        return true;
    if (k->chain || l->chain) /* which arrives for one may be less than another needs */
        return false;
    if (k->mode != l->mode || strcmp(k->loop->set, l->loop->set) != 0)
        return false;
    for (int a = 0; a < l->loop->n_args; a++) {
        const tess_arg *arg = &l->loop->args[a];
        if (!(tess_arg_shares_dat(arg, dat) && l->arrives[a]) &&
            !(tess_arg_adds(arg) && l->mode == TESS_HALO_REDUNDANT))
            continue;
        bool found = false;
        for (int b = 0; b < k->loop->n_args && !found; b++) {
            const tess_arg *other = &k->loop->args[b];
            const bool alike = tess_arg_adds(arg)
                                   ? tess_arg_adds(other)
                                   : tess_arg_shares_dat(other, arg) && k->arrives[b];
            found = alike && strcmp(other->map, arg->map) == 0 &&
                    (other->slot == arg->slot || other->slot < 0);
        }
        if (!found)
            return false;
    }
    return true;
}

/* Which values are the last ones written: fresh[l][a], a the first arg of loop l of its dat. */
static void note_arrival(const tess_schedule *schedule, int k, int a, bool **fresh) {
    const tess_arg *dat = &schedule->bare[k]->args[a];
    for (int l = 0; l < schedule->n_loops; l++)
        for (int b = 0; b < schedule->bare[l]->n_args; b++)
            if (tess_arg_shares_dat(&schedule->bare[l]->args[b], dat) &&
                covers(&schedule->loops[k], &schedule->loops[l], dat))
                fresh[l][b] = true;
}

static void note_writes(const tess_schedule *schedule, int k, bool **fresh) {
    for (int a = 0; a < schedule->bare[k]->n_args; a++)
        for (int l = 0; l < schedule->n_loops && schedule->bare[k]->args[a].access != TESS_READ;
             l++)
            for (int b = 0; b < schedule->bare[l]->n_args; b++)
                if (tess_arg_shares_dat(&schedule->bare[l]->args[b], &schedule->bare[k]->args[a]))
                    fresh[l][b] = false;
}

/* Goes through a step: what is not fresh arrives. */
static void go_through(tess_schedule *schedule, bool **fresh) {
    for (int i = 0; i < schedule->n_parts; i++) {
        tess_schedule_part *part = &schedule->parts[i];
        const tess_ranked_loop *ranked = &schedule->loops[part->loop];
        memset(part->arrives, 0, (size_t)ranked->loop->n_args);
        part->exchanges = false;
        for (int a = 0; a < ranked->loop->n_args; a++) {
            const int first = tess_loop_first_of_dat(ranked->loop, a);
            if (!ranked->arrives[a] || fresh[part->loop][first])
                continue;
            part->arrives[first] = part->exchanges = true;
            note_arrival(schedule, part->loop, first, fresh);
        }
        note_writes(schedule, part->loop, fresh);
    }
}

/* Twice: what arrives in a step that follows another. */
static tess_status find_parts(tess_schedule *schedule) {
    tess_status status = TESS_OK;
    bool **fresh = NULL;
    CHECK(TESS_ZEROS(schedule->n_loops, &fresh));
    for (int l = 0; l < schedule->n_loops; l++) {
        CHECK(TESS_ALLOC(schedule->bare[l]->n_args, &fresh[l]));
        memset(fresh[l], true, (size_t)schedule->bare[l]->n_args);
    }
    for (int i = 0; i < schedule->n_parts; i++)
        CHECK(TESS_ZEROS(schedule->bare[schedule->parts[i].loop]->n_args,
                         &schedule->parts[i].arrives));
    go_through(schedule, fresh);
    go_through(schedule, fresh);
done:
    for (int l = 0; fresh && l < schedule->n_loops; l++)
        free(fresh[l]);
    free(fresh);
    return status;
}

/* With room for n loops. */
static tess_status new_schedule(int n, tess_schedule **out) {
    TRY(TESS_ZEROS(1, out));
    TRY(TESS_ZEROS(n, &(*out)->kernels));
    TRY(TESS_ZEROS(n, &(*out)->bare));
    TRY(TESS_ZEROS(n, &(*out)->loops));
    return TESS_ZEROS(n, &(*out)->parts);
}

/* Adds a loop as a part of the step, for the first time or again. */
static tess_status add_part(const tess_kernel *kernel, tess_type real, tess_halo_mode mode,
                            tess_schedule *schedule) {
    int l = 0;
    while (l < schedule->n_loops && (schedule->loops[l].chain || schedule->kernels[l] != kernel))
        l++;
    if (l == schedule->n_loops)
        TRY(add_loop(kernel, real, mode, schedule));
    schedule->parts[schedule->n_parts++].loop = l;
    return TESS_OK;
}

static tess_status finish(tess_schedule *schedule) {
    for (int l = 0; l < schedule->n_loops; l++)
        TRY(find_arrivals(schedule, &schedule->loops[l]));
    return find_parts(schedule);
}

tess_status tess_schedule_build(const tess_application *application, const tess_mesh *mesh,
                                tess_type real, tess_halo_mode mode, tess_schedule **out) {
    tess_status status = TESS_OK;
    tess_schedule *schedule = NULL;
    int n = 0;
    while (application->step[n])
        n++;
    CHECK(new_schedule(n, &schedule));
    for (int i = 0; i < n; i++) {
        const tess_kernel *kernel = NULL;
        CHECK(tess_application_kernel(application, application->step[i], &kernel));
        if (tess_kernel_applies(kernel, mesh))
            CHECK(add_part(kernel, real, mode, schedule));
    }
    CHECK(finish(schedule));
    *out = TESS_TAKE(schedule);
done:
    tess_schedule_free(schedule);
    return status;
}

tess_status tess_schedule_build_chained(const tess_chained_step *chained, tess_type real,
                                        tess_halo_mode mode, tess_schedule **out) {
    tess_status status = TESS_OK;
    tess_schedule *schedule = NULL;
    CHECK(new_schedule(tess_chained_step_size(chained), &schedule));
    for (int i = 0; i < tess_chained_step_size(chained); i++) {
        if (tess_chained_step_length(chained, i) == 1)
            CHECK(add_part(tess_chained_step_kernels(chained)[i], real, mode, schedule));
        if (tess_chained_step_length(chained, i) <= 1)
            continue;
        schedule->parts[schedule->n_parts++].loop = schedule->n_loops;
        CHECK(add_chain(chained, i, schedule));
    }
    CHECK(finish(schedule));
    *out = TESS_TAKE(schedule);
done:
    tess_schedule_free(schedule);
    return status;
}

tess_status tess_schedule_build_alone(const tess_kernel *kernel, const bool *changes,
                                      tess_type real, tess_halo_mode mode, tess_schedule **out) {
    tess_status status = TESS_OK;
    tess_schedule *schedule = NULL;
    CHECK(new_schedule(1, &schedule));
    CHECK(add_loop(kernel, real, mode, schedule));
    tess_schedule_part *part = &schedule->parts[schedule->n_parts++];
    const tess_ranked_loop *ranked = &schedule->loops[0];
    schedule->is_alone = true;
    CHECK(TESS_ZEROS(ranked->loop->n_args, &part->arrives));
    for (int a = 0; a < ranked->loop->n_args; a++) {
        const tess_arg *arg = &ranked->loop->args[a];
        ranked->arrives[a] = arg->set[0] && changes[a] && reads_others(ranked, arg);
        part->exchanges |= ranked->arrives[a];
        if (ranked->arrives[a])
            part->arrives[tess_loop_first_of_dat(ranked->loop, a)] = true;
    }
    *out = TESS_TAKE(schedule);
done:
    tess_schedule_free(schedule);
    return status;
}

void tess_schedule_fit(tess_schedule *schedule, const tess_halo *halo) {
    for (int i = 0; i < schedule->n_parts; i++) {
        tess_schedule_part *part = &schedule->parts[i];
        const tess_halo_loop *loop = &halo->loops[part->loop];
        part->exchanges = false;
        for (int k = 0; k < loop->n_arrivals; k++) {
            const tess_rows *rows = loop->arrivals[k].rows;
            part->arrives[loop->arrivals[k].arg] &= rows->offset[rows->n] > 0;
            part->exchanges |= part->arrives[loop->arrivals[k].arg];
        }
    }
}

void tess_schedule_free(tess_schedule *schedule) {
    if (!schedule)
        return;
    for (int l = 0; l < schedule->n_loops; l++) {
        tess_loop_free(schedule->bare[l]);
        free(schedule->loops[l].arrives);
    }
    for (int i = 0; i < schedule->n_parts; i++)
        free(schedule->parts[i].arrives);
    free(schedule->kernels);
    free(schedule->bare);
    free(schedule->loops);
    free(schedule->parts);
    free(schedule);
}

/* --- proof ------------------------------------------------------------------------------------ */

/* Per list of the halo: how often its dat had been written when it arrived last. */
typedef struct arrived {
    const tess_halo_list *list;
    const tess_arg *dat;
    int64_t version;
} arrived;

/* How often the dat has been written when `parts` parts of the march are done. */
static int64_t writes_before(const tess_schedule *schedule, const tess_arg *dat, int parts) {
    int64_t n = schedule->is_alone ? parts + 1 : 0;
    for (int i = 0; i < parts; i++) {
        const tess_loop *loop = schedule->bare[schedule->parts[i % schedule->n_parts].loop];
        bool writes = false;
        for (int a = 0; a < loop->n_args; a++)
            writes |= loop->args[a].access != TESS_READ && tess_arg_shares_dat(&loop->args[a], dat);
        n += writes;
    }
    return n;
}

/* Whether every item of a row stands in the same row of `others`. */
static bool row_within(const tess_rows *rows, const tess_rows *others, int64_t row) {
    int64_t at = others->offset[row];
    for (int64_t i = rows->offset[row]; i < rows->offset[row + 1]; i++) {
        while (at < others->offset[row + 1] && others->item[at] < rows->item[i])
            at++;
        if (at == others->offset[row + 1] || others->item[at] != rows->item[i])
            return false;
    }
    return true;
}

/* The first rank that has not all values of a list as they were written last; -1: all have. */
static int64_t rank_without(const arrived *list, int64_t version, const arrived *lists, int n) {
    for (int64_t r = 0; r < list->list->rows->n; r++) {
        bool there = tess_rows_size(list->list->rows, r) == 0;
        for (int i = 0; i < n && !there; i++)
            there = tess_arg_shares_dat(lists[i].dat, list->dat) && lists[i].version == version &&
                    row_within(list->list->rows, lists[i].list->rows, r);
        if (!there)
            return r;
    }
    return -1;
}

static tess_status prove_part(const tess_schedule *schedule, int at, arrived *lists, int n_lists) {
    const tess_schedule_part *part = &schedule->parts[at % schedule->n_parts];
    const tess_loop *loop = schedule->bare[part->loop];
    for (int i = 0; i < n_lists; i++) {
        if (lists[i].dat < loop->args || lists[i].dat >= loop->args + loop->n_args)
            continue;
        const int64_t version = writes_before(schedule, lists[i].dat, at);
        const bool arrives = part->arrives[lists[i].list->arg];
        const int64_t without = arrives ? -1 : rank_without(&lists[i], version, lists, n_lists);
        if (arrives && lists[i].version == version && at >= schedule->n_parts)
            FAIL(TESS_ERROR_CHECK, "'%s' of %s arrives before loop %s, but it had arrived",
                 lists[i].dat->dat, lists[i].dat->set, loop->name);
        if (without >= 0)
            FAIL(TESS_ERROR_CHECK,
                 "'%s' of %s does not arrive before loop %s, but rank %lld reads it",
                 lists[i].dat->dat, lists[i].dat->set, loop->name, (long long)without);
        if (arrives)
            lists[i].version = version;
    }
    return TESS_OK;
}

tess_status tess_schedule_check(const tess_schedule *schedule, const tess_halo *halo) {
    tess_status status = TESS_OK;
    int n = 0;
    arrived *lists = NULL;
    for (int l = 0; l < halo->n_loops; l++)
        n += halo->loops[l].n_arrivals;
    CHECK(TESS_ALLOC(n, &lists));
    n = 0;
    for (int l = 0; l < halo->n_loops; l++)
        for (int i = 0; i < halo->loops[l].n_arrivals; i++) {
            const tess_halo_list *list = &halo->loops[l].arrivals[i];
            lists[n++] = (arrived){.list = list, .dat = &schedule->bare[l]->args[list->arg]};
        }
    for (int at = 0; at < 2 * schedule->n_parts; at++)
        CHECK(prove_part(schedule, at, lists, n));
done:
    free(lists);
    return status;
}
