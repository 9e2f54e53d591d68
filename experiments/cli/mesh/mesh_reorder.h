/* tess mesh reorder: a mesh in the order of its blocks. */
#pragma once

#include "experiments/cli/command.h"

extern const tess_command tess_mesh_reorder;
