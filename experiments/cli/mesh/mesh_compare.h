/* tess mesh compare: whether files of different formats hold the same mesh. */
#pragma once

#include "experiments/cli/command.h"

extern const tess_command tess_mesh_compare;
