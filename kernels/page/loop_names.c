/* Loop names: what the generated page calls the dats and sets of a loop, and how args reach them.
 */
#include "kernels/page/loop_names.h"

#include <stdio.h>
#include <string.h>

void tess_dat_symbol(const tess_arg *arg, char symbol[TESS_SYMBOL_SIZE]) {
    snprintf(symbol, TESS_SYMBOL_SIZE, "%s_%s", arg->set[0] ? arg->set : "global", arg->dat);
}

bool tess_same_dat(const tess_arg *a, const tess_arg *b) {
    return strcmp(a->dat, b->dat) == 0 && strcmp(a->set, b->set) == 0;
}

bool tess_arg_is_global(const tess_arg *arg) {
    return arg->set[0] == '\0';
}

bool tess_dat_named_before(const tess_loop *loop, int a) {
    for (int b = 0; b < a; b++)
        if (tess_same_dat(&loop->args[a], &loop->args[b]))
            return true;
    return false;
}

bool tess_dat_is_written(const tess_loop *loop, const tess_arg *arg) {
    for (int b = 0; b < loop->n_args; b++)
        if (loop->args[b].access != TESS_READ && tess_same_dat(arg, &loop->args[b]))
            return true;
    return false;
}

static const tess_map *map_of(const tess_page *page, const tess_arg *arg) {
    return tess_mesh_find_map(page->bound->mesh, arg->map);
}

void tess_arg_reach_slot(const tess_page *page, const tess_arg *arg, int k, int *reach, int *slot) {
    const int32_t *index = map_of(page, arg)->index + k;
    for (*reach = 0; *reach < page->bound->n_targets; ++*reach)
        for (*slot = 0; *slot < page->bound->targets[*reach].n_slots; ++*slot)
            if (page->bound->targets[*reach].slot_index[*slot] == index)
                return;
}

const char *tess_reach_name(const tess_page *page, int reach) {
    return page->bound->mesh->sets[page->bound->targets[reach].set].name;
}

void tess_arg_slots(const tess_page *page, const tess_arg *arg, int *first, int *end) {
    *first = arg->slot < 0 ? 0 : arg->slot;
    *end = arg->slot < 0 ? map_of(page, arg)->arity : arg->slot + 1;
}

int tess_arg_local_size(const tess_page *page, const tess_arg *arg) {
    int first = 0, end = 1;
    if (arg->map[0])
        tess_arg_slots(page, arg, &first, &end);
    return (end - first) * arg->dim;
}

bool tess_arg_travels(const tess_page *page, const tess_arg *arg, bool summed) {
    const bool stays =
        page->independent_ends && !summed && strcmp(arg->set, page->plan->partitioned_set) == 0;
    return arg->map[0] && arg->access == (summed ? TESS_INC : TESS_READ) && !stays;
}

int tess_loop_point_writer(const tess_loop *loop) {
    for (int a = 0; a < loop->n_args; a++)
        if (loop->args[a].map[0] &&
            (loop->args[a].access == TESS_WRITE || loop->args[a].access == TESS_RW))
            return a;
    return -1;
}

int tess_arg_first_reach(const tess_page *page, int a, bool summed) {
    const tess_loop *loop = page->bound->loop;
    const tess_arg *arg = &loop->args[a];
    if (!tess_arg_travels(page, arg, summed))
        return -1;
    for (int b = 0; b < a; b++)
        if (tess_arg_travels(page, &loop->args[b], summed) && tess_same_dat(arg, &loop->args[b]))
            return -1;
    int r = 0;
    while (strcmp(tess_reach_name(page, r), arg->set) != 0)
        r++;
    return r;
}

int tess_owned_reach(const tess_page *page, int *first_slot) {
    int r = 0;
    while (strcmp(tess_reach_name(page, r), page->plan->partitioned_set) != 0)
        r++;
    *first_slot = 0;
    while (!page->plan->sets[r].slot_incremented[*first_slot])
        ++*first_slot;
    return r;
}
