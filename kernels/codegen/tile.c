/* A tile: what the lanes of an element share, and how they load and give it. */
#include "kernels/codegen/tile.h"

#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tess_tile_uses(const tess_tile *t, const tess_kernel_part *part) {
    return tess_part_is_used(part, t->page->use);
}

bool tess_tile_sums(const tess_tile *t, const tess_kernel_part *part) {
    return tess_part_is_of_edges(part) && (t->page->use & TESS_USE_EDGES) &&
           t->sum != TESS_EDGES_GLOBAL;
}

const char *tess_tile_made_type(const tess_tile *t, const tess_kernel_part *part) {
    const char *made = part->made ? part->made : "real";
    return strcmp(made, "real") == 0 ? tess_page_real(t->page) : made;
}

/* --- what a tile holds ------------------------------------------------------------------------ */

/* Whether a part takes what was given since the last barrier, which `fresh` marks. */
static bool takes_fresh(const tess_kernel_part *part, const bool *fresh) {
    for (int k = 0; k < part->n_takes; k++)
        if (part->takes[k] < 0 && fresh[~part->takes[k]])
            return true;
    return false;
}

/* Goes on to a part, which is used and gives: true where its lanes have to wait for others first,
 * for it takes what is `fresh`, given since they last waited. Updates what is. */
static bool next_part(const tess_tile *t, int p, bool *fresh) {
    const tess_kernel *kernel = t->page->kernel;
    const tess_kernel_part *part = &kernel->parts[p];
    const bool waits = takes_fresh(part, fresh);
    if (waits)
        memset(fresh, 0, (size_t)kernel->n_between);
    for (int g = 0; g < part->n_gives; g++)
        fresh[part->gives[g]] = true;
    return waits;
}

/* An array of a tile. Its values are there from one phase, of those between barriers, to another;
 * arrays that are never there together may lie in the same words. */
typedef struct member {
    char name[32];
    const char *type;
    int64_t n, words, at;
    int64_t stride; /* values of an instance, which one lane has */
    int first, last;
} member;

typedef struct members {
    member *all;
    int n;
} members;

static void add_member(members *m, const char *type, const char *name, int64_t n, int first) {
    const int64_t size = strcmp(type, "double") == 0 ? 8 : 4;
    member *added = &m->all[m->n++];
    *added = (member){.type = type, .n = n, .stride = 1, .first = first, .last = first};
    added->words = (n * size + TESS_TILE_WORD - 1) / TESS_TILE_WORD;
    snprintf(added->name, sizeof added->name, "%s", name);
}

static member *find_member(const members *m, const char *kind, int i) {
    char name[32];
    snprintf(name, sizeof name, "%s%d", kind, i);
    for (int k = 0; k < m->n; k++)
        if (strcmp(m->all[k].name, name) == 0)
            return &m->all[k];
    return NULL;
}

/* What a part gives is there from its phase on, what it takes up to then. */
static void add_part(const tess_tile *t, const tess_kernel_part *part, int phase, members *m) {
    const tess_kernel *kernel = t->page->kernel;
    const int instances = tess_part_instances(kernel, part, t->page->bound->mesh);
    char name[32];
    for (int g = 0; g < part->n_gives; g++) {
        const int b = part->gives[g], dim = kernel->between[b].dim;
        snprintf(name, sizeof name, "between%d", b);
        if (!find_member(m, "between", b))
            add_member(m, tess_page_real(t->page), name, dim, phase);
        member *given = find_member(m, "between", b);
        given->last = phase;
        given->stride = dim > instances ? dim / instances : 1;
    }
    for (int k = 0; k < part->n_takes; k++) {
        const int value = part->takes[k];
        member *taken =
            value < 0 ? find_member(m, "between", ~value) : find_member(m, "arg", value);
        if (taken)
            taken->last = phase;
    }
}

/* What edges sum up in. */
static void add_sums(const tess_tile *t, int p, int phase, members *m) {
    const tess_kernel_part *part = &t->page->kernel->parts[p];
    char name[32];
    for (int k = 0; k < part->n_adds && tess_tile_sums(t, part); k++) {
        const int dim = t->page->kernel->args[part->adds[k]].dim;
        snprintf(name, sizeof name, "sum%d_%d", p, k);
        add_member(m, tess_tile_made_type(t, part), name,
                   (int64_t)dim * tess_page_part_slots(t->page, part), phase);
        snprintf(name, sizeof name, "edge%d_%d", p, k);
        if (t->sum == TESS_EDGES_SERIAL)
            add_member(m, tess_tile_made_type(t, part), name, (int64_t)dim * t->type->n_edges,
                       phase);
    }
}

static tess_status find_members(const tess_tile *t, members *m) {
    const tess_kernel *kernel = t->page->kernel;
    bool *fresh = NULL;
    int phase = 1;
    char name[32];
    TRY(TESS_ZEROS(kernel->n_between + 1, &fresh));
    for (int a = 0; a < kernel->n_args; a++)
        if (kernel->args[a].access == TESS_READ) {
            snprintf(name, sizeof name, "arg%d", a);
            add_member(m, tess_page_dat_of(t->page, a)->type, name,
                       tess_page_local_size(t->page, a), 0);
        }
    for (int p = 0; p < kernel->n_parts; p++)
        if (kernel->parts[p].n_gives > 0 && tess_tile_uses(t, &kernel->parts[p])) {
            phase += next_part(t, p, fresh);
            add_part(t, &kernel->parts[p], phase, m);
        }
    for (int p = 0; p < kernel->n_parts; p++)
        if (kernel->parts[p].n_adds > 0 && tess_tile_uses(t, &kernel->parts[p])) {
            add_part(t, &kernel->parts[p], phase + 1, m);
            add_sums(t, p, phase + 1, m);
        }
    free(fresh);
    return TESS_OK;
}

/* Places arrays in an order, each where the lowest words are free as long as it is there; gives how
 * many words that takes. */
static int64_t place_members(members *m, const int *order) {
    int64_t words = 0;
    for (int k = 0; k < m->n; k++) {
        member *added = &m->all[order[k]];
        added->at = 0;
        for (int j = 0; j < k; j++) {
            const member *old = &m->all[order[j]];
            const bool together = old->first <= added->last && added->first <= old->last;
            if (together && old->at < added->at + added->words &&
                added->at < old->at + old->words) {
                added->at = old->at + old->words;
                j = -1;
            }
        }
        words = added->at + added->words > words ? added->at + added->words : words;
    }
    return words;
}

/* Tries many orders and keeps the first of the best. */
static tess_status place_best(members *m, int64_t *words) {
    enum { TRIES = 2000 };
    int *order = NULL, *best = NULL;
    uint64_t state = 1;
    tess_status status = TESS_OK;
    CHECK(TESS_ZEROS(m->n + 1, &order));
    CHECK(TESS_ZEROS(m->n + 1, &best));
    for (int k = 0; k < m->n; k++)
        order[k] = best[k] = k;
    *words = place_members(m, order);
    for (int i = 0; i < TRIES; i++) {
        for (int k = m->n - 1; k > 0; k--) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const int j = (int)((state >> 33) % (uint64_t)(k + 1)), kept = order[k];
            order[k] = order[j];
            order[j] = kept;
        }
        const int64_t now = place_members(m, order);
        if (now < *words) {
            *words = now;
            memcpy(best, order, (size_t)m->n * sizeof *best);
        }
    }
    place_members(m, best);
done:
    free(order);
    free(best);
    return status;
}

enum { BANKS = 16 };

/* How often the lanes from `first` to `end` have to wait for a bank, where in each tile the first n
 * have values that are `stride` words apart: of several that want the same word none waits. */
static int64_t waits_of(const tess_tile *t, int first, int end, int64_t stride, int64_t n) {
    int used[BANKS] = {0}, most = 0;
    for (int l = first; l < end; l++) {
        const int64_t at = l / t->lanes * t->words + (l >= TESS_WARP / 2) * t->shift;
        if (l % t->lanes < n && (stride > 0 || l % t->lanes == 0)) {
            int *bank = &used[(at + l % t->lanes * stride) % BANKS];
            *bank += 1;
            most = *bank > most ? *bank : most;
        }
    }
    return most;
}

/* Conflicts of all arrays: half a warp at once writes or reads what its lanes have each, a whole
 * one what the lanes of a tile read together. */
static int64_t waits_of_all(const tess_tile *t, const members *m) {
    int64_t waits = 0;
    for (int k = 0; k < m->n; k++) {
        const member *all = &m->all[k];
        const int64_t n = all->n / all->stride;
        waits += all->stride * (waits_of(t, 0, TESS_WARP / 2, all->stride, n) +
                                waits_of(t, TESS_WARP / 2, TESS_WARP, all->stride, n)) +
                 waits_of(t, 0, TESS_WARP, 0, 1);
    }
    return waits;
}

/* Words behind a tile, and behind the tiles of half a warp where a warp has two or more, that
 * nobody has, so that lanes wait least. */
static void spread_tiles(tess_tile *t, const members *m, int64_t words) {
    int64_t best = words, least = INT64_MAX, shift = 0;
    for (int k = 0; k < 2 * BANKS; k++) {
        t->words = words + k / 2;
        t->shift = t->lanes < TESS_WARP ? k % 2 * t->lanes / 2 : 0;
        const int64_t waits = waits_of_all(t, m);
        if (waits < least) {
            least = waits;
            best = t->words;
            shift = t->shift;
        }
    }
    t->words = best;
    t->shift = shift;
}

static tess_status print_members(tess_tile *t) {
    const tess_kernel *kernel = t->page->kernel;
    members m = {.n = 0};
    int64_t words = 0, most = kernel->n_args + kernel->n_between;
    tess_status status = TESS_OK;
    for (int p = 0; p < kernel->n_parts; p++)
        most += 2 * kernel->parts[p].n_adds;
    CHECK(TESS_ZEROS(most, &m.all));
    CHECK(find_members(t, &m));
    CHECK(place_best(&m, &words));
    spread_tiles(t, &m, words);
    tess_page_code(t->page, NULL,
                   "/* What the lanes of an element share; what is never there together may lie in "
                   "the same words. */\n"
                   "struct tile {\n    union {\n        double words[%lld];\n",
                   (long long)t->words);
    for (int k = 0; k < m.n; k++) {
        tess_page_code(t->page, NULL, "        struct {");
        if (m.all[k].at > 0)
            tess_page_code(t->page, NULL, " double before_%s[%lld];", m.all[k].name,
                           (long long)m.all[k].at);
        tess_page_code(t->page, NULL, " %s %s[%lld]; };\n", m.all[k].type, m.all[k].name,
                       (long long)m.all[k].n);
    }
    tess_page_code(t->page, NULL, "    };\n};\n\n");
done:
    free(m.all);
    return status;
}

/* Gives pair s of the element's points. */
static void print_found_slot(tess_page *page, const tess_page_dat *set,
                             const tess_pair_slots *pairs) {
    const char *points = page->sets[pairs->rows].name;
    tess_page_code(page, set,
                   "    const int row = s / %d, column = s %% %d + (s %% %d >= row);\n"
                   "    return @set_found(p, i, s, %s_slot(p, i, %d + row), "
                   "%s_slot(p, i, %d + column));\n",
                   pairs->n - 1, pairs->n - 1, pairs->n - 1, points, pairs->first, points,
                   pairs->first);
}

/* SET_slot(p, i, s): the point of slot s of the element stored at i; those of pairs, [n_targets]
 * with n > 0, come last. */
static void print_slots(const tess_tile *t, const tess_pair_slots *pairs) {
    tess_page *page = t->page;
    const long long stride = tess_store_stride(page->bound->n_elements);
    const int n_targets = page->bound->n_targets;
    for (int k = 0; k < 2 * n_targets; k++) {
        const int r = k % n_targets;
        const bool found = pairs[r].n > 0;
        const tess_page_dat set = tess_page_set_words(page, r);
        const bool wide = stride * page->bound->targets[r].n_slots > INT32_MAX;
        if (found != (k >= n_targets))
            continue;
        tess_page_code(page, &set,
                       "INLINE int @set_slot(const struct params *p, int i, int s) {\n");
        if (found)
            print_found_slot(page, &set, &pairs[r]);
        else if (page->store->maps_in_rows)
            tess_page_code(page, &set, "    return fetch(&p->@set_index[@set_index_at(i, s)]);\n");
        else
            tess_page_code(page, &set, "    return fetch(&p->@set_index[%ss * %lld + i]);\n",
                           wide ? "(long long)" : "", stride);
        tess_page_code(page, NULL, "}\n\n");
    }
}

/* Loads what an arg reads at its points. All lanes go through all turns, in the same code. */
static void print_load_points(const tess_tile *t, int a) {
    tess_page *page = t->page;
    const tess_page_access *first = tess_page_access_of(page, a, 0);
    const bool padded = page->sets[first->dat->target].padded;
    const int n = tess_page_local_size(page, a);
    tess_page_code(
        page, first->dat,
        "    UNROLL TURNS(all, 0, %d, LANES) {\n        const int v = all + tile_lane();\n"
        "        TURN(%d * WARP + all / LANES);\n"
        "        if (active && v < %d) {\n"
        "            const int point = @set_slot(p, i, %d + v / @dim);\n            "
        "store(&t->arg%d[v], %sfetch(&p->@dat[@dat_at(point, v %% @dim)]));\n"
        "        }\n    }\n",
        n, a, n, first->slot, a, padded ? "point < 0 ? (@type)0 : " : "");
}

static void print_load(const tess_tile *t) {
    tess_page *page = t->page;
    const tess_kernel *kernel = page->kernel;
    tess_page_code(page, NULL,
                   "INLINE void load_tile(const struct params *p, struct tile *t, int i, int "
                   "active) {\n");
    for (int a = 0; a < kernel->n_args; a++) {
        if (kernel->args[a].access != TESS_READ)
            continue;
        if (kernel->args[a].map)
            print_load_points(t, a);
        else
            tess_page_code(page, tess_page_dat_of(page, a),
                           "    TURNS(v, tile_lane(), active ? @dim : 0, LANES)\n"
                           "        store(&t->arg%d[v], fetch(&p->@dat[@dat_at(%s, v)]));\n",
                           a, kernel->args[a].set ? "i" : "0");
    }
    tess_page_code(page, NULL, "    TURN(0);\n    tile_barrier();\n    (void)p, (void)i;\n}\n\n");
}

tess_status tess_tile_print(tess_tile *t, const tess_pair_slots *pairs) {
    TRY(print_members(t));
    print_slots(t, pairs);
    print_load(t);
    return TESS_OK;
}

/* --- parts that give -------------------------------------------------------------------------- */

/* Says what a part takes, for the emulator's checks. */
void tess_tile_print_reads(const tess_tile *t, const tess_kernel_part *part) {
    for (int k = 0; k < part->n_takes; k++) {
        const int value = part->takes[k];
        tess_page_code(t->page, NULL, "        reads(t->%s%d, %d);\n",
                       value < 0 ? "between" : "arg", value < 0 ? ~value : value,
                       value < 0 ? t->page->kernel->between[~value].dim
                                 : tess_page_local_size(t->page, value));
    }
}

const tess_part_words tess_tile_words = {
    .arg = "t->arg", .between = "t->between", .given = "given", .instance = "k"};

/* A part's instances, each by a lane. */
static void print_reduction(const tess_tile *t, const tess_kernel_part *part) {
    tess_page *page = t->page;
    const int n = tess_part_instances(page->kernel, part, page->bound->mesh);
    tess_part_words call = tess_tile_words;
    if (part->each == TESS_PART_ONCE)
        call.instance = NULL;
    tess_page_code(page, NULL, "    TURNS(k, tile_lane(), active ? %d : 0, LANES) {\n", n);
    for (int g = 0; g < part->n_gives; g++)
        tess_page_code(page, NULL, "        real given%d[%d];\n", part->gives[g],
                       page->kernel->between[part->gives[g]].dim / n);
    tess_tile_print_reads(t, part);
    tess_page_code(page, NULL, "        ");
    tess_part_print_call(&page->functions, page->kernel, part, &call);
    for (int g = 0; g < part->n_gives; g++) {
        const int b = part->gives[g], share = page->kernel->between[b].dim / n;
        tess_page_code(page, NULL,
                       "        UNROLL for (int d = 0; d < %d; d++)\n"
                       "            store(&t->between%d[k * %d + d], given%d[d]);\n",
                       share, b, share, b);
    }
    tess_page_code(page, NULL, "    }\n");
}

tess_status tess_tile_print_give_parts(const tess_tile *t) {
    tess_page *page = t->page;
    const tess_kernel *kernel = page->kernel;
    bool *fresh = NULL;
    TRY(TESS_ZEROS(kernel->n_between + 1, &fresh));
    tess_page_code(page, NULL, "INLINE void give_parts(struct tile *t, int active) {\n");
    for (int p = 0; p < kernel->n_parts; p++) {
        const tess_kernel_part *part = &kernel->parts[p];
        if (part->n_gives == 0 || !tess_tile_uses(t, part))
            continue;
        if (next_part(t, p, fresh))
            tess_page_code(page, NULL, "    tile_barrier();\n");
        print_reduction(t, part);
    }
    tess_page_code(page, NULL, "    tile_barrier();\n    (void)t, (void)active;\n}\n\n");
    free(fresh);
    return TESS_OK;
}
