/* An exchange engine: a plug-in that carries messages between ranks.
 *
 * One const struct in one file under engines/, one line in engines/list.h. An opened engine is a
 * crew: all ranks, of which some run in this process. A process that ends without closing its crew
 * makes the launcher end the others. */
#pragma once

#include "kernels/devices/device.h"
#include "kernels/exchange/parcels.h"

typedef struct tess_engine tess_engine;

typedef struct tess_crew {
    const tess_engine *engine;
    struct tess_crew *mpi; /* the same ranks, which carry what is small; NULL: these do; owned by
                              the engine */
    int32_t n_ranks;
    int32_t first, n_here; /* ranks first, first + 1, ... run in this process */
    int32_t local;         /* which of its host's processes this is, from 0 on */
    int64_t self;       /* MPI's number, for Fortran, of this process alone; 0: there is no MPI */
    char carriers[320]; /* the libraries that carry, with their versions; "": none */
} tess_crew;

/* The messages of one rank in one exchange, again and again. */
typedef struct tess_mail {
    int32_t rank;
    int tag;                     /* of the exchange: the same on all ranks */
    const tess_parcels *parcels; /* outlive the mail, as do the bytes */
    char *out, *in;              /* laid out as the parcels say; in the memory of the device, where
                                    the engine carries from device to device */
    tess_address *to;            /* [out.n_peers]: where the engine wants each message packed to,
                                    after await_room; NULL: in `out`; owned by the engine */
    void *engine_data;           /* owned */
} tess_mail;

struct tess_engine {
    const char *name;
    const char *summary; /* one line */
    /* From device to device: messages lie there, `start` puts the exchange on the device's queue
     * and waits for nothing, and what comes after it in the queue finds them delivered. */
    bool on_device;
    /* Opens a crew; n_ranks 0: as many as the launcher has started. */
    tess_status (*open)(int32_t n_ranks, tess_crew **out);
    void (*close)(tess_crew *crew);
    /* Says once, before the first mail, which device the ranks of this process run on; NULL: any.
     * The target outlives the crew. See tess_crew_take_device. */
    tess_status (*take_device)(tess_crew *crew, const tess_device *device, tess_target *target);
    /* Makes a mail ready; every rank does so for its mails in the same order. */
    tess_status (*prepare)(tess_crew *crew, tess_mail *mail);
    /* Where `in` is NULL after that the engine frees it, for other ranks reach it until they have
     * released their mails, too: when all of them prepare the next one, or close the crew. */
    void (*release)(tess_crew *crew, tess_mail *mail);
    /* Puts on the device's queue what waits until all peers have room; NULL: messages are packed to
     * `out`, where there is room. */
    tess_status (*await_room)(tess_crew *crew, tess_mail *mail);
    /* Sends what lies in `out`, or says that it lies where it was wanted; then waits until all is
     * in `in`. All ranks of a process start before one of them finishes. */
    tess_status (*start)(tess_crew *crew, tess_mail *mail);
    tess_status (*finish)(tess_crew *crew, tess_mail *mail);
    /* See tess_crew_sum and tess_crew_gather; NULL: the crew's `mpi` does. */
    tess_status (*sum)(tess_crew *crew, double *values, int64_t n);
    tess_status (*gather)(tess_crew *crew, const void *mine, void *gathered, int bytes);
};

/* Finds one by name; fails (USAGE) with a suggestion. */
TESS_MUST_CHECK tess_status tess_engine_find(const char *name, const tess_engine **out);

/* Opens a crew of the engine of that name; see `open`. The crew is closed by its engine. */
TESS_MUST_CHECK tess_status tess_crew_open(const char *engine, int32_t n_ranks, tess_crew **out);

/* Opens MPI's crew of these ranks as `mpi` of one to be, which is theirs but for its engine. */
TESS_MUST_CHECK tess_status tess_crew_open_with_mpi(int32_t n_ranks, tess_crew *out);

/* Sums n values over all processes; each of them then has the same. */
TESS_MUST_CHECK tess_status tess_crew_sum(tess_crew *crew, double *values, int64_t n);

/* Gives each process what every one has, `bytes` each, in their order. */
TESS_MUST_CHECK tess_status tess_crew_gather(tess_crew *crew, const void *mine, void *gathered,
                                             int bytes);

/* All processes come here before any goes on. */
TESS_MUST_CHECK tess_status tess_crew_meet(tess_crew *crew);

TESS_MUST_CHECK tess_status tess_crew_take_device(tess_crew *crew, const tess_device *device,
                                                  tess_target *target);

/* Has the devices for this crew alone, from now to the end: were they locked call by call, two
 * crews on the same GPUs would wait for each other for ever. All lock in the order of their ranks.
 */
TESS_MUST_CHECK tess_status tess_crew_lock_devices(tess_crew *crew, const tess_device *device,
                                                   tess_target *target);

/* Gives the device of this process in words: what the text says, but where that is the bare name of
 * a device of which the machine has several, each process of a host has its own, in turn. The
 * caller frees *out. */
TESS_MUST_CHECK tess_status tess_crew_name_device(const tess_crew *crew, const char *text,
                                                  char **out);
