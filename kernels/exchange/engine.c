/* An exchange engine: a plug-in that carries messages between ranks. */
#include "kernels/exchange/engine.h"

#include "core/base/registry.h"
#include <stdio.h>
#include <string.h>

#define X(name) extern const tess_engine tess_engine_##name;
#include "kernels/exchange/engines/list.h"
#undef X

static const void *const items[] = {
#define X(name) &tess_engine_##name,
#include "kernels/exchange/engines/list.h"
#undef X
    NULL};

static const tess_registry registry = {
    .items = items, .kind = "engine", .words = {"?", " (known: %s)"}};

tess_status tess_engine_find(const char *name, const tess_engine **out) {
    *out = tess_registry_get(&registry, name);
    return *out ? TESS_OK : tess_registry_lacks(&registry, name);
}

tess_status tess_crew_open(const char *name, int32_t n_ranks, tess_crew **out) {
    const tess_engine *engine = NULL;
    TRY(tess_engine_find(name, &engine));
    TRY(engine->open(n_ranks, out));
    (*out)->engine = engine;
    return TESS_OK;
}

tess_status tess_crew_open_with_mpi(int32_t n_ranks, tess_crew *out) {
    tess_crew *mpi = NULL;
    TRY(tess_crew_open("mpi", n_ranks, &mpi));
    *out = *mpi;
    out->mpi = mpi;
    return TESS_OK;
}

tess_status tess_crew_sum(tess_crew *crew, double *values, int64_t n) {
    tess_crew *by = crew->mpi ? crew->mpi : crew;
    return by->engine->sum(by, values, n);
}

tess_status tess_crew_gather(tess_crew *crew, const void *mine, void *gathered, int bytes) {
    tess_crew *by = crew->mpi ? crew->mpi : crew;
    return by->engine->gather(by, mine, gathered, bytes);
}

tess_status tess_crew_meet(tess_crew *crew) {
    double nothing = 0;
    return tess_crew_sum(crew, &nothing, 1);
}

tess_status tess_crew_take_device(tess_crew *crew, const tess_device *device, tess_target *target) {
    return crew->engine->take_device ? crew->engine->take_device(crew, device, target) : TESS_OK;
}

tess_status tess_crew_lock_devices(tess_crew *crew, const tess_device *device,
                                   tess_target *target) {
    for (int32_t r = 0; r < crew->n_ranks; r++) {
        if (r == crew->first && device->lock)
            device->lock(target);
        TRY(tess_crew_meet(crew));
    }
    return TESS_OK;
}

tess_status tess_crew_name_device(const tess_crew *crew, const char *text, char **out) {
    const tess_device *device = NULL;
    int n = 1;
    for (int i = 0; (device = tess_device_at(i)) && strcmp(device->name, text) != 0;)
        i++;
    if (device && device->count)
        TRY(device->count(&n));
    if ((n > 1 ? asprintf(out, "%s:%d", text, crew->local % n) : asprintf(out, "%s", text)) < 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory: a device's name");
    return TESS_OK;
}
