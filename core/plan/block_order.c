/* A block order: blocks numbered along the mesh, so that neighbours are near in memory. */
#include "core/plan/block_order.h"

#include "core/base/array.h"
#include "core/base/rows.h"
#include <omp.h>
#include <stdlib.h>

/* Two blocks that share a point. */
typedef struct block_link {
    int32_t a, b;
} block_link;

/* What one pass over the points of all blocks finds. The blocks of a point are linked as a chain,
 * not as a clique: that connects the same blocks with a link less than there are blocks. Links
 * ascend by their second block, those of each by where it first refers to what it shares. */
typedef struct block_links {
    int64_t n_links, capacity;
    block_link *links;
    int64_t n_references, n_points; /* sum of m |E(b)| and of |P(b)| */
} block_links;

/* Consecutive blocks that one thread passes over, with marks that are a block's number and 1. */
typedef struct block_range {
    int64_t begin, end;
    int32_t *last_of;        /* [n_points]: the last block that has a point; 0: none yet */
    int32_t *last_reader;    /* the last that accesses it; NULL: as has it */
    int32_t *last_neighbour; /* [n_blocks]: the last block that was linked to a block */
    block_links found;
} block_range;

static void range_release(block_range *range) {
    free(range->last_of);
    free(range->last_reader);
    free(range->last_neighbour);
    free(range->found.links);
}

/* Links two blocks, the first time that the second comes upon the first. */
static tess_status add_link(int32_t a, int32_t b, block_range *range) {
    block_links *found = &range->found;
    if (range->last_neighbour[a] == b + 1)
        return TESS_OK;
    range->last_neighbour[a] = b + 1;
    TRY(TESS_RESERVE(found->n_links + 1, &found->capacity, &found->links));
    found->links[found->n_links++] = (block_link){a, b};
    return TESS_OK;
}

/* Links a block to those before it that have the points of one of its elements. */
static tess_status add_element(const tess_incidence *map, int32_t element, int32_t block,
                               block_range *range) {
    int64_t n = 0;
    const int32_t mark = block + 1, *row = tess_incidence_row(map, element, &n);
    const int64_t n_accessed = n - map->points_are_elements; /* none accesses itself */
    for (int64_t s = 0; s < n; s++) {
        if (row[s] < 0)
            continue;
        const int32_t last = range->last_of[row[s]];
        range->last_of[row[s]] = mark;
        if (last != mark && last > 0)
            TRY(add_link(last - 1, block, range));
        range->found.n_references += s < n_accessed;
        if (range->last_reader && s < n_accessed) {
            range->found.n_points += range->last_reader[row[s]] != mark;
            range->last_reader[row[s]] = mark;
        } else if (!range->last_reader)
            range->found.n_points += last != mark;
    }
    return TESS_OK;
}

static tess_status add_blocks(const tess_incidence *map, const tess_rows *blocks,
                              block_range *range) {
    TRY(TESS_ZEROS(blocks->n, &range->last_neighbour));
    if (map->points_are_elements)
        TRY(TESS_ZEROS(map->n_points, &range->last_reader));
    const int64_t last = blocks->offset[range->end] - 1;
    for (int64_t b = range->begin; b < range->end; b++)
        for (int64_t i = blocks->offset[b]; i < blocks->offset[b + 1]; i++) {
            tess_incidence_prefetch(map, blocks->item[i + 16 < last ? i + 16 : last]);
            TRY(add_element(map, blocks->item[i], (int32_t)b, range));
        }
    return TESS_OK;
}

/* Marks the points of each range with the last block that has them in the ranges before it. */
static void mark_points(const tess_incidence *map, const tess_rows *blocks, int n_ranges,
                        const block_range *ranges) {
#pragma omp parallel for schedule(static, 1)
    for (int r = 0; r < n_ranges - 1; r++)
        for (int64_t b = ranges[r].begin; b < ranges[r].end; b++)
            for (int64_t i = blocks->offset[b]; i < blocks->offset[b + 1]; i++) {
                int64_t n = 0;
                const int32_t *row = tess_incidence_row(map, blocks->item[i], &n);
                for (int64_t s = 0; s < n; s++)
                    if (row[s] >= 0)
                        ranges[r].last_of[row[s]] = (int32_t)b + 1;
            }
#pragma omp parallel for schedule(static)
    for (int64_t p = 0; p < map->n_points; p++) {
        int32_t before = 0;
        for (int r = 0; r < n_ranges; r++) {
            const int32_t own = ranges[r].last_of[p];
            ranges[r].last_of[p] = before;
            before = own ? own : before;
        }
    }
}

static tess_status append(const block_links *found, block_links *links) {
    links->n_references += found->n_references;
    links->n_points += found->n_points;
    TRY(TESS_RESERVE(links->n_links + found->n_links, &links->capacity, &links->links));
    for (int64_t i = 0; i < found->n_links; i++)
        links->links[links->n_links++] = found->links[i];
    return TESS_OK;
}

enum { MOST_RANGES = 16 };

/* Ranges of blocks, one for each thread while the marks of all are no more numbers than the map. */
static int count_ranges(const tess_incidence *map, int64_t n_elements) {
    const int64_t n_entries = map->offset ? map->offset[n_elements] : n_elements * map->arity;
    const int64_t most = n_entries / (map->n_points > 0 ? map->n_points : 1);
    const int n_threads = omp_get_max_threads() < MOST_RANGES ? omp_get_max_threads() : MOST_RANGES;
    return most < 1 ? 1 : most < n_threads ? (int)most : n_threads;
}

static tess_status links_add_map(const tess_incidence *map, const tess_rows *blocks,
                                 block_links *links) {
    tess_status status = TESS_OK;
    block_range ranges[MOST_RANGES] = {{.begin = 0}};
    const int n_ranges = count_ranges(map, blocks->offset[blocks->n]);
    for (int r = 0; r < n_ranges; r++) {
        ranges[r].begin = blocks->n * r / n_ranges;
        ranges[r].end = blocks->n * (r + 1) / n_ranges;
        CHECK(TESS_ZEROS(map->n_points, &ranges[r].last_of));
    }
    if (n_ranges > 1)
        mark_points(map, blocks, n_ranges, ranges);
#pragma omp parallel for num_threads(n_ranges) schedule(static, 1)
    for (int r = 0; r < n_ranges; r++) {
        const tess_status own = add_blocks(map, blocks, &ranges[r]);
        if (own != TESS_OK) {
#pragma omp critical
            status = own;
        }
    }
    if (status != TESS_OK) /* whose words another thread has */
        CHECK(tess_fail(status, "out of memory for the neighbours of blocks"));
    for (int r = 0; r < n_ranges; r++)
        CHECK(append(&ranges[r].found, links));
done:
    for (int r = 0; r < n_ranges; r++)
        range_release(&ranges[r]);
    return status;
}

/* Gives the neighbours of each block; one may appear more than once, later ones change nothing. */
static tess_status graph_of_links(const block_links *links, int64_t n_blocks, tess_rows **out) {
    tess_status status = TESS_OK;
    tess_rows *graph = NULL;
    CHECK(tess_rows_new(n_blocks, &graph));
    for (int64_t i = 0; i < links->n_links; i++) {
        tess_rows_count(graph, links->links[i].a);
        tess_rows_count(graph, links->links[i].b);
    }
    CHECK(tess_rows_open(graph));
    for (int64_t i = 0; i < links->n_links; i++) {
        tess_rows_put(graph, links->links[i].a, links->links[i].b);
        tess_rows_put(graph, links->links[i].b, links->links[i].a);
    }
    *out = TESS_TAKE(graph);
done:
    tess_rows_free(graph);
    return status;
}

/* Puts the blocks reached from `start` through blocks not yet of this `pass` into the queue,
 * breadth first; returns how many. */
static int64_t search(const tess_rows *graph, int32_t start, uint8_t pass, uint8_t *pass_of,
                      int32_t *queue) {
    int64_t head = 0, tail = 0;
    queue[tail++] = start;
    pass_of[start] = pass;
    while (head < tail) {
        const int32_t b = queue[head++];
        for (int64_t i = graph->offset[b]; i < graph->offset[b + 1]; i++) {
            const int32_t c = graph->item[i];
            if (pass_of[c] != pass) {
                pass_of[c] = pass;
                queue[tail++] = c;
            }
        }
    }
    return tail;
}

static tess_status number_blocks(const tess_rows *graph, int32_t *number) {
    const int64_t n_blocks = graph->n;
    tess_status status = TESS_OK;
    uint8_t *pass_of = NULL; /* 1: in the search for a far end; 2: numbered */
    int32_t *queue = NULL;
    CHECK(TESS_ZEROS(n_blocks, &pass_of));
    CHECK(TESS_ALLOC(n_blocks, &queue));
    int64_t n_numbered = 0;
    for (int32_t b = 0; b < n_blocks; b++) {
        if (pass_of[b])
            continue;
        int32_t *piece = queue + n_numbered;
        const int64_t size = search(graph, b, 1, pass_of, piece);
        n_numbered += search(graph, piece[size - 1], 2, pass_of, piece);
    }
    for (int64_t i = 0; i < n_blocks; i++)
        number[queue[i]] = (int32_t)i;
done:
    free(queue);
    free(pass_of);
    return status;
}

/* The one block of another size than all others, or -1, or more. */
static int32_t odd_block(const tess_rows *blocks) {
    if (blocks->n < 3)
        return -1;
    const int64_t size = tess_rows_size(blocks, 0);
    const int64_t usual = size == tess_rows_size(blocks, 1) ? size : tess_rows_size(blocks, 2);
    int32_t odd = -1;
    for (int32_t b = 0; b < blocks->n; b++) {
        if (tess_rows_size(blocks, b) == usual)
            continue;
        if (odd >= 0)
            return -1;
        odd = b;
    }
    return odd;
}

/* Numbers a block last: turns the order round where it was first, else moves that block. */
static void number_last(int32_t block, int64_t n_blocks, int32_t *number) {
    const int32_t last = (int32_t)n_blocks - 1, before = number[block];
    for (int64_t b = 0; b < n_blocks; b++)
        number[b] = before == 0 ? last - number[b] : number[b] - (number[b] > before);
    number[block] = last;
}

tess_status tess_block_order_build(const tess_partition_problem *problem, const int32_t *block_of,
                                   int64_t n_blocks, int32_t **number, int64_t *largest,
                                   double *reuse_factor) {
    tess_status status = TESS_OK;
    block_links links = {.n_links = 0};
    tess_rows *blocks = NULL, *graph = NULL;
    int32_t *numbers = NULL;
    CHECK(tess_rows_build(block_of, problem->n_elements, n_blocks, &blocks));
    for (int m = 0; m < problem->n_maps; m++)
        CHECK(links_add_map(&problem->maps[m], blocks, &links));
    CHECK(graph_of_links(&links, n_blocks, &graph));
    CHECK(TESS_ALLOC(n_blocks, &numbers));
    CHECK(number_blocks(graph, numbers));
    const int32_t odd = odd_block(blocks);
    if (odd >= 0)
        number_last(odd, n_blocks, numbers);
    *largest = tess_rows_longest(blocks);
    *reuse_factor = links.n_points ? (double)links.n_references / (double)links.n_points : 0;
    *number = TESS_TAKE(numbers);
done:
    free(numbers);
    tess_rows_free(blocks);
    tess_rows_free(graph);
    free(links.links);
    return status;
}
