/* A chain that is ready to run: its blocks, and the page that executes them. */
#pragma once

#include "core/plan/chain_blocks.h"
#include "core/ranks/rank_mesh.h"
#include "kernels/codegen/chain_page.h"
#include "kernels/codegen/page.h"
#include "kernels/loops/kernel_text.h"
#include "kernels/loops/store.h"
#include "kernels/run/register_cap.h"

/* How a loop of the step is executed alone. A chain takes blocks, threads and registers of its
 * first loop whose plan owns the chain's points; else blocks of as many points, consecutive in
 * memory, as its first loop's have elements. */
typedef struct tess_chain_way {
    const tess_kernel *kernel;
    const tess_plan *plan;
    int32_t block_size; /* where the plan is NULL */
    int threads;        /* a block; 0: the block size rounded up to a warp */
    int registers;      /* of a thread at most; 0: any; -1: a cap is chosen (register_cap.h) */
} tess_chain_way;

/* The most points of a block, or elements of a loop's. */
int32_t tess_chain_way_size(const tess_chain_way *way);
/* Whether blocks of the loop's plan own the points that the chain's blocks do. */
bool tess_chain_way_owns(const tess_chain_way *way, const tess_chain *chain);

typedef struct tess_chains_setting {
    tess_store *store;
    int n_ways;
    const tess_chain_way *ways; /* [n_ways]: of all loops of the step, each once */
    tess_arithmetic arithmetic;
    const char *keep_text;      /* a directory for the pages, or NULL */
    const tess_rank_mesh *rank; /* whose mesh the store's is; NULL: it is whole */
    bool on_paper;              /* nothing will run: pages alone are written */
} tess_chains_setting;

typedef struct tess_ready_chain {
    tess_chain *chain; /* NULL: no chain begins here */
    tess_chain_blocks *blocks;
    int32_t block_size; /* the most points of a block */
    tess_page page;
    bool chooses_cap; /* of registers, when it is compiled */
    tess_capped kernel;
    int64_t n_core,
        n_own;         /* blocks: those that reach nothing of other ranks, then other own ones */
    int64_t n_counted; /* runs, of which the device counted */
    tess_counters counters;
} tess_ready_chain;

/* Cuts the blocks, which are proved (core/plan/chain_check.h), writes the page, keeps it as
 * chain-FIRST-LAST-DEVICE.cu where the setting says so, and compiles it. */
TESS_MUST_CHECK tess_status tess_ready_chain_make(const tess_chains_setting *setting,
                                                  const tess_chain_way *way,
                                                  tess_chain_setting *page, tess_ready_chain *of);

/* Compiles its text, or a copy of that, for a device that need not be the store's: with a cap of
 * registers where it chooses one, which the text then says. A chain without blocks has no kernel.
 * The module is the caller's, whatever failed. */
TESS_MUST_CHECK tess_status tess_ready_chain_compile(const tess_device *device, tess_target *target,
                                                     const tess_ready_chain *of,
                                                     tess_text_writer *text, tess_capped *out);

/* Launches blocks first ... end - 1. */
TESS_MUST_CHECK tess_status tess_ready_chain_launch(const tess_store *store, tess_ready_chain *of,
                                                    int64_t first, int64_t end);
