/* Thread copies: what each thread of the host keeps for itself of the elements that it computes. */
#include "kernels/run/thread_copies.h"

#include "core/base/array.h"
#include "kernels/codegen/tables.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* One array's copy by one thread: addresses for all of it, memory for what the thread touches, so
 * that the kernel finds a value where the whole array has it. */
typedef struct copied {
    void *memory;
    size_t bytes;
} copied;

struct tess_thread_copies {
    const tess_page *page;
    int n_threads, n_arrays;
    int *params;                                     /* [n_arrays] which parameter each array is */
    int32_t *blocks;                                 /* by colour, as launches count them */
    copied *copies;                                  /* [n_threads][n_arrays] */
    uint64_t *words;                                 /* [n_threads][n_launches][n_params] */
    void (**kernels)(const void *params, int block); /* [n_launches] */
};

/* First of a thread's blocks of a launch, and one past its last that of the next thread. */
static int64_t share_begin(const tess_launch *launch, int thread, int n_threads) {
    return launch->n_blocks * thread / n_threads;
}

/* --- what is copied --------------------------------------------------------------------------- */

static bool kernel_changes(const tess_kernel *kernel, const char *dat, const char *set) {
    for (int a = 0; a < kernel->n_args; a++) {
        const tess_kernel_arg *arg = &kernel->args[a];
        if (arg->access != TESS_READ && arg->set && strcmp(arg->set, set) == 0 &&
            strcmp(arg->dat, dat) == 0)
            return true;
    }
    return false;
}

/* Whether a loop of the application changes the dat that a parameter is. */
static tess_status is_changed(const tess_page *page, const tess_application *application,
                              const char *param, bool *out) {
    *out = false;
    for (int i = 0; application && i < page->n_dats; i++) {
        const tess_page_dat *dat = &page->dats[i];
        if (strcmp(dat->symbol, param) != 0)
            continue;
        for (const char *const *loop = application->step; *loop; loop++) {
            const tess_kernel *kernel = NULL;
            TRY(tess_application_kernel(application, *loop, &kernel));
            *out |= kernel_changes(kernel, dat->stored->dat->name, dat->set);
        }
    }
    return TESS_OK;
}

static tess_status choose_arrays(const tess_application *application, tess_thread_copies *copies) {
    const tess_page *page = copies->page;
    TRY(TESS_ALLOC(page->n_params, &copies->params));
    for (int i = 0; i < page->n_params; i++) {
        bool changed = false;
        if (page->params[i].own.n == 0)
            continue;
        TRY(is_changed(page, application, page->params[i].name, &changed));
        if (!changed)
            copies->params[copies->n_arrays++] = i;
    }
    return TESS_OK;
}

/* --- making ----------------------------------------------------------------------------------- */

static tess_status map_copies(tess_thread_copies *copies) {
    const int64_t n_elements = copies->page->bound->n_elements;
    TRY(TESS_ZEROS((int64_t)copies->n_threads * copies->n_arrays, &copies->copies));
    for (int i = 0; n_elements > 0 && i < copies->n_threads * copies->n_arrays; i++) {
        const tess_param *param = &copies->page->params[copies->params[i % copies->n_arrays]];
        const tess_page_own *own = &param->own;
        const int64_t last = (n_elements - 1) * own->next_element + (own->n - 1) * own->next_value;
        const size_t bytes = (size_t)(last + 1) * (size_t)own->size;
        void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            FAIL(TESS_ERROR_MEMORY,
                 "out of memory: addresses for a thread's copy of %s (%zu bytes); take "
                 "openmp:copies=shared",
                 param->name, bytes);
        copies->copies[i] = (copied){memory, bytes};
    }
    return TESS_OK;
}

static void copy_element(const tess_page_own *own, const char *from, char *to, int64_t i) {
    for (int d = 0; d < own->n; d++) {
        const int64_t at = (i * own->next_element + d * own->next_value) * own->size;
        memcpy(to + at, from + at, (size_t)own->size);
    }
}

/* Copies the values of a block's elements. */
static void copy_block(const tess_thread_copies *copies, const copied *mine, int32_t block) {
    const tess_plan *plan = copies->page->plan;
    for (int64_t k = plan->block_offset[block]; k < plan->block_offset[block + 1]; k++) {
        const int32_t i = tess_page_element(copies->page, plan->executed[k]);
        for (int a = 0; a < copies->n_arrays; a++) {
            const tess_param *param = &copies->page->params[copies->params[a]];
            copy_element(&param->own, (const char *)(uintptr_t)param->value, mine[a].memory, i);
        }
    }
}

/* Fills the copies of one thread and the parameters that its kernels get. */
static void fill_thread(const tess_thread_copies *copies, int thread) {
    const tess_page *page = copies->page;
    const copied *mine = &copies->copies[thread * copies->n_arrays];
    for (int l = 0; l < page->n_launches; l++) {
        const tess_launch *launch = &page->launches[l];
        const int64_t end = share_begin(launch, thread + 1, copies->n_threads);
        for (int64_t b = share_begin(launch, thread, copies->n_threads); b < end; b++)
            copy_block(copies, mine, copies->blocks[launch->first + b]);
        uint64_t *words = &copies->words[(thread * page->n_launches + l) * page->n_params];
        for (int i = 0; i < page->n_params; i++)
            words[i] = page->params[i].value;
        for (int a = 0; a < copies->n_arrays; a++)
            words[copies->params[a]] = (uint64_t)(uintptr_t)mine[a].memory;
        words[0] = (uint64_t)launch->first;
        words[1] = (uint64_t)launch->count;
    }
}

tess_status tess_thread_copies_make(const tess_page *page, const tess_device_module *module,
                                    const tess_application *application, tess_thread_copies **out) {
    tess_status status = TESS_OK;
    tess_thread_copies *copies = NULL;
    CHECK(TESS_ZEROS(1, &copies));
    copies->page = page;
    copies->n_threads = page->store->device->threads(page->store->target);
    CHECK(tess_table_block_list(page->plan, &copies->blocks));
    CHECK(choose_arrays(application, copies));
    CHECK(map_copies(copies));
    CHECK(
        TESS_ALLOC((int64_t)copies->n_threads * page->n_launches * page->n_params, &copies->words));
    CHECK(TESS_ZEROS(page->n_launches, &copies->kernels));
    for (int l = 0; l < page->n_launches; l++)
        CHECK(page->store->device->function(module, page->launches[l].kernel, &copies->kernels[l]));
#pragma omp parallel num_threads(copies->n_threads)
    for (int t = omp_get_thread_num(); t < copies->n_threads; t += omp_get_num_threads())
        fill_thread(copies, t);
    *out = TESS_TAKE(copies);
done:
    tess_thread_copies_free(copies);
    return status;
}

void tess_thread_copies_free(tess_thread_copies *copies) {
    if (!copies)
        return;
    for (int i = 0; copies->copies && i < copies->n_threads * copies->n_arrays; i++)
        if (copies->copies[i].memory)
            munmap(copies->copies[i].memory, copies->copies[i].bytes);
    free(copies->copies);
    free(copies->blocks);
    free(copies->params);
    free(copies->words);
    free(copies->kernels);
    free(copies);
}

/* --- running ---------------------------------------------------------------------------------- */

/* One thread's blocks of a launch. */
static void run_share(const tess_thread_copies *copies, int l, int thread) {
    const tess_page *page = copies->page;
    const tess_launch *launch = &page->launches[l];
    const uint64_t *words = &copies->words[(thread * page->n_launches + l) * page->n_params];
    const int64_t end = share_begin(launch, thread + 1, copies->n_threads);
    for (int64_t b = share_begin(launch, thread, copies->n_threads); b < end; b++)
        copies->kernels[l](words, (int)b);
}

/* One time through all loops, by one thread of the region. */
static void run_once(const tess_thread_copies *const *loops, int n_loops) {
    for (int i = 0; i < n_loops; i++)
        for (int l = 0; l < loops[i]->page->n_launches; l++) {
            if (i > 0 || l > 0) {
#pragma omp barrier
            }
            for (int t = omp_get_thread_num(); t < loops[i]->n_threads; t += omp_get_num_threads())
                run_share(loops[i], l, t);
        }
}

tess_status tess_thread_copies_run(const tess_thread_copies *const *loops, int n_loops, int n,
                                   tess_status (*after)(void)) {
    /* of even and odd times: one is written while others may still read the one before */
    tess_status status[2] = {TESS_OK, TESS_OK};
#pragma omp parallel num_threads(loops[0]->n_threads)
    for (int i = 0; i < n; i++) {
        run_once(loops, n_loops);
        if (after && omp_get_thread_num() == 0)
            status[i % 2] = after();
#pragma omp barrier
        if (status[i % 2] != TESS_OK)
            break;
    }
    return status[0] != TESS_OK ? status[0] : status[1];
}
