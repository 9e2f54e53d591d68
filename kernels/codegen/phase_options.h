/* Phase options: how strategies that stage values in shared memory split a loop. */
#pragma once

#include "kernels/codegen/page_phases.h"
#include "kernels/codegen/tables.h"

#define TESS_PARTS_OPTIONS                                                                         \
    TESS_CHOICE_OPTION("parts", "fused", "fused|staged|separate",                                  \
                       "whether a block stages all that its elements need, or phase after "        \
                       "phase what one of them needs: within one launch, or "                      \
                       "in one for each, with what they pass on in memory"),                       \
        TESS_CHOICE_OPTION("split", "auto", "auto|parts|outputs|components",                       \
                           "of split parts: the kernel's parts; or the whole function for each "   \
                           "dat that is added to, or for those values that need the same; auto: "  \
                           "parts, and components where the kernel has none"),                     \
        TESS_CHOICE_OPTION("next", "ahead", "ahead|after",                                         \
                           "of parts=staged: whether a phase is staged while the one before it "   \
                           "is computed, in memory of its own, or after it in the same")

/* The ways to run a kernel's parts. */
typedef enum tess_parts_variant {
    TESS_PARTS_TOGETHER,
    TESS_PARTS_PHASES,
    TESS_PARTS_LOOPS
} tess_parts_variant;

/* The way that a checked spec asks for. Fails (USAGE) on options that have no effect with it. */
TESS_MUST_CHECK tess_status tess_parts_way_of(const tess_spec *spec, const tess_option *options,
                                              tess_parts_variant *out);

/* Finds the phases of a page's loop, splits the page, and prints compute_phase and what the texts
 * of split loops need to know: PHASES, PHASES_AHEAD, PHASES_LAUNCHED, PHASE_ADDS, EACH_PHASE(X).
 * The caller clears the phases. */
TESS_MUST_CHECK tess_status tess_parts_split(tess_page *page, const tess_spec *spec,
                                             const tess_option *options, tess_phases *out);
