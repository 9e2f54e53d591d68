/* Tesselab: meshes, loops, blocks, plans and runs, for programs in C and C++.
 *
 *   find_package(tesselab 0.3 REQUIRED)
 *   target_link_libraries(program PRIVATE tesselab::tesselab)
 *
 * There are two ways to work. By hand: open or build a mesh, bind a loop to it, cut the loop into
 * blocks, build the plan, prove it, ask for its metrics. Or whole: state an experiment by its
 * settings, as the program `tess` takes them, run it, and find the run again in a lab.
 *
 * Errors. A function that can fail gives a status; the words, which say what is wrong and what to
 * do, are in tess_message(). Any such function may fail with TESS_ERROR_MEMORY. Where it fails it
 * gives nothing through `out`. The library neither prints nor exits.
 * Ownership. What comes through a last `out` is the caller's, who frees it by the function named
 * after it; these accept NULL. All other pointers are borrowed: they stay valid until the object
 * that they were asked of is changed or freed.
 * Indices are int32_t and begin at 0, counts of elements are int64_t. `[n][m]` is the shape of an
 * array, the last index fastest.
 * Threads. Objects may be read by many threads and changed by one. Messages are kept by thread.
 *
 * Only what stands here is exported; the names here stay until version 1.0. */
#ifndef TESSELAB_H
#define TESSELAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tess_mesh tess_mesh;             /* sets, maps between them, dats, coordinates */
typedef struct tess_loop tess_loop;             /* what is done to each element of a set */
typedef struct tess_bound_loop tess_bound_loop; /* a loop on a mesh */
typedef struct tess_partition tess_partition;   /* the block of each element */
typedef struct tess_plan tess_plan;             /* a partition made executable */
typedef struct tess_renumbering tess_renumbering;
typedef struct tess_metrics tess_metrics;       /* numbers of a plan, by name */
typedef struct tess_experiment tess_experiment; /* the settings of a run */
typedef struct tess_run tess_run;               /* what came of an experiment */
typedef struct tess_lab tess_lab;               /* an archive of meshes, plans and runs, a folder */
typedef struct tess_record tess_record;         /* what a run left in a lab */
typedef struct tess_scatter tess_scatter;       /* values reduced at the points of a map */
typedef struct tess_array_loop tess_array_loop; /* a kernel of yours on arrays of yours */

#ifndef TESS_INSIDE /* the library itself has these from its own headers; a test compares them */

#define TESS_MUST_CHECK __attribute__((warn_unused_result))

enum { TESS_NAME_SIZE = 48 }; /* bytes of the name of a set, map or dat with its closing zero */
enum { TESS_RUN_ID_SIZE = 27 };
enum { TESS_NO_POINT = 0xffff };

typedef enum tess_status {
    TESS_OK,
    TESS_ERROR_CHECK,      /* a proof, comparison or run failed */
    TESS_ERROR_IO,         /* reading or writing failed */
    TESS_ERROR_MEMORY,     /* out of memory */
    TESS_ERROR_INTERNAL,   /* a defect of tesselab */
    TESS_ERROR_USAGE,      /* wrong usage */
    TESS_ERROR_INPUT,      /* bad input */
    TESS_ERROR_MISSING,    /* something is missing on this machine, or in this build */
    TESS_ERROR_INTERRUPTED /* interrupted */
} tess_status;

typedef enum tess_type { TESS_INT32, TESS_FLOAT, TESS_DOUBLE } tess_type;

typedef enum tess_access { TESS_READ, TESS_WRITE, TESS_RW, TESS_INC } tess_access;

/* An arg of a loop: a dat, direct or through a map from the loop's set. */
typedef struct tess_arg {
    char dat[TESS_NAME_SIZE]; /* name of the dat */
    char set[TESS_NAME_SIZE]; /* the set it is on */
    char map[TESS_NAME_SIZE]; /* "edges:cells", or "" where the arg is direct */
    int slot;                 /* of the map, -1 for all its slots; 0 where direct */
    int dim;                  /* values of the dat at an element, 1 to 4096 */
    tess_type type;
    tess_access access;
    bool is_part; /* some of the values that an element has in the dat, not all */
    bool cleared; /* of rw: zero behind the loop, whatever it was */
} tess_arg;

/* Elements inside a block: by id; by thread colour, then id; or by the line of 16 points in which
 * their first point lies, then by their second one, so that threads side by side read few lines. */
typedef enum tess_thread_order {
    TESS_ORDER_ELEMENT,
    TESS_ORDER_COLOUR,
    TESS_ORDER_LINES
} tess_thread_order;

/* Nearest the lower bound; fewest choices left first; first fit in order, as OP2 does; threads
 * smallest last and blocks the least used colour, as Sulyok et al. 2019. */
typedef enum tess_colouring {
    TESS_COLOUR_FEWEST,
    TESS_COLOUR_DSATUR,
    TESS_COLOUR_GREEDY,
    TESS_COLOUR_SULYOK
} tess_colouring;

typedef struct tess_plan_options {
    tess_thread_order thread_order;
    tess_colouring thread_colouring;
    bool by_number; /* where the least used colour is taken: blocks in the order of their numbers,
                       not of their first elements */
    const int32_t *position; /* [n_elements]: the order of the elements of a block, in which colours
                             are given, too; NULL: by their ids */
} tess_plan_options;

/* Arrays of structures, structures of arrays. */
typedef enum tess_layout { TESS_AOS, TESS_SOA } tess_layout;

/* A loop is cut into blocks (`tess partition`), or executed (`tess run`); or another program is
 * timed, which only recipes do (`tess sweep`). */
typedef enum tess_experiment_kind {
    TESS_CUTTING,
    TESS_RUNNING,
    TESS_TIMING,
    TESS_N_KINDS
} tess_experiment_kind;

/* The loop of an experiment as source, as `tess emit` writes it. */
typedef struct tess_emit_setting {
    const char *folder;   /* made where it is missing */
    const char *language; /* "cuda", "hip", "kokkos" or "c" */
    const char *command;  /* what the sources say that they come from */
    const char *typed_in; /* the folder that its paths begin in; NULL: the current one */
} tess_emit_setting;

/* How an experiment is made. All zeros will do: nothing is archived then. */
typedef struct tess_bench_options {
    int argc;              /* of the program, for the record's provenance; 0: not told */
    char *const *argv;     /* [argc] */
    tess_lab *lab;         /* NULL: nothing is archived */
    int64_t most_cells;    /* of a mesh with more a part is opened; 0: all of it */
    bool files_beside;     /* a large mesh is stored, and the reference made, beside */
    bool fresh;            /* partitions of earlier runs in the lab are not taken */
    bool view;             /* a file for ParaView is written to the lab with each plan */
    bool shown;            /* what views need is derived from the mesh */
    bool unexecuted;       /* loops are planned, but neither proved nor run: for predictions */
    bool times_alone;      /* no metrics are counted, nor copies timed: nobody asks for them */
    const char *keep_text; /* a folder for generated source; NULL: it is not kept */
    tess_mesh *mesh;       /* in place of the one that the experiment names, which may be any word;
                              maps are derived into it; NULL */
    const tess_emit_setting *emit; /* the loop is written as source, not run; NULL */
} tess_bench_options;

/* Where elements lie, in the memory of a device. */
typedef struct tess_device_places {
    const char *device; /* "cuda", "cuda:1"; of "emulator" the memory is the host's */
    int64_t n;
    int dimension;             /* 1 to 3 */
    const double *coordinates; /* [n][dimension], finite */
    int n_slots;
    /* [n][n_slots]: what each reaches, once, below 0: nothing; NULL: not told. */
    const int32_t *map;
} tess_device_places;

/* The blocks that elements were in before, in the same memory. */
typedef struct tess_device_blocks {
    int64_t n;               /* elements before */
    int32_t n_blocks;        /* their blocks */
    const int32_t *block_of; /* [n], from 0 */
    const int32_t *was; /* of each element now the number that it had before; -1: it is cut anew */
} tess_device_blocks;

/* The points of a set that elements reach, and those of each block, in the memory of a device. */
typedef struct tess_device_points {
    int n_slots;
    const int32_t *map;    /* [n][n_slots]; below 0: none */
    int32_t *point_offset; /* [n_blocks + 1] into points */
    int32_t *points;       /* room for [n][n_slots]: distinct points of each block, ascending */
    uint16_t *local_index; /* [n][n_slots]: as of tess_plan_local_index */
    int64_t n_points;      /* of the set; read where `owner` or `block_colour` is asked */
    int32_t *owner;        /* [n_points]: the first block that has each, or -1; NULL: not asked */
    /* Room for [n], or NULL: not asked. Elements of a block that share a point get different
     * colours, each the least that is free, in their order. */
    uint16_t *thread_colour;
    int32_t *block_colour; /* likewise [n_blocks]: of blocks that share a point */
} tess_device_points;

/* A set whose elements get new numbers. */
typedef struct tess_device_set {
    int64_t size;
    int by; /* the map that it follows: to it, by where elements first lead to each; from it, by the
               numbers of what each leads to; -1: it keeps its numbers */
    int32_t *new_to_old, *old_to_new; /* [size] */
} tess_device_set;

typedef struct tess_device_map {
    int from, to, arity;  /* of the sets */
    const int32_t *index; /* [size of from][arity]; below 0: none */
    int32_t *renumbered;  /* as much; NULL: not asked */
} tess_device_map;

typedef struct tess_device_dat {
    int set;
    int64_t bytes;      /* of an element, a multiple of 4 */
    const void *values; /* [size of set][bytes] */
    void *renumbered;   /* as much */
} tess_device_dat;

/* New numbers of sets: of the first, the plan's, those of its order; each of the others follows one
 * before it. */
typedef struct tess_device_renumbering {
    int n_sets;
    tess_device_set *sets;
    int n_maps;
    tess_device_map *maps;
    int n_dats;
    tess_device_dat *dats;
} tess_device_renumbering;

typedef struct tess_device_plan {
    int64_t n;
    int32_t n_blocks;
    const int32_t *block_of; /* [n], from 0 */
    int32_t *executed;       /* [n] */
    int32_t *block_offset;   /* [n_blocks + 1] */
    int n_sets;
    tess_device_points *sets;
    int32_t n_kept;                       /* blocks that were taken over */
    tess_device_renumbering *renumbering; /* by this plan; NULL: not asked */
    /* Blocks may own points instead: block_of [n_owned] is of those, and a block executes each
     * element that owned_map [n][owned_slots] leads to one of its own. Then executed and what each
     * set has by element are by position; there is room for n_executed of these, which becomes how
     * many they are. owned_slots 0: they do not. */
    int owned_slots;
    const int32_t *owned_map;
    int64_t n_owned, n_executed;
} tess_device_plan;

/* What each entry of a map adds to, and what it reads. */
typedef struct tess_scatter_map {
    int64_t n_entries;
    int32_t n_points;
    const int32_t *points;  /* [n_entries]; NULL: entry i is point i */
    const int32_t *sources; /* [n_entries]; NULL: entry i reads values i */
} tess_scatter_map;

typedef enum tess_reduction { TESS_SUM, TESS_MEAN, TESS_MAX, TESS_MIN } tess_reduction;

typedef enum tess_scatter_type {
    TESS_SCATTER_HALF,
    TESS_SCATTER_FLOAT,
    TESS_SCATTER_DOUBLE
} tess_scatter_type;

/* One reduction. Arrays are [rows][width], `width` values of a row side by side. */
typedef struct tess_scatter_call {
    tess_reduction reduction;
    tess_scatter_type type; /* of values and result */
    int width;
    const void *values;
    void *result;    /* [n_points][width] */
    int32_t *chosen; /* of TESS_MAX, TESS_MIN, [n_points][width]: the entry whose value it is, the
                        first of equals, or -1; NULL: not asked for */
    bool on_device;  /* where the three are: in the device's memory, else in this machine's */
    void *scratch;   /* there, too: tess_scatter_scratch bytes, a multiple of 16 of an address */
    void *const *queue; /* the queue of the device that takes the work, CUDA's stream, and is not
                           waited for; NULL: one of its own, and all is done on return */
} tess_scatter_call;

/* How a kernel of yours becomes a loop on arrays. Texts may be NULL: their defaults. */
typedef struct tess_array_loop_setting {
    const char *header, *description; /* files, as --kernel and --loop of `tess run` take them */
    tess_type real;                   /* TESS_FLOAT or TESS_DOUBLE */
    const char *device;               /* "host", "cuda:gpu=1", "emulator" */
    const char *strategy;    /* by default the first that fits and gives the same bits in every
                                run: gather, point-parallel, block-colour; on the host openmp */
    const char *partitioner; /* of the blocks; "file-order" */
    int block_size;
} tess_array_loop_setting;

/* A dat of its args: an array [n_elements][dim]. */
typedef struct tess_array_loop_dat {
    const char *name, *set; /* set "": one global value; both borrowed from the loop */
    int64_t n_elements;
    int dim;
    tess_type type;
    bool read, written; /* what is incremented is both */
} tess_array_loop_dat;

typedef struct tess_array_loop_call {
    void *const *arrays; /* [n_dats], each at a multiple of 16 bytes */
    bool on_device;      /* where they are: in the device's memory, else in this machine's */
    void *const *queue;  /* of the device, CUDA's stream, which takes the work and is not waited
                            for; NULL: one of its own, and all is done on return */
} tess_array_loop_call;

#endif

/* ---- Messages ---- */

/* The message of this thread's last failure; "" where there was none. Valid until the next one. */
const char *tess_message(void);

/* What a status means, in a few words; static. */
const char *tess_status_text(tess_status code);

/* "0.3.0"; static. */
const char *tess_version(void);

/* ---- Meshes ---- */

/* Reads or generates a mesh: a file of a format that `tess list readers` names, compressed or not,
 * or a generator with options, "quads:nx=400:ny=100", and behind either ":refine=2:shuffle=7".
 * Fails (USAGE) on a text that names nothing, with a suggestion; (INPUT) on a bad file, with the
 * line; (IO) where it cannot be read. Freed by tess_mesh_free. */
TESS_MUST_CHECK tess_status tess_mesh_open(const char *text, tess_mesh **out);

/* An empty mesh; `source` names it in messages and records, `dimension` (2 or 3) is that of its
 * coordinates. Add sets, then maps, dats and coordinates. Freed by tess_mesh_free. */
TESS_MUST_CHECK tess_status tess_mesh_new(const char *source, int dimension, tess_mesh **out);

/* Adds a set of `size` elements and gives its index (NULL: nobody asks). Sets that have a meaning:
 * nodes; cells, of one type with the map cells:nodes; tris, quads, tets, pyramids, prisms, hexes,
 * each with a map to nodes, and to cells, which of them each is; edges. Nodes of an element stand
 * in VTK's order. Fails (INPUT) on a negative size or one over 2^31 - 1, on a name that exists or
 * is too long. */
TESS_MUST_CHECK tess_status tess_mesh_add_set(tess_mesh *mesh, const char *name, int64_t size,
                                              int *set);

/* Adds the map "from:to" as a copy of index [size of from][arity], in which -1, last in its row, is
 * no element. Fails (USAGE) where the mesh lacks one of the sets, (INPUT) on the first index
 * outside the to-set, by element and slot, and where there is such a map. */
TESS_MUST_CHECK tess_status tess_mesh_put_map(tess_mesh *mesh, const char *from, const char *to,
                                              int arity, const int32_t *index);

/* Adds a dat as a copy of values [size of set][dim]. Fails (USAGE) where the mesh lacks the set,
 * (INPUT) where it has such a dat. */
TESS_MUST_CHECK tess_status tess_mesh_put_dat(tess_mesh *mesh, const char *name, const char *set,
                                              int dim, tess_type type, const void *values);

/* Sets the coordinates of the nodes, a copy of [size of nodes][dimension]. Fails (USAGE) where
 * there is no set `nodes`, (INPUT) on one that is not finite, by node. */
TESS_MUST_CHECK tess_status tess_mesh_put_coordinates(tess_mesh *mesh, const double *coordinates);

/* Adds a map that follows from cells and nodes, with its sets, unless the mesh has it: edges:nodes,
 * edges:cells, bedges:cells, faces:cells, cells:cells and others. The same on any number of
 * threads. Fails (USAGE) where the mesh cannot have it, naming what it can. */
TESS_MUST_CHECK tess_status tess_mesh_derive(tess_mesh *mesh, const char *map);

/* Writes the mesh under a temporary name, then renames it. `format` is su2, op2, gmsh4 ...; NULL or
 * "": by the extension of the path. Maps that the format needs are derived into the mesh; what it
 * cannot hold becomes a warning of the mesh. Fails (USAGE) on an unknown format, naming those that
 * are known; (INPUT) on a mesh that the format cannot hold; (IO). */
TESS_MUST_CHECK tess_status tess_mesh_save(tess_mesh *mesh, const char *path, const char *format);

void tess_mesh_free(tess_mesh *mesh);

/* Dimension of the coordinates; and these [size of nodes][dimension], NULL where there are none. */
int tess_mesh_dimension(const tess_mesh *mesh);
const double *tess_mesh_coordinates(const tess_mesh *mesh);

/* The sets in the order in which they were added: how many, the name of one (NULL outside), and the
 * size of one by name (or 0). */
int tess_mesh_n_sets(const tess_mesh *mesh);
const char *tess_mesh_set_name(const tess_mesh *mesh, int set);
int64_t tess_mesh_set_size(const tess_mesh *mesh, const char *name);

/* The maps: how many, and the name "from:to" of one (NULL outside). */
int tess_mesh_n_maps(const tess_mesh *mesh);
const char *tess_mesh_map_name(const tess_mesh *mesh, int map);

/* A map by name: its arity (or 0) and its index array [size of from][arity], in
 * which -1, last in its row, is no element (or NULL). */
int tess_mesh_map_arity(const tess_mesh *mesh, const char *name);
const int32_t *tess_mesh_map_index(const tess_mesh *mesh, const char *name);

/* What a reader accepted but a user should know: how many sentences, and one (NULL outside). */
int tess_mesh_n_warnings(const tess_mesh *mesh);
const char *tess_mesh_warning(const tess_mesh *mesh, int warning);

/* ---- Loops ---- */

/* A loop over a set, by names, so that it fits every mesh; add its args. Fails (INPUT) on a name
 * that is too long. Freed by tess_loop_free. */
TESS_MUST_CHECK tess_status tess_loop_new(const char *name, const char *set, tess_loop **out);

/* Adds a copy of an arg. Fails (USAGE) on a dim, type or access that there is not; what is wrong
 * with its map tess_loop_bind tells. */
TESS_MUST_CHECK tess_status tess_loop_add_arg(tess_loop *loop, const tess_arg *arg);

/* The loop that increments a dat through all slots of one map. `dat` is "NAME:SET:DIM:TYPE", say
 * "q:cells:4:double"; NULL: one double. Fails (USAGE) where SET is not the map's to-set. Freed by
 * tess_loop_free. */
TESS_MUST_CHECK tess_status tess_loop_of_map(const char *map, const char *dat, tess_loop **out);

void tess_loop_free(tess_loop *loop);

/* Finds the loop's sets and maps on a mesh that has them (tess_mesh_derive). Fails (INPUT) by
 * naming the arg. Mesh and loop outlive the result, which tess_bound_loop_free frees. */
TESS_MUST_CHECK tess_status tess_loop_bind(const tess_loop *loop, const tess_mesh *mesh,
                                           tess_bound_loop **out);

void tess_bound_loop_free(tess_bound_loop *bound);

/* ---- Partitions ---- */

/* Cuts the loop's set into blocks of at most block_size elements that share points which the loop
 * increments. `partitioner` is one with its options: "mosaic", "rcb", "metis:method=recursive".
 * Blocks are numbered densely along the mesh, none is empty; the same seed gives the same blocks on
 * any number of threads. Fails (USAGE) on an unknown partitioner or option, on one that does not
 * fit the loop, on a block size below 1; (MISSING) where this build or machine lacks it. Freed by
 * tess_partition_free. */
TESS_MUST_CHECK tess_status tess_partition_cut(const tess_bound_loop *bound,
                                               const char *partitioner, int32_t block_size,
                                               uint64_t seed, tess_partition **out);

/* A partition of your own: block_of [size of the loop's set] holds any ids that are not negative.
 * They are numbered densely along the mesh, and blocks that are too large are split. Fails (INPUT)
 * on a negative id, by element; (USAGE) on a block size below 1. Freed by tess_partition_free. */
TESS_MUST_CHECK tess_status tess_partition_of_blocks(const tess_bound_loop *bound,
                                                     const int32_t *block_of, int32_t block_size,
                                                     tess_partition **out);

/* Cuts anew where a part of a loop's elements has changed. `bound` is the loop on the mesh as it is
 * now, was [size of the loop's set] the number that each element had when it was cut before, -1 of
 * a new one, or one that has become another. Those are cut with the rest of the blocks that have
 * lost an element, as tess_partition_cut does; other blocks keep their elements, and their order.
 * Fails (INPUT) on a number that there was not, or that two elements have; as tess_partition_cut.
 * Freed by tess_partition_free. */
TESS_MUST_CHECK tess_status tess_partition_update(const tess_bound_loop *bound,
                                                  const tess_partition *before, const int32_t *was,
                                                  const char *partitioner, uint64_t seed,
                                                  tess_partition **out);

void tess_partition_free(tess_partition *partition);

/* The number of blocks, and the block of each element [size of the loop's set]. */
int32_t tess_partition_n_blocks(const tess_partition *partition);
const int32_t *tess_partition_block_of(const tess_partition *partition);

/* Cuts elements that lie in a device's memory there: nothing crosses but what launches need.
 * `partitioner` is "rcb", "rcb:cut=turns" or "hilbert"; of "rcb:swap=8" neighbouring blocks then
 * swap elements in 8 rounds, so that they reach fewer points of places->map. block_of [n], in that
 * memory too, becomes the blocks that it gives on the host, from 0, each of block_size elements but
 * for the last, before tess_partition_cut numbers them along the mesh; *n_blocks (NULL: nobody
 * asks) how many they are. Where elements were in blocks `before` (NULL: they were not), only what
 * is new is cut, with all of blocks that have lost an element; others keep their blocks. Blocks of
 * the cut take the numbers of those that are gone, as long as there are some, then the last ones;
 * what is left is closed up. A GPU's memory is of its primary context, as that of CUDA's runtime,
 * CuPy and PyTorch; what other streams than the default one write there is to be waited for before,
 * and block_of is there on return. Fails (INPUT) on a coordinate that is not finite, by element, on
 * more than 2^31 - 1 elements, on a number or block that there was not, on a number that two
 * elements have; (USAGE) on another partitioner or device, on a block size below 1, where elements
 * are to be swapped without a map; (MEMORY, MISSING) where the device has no room or is not there.
 */
TESS_MUST_CHECK tess_status tess_partition_on_device(const tess_device_places *places,
                                                     const tess_device_blocks *before,
                                                     const char *partitioner, int32_t block_size,
                                                     int32_t *block_of, int32_t *n_blocks);

/* ---- Plans ---- */

/* Builds the plan of a loop from a partition of its set: which element stands at which position of
 * which block, which points a block holds, and colours, so that no two elements of a block and
 * thread colour, and no two blocks of a block colour, increment a common point. The plan follows
 * from its arguments alone. `options` NULL: by element, fewest colours. Fails (INPUT) on a block
 * with more than 65535 distinct points of a set. Freed by tess_plan_free. */
TESS_MUST_CHECK tess_status tess_plan_build(const tess_bound_loop *bound,
                                            const tess_partition *partition,
                                            const tess_plan_options *options, tess_plan **out);

/* Proves a plan from the mesh, the loop and the partition's block_of, with no code of the
 * builder's. Fails (CHECK) with the first defect by block, position, element and slot. */
TESS_MUST_CHECK tess_status tess_plan_check(const tess_bound_loop *bound, const int32_t *block_of,
                                            const tess_plan *plan);

/* Builds the plan where a part has changed: blocks with the same elements as in the plan `before`,
 * by was [size of the loop's set] as in tess_partition_update, are taken over with their order,
 * local indices and colours, if their points ascend as they did; the others are planned by
 * `options`, as those before were. It is the plan that tess_plan_build gives, but for the colours
 * of blocks, where neither elements nor points of a block have changed their order. Fails as
 * tess_plan_build; (INPUT) on a wrong number in was; (USAGE) where `before` is of a loop with other
 * points. Freed by tess_plan_free. */
TESS_MUST_CHECK tess_status tess_plan_update(const tess_bound_loop *bound,
                                             const tess_partition *partition,
                                             const tess_plan *before, const int32_t *was,
                                             const tess_plan_options *options, tess_plan **out);

/* Fills a plan whose arrays, and what it is made of, are in the memory of a device ("cuda"; of
 * "emulator" the host's), as tess_plan_build, elements of a block ascending; where there was a plan
 * `before` (NULL: there was none) as tess_plan_update with `was`, of which its maps and block_of
 * are not read. What it asks for is filled, too: the first blocks of points, and the orders of
 * tess_renumber with the maps and dats that follow. Fails (INPUT) as tess_plan_update, on a block
 * that is not one, on a point that there is not; (USAGE) where the plan before is of other sets, or
 * a set follows none before it; (MISSING) where a block has more than 2048 points of a set,
 * with repetitions; as tess_partition_on_device. */
TESS_MUST_CHECK tess_status tess_plan_on_device(const char *device, const tess_device_plan *before,
                                                const int32_t *was, tess_device_plan *plan);

/* How many blocks an update took over; 0 of a plan that was built. */
int32_t tess_plan_n_kept(const tess_plan *plan);

void tess_plan_free(tess_plan *plan);

/* The number of blocks; the element at each position; the first position of each block
 * [n_blocks + 1], whose last is the number of positions. */
int32_t tess_plan_n_blocks(const tess_plan *plan);
const int32_t *tess_plan_executed(const tess_plan *plan);
const int64_t *tess_plan_block_offset(const tess_plan *plan);

/* The colour of each position, from 0 in every block; of each block [n_blocks], and how many of
 * these there are. Both are NULL, and all blocks are of one, where the loop increments nothing. */
const uint16_t *tess_plan_thread_colour(const tess_plan *plan);
const int32_t *tess_plan_block_colour(const tess_plan *plan);
int32_t tess_plan_n_block_colours(const tess_plan *plan);

/* The sets whose points the loop reaches: how many, and the name of one. Outside of 0 ... n_sets
 * this function and the next ones give NULL or 0. */
int tess_plan_n_sets(const tess_plan *plan);
const char *tess_plan_set_name(const tess_plan *plan, int set);

/* The distinct points of one set that each block holds, ascending: block b has those from
 * point_offset[b] to before point_offset[b + 1]. */
const int64_t *tess_plan_point_offset(const tess_plan *plan, int set);
const int32_t *tess_plan_points(const tess_plan *plan, int set);

/* Where each position finds its points among those of its block, [positions][n_slots];
 * TESS_NO_POINT where the map holds -1. A slot is one (map, slot) of the loop's args, in their
 * order, each once. */
int tess_plan_n_slots(const tess_plan *plan, int set);
const uint16_t *tess_plan_local_index(const tess_plan *plan, int set);

/* ---- Renumberings ---- */

/* The order that a plan gives a mesh, for locality in memory: the elements of the loop block after
 * block, as they are executed; what they lead to in the order in which they do first, nodes in that
 * in which cells do; all other sets after these. Freed by tess_renumbering_free. */
TESS_MUST_CHECK tess_status tess_renumber(const tess_bound_loop *bound, const tess_plan *plan,
                                          tess_renumbering **out);

/* An order of a whole mesh: "hilbert" along a curve through its nodes, "rcm" and "gps" along the
 * edges of its cells, "levels": cells over their sides, for loops over these. All sets follow.
 * Fails (USAGE) on another name, (INPUT) on a mesh without what the order follows. */
TESS_MUST_CHECK tess_status tess_order_renumber(const tess_mesh *mesh, const char *order,
                                                tess_renumbering **out);

void tess_renumbering_free(tess_renumbering *renumbering);

/* The permutation of a set of the mesh, [size of the set]: the old number of each new one, and the
 * new number of each old one. NULL where the set keeps its numbers. */
const int32_t *tess_renumbering_new_to_old(const tess_renumbering *renumbering,
                                           const tess_mesh *mesh, const char *set);
const int32_t *tess_renumbering_old_to_new(const tess_renumbering *renumbering,
                                           const tess_mesh *mesh, const char *set);

/* Gives the mesh its new numbers: maps, dats and coordinates follow. Loops that were bound to the
 * mesh before are of no use then but to be freed. On failure neither is the mesh. */
TESS_MUST_CHECK tess_status tess_mesh_renumber(tess_mesh *mesh,
                                               const tess_renumbering *renumbering);

/* ---- Metrics ---- */

/* Computes the metrics of a plan; `renumbering` is NULL, `layout` that of all dats. Freed by
 * tess_metrics_free. */
TESS_MUST_CHECK tess_status tess_metrics_of_plan(const tess_bound_loop *bound,
                                                 const tess_plan *plan,
                                                 const tess_renumbering *renumbering,
                                                 tess_layout layout, tess_metrics **out);

/* A metric by name, or NaN: "reuse_factor", "thread_colours_mean" ...;
 * `tess list metrics` names them with their units, `tess explain NAME` says what they mean. */
double tess_metrics_get(const tess_metrics *metrics, const char *name);

void tess_metrics_free(tess_metrics *metrics);

/* ---- Sums ---- */

/* What sums values over a map on a device as text, "host", "cuda:gpu=1", "emulator", by blocks of
 * `threads`. Fails (INPUT) where an entry names a point that is not there, (USAGE, MISSING) on the
 * device. The map is not needed any more. Freed by tess_scatter_free. */
TESS_MUST_CHECK tess_status tess_scatter_build(const tess_scatter_map *map, const char *device,
                                               int threads, tess_scatter **out);
void tess_scatter_free(tess_scatter *scatter);

/* Bytes of the device's memory that a call needs besides, which the caller gives as call->scratch
 * and may have back when the queue has done its work; 0 of arrays in this machine's memory. */
int64_t tess_scatter_scratch(const tess_scatter *scatter, const tess_scatter_call *call);

/* Fills call->result: a point without entries gets 0, or the infinity that its reduction begins
 * with; NaN wins a maximum and a minimum. Sums are added in the order of the map's entries, in
 * float for halves, of points with more than 256 entries by parts of so many: the same bits in
 * every run, on every device. Fails (USAGE) on a width below 1, (MISSING) where a page cannot be
 * compiled. One thread at a time. */
TESS_MUST_CHECK tess_status tess_scatter_reduce(tess_scatter *scatter,
                                                const tess_scatter_call *call);

/* ---- Kernels of yours on arrays of yours ---- */

/* Reads the kernel, cuts its loop on the mesh into blocks, and compiles it. The mesh has the sets
 * and maps of its args, and outlives it. Fails (INPUT) on a kernel that is wrong, by file and line,
 * and on one that sums over all elements; (USAGE) where the strategy does not fit the loop;
 * (MISSING) where the device or a compiler is not there. Freed by tess_array_loop_free. */
TESS_MUST_CHECK tess_status tess_array_loop_build(tess_mesh *mesh,
                                                  const tess_array_loop_setting *setting,
                                                  tess_array_loop **out);
void tess_array_loop_free(tess_array_loop *loop);

/* Gives a dat by its number; false past the last. */
bool tess_array_loop_dat_at(const tess_array_loop *loop, int i, tess_array_loop_dat *out);

/* Runs it once: what is written changes, increments are added to what is there. By the default
 * strategies the bits of the result are the same in every run on one device. One thread at a time.
 * The first call tries the kernel on some elements of the arrays, which are there by then, and
 * fails (INPUT) where it does not keep to its args. */
TESS_MUST_CHECK tess_status tess_array_loop_run(tess_array_loop *loop,
                                                const tess_array_loop_call *call);

/* ---- Experiments ---- */

/* An experiment with the defaults of its kind. Freed by tess_experiment_free. */
TESS_MUST_CHECK tess_status tess_experiment_new(tess_experiment_kind kind, tess_experiment **out);

/* Sets a setting to what a text says; "" leaves it unsaid. Names and values are those of the
 * options of `tess partition` and `tess run`, with '_' for '-': "mesh", "block_size", "partitioner"
 * ...; the application is "application". Fails (USAGE) on an unknown name or value, with a
 * suggestion; (MISSING) where this build lacks what it names; the setting is then as before. */
TESS_MUST_CHECK tess_status tess_experiment_set_by_name(tess_experiment *experiment,
                                                        const char *name, const char *text);

/* Gives the text of a setting, "" where it is unsaid; free() frees it. Fails (USAGE) on an unknown
 * name. */
TESS_MUST_CHECK tess_status tess_experiment_text_by_name(const tess_experiment *experiment,
                                                         const char *name, char **out);

void tess_experiment_free(tess_experiment *experiment);

/* Makes an experiment, from the mesh to the record: opens device and mesh, cuts, plans, proves;
 * where it is TESS_RUNNING compiles the loop, executes it, checks the result against a reference in
 * double and times it; archives all where there is a lab. Where options->emit says so it writes the
 * loop as source in place of that, archiving nothing. Fails with the first step that does:
 * (USAGE) where settings are missing or do not go together, (CHECK) on a wrong result. The
 * experiment outlives the run, which tess_run_free frees. */
TESS_MUST_CHECK tess_status tess_experiment_run(const tess_experiment *experiment,
                                                const tess_bench_options *options, tess_run **out);

void tess_run_free(tess_run *run);

/* How a run ended: "passed", or "unchecked" where nothing was executed; static. */
const char *tess_run_check(const tess_run *run);

/* Its id in the lab; NULL where it was not archived. */
const char *tess_run_id(const tess_run *run);

/* The median of its samples in seconds; NaN where nothing was timed. */
double tess_run_seconds(const tess_run *run);

/* A number of the run by name: where blocks were cut a metric of the plan, else what `tess run
 * --json` has under the name ("bandwidth" in B/s, "redundancy", "launches" ...). NaN without one;
 * an archived run has all of them in its record. */
double tess_run_measure(const tess_run *run, const char *name);

/* ---- Labs ---- */

/* Opens a lab; path NULL: the environment's TESS_LAB, else "lab". Makes its folders where `create`,
 * else fails (INPUT) where the lab is missing; (IO) where it cannot be made or read. Any number of
 * programs may write to one lab. Closed by tess_lab_close. */
TESS_MUST_CHECK tess_status tess_lab_open(const char *path, bool create, tess_lab **out);

void tess_lab_close(tess_lab *lab);

/* Fills the id of the run that a name means: the beginning of an id (at least 4 characters),
 * "@last", or "@last~N", the Nth before it. Fails (INPUT) where none is, or several are. */
TESS_MUST_CHECK tess_status tess_lab_find(const tess_lab *lab, const char *name,
                                          char id[TESS_RUN_ID_SIZE]);

/* Reads the record of a run by its whole id. Fails (IO, INPUT) where the lab has no such run, or
 * where it is damaged. Freed by tess_record_free. */
TESS_MUST_CHECK tess_status tess_lab_read_run(const tess_lab *lab, const char *id,
                                              tess_record **out);

/* A metric of a record, or NaN; `source` is "plan", "counter", "timer", "driver",
 * "emulator"; NULL: the first of any. */
double tess_record_measure(const tess_record *record, const char *name, const char *source);

/* A text of the record's configuration ("partitioner") or else of its environment ("host"),
 * or "". */
const char *tess_record_text(const tess_record *record, const char *key);

void tess_record_free(tess_record *record);

#ifdef __cplusplus
}
#endif

#endif
