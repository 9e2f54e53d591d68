/* A choice of chains: which loops of a step are executed as one, as --chains says. */
#pragma once

#include "kernels/codegen/chain_page.h"
#include "kernels/loops/kernel.h"

/* Gives the next loop that a list of chains names, as "a+b:elements=once,c+d"; false: none is left.
 * *rest is the list at first. */
bool tess_chains_next(const char **rest, char name[static TESS_NAME_SIZE]);

typedef struct tess_chain_choice {
    const tess_chain_step *step;
    const tess_kernel *const *kernels; /* [step->n] */
    int *length; /* [step->n]: 1 at first, and then how many loops the chain has that begins there;
                    0: within a chain */
    tess_chain_elements *elements; /* [step->n]: of the chain that begins there */
} tess_chain_choice;

/* Chooses as `text` says, which tess_chained_step_new documents; NULL: none. Fails (USAGE) where it
 * names a loop that the step lacks, or loops that do not follow each other. */
TESS_MUST_CHECK tess_status tess_chain_choice_make(const tess_chain_choice *choice,
                                                   const char *text);
