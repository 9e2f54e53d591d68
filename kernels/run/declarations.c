/* Declarations: what a loop may declare of the ends of an element, and its proof on numbers. */
#include "kernels/run/declarations.h"

#include "core/base/array.h"
#include "core/base/splitmix.h"
#include "kernels/loops/kernel_parts.h"
#include "kernels/run/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 512, LEAST_FINITE = 64 };

/* Of the largest value that an element adds: sums of a few terms in another order. */
static const double TOLERANCE = 1e-9;

const char *tess_antisymmetry_name(tess_antisymmetry antisymmetry) {
    static const char *const names[] = {TESS_ANTISYMMETRY_NAMES};
    return names[antisymmetry];
}

/* Whether some arg of the same dat and access goes through that slot of the map. */
static bool has_slot(const tess_loop *loop, const tess_arg *arg, int slot) {
    for (int b = 0; b < loop->n_args; b++) {
        const tess_arg *other = &loop->args[b];
        if (strcmp(other->map, arg->map) == 0 && strcmp(other->dat, arg->dat) == 0 &&
            other->access == arg->access && tess_arg_has_slot(other, slot))
            return true;
    }
    return false;
}

/* Separate elements of a set whose elements are points as well there are none. */
static tess_status check_sets(const tess_bound_loop *bound, const char *declared) {
    const tess_loop *loop = bound->loop;
    for (int a = 0; a < loop->n_args; a++)
        if (loop->args[a].map[0] && strcmp(loop->args[a].set, loop->set) == 0)
            FAIL(TESS_ERROR_INPUT,
                 "loop %s declares its ends %s, which cannot be verified of a map from a set to "
                 "itself (%s): leave the declaration out",
                 loop->name, declared, loop->args[a].map);
    return TESS_OK;
}

/* What is incremented, and for exchange all that goes through a map with two slots, goes through
 * both. */
static tess_status check_args(const tess_kernel *kernel, const tess_bound_loop *bound) {
    const tess_loop *loop = bound->loop;
    const char *word = tess_antisymmetry_name(kernel->antisymmetry);
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (!arg->map[0])
            continue;
        const int arity = tess_mesh_find_map(bound->mesh, arg->map)->arity;
        if (arity == 2 && has_slot(loop, arg, 0) && has_slot(loop, arg, 1))
            continue;
        if (arg->access == TESS_INC ||
            (arity == 2 && tess_antisymmetry_exchanges(kernel->antisymmetry)))
            FAIL(TESS_ERROR_INPUT,
                 "loop %s declares antisymmetry %s, but arg %d ('%s' through %s) is not accessed "
                 "through both of two slots",
                 loop->name, word, a, arg->dat, arg->map);
    }
    return TESS_OK;
}

static int most_slots(const tess_bound_loop *bound) {
    int most = 2;
    for (int m = 0; m < bound->mesh->n_maps; m++)
        if (bound->mesh->maps[m].arity > most)
            most = bound->mesh->maps[m].arity;
    return most;
}

/* A mesh of elements that share no points: element e has the points `most` * e + slot; `exchanged`:
 * those of the two slots of a map are exchanged. */
static tess_status separate_elements(const tess_bound_loop *bound, bool exchanged,
                                     tess_mesh **out) {
    tess_status status = TESS_OK;
    tess_mesh *mesh = NULL;
    const tess_loop *loop = bound->loop;
    const int most = most_slots(bound);
    int set = 0;
    CHECK(tess_mesh_new("separate elements", 2, &mesh));
    CHECK(tess_mesh_add_set(mesh, loop->set, ELEMENTS, &set));
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (!arg->map[0] || tess_mesh_find_map(mesh, arg->map))
            continue;
        const int arity = tess_mesh_find_map(bound->mesh, arg->map)->arity;
        if (tess_mesh_find_set(mesh, arg->set) < 0)
            CHECK(tess_mesh_add_set(mesh, arg->set, (int64_t)ELEMENTS * most, &set));
        int32_t *index = NULL;
        CHECK(TESS_ALLOC(ELEMENTS * arity, &index));
        for (int32_t i = 0; i < ELEMENTS * arity; i++) {
            const int slot = i % arity;
            index[i] = i / arity * most + (exchanged && arity == 2 ? 1 - slot : slot);
        }
        CHECK(tess_mesh_add_map(mesh, loop->set, arg->set, arity, TESS_MAP_DERIVED, index));
    }
    *out = TESS_TAKE(mesh);
done:
    tess_mesh_free(mesh);
    return status;
}

/* The next number in (0, 1). */
static double random_value(uint64_t *seed) {
    return (double)(tess_random_next(seed) >> 11 | 1) * 0x1p-53;
}

static bool is_summed(const tess_loop *loop, const tess_arg *arg) {
    for (int b = 0; b < loop->n_args; b++)
        if (loop->args[b].access == TESS_INC && tess_arg_shares_dat(&loop->args[b], arg))
            return true;
    return false;
}

/* A value that is read: random, of both signs in the second half; `other`: not the same, but of the
 * same sign and within the same bounds. */
static void put_random(tess_dat *dat, int64_t i, int64_t n, bool other, uint64_t *seed) {
    const double value = random_value(seed), sign = i > n / 2 ? random_value(seed) : 1;
    if (dat->type == TESS_INT32)
        tess_dat_set(dat, i, fmod(floor(4 * value) + other, 4));
    else
        tess_dat_set(dat, i, (other ? 1.5 - value : 0.5 + value) * (sign < 0.5 ? -1 : 1));
}

static bool has_sums(const tess_loop *loop, const char *set) {
    for (int a = 0; a < loop->n_args; a++)
        if (tess_arg_adds(&loop->args[a]) && strcmp(loop->args[a].set, set) == 0)
            return true;
    return false;
}

/* Random values of all that is read; sums start from zero. Points that slot `changed` reaches (-1:
 * none) of sets that are incremented get other values than without it. */
static tess_status random_state(const tess_kernel *kernel, const tess_bound_loop *bound,
                                const tess_mesh *mesh, int changed, tess_state **out) {
    const tess_loop *loop = bound->loop;
    const int most = most_slots(bound);
    tess_status status = TESS_OK;
    tess_state *state = NULL;
    uint64_t seed = 1;
    CHECK(tess_state_new(mesh, TESS_DOUBLE, &state));
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (tess_state_find(state, arg->dat, arg->set))
            continue;
        CHECK(tess_state_add(state, arg->dat, arg->set[0] ? arg->set : NULL,
                             tess_kernel_arg_row(&kernel->args[a]), kernel->args[a].type));
        tess_dat *dat = &state->dats[state->n_dats - 1];
        const int64_t n = tess_state_size(state, dat) * dat->dim;
        const bool changes = arg->set[0] && has_sums(loop, arg->set);
        for (int64_t i = 0; !is_summed(loop, arg) && i < n; i++)
            put_random(dat, i, n, changes && i / dat->dim % most == changed, &seed);
    }
    *out = TESS_TAKE(state);
done:
    tess_state_free(state);
    return status;
}

/* What a kernel sums on separate elements, and these; owned. */
typedef struct summed {
    tess_mesh *mesh;
    tess_state *state;
} summed;

static void summed_clear(summed *sums) {
    tess_state_free(sums->state);
    tess_mesh_free(sums->mesh);
    *sums = (summed){.mesh = NULL};
}

/* The sums of the kernel, which declares nothing here; the caller clears them, also on failure. */
static tess_status sums_of(const tess_kernel *kernel, const tess_bound_loop *bound, bool exchanged,
                           int changed, summed *sums) {
    tess_kernel plain = *kernel;
    tess_state *start = NULL;
    plain.antisymmetry = TESS_NOT_ANTISYMMETRIC;
    plain.independent_ends = false;
    TRY(separate_elements(bound, exchanged, &sums->mesh));
    TRY(random_state(kernel, bound, sums->mesh, changed, &start));
    const tess_status status = tess_reference_run(&plain, start, &sums->state);
    tess_state_free(start);
    return status;
}

/* What the ends of separate elements should get: what others get of the same slots, or what
 * cancels. */
typedef struct expected_ends {
    const char *declared;
    int n_slots, changed; /* of these slots, but that one (-1: none) */
    bool opposite;
    double tolerance; /* of the largest value that an element adds */
} expected_ends;

/* How far what the ends of element e get of a dat is from what is expected. False where it is no
 * number. */
static bool deviation_of(const tess_dat *dat, const tess_dat *other, const expected_ends *ends,
                         int64_t e, int most, double *deviation) {
    double largest = 0;
    *deviation = 0;
    for (int d = 0; d < dat->dim; d++) {
        double total = 0;
        for (int slot = 0; slot < ends->n_slots; slot++) {
            const int64_t at = (e * most + slot) * dat->dim + d;
            const double sum = tess_dat_value(dat, at);
            const double others = other ? tess_dat_value(other, at) : sum;
            if (slot == ends->changed)
                continue;
            if (!isfinite(sum))
                return false;
            total += sum;
            largest = fmax(largest, fabs(sum));
            *deviation = fmax(*deviation, isfinite(others) ? fabs(sum - others) : INFINITY);
        }
        *deviation = fmax(*deviation, ends->opposite ? fabs(total) : 0);
    }
    *deviation = largest > 0 ? *deviation / largest : *deviation;
    return true;
}

/* Gives the first arg whose dat deviates, and by how much; NULL where none does. */
static tess_status find_deviation(const tess_bound_loop *bound, const expected_ends *ends,
                                  const tess_state *sums, const tess_state *others,
                                  const tess_arg **found, double *deviation) {
    const tess_loop *loop = bound->loop;
    const int most = most_slots(bound);
    *found = NULL;
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (!tess_arg_adds(arg))
            continue;
        const tess_dat *dat = tess_state_find(sums, arg->dat, arg->set);
        const tess_dat *other = others ? tess_state_find(others, arg->dat, arg->set) : NULL;
        int n_finite = 0;
        for (int64_t e = 0; e < ELEMENTS; e++) {
            if (!deviation_of(dat, other, ends, e, most, deviation))
                continue;
            n_finite++;
            if (*deviation <= ends->tolerance)
                continue;
            *found = arg;
            return TESS_OK;
        }
        if (n_finite < LEAST_FINITE)
            FAIL(TESS_ERROR_INPUT,
                 "loop %s declares its ends %s, which cannot be verified: '%s' is no number for "
                 "nearly all random values",
                 loop->name, ends->declared, arg->dat);
    }
    return TESS_OK;
}

tess_status tess_antisymmetry_check(const tess_kernel *kernel, const tess_bound_loop *bound) {
    if (kernel->antisymmetry == TESS_NOT_ANTISYMMETRIC)
        return TESS_OK;
    tess_status status = TESS_OK;
    summed sums = {.mesh = NULL}, exchanged = sums;
    const tess_arg *wrong = NULL;
    double deviation = 0;
    const expected_ends ends = {.declared = tess_antisymmetry_name(kernel->antisymmetry),
                                .n_slots = 2,
                                .changed = -1,
                                .opposite = tess_antisymmetry_is_opposite(kernel->antisymmetry),
                                .tolerance = TOLERANCE};
    CHECK(check_args(kernel, bound));
    CHECK(check_sets(bound, ends.declared));
    CHECK(sums_of(kernel, bound, false, -1, &sums));
    if (tess_antisymmetry_exchanges(kernel->antisymmetry))
        CHECK(sums_of(kernel, bound, true, -1, &exchanged));
    CHECK(find_deviation(bound, &ends, sums.state, exchanged.state, &wrong, &deviation));
    if (wrong)
        CHECK(tess_fail(TESS_ERROR_INPUT,
                        "loop %s declares antisymmetry %s, which is wrong: on random values '%s' "
                        "deviates from it by %.3g of what an element adds",
                        bound->loop->name, ends.declared, wrong->dat, deviation));
done:
    summed_clear(&exchanged);
    summed_clear(&sums);
    return status;
}

tess_status tess_independent_ends_check(const tess_kernel *kernel, const tess_bound_loop *bound) {
    tess_status status = TESS_OK;
    summed sums = {.mesh = NULL}, others = sums;
    const int n_slots = most_slots(bound);
    if (!kernel->independent_ends)
        return TESS_OK;
    CHECK(check_sets(bound, "independent"));
    CHECK(sums_of(kernel, bound, false, -1, &sums));
    for (int slot = 0; slot < n_slots; slot++) {
        const expected_ends ends = {.declared = "independent", .n_slots = n_slots, .changed = slot};
        const tess_arg *wrong = NULL;
        double deviation = 0;
        summed_clear(&others);
        CHECK(sums_of(kernel, bound, false, slot, &others));
        CHECK(find_deviation(bound, &ends, sums.state, others.state, &wrong, &deviation));
        if (wrong)
            CHECK(tess_fail(
                TESS_ERROR_INPUT,
                "loop %s declares its ends independent, which is wrong: on random values what a "
                "point gets of '%s' depends on what is read at slot %d of another",
                bound->loop->name, wrong->dat, slot));
    }
done:
    summed_clear(&others);
    summed_clear(&sums);
    return status;
}

/* --- parts ------------------------------------------------------------------------------------ */

/* The sums of a kernel's parts that are used, one after another, in a trial. */
static tess_status sums_of_parts(const tess_kernel *kernel, const tess_bound_loop *bound, int use,
                                 const tess_parts_trial *trial, summed *sums) {
    tess_status status = TESS_OK;
    tess_text_writer text = {.text = NULL};
    tess_kernel parts;
    CHECK(tess_parts_make_whole(kernel, use, "tess_all_parts", trial, &text, &parts));
    parts.reference = NULL;
    CHECK(sums_of(&parts, bound, false, -1, sums));
done:
    tess_text_writer_clear(&text);
    return status;
}

/* How many values are numbers in `want` but not in `got`. */
static int64_t count_lost(const tess_state *want, const tess_state *got) {
    int64_t n_lost = 0;
    for (int d = 0; d < want->n_dats; d++)
        for (int64_t i = 0; i < tess_state_size(want, &want->dats[d]) * want->dats[d].dim; i++)
            n_lost += isfinite(tess_dat_value(&want->dats[d], i)) &&
                      !isfinite(tess_dat_value(&got->dats[d], i));
    return n_lost;
}

/* How many values of `want` are others in `got`. */
static int64_t count_other(const tess_state *want, const tess_state *got) {
    int64_t n_other = 0;
    for (int d = 0; d < want->n_dats; d++)
        for (int64_t i = 0; i < tess_state_size(want, &want->dats[d]) * want->dats[d].dim; i++) {
            const double value = tess_dat_value(&want->dats[d], i);
            n_other += isfinite(value) &&
                       !(fabs(tess_dat_value(&got->dats[d], i) - value) <= TOLERANCE * fabs(value));
        }
    return n_other;
}

typedef int64_t count_values(const tess_state *want, const tess_state *got);

/* The parts that are used, and what they should add. */
typedef struct used_parts {
    const tess_kernel *kernel;
    const tess_bound_loop *bound;
    int use;
    const tess_state *want;
} used_parts;

/* Counts values of what they should add in a trial. */
static tess_status count_in(const used_parts *parts, const tess_parts_trial *trial,
                            count_values *count, int64_t *n) {
    summed got = {.mesh = NULL};
    const tess_status status = sums_of_parts(parts->kernel, parts->bound, parts->use, trial, &got);
    *n = status == TESS_OK ? count(parts->want, got.state) : 0;
    summed_clear(&got);
    return status;
}

/* Fails by what is passed on of which a part takes a value that no part has given, if there is
 * one: what is added then depends on what the value was before. */
static tess_status find_not_given(const used_parts *parts) {
    const tess_kernel *kernel = parts->kernel;
    for (int b = 0; b < kernel->n_between; b++) {
        const tess_parts_trial trial = {.poisoned = b};
        int64_t n_other = 0;
        TRY(count_in(parts, &trial, count_other, &n_other));
        if (n_other > 0)
            FAIL(TESS_ERROR_INPUT,
                 "a part of loop %s takes a value of '%s' that no part has given: set each by =, "
                 "not by +=, and see to the order of what parts take",
                 kernel->name, kernel->between[b].name);
    }
    return TESS_OK;
}

/* What it means that a part wrote where it may not, of its k-th array. */
static tess_status complain_of_stray(const tess_kernel *kernel, const tess_kernel_part *part,
                                     int k) {
    const int n_arrays = tess_part_n_arrays(part);
    if (k >= n_arrays)
        FAIL(TESS_ERROR_INPUT, "part %s of loop %s changes '%s', which it only takes", part->name,
             kernel->name, kernel->between[~part->takes[k - n_arrays]].name);
    const int dim = tess_part_array_dim(kernel, part, k);
    FAIL(TESS_ERROR_INPUT, "part %s of loop %s writes outside of '%s': it has %d value%s there",
         part->name, kernel->name,
         part->n_gives > 0 ? kernel->between[part->gives[k]].name : kernel->args[part->adds[k]].dat,
         dim, dim == 1 ? "" : "s");
}

/* Fails by the part that writes outside of an array, or what it takes, and by what that is, if
 * there is one. */
static tess_status find_stray(const used_parts *parts) {
    const tess_kernel *kernel = parts->kernel;
    for (int p = 0; p < kernel->n_parts; p++) {
        const tess_kernel_part *part = &kernel->parts[p];
        const int n =
            tess_part_is_used(part, parts->use) ? tess_part_n_arrays(part) + part->n_takes : 0;
        for (int k = 0; k < n; k++) {
            const tess_parts_trial trial = {
                .backwards = true, .strays = true, .of = part, .array = k};
            int64_t n_lost = 0;
            TRY(count_in(parts, &trial, count_lost, &n_lost));
            if (n_lost > 0)
                return complain_of_stray(kernel, part, k);
        }
    }
    return TESS_OK;
}

/* Fails by the first value of an element's point that is not what the whole function adds there. */
static tess_status compare_parts(const tess_kernel *kernel, const tess_dat *want,
                                 const tess_dat *got, int64_t n, const char *how) {
    const double tolerance = want->type == TESS_FLOAT ? 1e-5 : TOLERANCE;
    for (int64_t i = 0; i < n; i++) {
        double largest = 0;
        for (int d = 0; d < want->dim; d++)
            largest = fmax(largest, fabs(tess_dat_value(want, i * want->dim + d)));
        for (int d = 0; d < want->dim; d++) {
            const double value = tess_dat_value(want, i * want->dim + d);
            const double other = tess_dat_value(got, i * want->dim + d);
            if (isfinite(value) && !(fabs(value - other) <= tolerance * largest))
                FAIL(TESS_ERROR_INPUT,
                     "the parts of loop %s, %s, do not add what %s adds: on random "
                     "values %.6g, not %.6g, to value %d of '%s'",
                     kernel->name, how, tess_kernel_function(kernel), other, value, d, want->name);
        }
    }
    return TESS_OK;
}

static tess_status compare_all_parts(const tess_kernel *kernel, const tess_state *want,
                                     const tess_state *got, const char *how) {
    for (int d = 0; d < want->n_dats; d++)
        TRY(compare_parts(kernel, &want->dats[d], &got->dats[d],
                          tess_state_size(want, &want->dats[d]), how));
    return TESS_OK;
}

static const tess_parts_trial from_behind = {.backwards = true, .strays = true};

static const tess_parts_trial all_poisoned = {.poisoned = -1};

/* Fails where a part that is used writes where it may not, or takes what is not given. */
static tess_status refuse_misuse(const used_parts *parts) {
    int64_t n_lost = 0, n_other = 0;
    TRY(count_in(parts, &from_behind, count_lost, &n_lost));
    if (n_lost > 0)
        TRY(find_stray(parts));
    TRY(count_in(parts, &all_poisoned, count_other, &n_other));
    if (n_other > 0)
        TRY(find_not_given(parts));
    if (n_lost + n_other > 0)
        FAIL(TESS_ERROR_INPUT,
             "the parts of loop %s add what depends on what was there before, or is no number when "
             "a part's last instance runs first",
             parts->kernel->name);
    return TESS_OK;
}

/* Checks it before anything runs without room around its arrays. */
static tess_status refuse_any_misuse(const tess_kernel *kernel, const tess_bound_loop *bound,
                                     int use) {
    const tess_parts_trial roomy = {.poisoned = TESS_NOTHING_POISONED};
    summed want = {.mesh = NULL};
    tess_status status = sums_of_parts(kernel, bound, use, &roomy, &want);
    if (status == TESS_OK)
        status = refuse_misuse(&(used_parts){kernel, bound, use, want.state});
    summed_clear(&want);
    return status;
}

/* Compares the parts that are used with the whole's sums: in order, then each part's instances from
 * the last to the first, with guards that nobody may write over. */
static tess_status prove_use(const tess_kernel *kernel, const tess_bound_loop *bound, int use,
                             const tess_state *want) {
    tess_status status = TESS_OK;
    summed got = {.mesh = NULL};
    CHECK(sums_of_parts(kernel, bound, use, &all_poisoned, &got));
    CHECK(compare_all_parts(kernel, want, got.state, "one after another"));
    summed_clear(&got);
    CHECK(sums_of_parts(kernel, bound, use, &from_behind, &got));
    CHECK(compare_all_parts(kernel, want, got.state, "the last instance of each first"));
done:
    summed_clear(&got);
    return status;
}

tess_status tess_parts_prove(const tess_kernel *kernel, const tess_bound_loop *bound) {
    if (kernel->n_parts == 0)
        return TESS_OK;
    tess_status status = TESS_OK;
    summed want = {.mesh = NULL};
    int uses[TESS_PARTS_USES];
    CHECK(tess_parts_check(kernel, &(tess_parts_fault){-1, -1}));
    CHECK(tess_parts_check_shares(kernel, bound->mesh));
    const int n = tess_parts_uses(kernel, uses);
    for (int u = 0; u < n; u++)
        CHECK(refuse_any_misuse(kernel, bound, uses[u]));
    CHECK(sums_of(kernel, bound, false, -1, &want));
    for (int u = 0; u < n; u++)
        CHECK(prove_use(kernel, bound, uses[u], want.state));
done:
    summed_clear(&want);
    return status;
}

/* TESS_OK where all values of a dat are zero. */
static tess_status check_zero(const tess_loop *loop, const tess_arg *arg, const tess_state *after) {
    const tess_dat *dat = tess_state_find(after, arg->dat, arg->set);
    for (int64_t i = 0; i < tess_state_size(after, dat) * dat->dim; i++)
        if (tess_dat_value(dat, i) != 0)
            FAIL(TESS_ERROR_INPUT,
                 "loop %s declares '%s' cleared, which is wrong: from random values it leaves %g",
                 loop->name, arg->dat, tess_dat_value(dat, i));
    return TESS_OK;
}

tess_status tess_cleared_check(const tess_kernel *kernel, const tess_bound_loop *bound) {
    tess_status status = TESS_OK;
    summed after = {.mesh = NULL};
    for (int a = 0; a < kernel->n_args; a++) {
        const tess_arg *arg = &bound->loop->args[a];
        if (!kernel->args[a].cleared)
            continue;
        if (arg->access != TESS_RW || arg->map[0] || !arg->set[0] || arg->is_part)
            CHECK(tess_fail(TESS_ERROR_INPUT,
                            "loop %s declares '%s' cleared: that can be a whole dat of its own "
                            "elements that it reads and writes (rw)",
                            kernel->name, arg->dat));
        if (!after.state)
            CHECK(check_sets(bound, "and a dat cleared"));
        if (!after.state)
            CHECK(sums_of(kernel, bound, false, -1, &after));
        CHECK(check_zero(bound->loop, arg, after.state));
    }
done:
    summed_clear(&after);
    return status;
}

tess_status tess_declarations_check(const tess_kernel *kernel, const tess_bound_loop *bound) {
    if (!kernel->reference) /* those of applications by a test: no compiler needs to be there */
        TRY(tess_parts_prove(kernel, bound));
    TRY(tess_antisymmetry_check(kernel, bound));
    TRY(tess_cleared_check(kernel, bound));
    return tess_independent_ends_check(kernel, bound);
}
