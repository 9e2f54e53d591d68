/* A device cutter: cuts on a device, on any thread, beside what else runs there.
 *
 * Each cut opens the device anew, for a GPU's context belongs to the thread that opened it. One
 * target stays open, so that the next ones are quick. */
#include "kernels/cut/device_cutter.h"

#include "core/base/array.h"
#include "core/base/errand.h"
#include "core/base/progress.h"
#include "kernels/cut/device_plan.h"
#include "kernels/cut/device_swap.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A page that another thread compiles. */
typedef struct page_beside {
    const tess_device_cutter *cutter;
    const char *page;
    tess_errand *errand; /* NULL: none has */
} page_beside;

struct tess_device_cutter {
    tess_cutter face;
    tess_planner planner;
    pthread_mutex_t mutex; /* of one cut at a time */
    char *text;            /* of the device */
    const tess_device *device;
    tess_target *held;
    char *pages[TESS_CUT_ALL]; /* of the kernels, by what they are for; NULL until then */
    atomic_uint expected;      /* those that will be asked for after a cut, too */
    page_beside beside[TESS_CUT_ALL];
};

/* Of an emulator's options only those that look for faults are kept. */
static tess_status device_text(const char *device, const tess_device **plugin, char **out) {
    tess_status status = TESS_OK;
    tess_spec *specs = NULL;
    int n = 0;
    CHECK(tess_spec_list_parse(device, &specs, &n));
    if (n != 1)
        CHECK(tess_fail(TESS_ERROR_USAGE, "'%s': name one device", device));
    CHECK(tess_device_find(specs[0].name, plugin));
    CHECK(tess_spec_check(&specs[0], (*plugin)->options));
    if ((*plugin)->one_thread || (*plugin)->compiles_only)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "device %s cuts no blocks: take --device emulator or cuda, or "
                        "--partition-on host",
                        (*plugin)->name));
    if (!(*plugin)->emulates) {
        CHECK(tess_text_copy(device, out));
        goto done;
    }
    CHECK(tess_text_print(out, "%s:count=no:check=%s:memory=%lld:seed=%lld:workers=%lld",
                          (*plugin)->name, tess_spec_text(&specs[0], (*plugin)->options, "check"),
                          (long long)tess_spec_int(&specs[0], (*plugin)->options, "memory"),
                          (long long)tess_spec_int(&specs[0], (*plugin)->options, "seed"),
                          (long long)tess_spec_int(&specs[0], (*plugin)->options, "workers")));
done:
    tess_spec_list_free(specs, n);
    return status;
}

tess_status tess_device_cutter_check(const char *device) {
    const tess_device *plugin = NULL;
    char *text = NULL;
    const tess_status status = device_text(device, &plugin, &text);
    free(text);
    return status;
}

/* A cut from and to the host's memory, or the device's; or a recut, or a plan. */
typedef struct job {
    const tess_cut *what;
    const tess_device_blocks *before; /* of the recut */
    int32_t *n_blocks;
    int32_t *block_of;           /* NULL: there */
    tess_address places, blocks; /* there, or 0 */
    tess_cut_cost *cost;
    const tess_bound_loop *bound; /* of the plan */
    const int32_t *planned;       /* its blocks */
    const int32_t *position;      /* of its elements, or NULL */
    tess_plan *plan;              /* NULL: it is not one of the host */
    const tess_device_change *change;
    tess_device_plan *made; /* NULL: it is a cut */
} job;

static tess_status do_job(tess_cut_kernels *kernels, const job *work) {
    double *const seconds = &work->cost->seconds;
    if (work->plan)
        return tess_device_plan_fill(kernels, work->bound, work->planned, work->position,
                                     work->plan, seconds);
    if (work->made)
        return (kernels->device->apart ? tess_device_plan_there : tess_device_plan_here)(
            kernels, work->change, work->made, seconds);
    if (work->before)
        return (kernels->device->apart ? tess_device_recut_there : tess_device_recut)(
            kernels, work->what, work->before, work->block_of, work->n_blocks, seconds);
    return work->block_of ? tess_device_cut_refined(kernels, work->what, work->block_of, seconds)
                          : tess_device_cut_refined_there(kernels, work->what, work->places,
                                                          work->blocks, seconds);
}

/* What its kernels are for. */
static unsigned kind_of(const job *work) {
    if (work->plan || work->made)
        return TESS_CUT_PLANS;
    return work->before || work->what->n_rounds ? TESS_CUT_ANEW : TESS_CUT_BLOCKS;
}

void tess_device_cutter_expect(tess_device_cutter *cutter, unsigned what) {
    atomic_fetch_or(&cutter->expected, what);
}

static tess_status write_page(tess_device_cutter *cutter, unsigned kind) {
    return cutter->pages[kind] ? TESS_OK : tess_cut_page(kind, &cutter->pages[kind]);
}

static tess_status compile_beside(void *context) {
    const page_beside *one = context;
    return tess_device_compile_ahead(one->cutter->device, one->cutter->held, one->page);
}

/* Has what will be asked for, but what is now, compiled by others, unless it is; where that fails
 * who asks for it compiles it. */
static tess_status begin_expected(tess_device_cutter *cutter, unsigned now) {
    const unsigned expected = atomic_exchange(&cutter->expected, 0) & ~now;
    for (unsigned one = 1; one < TESS_CUT_ALL && cutter->device->is_compiled; one *= 2) {
        page_beside *const beside = &cutter->beside[one];
        bool compiled = false;
        if (!(expected & one) || beside->errand)
            continue;
        TRY(write_page(cutter, one));
        TRY(cutter->device->is_compiled(cutter->held, cutter->pages[one], &compiled));
        *beside = (page_beside){cutter, cutter->pages[one], NULL};
        if (!compiled && tess_errand_begin(compile_beside, beside, &beside->errand) != TESS_OK)
            beside->errand = NULL;
    }
    return TESS_OK;
}

/* Opens those for one kind of work; if that is a cut, with those that end it. */
static tess_status open_kernels(tess_device_cutter *cutter, unsigned kind, tess_target *target,
                                tess_cut_kernels *kernels) {
    TRY(tess_cut_kernels_open(cutter->device, target, cutter->pages[kind], kernels));
    return kind == TESS_CUT_PLANS
               ? TESS_OK
               : tess_cut_kernels_add_ends(kernels, cutter->pages[TESS_CUT_ENDS]);
}

static tess_status cut_alone(tess_device_cutter *cutter, const job *work) {
    const tess_device *device = cutter->device;
    const unsigned kind = kind_of(work);
    tess_status status = TESS_OK;
    tess_cut_kernels kernels = {.module = NULL};
    tess_target *target = NULL;
    TRY(write_page(cutter, kind));
    if (kind != TESS_CUT_PLANS) {
        TRY(write_page(cutter, TESS_CUT_ENDS));
        tess_device_cutter_expect(cutter, TESS_CUT_ENDS);
    }
    if (!cutter->held)
        TRY(tess_device_open(cutter->text, &device, &cutter->held));
    TRY(begin_expected(cutter, kind));
    TRY(tess_device_open(cutter->text, &device, &target));
    if (device->lock)
        device->lock(target);
    CHECK(open_kernels(cutter, kind, target, &kernels));
    tess_progress_begin("there, and on the way");
    status = do_job(&kernels, work);
    tess_progress_end();
    CHECK(status);
    snprintf(work->cost->place, sizeof work->cost->place, "%s",
             device->model ? device->model(target) : device->name);
done:
    tess_cut_kernels_close(&kernels);
    if (device->unlock)
        device->unlock(target);
    device->close(target);
    return status;
}

static tess_status cut_in_turn(tess_device_cutter *cutter, const job *work) {
    pthread_mutex_lock(&cutter->mutex);
    const tess_status status = cut_alone(cutter, work);
    pthread_mutex_unlock(&cutter->mutex);
    return status;
}

static tess_status cut(void *context, const tess_cut *what, int32_t *block_of,
                       tess_cut_cost *cost) {
    return cut_in_turn(context, &(job){.what = what, .block_of = block_of, .cost = cost});
}

static tess_status fill_plan(void *context, const tess_bound_loop *bound, const int32_t *block_of,
                             const int32_t *position, tess_plan *plan) {
    tess_cut_cost cost;
    TRY(cut_in_turn(context, &(job){.bound = bound,
                                    .planned = block_of,
                                    .position = position,
                                    .plan = plan,
                                    .cost = &cost}));
    memcpy(plan->place, cost.place, sizeof plan->place);
    return TESS_OK;
}

tess_status tess_device_cutter_cut(tess_device_cutter *cutter, const tess_cut *what,
                                   int32_t *block_of) {
    tess_cut_cost cost;
    if (cutter->device->apart)
        return cut_in_turn(cutter, &(job){.what = what,
                                          .places = (tess_address)(uintptr_t)what->places,
                                          .blocks = (tess_address)(uintptr_t)block_of,
                                          .cost = &cost});
    return cut(cutter, what, block_of, &cost);
}

tess_status tess_device_cutter_recut(tess_device_cutter *cutter, const tess_cut *what,
                                     const tess_device_blocks *before, int32_t *block_of,
                                     int32_t *n_blocks) {
    tess_cut_cost cost;
    return cut_in_turn(cutter, &(job){.what = what,
                                      .before = before,
                                      .block_of = block_of,
                                      .n_blocks = n_blocks,
                                      .cost = &cost});
}

tess_status tess_device_cutter_plan(tess_device_cutter *cutter, const tess_device_change *change,
                                    tess_device_plan *plan) {
    tess_cut_cost cost;
    return cut_in_turn(cutter, &(job){.change = change, .made = plan, .cost = &cost});
}

tess_status tess_device_cutter_open(const char *device, tess_device_cutter **out) {
    tess_status status = TESS_OK;
    tess_device_cutter *cutter = NULL;
    CHECK(TESS_ZEROS(1, &cutter));
    pthread_mutex_init(&cutter->mutex, NULL);
    cutter->face = (tess_cutter){.context = cutter, .cut = cut};
    cutter->planner = (tess_planner){.context = cutter, .fill = fill_plan};
    CHECK(device_text(device, &cutter->device, &cutter->text));
    *out = TESS_TAKE(cutter);
done:
    tess_device_cutter_close(cutter);
    return status;
}

void tess_device_cutter_close(tess_device_cutter *cutter) {
    if (!cutter)
        return;
    for (int i = 0; i < TESS_CUT_ALL; i++)
        tess_errand_free(cutter->beside[i].errand);
    if (cutter->held)
        cutter->device->close(cutter->held);
    pthread_mutex_destroy(&cutter->mutex);
    for (int i = 0; i < TESS_CUT_ALL; i++)
        free(cutter->pages[i]);
    free(cutter->text);
    free(cutter);
}

const tess_cutter *tess_device_cutter_face(const tess_device_cutter *cutter) {
    return cutter ? &cutter->face : NULL;
}

const tess_planner *tess_device_cutter_planner(const tess_device_cutter *cutter) {
    return cutter ? &cutter->planner : NULL;
}
