/* A trial of parts: their arrays between guards, printed. */
#pragma once

#include "kernels/devices/text_writer.h"
#include "kernels/loops/application.h"

enum { TESS_NOTHING_POISONED = -2 };

/* How parts are tried: their arrays lie between guards. */
typedef struct tess_parts_trial {
    int poisoned;   /* the value of `between` that is no number before it is given; -1: every one,
                     * TESS_NOTHING_POISONED: none */
    bool backwards; /* a part's last instance runs first */
    bool strays; /* what is added is no number where a part writes into a guard or what it takes: */
    const tess_kernel_part *of; /* this one alone; NULL: any */
    int array;                  /* of those that it gives or makes, then of those that it takes */
} tess_parts_trial;

/* How many arrays a part gives, or makes where it adds, and how many values the k-th of them has.
 */
int tess_part_n_arrays(const tess_kernel_part *part);
int tess_part_array_dim(const tess_kernel *kernel, const tess_kernel_part *part, int k);

/* Prints the array of what is passed on, between guards. */
void tess_trial_print_between(tess_text_writer *text, const tess_kernel *kernel, int between,
                              const tess_parts_trial *trial);

/* Prints the arrays of what an instance of a part makes, cleared, between guards. */
void tess_trial_print_made(tess_text_writer *text, const tess_kernel *kernel,
                           const tess_kernel_part *part, const tess_parts_trial *trial);

/* Prints, before a part's call, copies of what it takes of `between`. */
void tess_trial_print_copies(tess_text_writer *text, const tess_kernel *kernel,
                             const tess_kernel_part *part, const tess_parts_trial *trial);

/* Prints, behind a part's call, the check of what it takes, and of the guards around what it gives
 * or makes; the args' own arrays have those of a probe. */
void tess_trial_print_check(tess_text_writer *text, const tess_kernel *kernel,
                            const tess_kernel_part *part, const tess_parts_trial *trial);
