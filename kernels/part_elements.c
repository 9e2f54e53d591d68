/* Staged elements: the elements that a block executes, so that their own values can be copied to
 * shared memory once, for all of their points. */
#include "core/array.h"
#include "kernels/loop_names.h"
#include "kernels/parts.h"

#include <stdlib.h>
#include <string.h>

typedef struct placed {
    int32_t stored;
    int64_t position;
} placed;

static int compare_stored(const void *a, const void *b) {
    const int32_t i = ((const placed *)a)->stored, j = ((const placed *)b)->stored;
    return (i > j) - (i < j);
}

/* What all blocks stage: the elements that they are the first to execute, and the others. */
typedef struct staged {
    int64_t *home_offset, *away_offset; /* [n_blocks + 1] */
    int32_t *home, *away;               /* as stored */
    int64_t most;                       /* that one block stages */
} staged;

/* Puts the elements of one kind (home: not executed by an earlier block) behind the others. */
static int64_t stage_kind(const tess_execution *x, int32_t b, bool home, const int32_t *first_block,
                          placed *sorted, int32_t *into, int64_t first_place, int32_t *place) {
    const tess_plan *plan = x->plan;
    int64_t n = 0;
    for (int64_t k = plan->block_offset[b]; k < plan->block_offset[b + 1]; k++)
        if ((first_block[plan->executed[k]] == b) == home)
            sorted[n++] =
                (placed){.stored = tess_execution_element(x, plan->executed[k]), .position = k};
    qsort(sorted, (size_t)n, sizeof *sorted, compare_stored);
    for (int64_t i = 0; i < n; i++) {
        into[i] = sorted[i].stored;
        place[sorted[i].position] = (int32_t)(first_place + i);
    }
    return n;
}

static tess_status stage_blocks(const tess_execution *x, staged *all, int32_t *place) {
    tess_status status = TESS_OK;
    const tess_plan *plan = x->plan;
    int32_t *first_block = NULL;
    placed *sorted = NULL;
    CHECK(TESS_ALLOC(plan->n_elements, &first_block));
    for (int32_t b = plan->n_blocks - 1; b >= 0; b--)
        for (int64_t k = plan->block_offset[b]; k < plan->block_offset[b + 1]; k++)
            first_block[plan->executed[k]] = b;
    for (int32_t b = 0; b < plan->n_blocks; b++)
        if (plan->block_offset[b + 1] - plan->block_offset[b] > all->most)
            all->most = plan->block_offset[b + 1] - plan->block_offset[b];
    CHECK(TESS_ALLOC(all->most, &sorted));
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        const int64_t n_home =
            stage_kind(x, b, true, first_block, sorted, all->home + all->home_offset[b], 0, place);
        const int64_t n_away = stage_kind(x, b, false, first_block, sorted,
                                          all->away + all->away_offset[b], n_home, place);
        all->home_offset[b + 1] = all->home_offset[b] + n_home;
        all->away_offset[b + 1] = all->away_offset[b] + n_away;
    }
done:
    free(sorted);
    free(first_block);
    return status;
}

/* Puts the lists on the device; the first one only where home elements are not stored in order. */
static tess_status put_lists(tess_execution *x, const staged *all) {
    const int32_t n_blocks = x->plan->n_blocks;
    bool in_order = true;
    for (int64_t i = 0; i < all->home_offset[n_blocks]; i++)
        in_order &= all->home[i] == i;
    tess_page_print(&x->page, "#define HOME_AT(p, k) %s\n",
                    in_order ? "(k)" : "fetch(&(p)->home[k])");
    if (!in_order)
        TRY(tess_execution_array(x, "const int *", all->home, all->home_offset[n_blocks] * 4,
                                 "home"));
    TRY(tess_part_offsets(x, all->home_offset, n_blocks + INT64_C(1), "", "home_offset"));
    TRY(tess_part_offsets(x, all->away_offset, n_blocks + INT64_C(1), "", "away_offset"));
    return tess_execution_array(x, "const int *", all->away, all->away_offset[n_blocks] * 4,
                                "away");
}

/* True for the first arg that reads an element's own values of a dat. */
static bool is_own_read(const tess_loop *loop, int a) {
    const tess_arg *arg = &loop->args[a];
    return !arg->map[0] && !tess_arg_is_global(arg) && arg->access == TESS_READ &&
           !tess_dat_named_before(loop, a);
}

int64_t tess_part_own_reads(const tess_execution *x) {
    int64_t n = 0;
    for (int a = 0; a < x->bound->loop->n_args; a++)
        n += is_own_read(x->bound->loop, a);
    return n;
}

/* EACH_OWN_READ(X), and where the copies of each dat lie. */
static int64_t print_copies(tess_execution *x, int64_t most, int64_t start) {
    const tess_loop *loop = x->bound->loop;
    char s[TESS_SYMBOL_SIZE];
    tess_page_print(&x->page, "#define ELEMENTS_STAGED %lld\n#define EACH_OWN_READ(X)",
                    (long long)most);
    for (int a = 0; a < loop->n_args; a++) {
        tess_dat_symbol(&loop->args[a], s);
        if (is_own_read(loop, a))
            tess_page_print(&x->page, " X(%s)", s);
    }
    tess_page_print(&x->page, "\n");
    for (int a = 0; a < loop->n_args; a++) {
        if (!is_own_read(loop, a))
            continue;
        tess_dat_symbol(&loop->args[a], s);
        tess_page_print(&x->page, "#define %s_OWN %lld\n", s, (long long)start);
        start += most * loop->args[a].dim * (int64_t)tess_type_size(loop->args[a].type);
        start = (start + 15) / 16 * 16;
    }
    return start;
}

tess_status tess_part_elements(tess_execution *x, int64_t *bytes, int32_t **place) {
    tess_status status = TESS_OK;
    const tess_plan *plan = x->plan;
    staged all = {.most = 0};
    x->has_own_reads = true;
    CHECK(TESS_ALLOC(plan->n_executed, place));
    CHECK(TESS_ZEROS(plan->n_blocks + INT64_C(1), &all.home_offset));
    CHECK(TESS_ZEROS(plan->n_blocks + INT64_C(1), &all.away_offset));
    CHECK(TESS_ALLOC(plan->n_executed, &all.home));
    CHECK(TESS_ALLOC(plan->n_executed, &all.away));
    CHECK(stage_blocks(x, &all, *place));
    CHECK(put_lists(x, &all));
    *bytes = print_copies(x, (all.most + 11) / 16 * 16 + 4, *bytes);
done:
    free(all.home_offset);
    free(all.away_offset);
    free(all.home);
    free(all.away);
    return status;
}
