/* The edges of a cell, as tables of a page. */
#include "kernels/strategies/cell_edges.h"

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

static void print_list(tess_page *page, const int *values, int n) {
    tess_page_code(page, NULL, "{");
    for (int i = 0; i < n; i++)
        tess_page_code(page, NULL, "%s%d", i ? ", " : "", values[i]);
    tess_page_code(page, NULL, "}");
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
    tess_page_code(page, NULL,
                   "/* The edges of a cell: their nodes, sets without common ends, and those of a "
                   "node. */\nCONSTANT int edge_ends[%d][2] = {",
                   type->n_edges);
    for (int e = 0; e < type->n_edges; e++)
        tess_page_code(page, NULL, "%s{%d, %d}", e ? ", " : "", type->edge[e][0], type->edge[e][1]);
    tess_page_code(page, NULL, "};\nCONSTANT int edge_set[%d] = ", type->n_edges);
    print_list(page, set, type->n_edges);
    tess_page_code(page, NULL, ";\nCONSTANT int slot_edges[%d][%d] = {", type->n_nodes, most);
    for (int i = 0; i < type->n_nodes; i++) {
        while (degree[i] < most)
            edges[i][degree[i]++] = -1;
        tess_page_code(page, NULL, i ? ", " : "");
        print_list(page, edges[i], most);
    }
    tess_page_code(page, NULL, "};\n\n");
}
