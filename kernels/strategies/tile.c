/* A tile: what the lanes of an element share, and how they load and give it. */
#include "kernels/strategies/tile.h"

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

/* An array of so many values, of whole words. */
static void print_member(tess_tile *t, const char *type, const char *name, int64_t n) {
    const int64_t size = strcmp(type, "double") == 0 ? 8 : 4,
                  words = (n * size + TESS_TILE_WORD - 1) / TESS_TILE_WORD;
    tess_page_code(t->page, NULL, "    %s %s[%lld];\n", type, name,
                   (long long)(words * TESS_TILE_WORD / size));
    t->words += words;
}

/* The odd number of words keeps a warp's tiles in different banks. */
static void print_members(tess_tile *t) {
    const tess_page *page = t->page;
    const tess_kernel *kernel = page->kernel;
    char name[32];
    tess_page_code(t->page, NULL, "/* What the lanes of an element share. */\nstruct tile {\n");
    for (int a = 0; a < kernel->n_args; a++)
        if (kernel->args[a].access == TESS_READ) {
            snprintf(name, sizeof name, "arg%d", a);
            print_member(t, tess_page_dat_of(page, a)->type, name, tess_page_local_size(page, a));
        }
    for (int b = 0; b < kernel->n_between; b++) {
        snprintf(name, sizeof name, "between%d", b);
        if (tess_parts_give(kernel, page->use, kernel->n_parts, b))
            print_member(t, tess_page_real(page), name, kernel->between[b].dim);
    }
    for (int p = 0; p < kernel->n_parts; p++) {
        const tess_kernel_part *part = &kernel->parts[p];
        for (int k = 0; k < part->n_adds && tess_tile_uses(t, part) && tess_tile_sums(t, part);
             k++) {
            const int dim = kernel->args[part->adds[k]].dim;
            snprintf(name, sizeof name, "sum%d_%d", p, k);
            print_member(t, tess_tile_made_type(t, part), name,
                         dim * tess_page_part_slots(page, part));
            snprintf(name, sizeof name, "edge%d_%d", p, k);
            if (t->sum == TESS_EDGES_SERIAL)
                print_member(t, tess_tile_made_type(t, part), name, dim * t->type->n_edges);
        }
    }
    if (t->words % 2 == 0)
        print_member(t, "double", "unused", 1);
    tess_page_code(t->page, NULL, "};\n\n");
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

void tess_tile_print(tess_tile *t, const tess_pair_slots *pairs) {
    print_members(t);
    print_slots(t, pairs);
    print_load(t);
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
static void print_giving(const tess_tile *t, const tess_kernel_part *part) {
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

/* True where a part takes what was given since the last barrier, which `fresh` marks. */
static bool takes_fresh(const tess_kernel_part *part, const bool *fresh) {
    for (int k = 0; k < part->n_takes; k++)
        if (part->takes[k] < 0 && fresh[~part->takes[k]])
            return true;
    return false;
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
        if (takes_fresh(part, fresh)) {
            tess_page_code(page, NULL, "    tile_barrier();\n");
            memset(fresh, 0, (size_t)kernel->n_between);
        }
        print_giving(t, part);
        for (int g = 0; g < part->n_gives; g++)
            fresh[part->gives[g]] = true;
    }
    tess_page_code(page, NULL, "    tile_barrier();\n    (void)t, (void)active;\n}\n\n");
    free(fresh);
    return TESS_OK;
}
