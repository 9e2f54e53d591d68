/* Loop bytes: what a loop moves, as the papers count it. */
#include "kernels/loops/loop_bytes.h"

#include <string.h>

int64_t tess_dat_bytes(const tess_bound_loop *bound) {
    const tess_loop *loop = bound->loop;
    int64_t bytes = 0;
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        bool before = arg->set[0] == '\0', twice = false;
        for (int b = 0; b < loop->n_args; b++) {
            const bool same = tess_arg_shares_dat(&loop->args[b], arg);
            before |= same && b < a;
            twice |= same && (loop->args[b].access == TESS_INC || loop->args[b].access == TESS_RW);
        }
        if (!before)
            bytes += (twice ? 2 : 1) * arg->dim * (int64_t)tess_type_size(arg->type) *
                     tess_mesh_set_size(bound->mesh, arg->set);
    }
    return bytes;
}

int64_t tess_map_bytes(const tess_bound_loop *bound) {
    const tess_loop *loop = bound->loop;
    int64_t bytes = 0;
    for (int a = 0; a < loop->n_args; a++) {
        bool before = loop->args[a].map[0] == '\0';
        for (int b = 0; b < a; b++)
            before |= strcmp(loop->args[a].map, loop->args[b].map) == 0;
        if (!before)
            bytes +=
                4 * bound->n_elements * tess_mesh_find_map(bound->mesh, loop->args[a].map)->arity;
    }
    return bytes;
}

static bool goes_through(const tess_loop *loop, const tess_mesh *mesh, const tess_map *map) {
    for (int a = 0; a < loop->n_args; a++)
        if (loop->args[a].map[0] && tess_mesh_find_map(mesh, loop->args[a].map) == map)
            return true;
    return false;
}

static int64_t bytes_of_map(const tess_mesh *mesh, const tess_map *map) {
    return 4 * map->arity * mesh->sets[map->from].size;
}

int64_t tess_maps_bytes(const tess_loop *const *loops, int n, const tess_mesh *mesh) {
    int64_t bytes = 0;
    for (int m = 0; m < mesh->n_maps; m++) {
        int k = 0;
        while (k < n && !goes_through(loops[k], mesh, &mesh->maps[m]))
            k++;
        bytes += k < n ? bytes_of_map(mesh, &mesh->maps[m]) : 0;
    }
    return bytes;
}

int64_t tess_chain_dat_bytes(const tess_chain *chain, const tess_mesh *mesh) {
    int64_t bytes = 0;
    for (int d = 0; d < chain->n_dats; d++) {
        const tess_chain_dat *dat = &chain->dats[d];
        bytes += (dat->loaded + dat->stored) * dat->dim * (int64_t)tess_type_size(dat->type) *
                 tess_mesh_set_size(mesh, dat->set);
    }
    return bytes;
}

int64_t tess_chain_bytes(const tess_chain *chain, const tess_mesh *mesh) {
    int64_t bytes = tess_chain_dat_bytes(chain, mesh);
    for (int m = 0; m < mesh->n_maps; m++) {
        int k = 0;
        while (k < chain->n_loops && !goes_through(chain->loops[k].loop, mesh, &mesh->maps[m]))
            k++;
        bytes += k < chain->n_loops ? bytes_of_map(mesh, &mesh->maps[m]) : 0;
    }
    return bytes;
}
