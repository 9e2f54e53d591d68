/* The Catalyst 2 C API and the part of Conduit's that it needs, opened at run time. */
#include "viz/catalyst_api.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t place; /* of the pointer in tess_catalyst */
} functions[] = {
    {"catalyst_initialize", offsetof(tess_catalyst, initialize)},
    {"catalyst_execute", offsetof(tess_catalyst, execute)},
    {"catalyst_finalize", offsetof(tess_catalyst, finalize)},
    {"conduit_node_create", offsetof(tess_catalyst, create)},
    {"conduit_node_destroy", offsetof(tess_catalyst, destroy)},
    {"conduit_node_set_path_char8_str", offsetof(tess_catalyst, set_text)},
    {"conduit_node_set_path_int64", offsetof(tess_catalyst, set_int64)},
    {"conduit_node_set_path_float64", offsetof(tess_catalyst, set_float64)},
    {"conduit_node_set_path_external_uint8_ptr_detailed", offsetof(tess_catalyst, set_uint8s)},
    {"conduit_node_set_path_external_int32_ptr_detailed", offsetof(tess_catalyst, set_int32s)},
    {"conduit_node_set_path_external_int64_ptr_detailed", offsetof(tess_catalyst, set_int64s)},
    {"conduit_node_set_path_external_float32_ptr_detailed", offsetof(tess_catalyst, set_float32s)},
    {"conduit_node_set_path_external_float64_ptr_detailed", offsetof(tess_catalyst, set_float64s)},
};

/* Implementations are plug-ins that look for libcatalyst's functions: RTLD_GLOBAL. */
static void *open_library(const char **name) {
    static const char *const names[] = {"libcatalyst.so.3", "libcatalyst.so.2", "libcatalyst.so"};
    const char *given = getenv("TESS_CATALYST");
    *name = given && *given ? given : names[0];
    if (given && *given)
        return dlopen(given, RTLD_NOW | RTLD_GLOBAL);
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL);
    return library;
}

static void *find(void *library, const char *name) {
    char prefixed[128];
    snprintf(prefixed, sizeof prefixed, "catalyst_%s", name);
    void *found = dlsym(library, prefixed);
    return found ? found : dlsym(library, name);
}

tess_status tess_catalyst_open(tess_catalyst *out) {
    tess_catalyst catalyst = {.library = NULL};
    const char *name = NULL;
    catalyst.library = open_library(&name);
    if (!catalyst.library)
        FAIL(TESS_ERROR_MISSING, "there is no %s; LD_LIBRARY_PATH or TESS_CATALYST names it", name);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = find(catalyst.library, functions[i].name);
        if (!function) {
            tess_catalyst_close(&catalyst);
            FAIL(TESS_ERROR_MISSING, "%s lacks %s: it is no Catalyst 2", name, functions[i].name);
        }
        memcpy((char *)&catalyst + functions[i].place, &function, sizeof function);
    }
    *out = catalyst;
    return TESS_OK;
}

void tess_catalyst_close(tess_catalyst *catalyst) {
    if (catalyst->library)
        dlclose(catalyst->library);
    catalyst->library = NULL;
}
