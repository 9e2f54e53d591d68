/* The applications of this build. */
#include "kernels/applications/applications.h"

#include "core/base/registry.h"

#define X(name) extern const tess_application tess_application_##name;
#include "kernels/applications/list.h"
#undef X

static const void *const items[] = {
#define X(name) &tess_application_##name,
#include "kernels/applications/list.h"
#undef X
    NULL};

static const tess_registry registry = {
    .items = items, .kind = "application", .words = {"?", " (known: %s)"}};

const tess_application *tess_application_at(int i) {
    return tess_registry_at(&registry, i);
}

tess_status tess_application_find(const char *name, const tess_application **out) {
    *out = tess_registry_get(&registry, name);
    return *out ? TESS_OK : tess_registry_lacks(&registry, name);
}
