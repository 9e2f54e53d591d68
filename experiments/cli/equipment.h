/* Equipment: what a machine has of all that the program can use, and the fix for what it lacks. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>

enum { TESS_FINDING_SIZE = 256 };

/* One thing that was looked for. */
typedef struct tess_finding {
    const char *name; /* "C compiler" */
    const char *use;  /* what it is for */
    bool essential;   /* without it the main commands fail */
    bool is_there;
    char found[TESS_FINDING_SIZE]; /* version and place, or why it is not there */
    char fix[TESS_FINDING_SIZE];   /* the line to run or what to do; "" where it is there */
} tess_finding;

/* Looks for everything; `lab` is the lab's folder or NULL for the usual one. Gives *n findings that
 * the caller frees. Starts compilers and interpreters to ask their versions: about a second. */
TESS_MUST_CHECK tess_status tess_machine_look(const char *lab, tess_finding **out, int *n);
