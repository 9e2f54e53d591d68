/* Parts of a kernel: functions that run one after another on one element and pass values on, so
 * that a strategy may give away what one instance of a part adds before it computes the next. */
#pragma once

#include "kernels/applications/application.h"
#include "kernels/text/text_writer.h"

/* Fails (USAGE) by part and arg where a part takes what no part before it gave, where it adds to an
 * arg that is no increment through all slots of a map or that another part adds to, and where an
 * arg that is written is left to no part. */
TESS_MUST_CHECK tess_status tess_parts_check(const tess_kernel *kernel);

/* How the arrays of a call are named: arg 3 as `arg`3, between 1 as `between`1. */
typedef struct tess_part_words {
    const char *arg, *between;
    const char *instance; /* a C expression; NULL where the part runs once */
} tess_part_words;

/* Prints the call of a part: what it makes is made0, made1 ... */
void tess_part_print_call(tess_text_writer *text, const tess_kernel_part *part,
                          const tess_part_words *words);

/* Prints the arrays of what an instance of a part makes, cleared. */
void tess_part_print_made(tess_text_writer *text, const tess_kernel *kernel,
                          const tess_kernel_part *part);

/* Prints a function of the kernel's args that runs all parts one after another. What is passed on
 * is no number before it is given where `poisoned` is its index, or -1: everything; -2: nothing. */
void tess_parts_print_whole(tess_text_writer *text, const tess_kernel *kernel, const char *function,
                            int poisoned);
