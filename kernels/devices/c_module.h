/* A C module: a text compiled by the system's C compiler into a shared object, kept on disk by its
 * content, and loaded. */
#pragma once

#include "core/base/status.h"

typedef struct tess_c_module tess_c_module;

/* Compiles `text` (C) with the compiler that CC names, else cc, and `flags` (separated by single
 * spaces) besides those for a shared object, unless the cache has that very text, flags and
 * compiler; loads it. Fails (INPUT) with the compiler's first errors, (MISSING) without a compiler.
 * The cache is tess_cache_directory("modules"). */
TESS_MUST_CHECK tess_status tess_c_module_open(const char *text, const char *flags,
                                               tess_c_module **out);
void tess_c_module_close(tess_c_module *module);

/* A function of the module; fails (INTERNAL) where it has none of that name. */
TESS_MUST_CHECK tess_status tess_c_module_function(const tess_c_module *module, const char *name,
                                                   void (**out)(void));
