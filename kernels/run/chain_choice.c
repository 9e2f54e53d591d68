/* A choice of chains: which loops of a step are executed as one, as --chains says. */
#include "kernels/run/chain_choice.h"

#include "core/base/array.h"
#include "core/base/spec.h"
#include "core/base/unknown_name.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tess_chains_next(const char **rest, char name[static TESS_NAME_SIZE]) {
    const char *at = *rest + (**rest == ':' ? strcspn(*rest, ",") : 0);
    at += *at == '+' || *at == ',';
    const size_t length = strcspn(at, "+:,");
    snprintf(name, TESS_NAME_SIZE, "%.*s", (int)length, at);
    *rest = at + length;
    return *at != '\0';
}

/* How many loops "a+b+c" names, where they follow each other from loop i on; 0: they do not. */
static int run_at(const tess_chain_choice *choice, const char *run, size_t length, int i) {
    char name[TESS_NAME_SIZE];
    int n = 0;
    for (const char *rest = run; rest < run + length && tess_chains_next(&rest, name); n++)
        if (i + n == choice->step->n || strcmp(choice->kernels[i + n]->name, name) != 0)
            return 0;
    return n;
}

/* Where the loop stands in the step for the first time. */
static int first_of(const tess_chain_choice *choice, int i) {
    int first = 0;
    while (choice->kernels[first] != choice->kernels[i])
        first++;
    return first;
}

/* Fails by the name that the step lacks, or as loops that do not follow each other there. */
static tess_status refuse_run(const tess_chain_choice *choice, const char *run, size_t length) {
    char word[TESS_NAME_SIZE];
    for (const char *rest = run; rest < run + length && tess_chains_next(&rest, word);) {
        tess_unknown_name unknown = tess_unknown_name_of(word);
        bool found = false;
        for (int i = 0; i < choice->step->n; i++) {
            if (first_of(choice, i) == i)
                tess_unknown_name_add(&unknown, choice->kernels[i]->name);
            found |= strcmp(choice->kernels[i]->name, word) == 0;
        }
        if (!found)
            return tess_unknown_name_fail("the step has no loop", &unknown,
                                          (tess_unknown_words){"?", " (known: %s)"});
    }
    FAIL(TESS_ERROR_USAGE, "no chain %.*s: these loops do not follow each other in the step",
         (int)length, run);
}

static const tess_option options_of_auto[] = {
    TESS_INT_OPTION("rings", "0", 0, 99, "around a block that are computed again"),
    TESS_CHOICE_OPTION("elements", "auto", "auto|once|points", "where an element is computed"),
    {0}};

/* What stands behind "auto" or a run, up to the next comma: ":rings=2:elements=once". */
static tess_status read_options(const char *text, const char *run, int *rings,
                                tess_chain_elements *elements) {
    tess_status status = TESS_OK;
    char *said = NULL;
    tess_spec *spec = NULL;
    int n = 0;
    const size_t names = strcspn(run, ":,");
    const tess_option *known = options_of_auto + (rings ? 0 : 1);
    CHECK(tess_text_print(&said, "chains%.*s", (int)strcspn(run + names, ","), run + names));
    CHECK(tess_spec_list_parse(said, &spec, &n));
    if (tess_spec_check(spec, known) != TESS_OK)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "--chains %s: write auto, auto:rings=N with N from 0 to 99, none, "
                        "or runs of loops, A+B,C+D+E; behind each :elements=auto|once|points",
                        text));
    if (rings)
        *rings = (int)tess_spec_int(spec, known, "rings");
    *elements = tess_spec_is(spec, known, "elements", "once")     ? TESS_ELEMENTS_ONCE
                : tess_spec_is(spec, known, "elements", "points") ? TESS_ELEMENTS_POINTS
                                                                  : TESS_ELEMENTS_AUTO;
done:
    tess_spec_list_free(spec, n);
    free(said);
    return status;
}

/* The run behind this one in a list; its end. */
static const char *next_run(const char *run) {
    run += strcspn(run, ",");
    return *run ? run + 1 : run;
}

/* Takes the longest run of the list at each loop. */
static tess_status choose_listed(const tess_chain_choice *choice, const char *text) {
    for (const char *run = text; *run; run = next_run(run)) {
        const size_t length = strcspn(run, ":,");
        bool found = false;
        for (int i = 0; i < choice->step->n; i++)
            found |= run_at(choice, run, length, i) > 0;
        if (!found)
            TRY(refuse_run(choice, run, length));
    }
    for (int i = 0; i < choice->step->n;) {
        int most = 1;
        for (const char *run = text; *run; run = next_run(run)) {
            const int n = run_at(choice, run, strcspn(run, ":,"), i);
            if (n >= most)
                TRY(read_options(text, run, NULL, &choice->elements[i]));
            most = n > most ? n : most;
        }
        choice->length[i] = most;
        for (int k = 1; k < most; k++)
            choice->length[i + k] = 0;
        i += most;
    }
    return TESS_OK;
}

/* Flops of all loops of a chain over the set of loop k. */
static int64_t flops_of_set(const tess_chain_choice *choice, const tess_chain *chain, int k) {
    int64_t flops = 0;
    for (int i = 0; i < chain->n_loops; i++)
        if (strcmp(chain->loops[i].loop->set, chain->loops[k].loop->set) == 0)
            flops += choice->kernels[chain->first + i]->flops;
    return flops;
}

/* Elements that take so many flops are too much to compute again between blocks; of those that take
 * half as many as miniaero's faces and more one set is as much as a thread's registers and a
 * block's memory have room for (fun3d, docs/results/steps.md). */
enum { MOST_FLOPS = 1000, MANY_FLOPS = 170 };

/* Whether a run is one of those that "auto" takes. */
static bool is_taken(const void *of, const tess_chain *chain) {
    const char *heavy = NULL;
    for (int k = 0; k < chain->n_loops; k++) {
        const int64_t flops = chain->loops[k].gathered ? flops_of_set(of, chain, k) : 0;
        const char *set = chain->loops[k].loop->set;
        if (flops > MOST_FLOPS || (flops > MANY_FLOPS && heavy && strcmp(heavy, set) != 0))
            return false;
        heavy = flops > MANY_FLOPS ? set : heavy;
    }
    return true;
}

tess_status tess_chain_choice_make(const tess_chain_choice *choice, const char *text) {
    tess_chain_elements elements;
    int rings = 0;
    if (!text || strcmp(text, "none") == 0)
        return TESS_OK;
    if (strncmp(text, "auto", strlen("auto")) != 0 || strcspn(text, ":") != strlen("auto"))
        return choose_listed(choice, text);
    TRY(read_options(text, text, &rings, &elements));
    for (int i = 0; i < choice->step->n; i++)
        choice->elements[i] = elements;
    return tess_chains_choose(choice->step, &(tess_chain_wish){rings, is_taken, choice},
                              choice->length);
}
