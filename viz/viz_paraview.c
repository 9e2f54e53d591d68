/* In situ through ParaView's own library: a plug-in that is opened only when it is asked for. */
#include "core/base/array.h"
#include "core/base/own_file.h"
#include "viz/paraview_insitu.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static const char how_to_install[] =
    "Debian: apt-get install --no-install-recommends paraview-dev python3-paraview xvfb xauth, "
    "then build again";

typedef struct session {
    tess_paraview_open_function *open;
    tess_paraview_execute_function *execute;
    tess_paraview_close_function *close;
} session;

static void plugin_path(char path[PATH_MAX]) {
    tess_own_file("TESS_PARAVIEW_PLUGIN", "../lib/tess_paraview.so", TESS_PLUGIN_PATH, path);
}

static tess_status probe(void) {
    char path[PATH_MAX];
    plugin_path(path);
    if (access(path, R_OK) != 0)
        FAIL(TESS_ERROR_MISSING, "the plug-in %s is not built: %s", path, how_to_install);
    return TESS_OK;
}

/* Python's own modules look for ParaView's symbols: RTLD_GLOBAL. The plug-in stays open: neither
 * ParaView nor Python can be unloaded. */
static tess_status load(session *s) {
    TRY(probe());
    char path[PATH_MAX];
    plugin_path(path);
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        FAIL(TESS_ERROR_MISSING, "the plug-in does not open: %s (%s)", dlerror(), how_to_install);
    *(void **)&s->open = dlsym(library, "tess_paraview_insitu_open");
    *(void **)&s->execute = dlsym(library, "tess_paraview_insitu_execute");
    *(void **)&s->close = dlsym(library, "tess_paraview_insitu_close");
    if (!s->open || !s->execute || !s->close)
        FAIL(TESS_ERROR_MISSING, "%s is not the plug-in of this program", path);
    return TESS_OK;
}

static tess_status open_session(const tess_viz_setting *setting, void **out) {
    tess_status status = TESS_OK;
    session *s = NULL;
    char message[1024] = "";
    CHECK(TESS_ZEROS(1, &s));
    CHECK(load(s));
    if (s->open(setting, message, sizeof message))
        CHECK(tess_fail(TESS_ERROR_CHECK, "%s", message));
    *out = TESS_TAKE(s);
done:
    free(s);
    return status;
}

static tess_status execute(void *state, const tess_viz_step *step) {
    session *s = state;
    char message[1024] = "";
    if (s->execute(step, message, sizeof message))
        FAIL(TESS_ERROR_CHECK, "%s", message);
    return TESS_OK;
}

static tess_status close_session(void *state) {
    session *s = state;
    char message[1024] = "";
    const int failed = s->close(message, sizeof message);
    free(s);
    if (failed)
        FAIL(TESS_ERROR_CHECK, "%s", message);
    return TESS_OK;
}

const tess_viz_kind tess_viz_paraview = {
    .name = "paraview",
    .summary = "ParaView's in-situ library, as Debian ships it",
    .runs_scripts = true,
    .needs_display = true,
    .probe = probe,
    .open = open_session,
    .execute = execute,
    .close = close_session,
};
