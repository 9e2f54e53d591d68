/* To emit: to write a loop as source that a person owns: its kernel as it would be compiled here,
 * the file of its plan, and a program that checks itself. */
#pragma once

#include "kernels/run/trial.h"

typedef struct tess_emit_setting {
    const char *folder;   /* made where it is missing */
    const char *language; /* one of TESS_EMIT_LANGUAGES */
    const char *command;  /* as typed, for the sources' first lines */
    const char *typed_in; /* the folder that its paths begin in; NULL: the current one */
} tess_emit_setting;

/* What the sources say of the experiment. */
typedef struct tess_emit_words {
    const char *application; /* the name of what the loop is of */
    const char *settings;    /* lines {"name", "text"}, of C; but for the mesh */
} tess_emit_words;

/* The languages, as a list for people. */
#define TESS_EMIT_LANGUAGES "cuda|hip|c|kokkos"

/* Fails (USAGE) where there is no such language. */
TESS_MUST_CHECK tess_status tess_emit_check(const char *language);

/* Writes the folder, and fills the name that files in it begin with. `trial` and `loop` say what is
 * executed and how, as for tess_trial_draft; the loop's `want` is not looked at. Fails (USAGE)
 * where the strategy does not fit the loop or the language lacks what it needs. */
TESS_MUST_CHECK tess_status tess_emit(const tess_emit_setting *setting,
                                      const tess_emit_words *words, const tess_trial_setting *trial,
                                      const tess_trial_loop *loop,
                                      char name[static TESS_NAME_SIZE]);
