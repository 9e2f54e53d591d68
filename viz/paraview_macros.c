/* Macros: what ParaView's toolbar can do with labs and views once `tess view --install` was run. */
#include "viz/paraview_macros.h"

#include "core/base/array.h"
#include "core/base/folder.h"
#include "core/base/json.h"
#include "core/base/own_file.h"
#include "core/base/whole_file.h"
#include "viz/paraview.h"
#include <stdlib.h>
#include <string.h>

/* A macro has the name of its file and calls a function of tesselab_paraview.py. */
static const struct {
    const char *name, *function;
} macros[] = {{"Tesselab lab", "open_lab"},
              {"Tesselab blocks", "colour"},
              {"Tesselab side by side", "side_by_side"}};

static tess_status macros_folder(char **folder) {
    const char *settings = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (settings && *settings == '/')
        return tess_text_print(folder, "%s/ParaView/Macros", settings);
    if (!home || *home != '/')
        FAIL(TESS_ERROR_MISSING, "HOME names no folder for ParaView's macros");
    return tess_text_print(folder, "%s/.config/ParaView/Macros", home);
}

/* A text as Python takes it, quoted; the caller frees it. */
static char *python_text(const char *text) {
    json_t *value = tess_json_text(text);
    char *quoted = json_dumps(value, JSON_ENCODE_ANY);
    json_decref(value);
    return quoted;
}

static tess_status write_macro(const char *folder, int i, const char *scripts,
                               const char *program) {
    tess_status status = TESS_OK;
    char *path = NULL, *text = NULL;
    char *const quoted[2] = {python_text(scripts), python_text(program)};
    CHECK(tess_text_print(&path, "%s/%s.py", folder, macros[i].name));
    CHECK(tess_text_print(&text,
                          "# Written by tess view --install.\n"
                          "import os\n"
                          "import sys\n"
                          "sys.path.insert(0, %s)\n"
                          "os.environ.setdefault(\"TESS_PROGRAM\", %s)\n"
                          "import tesselab_paraview\n"
                          "tesselab_paraview.run(tesselab_paraview.%s)\n",
                          quoted[0], quoted[1], macros[i].function));
    CHECK(tess_whole_file_write(path, text, strlen(text)));
done:
    free(path);
    free(text);
    free(quoted[0]);
    free(quoted[1]);
    return status;
}

tess_status tess_paraview_install(char **out) {
    tess_status status = TESS_OK;
    char *folder = NULL, *script = NULL, program[PATH_MAX];
    CHECK(tess_own_program(program));
    CHECK(tess_paraview_script("tesselab_paraview.py", &script));
    *strrchr(script, '/') = '\0';
    CHECK(macros_folder(&folder));
    CHECK(tess_folders_make(folder, true));
    for (int i = 0; i < (int)(sizeof macros / sizeof *macros); i++)
        CHECK(write_macro(folder, i, script, program));
    *out = TESS_TAKE(folder);
done:
    free(folder);
    free(script);
    return status;
}
