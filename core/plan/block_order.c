/* A block order: blocks numbered along the mesh, so that neighbours are near in memory. */
#include "core/plan/block_order.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

/* Two blocks that share a point. */
typedef struct block_link {
    int32_t a, b;
} block_link;

/* What one pass over the points of all blocks finds. The blocks of a point are linked as a chain,
 * not as a clique: that connects the same blocks with a link less than there are blocks. */
typedef struct block_links {
    int64_t n_links, capacity;
    block_link *links;
    int64_t n_references, n_points; /* sum of m |E(b)| and of |P(b)| */
} block_links;

static tess_status links_add_map(block_links *links, const tess_incidence *map,
                                 const tess_rows *rows) {
    tess_status status = TESS_OK;
    int32_t *last_block = NULL, *own = NULL; /* [n_points]: that had the point, or -1 */
    CHECK(TESS_ALLOC(map->n_points, &last_block));
    memset(last_block, 0xff, (size_t)map->n_points * sizeof *last_block);
    if (map->points_are_elements) {
        CHECK(TESS_ALLOC(map->n_points, &own));
        memset(own, 0xff, (size_t)map->n_points * sizeof *own);
    }
    int32_t *const last_reader = own ? own : last_block; /* elements do not access themselves */
    for (int32_t b = 0; b < rows->n; b++) {
        for (int64_t i = rows->offset[b]; i < rows->offset[b + 1]; i++) {
            int64_t n = 0;
            const int32_t *points = tess_incidence_row(map, rows->item[i], &n);
            for (int64_t s = 0; s < n; s++) {
                const int32_t p = points[s];
                if (p < 0)
                    continue;
                if (!map->points_are_elements || s + 1 < n) {
                    links->n_references++;
                    links->n_points += last_reader[p] != b;
                    if (own)
                        own[p] = b;
                }
                if (last_block[p] == b)
                    continue;
                if (last_block[p] >= 0) {
                    CHECK(TESS_RESERVE(links->n_links + 1, &links->capacity, &links->links));
                    links->links[links->n_links++] = (block_link){last_block[p], b};
                }
                last_block[p] = b;
            }
        }
    }
done:
    free(own);
    free(last_block);
    return status;
}

/* Gives the neighbours of each block; one may appear more than once. */
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
static int32_t odd_block(const tess_rows *rows) {
    const int64_t n = rows->n;
    if (n < 3)
        return -1;
    const int64_t usual = tess_rows_size(rows, 0) == tess_rows_size(rows, 1)
                              ? tess_rows_size(rows, 0)
                              : tess_rows_size(rows, 2);
    int32_t odd = -1;
    for (int32_t b = 0; b < n; b++) {
        if (tess_rows_size(rows, b) == usual)
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

tess_status tess_block_order_build(const tess_partition_problem *problem, const tess_rows *rows,
                                   int32_t **number, double *reuse_factor) {
    tess_status status = TESS_OK;
    block_links links = {.n_links = 0};
    tess_rows *graph = NULL;
    int32_t *numbers = NULL;
    for (int m = 0; m < problem->n_maps; m++)
        CHECK(links_add_map(&links, &problem->maps[m], rows));
    CHECK(graph_of_links(&links, rows->n, &graph));
    CHECK(TESS_ALLOC(rows->n, &numbers));
    CHECK(number_blocks(graph, numbers));
    const int32_t odd = odd_block(rows);
    if (odd >= 0)
        number_last(odd, rows->n, numbers);
    *reuse_factor = links.n_points ? (double)links.n_references / (double)links.n_points : 0;
    *number = TESS_TAKE(numbers);
done:
    free(numbers);
    tess_rows_free(graph);
    free(links.links);
    return status;
}
