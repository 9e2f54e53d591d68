/* Pairs of nodes: the entries off the diagonal of a matrix over the nodes, and where each cell's
 * are among them. */
#include "core/mesh/node_pairs.h"

#include "core/base/array.h"
#include "core/base/buckets.h"
#include "core/base/sort.h"
#include <stdlib.h>

/* Puts each cell into the buckets of its nodes. */
static tess_status cells_of_nodes(const tess_cells *cells, tess_buckets *buckets) {
    TRY(tess_buckets_new(cells->n_nodes, buckets));
    for (int pass = 0; pass < 2; pass++) {
#pragma omp parallel for schedule(static)
        for (int64_t cell = 0; cell < cells->n_cells; cell++) {
            const tess_cell_type *type = NULL;
            const int32_t *nodes = tess_cell_nodes(cells, cell, &type);
            for (int i = 0; i < type->n_nodes; i++) {
                if (pass == 0)
                    tess_buckets_count(buckets, nodes[i]);
                else
                    tess_buckets_put(buckets, nodes[i], (uint64_t)cell);
            }
        }
        if (pass == 0)
            TRY(tess_buckets_open(buckets));
    }
    tess_buckets_close(buckets);
    return TESS_OK;
}

/* Gathers the other nodes of a node's cells into a row, ascending, each once; returns how many. A
 * cell that repeats the node has it once among the others. */
static int64_t row_gather(const tess_cells *cells, const tess_buckets *buckets, int64_t node,
                          int32_t *row) {
    int64_t n = 0;
    for (int64_t i = buckets->offset[node]; i < buckets->offset[node + 1]; i++) {
        const tess_cell_type *type = NULL;
        const int32_t *nodes = tess_cell_nodes(cells, (int64_t)buckets->value[i], &type);
        bool met = false;
        for (int k = 0; k < type->n_nodes; k++) {
            if (nodes[k] != node || met)
                row[n++] = nodes[k];
            met = met || nodes[k] == node;
        }
    }
    return tess_sort_unique(row, n);
}

/* Counts the columns of every row into offset[row + 1], or fills the pairs from offset[row] on. */
static tess_status rows_run(const tess_cells *cells, const tess_buckets *buckets, bool fill,
                            int64_t *offset, int32_t *pairs) {
    int64_t longest = 0;
    for (int64_t node = 0; node < buckets->n; node++) {
        const int64_t n = buckets->offset[node + 1] - buckets->offset[node];
        longest = n > longest ? n : longest;
    }
    tess_status status = TESS_OK;
#pragma omp parallel
    {
        int32_t *row = NULL;
        const tess_status mine = TESS_ALLOC(longest * TESS_CELL_NODES_MAX, &row);
        if (mine != TESS_OK) {
#pragma omp critical
            status = mine;
        }
#pragma omp for schedule(dynamic, 4096)
        for (int64_t node = 0; node < buckets->n; node++) {
            if (!row)
                continue;
            const int64_t n = row_gather(cells, buckets, node, row);
            if (!fill)
                offset[node + 1] = n;
            for (int64_t i = 0; fill && i < n; i++) {
                pairs[2 * (offset[node] + i)] = (int32_t)node;
                pairs[2 * (offset[node] + i) + 1] = row[i];
            }
        }
        free(row);
    }
    return status == TESS_OK ? TESS_OK : tess_fail(status, "out of memory for rows of pairs");
}

tess_status tess_node_pairs_add(tess_mesh *mesh, const tess_cells *cells) {
    tess_status status = TESS_OK;
    tess_buckets buckets = {.n = 0};
    int64_t *offset = NULL;
    int32_t *pairs = NULL;
    CHECK(cells_of_nodes(cells, &buckets));
    CHECK(TESS_ZEROS(buckets.n + 1, &offset));
    CHECK(rows_run(cells, &buckets, false, offset, NULL));
    for (int64_t node = 0; node < buckets.n; node++)
        offset[node + 1] += offset[node];
    const int64_t n_pairs = offset[buckets.n];
    CHECK(tess_mesh_add_set(mesh, "node_pairs", n_pairs, NULL));
    CHECK(TESS_ALLOC(2 * n_pairs, &pairs));
    CHECK(rows_run(cells, &buckets, true, offset, pairs));
    status = tess_mesh_add_map(mesh, "node_pairs", "nodes", 2, TESS_MAP_DERIVED, TESS_TAKE(pairs));
done:
    free(offset);
    free(pairs);
    tess_buckets_release(&buckets);
    return status;
}

/* Where the pairs of each row begin [nodes + 1]; they are sorted by row. */
static tess_status row_offsets(const tess_mesh *mesh, const tess_map *pairs, int64_t **out) {
    const int64_t n_nodes = tess_mesh_set_size(mesh, "nodes"), n = mesh->sets[pairs->from].size;
    int64_t *offset = NULL;
    TRY(TESS_ZEROS(n_nodes + 1, &offset));
    for (int64_t i = 0; i < n; i++)
        offset[pairs->index[2 * i] + 1]++;
    for (int64_t node = 0; node < n_nodes; node++)
        offset[node + 1] += offset[node];
    *out = offset;
    return TESS_OK;
}

/* The number of the pair (row, column), which exists. */
static int32_t pair_find(const int32_t *pairs, const int64_t *offset, int32_t row, int32_t column) {
    int64_t low = offset[row], high = offset[row + 1] - 1;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (pairs[2 * middle + 1] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return (int32_t)low;
}

tess_status tess_pairs_of_cells_add(tess_mesh *mesh, const tess_cell_block *block) {
    tess_status status = TESS_OK;
    int64_t *offset = NULL;
    int32_t *index = NULL;
    const tess_map *pairs = tess_mesh_find_map(mesh, "node_pairs:nodes");
    const int n_nodes = block->type->n_nodes, arity = n_nodes * (n_nodes - 1);
    CHECK(row_offsets(mesh, pairs, &offset));
    CHECK(TESS_ALLOC(block->n * arity, &index));
#pragma omp parallel for schedule(static)
    for (int64_t cell = 0; cell < block->n; cell++) {
        const int32_t *nodes = block->nodes + cell * n_nodes;
        int32_t *to = index + cell * arity;
        for (int i = 0; i < n_nodes; i++)
            for (int j = 0; j < n_nodes; j++)
                if (i != j)
                    *to++ = pair_find(pairs->index, offset, nodes[i], nodes[j]);
    }
    status = tess_mesh_add_map(mesh, block->type->set, "node_pairs", arity, TESS_MAP_DERIVED,
                               TESS_TAKE(index));
done:
    free(offset);
    free(index);
    return status;
}
