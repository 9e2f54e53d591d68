/* tess mesh reorder: a mesh in another order. */
#pragma once

#include "experiments/cli/command.h"

extern const tess_command tess_mesh_reorder;
