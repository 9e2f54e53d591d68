/* The kernels that cut: their texts, compiled for a device, and what they take. */
#pragma once

#include "kernels/devices/device.h"
#include "kernels/devices/page_params.h"

enum {
    TESS_CUT_THREADS = 256,
    TESS_CUT_ITEMS = 8, /* of a thread */
    /* of a thread block: what it scans, sorts, divides; bins of a part at most, and elements of a
     * bin that are not counted again */
    TESS_CUT_CHUNK = TESS_CUT_THREADS * TESS_CUT_ITEMS,
    /* elements of a part that it bisects to the end, of a thread and in all */
    TESS_CUT_PART_ITEMS = 12,
    TESS_CUT_PART = TESS_CUT_THREADS * TESS_CUT_PART_ITEMS,
    TESS_CUT_WARPS = TESS_CUT_THREADS / TESS_WARP,
    TESS_CUT_DIGITS = TESS_CUT_THREADS, /* of a pass of the sort: a thread each */
    TESS_CUT_TEAMS = 4 /* of a thread block, at most, each of which bisects a part */
};

/* What kernels find wrong with what was given: a number before, a block, the size of one, a point,
 * how many colours a block needs, how many blocks have a point. */
enum {
    TESS_CUT_WRONG_NUMBER,
    TESS_CUT_WRONG_BLOCK,
    TESS_CUT_LARGE_BLOCK,
    TESS_CUT_WRONG_POINT,
    TESS_CUT_MANY_COLOURS,
    TESS_CUT_MANY_HOLDERS,
    TESS_CUT_FAULTS
};

/* What kernels find as p->NAME: its type here, and there. */
#define TESS_CUT_PARAMS(X)                                                                         \
    X(int64_t, "long long ", n)                                                                    \
    X(int64_t, "long long ", dimension)                                                            \
    X(int64_t, "long long ", block_size)                                                           \
    X(int64_t, "long long ", n_blocks)    /* of elements, in the end */                            \
    X(int64_t, "long long ", n_surveyors) /* thread blocks of the survey */                        \
    X(int64_t, "long long ", bits)        /* of a coordinate along the Hilbert curve, a number */  \
    X(int64_t, "long long ", shift)       /* of the digit by which is sorted */                    \
    X(int64_t, "long long ", n_values)    /* that are scanned */                                   \
    X(int64_t, "long long ", tile)        /* elements of a thread block */                         \
    X(int64_t, "long long ", n_tiles)     /* of all elements that are sorted, or of a part */      \
    X(int64_t, "long long ", level)       /* of the bisection, from 0 */                           \
    X(int64_t, "long long ", in_turns)                                                             \
    X(int64_t, "long long ", n_bins)                                                               \
    X(int64_t, "long long ", round)               /* of sorting by numbers */                      \
    X(tess_address, "const double *", places)     /* [n][dimension] */                             \
    X(tess_address, "unsigned long long *", keys) /* [n], as the next three */                     \
    X(tess_address, "unsigned long long *", keys_out)                                              \
    X(tess_address, "int *", ids)                                                                  \
    X(tess_address, "int *", ids_out)                                                              \
    X(tess_address, "int *", values)  /* of the digits of each tile, or of bins */                 \
    X(tess_address, "int *", sums)    /* of the chunks of values */                                \
    X(tess_address, "int *", windows) /* bisect.cu describes it and the next four */               \
    X(tess_address, "unsigned *", boxes)                                                           \
    X(tess_address, "unsigned *", boxes_out) /* of the next level's parts */                       \
    X(tess_address, "unsigned long long *", extents)                                               \
    X(tess_address, "unsigned long long *", extents_out)                                           \
    X(tess_address, "int *", taken)     /* [parts][3]: places before, inside and behind windows */ \
    X(tess_address, "int *", block_of)  /* [n] */                                                  \
    X(int64_t, "long long ", n_slots)   /* of a plan's set of points (plan_blocks.cu), as below */ \
    X(tess_address, "const int *", map) /* [n][n_slots] */                                         \
    X(tess_address, "int *", offsets)   /* [n_blocks + 1]: where blocks begin */                   \
    X(tess_address, "int *", points)    /* [n][n_slots]: of blocks, with gaps */                   \
    X(tess_address, "int *", points_out)             /* and without */                             \
    X(tess_address, "unsigned short *", local_index) /* [n][n_slots] */                            \
    X(tess_address, "unsigned short *", colours)     /* [n] */                                     \
    X(tess_address, "const int *", position) /* [n]: by which elements of a block are, or NULL */  \
    X(int64_t, "long long ",                                                                       \
      owned_slots) /* of blocks that own points: of what they execute for */                       \
    X(tess_address, "const int *", owned_map) /* [n][owned_slots] */                               \
    X(int64_t, "long long ", n_before) /* of a recut (recut.cu), as below: elements before */      \
    X(int64_t, "long long ", n_blocks_before)                                                      \
    X(int64_t, "long long ", n_touched)    /* blocks that have lost an element */                  \
    X(int64_t, "long long ", n_made)       /* blocks of what is cut anew */                        \
    X(tess_address, "const int *", was)    /* [n]: the number of each before, or -1 */             \
    X(tess_address, "const int *", before) /* [n_before]: the block of each */                     \
    X(tess_address, "unsigned *", now)                                                             \
    X(tess_address, "unsigned *", touched)                                                         \
    X(tess_address, "int *", ranks)                                                                \
    X(tess_address, "int *", touched_list) /* [n_touched] */                                       \
    X(tess_address, "double *", gathered)  /* [chosen][dimension]: their places */                 \
    X(tess_address, "int *", made)         /* [chosen]: the block of each in a cut of its own */   \
    X(tess_address, "const int *", executed_before) /* of a plan's update (replan.cu), as below */ \
    X(tess_address, "const int *", offsets_before)                                                 \
    X(tess_address, "const int *", point_offsets_before)                                           \
    X(tess_address, "const unsigned short *", local_before)                                        \
    X(tess_address, "int *", points_now)                                                           \
    X(tess_address, "int *", same)                                                                 \
    X(tess_address, "int *", kept)                                                                 \
    X(tess_address, "int *", executed_out)                                                         \
    X(tess_address, "int *", offsets_out)                                                          \
    X(int64_t, "long long ",                                                                       \
      n_points) /* of owned ones; of a renumbering (renumber.cu), as below */                      \
    X(tess_address, "const int *", order) /* [n] */                                                \
    X(tess_address, "unsigned *", reached)                                                         \
    X(tess_address, "unsigned *", marks)                                                           \
    X(tess_address, "const int *", numbers) /* [n_points] */                                       \
    X(tess_address, "int *", new_to_old)                                                           \
    X(tess_address, "int *", old_to_new)                                                           \
    X(tess_address, "int *", map_out)  /* [n][n_slots] */                                          \
    X(tess_address, "int *", owners)   /* [n_points] */                                            \
    X(double, "double ", width)        /* of slabs */                                              \
    X(int64_t, "long long ", diagonal) /* along which elements are put into order */               \
    X(double, "double ", scale_x)      /* of places before swaps, along each axis */               \
    X(double, "double ", scale_y)                                                                  \
    X(double, "double ", scale_z)                                                                  \
    X(int64_t, "long long ", group_blocks) /* of swaps (swap.cu), as below */                      \
    X(tess_address, "int *", members)      /* [n_blocks] */                                        \
    X(int64_t, "long long ", in_order) /* of tables (stage_tables.cu), as below: own points are    \
                                          stored one behind the other */                           \
    X(tess_address, "int *", own_offsets)                                                          \
    X(tess_address, "int *", own_ranks)                                                            \
    X(tess_address, "int *", own_points)                                                           \
    X(tess_address, "int *", staged_at)                                                            \
    X(tess_address, "int *", others)                                                               \
    X(tess_address, "int *", n_others)                                                             \
    X(tess_address, "int *", runs)                                                                 \
    X(tess_address, "const int *", elements) /* of entries (entry_tables.cu), as below */          \
    X(tess_address, "int *", rounds)                                                               \
    X(tess_address, "const int *", starts)                                                         \
    X(tess_address, "int *", entry_keys)                                                           \
    X(tess_address, "unsigned *", words)                                                           \
    X(tess_address, "unsigned *", words_out)                                                       \
    X(tess_address, "const int *", exchanged)                                                      \
    X(int64_t, "long long ", incremented) /* slots, a bit each */                                  \
    X(int64_t, "long long ", is_own)      /* the set is that whose points blocks own */            \
    X(int64_t, "long long ", n_words)     /* of an entry */                                        \
    X(int64_t, "long long ", n_joined)    /* of all entries of a point */                          \
    X(int64_t, "long long ", slot_bits)                                                            \
    X(int64_t, "long long ", element_bits)                                                         \
    X(int64_t, "long long ", used)                                                                 \
    X(tess_address, "const int *", fields) /* of banks (spread_banks.cu), as below */              \
    X(int64_t, "long long ", n_fields)                                                             \
    X(int64_t, "long long ", round_bytes)                                                          \
    X(int64_t, "long long ", most_rounds)                                                          \
    X(int64_t, "long long ", n_sweeps)                                                             \
    X(int64_t, "long long ", n_warps)  /* that work at once */                                     \
    X(int64_t, "long long ", n_staged) /* of slots' tables (slot_tables.cu), as below: points */   \
    X(int64_t, "long long ", stride)   /* of words */                                              \
    X(int64_t, "long long ", slot)                                                                 \
    X(int64_t, "long long ", at)                                                                   \
    X(int64_t, "long long ", colour_at)                                                            \
    X(tess_address, "unsigned char *", flags)                                                      \
    X(tess_address, "unsigned char *", flags_out)                                                  \
    X(tess_address, "int *", holders)                                                              \
    X(tess_address, "int *", staged_out)                                                           \
    X(tess_address, "int *", n_first)                                                              \
    X(tess_address, "unsigned *", most)                                                            \
    X(tess_address, "const int *", executed) /* where elements are stored, by position */          \
    X(tess_address, "unsigned *", faults)    /* [TESS_CUT_FAULTS]: 1 of each that was found */

typedef struct tess_cut_params {
    TESS_CUT_PARAMS(TESS_PARAM_MEMBER)
} tess_cut_params;

typedef struct tess_cut_kernels {
    const tess_device *device;
    tess_target *target;
    tess_device_module *module;
    tess_device_module *ends; /* of a page that ends cuts; NULL: the other one does */
    tess_cut_params params;   /* of the next launch */
} tess_cut_kernels;

/* What a page of them is for: to cut; to cut, too, what has changed or is refined; to plan; to make
 * tables; to end a cut by either of the first two, which takes most of what compiling them does. */
enum {
    TESS_CUT_BLOCKS = 1,
    TESS_CUT_ANEW = 2,
    TESS_CUT_PLANS = 4,
    TESS_CUT_TABLES = 8,
    TESS_CUT_ENDS = 16,
    TESS_CUT_ALL = 31
};

/* The page of those for one thing, or for several; the caller frees it. */
TESS_MUST_CHECK tess_status tess_cut_page(unsigned what, char **out);

/* Fills *out with those of these things whose page is not yet compiled for a target; 0 where nobody
 * can tell. */
TESS_MUST_CHECK tess_status tess_cut_uncompiled(const tess_device *device,
                                                const tess_target *target, unsigned what,
                                                unsigned *out);

/* Compiles a page of them for a target, or takes it from the cache. The caller closes them. */
TESS_MUST_CHECK tess_status tess_cut_kernels_open(const tess_device *device, tess_target *target,
                                                  const char *page, tess_cut_kernels *kernels);
/* Adds those of a page that ends cuts. */
TESS_MUST_CHECK tess_status tess_cut_kernels_add_ends(tess_cut_kernels *kernels, const char *page);
void tess_cut_kernels_close(tess_cut_kernels *kernels);

/* The address of an array that came as a pointer into the device's memory. */
static inline tess_address tess_cut_address(const void *pointer) {
    return (tess_address)(uintptr_t)pointer;
}

/* Memory of a device that is taken for a while. */
typedef struct tess_cut_room {
    const tess_cut_kernels *kernels;
    int n;
    tess_address taken[256];
} tess_cut_room;

/* Takes zeroed room for n of a size. */
TESS_MUST_CHECK tess_status tess_cut_take(tess_cut_room *room, const char *name, int64_t n,
                                          size_t size, tess_address *out);
void tess_cut_room_close(tess_cut_room *room);

/* As tess_cut_take, and copies n of a size there from the host's memory (NULL: does not); `to`
 * becomes the pointer. And back. */
TESS_MUST_CHECK tess_status tess_cut_send(tess_cut_room *room, const char *name, const void *from,
                                          int64_t n, size_t size, void *to);
TESS_MUST_CHECK tess_status tess_cut_bring(const tess_cut_kernels *kernels, void *to,
                                           const void *from, int64_t n, size_t size);

/* Takes an array out of a room: it is the caller's to free. */
void tess_cut_keep(tess_cut_room *room, tess_address address);

/* Launches one with the parameters as they are, and the shared memory that it needs. */
TESS_MUST_CHECK tess_status tess_cut_launch(const tess_cut_kernels *kernels, const char *name,
                                            int64_t n_blocks);
