/* Files of our own that the program needs at run time: scripts and plug-ins. */
#pragma once

#include <limits.h>

/* Fills path with where a file or folder is: what the environment's `variable` names; else
 * `installed` seen from the program's folder ("../lib/x.so") if that is there; else `built`. */
void tess_own_file(const char *variable, const char *installed, const char *built,
                   char path[PATH_MAX]);
