/* The strategy global-colour: one launch a colour of elements. */
#include "kernels/codegen/tables.h"
#include "kernels/devices/embed.h"
#include "kernels/strategies/strategy.h"

TESS_EMBED(tess_global_colour_text, "kernels/strategies/global_colour.cu");

#include "core/base/array.h"
#include "core/plan/colour/loop_colour.h"
#include <stdlib.h>

static const tess_option options[] = {
    TESS_CHOICE_OPTION(
        "colouring", "fewest", "fewest|greedy|sulyok",
        "of the elements: the fewest colours found, OP2's first fit (greedy), or the least used "
        "that is free (sulyok)"),
    TESS_LAUNCH_OPTIONS("0")};

/* Whether the loop has values of elements themselves, so that it matters where they are stored. */
static bool has_own_values(const tess_loop *loop) {
    for (int a = 0; a < loop->n_args; a++)
        if (!loop->args[a].map[0] && loop->args[a].set[0])
            return true;
    return false;
}

/* coloured_at(p, k): where the element at place k of the launches is stored: list[k]; and the maps
 * in the order of these places. */
static tess_status put_order(tess_page *page, const int32_t *list, int64_t n) {
    bool needed = false;
    for (int64_t k = 0; k < n && !needed; k++)
        needed = list[k] != k;
    needed = needed && has_own_values(page->bound->loop);
    tess_page_code(page, NULL,
                   "INLINE int coloured_at(const struct params *p, long long k) {\n"
                   "    (void)p;\n    return %s;\n}\n\n",
                   needed ? "fetch(&p->coloured[k])" : "(int)k");
    TRY(tess_table_index(page, list));
    return needed ? tess_page_array(page, "const int *", list, n * 4, "coloured") : TESS_OK;
}

/* The elements of each colour, in it as stored; the last row: those that the plan has not, which
 * other executions run. */
static tess_status list_colours(const tess_page *page, tess_colouring colouring, tess_rows **out) {
    tess_status status = TESS_OK;
    const int64_t n = page->bound->n_elements;
    int32_t *colour = NULL, *element = NULL, *row = NULL, n_colours = 0;
    CHECK(TESS_ALLOC(n, &colour));
    CHECK(TESS_ALLOC(n, &element));
    for (int64_t e = 0; e < n; e++)
        element[tess_page_element(page, (int32_t)e)] = (int32_t)e;
    CHECK(tess_loop_colour(page->bound, element, colouring, colour, &n_colours));
    CHECK(TESS_ALLOC(n, &row));
    for (int64_t i = 0; i < n; i++)
        row[i] = n_colours;
    for (int64_t k = 0; k < page->plan->n_executed; k++) {
        const int32_t e = page->plan->executed[k];
        row[tess_page_element(page, e)] = colour[e];
    }
    CHECK(tess_rows_build(row, n, n_colours + 1, out));
done:
    free(colour);
    free(element);
    free(row);
    return status;
}

static tess_colouring colouring_of(const tess_spec *spec) {
    if (tess_spec_is(spec, options, "colouring", "greedy"))
        return TESS_COLOUR_GREEDY;
    return tess_spec_is(spec, options, "colouring", "sulyok") ? TESS_COLOUR_SULYOK
                                                              : TESS_COLOUR_FEWEST;
}

/* A launch for each colour. */
static tess_status prepare(tess_page *page, const tess_spec *spec) {
    tess_status status = TESS_OK;
    tess_rows *colours = NULL;
    CHECK(list_colours(page, colouring_of(spec), &colours));
    CHECK(put_order(page, colours->item, page->bound->n_elements));
    for (int64_t c = 0; c + 1 < colours->n; c++)
        if (tess_rows_size(colours, c) > 0)
            CHECK(tess_table_launch_flat(page, "global_colour", colours->offset[c],
                                         tess_rows_size(colours, c)));
done:
    tess_rows_free(colours);
    return status;
}

static const tess_variant variants[] = {{"global-colour", .predicted = TESS_LOOPS_OF_ANY_KIND},
                                        {0}};

const tess_strategy tess_strategy_global_colour = {
    .name = "global-colour",
    .summary = "one launch a colour of elements",
    .reference = "Sulyok et al. 2019, section 2.1",
    .options = options,
    .variants = variants,
    .text = tess_global_colour_text,
    .same_bits = TESS_BITS_OF_RUN,
    .wants = TESS_WANT_WHOLE_ELEMENT,
    .writes_points = true,
    .tables_there = true,
    .renumber = TESS_RENUMBER_COLOURS,
    .prepare = prepare,
};
