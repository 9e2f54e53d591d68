/* Equipment: what a machine has of all that the program can use, and the fix for what it lacks. */
#pragma once

#include <stdbool.h>

enum { TESS_FINDING_SIZE = 256, TESS_MOST_FINDINGS = 32 };

/* One thing that was looked for. */
typedef struct tess_finding {
    const char *name; /* "C compiler" */
    const char *use;  /* what it is for */
    bool essential;   /* without it the main commands fail */
    bool is_there;
    char found[TESS_FINDING_SIZE]; /* version and place, or why it is not there */
    char fix[TESS_FINDING_SIZE];   /* the line to run or what to do; "" where it is there */
} tess_finding;

/* Looks for everything and gives how many findings there are; `lab` is the lab's folder or NULL for
 * the usual one. Starts compilers and interpreters to ask their versions: about a second. */
int tess_machine_look(const char *lab, tess_finding findings[static TESS_MOST_FINDINGS]);
