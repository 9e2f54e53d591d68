/* Facets: the edges or the faces of cells, found by their nodes.
 *
 * Halves are put into buckets by their lowest node, each as (mix of the other nodes, half) in one
 * 64-bit number; sorting a bucket brings the halves of a facet together. The mix is the nodes
 * themselves where these and the half have room; else runs of the same mix are compared node by
 * node. */
#include "core/mesh/facets.h"

#include "core/base/array.h"
#include "core/base/buckets.h"
#include <stdlib.h>
#include <string.h>

enum { HALF_BITS = 35 }; /* 2^31 cells with at most 12 facets each */

/* How a half and the other nodes of its facet share a number. */
typedef struct packing {
    int half_bits, node_bits; /* node_bits 0: the nodes are mixed */
    int n_others;             /* nodes beside the lowest, of a facet that has most */
} packing;

static int bits_of(int64_t most) {
    int bits = 0;
    while (most >> bits)
        bits++;
    return bits;
}

static packing packing_of(const tess_facets *facets) {
    packing pack = {.half_bits = bits_of(facets->n_halves),
                    .node_bits = bits_of(facets->cells->n_nodes),
                    .n_others = 1};
    for (int b = 0; b < facets->cells->n_blocks && facets->kind == TESS_FACET_FACES; b++)
        for (int f = 0; f < facets->cells->blocks[b].type->n_faces; f++) {
            const int n = tess_cell_face_size(facets->cells->blocks[b].type, f) - 1;
            pack.n_others = n > pack.n_others ? n : pack.n_others;
        }
    return pack.half_bits + pack.n_others * pack.node_bits <= 64
               ? pack
               : (packing){.half_bits = HALF_BITS};
}

tess_facets tess_facets_of(const tess_cells *cells, tess_facet_kind kind) {
    tess_facets facets = {.cells = cells, .kind = kind};
    for (int b = 0; b < cells->n_blocks; b++) {
        const int n = tess_facet_count(cells->blocks[b].type, kind);
        facets.stride = n > facets.stride ? n : facets.stride;
    }
    facets.n_halves = cells->n_blocks ? cells->n_cells * facets.stride : 0;
    return facets;
}

static inline void order(int32_t *a, int32_t *b) {
    const int32_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
    *a = low;
    *b = high;
}

static inline bool key_of(int n_nodes, const int32_t *nodes, tess_facet_kind kind,
                          int32_t key[TESS_FACET_NODES_MAX]) {
    for (int i = 0; i < TESS_FACET_NODES_MAX; i++)
        key[i] = i < n_nodes ? nodes[i] : INT32_MAX;
    order(&key[0], &key[1]);
    if (kind == TESS_FACET_EDGES) {
        key[2] = key[3] = -1;
        return key[0] != key[1];
    }
    order(&key[2], &key[3]);
    order(&key[0], &key[2]);
    order(&key[1], &key[3]);
    order(&key[1], &key[2]);
    int n = 1;
    for (int i = 1; i < n_nodes; i++)
        if (key[i] != key[n - 1])
            key[n++] = key[i];
    for (int i = n; i < TESS_FACET_NODES_MAX; i++)
        key[i] = -1;
    return n >= 3;
}

bool tess_facet_key(int n_nodes, const int32_t *nodes, tess_facet_kind kind,
                    int32_t key[TESS_FACET_NODES_MAX]) {
    return key_of(n_nodes, nodes, kind, key);
}

/* The mix, above the bits of a half; a node counts from 1, for there may be none. */
static inline uint64_t mix_of(const int32_t key[TESS_FACET_NODES_MAX], const packing *pack) {
    uint64_t mix = 0;
    for (int i = 1; pack->node_bits && i <= pack->n_others; i++)
        mix = mix << pack->node_bits | (uint64_t)(key[i] + 1);
    if (pack->node_bits)
        return mix << pack->half_bits;
    mix = (uint64_t)(uint32_t)key[1] << 32 | (uint32_t)key[2];
    mix = (mix ^ (uint64_t)(uint32_t)key[3] * UINT64_C(0x9e3779b97f4a7c15)) *
          UINT64_C(0xbf58476d1ce4e5b9);
    return mix >> HALF_BITS << HALF_BITS;
}

/* Puts the halves of one cell, or counts them where there is no packing; inlined for each kind. */
static inline void put_cell(const tess_facets *facets, tess_facet_kind kind, const packing *pack,
                            int64_t cell, tess_buckets *buckets) {
    const tess_cell_type *type = NULL;
    const int32_t *cell_nodes = tess_cell_nodes(facets->cells, cell, &type);
    const int n = tess_facet_count(type, kind);
    for (int position = 0; position < n; position++) {
        int32_t nodes[TESS_FACET_NODES_MAX], key[TESS_FACET_NODES_MAX];
        const int n_nodes = tess_facet_nodes(type, cell_nodes, kind, position, nodes);
        if (!key_of(n_nodes, nodes, kind, key))
            continue;
        if (!pack)
            tess_buckets_count(buckets, key[0]);
        else
            tess_buckets_put(buckets, key[0],
                             mix_of(key, pack) | (uint64_t)(cell * facets->stride + position));
    }
}

/* Puts every half into the bucket of its lowest node, or counts them. */
static void put_all(const tess_facets *facets, const packing *pack, tess_buckets *buckets) {
    const int64_t n_cells = facets->n_halves ? facets->cells->n_cells : 0;
#pragma omp parallel for schedule(static)
    for (int64_t cell = 0; cell < n_cells; cell++) {
        if (facets->kind == TESS_FACET_EDGES)
            put_cell(facets, TESS_FACET_EDGES, pack, cell, buckets);
        else
            put_cell(facets, TESS_FACET_FACES, pack, cell, buckets);
    }
}

int tess_facet_of_half(const tess_facets *facets, int64_t half,
                       int32_t nodes[TESS_FACET_NODES_MAX]) {
    const tess_cell_type *type = NULL;
    const int32_t *cell_nodes = tess_cell_nodes(facets->cells, half / facets->stride, &type);
    return tess_facet_nodes(type, cell_nodes, facets->kind, (int)(half % facets->stride), nodes);
}

static void key_of_half(const tess_facets *facets, uint64_t half,
                        int32_t key[TESS_FACET_NODES_MAX]) {
    int32_t nodes[TESS_FACET_NODES_MAX];
    const int n = tess_facet_of_half(facets, (int64_t)half, nodes);
    key_of(n, nodes, facets->kind, key);
}

static int compare_halves(const void *a, const void *b, void *context) {
    int32_t key_a[TESS_FACET_NODES_MAX], key_b[TESS_FACET_NODES_MAX];
    const uint64_t half_a = *(const uint64_t *)a, half_b = *(const uint64_t *)b;
    key_of_half(context, half_a, key_a);
    key_of_half(context, half_b, key_b);
    for (int i = 0; i < TESS_FACET_NODES_MAX; i++)
        if (key_a[i] != key_b[i])
            return key_a[i] < key_b[i] ? -1 : 1;
    return (half_a > half_b) - (half_a < half_b);
}

/* How many of the n halves, from the first, have the nodes of the first. */
static int64_t same_nodes(const tess_facets *facets, const uint64_t *halves, int64_t n) {
    int32_t first[TESS_FACET_NODES_MAX], key[TESS_FACET_NODES_MAX];
    key_of_half(facets, halves[0], first);
    int64_t same = 1;
    for (; same < n; same++) {
        key_of_half(facets, halves[same], key);
        if (memcmp(first, key, sizeof key) != 0)
            break;
    }
    return same;
}

tess_status tess_facets_visit(const tess_facets *facets,
                              void (*visit)(void *context, const uint64_t *halves, int64_t n),
                              void *context) {
    tess_status status = TESS_OK;
    tess_buckets buckets = {.n = 0};
    const packing pack = packing_of(facets);
    const bool mix_is_key = pack.node_bits;
    CHECK(tess_buckets_new(facets->cells->n_nodes, &buckets));
    put_all(facets, NULL, &buckets);
    CHECK(tess_buckets_open(&buckets));
    put_all(facets, &pack, &buckets);
    tess_buckets_close(&buckets);
#pragma omp parallel for schedule(dynamic, 4096)
    for (int64_t node = 0; node < buckets.n; node++) {
        uint64_t *halves = buckets.value + buckets.offset[node];
        int64_t n = buckets.offset[node + 1] - buckets.offset[node];
        while (n) {
            int64_t run = 1;
            while (run < n && halves[run] >> pack.half_bits == halves[0] >> pack.half_bits)
                run++;
            for (int64_t i = 0; i < run; i++)
                halves[i] &= (UINT64_C(1) << pack.half_bits) - 1;
            if (!mix_is_key && run > 2 && same_nodes(facets, halves, run) < run)
                qsort_r(halves, (size_t)run, sizeof *halves, compare_halves, (void *)facets);
            n -= run;
            while (run) {
                const int64_t same = mix_is_key || run == 1 ? run : same_nodes(facets, halves, run);
                visit(context, halves, same);
                halves += same;
                run -= same;
            }
        }
    }
done:
    tess_buckets_release(&buckets);
    return status;
}

/* Marks the lowest half of each facet. */
static void first_visit(void *context, const uint64_t *halves, int64_t n) {
    (void)n;
    ((uint8_t *)context)[halves[0]] = 1;
}

/* Gives the marked halves in order, and how many. */
static tess_status marked_halves(const uint8_t *is_first, int64_t n_halves, int64_t **out,
                                 int64_t *n) {
    enum { CHUNKS = 1024 };
    int64_t count[CHUNKS + 1] = {0};
#pragma omp parallel for schedule(dynamic, 1)
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        int64_t in_chunk = 0;
        for (int64_t h = n_halves * chunk / CHUNKS; h < n_halves * (chunk + 1) / CHUNKS; h++)
            in_chunk += is_first[h];
        count[chunk + 1] = in_chunk;
    }
    for (int chunk = 0; chunk < CHUNKS; chunk++)
        count[chunk + 1] += count[chunk];
    int64_t *halves = NULL;
    TRY(TESS_ALLOC(count[CHUNKS], &halves));
#pragma omp parallel for schedule(dynamic, 1)
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        int64_t at = count[chunk];
        for (int64_t h = n_halves * chunk / CHUNKS; h < n_halves * (chunk + 1) / CHUNKS; h++)
            if (is_first[h])
                halves[at++] = h;
    }
    *out = halves;
    *n = count[CHUNKS];
    return TESS_OK;
}

tess_status tess_facets_first(const tess_facets *facets, int64_t **halves, int64_t *n) {
    tess_status status = TESS_OK;
    uint8_t *is_first = NULL;
    CHECK(TESS_ZEROS(facets->n_halves, &is_first));
    CHECK(tess_facets_visit(facets, first_visit, is_first));
    CHECK(marked_halves(is_first, facets->n_halves, halves, n));
done:
    free(is_first);
    return status;
}
