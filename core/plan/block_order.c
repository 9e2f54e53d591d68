/* A block order: blocks numbered along the mesh, so that neighbours are near in memory. */
#include "core/plan/block_order.h"

#include "core/base/array.h"
#include "core/base/rows.h"
#include "core/plan/shared_points.h"
#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>

/* Two blocks that share a point, and where the second one first refers to it: an element and one of
 * its slots, counted through all rows. */
typedef struct block_link {
    int32_t a, b;
    int64_t at;
} block_link;

/* What one pass over all points finds. The blocks of a point are linked as a chain, not as a
 * clique: that connects the same blocks with a link less than there are blocks. */
typedef struct block_links {
    int64_t n_links, capacity;
    block_link *links;
    int64_t n_recent; /* of a thread: the last link to each of so many blocks, which is not among */
    block_link *recent; /* the others yet; b = 0: none. Two blocks share many points in a row */
    int64_t n_references, n_points; /* sum of m |E(b)| and of |P(b)| */
} block_links;

/* The first slot by which an element has a point, which it has. */
static int64_t slot_of(const tess_incidence *map, int64_t element, int32_t point) {
    int64_t n = 0, slot = 0;
    const int32_t *row = tess_incidence_row(map, element, &n);
    while (row[slot] != point)
        slot++;
    return slot;
}

/* Whether an element accesses a point that it has: none accesses itself. */
static bool accesses(const tess_incidence *map, int64_t element, int32_t point) {
    int64_t n = 0;
    tess_incidence_row(map, element, &n);
    return !map->points_are_elements || slot_of(map, element, point) + 1 < n;
}

static tess_status append_link(const block_link *link, block_links *links) {
    TRY(TESS_RESERVE(links->n_links + 1, &links->capacity, &links->links));
    links->links[links->n_links++] = *link;
    return TESS_OK;
}

/* Adds a link, or where it first refers to a point to the last one of the same blocks. */
static tess_status add_link(const block_link *link, block_links *links) {
    block_link *recent = &links->recent[link->b % links->n_recent];
    if (recent->b == link->b && recent->a == link->a) {
        recent->at = link->at < recent->at ? link->at : recent->at;
        return TESS_OK;
    }
    if (recent->b)
        TRY(append_link(recent, links));
    *recent = *link;
    return TESS_OK;
}

/* Adds the links between the blocks of one row's point, and how many of these access it. */
static tess_status add_point(const tess_incidence *map, const tess_shared_points *shared,
                             int64_t row, block_links *links) {
    int32_t before = -1, last_reader = -1;
    for (int64_t i = shared->rows.offset[row]; i < shared->rows.offset[row + 1]; i++) {
        const uint64_t word = shared->rows.value[i];
        const int32_t b = (int32_t)(word >> 32), e = (int32_t)word;
        if (b != last_reader && accesses(map, e, shared->point[row])) {
            links->n_points++;
            last_reader = b;
        }
        if (b == before)
            continue;
        if (before >= 0) {
            const int64_t first = map->offset ? map->offset[e] : (int64_t)e * map->arity;
            const int64_t at = first + slot_of(map, e, shared->point[row]);
            TRY(add_link(&(block_link){before, b, at}, links));
        }
        before = b;
    }
    return TESS_OK;
}

/* Adds the links of a thread's rows to its own. */
static tess_status add_share(const tess_incidence *map, const tess_shared_points *shared,
                             int64_t begin, int64_t end, block_links *links) {
    TRY(TESS_ZEROS(links->n_recent, &links->recent));
    for (int64_t r = begin; r < end; r++)
        TRY(add_point(map, shared, r, links));
    for (int64_t i = 0; i < links->n_recent; i++)
        if (links->recent[i].b)
            TRY(append_link(&links->recent[i], links));
    return TESS_OK;
}

static tess_status add_points(const tess_incidence *map, const tess_shared_points *shared,
                              int n_threads, block_links *of_threads) {
    tess_status status = TESS_OK;
    const int64_t n = shared->rows.n;
#pragma omp parallel for num_threads(n_threads) schedule(static, 1)
    for (int t = 0; t < n_threads; t++) {
        const tess_status own =
            add_share(map, shared, n * t / n_threads, n * (t + 1) / n_threads, &of_threads[t]);
        if (own != TESS_OK) {
#pragma omp critical
            status = own;
        }
    }
    if (status != TESS_OK) /* whose words another thread has */
        FAIL(status, "out of memory for the neighbours of blocks");
    return TESS_OK;
}

static int64_t count_references(const tess_incidence *map, int64_t n_elements) {
    int64_t n_references = 0;
#pragma omp parallel for reduction(+ : n_references)
    for (int64_t e = 0; e < n_elements; e++) {
        int64_t n = 0;
        const int32_t *row = tess_incidence_row(map, e, &n);
        for (int64_t s = 0; s < n - map->points_are_elements; s++)
            n_references += row[s] >= 0;
    }
    return n_references;
}

static int compare_places(const void *a, const void *b) {
    const int64_t p = ((const block_link *)a)->at, q = ((const block_link *)b)->at;
    return (p > q) - (p < q);
}

/* Appends the links of all threads by their second block, and by where this refers to what it
 * shares. */
static tess_status append(const block_links *of_threads, int n_threads, int64_t n_blocks,
                          block_links *links) {
    tess_status status = TESS_OK;
    int64_t *end =
        NULL; /* [n_blocks + 1]: where the links of a block begin; where they end, then */
    CHECK(TESS_ZEROS(n_blocks + 1, &end));
    for (int t = 0; t < n_threads; t++)
        for (int64_t i = 0; i < of_threads[t].n_links; i++)
            end[of_threads[t].links[i].b + 1]++;
    for (int64_t b = 0; b < n_blocks; b++)
        end[b + 1] += end[b];
    const int64_t n = end[n_blocks];
    if (n == 0)
        goto done;
    CHECK(TESS_RESERVE(links->n_links + n, &links->capacity, &links->links));
    block_link *const to = links->links + links->n_links;
    for (int t = 0; t < n_threads; t++)
        for (int64_t i = 0; i < of_threads[t].n_links; i++)
            to[end[of_threads[t].links[i].b]++] = of_threads[t].links[i];
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t b = 0; b < n_blocks; b++) {
        const int64_t begin = b ? end[b - 1] : 0;
        qsort(to + begin, (size_t)(end[b] - begin), sizeof *to, compare_places);
    }
    links->n_links += n;
done:
    free(end);
    return status;
}

static tess_status links_add_map(const tess_incidence *map, const int32_t *block_of,
                                 int64_t n_elements, int64_t n_blocks, block_links *links) {
    tess_status status = TESS_OK;
    const int n_threads = omp_get_max_threads();
    block_links *of_threads = NULL;
    tess_shared_points shared = {.n_single = 0};
    CHECK(TESS_ZEROS(n_threads, &of_threads));
    for (int t = 0; t < n_threads; t++)
        of_threads[t].n_recent = n_blocks / n_threads + 1;
    CHECK(tess_shared_points_find(map, block_of, n_elements, &shared));
    links->n_points += shared.n_single;
    CHECK(add_points(map, &shared, n_threads, of_threads));
    for (int t = 0; t < n_threads; t++)
        links->n_points += of_threads[t].n_points;
    links->n_references += count_references(map, n_elements);
    CHECK(append(of_threads, n_threads, n_blocks, links));
done:
    for (int t = 0; of_threads && t < n_threads; t++) {
        free(of_threads[t].links);
        free(of_threads[t].recent);
    }
    free(of_threads);
    tess_shared_points_clear(&shared);
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
static int32_t odd_block(const int32_t *size, int64_t n) {
    if (n < 3)
        return -1;
    const int32_t usual = size[0] == size[1] ? size[0] : size[2];
    int32_t odd = -1;
    for (int32_t b = 0; b < n; b++) {
        if (size[b] == usual)
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

/* Gives how many elements each block has, and the most. */
static tess_status count_elements(const int32_t *block_of, int64_t n_elements, int64_t n_blocks,
                                  int32_t **size, int64_t *largest) {
    TRY(TESS_ZEROS(n_blocks, size));
    int32_t *const sizes = *size, most = 0;
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < n_elements; e++)
        __atomic_fetch_add(&sizes[block_of[e]], 1, __ATOMIC_RELAXED);
    for (int64_t b = 0; b < n_blocks; b++)
        most = sizes[b] > most ? sizes[b] : most;
    *largest = most;
    return TESS_OK;
}

tess_status tess_block_order_build(const tess_partition_problem *problem, const int32_t *block_of,
                                   int64_t n_blocks, int32_t **number, int64_t *largest,
                                   double *reuse_factor) {
    tess_status status = TESS_OK;
    block_links links = {.n_links = 0};
    tess_rows *graph = NULL;
    int32_t *numbers = NULL, *size = NULL;
    CHECK(count_elements(block_of, problem->n_elements, n_blocks, &size, largest));
    for (int m = 0; m < problem->n_maps; m++)
        CHECK(links_add_map(&problem->maps[m], block_of, problem->n_elements, n_blocks, &links));
    CHECK(graph_of_links(&links, n_blocks, &graph));
    CHECK(TESS_ALLOC(n_blocks, &numbers));
    CHECK(number_blocks(graph, numbers));
    const int32_t odd = odd_block(size, n_blocks);
    if (odd >= 0)
        number_last(odd, n_blocks, numbers);
    *reuse_factor = links.n_points ? (double)links.n_references / (double)links.n_points : 0;
    *number = TESS_TAKE(numbers);
done:
    free(numbers);
    free(size);
    tess_rows_free(graph);
    free(links.links);
    return status;
}
