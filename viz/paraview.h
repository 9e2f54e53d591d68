/* ParaView as a program: its Python runs our scripts, its window opens our files. */
#ifndef TESS_PARAVIEW_H
#define TESS_PARAVIEW_H

#include "core/status.h"

/* The folder of our ParaView scripts: TESS_SCRIPTS of the environment, else that of the sources. */
const char *tess_paraview_scripts(void);

/* Runs viz/scripts/`script` with `arguments` (NULL-terminated) in pvpython, on a display, and
 * waits. Fails (MISSING) with the line that installs it where ParaView or a display is missing,
 * else with what the script printed last. */
TESS_MUST_CHECK tess_status tess_paraview_run(const char *script, const char *const *arguments);

/* Becomes ParaView with `script` run at its start, as if it had been run from the menu, with
 * TESS_VIEW_FILES and TESS_VIEW_OPTIONS in the environment. Returns only when that fails. */
TESS_MUST_CHECK tess_status tess_paraview_become(const char *script);

#endif
