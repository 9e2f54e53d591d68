/* Chains: which runs of loops are legal, and what follows from the descriptors, by hand for
 * airfoil's step and for small steps that are not. */
#include "core/plan/chain.h"
#include "tests/core/small_mesh.h"

/* Loops from words: "edges res: q@edges:cells read, res@edges:cells inc". */
typedef struct small_step {
    tess_loop *loops[16];
    const tess_loop *order[16];
    tess_chain_step step;
} small_step;

static void add_arg_of_words(tess_loop *loop, const char *words) {
    static const char *const accesses[] = {"read",    "write",        "rw",        "inc",
                                           "cleared", "cleared_part", "write_part"};
    char dat[TESS_NAME_SIZE], place[TESS_NAME_SIZE], access[16];
    assert_int_equal(sscanf(words, " %47[^@ ]@%47s %15[a-z_]", dat, place, access), 3);
    tess_arg arg = {.dim = strcmp(dat, "q") == 0 || strcmp(dat, "res") == 0 ? 4 : 1,
                    .type = TESS_DOUBLE};
    snprintf(arg.dat, sizeof arg.dat, "%s", dat);
    if (strchr(place, ':')) {
        snprintf(arg.map, sizeof arg.map, "%s", place);
        snprintf(arg.set, sizeof arg.set, "%s", strchr(place, ':') + 1);
    } else
        snprintf(arg.set, sizeof arg.set, "%s", strcmp(place, "-") == 0 ? "" : place);
    int a = 0;
    while (strcmp(accesses[a], access) != 0)
        a++;
    arg.access = a == 6 ? TESS_WRITE : a >= 4 ? TESS_RW : (tess_access)a;
    arg.cleared = a == 4 || a == 5;
    arg.is_part = a >= 5;
    OK(tess_loop_add_arg(loop, &arg));
}

static tess_loop *loop_of_words(const char *words) {
    char set[TESS_NAME_SIZE], name[TESS_NAME_SIZE];
    int at = 0;
    tess_loop *loop = NULL;
    assert_int_equal(sscanf(words, "%47s %47[^:]:%n", set, name, &at), 2);
    OK(tess_loop_new(name, set, &loop));
    for (const char *arg = words + at; arg; arg = strchr(arg + 1, ','))
        add_arg_of_words(loop, arg + (*arg == ','));
    return loop;
}

static small_step *open_step(const char *const *words) {
    small_step *s = NULL;
    OK(TESS_ZEROS(1, &s));
    for (; words[s->step.n]; s->step.n++)
        s->order[s->step.n] = s->loops[s->step.n] = loop_of_words(words[s->step.n]);
    s->step.loops = s->order;
    return s;
}

static void close_step(small_step *s) {
    for (int i = 0; i < s->step.n; i++)
        tess_loop_free(s->loops[i]);
    free(s);
}

#define STAGE                                                                                      \
    "cells adt: x@cells:nodes read, q@cells read, adt@cells write",                                \
        "edges res: x@edges:nodes read, q@edges:cells read, adt@edges:cells read, "                \
        "res@edges:cells inc",                                                                     \
        "bedges bres: x@bedges:nodes read, q@bedges:cells read, bound@bedges read, "               \
        "res@bedges:cells inc",                                                                    \
        "cells update: old@cells read, q@cells write, res@cells cleared, adt@cells read, rms@- "   \
        "inc"
static const char *const airfoil[] = {"cells save: q@cells read, old@cells write", STAGE, STAGE,
                                      NULL};

static const tess_chain_dat *dat_of(const tess_chain *chain, const char *name) {
    int d = 0;
    while (strcmp(chain->dats[d].dat, name) != 0)
        d++;
    return &chain->dats[d];
}

/* res, bres, update, adt: one stage, q in two buffers, res nowhere. */
static void a_stage_of_airfoil_has_no_rings(void **state) {
    small_step *s = open_step(airfoil);
    tess_chain *chain = NULL;
    OK(tess_chain_build(&s->step, 2, 4, &chain));
    assert_string_equal(chain->owner, "cells");
    assert_int_equal(chain->n_stages, 1);
    assert_int_equal(chain->n_rings, 0);
    assert_int_equal(chain->load_rings, 1);
    assert_true(chain->loops[0].gathered && chain->loops[1].gathered);
    assert_false(chain->loops[2].gathered || chain->loops[3].gathered);
    assert_false(tess_chain_goes_on(chain, 0));
    const tess_chain_dat *q = dat_of(chain, "q"), *adt = dat_of(chain, "adt"),
                         *res = dat_of(chain, "res"), *old = dat_of(chain, "old"),
                         *rms = dat_of(chain, "rms");
    assert_true(q->loaded && q->stored && q->two_buffers && q->load_ring == 1);
    assert_true(adt->loaded && adt->stored && adt->two_buffers);
    assert_true(res->begins_zero && !res->loaded && !res->stored && !res->two_buffers);
    assert_true(old->loaded && !old->stored && old->load_ring == 0);
    assert_true(rms->stored && !rms->loaded);
    tess_chain_free(chain);
    close_step(s);
}

/* The whole step: three stages, two rings; adt is not stored, for the next step makes it anew. */
static void airfoils_whole_step_has_two_rings(void **state) {
    static const int rings[] = {1, 2, 1, 1, 1, 1, 0, 0, 0}, stages[] = {0, 0, 1, 1, 1, 1, 2, 2, 2};
    small_step *s = open_step(airfoil);
    tess_chain *chain = NULL;
    OK(tess_chain_build(&s->step, 0, 9, &chain));
    assert_int_equal(chain->n_stages, 3);
    assert_int_equal(chain->n_rings, 2);
    assert_int_equal(chain->load_rings, 2);
    for (int k = 0; k < 9; k++) {
        assert_int_equal(chain->loops[k].ring, rings[k]);
        assert_int_equal(chain->loops[k].stage, stages[k]);
    }
    const tess_chain_dat *q = dat_of(chain, "q"), *adt = dat_of(chain, "adt"),
                         *res = dat_of(chain, "res"), *old = dat_of(chain, "old");
    assert_true(q->loaded && q->stored && q->two_buffers && q->load_ring == 2);
    assert_true(q->kept_loaded && q->kept_versions == 2 && q->kept_ring == 2);
    assert_true(!adt->loaded && !adt->stored && adt->kept_versions == 2 && adt->kept_ring == 2);
    assert_true(!old->loaded && !old->stored && old->kept_versions == 1 && old->kept_ring == 1);
    assert_true(!res->loaded && !res->stored && res->kept_versions == 0);
    tess_chain_free(chain);
    close_step(s);
}

static void a_step_is_cut_where_rings_would_begin(void **state) {
    small_step *s = open_step(airfoil);
    int length[9];
    static const int by_stages[] = {2, 0, 4, 0, 0, 0, 3, 0, 0},
                     whole[] = {9, 0, 0, 0, 0, 0, 0, 0, 0};
    OK(tess_chains_choose(&s->step, &(tess_chain_wish){.most_rings = 0}, length));
    assert_memory_equal(length, by_stages, sizeof length);
    OK(tess_chains_choose(&s->step, &(tess_chain_wish){.most_rings = 2}, length));
    assert_memory_equal(length, whole, sizeof length);
    close_step(s);
}

/* Fluxes of edges pass to the loop that adds them; nobody stores them. A later loop over edges
 * that reads them is too far away. */
static void values_of_elements_pass_within_a_group(void **state) {
    static const char *const words[] = {"edges fluxes: q@edges:cells read, flux@edges write",
                                        "edges add: flux@edges read, res@edges:cells inc",
                                        "cells evolve: res@cells cleared, q@cells rw",
                                        "edges late: flux@edges read, res@edges:cells inc", NULL};
    small_step *s = open_step(words);
    tess_chain *chain = NULL;
    OK(tess_chain_build(&s->step, 0, 3, &chain));
    assert_true(tess_chain_goes_on(chain, 0) && !tess_chain_goes_on(chain, 1));
    assert_true(dat_of(chain, "flux")->stored); /* for `late` */
    assert_true(dat_of(chain, "q")->two_buffers);
    tess_chain_free(chain);
    assert_int_equal(tess_chain_build(&s->step, 0, 4, &chain), TESS_ERROR_USAGE);
    assert_non_null(strstr(tess_message(), "loops fluxes and late are no chain by 'flux'"));
    s->step.n = 3;
    OK(tess_chain_build(&s->step, 0, 3, &chain));
    assert_false(dat_of(chain, "flux")->stored);
    tess_chain_free(chain);
    s->step.n = 4;
    close_step(s);
}

/* What is not declared cleared is loaded and stored. */
static void a_sum_that_is_not_cleared_goes_through_memory(void **state) {
    static const char *const words[] = {"edges add: q@edges:cells read, res@edges:cells inc",
                                        "cells evolve: res@cells rw, q@cells rw", NULL};
    small_step *s = open_step(words);
    tess_chain *chain = NULL;
    OK(tess_chain_build(&s->step, 0, 2, &chain));
    const tess_chain_dat *res = dat_of(chain, "res");
    assert_true(res->loaded && res->stored && !res->two_buffers && res->load_ring == 0);
    tess_chain_free(chain);
    close_step(s);
}

/* What is cleared in part is not known to be zero: it is loaded and stored, and computed for the
 * neighbours that read it. */
static void a_part_that_is_cleared_leaves_the_rest(void **state) {
    static const char *const sums[] = {"edges add: q@edges:cells read, res@edges:cells inc",
                                       "cells evolve: res@cells cleared_part, q@cells rw", NULL};
    static const char *const reads[] = {"cells halve: u@cells cleared_part",
                                        "edges add: u@edges:cells read, res@edges:cells inc", NULL};
    small_step *s = open_step(sums);
    tess_chain *chain = NULL;
    OK(tess_chain_build(&s->step, 0, 2, &chain));
    const tess_chain_dat *res = dat_of(chain, "res");
    assert_true(!res->begins_zero && res->loaded && res->stored);
    tess_chain_free(chain);
    close_step(s);
    s = open_step(reads);
    OK(tess_chain_build(&s->step, 0, 2, &chain));
    assert_int_equal(chain->loops[0].ring, 1);
    assert_int_equal(dat_of(chain, "u")->load_ring, 1);
    tess_chain_free(chain);
    close_step(s);
}

/* The loop behind the chain that writes a part of a dat leaves the rest to those behind it. */
static void what_is_written_in_part_later_is_stored(void **state) {
    static const char *const words[] = {"cells set: u@cells write, res@cells write",
                                        "edges add: u@edges:cells read, res@edges:cells inc",
                                        "cells part: u@cells write_part",
                                        "cells use: u@cells read, res@cells read", NULL};
    small_step *s = open_step(words);
    tess_chain *chain = NULL;
    OK(tess_chain_build(&s->step, 0, 2, &chain));
    assert_true(dat_of(chain, "u")->stored);
    tess_chain_free(chain);
    close_step(s);
}

static void illegal_chains_name_two_loops_and_the_dat(void **state) {
    static const struct {
        const char *words[4], *message;
    } cases[] = {
        {{"cells sum: q@cells read, dt@- inc", "cells use: dt@- read, q@cells rw"},
         "loops sum and use are no chain by 'dt': the one makes, the other reads a sum"},
        {{"cells use: dt@- read, q@cells rw", "cells sum: q@cells read, dt@- inc"},
         "loops use and sum are no chain by 'dt': the one reads, the other makes a sum"},
        {{"edges a: q@edges:cells read, res@edges:cells inc",
          "edges b: q@edges:cells read, force@edges:nodes inc"},
         "loops a and b are no chain: a adds to points of cells, b to 'force' on nodes"},
        {{"nodes move: u@nodes read, x@nodes rw",
          "edges b: x@edges:nodes read, res@edges:cells inc"},
         "loops move and b are no chain by 'x': move is over nodes"},
        {{"nodes move: x@nodes rw", "nodes look: x@nodes read",
          "edges b: x@edges:nodes read, res@edges:cells inc"},
         "loops move and b are no chain by 'x': move is over nodes"},
        {{"edges a: q@edges:cells write", "cells b: q@cells read, res@cells write"},
         "loops a and b are no chain: a writes 'q' on cells through edges:cells"},
        {{"edges a: q@edges:cells read, flux@edges write, res@edges:cells inc",
          "cells b: flux@cells:edges read, q@cells rw"},
         "loops a and b are no chain by 'flux': b needs it through cells:edges"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        small_step *s = open_step(cases[i].words);
        tess_chain *chain = NULL;
        assert_int_equal(tess_chain_build(&s->step, 0, s->step.n, &chain), TESS_ERROR_USAGE);
        if (!strstr(tess_message(), cases[i].message))
            fail_msg("said: %s", tess_message());
        close_step(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stage_of_airfoil_has_no_rings),
        cmocka_unit_test(airfoils_whole_step_has_two_rings),
        cmocka_unit_test(a_step_is_cut_where_rings_would_begin),
        cmocka_unit_test(values_of_elements_pass_within_a_group),
        cmocka_unit_test(a_sum_that_is_not_cleared_goes_through_memory),
        cmocka_unit_test(a_part_that_is_cleared_leaves_the_rest),
        cmocka_unit_test(what_is_written_in_part_later_is_stored),
        cmocka_unit_test(illegal_chains_name_two_loops_and_the_dat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
