/* A user's name: a word of a description that becomes one of the text. */
#pragma once

#include "core/base/yaml_file.h"
#include <stdbool.h>

/* True of the letters, digits and '_' that a compiler takes. */
bool tess_user_name_takes(char letter);

/* Fails (INPUT) where the name of a "dat", a "matrix", ... has another letter. */
TESS_MUST_CHECK tess_status tess_user_name_check(const tess_yaml *yaml, const tess_yaml_node *node,
                                                 const char *what, const char *name);
