/* What the options of pictures take, checked before anything is drawn. */
#pragma once

#include "core/base/status.h"

/* Fails (USAGE) on a value that ParaView's scripts would refuse later; `value` NULL: none. */
TESS_MUST_CHECK tess_status tess_picture_option_check(const char *option, const char *value);
