/* A device: a plug-in that compiles a page of text and runs its kernels.
 *
 * One const struct in one file under devices/, one line in devices/list.h. The plug-in is opened
 * into a target, which owns memory and modules; all work on a target is in order and finished when
 * a call returns, but for launches, which `timer_stop` and `download` wait for. */
#pragma once

#include "core/base/spec.h"
#include "kernels/devices/counters.h"
#include "kernels/devices/occupancy.h"
#include <stddef.h>

typedef struct tess_target tess_target;               /* an opened device */
typedef struct tess_device_module tess_device_module; /* compiled text */

typedef uint64_t tess_address; /* in the memory of a target */

enum { TESS_WARP = 32 }; /* threads that go together, on every device */

typedef struct tess_launch {
    char kernel[64];
    int64_t n_blocks;
    int threads;          /* a block */
    int64_t shared_bytes; /* a block */
    int carveout;         /* percent of a multiprocessor's memory that is shared; 0: any */
    int64_t first, count; /* what the kernel finds as p->first and p->count */
    void *const *queue;   /* of others (CUDA's stream), which takes it; NULL: the target's own */
} tess_launch;

/* What a compiler says of one kernel; -1 where it does not. */
typedef struct tess_resources {
    int registers;    /* a thread */
    int spilled;      /* bytes of local memory a thread */
    int shared_bytes; /* static */
} tess_resources;

/* How fast the device runs now, in Hz; NaN where it cannot be told. */
typedef struct tess_clocks {
    double compute, memory;
} tess_clocks;

/* What the driver says of the device; 0 where it says nothing. */
typedef struct tess_device_facts {
    int processors;      /* multiprocessors */
    int64_t cache_bytes; /* of the last cache before memory */
    int driver;          /* the latest CUDA that it is for: 13000 is 13.0 */
    int capability;      /* that its code is compiled for: 90 is 9.0 */
} tess_device_facts;

typedef struct tess_launch_graph tess_launch_graph; /* launches that are made as one */

/* What fills memory: `fill` writes the bytes from `at` on, a multiple of 8, by all threads. */
typedef struct tess_filler {
    void (*fill)(const void *context, int64_t at, int64_t bytes, void *to);
    const void *context;
} tess_filler;

/* One that copies what is in memory. */
tess_filler tess_filler_of(const void *from);

typedef struct tess_device {
    const char *name;
    const char *summary;        /* one line */
    const tess_option *options; /* ends with key = NULL */
    bool one_thread;            /* a block is one thread: only strategies for the host run here */
    bool emulates;      /* a GPU, which its times say nothing of; counters are its purpose */
    bool compiles_only; /* nothing runs here */
    bool apart;         /* it has a memory of its own: what is brought there takes its time */
    bool profiled;      /* hardware counters come from a profiler (ncu), not from `counters` */
    tess_status (*open)(const tess_spec *spec, tess_target **out);
    void (*close)(tess_target *target);
    /* Lets this thread use a target that another one opened; NULL: any thread may. */
    tess_status (*enter)(tess_target *target);
    /* Zeroed memory; `name` is for messages. */
    tess_status (*alloc)(tess_target *target, const char *name, int64_t size, tess_address *out);
    void (*free)(tess_target *target, tess_address address);
    /* What is allocated from now on begins at random places of its pages, which are others in each
     * process; NULL: it knows no pages. */
    void (*shuffle)(tess_target *target);
    tess_status (*upload)(tess_target *target, tess_address to, const void *from, int64_t size);
    /* Uploads what is filled piece by piece; NULL: it is filled whole (tess_device_upload_filled).
     */
    tess_status (*upload_filled)(tess_target *target, tess_address to, tess_filler from,
                                 int64_t size);
    tess_status (*download)(tess_target *target, void *to, tess_address from, int64_t size);
    /* Copies inside the device's memory; NULL: it has no bandwidth to speak of. */
    tess_status (*copy)(tess_target *target, tess_address to, tess_address from, int64_t size);
    /* Compiles a page (kernels/codegen/glue.h), or takes it from the cache, or from what ships. */
    tess_status (*compile)(tess_target *target, const char *page, tess_device_module **out);
    /* Compiles for the cache only, on any thread; NULL: `compile` and `unload` may be called by
     * any. */
    tess_status (*compile_ahead)(tess_target *target, const char *page);
    /* Whether a page's code is there already; NULL: compiling takes no time to speak of. */
    tess_status (*is_compiled)(const tess_target *target, const char *page, bool *out);
    void (*unload)(tess_target *target, tess_device_module *module);
    tess_status (*resources)(tess_target *target, const tess_device_module *module,
                             const char *kernel, tess_resources *out);
    /* The theoretical occupancy of blocks that take so much (occupancy.h); NULL: it is no GPU's. */
    double (*occupancy)(const tess_target *target, const tess_block_needs *needs);
    /* Runs a kernel with its struct params, n_words words of 8 bytes. */
    tess_status (*launch)(tess_target *target, const tess_device_module *module,
                          const tess_launch *launch, const uint64_t *params, int n_words);
    /* Where a kernel is a function of its struct params and the block: that function, and how many
     * threads share the blocks of a launch; NULL: not here. */
    tess_status (*function)(const tess_device_module *module, const char *kernel,
                            void (**out)(const void *params, int block));
    int (*threads)(const tess_target *target);
    /* Launches between these two are not run but kept in a graph, which then runs them all, with
     * the same parameters; NULL where the device has none. */
    tess_status (*graph_start)(tess_target *target);
    tess_status (*graph_stop)(tess_target *target, tess_launch_graph **out);
    tess_status (*graph_launch)(tess_target *target, tess_launch_graph *graph);
    void (*graph_free)(tess_target *target, tess_launch_graph *graph);
    /* What is put on the device between these two runs beside what follows, after all that came
     * before; what follows beside_wait waits for it. NULL: all is in order. */
    tess_status (*beside_start)(tess_target *target);
    tess_status (*beside_stop)(tess_target *target);
    tess_status (*beside_wait)(tess_target *target);
    /* The queue that takes what is put on the device now, for a library of others: CUDA's stream.
     * NULL: the device has no such thing. */
    void *(*queue)(const tess_target *target);
    /* How many of them this machine has; NULL: one. */
    tess_status (*count)(int *n);
    /* Puts other data into all caches; NULL where there are none to speak of. */
    tess_status (*flush)(tess_target *target);
    /* What its driver calls it, "NVIDIA H200"; NULL: it has no such name. */
    const char *(*model)(const tess_target *target);
    /* NULL: nobody asks. */
    tess_device_facts (*facts)(const tess_target *target);
    /* Bytes of its memory that are free, 0 where it does not say; NULL: its memory is the
     * machine's.
     */
    int64_t (*free_bytes)(const tess_target *target);
    /* NULL where the device has no clock. */
    tess_clocks (*clocks)(tess_target *target);
    /* While it is locked no other process of ours puts work on the device; NULL: they may. Calls
     * that wait for the device lock it themselves: it may be locked again while it is held. */
    void (*lock)(tess_target *target);
    void (*unlock)(tess_target *target);
    /* True after a failure that nothing but opening the device anew mends, or NULL. */
    bool (*is_broken)(const tess_target *target);
    tess_status (*timer_start)(tess_target *target);
    tess_status (*timer_stop)(tess_target *target, double *seconds);
    /* What was counted since the last reset, or NULL where nothing was; the members are NULL where
     * the device itself never counts. */
    const tess_counters *(*counters)(const tess_target *target);
    void (*reset_counters)(tess_target *target);
    /* Whether only a sample of a launch's blocks ran since the last reset; NULL: never. */
    bool (*is_sampled)(const tess_target *target);
    /* Whether a loop is counted when it has run before; NULL: never. */
    bool (*is_warm)(const tess_target *target);
} tess_device;

/* Uploads what is filled, without more of the host's memory than the device needs for it. */
TESS_MUST_CHECK tess_status tess_device_upload_filled(const tess_device *device,
                                                      tess_target *target, tess_address to,
                                                      tess_filler from, int64_t size);

/* The devices of this build, in the order of devices/list.h; NULL past the last. */
const tess_device *tess_device_at(int i);

/* Finds one by name; fails (USAGE) with a suggestion. */
TESS_MUST_CHECK tess_status tess_device_find(const char *name, const tess_device **out);

/* Has a page compiled into the cache, while other threads use the target. */
TESS_MUST_CHECK tess_status tess_device_compile_ahead(const tess_device *device,
                                                      tess_target *target, const char *page);

/* Opens the device that a text names: "emulator:seed=3:count=yes". *device is the plug-in. */
TESS_MUST_CHECK tess_status tess_device_open(const char *text, const tess_device **device,
                                             tess_target **out);
