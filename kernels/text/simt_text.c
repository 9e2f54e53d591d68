/* The SIMT text: simt.h and what it needs, as texts that the program carries. */
#include "kernels/text/simt_text.h"

#include "kernels/text/embed.h"

TESS_EMBED(tess_simt_text, "kernels/text/simt.h");
TESS_EMBED(tess_simt_emulator_text, "kernels/devices/emulator/simt_emulator.h");
