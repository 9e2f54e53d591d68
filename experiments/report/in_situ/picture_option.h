/* What the options of pictures take, checked before anything is drawn. */
#pragma once

#include "core/mesh/mesh.h"

/* Fails (USAGE) on a value that ParaView's scripts would refuse later; `value` NULL: none. */
TESS_MUST_CHECK tess_status tess_picture_option_check(const char *option, const char *value);

/* Fails (USAGE) where pictures of the mesh have no use for an option that passed the check: a
 * window on a solid, a cut of a plane. */
TESS_MUST_CHECK tess_status tess_picture_option_suits(const char *option, const char *value,
                                                      const tess_mesh *mesh);
