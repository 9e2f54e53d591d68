/* Clashes: points where two blocks of one colour meet, were there one colour less. */
#include "partitioners/mosaic/clash.h"
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/plan/colour/colour.h"
#include "core/plan/colour/tabu_colour.h"
#include "core/plan/graph.h"
#include "partitioners/mosaic/block_pair.h"

#include <stdlib.h>
#include <string.h>

/* Elements that change blocks: the first n go, as many come back. */
typedef struct exchange {
    int32_t n, element[2 * CLASH_ELEMENTS];
    int64_t cost;
} exchange;

/* The last block of a colour that was seen at a point, and in which look at one. */
typedef struct last_block {
    int64_t turn;
    int32_t block;
} last_block;

/* Blocks and the colours that they would have. */
typedef struct clashes {
    mosaic_blocks *blocks;
    tess_rows *elements; /* of each point */
    int32_t *colour;     /* [n_blocks] below n_colours */
    int32_t n_colours;
    int64_t n_clashes; /* points in two blocks of one colour, once for each two blocks */
    last_block *last;  /* [n_blocks] of each colour */
    int64_t turn;
    mosaic_pair pair;
    exchange *made; /* [n_made] */
    int64_t n_made, capacity;
    int64_t cost, worth;          /* weight of points that were paid, that may be */
    bool broke;                   /* nothing more may */
    int32_t hard[2 * CLASH_HARD]; /* [2 n_hard] pairs of blocks that cannot be parted */
    int32_t n_hard;
} clashes;

/* True where a block that is not of the pair, but has the colour of its block s, is at a point. */
static bool has_colour(const clashes *all, int32_t point, int s) {
    const int32_t *const block = all->pair.block;
    for (int64_t i = all->elements->offset[point]; i < all->elements->offset[point + 1]; ++i) {
        const int32_t b = all->blocks->block_of[all->elements->item[i]];
        if (b != block[0] && b != block[1] && all->colour[b] == all->colour[block[s]])
            return true;
    }
    return false;
}

/* True where an element that changed sides brings no clash to its points. */
static bool is_allowed(const clashes *all, int32_t i) {
    const mosaic_pins *const pins = all->blocks->pins;
    const mosaic_pair *const pair = &all->pair;
    const int32_t e = pair->element[i];
    const bool alike = all->colour[pair->block[0]] == all->colour[pair->block[1]];
    for (int64_t k = mosaic_first(pins, e); k < mosaic_end(pins, e); ++k) {
        const mosaic_pair_point *const at = mosaic_pair_at(pair, pins->point[k]);
        for (int s = 0; s < 2; ++s)
            if (at->count[s] && !at->had[s] && has_colour(all, at->point, s))
                return false;
        if (alike && at->count[0] && at->count[1] && !(at->had[0] && at->had[1]))
            return false;
    }
    return true;
}

/* The cheapest element of the second block that may come to the first, but for those at a point;
 * -1: none may. */
static int32_t choose_back(clashes *all, int32_t point) {
    mosaic_pair *const pair = &all->pair;
    int32_t chosen = -1;
    int64_t least = INT64_MAX;
    for (int32_t i = all->blocks->size[pair->block[0]]; i < pair->n_elements; ++i) {
        if (pair->side[i] != 1 || !mosaic_pair_is_between(pair, i))
            continue;
        const int64_t cost = mosaic_pair_turn(pair, i);
        if (cost < least && !mosaic_pair_at(pair, point)->count[0] && is_allowed(all, i)) {
            least = cost;
            chosen = i;
        }
        mosaic_pair_turn(pair, i);
    }
    return chosen;
}

/* Tries to move the elements of one block at a point to block b, and as many others back, the
 * cheapest one after the other; *best is that where it is cheaper. */
static void try_block(clashes *all, int32_t point, const exchange *out, int32_t b, exchange *best) {
    const int32_t n = out->n, *const element = out->element;
    mosaic_pair *const pair = &all->pair;
    exchange made = {.n = n};
    bool allowed = true;
    mosaic_pair_load(pair, all->blocks->block_of[element[0]], b);
    for (int32_t m = 0; m < n && allowed; ++m) {
        const int32_t i = mosaic_pair_find(pair, element[m]);
        made.element[m] = element[m];
        made.cost += mosaic_pair_turn(pair, i);
        allowed = is_allowed(all, i);
    }
    for (int32_t m = 0; m < n && allowed; ++m) {
        const int32_t i = choose_back(all, point);
        allowed = i >= 0;
        if (allowed) {
            made.element[n + m] = pair->element[i];
            made.cost += mosaic_pair_turn(pair, i);
        }
    }
    if (allowed && made.cost < best->cost && mosaic_pair_keeps_pieces(pair))
        *best = made;
    mosaic_pair_unload(pair);
}

/* Makes an exchange, or takes it back. */
static void exchange_make(clashes *all, const exchange *made) {
    for (int32_t m = 0; m < made->n; ++m)
        mosaic_blocks_swap(all->blocks, made->element[m], made->element[made->n + m]);
}

/* Finds two blocks of one colour at a point. */
static bool find_clash(clashes *all, int32_t point, int32_t two[2]) {
    const tess_rows *const elements = all->elements;
    ++all->turn;
    for (int64_t i = elements->offset[point]; i < elements->offset[point + 1]; ++i) {
        const int32_t b = all->blocks->block_of[elements->item[i]];
        last_block *const last = all->last + all->colour[b];
        if (last->turn == all->turn && last->block != b) {
            two[0] = b;
            two[1] = last->block;
            return true;
        }
        *last = (last_block){.turn = all->turn, .block = b};
    }
    return false;
}

/* Lists the elements of a block at a point, no more than CLASH_ELEMENTS; false: there are more. */
static bool list_elements(const clashes *all, int32_t point, int32_t block, exchange *out) {
    const tess_rows *const elements = all->elements;
    out->n = 0;
    for (int64_t i = elements->offset[point]; i < elements->offset[point + 1]; ++i) {
        if (all->blocks->block_of[elements->item[i]] != block)
            continue;
        if (out->n == CLASH_ELEMENTS)
            return false;
        out->element[out->n++] = elements->item[i];
    }
    return true;
}

/* Fills the other blocks at the points of some elements of one block; gives their number, at most
 * CLASH_BLOCKS. */
static int32_t list_blocks(const clashes *all, int32_t n, const int32_t *element, int32_t *block) {
    const mosaic_pins *const pins = all->blocks->pins;
    const tess_rows *const elements = all->elements;
    const int32_t *const block_of = all->blocks->block_of;
    int32_t n_blocks = 0;
    for (int32_t m = 0; m < n; ++m)
        for (int64_t k = mosaic_first(pins, element[m]); k < mosaic_end(pins, element[m]); ++k) {
            const int32_t p = pins->point[k];
            for (int64_t i = elements->offset[p]; i < elements->offset[p + 1]; ++i) {
                const int32_t b = block_of[elements->item[i]];
                int32_t at = 0;
                while (at < n_blocks && block[at] != b)
                    ++at;
                if (b != block_of[element[0]] && at == n_blocks && n_blocks < CLASH_BLOCKS)
                    block[n_blocks++] = b;
            }
        }
    return n_blocks;
}

/* Takes one of two blocks away from a point; *eased: it was. */
static tess_status ease(clashes *all, int32_t point, const int32_t two[2], bool *eased) {
    exchange best = {.cost = INT64_MAX};
    for (int s = 0; s < 2; ++s) {
        exchange out;
        int32_t block[CLASH_BLOCKS], n_blocks = 0;
        if (list_elements(all, point, two[s], &out))
            n_blocks = list_blocks(all, out.n, out.element, block);
        for (int32_t t = 0; t < n_blocks; ++t)
            try_block(all, point, &out, block[t], &best);
    }
    *eased = best.cost < INT64_MAX;
    all->broke = *eased && all->cost + best.cost > all->worth;
    if (!*eased || all->broke)
        return TESS_OK;
    TRY(TESS_RESERVE(all->n_made + 1, &all->capacity, &all->made));
    exchange_make(all, &best);
    all->made[all->n_made++] = best;
    all->cost += best.cost;
    return tess_interrupt_check();
}

/* Parts blocks of one colour wherever they meet, as long as it can be paid, and notes pairs that
 * cannot be parted; *eased: none is left. */
static tess_status ease_all(clashes *all, bool *eased) {
    int32_t two[2];
    *eased = true;
    for (int32_t p = 0; p < all->blocks->pins->n_points && !all->broke; ++p) {
        bool parted = true;
        while (parted && !all->broke && find_clash(all, p, two))
            TRY(ease(all, p, two, &parted));
        *eased = *eased && parted;
        if (!parted && all->n_hard < CLASH_HARD)
            memcpy(all->hard + 2 * all->n_hard++, two, sizeof two);
    }
    *eased = *eased && !all->broke;
    return TESS_OK;
}

/* Gives the points of each block. */
static tess_status list_points(const clashes *all, tess_rows **out) {
    tess_status status = TESS_OK;
    const mosaic_pins *const pins = all->blocks->pins;
    int32_t *const last = all->pair.place; /* block seen at each point */
    tess_rows *points = NULL;
    CHECK(tess_rows_new(all->blocks->n_blocks, &points));
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t b = 0; b < all->blocks->n_blocks; ++b)
            for (int32_t i = 0; i < all->blocks->size[b]; ++i) {
                const int32_t e = mosaic_block(all->blocks, b)[i];
                for (int64_t k = mosaic_first(pins, e); k < mosaic_end(pins, e); ++k) {
                    const int32_t p = pins->point[k];
                    if (last[p] != b && pass)
                        tess_rows_put(points, b, p);
                    else if (last[p] != b)
                        tess_rows_count(points, b);
                    last[p] = b;
                }
            }
        for (int64_t p = 0; p < pins->n_points; ++p)
            last[p] = -1;
        if (!pass)
            CHECK(tess_rows_open(points));
    }
    *out = points;
    points = NULL;
done:
    tess_rows_free(points);
    return status;
}

/* Which blocks meet, and at how many points. */
typedef struct contacts {
    tess_rows *points, *graph; /* of each block: its points, the blocks that have one of these */
    int32_t *weight;           /* beside each of the latter */
    tess_incidence map;        /* the points once more; not owned */
} contacts;

static void contacts_clear(contacts *of) {
    tess_rows_free(of->points);
    tess_rows_free(of->graph);
    free(of->weight);
    *of = (contacts){.graph = NULL};
}

/* Fills the contacts of blocks as they are, whatever it held. Blocks that cannot be parted meet at
 * so many points that a search gives them two colours. */
static tess_status contacts_build(const clashes *all, contacts *of) {
    const tess_partition_problem problem = {
        .n_elements = all->blocks->n_blocks, .n_maps = 1, .maps = &of->map};
    contacts_clear(of);
    TRY(list_points(all, &of->points));
    of->map = (tess_incidence){.index = of->points->item,
                               .offset = of->points->offset,
                               .n_points = all->blocks->pins->n_points};
    TRY(tess_graph_build(&problem, &of->weight, &of->graph));
    for (int32_t h = 0; h < 2 * all->n_hard; ++h) {
        const int32_t b = all->hard[h], other = all->hard[h ^ 1];
        for (int64_t i = of->graph->offset[b]; i < of->graph->offset[b + 1]; ++i)
            of->weight[i] += of->graph->item[i] == other ? CLASH_HEAVY : 0;
    }
    return TESS_OK;
}

/* Points that may still be paid. */
static int64_t points_left(const clashes *all) {
    const mosaic_pins *const pins = all->blocks->pins;
    return (all->worth - all->cost) * pins->n_points / mosaic_weight_of_all(pins);
}

/* Searches for colours with fewer clashes until `patience` moves brought none. */
static tess_status search(clashes *all, const contacts *of, int64_t patience) {
    return tess_colour_squeeze(of->graph, of->weight, all->n_colours, patience, all->colour,
                               &all->n_clashes);
}

/* Colours blocks with one colour less than they had, such that few points are in two of one colour.
 * What a glance leaves far from none is not searched for long, and what would have to be paid once
 * more for none at all. */
static tess_status squeeze(clashes *all, const contacts *of) {
    tess_status status = TESS_OK;
    const int64_t n_blocks = all->blocks->n_blocks, left = points_left(all);
    int32_t *before = NULL, n_colours = all->n_colours;
    CHECK(TESS_ALLOC(n_blocks, &before));
    memcpy(before, all->colour, (size_t)n_blocks * sizeof *before);
    --all->n_colours;
    CHECK(search(all, of, CLASH_GLANCE));
    if (all->n_clashes > 0 && all->n_clashes <= CLASH_HOPE * left)
        CHECK(search(all, of, CLASH_PATIENCE));
    if (all->n_clashes == 0 || all->n_clashes > CLASH_HOPE * left)
        goto done;
    CHECK(tess_colour_reduce(of->graph, all->n_colours, CLASH_PATIENCE, before, &n_colours));
    if (n_colours == all->n_colours) {
        memcpy(all->colour, before, (size_t)n_blocks * sizeof *before);
        all->n_clashes = 0;
    }
done:
    free(before);
    return status;
}

/* Gives up one colour, or none: blocks are as they were then. */
static tess_status give_up(clashes *all, contacts *of, bool *given) {
    const int64_t n_before = all->n_made;
    all->n_hard = 0;
    all->broke = false;
    TRY(squeeze(all, of));
    *given = all->n_clashes == 0;
    if (all->n_clashes > CLASH_HOPE * points_left(all))
        return TESS_OK;
    for (int i = 0; i < CLASH_TRIES && !*given && !all->broke; ++i) {
        if (i > 0) {
            TRY(contacts_build(all, of));
            TRY(search(all, of, CLASH_GLANCE));
        }
        TRY(ease_all(all, given));
    }
    if (*given)
        return all->n_made > n_before ? contacts_build(all, of) : TESS_OK;
    while (all->n_made > n_before)
        exchange_make(all, &all->made[--all->n_made]);
    return TESS_OK;
}

/* Fills the weight of points that may be paid: see clash.h. */
static tess_status find_worth(clashes *all, int64_t most) {
    const int64_t n_points = mosaic_weight_of_all(all->blocks->pins);
    int64_t shared = 0;
    TRY(mosaic_blocks_shared(all->blocks, &shared));
    all->worth = (shared + n_points) / CLASHES_COST;
    if (most - shared < all->worth)
        all->worth = most > shared ? most - shared : 0;
    return TESS_OK;
}

tess_status mosaic_clashes_ease(mosaic_blocks *blocks, int64_t most) {
    tess_status status = TESS_OK;
    clashes all = {.blocks = blocks};
    contacts of = {.graph = NULL};
    bool given = true;
    if (blocks->dimension <= 2 || blocks->n_blocks > CLASHES_FEW ||
        mosaic_pins_are_few(blocks->pins))
        return TESS_OK;
    CHECK(find_worth(&all, most));
    CHECK(TESS_ALLOC(blocks->n_blocks, &all.colour));
    CHECK(TESS_ZEROS(blocks->n_blocks, &all.last));
    CHECK(mosaic_rows_build(blocks->pins, &all.elements));
    CHECK(mosaic_pair_new(blocks, &all.pair));
    CHECK(contacts_build(&all, &of));
    CHECK(tess_colour_first_fit(&of.map, 1, blocks->n_blocks, all.colour, &all.n_colours));
    CHECK(tess_colour_reduce(of.graph, CLASH_LEAST, CLASH_GLANCE, all.colour, &all.n_colours));
    while (given && all.n_colours > CLASH_LEAST)
        CHECK(give_up(&all, &of, &given));
done:
    contacts_clear(&of);
    free(all.colour);
    free(all.last);
    free(all.made);
    tess_rows_free(all.elements);
    mosaic_pair_clear(&all.pair);
    return status;
}
