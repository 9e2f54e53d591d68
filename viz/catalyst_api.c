/* The Catalyst 2 C API and the part of Conduit's that it needs, opened at run time. */
#include "viz/catalyst_api.h"

#include <dlfcn.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    size_t position; /* of the pointer in tess_catalyst */
} functions[] = {
    {"catalyst_initialize", offsetof(tess_catalyst, initialize)},
    {"catalyst_execute", offsetof(tess_catalyst, execute)},
    {"catalyst_finalize", offsetof(tess_catalyst, finalize)},
    {"conduit_node_create", offsetof(tess_catalyst, create)},
    {"conduit_node_destroy", offsetof(tess_catalyst, destroy)},
    {"conduit_node_set_path_char8_str", offsetof(tess_catalyst, set_text)},
    {"conduit_node_set_path_int32", offsetof(tess_catalyst, set_int32)},
    {"conduit_node_set_path_int64", offsetof(tess_catalyst, set_int64)},
    {"conduit_node_set_path_float64", offsetof(tess_catalyst, set_float64)},
    {"conduit_node_set_path_external_uint8_ptr_detailed", offsetof(tess_catalyst, set_uint8s)},
    {"conduit_node_set_path_external_int32_ptr_detailed", offsetof(tess_catalyst, set_int32s)},
    {"conduit_node_set_path_external_int64_ptr_detailed", offsetof(tess_catalyst, set_int64s)},
    {"conduit_node_set_path_external_float32_ptr_detailed", offsetof(tess_catalyst, set_float32s)},
    {"conduit_node_set_path_external_float64_ptr_detailed", offsetof(tess_catalyst, set_float64s)},
};

static const char *const names[] = {"libcatalyst.so.3", "libcatalyst.so.2", "libcatalyst.so"};
enum { N_NAMES = sizeof names / sizeof names[0] };

/* Implementations are plug-ins that look for libcatalyst's functions: RTLD_GLOBAL. */
static void *open_named(const char *name) {
    return dlopen(name, RTLD_NOW | RTLD_GLOBAL);
}

/* A library that is there but does not open, for want of another say, tells more than those that
 * are not there. */
static tess_status open_any(void **library) {
    char words[512] = "";
    for (int i = 0; i < N_NAMES; i++) {
        if ((*library = open_named(names[i])))
            return TESS_OK;
        const char *why = dlerror();
        if (why && strncmp(why, names[i], strlen(names[i])) != 0)
            snprintf(words, sizeof words, "%s does not open: %s", names[i], why);
    }
    FAIL(TESS_ERROR_MISSING, "%s; LD_LIBRARY_PATH or TESS_CATALYST names libcatalyst",
         words[0] ? words : "there is no libcatalyst.so.3, libcatalyst.so.2 or libcatalyst.so");
}

static tess_status open_library(void **library, const char **name) {
    const char *given = getenv("TESS_CATALYST");
    *name = given && *given ? given : "libcatalyst";
    if (!given || !*given)
        return open_any(library);
    *library = open_named(given);
    if (!*library)
        FAIL(TESS_ERROR_MISSING, "the libcatalyst that TESS_CATALYST names does not open: %s",
             dlerror());
    return TESS_OK;
}

static void *find(void *library, const char *name) {
    char prefixed[128];
    snprintf(prefixed, sizeof prefixed, "catalyst_%s", name);
    void *found = dlsym(library, prefixed);
    return found ? found : dlsym(library, name);
}

/* Whether "0.8.5" or later; true where the version is not told. */
static bool knows_pyramids(const tess_catalyst *catalyst) {
    void (*about)(conduit_node *) = NULL;
    char *(*text)(conduit_node *, const char *) = NULL;
    *(void **)&about = find(catalyst->library, "conduit_about");
    *(void **)&text = find(catalyst->library, "conduit_node_fetch_path_as_char8_str");
    if (!about || !text)
        return true;
    conduit_node *node = catalyst->create();
    about(node);
    int major = 0, minor = 0, patch = 0;
    const char *version = text(node, "version");
    const bool told = version && sscanf(version, "%d.%d.%d", &major, &minor, &patch) == 3;
    catalyst->destroy(node);
    return !told || 1000000 * major + 1000 * minor + patch >= 8005;
}

tess_status tess_catalyst_open(tess_catalyst *out) {
    tess_catalyst catalyst = {.library = NULL};
    const char *name = NULL;
    TRY(open_library(&catalyst.library, &name));
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = find(catalyst.library, functions[i].name);
        if (!function) {
            tess_catalyst_close(&catalyst);
            FAIL(TESS_ERROR_MISSING, "%s lacks %s: it is no Catalyst 2", name, functions[i].name);
        }
        memcpy((char *)&catalyst + functions[i].position, &function, sizeof function);
    }
    catalyst.knows_pyramids = knows_pyramids(&catalyst);
    *out = catalyst;
    return TESS_OK;
}

const char *tess_catalyst_implementation(void) {
    const char *given = getenv("CATALYST_IMPLEMENTATION_NAME");
    return given && *given ? given : "paraview";
}

static bool is_in(const char *folder, int length) {
    char path[PATH_MAX];
    const int n = snprintf(path, sizeof path, "%.*s/libcatalyst-%s.so", length, folder,
                           tess_catalyst_implementation());
    return n < PATH_MAX && access(path, R_OK) == 0;
}

/* Fills the folder `catalyst` beside libcatalyst, "" where that is unknown. */
static void default_folder(const tess_catalyst *catalyst, char folder[PATH_MAX]) {
    Dl_info library;
    folder[0] = '\0';
    if (!dladdr(*(void *const *)&catalyst->initialize, &library) || !library.dli_fname)
        return;
    const char *slash = strrchr(library.dli_fname, '/');
    const int length = slash ? (int)(slash - library.dli_fname) : 0;
    if (snprintf(folder, PATH_MAX, "%.*s%scatalyst", length, library.dli_fname, slash ? "/" : "") >=
        PATH_MAX)
        folder[0] = '\0';
}

tess_status tess_catalyst_find_implementation(const tess_catalyst *catalyst) {
    const char *given = getenv("CATALYST_IMPLEMENTATION_PATHS");
    for (const char *folder = given; folder && *folder;) {
        const int length = (int)strcspn(folder, ":");
        if (length && is_in(folder, length))
            return TESS_OK;
        folder += length + (folder[length] == ':');
    }
    char beside[PATH_MAX];
    default_folder(catalyst, beside);
    if (is_in(beside, (int)strlen(beside)))
        return TESS_OK;
    FAIL(TESS_ERROR_MISSING,
         "there is no libcatalyst-%s.so in %s, nor in %s: CATALYST_IMPLEMENTATION_PATHS names the "
         "folder of ParaView's implementation",
         tess_catalyst_implementation(),
         given && *given ? given : "CATALYST_IMPLEMENTATION_PATHS (not set)", beside);
}

void tess_catalyst_close(tess_catalyst *catalyst) {
    if (catalyst->library)
        dlclose(catalyst->library);
    catalyst->library = NULL;
}
