/* The applications of this build. */
#pragma once

#include "kernels/loops/application.h"

/* The applications of this build, in the order of list.h; NULL past the last. */
const tess_application *tess_application_at(int i);

/* Finds one by name; fails (USAGE) with a suggestion. */
TESS_MUST_CHECK tess_status tess_application_find(const char *name, const tess_application **out);
