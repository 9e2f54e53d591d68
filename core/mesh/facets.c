/* Facets: the edges or the faces of cells, found by their nodes.
 *
 * Each cell is listed at the ranges of nodes in which its facets have their lowest. The halves of a
 * range are (mix of the nodes, half) in one 64-bit number each; sorting them brings the halves of a
 * facet together. The mix tells all nodes apart where these and the half have room; else runs of
 * the same mix are compared node by node. */
#include "core/mesh/facets.h"

#include "core/base/array.h"
#include "core/base/rows.h"
#include "core/base/sort.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum {
    HALF_BITS = 35, /* 2^31 cells with at most 12 facets each */
    USUAL = 1024    /* halves of a range */
};

/* How a half and the nodes of its facet share a number: of the lowest what it lies beyond the start
 * of its range, and all others. */
typedef struct packing {
    int half_bits, node_bits; /* node_bits 0: the nodes are mixed */
    int n_others;             /* nodes beside the lowest, of a facet that has most */
    int range_bits;           /* a range has 2^range_bits nodes */
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
    const int room = 64 - pack.half_bits - pack.n_others * pack.node_bits;
    while (facets->cells->n_nodes >> pack.range_bits > facets->n_halves / USUAL)
        pack.range_bits++;
    if (room < 0)
        pack = (packing){.half_bits = HALF_BITS, .range_bits = pack.range_bits};
    else if (pack.range_bits > room)
        pack.range_bits = room;
    return pack;
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

/* Leaves each of n ascending nodes once, -1 behind them; says whether they still are a face. */
static bool collapse(int n_nodes, int32_t key[TESS_FACET_NODES_MAX]) {
    int n = 1;
    for (int i = 1; i < n_nodes; i++)
        if (key[i] != key[n - 1])
            key[n++] = key[i];
    for (int i = n; i < TESS_FACET_NODES_MAX; i++)
        key[i] = -1;
    return n >= 3;
}

/* The key of the nodes that a facet has at these places of `nodes`. */
static inline bool key_of(const int32_t *nodes, const signed char *local, tess_facet_kind kind,
                          int32_t key[TESS_FACET_NODES_MAX]) {
    int32_t a = nodes[local[0]], b = nodes[local[1]], c = -1, d = -1;
    bool counts = true;
    order(&a, &b);
    if (kind == TESS_FACET_EDGES) {
        counts = a != b;
    } else if (local[3] < 0) {
        c = nodes[local[2]];
        order(&a, &c);
        order(&b, &c);
    } else {
        c = nodes[local[2]];
        d = nodes[local[3]];
        order(&c, &d);
        order(&a, &c);
        order(&b, &d);
        order(&b, &c);
    }
    if (kind == TESS_FACET_FACES && (a == b || b == c || c == d)) {
        int32_t again[] = {a, b, c, d};
        counts = collapse(local[3] < 0 ? 3 : 4, again);
        a = again[0];
        b = again[1];
        c = again[2];
        d = again[3];
    }
    key[0] = a;
    key[1] = b;
    key[2] = c;
    key[3] = d;
    return counts;
}

bool tess_facet_key(int n_nodes, const int32_t *nodes, tess_facet_kind kind,
                    int32_t key[TESS_FACET_NODES_MAX]) {
    const signed char local[] = {0, 1, 2, n_nodes < 4 ? -1 : 3};
    return key_of(nodes, local, kind, key);
}

/* Where a cell has the nodes of the facet at a position. */
static inline const signed char *local_of(const tess_cell_type *type, tess_facet_kind kind,
                                          int position) {
    return kind == TESS_FACET_EDGES ? type->edge[position] : type->face[position];
}

/* The mix, above the bits of a half, with its own bits well spread; a node counts from 1, for there
 * may be none. */
static inline uint64_t mix_of(const int32_t key[TESS_FACET_NODES_MAX], const packing *pack) {
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15), other = UINT64_C(0xbf58476d1ce4e5b9);
    uint64_t mix = (uint64_t)key[0] & ((UINT64_C(1) << pack->range_bits) - 1);
    if (pack->node_bits) {
        mix = mix << pack->node_bits | (uint64_t)(key[1] + 1);
        if (pack->n_others > 1)
            mix = mix << pack->node_bits | (uint64_t)(key[2] + 1);
        if (pack->n_others > 2)
            mix = mix << pack->node_bits | (uint64_t)(key[3] + 1);
        return (mix << pack->half_bits) * odd;
    }
    mix = ((uint64_t)(uint32_t)key[1] << 32 | (uint32_t)key[2]) ^
          ((uint64_t)(uint32_t)key[3] << 32 | (uint32_t)key[0]) * odd;
    return mix * other >> HALF_BITS << HALF_BITS;
}

static inline int32_t lowest_of(const int32_t *nodes, const signed char *local,
                                tess_facet_kind kind) {
    const int32_t a = nodes[local[0]], b = nodes[local[1]], lowest = a < b ? a : b;
    if (kind == TESS_FACET_EDGES)
        return lowest;
    const int32_t c = nodes[local[2]], d = nodes[local[3] < 0 ? local[0] : local[3]];
    const int32_t other = c < d ? c : d;
    return other < lowest ? other : lowest;
}

/* Gives the ranges of the lowest nodes of a cell's facets, each once, and how many; most cells have
 * one or two. */
static inline int ranges_of(const tess_facets *facets, tess_facet_kind kind, int range_bits,
                            int64_t cell, int32_t ranges[TESS_CELL_NODES_MAX + 1]) {
    const tess_cell_type *type = NULL;
    const int32_t *nodes = tess_cell_nodes(facets->cells, cell, &type);
    const int n_facets = tess_facet_count(type, kind);
    int n = 0;
    ranges[0] = ranges[1] = -1;
    for (int position = 0; position < n_facets; position++) {
        const int32_t range = lowest_of(nodes, local_of(type, kind, position), kind) >> range_bits;
        bool is_there = (ranges[0] == range) | (ranges[1] == range);
        for (int i = 2; i < n; i++)
            is_there |= ranges[i] == range;
        ranges[n] = range;
        n += !is_there;
    }
    return n;
}

static inline int64_t add(int64_t *count, bool is_alone) {
    return is_alone ? (*count)++ : __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

/* Lists every cell at its ranges, or counts it there; inlined for each kind. */
static inline void list_cells(const tess_facets *facets, tess_facet_kind kind, int range_bits,
                              bool counts, tess_rows *at_range) {
    const int64_t n_cells = facets->n_halves ? facets->cells->n_cells : 0;
    const bool is_alone = omp_get_max_threads() == 1;
#pragma omp parallel for schedule(static)
    for (int64_t cell = 0; cell < n_cells; cell++) {
        int32_t ranges[TESS_CELL_NODES_MAX + 1];
        const int n = ranges_of(facets, kind, range_bits, cell, ranges);
        for (int i = 0; i < n; i++) {
            if (counts)
                add(&at_range->offset[ranges[i] + 2], is_alone);
            else
                at_range->item[add(&at_range->offset[ranges[i] + 1], is_alone)] = (int32_t)cell;
        }
    }
}

static tess_status cells_at_ranges(const tess_facets *facets, int range_bits, tess_rows **out) {
    tess_status status = TESS_OK;
    tess_rows *rows = NULL;
    CHECK(tess_rows_new((facets->cells->n_nodes >> range_bits) + 1, &rows));
    for (int puts = 0; puts < 2; puts++) {
        if (facets->kind == TESS_FACET_EDGES)
            list_cells(facets, TESS_FACET_EDGES, range_bits, !puts, rows);
        else
            list_cells(facets, TESS_FACET_FACES, range_bits, !puts, rows);
        if (!puts)
            CHECK(tess_rows_open(rows));
    }
    *out = TESS_TAKE(rows);
done:
    tess_rows_free(rows);
    return status;
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
    tess_facet_key(n, nodes, facets->kind, key);
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

/* A visit: what is done with the halves of a facet. */
typedef struct visiting {
    const tess_facets *facets;
    packing pack;
    const tess_rows *at_range; /* the cells of each range */
    void (*visit)(void *context, const uint64_t *halves, int64_t n);
    void *context;
} visiting;

/* Visits the facets of n sorted halves. */
static void visit_halves(const visiting *v, uint64_t *halves, int64_t n) {
    const packing *pack = &v->pack;
    const bool mix_is_key = pack->node_bits;
    while (n) {
        int64_t run = 1;
        while (run < n && halves[run] >> pack->half_bits == halves[0] >> pack->half_bits)
            run++;
        for (int64_t i = 0; i < run; i++)
            halves[i] &= (UINT64_C(1) << pack->half_bits) - 1;
        if (!mix_is_key && run > 2 && same_nodes(v->facets, halves, run) < run)
            qsort_r(halves, (size_t)run, sizeof *halves, compare_halves, (void *)v->facets);
        n -= run;
        while (run) {
            const int64_t same = mix_is_key || run == 1 ? run : same_nodes(v->facets, halves, run);
            v->visit(v->context, halves, same);
            halves += same;
            run -= same;
        }
    }
}

/* Puts the halves of a cell whose lowest nodes are in a range behind the n that are there; gives
 * how many there are then. */
static inline int64_t put_cell(const visiting *v, tess_facet_kind kind, int64_t range, int64_t cell,
                               uint64_t *halves, int64_t n) {
    const tess_cell_type *type = NULL;
    const int32_t *nodes = tess_cell_nodes(v->facets->cells, cell, &type);
    const int n_facets = tess_facet_count(type, kind);
    for (int position = 0; position < n_facets; position++) {
        int32_t key[TESS_FACET_NODES_MAX];
        const bool counts = key_of(nodes, local_of(type, kind, position), kind, key);
        halves[n] = mix_of(key, &v->pack) | (uint64_t)(cell * v->facets->stride + position);
        n += counts & (key[0] >> v->pack.range_bits == range);
    }
    return n;
}

/* Visits the facets of a range; there is room for all halves of its cells and one more, twice. */
static void visit_range(const visiting *v, int64_t range, uint64_t *halves, uint64_t *sorted) {
    const int64_t ahead = 16; /* cells, while whose facets are sought another one comes */
    const tess_rows *rows = v->at_range;
    const tess_cell_type *type = NULL;
    int64_t n = 0;
    for (int64_t i = rows->offset[range]; i < rows->offset[range + 1]; i++) {
        if (i + ahead < rows->offset[rows->n])
            __builtin_prefetch(tess_cell_nodes(v->facets->cells, rows->item[i + ahead], &type));
        n = v->facets->kind == TESS_FACET_EDGES
                ? put_cell(v, TESS_FACET_EDGES, range, rows->item[i], halves, n)
                : put_cell(v, TESS_FACET_FACES, range, rows->item[i], halves, n);
    }
    tess_sort_spread(halves, n, sorted);
    visit_halves(v, sorted, n);
}

/* Usual ranges are visited by all threads, larger ones before, one after the other. */
tess_status tess_facets_visit(const tess_facets *facets,
                              void (*visit)(void *context, const uint64_t *halves, int64_t n),
                              void *context) {
    enum { LARGE = 16 * USUAL }; /* halves */
    tess_status status = TESS_OK;
    tess_rows *at_range = NULL;
    uint64_t *halves = NULL;
    const packing pack = packing_of(facets);
    CHECK(cells_at_ranges(facets, pack.range_bits, &at_range));
    const visiting v = {facets, pack, at_range, visit, context};
    const int64_t stride = facets->stride, most = tess_rows_longest(at_range) * stride + 1;
    const int64_t room = most < LARGE ? most : LARGE, all = room * omp_get_max_threads();
    CHECK(TESS_ALLOC(2 * (most > all ? most : all), &halves));
    for (int64_t range = 0; range < at_range->n && most > LARGE; range++)
        if (tess_rows_size(at_range, range) * stride >= LARGE)
            visit_range(&v, range, halves, halves + most);
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t range = 0; range < at_range->n; range++) {
        uint64_t *mine = halves + 2 * room * omp_get_thread_num();
        if (tess_rows_size(at_range, range) * stride < LARGE)
            visit_range(&v, range, mine, mine + room);
    }
done:
    tess_rows_free(at_range);
    free(halves);
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
