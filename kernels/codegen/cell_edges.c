/* The edges of a cell, as functions of a page. */
#include "kernels/codegen/cell_edges.h"

static bool share_end(const tess_cell_type *type, int e, int f) {
    for (int i = 0; i < 4; i++)
        if (type->edge[e][i / 2] == type->edge[f][i % 2])
            return true;
    return false;
}

/* Puts edges from `e` on into sets whose edges have no common end, if n sets are enough. */
static bool find_sets(const tess_cell_type *type, int n, int e, int *set) {
    if (e == type->n_edges)
        return true;
    for (set[e] = 0; set[e] < n; set[e]++) {
        bool fits = true;
        for (int f = 0; f < e; f++)
            fits &= set[f] != set[e] || !share_end(type, e, f);
        if (fits && find_sets(type, n, e + 1, set))
            return true;
    }
    return false;
}

enum { NO_EDGE = 15 };

/* Prints a number whose digit i, of base 16 and from the right, is value i. */
static void print_digits(tess_page *page, const int *values, int n) {
    uint64_t digits = 0;
    for (int i = 0; i < n; i++)
        digits |= (uint64_t)values[i] << 4 * i;
    tess_page_code(page, NULL, n > 8 ? "0x%llxull" : "0x%llxu", (unsigned long long)digits);
}

static void print_ends(tess_page *page, const tess_cell_type *type, int end) {
    int nodes[TESS_CELL_EDGES_MAX];
    for (int e = 0; e < type->n_edges; e++)
        nodes[e] = type->edge[e][end];
    print_digits(page, nodes, type->n_edges);
}

/* Prints the i-th edges of all nodes, for each i a choice. */
static void print_slot_edges(tess_page *page, const tess_cell_type *type,
                             int edges[][TESS_CELL_EDGES_MAX], int most) {
    tess_page_code(page, NULL,
                   "INLINE int slot_edge(int node, int i) {\n    const int edge = (int)((");
    for (int i = 0; i < most; i++) {
        int of[TESS_CELL_NODES_MAX];
        for (int node = 0; node < type->n_nodes; node++)
            of[node] = edges[node][i];
        if (i < most - 1)
            tess_page_code(page, NULL, "i == %d ? ", i);
        print_digits(page, of, type->n_nodes);
        tess_page_code(page, NULL, i < most - 1 ? " : " : "");
    }
    tess_page_code(page, NULL, ") >> 4 * node & 15);\n    return edge == %d ? -1 : edge;\n}\n\n",
                   NO_EDGE);
}

void tess_cell_edges_print(const tess_cell_type *type, tess_page *page) {
    int set[TESS_CELL_EDGES_MAX], edges[TESS_CELL_NODES_MAX][TESS_CELL_EDGES_MAX];
    int degree[TESS_CELL_NODES_MAX] = {0}, most = 0, n_sets = 1;
    for (int e = 0; e < type->n_edges; e++)
        for (int end = 0; end < 2; end++)
            edges[type->edge[e][end]][degree[type->edge[e][end]]++] = e;
    for (int i = 0; i < type->n_nodes; i++)
        most = degree[i] > most ? degree[i] : most;
    while (!find_sets(type, n_sets, 0, set))
        n_sets++;
    tess_page_print(page, "#define MOST_EDGES %d\n#define N_EDGE_SETS %d\n", most, n_sets);
    for (int i = 0; i < type->n_nodes; i++)
        while (degree[i] < most)
            edges[i][degree[i]++] = NO_EDGE;
    tess_page_code(page, NULL,
                   "/* The edges of a cell: their nodes, sets without common ends, and those of a "
                   "node. Digits of numbers, for compilers put arrays in global memory. */\n"
                   "INLINE int edge_end(int e, int end) {\n    return (int)((end ? ");
    print_ends(page, type, 1);
    tess_page_code(page, NULL, " : ");
    print_ends(page, type, 0);
    tess_page_code(page, NULL,
                   ") >> 4 * e & 15);\n}\n\nINLINE int edge_set(int e) {\n    return (int)(");
    print_digits(page, set, type->n_edges);
    tess_page_code(page, NULL, " >> 4 * e & 15);\n}\n\n");
    print_slot_edges(page, type, edges, most);
}
