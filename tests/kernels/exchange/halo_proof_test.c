/* The proofs of halos, ranks' meshes and schedules: they hold for every application on any number
 * of ranks, and each way to break one of them is found. */
#include "tests/kernels/exchange/ranks_bench.h"

static void prove(const ranks_bench *b) {
    OK(tess_halo_check(&b->ranking, b->halo));
    OK(tess_schedule_check(b->schedule, b->halo));
    for (int32_t rank = 0; rank < b->owners->n_ranks; rank++) {
        tess_rank_mesh *rank_mesh = NULL;
        OK(tess_rank_mesh_build(&b->ranking, b->halo, rank, &rank_mesh));
        OK(tess_rank_mesh_check(&b->ranking, b->halo, rank_mesh));
        tess_rank_mesh_free(rank_mesh);
    }
}

/* More meshes: periodic, irregular, one cell wide (so that many ranks meet), hardly any cells. */
static const ranked_case more_cases[] = {
    {"volna", "irregular:nx=9:ny=7"},     {"volna", "quads:nx=12:ny=8:periodic=xy"},
    {"bookleaf", "quads:nx=40:ny=1"},     {"lulesh", "hexes:nx=6:ny=4:nz=4:periodic=z"},
    {"miniaero", "hexes:nx=3:ny=2:nz=1"}, {"airfoil", "quads:nx=3:ny=2"},
};
enum { N_MORE_CASES = sizeof more_cases / sizeof *more_cases };

static void halos_of_applications_are_proved(void **state) {
    static const int32_t ranks[] = {1, 2, 3, 5, 8, 64};
    static const char *const partitioners[] = {"hilbert", "random:seed=3"};
    for (int c = 0; c < N_RANKED_CASES + N_MORE_CASES; c++)
        for (int r = 0; r < 6; r++)
            for (int variant = 0; variant < 4; variant++) {
                ranks_bench b;
                ranks_bench_open(c < N_RANKED_CASES ? &ranked_cases[c]
                                                    : &more_cases[c - N_RANKED_CASES],
                                 partitioners[variant / 2], ranks[r],
                                 variant % 2 ? TESS_HALO_PARTIAL_SUMS : TESS_HALO_REDUNDANT, &b);
                prove(&b);
                ranks_bench_close(&b);
            }
}

static void halos_of_chains_are_proved(void **state) {
    static const int32_t ranks[] = {1, 2, 3, 8, 64};
    static const char *const chains[] = {"auto", "auto:rings=1", "auto:rings=9"};
    for (int c = 0; c < N_RANKED_CASES; c++)
        for (int r = 0; r < 5; r++)
            for (int k = 0; k < 3; k++) {
                ranks_bench b;
                ranks_bench_open_in_chains(&ranked_cases[c], "hilbert", ranks[r],
                                           TESS_HALO_REDUNDANT, chains[k], &b);
                prove(&b);
                ranks_bench_close(&b);
            }
}

/* Which dats arrive before which part of the step, as RANKS.md's section 5 lists them. */
static void schedules_are_those_of_the_access_descriptors(void **state) {
    static const struct {
        const char *application, *arrivals;
    } wanted[] = {
        {"airfoil", "res_calc:q adt ;res_calc:q adt ;"},
        {"volna", "compute_fluxes:q ;space_discretization:flux source ;"},
        {"bookleaf", "get_force:x ;getacc_scatter:weight corner_mass force_x force_y density ;"},
        {"lulesh", "integrate_stress:x stress ;"},
        {"miniaero", "compute_face_flux:w ;"},
        {"fv", "differences:x ;differences_back:y ;"},
        {"fun3d", "lstgs:q ;roe_flux:gx gy gz ;visrhs_tets:q ;"
                  "lstgs:q ;roe_flux:gx gy gz ;visrhs_tets:q ;"},
    };
    for (int c = 0; c < N_RANKED_CASES; c++) {
        char words[512] = "";
        ranks_bench b;
        ranks_bench_open(&ranked_cases[c], "hilbert", 4, TESS_HALO_REDUNDANT, &b);
        for (int i = 0; i < b.schedule->n_parts; i++) {
            const tess_loop *loop = b.schedule->bare[b.schedule->parts[i].loop];
            if (!b.schedule->parts[i].exchanges)
                continue;
            sprintf(words + strlen(words), "%s:", loop->name);
            for (int a = 0; a < loop->n_args; a++)
                if (b.schedule->parts[i].arrives[a])
                    sprintf(words + strlen(words), "%s ", loop->args[a].dat);
            strcat(words, ";");
        }
        assert_string_equal(wanted[c].application, ranked_cases[c].application);
        assert_string_equal(words, wanted[c].arrivals);
        ranks_bench_close(&b);
    }
}

/* --- mutants ---------------------------------------------------------------------------------- */

static int n_mutants;

static void must_be_found(tess_status status, const char *application, const char *what,
                          int64_t i) {
    n_mutants++;
    if (status != TESS_ERROR_CHECK)
        fail_msg("%s: %s (%lld) is not found", application, what, (long long)i);
}

/* Drops item i of some rows; puts it back. */
static void drop(tess_rows *rows, int64_t i, int32_t *kept, int64_t *row) {
    *row = 0;
    while (rows->offset[*row + 1] <= i)
        ++*row;
    *kept = rows->item[i];
    memmove(rows->item + i, rows->item + i + 1,
            (size_t)(rows->offset[rows->n] - i - 1) * sizeof *rows->item);
    for (int64_t r = *row; r < rows->n; r++)
        rows->offset[r + 1]--;
}

static void put_back(tess_rows *rows, int64_t i, int32_t kept, int64_t row) {
    memmove(rows->item + i + 1, rows->item + i,
            (size_t)(rows->offset[rows->n] - i) * sizeof *rows->item);
    rows->item[i] = kept;
    for (int64_t r = row; r < rows->n; r++)
        rows->offset[r + 1]++;
}

/* Breaks a list: an item is missing; it is another one; it stands in another rank's row. */
static void break_rows(const ranks_bench *b, tess_rows *rows, int64_t size, const char *what) {
    const int64_t n = rows->offset[rows->n];
    for (int64_t i = 0; i < n; i += n / 3 + 1) {
        int32_t kept = 0;
        int64_t row = 0;
        drop(rows, i, &kept, &row);
        must_be_found(tess_halo_check(&b->ranking, b->halo), b->application->name, what, i);
        put_back(rows, i, kept, row);
        rows->item[i] = (int32_t)((kept + 1) % size);
        must_be_found(tess_halo_check(&b->ranking, b->halo), b->application->name, what, i);
        rows->item[i] = kept;
    }
    for (int64_t r = 0; r + 1 < rows->n; r++)
        if (tess_rows_size(rows, r) > 0) {
            rows->offset[r + 1]--;
            must_be_found(tess_halo_check(&b->ranking, b->halo), b->application->name, what, -r);
            rows->offset[r + 1]++;
        }
}

static void break_lists(const ranks_bench *b) {
    for (int l = 0; l < b->halo->n_loops; l++) {
        const tess_halo_loop *loop = &b->halo->loops[l];
        const int set = tess_mesh_find_set(b->mesh, b->schedule->bare[l]->set);
        break_rows(b, loop->executed, b->mesh->sets[set].size, "executed by a loop");
        for (int i = 0; i < loop->n_arrivals; i++)
            break_rows(b, loop->arrivals[i].rows, b->mesh->sets[loop->arrivals[i].set].size,
                       "arrives");
        for (int i = 0; i < loop->n_returns; i++)
            break_rows(b, loop->returns[i].rows, b->mesh->sets[loop->returns[i].set].size,
                       "returns");
    }
    for (int s = 0; s < b->halo->n_sets; s++) {
        break_rows(b, b->halo->sets[s].executed, b->mesh->sets[s].size, "executed");
        break_rows(b, b->halo->sets[s].reached, b->mesh->sets[s].size, "reached");
    }
}

static void break_borders_and_owners(const ranks_bench *b) {
    for (int l = 0; l < b->halo->n_loops; l++) {
        const int s = tess_mesh_find_set(b->mesh, b->schedule->bare[l]->set);
        const int64_t n = b->mesh->sets[s].size;
        for (int64_t e = 0; e < n; e += n / 5 + 1) {
            b->halo->sets[s].border[e] ^= 1;
            must_be_found(tess_halo_check(&b->ranking, b->halo), b->application->name, "border", e);
            b->halo->sets[s].border[e] ^= 1;
            b->owners->rank_of[s][e] ^= 1;
            must_be_found(tess_halo_check(&b->ranking, b->halo), b->application->name, "owner", e);
            b->owners->rank_of[s][e] ^= 1;
        }
    }
}

static void break_rank_mesh(const ranks_bench *b) {
    tess_rank_mesh *rank_mesh = NULL;
    OK(tess_rank_mesh_build(&b->ranking, b->halo, 1, &rank_mesh));
    for (int s = 0; s < rank_mesh->n_sets; s++) {
        tess_rank_set *set = &rank_mesh->sets[s];
        int64_t *const ends[] = {&set->n_core, &set->n_owned, &set->n_executed};
        for (int i = 0; i < 3 && set->n > 1; i++) {
            const bool up = *ends[i] == 0;
            *ends[i] += up ? 1 : -1;
            must_be_found(tess_rank_mesh_check(&b->ranking, b->halo, rank_mesh),
                          b->application->name, "end of a segment", i);
            *ends[i] -= up ? 1 : -1;
        }
        for (int64_t i = 1; i < set->n; i += set->n / 3 + 1) {
            const int64_t kept = set->global[i];
            set->global[i] = set->global[i - 1];
            set->global[i - 1] = kept;
            must_be_found(tess_rank_mesh_check(&b->ranking, b->halo, rank_mesh),
                          b->application->name, "order in a segment", i);
            set->global[i - 1] = set->global[i];
            set->global[i] = kept;
        }
    }
    for (int m = 0; m < rank_mesh->mesh->n_maps; m++) {
        tess_map *map = &rank_mesh->mesh->maps[m];
        const int64_t n = rank_mesh->sets[map->from].n * map->arity;
        for (int64_t i = 0; i < n; i += n / 2 + 1) {
            map->index[i]++;
            must_be_found(tess_rank_mesh_check(&b->ranking, b->halo, rank_mesh),
                          b->application->name, "map", i);
            map->index[i]--;
        }
    }
    tess_rank_mesh_free(rank_mesh);
}

/* A dat does not arrive where it must. */
static void break_schedule(const ranks_bench *b) {
    for (int i = 0; i < b->schedule->n_parts; i++) {
        tess_schedule_part *part = &b->schedule->parts[i];
        for (int a = 0; a < b->schedule->bare[part->loop]->n_args; a++) {
            if (!part->arrives[a])
                continue;
            part->arrives[a] ^= 1;
            must_be_found(tess_schedule_check(b->schedule, b->halo), b->application->name,
                          "schedule", i);
            part->arrives[a] ^= 1;
        }
    }
}

#define FUN3D_STAGE "zero+lstgs+roe_flux+visrhs_tets+update" /* its mesh has no prisms */

static void mutants_are_found(void **state) {
    for (int c = 0; c < N_RANKED_CASES; c++)
        for (int mode = 0; mode < 2; mode++) {
            ranks_bench b;
            ranks_bench_open(&ranked_cases[c], "hilbert", 4,
                             mode ? TESS_HALO_PARTIAL_SUMS : TESS_HALO_REDUNDANT, &b);
            break_lists(&b);
            break_borders_and_owners(&b);
            break_rank_mesh(&b);
            break_schedule(&b);
            prove(&b); /* all is as it was */
            ranks_bench_close(&b);
        }
    for (int c = 0; c < N_RANKED_CASES; c++) {
        ranks_bench b;
        ranks_bench_open_in_chains(&ranked_cases[c], "hilbert", 4, TESS_HALO_REDUNDANT,
                                   strcmp(ranked_cases[c].application, "fun3d") == 0
                                       ? "keep+" FUN3D_STAGE "+" FUN3D_STAGE
                                       : "auto:rings=9",
                                   &b);
        break_lists(&b);
        break_borders_and_owners(&b);
        break_rank_mesh(&b);
        break_schedule(&b);
        prove(&b);
        ranks_bench_close(&b);
    }
    print_message("%d mutants\n", n_mutants);
    assert_true(n_mutants >= 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halos_of_applications_are_proved),
        cmocka_unit_test(halos_of_chains_are_proved),
        cmocka_unit_test(schedules_are_those_of_the_access_descriptors),
        cmocka_unit_test(mutants_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
