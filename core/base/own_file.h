/* Files of our own that run beside us: the program itself, its scripts, plug-ins and helpers. */
#pragma once

#include "core/base/status.h"
#include <limits.h>

/* Gives the path of the running program. Fails (IO) where the system does not tell it. */
TESS_MUST_CHECK tess_status tess_own_program(char path[PATH_MAX]);

/* Gives the folder of the running program, "" where the system does not tell it. */
void tess_own_folder(char folder[PATH_MAX]);

/* Gives the folder of what this code is part of: the shared library that a program of others uses,
 * else the running program. */
void tess_own_code_folder(char folder[PATH_MAX]);

/* Fills path with where a file or folder is: what the environment's `variable` names; else
 * `installed` seen from the program's folder ("../lib/x.so") if that is there; else `built`. */
void tess_own_file(const char *variable, const char *installed, const char *built,
                   char path[PATH_MAX]);
