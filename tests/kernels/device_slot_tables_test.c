/* Device tables of strategies that sum in shared memory: on the emulator, which finds races, they
 * are the host's, byte for byte; with one thing wrong in the text they are not, or the emulator
 * says why. */
#include "tables_bench.h"

#define HALO "halo-atomics"
#define OWNER "owner-block:sum=slots"
#define COLOUR "block-colour"
#define TETS "tets:nx=3:ny=3:nz=3"
#define HEXES "hexes:nx=4:ny=4:nz=4"
#define TRIS "tris:nx=9:ny=8"

static const attempt
    halo = {"airfoil",           NULL, "quads:nx=14:ny=11", HALO, "soa", .block_size = 32,
            .renumber = "blocks"},
    rows = {"airfoil", NULL, "irregular:nx=12:ny=12", HALO, "aos", .block_size = 40},
    wide = {"airfoil", NULL, "irregular:nx=12:ny=12", HALO, "soa", .block_size = 96},
    scattered =
        {"volna",          NULL, TRIS, HALO ":prefetch=2", "soa,cells=aos", .block_size = 64,
         .scattered = true},
    nodes = {"lulesh", NULL, HEXES, HALO, "soa", .block_size = 40, .scattered = true},
    padded = {"airfoil", NULL, "quads:nx=14:ny=11", HALO, "soa", .block_size = 32, .padded = true},
    pairs = {"fun3d", "visjac_tets", TETS, HALO, "soa", .block_size = 64},
    phases = {"fun3d", "roe_flux", TETS, HALO ":parts=staged", "soa", .block_size = 64},
    made = {"fun3d", "visjac_tets", TETS, HALO ":made=per-part", "soa", .block_size = 64},
    kept = {"airfoil", NULL, TRIS, HALO ":border=ordered", "soa", .block_size = 64},
    gathered = {"airfoil", NULL, TRIS, HALO ":sum=block-gather", "soa", .block_size = 64},
    by_colours = {"airfoil", NULL, TRIS, HALO ":sum=thread-colours", "soa", .block_size = 64},
    sums = {"airfoil", NULL, TRIS, HALO ":stage=increments", "soa", .block_size = 64},
    owned = {"airfoil",          NULL, "quads:nx=14:ny=11", OWNER, "soa", .block_size = 32,
             .renumber = "owner"},
    owned_nodes = {"lulesh", NULL, HEXES, OWNER, "soa", .block_size = 40, .scattered = true},
    owned_pairs = {"fun3d", "visjac_tets", TETS, OWNER, "soa", .block_size = 16},
    ordered = {"airfoil", NULL, TRIS, "owner-block:sum=mesh-order", "soa", .block_size = 64},
    coloured = {"airfoil",           NULL, "quads:nx=14:ny=11", COLOUR, "soa", .block_size = 32,
                .renumber = "blocks"},
    vectors = {"volna",          NULL, TRIS, COLOUR ":loads=vector", "aos", .block_size = 64,
               .scattered = true},
    sums_of_colours =
        {"lulesh",         NULL, HEXES, COLOUR ":stage=increments", "soa", .block_size = 40,
         .scattered = true},
    phases_of_colours = {"fun3d", "roe_flux",      TETS, COLOUR ":parts=staged",
                         "soa",   .block_size = 64},
    some = {NULL,
            NULL,
            "quads:nx=14:ny=11",
            HALO,
            "soa",
            .block_size = 32,
            .renumber = "gps",
            .scattered = true},
    some_owned = {NULL,
                  NULL,
                  "quads:nx=14:ny=11",
                  OWNER,
                  "soa",
                  .block_size = 32,
                  .renumber = "gps",
                  .scattered = true},
    some_coloured = {NULL,
                     NULL,
                     "quads:nx=14:ny=11",
                     COLOUR,
                     "soa",
                     .block_size = 64,
                     .renumber = "gps",
                     .scattered = true};

static void tables_are_those_of_the_host(void **state) {
    static const attempt *const cases[] = {&halo,
                                           &rows,
                                           &wide,
                                           &scattered,
                                           &nodes,
                                           &padded,
                                           &pairs,
                                           &phases,
                                           &made,
                                           &kept,
                                           &gathered,
                                           &by_colours,
                                           &sums,
                                           &owned,
                                           &owned_nodes,
                                           &owned_pairs,
                                           &ordered,
                                           &coloured,
                                           &vectors,
                                           &sums_of_colours,
                                           &phases_of_colours,
                                           &some,
                                           &some_owned,
                                           &some_coloured};
    tables_try(cases, sizeof cases / sizeof cases[0]);
}

static const table_mutant mutants[] = {
    {"if (i < n && (!p->owners ||", "if (i < n && (p->owners ||", &halo},
    {"        store(&bits[w], 0);\n    barrier();", "        store(&bits[w], 0);", &halo},
    {"if (is_incremented_slot(p, i % n_slots) && place != 0xffff)\n            set_bit",
     "if (place != 0xffff)\n            set_bit", &some},
    {"(p, i % n_slots) && place != 0xffff)\n            set_bit",
     "(p, i % n_slots))\n            set_bit", &some},
    {"            set_bit(bits, place);\n    }\n    barrier();",
     "            set_bit(bits, place);\n    }", &halo},
    {"atomic_add(&p->holders[fetch(&p->points[b.first + i])], 1);",
     "atomic_add(&p->holders[i], 1);", &halo},
    {"        if (has_bit(bits, i))\n            atomic_add(",
     "        if (1)\n            atomic_add(", &some},
    {"            atomic_max(&p->most[0], 1u);", "            ;", &some},
    {"p->map ? fetch(&p->map[2ll * point]) : point]) != block_index()", "point]) != block_index()",
     &owned_pairs},
    {"fetch(&p->map[2ll * point])", "fetch(&p->map[2ll * point + 1])", &owned_pairs},
    {": point]) != block_index();", ": point]) == block_index();", &owned},
    {"load(&p->holders[point]) > 1", "load(&p->holders[point]) > 2", &halo},
    {"is_marked(p, point) ? ~stored : stored", "stored", &halo},
    {"at = b.first + fetch(&p->staged_at[b.first + i])", "at = b.first + i", &some},
    {"            store(&p->flags_out[at], ", "            store(&p->flags_out[b.first + i], ",
     &some},
    {"stored_point(p, b.first + i) + 1", "stored_point(p, b.first + i)", &scattered},
    {"        store(most, 0);\n    barrier();", "        store(most, 0);", &scattered},
    {"    atomic_max(most, own);\n    barrier();", "    atomic_max(most, own);", &scattered},
    {"if (fetch(&p->flags[b.first + i]))\n            set_bit", "if (1)\n            set_bit",
     &some_coloured},
    {"set_bit(bits, fetch(&p->staged_at[b.first + i]));\n    barrier();",
     "set_bit(bits, fetch(&p->staged_at[b.first + i]));", &coloured},
    {"set_bit(bits, fetch(&p->staged_at[b.first + i]))", "set_bit(bits, i)", &some_coloured},
    {"store(&before[w], sum);\n    barrier();", "store(&before[w], sum);", &coloured},
    {"rank = load(&before[word]) + count", "rank = count", &sums_of_colours},
    {"(load(&bits[word]) & ((1u << position % WARP) - 1));\n        const int at",
     "(load(&bits[word]));\n        const int at", &coloured},
    {"? rank : n + position - rank", "? rank : position - rank", &some_coloured},
    {"&p->points_out[b.first + at], stored", "&p->points_out[b.first + i], stored", &some_coloured},
    {"store(&p->n_first[block_index()], n)", "store(&p->n_first[block_index()], b.n_points)",
     &some_coloured},
    {"        store(&counts[i], 0);\n    warp_barrier(ALL_LANES);", "        store(&counts[i], 0);",
     &halo},
    {"? load(&counts[place]) : 0;\n        const", "? 0 : 0;\n        const", &wide},
    {"colour = start + count_lanes(same & ((1u << lane()) - 1));\n        warp_barrier(ALL_LANES);",
     "colour = start + count_lanes(same & ((1u << lane()) - 1));", &halo},
    {"colour = start + count_lanes(same & ((1u << lane()) - 1))", "colour = start", &halo},
    {"colour >= n_colours ? colour + 1", "colour >= n_colours ? colour + 2", &halo},
    {"if (lane() == lowest_lane(same))\n                store(&counts",
     "if (1)\n                store(&counts", &halo},
    {"start + count_lanes(same));\n        }\n        warp_barrier(ALL_LANES);",
     "start + count_lanes(same));\n        }", &wide},
    {"slot * p->n + b->begin + element], (un", "b->begin + element], (un", &halo},
    {"(int *)shared_memory() + warp * p->n_staged", "(int *)shared_memory()", &halo},
    {"+ k];\n    store(word, load(word) | value", "+ k];\n    store(word, value", &halo},
    {"place == 0xffff ? none : ", "0 ? none : ", &some},
    {"(int)p->slot) : 0;", "0) : 0;", &halo},
    {"(int)p->colour_at, fetch(&p->colours", "(int)p->at, fetch(&p->colours", &halo},
    {"slot < (int)p->n_slots && place == 0xffff; slot++)", "slot < (int)p->n_slots; slot++)",
     &owned},
    {"        if (is_incremented_slot(p, slot))\n                place",
     "        if (1)\n                place", &some_owned},
};

static void one_thing_wrong_is_found(void **state) {
    tables_find(mutants, sizeof mutants / sizeof mutants[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_those_of_the_host),
        cmocka_unit_test(one_thing_wrong_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
