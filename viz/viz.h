/* In situ: views handed over, step by step, to whoever shows them while the program runs.
 *
 * Three kinds, chosen at run time, get the same arrays: `catalyst2` (the Catalyst 2 C API of any
 * libcatalyst), `paraview` (a plug-in on ParaView's in-situ library) and `hdf` (files). A Catalyst
 * script serves the first two. It finds the names of the channels in TESS_VIZ_CHANNELS, separated
 * by commas, and writes its pictures and extracts below the folder TESS_VIZ_FOLDER. */
#pragma once

#include "viz/view_mesh.h"

/* A field of the application on the cells of a view, in their order. */
typedef struct tess_viz_field {
    const char *name;
    int dim;
    tess_type type;
    const void *values; /* [n_cells][dim] */
} tess_viz_field;

/* What is shown under one name: a partitioner, a strategy, "mesh". All borrowed until the session
 * is closed or the channel is handed over anew; nothing is copied. */
typedef struct tess_viz_channel {
    const char *name; /* one of the setting's channels */
    const tess_view_mesh *view;
    int n_fields;
    const tess_viz_field *fields;
} tess_viz_channel;

typedef struct tess_viz_step {
    int64_t cycle;
    double time;
    int n_channels;
    const tess_viz_channel *channels;
} tess_viz_step;

enum { TESS_VIZ_CHANNEL_LENGTH = 200 };

typedef struct tess_viz_setting {
    int n_scripts;
    const char *const *scripts; /* Catalyst scripts */
    int n_channels;
    const char *const *channels; /* names: up to 200 letters, digits, '_' and '-' */
    const char *folder;          /* where files go; made if it is not there */
    const char *title;           /* what pictures are of; NULL: what their channels are called */
    /* Where this process is one of several of MPI and shows for all: the number, for Fortran, of
     * the communicator of it alone, so that ParaView waits for no others. */
    int64_t communicator;
} tess_viz_setting;

/* One way of showing: a const struct in one file and a line in list.h. */
typedef struct tess_viz_kind {
    const char *name;
    const char *summary;
    bool runs_scripts;
    bool needs_display; /* for scripts that draw */
    /* TESS_OK where this machine can do it; else MISSING and what is missing. */
    tess_status (*probe)(void);
    tess_status (*open)(const tess_viz_setting *setting, void **session);
    tess_status (*execute)(void *session, const tess_viz_step *step);
    tess_status (*close)(void *session); /* frees the session whatever it returns */
} tess_viz_kind;

/* The kinds of this build, in the order in which `auto` tries them; NULL past the last. */
const tess_viz_kind *tess_viz_kind_at(int i);

typedef struct tess_viz tess_viz;

/* Opens the kind called `name`; "auto": the first that this machine can do, those that run scripts
 * only where there are scripts; "off": *out is NULL, which the calls below accept. Fails (INPUT)
 * on a script that cannot be read, (MISSING) where the named kind, or a display for the scripts'
 * pictures, is missing, (USAGE) on an unknown name. */
TESS_MUST_CHECK tess_status tess_viz_open(const char *name, const tess_viz_setting *setting,
                                          tess_viz **out);

/* Which kind was taken and why, a line without its end; "" for NULL. */
const char *tess_viz_reason(const tess_viz *viz);

/* Whether a script is for Catalyst Live, and where a ParaView watches through it now: it may
 * connect, and go, whenever a step is handed over. */
bool tess_viz_is_live(const tess_viz *viz);
bool tess_viz_is_watched(const tess_viz *viz);

/* Hands a step over. Fails (CHECK) by naming the script that did and with what it raised. */
TESS_MUST_CHECK tess_status tess_viz_execute(tess_viz *viz, const tess_viz_step *step);

/* Ends the session and frees it. Fails (CHECK) where a script raises at the end, or where scripts
 * ran but wrote nothing below the folder (but for Catalyst Live, which needs no files). */
TESS_MUST_CHECK tess_status tess_viz_close(tess_viz *viz);
