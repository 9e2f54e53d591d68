/* Embedding of the texts that the program compiles at run time, and of the numbers it comes with.
 */
#pragma once

#include "core/base/embed_file.h"

/* core/base/embed_file.h's, with `path` relative to the repository. CMake makes the object depend
 * on the texts. */
#define TESS_EMBED(name, path) TESS_EMBED_FILE(name, TESS_SOURCE_DIR "/" path)
