/* A given order: permutations of a mesh's sets that a file states. */
#pragma once

#include "core/plan/order/renumber.h"

/* Behind the name of a set: the array of its permutation. */
#define TESS_NEW_TO_OLD ".new_to_old"

/* Reads the SET.new_to_old of a file of text. Fails (INPUT) where a set is not the mesh's, has
 * another size there, or what is given is no permutation. */
TESS_MUST_CHECK tess_status tess_given_order_read(const char *path, const tess_mesh *mesh,
                                                  tess_renumbering **out);
