/* The strategy global-colour: one launch a colour of elements. */
#include "kernels/embed.h"
#include "kernels/parts.h"

TESS_EMBED(tess_global_colour_text, "strategies/global_colour.cu");

#include "core/array.h"
#include "kernels/loop_names.h"
#include <stdlib.h>

static const tess_option options[] = {{.key = NULL}};

enum { MAX_COLOURS = 1 << 15 };

/* The lowest colour that none of the points an element increments has, by bits: used[point] holds
 * the colours of one window of 64. First fit in the order of the plan. */
static void colour_window(const tess_execution *x, const int64_t *first_point, uint64_t *used,
                          int32_t window, int32_t *colour, int64_t *left) {
    const tess_bound_loop *bound = x->bound;
    for (int64_t k = 0; k < x->plan->n_executed; k++) {
        const int32_t e = x->plan->executed[k];
        if (colour[e] >= 0)
            continue;
        uint64_t taken = 0;
        for (int pass = 0; pass < 2; pass++) {
            if (pass == 1 && taken == UINT64_MAX)
                break;
            const uint64_t lowest = ~taken & (taken + 1);
            for (int r = 0; r < bound->n_reaches; r++) {
                const tess_reach *reach = &bound->reaches[r];
                for (int s = 0; s < reach->n_slots; s++) {
                    const int32_t point = reach->slot_index[s][(int64_t)e * reach->slot_stride[s]];
                    if (point < 0 || !reach->slot_incremented[s])
                        continue;
                    if (pass == 0)
                        taken |= used[first_point[r] + point];
                    else
                        used[first_point[r] + point] |= lowest;
                }
            }
            if (pass == 1) {
                colour[e] = 64 * window + __builtin_ctzll(lowest);
                --*left;
            }
        }
    }
}

/* Colours of all elements; gives how many. */
static tess_status colour_elements(const tess_execution *x, int32_t *colour, int32_t *n_colours) {
    const tess_bound_loop *bound = x->bound;
    tess_status status = TESS_OK;
    int64_t *first_point = NULL;
    uint64_t *used = NULL;
    CHECK(TESS_ZEROS(bound->n_reaches + 1, &first_point));
    for (int r = 0; r < bound->n_reaches; r++)
        first_point[r + 1] = first_point[r] + bound->mesh->sets[bound->reaches[r].set].size;
    int64_t left = bound->n_elements;
    for (int64_t e = 0; e < left; e++)
        colour[e] = -1;
    for (int32_t window = 0; left > 0; window++) {
        if (64 * window >= MAX_COLOURS)
            CHECK(tess_fail(TESS_ERROR_INPUT,
                            "a point of loop %s has more than %d elements: too "
                            "many colours",
                            bound->loop->name, (int)MAX_COLOURS));
        free(used);
        CHECK(TESS_ZEROS(first_point[bound->n_reaches], &used));
        colour_window(x, first_point, used, window, colour, &left);
    }
    *n_colours = 0;
    for (int64_t e = 0; e < bound->n_elements; e++)
        *n_colours = colour[e] >= *n_colours ? colour[e] + 1 : *n_colours;
done:
    free(used);
    free(first_point);
    return status;
}

/* Whether the loop has values of elements themselves, so that it matters where they are stored. */
static bool has_own_values(const tess_loop *loop) {
    for (int a = 0; a < loop->n_args; a++)
        if (!loop->args[a].map[0] && !tess_arg_is_global(&loop->args[a]))
            return true;
    return false;
}

/* COLOURED_AT(p, k): where the element at place k of the launches is stored: list[k]; and the maps
 * in the order of these places. */
static tess_status put_order(tess_execution *x, const int32_t *list, int64_t n) {
    int32_t *place = NULL;
    bool needed = false;
    TRY(TESS_ALLOC(n, &place));
    for (int64_t k = 0; k < n; k++) {
        place[list[k]] = (int32_t)k;
        needed |= list[k] != k;
    }
    needed = needed && has_own_values(x->bound->loop);
    tess_page_print(&x->page, "#define COLOURED_AT(p, k) %s\n",
                    needed ? "fetch(&(p)->coloured[k])" : "(k)");
    tess_status status = tess_part_index(x, place);
    if (status == TESS_OK && needed)
        status = tess_execution_array(x, "const int *", list, n * 4, "coloured");
    free(place);
    return status;
}

/* The elements by colour and inside a colour by position; a launch for each. */
static tess_status prepare(tess_execution *x) {
    tess_status status = TESS_OK;
    const int64_t n = x->bound->n_elements;
    int32_t *colour = NULL, *list = NULL, n_colours = 0;
    int64_t *offset = NULL;
    CHECK(TESS_ALLOC(n, &colour));
    CHECK(TESS_ALLOC(n, &list));
    CHECK(colour_elements(x, colour, &n_colours));
    CHECK(TESS_ZEROS(n_colours + 1, &offset));
    for (int64_t e = 0; e < n; e++)
        offset[colour[e] + 1]++;
    for (int32_t c = 0; c < n_colours; c++)
        offset[c + 1] += offset[c];
    for (int64_t k = 0; k < n; k++) {
        const int32_t e = x->plan->executed[k];
        list[offset[colour[e]]++] = tess_execution_element(x, e);
    }
    CHECK(put_order(x, list, n));
    for (int32_t c = 0; c < n_colours; c++) {
        const int64_t first = c > 0 ? offset[c - 1] : 0;
        CHECK(tess_part_launch_flat(x, "global_colour", first, offset[c] - first));
    }
done:
    free(offset);
    free(list);
    free(colour);
    return status;
}

const tess_strategy tess_strategy_global_colour = {
    .name = "global-colour",
    .summary = "one launch a colour of elements",
    .reference = "Sulyok et al. 2019, section 2.1",
    .options = options,
    .text = tess_global_colour_text,
    .writes_points = true,
    .prepare = prepare,
};
