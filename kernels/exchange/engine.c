/* An exchange engine: a plug-in that carries messages between ranks. */
#include "kernels/exchange/engine.h"

#include "core/base/registry.h"

#define X(name) extern const tess_engine tess_engine_##name;
#include "kernels/exchange/engines/list.h"
#undef X

static const void *const items[] = {
#define X(name) &tess_engine_##name,
#include "kernels/exchange/engines/list.h"
#undef X
    NULL};

static const tess_registry registry = {.items = items, .kind = "engine", .words = {"?", ""}};

const tess_engine *tess_engine_at(int i) {
    return tess_registry_at(&registry, i);
}

tess_status tess_engine_find(const char *name, const tess_engine **out) {
    *out = tess_registry_get(&registry, name);
    return *out ? TESS_OK : tess_registry_lacks(&registry, name);
}
