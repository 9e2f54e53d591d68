/* Colours by backtracking: a search that takes away what cannot be, and goes back at dead ends. */
#include "core/plan/colour/backtrack_colour.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/splitmix.h"
#include "core/plan/colour/colour.h"
#include <stdlib.h>
#include <string.h>

/* Searches from one point each, and the dead ends after which one is given up. */
enum { TRIES = 20, DEAD_ENDS = 40 };

enum { WORD = 64 };

/* What an element had before it lost colours, or was told to its neighbours. */
typedef struct change {
    int32_t element;
    uint64_t was; /* 0: it was not told */
} change;

/* An element that was given one of several colours. */
typedef struct choice {
    int32_t element;
    uint64_t untried;
    int64_t n_changes; /* before it */
} choice;

typedef enum outcome { FOUND, IMPOSSIBLE, GIVEN_UP } outcome;

/* A colouring in the making. Invariants: all lists of changes undone, every element has all colours
 * left; `wanting` has a bit for each element that is not told, in the row of the number of its
 * colours left, at its rank. */
typedef struct search {
    tess_rows *elements; /* of each point */
    tess_rows *points;   /* of each element */
    int64_t n;
    int32_t n_colours;
    uint64_t *left;          /* [n]: the colours that an element may have */
    uint64_t *forced;        /* [n]: those that a point has for no other element */
    bool *told;              /* [n]: its neighbours have lost its only colour */
    uint8_t *supply;         /* [n_points][n_colours]: elements that may have it, at full points */
    change *changes;         /* [n_changes] */
    choice *choices;         /* [n] */
    int32_t *waiting;        /* [n_waiting]: elements with one colour left, or forced; each once */
    bool *waits;             /* [n] */
    uint64_t *wanting;       /* [n_colours + 1][words] */
    int32_t *n_wanting;      /* [n_colours + 1] */
    int32_t *rank, *of_rank; /* [n]: nearness to the first element, and its inverse */
    int64_t n_changes, n_waiting, words;
    uint64_t random;
} search;

static int n_left(const search *s, int32_t e) {
    return __builtin_popcountll(s->left[e]);
}

static bool is_full(const search *s, int32_t point) {
    return tess_rows_size(s->elements, point) == s->n_colours;
}

static tess_status search_new(const tess_incidence *map, int64_t n, int32_t n_colours, search *s) {
    *s = (search){.n = n, .n_colours = n_colours, .words = (n + WORD - 1) / WORD, .random = 1};
    TRY(tess_incidence_invert(map, n, &s->elements));
    const tess_incidence of_points = tess_incidence_of_rows(s->elements, n);
    TRY(tess_incidence_invert(&of_points, s->elements->n, &s->points));
    TRY(TESS_ALLOC(n, &s->left));
    TRY(TESS_ALLOC(n, &s->forced));
    TRY(TESS_ALLOC(n, &s->told));
    TRY(TESS_ALLOC(s->elements->n * n_colours, &s->supply));
    TRY(TESS_ALLOC(n * (n_colours + 1), &s->changes));
    TRY(TESS_ALLOC(n, &s->choices));
    TRY(TESS_ALLOC(n, &s->waiting));
    TRY(TESS_ALLOC(n, &s->waits));
    TRY(TESS_ALLOC((n_colours + 1) * s->words, &s->wanting));
    TRY(TESS_ALLOC(n_colours + 1, &s->n_wanting));
    TRY(TESS_ALLOC(n, &s->rank));
    return TESS_ALLOC(n, &s->of_rank);
}

static void search_free(search *s) {
    tess_rows_free(s->elements);
    tess_rows_free(s->points);
    free(s->left);
    free(s->forced);
    free(s->told);
    free(s->supply);
    free(s->changes);
    free(s->choices);
    free(s->waiting);
    free(s->waits);
    free(s->wanting);
    free(s->n_wanting);
    free(s->rank);
    free(s->of_rank);
}

/* Puts an element among those that want a colour, or takes it out. */
static void wanting_turn(search *s, int32_t e, int by) {
    const int row = n_left(s, e);
    s->wanting[row * s->words + s->rank[e] / WORD] ^= UINT64_C(1) << s->rank[e] % WORD;
    s->n_wanting[row] += by;
}

/* The nearest of the elements with fewest colours left; -1 where all are told. */
static int32_t next_element(const search *s) {
    for (int32_t row = 1; row <= s->n_colours; row++) {
        if (s->n_wanting[row] == 0)
            continue;
        const uint64_t *bits = s->wanting + row * s->words;
        int64_t word = 0;
        while (!bits[word])
            word++;
        return s->of_rank[word * WORD + __builtin_ctzll(bits[word])];
    }
    return -1;
}

static void wait(search *s, int32_t e) {
    if (s->waits[e])
        return;
    s->waits[e] = true;
    s->waiting[s->n_waiting++] = e;
}

/* Forces the only element at a full point that may still have the colour to have it. */
static void force_only(search *s, int32_t point, int colour) {
    for (int64_t i = s->elements->offset[point]; i < s->elements->offset[point + 1]; i++) {
        const int32_t e = s->elements->item[i];
        if (s->left[e] >> colour & 1) {
            s->forced[e] |= UINT64_C(1) << colour;
            wait(s, e);
            return;
        }
    }
}

/* Takes colours away from an element that is not told; false where that leaves it, or a full point,
 * without. */
static bool colours_take(search *s, int32_t e, uint64_t taken) {
    taken &= s->left[e];
    if (!taken)
        return true;
    s->changes[s->n_changes++] = (change){e, s->left[e]};
    wanting_turn(s, e, -1);
    s->left[e] &= ~taken;
    wanting_turn(s, e, 1);
    bool possible = s->left[e] != 0;
    if (n_left(s, e) == 1)
        wait(s, e);
    for (int64_t i = s->points->offset[e]; i < s->points->offset[e + 1]; i++) {
        const int32_t p = s->points->item[i];
        for (uint64_t rest = is_full(s, p) ? taken : 0; rest; rest &= rest - 1) {
            const int colour = __builtin_ctzll(rest);
            const int supply = --s->supply[(int64_t)p * s->n_colours + colour];
            possible &= supply > 0;
            if (supply == 1)
                force_only(s, p, colour);
        }
    }
    return possible;
}

/* Takes the only colour of an element away from its neighbours. */
static bool element_tell(search *s, int32_t e) {
    bool possible = true;
    s->changes[s->n_changes++] = (change){e, 0};
    wanting_turn(s, e, -1);
    s->told[e] = true;
    for (int64_t i = s->points->offset[e]; possible && i < s->points->offset[e + 1]; i++) {
        const int32_t p = s->points->item[i];
        for (int64_t j = s->elements->offset[p]; possible && j < s->elements->offset[p + 1]; j++)
            if (s->elements->item[j] != e)
                possible = colours_take(s, s->elements->item[j], s->left[e]);
    }
    return possible;
}

/* Draws all consequences; false where there is a contradiction. */
static bool consequences_draw(search *s, bool possible) {
    while (s->n_waiting > 0) {
        const int32_t e = s->waiting[--s->n_waiting];
        const uint64_t forced = s->forced[e];
        s->waits[e] = false;
        s->forced[e] = 0;
        if (possible && forced)
            possible = colours_take(s, e, ~forced) && __builtin_popcountll(forced) == 1;
        if (possible && !s->told[e] && n_left(s, e) == 1)
            possible = element_tell(s, e);
    }
    return possible;
}

/* Gives an element one of its colours; false where there is a contradiction. */
static bool element_give(search *s, int32_t e, int colour) {
    wait(s, e);
    return consequences_draw(s, colours_take(s, e, ~(UINT64_C(1) << colour)));
}

static void changes_undo(search *s, int64_t n_changes) {
    while (s->n_changes > n_changes) {
        const change last = s->changes[--s->n_changes];
        const int32_t e = last.element;
        if (last.was == 0) {
            s->told[e] = false;
            wanting_turn(s, e, 1);
            continue;
        }
        const uint64_t given = last.was & ~s->left[e];
        wanting_turn(s, e, -1);
        s->left[e] = last.was;
        wanting_turn(s, e, 1);
        for (int64_t i = s->points->offset[e]; i < s->points->offset[e + 1]; i++) {
            const int32_t p = s->points->item[i];
            for (uint64_t rest = is_full(s, p) ? given : 0; rest; rest &= rest - 1)
                s->supply[(int64_t)p * s->n_colours + __builtin_ctzll(rest)]++;
        }
    }
}

/* Tries the colours left of the last choice, and of those before it where they are used up; false
 * where none is left. */
static bool choice_make(search *s, int64_t *n_choices, int *dead_ends) {
    while (*n_choices > 0 && *dead_ends < DEAD_ENDS) {
        choice *last = &s->choices[*n_choices - 1];
        changes_undo(s, last->n_changes);
        if (!last->untried) {
            --*n_choices;
            continue;
        }
        const int colour = WORD - 1 - __builtin_clzll(last->untried);
        last->untried &= ~(UINT64_C(1) << colour);
        if (element_give(s, last->element, colour))
            return true;
        ++*dead_ends;
    }
    return false;
}

static outcome search_run(search *s) {
    int64_t n_choices = 0;
    int dead_ends = 0;
    for (int32_t e; (e = next_element(s)) >= 0;) {
        s->choices[n_choices++] = (choice){e, s->left[e], s->n_changes};
        if (!choice_make(s, &n_choices, &dead_ends))
            return dead_ends < DEAD_ENDS ? IMPOSSIBLE : GIVEN_UP;
    }
    return FOUND;
}

static void rank_give(search *s, int64_t *n_ranked, int32_t e) {
    if (s->rank[e] >= 0)
        return;
    s->rank[e] = (int32_t)*n_ranked;
    s->of_rank[(*n_ranked)++] = e;
}

/* Ranks elements by their way from the first: its neighbours, theirs, and so on. */
static void ranks_fill(search *s, int32_t first) {
    int64_t n_ranked = 0, n_spread = 0;
    for (int64_t e = 0; e < s->n; e++)
        s->rank[e] = -1;
    rank_give(s, &n_ranked, first);
    for (int32_t next = 0; n_ranked < s->n; next++) {
        for (; n_spread < n_ranked; n_spread++) {
            const int32_t e = s->of_rank[n_spread];
            for (int64_t i = s->points->offset[e]; i < s->points->offset[e + 1]; i++) {
                const int32_t p = s->points->item[i];
                for (int64_t j = s->elements->offset[p]; j < s->elements->offset[p + 1]; j++)
                    rank_give(s, &n_ranked, s->elements->item[j]);
            }
        }
        rank_give(s, &n_ranked, next); /* of a piece that the others do not touch */
    }
}

/* All colours left for all; the elements of a point of the first one get one each, whichever, since
 * colours can be exchanged. False where there is no colouring. */
static bool search_begin(search *s, int32_t first) {
    bool possible = true;
    s->n_changes = s->n_waiting = 0;
    ranks_fill(s, first);
    memset(s->wanting, 0, (size_t)((s->n_colours + 1) * s->words) * sizeof *s->wanting);
    memset(s->n_wanting, 0, (size_t)(s->n_colours + 1) * sizeof *s->n_wanting);
    memset(s->supply, s->n_colours, (size_t)(s->elements->n * s->n_colours));
    for (int32_t e = 0; e < s->n; e++) {
        s->left[e] = UINT64_MAX >> (TESS_MOST_BACKTRACKED_COLOURS - s->n_colours);
        s->forced[e] = 0;
        s->told[e] = s->waits[e] = false;
        wanting_turn(s, e, 1);
    }
    if (tess_rows_size(s->points, first) == 0)
        return true;
    const int32_t point = s->points->item[s->points->offset[first]];
    const int64_t begin = s->elements->offset[point];
    for (int64_t i = begin; possible && i < s->elements->offset[point + 1]; i++)
        possible = element_give(s, s->elements->item[i], (int)(i - begin));
    return possible;
}

tess_status tess_colour_backtrack(const tess_incidence *map, int64_t n, int32_t wanted,
                                  int32_t *colour, bool *found) {
    tess_status status = TESS_OK;
    outcome came = GIVEN_UP;
    search s = {0};
    *found = false;
    CHECK(search_new(map, n, wanted, &s));
    for (int try = 0; try < TRIES && came == GIVEN_UP && !tess_interrupted(); try++) {
        const int32_t first = (int32_t)tess_random_below(&s.random, n);
        came = search_begin(&s, first) ? search_run(&s) : IMPOSSIBLE;
    }
    *found = came == FOUND;
    for (int64_t e = 0; e < n && *found; e++)
        colour[e] = __builtin_ctzll(s.left[e]);
done:
    search_free(&s);
    return status;
}

tess_status tess_colour_fewest(const tess_incidence *map, int64_t n, int32_t *colour,
                               int32_t *n_colours) {
    int32_t bound = 0;
    bool found = false;
    TRY(tess_colour_start(map, n, colour, n_colours, &bound));
    if (*n_colours > bound)
        TRY(tess_colour_improve(map, n, colour, n_colours));
    for (int32_t wanted = bound; wanted < *n_colours && !found; wanted++) {
        if (n > TESS_MOST_BACKTRACKED || wanted > TESS_MOST_BACKTRACKED_COLOURS)
            return TESS_OK;
        TRY(tess_colour_backtrack(map, n, wanted, colour, &found));
        *n_colours = found ? wanted : *n_colours;
    }
    return TESS_OK;
}
