/* Gmsh's periodic entities: pairs of nodes. Files of version 2 have them as text, binary ones, too.
 */
#include "data/formats/gmsh.h"

static bool is_raw(const tess_gmsh *gmsh) {
    return gmsh->binary && gmsh->version == 4;
}

static tess_status read_number(tess_gmsh *gmsh, const char *what, int64_t *n) {
    const char *raw = NULL;
    if (is_raw(gmsh)) {
        TRY(tess_scan_raw(&gmsh->scan, what, 1, 8, &raw));
        *n = tess_raw_int64(raw, gmsh->scan.swap);
        return *n < 0 ? tess_scan_fail(&gmsh->scan, "the %s is negative", what) : TESS_OK;
    }
    tess_scan_find_line(&gmsh->scan);
    TRY(tess_scan_integer(&gmsh->scan, what, 0, INT64_MAX, n));
    return tess_scan_finish_line(&gmsh->scan);
}

/* Adds a pair of nodes, which may belong to ghosts that are not in the file. */
static tess_status add_pair(tess_gmsh *gmsh, const int64_t tags[2]) {
    int32_t nodes[2];
    for (int i = 0; i < 2; i++)
        TRY(tess_gmsh_find_node(gmsh, &gmsh->scan, tags[i], &nodes[i]));
    return tess_periodic_add(&gmsh->periodic, nodes[0], nodes[1]);
}

static tess_status read_pair(tess_gmsh *gmsh) {
    int64_t tags[2];
    if (!tess_scan_find_line(&gmsh->scan))
        return tess_scan_fail(&gmsh->scan, "the file ends where a pair of nodes should be");
    for (int i = 0; i < 2; i++)
        TRY(tess_scan_integer(&gmsh->scan, "periodic node", INT64_MIN, INT64_MAX, &tags[i]));
    TRY(add_pair(gmsh, tags));
    return tess_scan_finish_line(&gmsh->scan);
}

static tess_status raw_pairs(tess_gmsh *gmsh, int64_t n) {
    const char *raw = NULL;
    TRY(tess_scan_raw(&gmsh->scan, "pairs of nodes", n, 2 * 8, &raw));
    for (int64_t i = 0; i < n; i++, raw += 2 * 8)
        TRY(add_pair(gmsh, (const int64_t[]){tess_raw_int64(raw, gmsh->scan.swap),
                                             tess_raw_int64(raw + 8, gmsh->scan.swap)}));
    return TESS_OK;
}

/* Passes over the line of a transformation: `Affine ...` in version 2, which may lack it, a count
 * and numbers in version 4.1. */
static void pass_transformation(tess_gmsh *gmsh) {
    tess_scan look = gmsh->scan;
    if (tess_scan_find_line(&look) && (gmsh->version == 4 || *look.at == 'A' || *look.at == 'T')) {
        tess_scan_find_line(&gmsh->scan);
        tess_scan_skip_line(&gmsh->scan);
    }
}

/* Passes over an entity, the one that it is periodic with, and how it is moved there. */
static tess_status pass_entity(tess_gmsh *gmsh) {
    const char *raw = NULL;
    int64_t n_numbers = 0;
    if (is_raw(gmsh)) {
        TRY(tess_scan_raw(&gmsh->scan, "periodic entity", 3, 4, &raw));
        TRY(read_number(gmsh, "size of a transformation", &n_numbers));
        return tess_scan_raw(&gmsh->scan, "transformation", n_numbers, 8, &raw);
    }
    if (!tess_scan_find_line(&gmsh->scan))
        return tess_scan_fail(&gmsh->scan, "the file ends where a periodic entity should be");
    TRY(tess_scan_skip_integers(&gmsh->scan, "entity"));
    tess_scan_skip_line(&gmsh->scan);
    pass_transformation(gmsh);
    return TESS_OK;
}

tess_status tess_gmsh_periodic(tess_gmsh *gmsh) {
    int64_t n = 0, n_pairs = 0;
    TRY(read_number(gmsh, "number of periodic entities", &n));
    for (int64_t i = 0; i < n; i++) {
        TRY(pass_entity(gmsh));
        TRY(read_number(gmsh, "number of pairs of nodes", &n_pairs));
        if (is_raw(gmsh))
            TRY(raw_pairs(gmsh, n_pairs));
        for (int64_t pair = 0; pair < n_pairs && !is_raw(gmsh); pair++)
            TRY(read_pair(gmsh));
        gmsh->periodic.n_sides++;
    }
    return TESS_OK;
}
