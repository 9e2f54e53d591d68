/* The SIMT text: simt.h and what it needs, as texts that the program carries. */
#pragma once

extern const char tess_simt_text[];          /* simt.h */
extern const char tess_simt_emulator_text[]; /* devices/emulator/simt_emulator.h */
