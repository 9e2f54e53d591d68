/* Gmsh's periodic entities: pairs of nodes of text files, versions 2 and 4.1. */
#include "data/formats/gmsh.h"

#include <inttypes.h>

static tess_status read_number(tess_gmsh *gmsh, const char *what, int64_t *n) {
    tess_scan_find_line(&gmsh->scan);
    TRY(tess_scan_integer(&gmsh->scan, what, 0, INT64_MAX, n));
    return tess_scan_finish_line(&gmsh->scan);
}

/* A pair of nodes, which may belong to ghosts that are not in the file. */
static tess_status read_pair(tess_gmsh *gmsh) {
    int64_t tags[2];
    int32_t nodes[2];
    if (!tess_scan_find_line(&gmsh->scan))
        return tess_scan_fail(&gmsh->scan, "the file ends where a pair of nodes should be");
    for (int i = 0; i < 2; i++) {
        TRY(tess_scan_integer(&gmsh->scan, "periodic node", INT64_MIN, INT64_MAX, &tags[i]));
        TRY(tess_gmsh_find_node(gmsh, &gmsh->scan, tags[i], &nodes[i]));
    }
    TRY(tess_scan_finish_line(&gmsh->scan));
    return tess_periodic_add(&gmsh->periodic, nodes[0], nodes[1]);
}

/* The line of a transformation: `Affine ...` in version 2, which may lack it, a count and numbers
 * in version 4.1. */
static void pass_transformation(tess_gmsh *gmsh) {
    tess_scan look = gmsh->scan;
    if (tess_scan_find_line(&look) && (gmsh->version == 4 || *look.at == 'A' || *look.at == 'T')) {
        tess_scan_find_line(&gmsh->scan);
        tess_scan_skip_line(&gmsh->scan);
    }
}

tess_status tess_gmsh_periodic(tess_gmsh *gmsh) {
    int64_t n = 0, n_pairs = 0;
    TRY(read_number(gmsh, "number of periodic entities", &n));
    for (int64_t i = 0; i < n; i++) {
        if (!tess_scan_find_line(&gmsh->scan))
            return tess_scan_fail(&gmsh->scan, "the file ends where a periodic entity should be");
        TRY(tess_scan_skip_integers(&gmsh->scan, "entity"));
        tess_scan_skip_line(&gmsh->scan);
        pass_transformation(gmsh);
        TRY(read_number(gmsh, "number of pairs of nodes", &n_pairs));
        for (int64_t pair = 0; pair < n_pairs; pair++)
            TRY(read_pair(gmsh));
        gmsh->periodic.n_sides++;
    }
    return TESS_OK;
}
