/* Launch options: what every strategy on GPUs takes behind its own options, of how its kernels are
 * compiled and launched.
 *
 * A new one is a line of TESS_LAUNCH_OPTIONS and its use, in launch_options.c or wherever a page
 * is at hand: tess_spec_is(page->spec, page->options, "hint", "streaming"). Specs, records, recipes
 * and help have it then. */
#pragma once

#include "kernels/codegen/page.h"

/* Ends the options of a strategy, whose default of `registers` it takes. */
#define TESS_LAUNCH_OPTIONS(registers)                                                             \
    TESS_INT_OPTION("registers", registers, -1, 255,                                               \
                    "most registers of a thread; 0: as many as the compiler likes, -1: 64, or 40 " \
                    "where all is float, unless an element has more values than fit there; of a "  \
                    "chain as many as the compiler likes, or up to a sixth fewer where more "      \
                    "blocks run at a time by that"),                                               \
        TESS_INT_OPTION("carveout", "0", 0, 100,                                                   \
                        "percent of a multiprocessor's memory that is shared, of the most that "   \
                        "it can be; the rest is L1. The driver takes the next that it has and "    \
                        "that one block fits in; 0: it chooses"),                                  \
        TESS_OPTION(.key = NULL)

/* What `tess tune` tries of them with every variant of a strategy on GPUs, say "hint=streaming",
 * ended by NULL. */
#define TESS_LAUNCH_OPTIONS_TUNED NULL

/* Prints LEAST_BLOCKS for __launch_bounds__: so many on a multiprocessor, of 65536 registers, leave
 * a thread no more than it may have; 1 where it may have any (0 or less). */
void tess_least_blocks_print(tess_text_writer *text, int64_t registers, int threads);

/* Prints a page's text with another LEAST_BLOCKS. */
void tess_least_blocks_change(const char *text, int64_t registers, int threads,
                              tess_text_writer *out);

/* Does what the options say once a page has all its launches. Prints LEAST_BLOCKS. */
void tess_launch_options_apply(tess_page *page);
