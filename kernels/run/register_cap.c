/* A register cap: fewer registers of a thread than the compiler takes, where more blocks then run
 * at a time. */
#include "kernels/run/register_cap.h"

#include "kernels/codegen/launch_options.h"

enum { SPARED = 6 }; /* of so many registers a cap spares one at most */

/* Where a kernel is compiled, and how it is launched. */
typedef struct place {
    const tess_device *device;
    tess_target *target;
    const tess_launch *launch;
} place;

static tess_block_needs needs_of(const place *at, const tess_resources *resources) {
    return (tess_block_needs){.threads = at->launch->threads,
                              .registers = resources->registers,
                              .shared_bytes = at->launch->shared_bytes + resources->shared_bytes};
}

int tess_register_cap_fewest(int registers) {
    return registers - registers / SPARED;
}

/* Whether more blocks run at a time than by other resources, and leave L1 more than its least,
 * unless they ask for all shared memory. */
static bool run_more(const place *at, const tess_resources *resources, const tess_resources *than) {
    const tess_block_needs needs = needs_of(at, resources), others = needs_of(at, than);
    const tess_block_needs most = {.threads = 1, .shared_bytes = TESS_MOST_SHARED};
    const int capability = at->device->facts(at->target).capability;
    return at->device->occupancy(at->target, &needs) > at->device->occupancy(at->target, &others) &&
           (at->launch->carveout > 0 ||
            tess_carveout(capability, &needs) < tess_carveout(capability, &most));
}

/* The most registers, of those that a cap may leave, by which more blocks run at a time; 0: by none
 * do they. */
static int find_cap(const place *at, const tess_resources *resources) {
    tess_resources fewer = *resources;
    while (--fewer.registers >= tess_register_cap_fewest(resources->registers))
        if (run_more(at, &fewer, resources))
            return fewer.registers;
    return 0;
}

static tess_status compile(const place *at, const tess_text_writer *text, tess_capped *out) {
    TRY(at->device->compile(at->target, text->text, &out->module));
    return at->device->resources(at->target, out->module, at->launch->kernel, &out->resources);
}

static void clear(const place *at, tess_capped *capped) {
    if (capped->module)
        at->device->unload(at->target, capped->module);
    capped->module = NULL;
}

/* Compiles it again with a cap, and keeps the better one. */
static tess_status compile_again(const place *at, int cap, tess_text_writer *text,
                                 tess_capped *out) {
    tess_status status = TESS_OK;
    tess_text_writer capped_text = {.text = NULL};
    tess_capped capped = {.uncapped = out->resources.registers};
    tess_least_blocks_change(text->text, cap, at->launch->threads, &capped_text);
    CHECK(tess_text_writer_finish(&capped_text));
    CHECK(compile(at, &capped_text, &capped));
    if (run_more(at, &capped.resources, &out->resources) &&
        capped.resources.spilled <= out->resources.spilled) {
        const tess_capped first = *out;
        const tess_text_writer first_text = *text;
        *out = capped;
        *text = capped_text;
        capped = first;
        capped_text = first_text;
    }
done:
    tess_text_writer_clear(&capped_text);
    clear(at, &capped);
    return status;
}

tess_status tess_register_cap_compile(const tess_device *device, tess_target *target,
                                      tess_text_writer *text, const tess_launch *launch,
                                      tess_capped *out) {
    tess_status status = TESS_OK;
    const place at = {device, target, launch};
    *out = (tess_capped){.module = NULL};
    CHECK(compile(&at, text, out));
    const int cap = device->occupancy ? find_cap(&at, &out->resources) : 0;
    if (cap > 0)
        CHECK(compile_again(&at, cap, text, out));
done:
    if (status != TESS_OK)
        clear(&at, out);
    return status;
}
