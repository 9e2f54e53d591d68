/* A device: a plug-in that compiles a page of text and runs its kernels. */
#include "kernels/devices/device.h"

#include "core/base/array.h"
#include "core/base/progress.h"
#include "core/base/registry.h"
#include <stdlib.h>

#define X(name) extern const tess_device tess_device_##name;
#include "kernels/devices/list.h"
#undef X

static const void *const items[] = {
#define X(name) &tess_device_##name,
#include "kernels/devices/list.h"
#undef X
    NULL};

static const tess_registry registry = {
    .items = items, .kind = "device", .words = {"?", "; 'tess list devices' names them"}};

const tess_device *tess_device_at(int i) {
    return tess_registry_at(&registry, i);
}

tess_status tess_device_find(const char *name, const tess_device **out) {
    *out = tess_registry_get(&registry, name);
    return *out ? TESS_OK : tess_registry_lacks(&registry, name);
}

tess_status tess_device_open(const char *text, const tess_device **device, tess_target **out) {
    tess_status status = TESS_OK;
    tess_spec *specs = NULL;
    int n = 0;
    CHECK(tess_spec_list_parse(text, &specs, &n));
    if (n != 1)
        CHECK(tess_fail(TESS_ERROR_USAGE, "'%s': name one device", text));
    CHECK(tess_device_find(specs[0].name, device));
    CHECK(tess_spec_check(&specs[0], (*device)->options));
    tess_progress_begin("opening %s", text);
    status = (*device)->open(&specs[0], out);
    tess_progress_end();
done:
    tess_spec_list_free(specs, n);
    return status;
}

tess_status tess_device_compile_ahead(const tess_device *device, tess_target *target,
                                      const char *page) {
    tess_device_module *module = NULL;
    if (device->compile_ahead)
        return device->compile_ahead(target, page);
    TRY(device->compile(target, page, &module));
    device->unload(target, module);
    return TESS_OK;
}

static void copy(const void *from, int64_t at, int64_t bytes, void *to) {
    tess_memory_copy(to, (const char *)from + at, (size_t)bytes);
}

tess_filler tess_filler_of(const void *from) {
    return (tess_filler){.fill = copy, .context = from};
}

tess_status tess_device_upload_filled(const tess_device *device, tess_target *target,
                                      tess_address to, tess_filler from, int64_t size) {
    void *all = NULL;
    if (device->upload_filled)
        return device->upload_filled(target, to, from, size);
    if (from.fill == copy)
        return device->upload(target, to, from.context, size);
    TRY(tess_array_alloc(size, 1, &all));
    from.fill(from.context, 0, size, all);
    const tess_status status = device->upload(target, to, all, size);
    free(all);
    return status;
}
