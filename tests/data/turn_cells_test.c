/* Turning cells: they stay the cells that they were, and those of neighbouring numbers have nodes,
 * and pairs of nodes, in the same slots more often. */
#include "data/canonical_mesh.h"
#include "data/mesh_open.h"
#include "tests/data/made_mesh.h"

enum { WINDOW = 32 };

/* Nodes and pairs of nodes, each with its slots, that the warps of WINDOW cells have. */
static int64_t distinct(const tess_mesh *mesh, const char *name) {
    const tess_map *map = tess_mesh_find_map(mesh, name);
    const int64_t n = mesh->sets[map->from].size;
    const int arity = map->arity;
    int64_t found = 0;
    for (int64_t e = 0; e < n; e++)
        for (int i = 0; i < arity; i++)
            for (int j = i; j < arity; j++) {
                int64_t other = e / WINDOW * WINDOW;
                while (map->index[arity * other + i] != map->index[arity * e + i] ||
                       map->index[arity * other + j] != map->index[arity * e + j])
                    other++;
                found += other == e;
            }
    return found;
}

static tess_mesh *opened(const char *text, const char *more) {
    char whole[200];
    tess_mesh *mesh = NULL;
    snprintf(whole, sizeof whole, "%s%s", text, more);
    OK(tess_mesh_open(whole, &mesh));
    return mesh;
}

static void cells_agree_more_often(void **state) {
    static const struct {
        const char *mesh, *maps[2];
        double less; /* of what they had */
    } cases[] = {
        {"layers:nx=9:ny=8:prisms=3:tets=4:order=rcm", {"tets:nodes", "prisms:nodes"}, 0.95},
        {"tets:nx=5:ny=5:nz=5:shuffle=1:order=rcm", {"cells:nodes"}, 0.95},
        {"hexes:nx=7:ny=6:nz=5", {"cells:nodes"}, 1},
        {"irregular:nx=9:ny=9", {"cells:nodes"}, 1}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        tess_mesh *before = opened(cases[c].mesh, ""), *after = opened(cases[c].mesh, ":align=32");
        for (int m = 0; m < 2 && cases[c].maps[m]; m++) {
            const int64_t had = distinct(before, cases[c].maps[m]),
                          has = distinct(after, cases[c].maps[m]);
            print_message("%s %s: %lld, %lld\n", cases[c].mesh, cases[c].maps[m], (long long)had,
                          (long long)has);
            assert_true((double)has <= cases[c].less * (double)had);
        }
        OK(tess_canonical_turn(before));
        OK(tess_canonical_turn(after));
        for (int m = 0; m < before->n_maps; m++)
            assert_memory_equal(
                before->maps[m].index, after->maps[m].index,
                (size_t)(before->sets[before->maps[m].from].size * before->maps[m].arity) *
                    sizeof(int32_t));
        tess_mesh_free(before);
        tess_mesh_free(after);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_agree_more_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
