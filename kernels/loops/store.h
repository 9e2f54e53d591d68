/* A store: the dats of a state in the memory of a device, in the layout and order of a run. */
#pragma once

#include "core/plan/metrics.h"
#include "core/plan/order/renumber.h"
#include "kernels/devices/device.h"
#include "kernels/loops/state.h"

/* AoS or SoA, and the sets and dats that differ: `soa,edges=aos,cells.q=aos`; aos16 is AoS with
 * rows of whole 16 bytes. Maps lie slot by slot, whatever the layout of dats is, but for
 * `maps=aos`. */
typedef struct tess_layouts {
    tess_layout layout;
    bool whole_rows;   /* aos16 */
    bool maps_in_rows; /* the slots of an element lie together */
    int n_others;
    struct {
        char name[2 * TESS_NAME_SIZE]; /* SET, or SET.DAT, which wins */
        tess_layout layout;
        bool whole_rows;
    } others[8];
} tess_layouts;

/* Reads "soa", "aos", "aos16" or "soa,edges=aos,maps=aos,..."; fails (USAGE) by naming the part
 * that is wrong. */
TESS_MUST_CHECK tess_status tess_layouts_parse(const char *text, tess_layouts *out);
/* The layout of the dats of a set that have none of their own; AoS where it is NULL or "", of
 * globals. */
tess_layout tess_layouts_of(const tess_layouts *layouts, const char *set);

/* A dat in a store: value d of element i (of the storage order) lies at
 * i * row + d (AoS) or d * stride + i (SoA). */
typedef struct tess_stored {
    const tess_dat *dat; /* of the state that the store was made from */
    tess_layout layout;
    int row; /* dim, or more where rows are padded */
    int64_t stride;
    int64_t bytes;
    bool left_out; /* nobody needs it on the device */
    bool placed;   /* it has an address */
    tess_address address;
    bool doubled; /* it has a second buffer (a chain's), which may take the place of the first */
    tess_address other;
} tess_stored;

typedef struct tess_store {
    const tess_device *device;
    tess_target *target;
    const tess_state *state;             /* outlives the store */
    const tess_renumbering *renumbering; /* or NULL; outlives the store */
    bool placed;                         /* its dats are on the device */
    bool maps_in_rows;                   /* as the layouts said */
    double copy_seconds;                 /* that values took to the device and back so far */
    int n_stored;
    tess_stored *stored;
} tess_store;

/* Decides how all dats of the state will lie on the device; calls nothing of the target. */
TESS_MUST_CHECK tess_status tess_store_draft(const tess_device *device, tess_target *target,
                                             const tess_state *state,
                                             const tess_renumbering *renumbering,
                                             const tess_layouts *layouts, tess_store **out);
/* Leaves out what a loop has no arg of, before the store is placed: copying it there and back would
 * take longer than the loop. */
void tess_store_leave_out(tess_store *store, const tess_loop *loop);

/* Takes zeroed memory for them: half of placing, for who fills it otherwise. */
TESS_MUST_CHECK tess_status tess_store_take_memory(tess_store *store);

/* Puts them there; a store is placed once. */
TESS_MUST_CHECK tess_status tess_store_place(tess_store *store);

/* Both. */
TESS_MUST_CHECK tess_status tess_store_open(const tess_device *device, tess_target *target,
                                            const tess_state *state,
                                            const tess_renumbering *renumbering,
                                            const tess_layouts *layouts, tess_store **out);
void tess_store_close(tess_store *store);

/* Brings the device's values into `state`, which has the same dats. */
TESS_MUST_CHECK tess_status tess_store_download(tess_store *store, tess_state *state);

/* Compares what the device has with `want`, which has the same dats: as tess_state_compare. */
TESS_MUST_CHECK tess_status tess_store_compare(tess_store *store, const tess_state *want,
                                               tess_difference *out);

/* Gives a placed dat a second buffer, and lets the two change places. */
TESS_MUST_CHECK tess_status tess_store_double(tess_store *store, tess_stored *stored);
void tess_stored_swap(tess_stored *stored);

/* The stored dat of that name and set ("" where global), or NULL. */
const tess_stored *tess_store_find(const tess_store *store, const char *name, const char *set);

/* Where element `e` of a set (index in the mesh) is stored: the set's permutation, or NULL where it
 * keeps its order; [size of set]. */
const int32_t *tess_store_order(const tess_store *store, int set);
/* The other way: which element is stored at a place. */
const int32_t *tess_store_elements(const tess_store *store, int set);

/* Elements from one component to the next in SoA: the set's size rounded up to whole sectors. */
int64_t tess_store_stride(int64_t size);
