/* Macros: what ParaView's toolbar can do with labs and views once `tess view --install` was run. */
#pragma once

#include "core/base/status.h"

/* Writes the macros to ParaView's folder of the user, below XDG_CONFIG_HOME, else ~/.config; what
 * an earlier call wrote is replaced. They call our scripts where they are installed or built, and
 * those this program. Gives the folder, which the caller frees. Fails (MISSING) where the scripts
 * or a home are missing, (IO) where the folder cannot be written to. */
TESS_MUST_CHECK tess_status tess_paraview_install(char **folder);
