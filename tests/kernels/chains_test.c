/* Chains on the emulator: airfoil's whole step in one kernel comes to the state of the references
 * and runs without a race; each mutant is found by its proof and by what the emulator sees. Every
 * application's chains compile for CUDA. */
#include "core/plan/chain_check.h"
#include "kernels/codegen/chain_page.h"
#include "kernels/devices/cuda/nvrtc.h"
#include "kernels/run/chained_step.h"
#include "strategy_bench.h"

/* A chain of airfoil's on a mesh, and what is done to it before it is proved and run. */
typedef struct mutant {
    const char *name;
    int n_loops; /* 9: the whole step; 13: its second half twice; 5: its first half, with elements
                    once a block */
    void (*chain)(tess_chain *chain);
    void (*blocks)(tess_chain_blocks *blocks);
    void (*lists)(tess_chain_lists *lists);
    const char *proof; /* what its proof says; NULL: it is right */
    const char *seen;  /* what the emulator says; NULL: it runs, to another result */
} mutant;

static tess_chain_dat *dat_of(tess_chain *chain, const char *name) {
    int d = 0;
    while (strcmp(chain->dats[d].dat, name) != 0)
        d++;
    return &chain->dats[d];
}

static void one_buffer(tess_chain *chain) {
    dat_of(chain, "q")->two_buffers = false;
}

static void one_version(tess_chain *chain) {
    dat_of(chain, "q")->kept_versions = 1;
}

static void a_ring_too_small(tess_chain *chain) {
    for (int k = 2; k < 6; k++)
        chain->loops[k].ring = 0;
}

static void a_ring_less_of_one_dat(tess_chain *chain) {
    chain->loops[9].ring = 0; /* the third adt_calc */
}

/* The second boundary element of a corner is its first. */
static void a_boundary_element_twice(tess_chain_blocks *blocks) {
    tess_chain_entries *entries = &blocks->sets[1];
    int64_t i = 0;
    while (entries->element[i] < 0 || entries->element[i + TESS_SLICE] < 0)
        i++;
    entries->element[i + TESS_SLICE] = entries->element[i];
}

/* The last edge of block 1. */
static void an_edge_missing(tess_chain_lists *lists) {
    tess_chain_elements_of(lists, "edges")->n[1]--;
}

/* Block 0 has the mesh's last node in place of one in its middle. */
static void a_node_missing(tess_chain_lists *lists) {
    tess_chain_list *nodes = tess_chain_read_of(lists, "nodes");
    nodes->points[nodes->n[0] / 2] = 13 * 11 - 1;
}

static void an_edge_twice(tess_chain_lists *lists) {
    int32_t *edges = tess_chain_elements_of(lists, "edges")->points;
    edges[1] = edges[0];
}

static void a_listed_boundary_element_twice(tess_chain_lists *lists) {
    int32_t *bedges = tess_chain_elements_of(lists, "bedges")->points;
    bedges[1] = bedges[0];
}

static void edges_in_another_order(tess_chain_lists *lists) {
    int32_t *edges = tess_chain_elements_of(lists, "edges")->points, first = edges[0];
    edges[0] = edges[1];
    edges[1] = first;
}

static const mutant mutants[] = {
    {.name = "none", .n_loops = 9},
    {"a buffer that is not swapped", 9, one_buffer, NULL, NULL, "it has one buffer", "race"},
    {"one version in a block", 9, one_version, NULL, NULL, "one version is kept", "race"},
    {"a ring too small", 9, a_ring_too_small, NULL, NULL, "rings",
     "that what is kept of cells_q has"},
    {.name = "none, in more stages", .n_loops = 13},
    {"a ring less of one dat", 13, a_ring_less_of_one_dat, NULL, NULL, "rings",
     "a version of cells_adt from before"},
    {"a boundary element twice", 9, NULL, a_boundary_element_twice, NULL, "twice", NULL},
    {"a node missing", 9, NULL, NULL, a_node_missing, "not in the list of block 0", NULL},
    {.name = "none, elements once", .n_loops = 5},
    {"a buffer that is not swapped, once", 5, one_buffer, NULL, NULL, "it has one buffer", "race"},
    {"an edge missing", 5, NULL, NULL, an_edge_missing, "has nothing, or another element",
     "which nobody wrote"},
    {"an edge twice", 5, NULL, NULL, an_edge_twice, "which it has already", NULL},
    {"edges in another order", 5, NULL, NULL, edges_in_another_order, "or another element", NULL},
    {"a boundary element listed twice", 5, NULL, NULL, a_listed_boundary_element_twice,
     "which it has already", NULL},
};

/* One step of airfoil's, and what is needed for it. */
typedef struct scene {
    tess_mesh *mesh;
    tess_state *start, *want;
    const tess_kernel *kernels[13];
    tess_loop *loops[13];
    const tess_loop *order[13];
    tess_chain_step step;
    int32_t *block_of;
    int32_t n_blocks;
} scene;

static scene open_scene(int n_loops) {
    scene s = {.mesh = generated_mesh("quads:nx=12:ny=10")};
    const tess_application *application = NULL;
    const char *names[14] = {NULL};
    OK(tess_application_find("airfoil", &application));
    for (int k = 0; k < n_loops; k++)
        names[k] = application->step[k < 9 ? k : k - 4];
    tess_application one = *application;
    one.step = names;
    OK(tess_application_bind(&one, s.mesh));
    OK(tess_application_start(&one, s.mesh, TESS_DOUBLE, &s.start));
    OK(tess_state_copy(s.start, true, &s.want));
    OK(tess_application_march(&one, s.want));
    for (int k = 0; k < n_loops; k++) {
        OK(tess_application_kernel(application, names[k], &s.kernels[k]));
        OK(tess_kernel_loop(s.kernels[k], TESS_DOUBLE, &s.loops[k]));
        s.order[k] = s.loops[k];
    }
    s.step = (tess_chain_step){n_loops, NULL};
    OK(TESS_ALLOC(120, &s.block_of));
    for (int c = 0; c < 120; c++)
        s.block_of[c] = c / 24;
    s.n_blocks = 5;
    return s;
}

static void close_scene(scene *s) {
    for (int k = 0; k < 13; k++)
        tess_loop_free(s->loops[k]);
    free(s->block_of);
    tess_state_free(s->want);
    tess_state_free(s->start);
    tess_mesh_free(s->mesh);
}

static char said_by_proof[512];

/* Runs the chain's kernel once, with what the mutant makes of its lists: what their proof says, and
 * how far q is from the references'. */
static tess_status run_chain(const scene *s, const tess_chain *chain,
                             const tess_chain_blocks *blocks, const mutant *of, tess_status *proof,
                             double *difference) {
    tess_status status = TESS_OK;
    const tess_device *device = NULL;
    tess_target *target = NULL;
    tess_store *store = NULL;
    tess_device_module *module = NULL;
    tess_state *got = NULL;
    tess_layouts layouts;
    tess_page page = {.n_dats = 0};
    OK(tess_device_open("emulator", &device, &target));
    OK(tess_layouts_parse("soa", &layouts));
    OK(tess_store_open(device, target, s->start, NULL, &layouts, &store));
    tess_chain_lists lists;
    const tess_chain_setting setting = {.chain = chain,
                                        .blocks = blocks,
                                        .lists = &lists,
                                        .kernels = s->kernels,
                                        .store = store,
                                        .elements = of->n_loops == 5 ? TESS_ELEMENTS_ONCE
                                                                     : TESS_ELEMENTS_AUTO,
                                        .threads = 32};
    OK(tess_chain_lists_choose(&setting, 1 << 20, &lists));
    assert_true(of->n_loops != 5 || tess_chain_elements_of(&lists, "edges"));
    if (of->lists)
        of->lists(&lists);
    for (int i = 0; i < lists.n && *proof == TESS_OK; i++)
        *proof = tess_chain_check_list(chain, s->mesh, blocks, &lists.of[i]);
    snprintf(said_by_proof, sizeof said_by_proof, "%s", tess_message());
    OK(tess_chain_page_write(&setting, 1 << 20, &page));
    /* Blocks' own points lie one behind the other. An edge at the boundary needs no mark: three
     * places in the block, and the element. */
    assert_non_null(strstr(page.text.text, "return 1 && k < b->n[0] ? b->own + k"));
    assert_true(of->n_loops == 5 ||
                strstr(page.text.text, "struct bedges_entry {\n    unsigned word[2];"));
    OK(device->compile(target, page.text.text, &module));
    uint64_t words[256];
    for (int i = 0; i < page.n_params; i++)
        words[i] = page.params[i].value;
    CHECK(device->launch(target, module, &page.launches[0], words, page.n_params));
    for (int d = 0; d < chain->n_dats; d++)
        if (chain->dats[d].two_buffers)
            tess_stored_swap((tess_stored *)page.dats[d].stored);
    OK(tess_state_copy(s->start, false, &got));
    CHECK(tess_store_download(store, got));
    const tess_dat *want = tess_state_find(s->want, "q", "cells");
    const tess_extremes found =
        tess_dat_extremes(tess_state_find(got, "q", "cells"), want, tess_state_size(s->want, want));
    *difference = found.difference / found.value;
done:
    tess_state_free(got);
    tess_chain_lists_clear(&lists);
    if (module)
        device->unload(target, module);
    tess_page_clear(&page);
    tess_store_close(store);
    device->close(target);
    return status;
}

static void says(const char *name, tess_status status, const char *said, const char *words) {
    if (status != TESS_ERROR_CHECK || !strstr(said, words))
        fail_msg("%s: status %d, said: %s", name, (int)status, said);
}

static void mutants_are_found_by_proof_and_emulator(void **state) {
    for (size_t m = 0; m < sizeof mutants / sizeof mutants[0]; m++) {
        const mutant *of = &mutants[m];
        scene s = open_scene(of->n_loops);
        s.step.loops = s.order;
        tess_chain *chain = NULL;
        tess_chain_blocks *blocks = NULL;
        double difference = 0;
        OK(tess_chain_build(&s.step, 0, of->n_loops, &chain));
        OK(tess_chain_blocks_build(chain, s.mesh, s.block_of, s.n_blocks, NULL, &blocks));
        if (of->chain)
            of->chain(chain);
        if (of->blocks)
            of->blocks(blocks);
        tess_status proof = tess_chain_check(&s.step, chain);
        if (proof == TESS_OK)
            proof = tess_chain_check_blocks(chain, s.mesh, s.block_of, blocks);
        const tess_status ran = run_chain(&s, chain, blocks, of, &proof, &difference);
        if (of->proof)
            says(of->name, proof, said_by_proof, of->proof);
        else
            OK(proof);
        if (of->seen)
            says(of->name, ran, tess_message(), of->seen);
        else
            OK(ran);
        print_message("%s: %.1e\n", of->name, difference);
        if (!of->proof)
            assert_true(difference < 1e-13);
        else if (!of->seen)
            assert_false(difference < 1e-9);
        tess_chain_blocks_free(blocks);
        tess_chain_free(chain);
        close_scene(&s);
    }
}

/* --- CUDA ------------------------------------------------------------------------------------- */

/* Compiles all chains of an application's step, in blocks of 128 points. */
static void compile_chains(const tess_application *application, tess_type real, const char *layout,
                           const char *chains) {
    const tess_device *device = NULL;
    tess_target *target = NULL;
    tess_store *store = NULL;
    tess_state *start = NULL;
    tess_chained_step *step = NULL;
    tess_layouts layouts;
    tess_chain_way ways[32];
    tess_plan plan = {.block_size = 128};
    tess_mesh *mesh = generated_mesh(bench_mesh_of(application));
    OK(tess_device_open(real == TESS_DOUBLE ? "nvrtc" : "nvrtc:optimise=little", &device, &target));
    OK(tess_layouts_parse(layout, &layouts));
    OK(tess_application_bind(application, mesh));
    OK(tess_application_start(application, mesh, real, &start));
    OK(tess_store_open(device, target, start, NULL, &layouts, &store));
    OK(tess_chained_step_new(application, mesh, real, chains, &step));
    const int n = tess_chained_step_size(step);
    for (int i = 0; i < n; i++)
        ways[i] = (tess_chain_way){.kernel = tess_chained_step_kernels(step)[i], .plan = &plan};
    OK(tess_chained_step_open(step,
                              &(tess_chains_setting){.store = store, .n_ways = n, .ways = ways}));
    for (int i = 0; i < n; i++) {
        const tess_ready_chain *ready = tess_chained_step_ready(step, i);
        const tess_resources resources = ready->kernel.resources;
        if (!ready->chain)
            continue;
        assert_true(resources.registers > 0 && resources.spilled >= 0);
        print_message("%-8s %s %s %2d loops, %d rings: %3d registers, %3d bytes spilled\n",
                      application->name, tess_type_name(real), layout, ready->chain->n_loops,
                      ready->chain->n_rings, resources.registers, resources.spilled);
    }
    tess_chained_step_free(step);
    tess_store_close(store);
    tess_state_free(start);
    device->close(target);
    tess_mesh_free(mesh);
}

static void chains_compile_for_cuda(void **state) {
    const tess_application *application = NULL;
    if (tess_nvrtc_version() == 0) {
        print_message("skipped: NVRTC is not on this machine\n");
        skip();
    }
    for (int a = 0; (application = tess_application_at(a)); a++) {
        compile_chains(application, TESS_DOUBLE, "soa", "auto");
        compile_chains(application, TESS_FLOAT, "aos,maps=aos", "auto:rings=9");
    }
    OK(tess_application_find("airfoil", &application));
    compile_chains(application, TESS_DOUBLE, "aos", "auto:rings=2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutants_are_found_by_proof_and_emulator),
        cmocka_unit_test(chains_compile_for_cuda),
    };
    bench_be_strict();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
