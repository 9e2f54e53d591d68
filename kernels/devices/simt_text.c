/* The SIMT text: simt.h and what it needs, as texts that the program carries. */
#include "kernels/devices/simt_text.h"

#include "kernels/devices/embed.h"

TESS_EMBED(tess_simt_text, "kernels/devices/simt.h");
TESS_EMBED(tess_simt_emulator_text, "kernels/devices/emulator/simt_emulator.h");
