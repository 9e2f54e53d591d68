/* Phase options: how strategies that stage values in shared memory split a loop. */
#include "kernels/codegen/phase_options.h"

#include <string.h>

static tess_split split_of(const tess_page *page, const tess_spec *spec,
                           const tess_option *options) {
    return tess_spec_is(spec, options, "split", "parts")        ? TESS_SPLIT_PARTS
           : tess_spec_is(spec, options, "split", "outputs")    ? TESS_SPLIT_OUTPUTS
           : tess_spec_is(spec, options, "split", "components") ? TESS_SPLIT_COMPONENTS
                                                                : tess_split_of(page->kernel);
}

/* Options that say nothing of some ways. */
static const struct {
    const char *key;
    bool of[3]; /* such parts */
} known[] = {{"sum", {true, false, false}},     {"stage", {true, false, false}},
             {"prefetch", {true, true, false}}, {"loads", {true, false, false}},
             {"sums", {true, false, false}},    {"made", {true, false, false}},
             {"direct", {true, false, false}},  {"slots", {true, false, false}},
             {"split", {false, true, true}},    {"next", {false, true, false}},
             {"passed", {false, true, false}}};

tess_status tess_parts_way_of(const tess_spec *spec, const tess_option *options,
                              tess_parts_variant *out) {
    static const char *const names[] = {[TESS_PARTS_TOGETHER] = "fused",
                                        [TESS_PARTS_PHASES] = "staged",
                                        [TESS_PARTS_LOOPS] = "separate"};
    for (*out = TESS_PARTS_TOGETHER; !tess_spec_is(spec, options, "parts", names[*out]);)
        ++*out;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        for (const tess_option *option = options; option->key; option++)
            if (strcmp(option->key, known[k].key) == 0 && !known[k].of[*out] &&
                !tess_spec_is(spec, options, option->key, option->value))
                FAIL(TESS_ERROR_USAGE, "%s has no effect with parts=%s: leave it out", option->key,
                     names[*out]);
    return TESS_OK;
}

/* The phases that add something, as flags. */
static unsigned adding_phases(const tess_page *page) {
    unsigned flags = 0;
    for (int i = 0; i < page->n_dats; i++)
        if (page->dats[i].summed)
            flags |= page->dats[i].phases;
    return flags;
}

static void print_words(tess_page *page) {
    tess_page_print(page,
                    "#define PHASES %d\n#define PHASES_AHEAD %d\n#define PHASES_LAUNCHED %d\n"
                    "#define PHASE_ADDS 0x%xu\n#define EACH_PHASE(X)",
                    page->n_phases, page->phase_order == TESS_PHASES_AHEAD,
                    page->phase_order == TESS_PHASES_LAUNCHED, adding_phases(page));
    for (int p = 0; p < page->n_phases; p++)
        tess_page_print(page, " X(%d)", p);
    tess_page_print(page, "\n");
}

tess_status tess_parts_split(tess_page *page, const tess_spec *spec, const tess_option *options,
                             tess_phases *out) {
    tess_status status = TESS_OK;
    TRY(tess_phases_find(page->kernel, page->bound, tess_page_whole(page),
                         split_of(page, spec, options), out));
    CHECK(tess_page_split(page, out,
                          tess_spec_is(spec, options, "parts", "separate") ? TESS_PHASES_LAUNCHED
                          : tess_spec_is(spec, options, "next", "ahead")   ? TESS_PHASES_AHEAD
                                                                           : TESS_PHASES_AFTER));
    tess_page_print_phases(page, out);
    print_words(page);
done:
    if (status != TESS_OK)
        tess_phases_clear(out);
    return status;
}
