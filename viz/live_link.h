/* A live link: the connection of this process to a ParaView that watches (Catalyst Live). */
#pragma once

#include <stdbool.h>

/* Where scripts look for ParaView: TESS_VIZ_LIVE, else localhost:22222. */
const char *tess_live_link_address(void);

/* True while some socket of this process is connected to the port of that address: ParaView has
 * answered. ParaView's own libraries do not tell. */
bool tess_live_link_is_up(void);
