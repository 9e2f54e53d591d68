/* Embedding of the texts in kernels/ that the program compiles at run time. */
#pragma once

#include "core/base/embed_file.h"

/* core/base/embed_file.h's, with `path` relative to kernels/. CMake makes the object depend on the
 * texts. */
#define TESS_EMBED(name, path) TESS_EMBED_FILE(name, TESS_KERNELS_DIR "/" path)
