/* Rank tables: on the emulator, which finds races, the pages and tables of each rank's loops that
 * are made there are the host's, byte for byte; with one thing wrong in the text they are not, or
 * the emulator says why. */
#include "kernels/cut/cut_kernels.h"
#include "kernels/exchange/member.h"
#include "tests/kernels/changed_page.h"
#include "tests/kernels/exchange/ranks_bench.h"
#include "tests/kernels/page_arrays.h"

/* A strategy on ranks of an application. */
typedef struct ranked_tables {
    const ranked_case *of;
    const char *strategy;
    int32_t n_ranks;
    tess_halo_mode mode;
    tess_renumber_method renumber;
} ranked_tables;

/* Opens all ranks, whose loops have tables by a page of kernels, NULL: by the host. */
static tess_status open_ranks(const ranks_bench *b, tess_team_base *base,
                              tess_team_setting *setting, const char *tables_page,
                              tess_member *members) {
    setting->tables_page = tables_page;
    for (int32_t r = 0; r < base->crew->n_ranks; r++)
        TRY(tess_member_open(base, r, b->start, &members[r]));
    return TESS_OK;
}

/* Compares the phases of a loop by a strategy that lets the device make its tables. */
static tess_status compare_loop(const tess_rank_loop *here, const tess_rank_loop *there,
                                int *n_compared) {
    for (int p = 0; p < TESS_N_RANK_PHASES; p++) {
        const tess_execution *one = here->phases[p].execution, *other = there->phases[p].execution;
        if (!one || !here->way->strategy->tables_there)
            continue;
        if (!other->tables_there)
            FAIL(TESS_ERROR_CHECK, "made on the host: %s", other->remark);
        TRY(page_arrays_compare(&one->page, &other->page));
        ++*n_compared;
    }
    return TESS_OK;
}

/* Fails where a table of any rank is not the host's, or none was made there. */
static tess_status try_ranks(const ranked_tables *t, const char *tables_page) {
    tess_status status = TESS_OK;
    ranks_bench b;
    tess_loop_way ways[MOST_WAYS];
    const tess_spec spec = {.name = (char *)(uintptr_t)t->strategy}, others = {.name = "atomics"};
    tess_mover mover = {.device = NULL};
    tess_member here[8] = {{.base = NULL}}, there[8] = {{.base = NULL}};
    const tess_device *device = NULL;
    tess_target *target = NULL;
    tess_crew *crew = NULL;
    int n_compared = 0;
    ranks_bench_open(t->of, "hilbert", t->n_ranks, t->mode, &b);
    OK(tess_device_open("emulator:seed=3:count=no", &device, &target));
    OK(tess_crew_open("local", t->n_ranks, &crew));
    OK(tess_mover_open(device, target, &mover));
    tess_team_setting setting = {.application = b.application,
                                 .n_ways = ranks_bench_ways(b.application, &spec, &others, ways),
                                 .ways = ways,
                                 .renumber = t->renumber,
                                 .layouts = {.layout = TESS_SOA},
                                 .mode = t->mode,
                                 .overlap = true,
                                 .checked = true,
                                 .cut = ranks_bench_cut};
    tess_team_base base = {.setting = &setting,
                           .crew = crew,
                           .device = device,
                           .target = target,
                           .ranking = &b.ranking,
                           .schedule = b.schedule,
                           .halo = b.halo,
                           .mover = &mover};
    OK(open_ranks(&b, &base, &setting, NULL, here));
    CHECK(open_ranks(&b, &base, &setting, tables_page, there));
    for (int32_t r = 0; r < t->n_ranks; r++)
        for (int l = 0; l < b.schedule->n_loops; l++)
            CHECK(compare_loop(&here[r].loops[l].loop, &there[r].loops[l].loop, &n_compared));
    if (n_compared < t->n_ranks)
        CHECK(tess_fail(TESS_ERROR_CHECK, "only %d pages of %d ranks", n_compared, t->n_ranks));
done:
    for (int32_t r = 0; r < t->n_ranks; r++) {
        if (here[r].base)
            tess_member_close(&here[r]);
        if (there[r].base)
            tess_member_close(&there[r]);
    }
    tess_mover_close(&mover);
    crew->engine->close(crew);
    device->close(target);
    ranks_bench_close(&b);
    return status;
}

static const ranked_tables
    airfoil = {&ranked_cases[0], "point-parallel", 4, TESS_HALO_REDUNDANT, TESS_RENUMBER_OWNER},
    volna = {&ranked_cases[1], "block-colour", 4, TESS_HALO_REDUNDANT, TESS_RENUMBER_NONE},
    bookleaf = {&ranked_cases[2], "owner-block", 4, TESS_HALO_PARTIAL_SUMS, TESS_RENUMBER_OWNER},
    lulesh = {&ranked_cases[3], "halo-atomics", 2, TESS_HALO_PARTIAL_SUMS, TESS_RENUMBER_NONE},
    miniaero = {&ranked_cases[4], "point-parallel", 2, TESS_HALO_REDUNDANT, TESS_RENUMBER_NONE},
    lists = {&ranked_cases[0], "two-step", 4, TESS_HALO_REDUNDANT, TESS_RENUMBER_BLOCKS};

static void tables_of_ranks_are_those_of_the_host(void **state) {
    static const ranked_tables *const all[] = {&airfoil,  &volna, &bookleaf, &lulesh,
                                               &miniaero, &lists};
    char *page = NULL;
    OK(tess_cut_page(TESS_CUT_TABLES, &page));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (try_ranks(all[i], page) != TESS_OK)
            fail_msg("%s by %s: %s", all[i]->of->application, all[i]->strategy, tess_message());
    free(page);
}

/* One thing wrong, and who finds it. */
typedef struct table_mutant {
    const char *from, *to;
    const ranked_tables *on;
} table_mutant;

static void what_is_wrong_in_the_text_is_found(void **state) {
    static const table_mutant mutants[] = {
        {"own[k] < 0 ? -1 : place_of", "own[k] < 0 ? 0 : place_of", &airfoil},
        {"slot * own->n_elements + k)", "k)", &airfoil},
        {"        store(&bits[w], 0);\n    barrier();", "        store(&bits[w], 0);", &lulesh},
        {"(end_of_run(sorted, n, i) - i)", "1", &airfoil},
        {"p->order ? fetch(&p->order[point]) : point", "point", &airfoil},
        {"if (i < n && (!p->owners ||", "if (i < n && (p->owners ||", &bookleaf},
    };
    char *page = NULL;
    OK(tess_cut_page(TESS_CUT_TABLES, &page));
    for (size_t i = 0; i < sizeof mutants / sizeof *mutants; i++) {
        char *mutant = page_with(page, mutants[i].from, mutants[i].to);
        if (try_ranks(mutants[i].on, mutant) == TESS_OK)
            fail_msg("mutant %zu ('%s') is not found", i, mutants[i].to);
        free(mutant);
    }
    free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_ranks_are_those_of_the_host),
        cmocka_unit_test(what_is_wrong_in_the_text_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
