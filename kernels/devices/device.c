/* A device: a plug-in that compiles a page of text and runs its kernels. */
#include "kernels/devices/device.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

#define X(name) extern const tess_device tess_device_##name;
#include "kernels/devices/list.h"
#undef X

static const tess_device *const devices[] = {
#define X(name) &tess_device_##name,
#include "kernels/devices/list.h"
#undef X
    NULL};

enum { N_DEVICES = sizeof devices / sizeof devices[0] - 1 };

const tess_device *tess_device_at(int i) {
    return i >= 0 && i < N_DEVICES ? devices[i] : NULL;
}

tess_status tess_device_find(const char *name, const tess_device **out) {
    const char *names[N_DEVICES + 1] = {NULL};
    for (int i = 0; i < N_DEVICES; i++) {
        names[i] = devices[i]->name;
        if (strcmp(name, devices[i]->name) == 0) {
            *out = devices[i];
            return TESS_OK;
        }
    }
    const char *near = tess_suggest(name, names);
    FAIL(TESS_ERROR_USAGE, "there is no device '%s'%s%s%s: see tess list devices", name,
         near ? "; did you mean '" : "", near ? near : "", near ? "'" : "");
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
    CHECK((*device)->open(&specs[0], out));
done:
    tess_spec_list_free(specs, n);
    return status;
}
