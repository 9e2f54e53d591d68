/* A measurement of exchanges between the processes that run: messages of growing size in a ring. */
#include "experiments/cli/ranks/ranks_measure.h"

#include "core/base/plural.h"
#include "core/base/statistics.h"
#include "experiments/cli/command.h"
#include "experiments/report/table.h"
#include "kernels/exchange/rank_process.h"
#include "kernels/exchange/ring.h"
#include <stdio.h>
#include <stdlib.h>

/* One size of messages. */
typedef struct measured_size {
    int64_t bytes;  /* that a rank receives in an exchange */
    double seconds; /* of an exchange */
} measured_size;

enum { FIRST_BYTES = 64, STEP = 4, N_SIZES = 10 };

/* What is opened to measure; closed in the reverse order. */
typedef struct measuring {
    tess_ring ring;
    measured_size sizes[N_SIZES];
    double alpha, beta; /* s, B/s */
} measuring;

static tess_status open_ring(const tess_ranks_measure_setting *asked, tess_ring *ring) {
    char *device = NULL;
    TRY(tess_crew_open(asked->engine, 0, &ring->crew));
    tess_crew *crew = ring->crew;
    if (crew->n_ranks < 2)
        FAIL(TESS_ERROR_USAGE, "one process has nobody to send to: mpiexec -n 2 tess ranks "
                               "--measure");
    TRY(tess_crew_name_device(crew, asked->device, &device));
    const tess_status opened = tess_device_open(device, &ring->device, &ring->target);
    free(device);
    TRY(opened);
    return tess_crew_take_device(crew, ring->device, ring->target);
}

/* Takes the median of a few samples of each size. */
static tess_status measure_sizes(measuring *m) {
    enum { SAMPLES = 5, MOST_ROUNDS = 200 };
    static const double SAMPLE_BYTES = 1 << 26;
    int64_t bytes = FIRST_BYTES;
    for (int i = 0; i < N_SIZES; i++, bytes *= STEP) {
        const double rounds = SAMPLE_BYTES / (double)bytes;
        double samples[SAMPLES];
        for (int s = 0; s < SAMPLES; s++)
            TRY(tess_ring_time(&m->ring, bytes, rounds < MOST_ROUNDS ? (int)rounds : MOST_ROUNDS,
                               &samples[s]));
        m->sizes[i].bytes = bytes * tess_ring_messages(&m->ring);
        m->sizes[i].seconds = tess_median(samples, SAMPLES);
    }
    /* Latency is what the smallest take, bandwidth what the largest take beyond it. */
    m->alpha = m->sizes[0].seconds;
    m->beta = (double)m->sizes[N_SIZES - 1].bytes / (m->sizes[N_SIZES - 1].seconds - m->alpha);
    return TESS_OK;
}

static tess_status print_table(const measuring *m) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    CHECK(tess_table_new(TESS_TITLES(">bytes", ">us", ">GB/s"), &table));
    for (int i = 0; i < N_SIZES; i++) {
        const measured_size *size = &m->sizes[i];
        CHECK(tess_table_add_row(table));
        CHECK(tess_table_add_cell(table, "%lld", (long long)size->bytes));
        CHECK(tess_table_add_cell(table, "%.4g", 1e6 * size->seconds));
        CHECK(tess_table_add_cell(table, "%.4g", 1e-9 * (double)size->bytes / size->seconds));
    }
    CHECK(tess_table_print(table, stdout));
    printf("%d rank%s by %s: --network alpha=%.3g:beta=%.3g\n", m->ring.crew->n_ranks,
           tess_plural(m->ring.crew->n_ranks), m->ring.crew->engine->name, m->alpha, m->beta);
done:
    tess_table_free(table);
    return status;
}

static tess_status print_json(const measuring *m) {
    json_t *sizes = json_array();
    for (int i = 0; i < N_SIZES; i++)
        json_array_append_new(sizes, json_pack("{s:I, s:f}", "bytes", (json_int_t)m->sizes[i].bytes,
                                               "seconds", m->sizes[i].seconds));
    return tess_json_print(json_pack("{s:s, s:i, s:s, s:f, s:f, s:o}", "schema", "tess.ranks/1",
                                     "ranks", (int)m->ring.crew->n_ranks, "engine",
                                     m->ring.crew->engine->name, "alpha", m->alpha, "beta", m->beta,
                                     "sizes", sizes));
}

static void close_ring(tess_ring *ring) {
    if (ring->crew)
        ring->crew->engine->close(ring->crew);
    if (ring->target)
        ring->device->close(ring->target);
}

tess_status tess_ranks_measure(const tess_ranks_measure_setting *setting) {
    tess_status status = TESS_OK;
    measuring m = {.ring = {.crew = NULL}};
    CHECK(open_ring(setting, &m.ring));
    CHECK(measure_sizes(&m));
    if (m.ring.crew->first == 0)
        CHECK(setting->json ? print_json(&m) : print_table(&m));
done:
    if (status != TESS_OK)
        tess_rank_process_leave(m.ring.crew, status);
    close_ring(&m.ring);
    return status;
}
