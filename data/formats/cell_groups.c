/* Cell groups: the cells of a mesh by region, and by type, for formats that hold them in blocks. */
#include "data/formats/cell_groups.h"

#include "core/base/array.h"
#include <stdlib.h>

/* The number of a cell's group among all that there could be. */
static int64_t key_of(const tess_cells *cells, const tess_marked *marked, bool by_type,
                      int64_t cell) {
    const int region = marked->region_of && marked->region_of[cell] >= 0 ? marked->region_of[cell]
                                                                         : marked->n_regions;
    const int type = by_type && cells->block_of ? cells->block_of[cell] : 0;
    return (int64_t)region * TESS_CELL_TYPES + type;
}

/* Makes the groups that have cells, and puts where each begins into first[key]. */
static tess_status make_groups(const tess_cells *cells, const tess_marked *marked, bool by_type,
                               int64_t *first, tess_cell_groups *out) {
    const int64_t n_keys = (int64_t)(marked->n_regions + 1) * TESS_CELL_TYPES;
    int64_t at = 0;
    for (int64_t cell = 0; cell < cells->n_cells; cell++)
        first[key_of(cells, marked, by_type, cell)]++;
    TRY(TESS_ALLOC(n_keys, &out->groups));
    for (int64_t key = 0; key < n_keys; key++) {
        const int region = (int)(key / TESS_CELL_TYPES);
        const tess_cell_group group = {
            .region = region < marked->n_regions ? region : -1, .first = at, .n = first[key]};
        at += group.n;
        if (group.n)
            out->groups[out->n++] = group;
        first[key] = group.first;
    }
    return TESS_OK;
}

/* Says that a group's cells are of one type where they are. */
static void find_types(const tess_cells *cells, tess_cell_groups *groups) {
    for (int g = 0; g < groups->n; g++) {
        tess_cell_group *group = &groups->groups[g];
        bool are_equal = true;
        const tess_cell_type *type = NULL;
        for (int64_t i = 0; i < group->n && are_equal; i++) {
            const tess_cell_type *own = NULL;
            tess_cell_nodes(cells, groups->cell[group->first + i], &own);
            are_equal = i == 0 || own == type;
            type = own;
        }
        group->type = are_equal ? type : NULL;
    }
}

tess_status tess_cell_groups_build(const tess_cells *cells, const tess_marked *marked, bool by_type,
                                   tess_cell_groups *out) {
    tess_status status = TESS_OK;
    tess_cell_groups groups = {.n = 0};
    int64_t *next = NULL;
    CHECK(TESS_ZEROS((int64_t)(marked->n_regions + 1) * TESS_CELL_TYPES, &next));
    CHECK(make_groups(cells, marked, by_type, next, &groups));
    CHECK(TESS_ALLOC(cells->n_cells, &groups.cell));
    CHECK(TESS_ALLOC(cells->n_cells, &groups.place));
    for (int64_t cell = 0; cell < cells->n_cells; cell++) {
        const int64_t place = next[key_of(cells, marked, by_type, cell)]++;
        groups.cell[place] = (int32_t)cell;
        groups.place[cell] = (int32_t)place;
        groups.n_moved += place != cell;
    }
    find_types(cells, &groups);
    *out = groups;
    groups = (tess_cell_groups){.n = 0};
done:
    free(next);
    tess_cell_groups_release(&groups);
    return status;
}

void tess_cell_groups_release(tess_cell_groups *groups) {
    free(groups->groups);
    free(groups->cell);
    free(groups->place);
    *groups = (tess_cell_groups){.n = 0};
}

tess_status tess_cell_groups_warn(const tess_cell_groups *groups, const char *format,
                                  const char *blocks, tess_mesh *mesh) {
    return groups->n_moved ? tess_mesh_warn(mesh,
                                            "%s files hold cells %s by %s: %lld of them have other "
                                            "numbers there than in the mesh",
                                            format, blocks, blocks, (long long)groups->n_moved)
                           : TESS_OK;
}
