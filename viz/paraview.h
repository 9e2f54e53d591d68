/* ParaView as a program: its Python runs our scripts, its window opens our files. */
#pragma once

#include "core/base/status.h"

/* The path of one of our scripts, which the caller frees: in the folder that TESS_SCRIPTS names,
 * else where they are installed or built. Fails (MISSING) where it cannot be read. */
TESS_MUST_CHECK tess_status tess_paraview_script(const char *script, char **out);

/* Runs one of our scripts with `arguments` (NULL-terminated) in pvpython, on a display, and waits.
 * Fails (MISSING) with the line that installs it where ParaView or a display is missing, else with
 * what the script printed last. */
TESS_MUST_CHECK tess_status tess_paraview_run(const char *script, const char *const *arguments);

/* Becomes ParaView with `script` run at its start, as if it had been run from the menu, with
 * TESS_VIEW_FILES and TESS_VIEW_OPTIONS in the environment. Returns only when that fails. */
TESS_MUST_CHECK tess_status tess_paraview_become(const char *script);

/* Fails before anything is rendered where a picture cannot be written: (USAGE) on a name that does
 * not end with .png, (IO) on a folder that cannot be written to, or on what is no file. */
TESS_MUST_CHECK tess_status tess_paraview_check_picture(const char *path);

/* Likewise for a film, which is .ogv or .avi. */
TESS_MUST_CHECK tess_status tess_paraview_check_film(const char *path);
