/* What instances of a kernel's parts make, each given away before the next is made. */
#include "kernels/codegen/made.h"

#include "core/mesh/cell_type.h"
#include "kernels/codegen/glue.h"
#include <stdio.h>

/* Where values of a part go: a block of a matrix of n slots, or what a slot, `row`, gets. */
static const tess_page_access *target_of(const tess_page *page, const tess_kernel_part *part, int k,
                                         int row, int column) {
    const int n = tess_page_part_slots(page, part);
    if (!tess_part_is_of_matrix(part) || row == column)
        return tess_page_access_of(page, part->adds[k], row);
    return tess_page_access_of(page, part->adds[k] + 1, (n - 1) * row + column - (column > row));
}

/* Adds what an instance of a part made, made0 as from "made". */
static void print_add(tess_page *page, const tess_kernel_part *part, const int position[2],
                      const char *from, const tess_made_sink *sink) {
    for (int k = 0; k < part->n_adds; k++) {
        char values[32];
        snprintf(values, sizeof values, "%s%d", from, k);
        sink->add(page, sink->context, target_of(page, part, k, position[0], position[1]), values);
    }
}

/* Makes and adds what one instance of a part adds at a slot, or in a block. */
static void print_instance(tess_page *page, const tess_kernel_part *part, int instance,
                           const tess_made_sink *sink) {
    const int n = tess_page_part_slots(page, part);
    const int pair[2] = {instance / n, instance % n}, slot[2] = {instance, 0};
    tess_page_code(page, NULL, "    {\n");
    tess_glue_make(page, part, instance);
    print_add(page, part, part->each == TESS_PART_SLOT ? slot : pair, "made", sink);
    tess_page_code(page, NULL, "    }\n");
}

/* Columns of a matrix for which a part runs for each edge; 1 where it makes no matrix. */
static int columns_of(const tess_page *page, const tess_kernel_part *part) {
    return part->each == TESS_PART_EDGE_SLOT ? tess_page_part_slots(page, part) : 1;
}

/* Each edge is made once and given to both ends. */
static void print_edges(tess_page *page, const tess_kernel_part *part, const tess_made_sink *sink) {
    const tess_cell_type *type = tess_cell_type_of_set(page->kernel->set);
    const int n_columns = columns_of(page, part);
    for (int i = 0; i < type->n_edges * n_columns; i++) {
        const int e = i / n_columns;
        tess_page_code(page, NULL, "    {\n");
        tess_glue_make(page, part, i);
        for (int end = 0; end < 2; end++)
            print_add(page, part, (const int[]){type->edge[e][end], i % n_columns},
                      end ? "made" : "-made", sink);
        tess_page_code(page, NULL, "    }\n");
    }
}

/* A slot's edges are made again for it, and their sum is given. */
static void print_slot_of_edges(tess_page *page, const tess_kernel_part *part,
                                const int position[2], const tess_made_sink *sink) {
    const tess_cell_type *type = tess_cell_type_of_set(page->kernel->set);
    tess_page_code(page, NULL, "    {\n");
    for (int k = 0; k < part->n_adds; k++)
        tess_page_code(page, tess_page_dat_of(page, part->adds[k]),
                       "        %s total%d[@dim] = {0};\n", part->made ? part->made : "real", k);
    for (int e = 0; e < type->n_edges; e++) {
        if (type->edge[e][0] != position[0] && type->edge[e][1] != position[0])
            continue;
        tess_page_code(page, NULL, "        {\n");
        tess_glue_make(page, part, e * columns_of(page, part) + position[1]);
        for (int k = 0; k < part->n_adds; k++)
            tess_page_code(page, tess_page_dat_of(page, part->adds[k]),
                           "        UNROLL for (int d = 0; d < @dim; d++)\n"
                           "            total%d[d] %s= made%d[d];\n",
                           k, type->edge[e][0] == position[0] ? "-" : "+", k);
        tess_page_code(page, NULL, "        }\n");
    }
    print_add(page, part, position, "total", sink);
    tess_page_code(page, NULL, "    }\n");
}

void tess_made_print(tess_page *page, const tess_made_sink *sink) {
    for (int p = 0; p < page->kernel->n_parts; p++) {
        const tess_kernel_part *part = &page->kernel->parts[p];
        if (part->n_adds == 0 || !tess_part_is_used(part, page->use))
            continue;
        const int n = tess_page_part_slots(page, part), n_columns = columns_of(page, part);
        const bool of_edges = tess_part_is_of_edges(part);
        if (of_edges && (page->use & TESS_USE_EDGES))
            print_edges(page, part, sink);
        else
            for (int k = 0; k < n * (part->each == TESS_PART_PAIR ? n : n_columns); k++)
                if (of_edges)
                    print_slot_of_edges(page, part, (const int[]){k / n_columns, k % n_columns},
                                        sink);
                else
                    print_instance(page, part, k, sink);
    }
}
