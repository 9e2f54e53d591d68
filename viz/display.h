/* A display to render on: the X server that DISPLAY names, or an Xvfb of our own.
 *
 * ParaView ends the process when it renders without one, so whoever renders opens this first. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>

typedef struct tess_display tess_display;

/* Finds the display of the environment or starts an Xvfb and names it in DISPLAY until it is
 * closed. Fails (MISSING) with the line that installs Xvfb. Not for several threads at once: it
 * changes the environment. */
TESS_MUST_CHECK tess_status tess_display_open(tess_display **out);
/* Whether DISPLAY names an X server that answers. */
bool tess_display_is_there(void);

void tess_display_close(tess_display *display);
