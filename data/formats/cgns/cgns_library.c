/* The CGNS library as reading and writing need it, opened at run time. */
#include "data/formats/cgns/cgns_library.h"

#include "core/base/library.h"
#include <dlfcn.h>

tess_status tess_cgns_load(const char *path, tess_cgns *out) {
    static const char *const names[] = {"libcgns.so.3.4", "libcgns.so.4.3", "libcgns.so.4.4",
                                        "libcgns.so.4.5", "libcgns.so",     NULL};
    /* NODELETE: it keeps memory of its own, so loading it anew each time would lose that. */
    tess_cgns cgns = {.handle = tess_library_open(names, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)};
    if (!cgns.handle)
        FAIL(TESS_ERROR_MISSING,
             "%s: the CGNS library (libcgns.so) reads and writes this file and is not on "
             "this machine: apt-get install libcgns3.4",
             path);
    const tess_library_symbol functions[] = {
        {"cg_open", &cgns.open},
        {"cg_close", &cgns.close},
        {"cg_get_error", &cgns.error},
        {"cg_nbases", &cgns.n_bases},
        {"cg_base_read", &cgns.base},
        {"cg_nfamilies", &cgns.n_families},
        {"cg_family_read", &cgns.family},
        {"cg_nzones", &cgns.n_zones},
        {"cg_zone_read", &cgns.zone},
        {"cg_zone_type", &cgns.zone_type},
        {"cg_coord_read", &cgns.coordinate},
        {"cg_nsections", &cgns.n_sections},
        {"cg_section_read", &cgns.section},
        {"cg_ElementDataSize", &cgns.data_size},
        {"cg_elements_read", &cgns.elements},
        {"cg_elements_partial_read", &cgns.elements_part},
        {"cg_poly_elements_read", &cgns.poly_elements},
        {"cg_nbocos", &cgns.n_conditions},
        {"cg_boco_info", &cgns.condition},
        {"cg_boco_read", &cgns.condition_points},
        {"cg_boco_gridlocation_read", &cgns.condition_position},
        {"cg_n1to1", &cgns.n_interfaces},
        {"cg_1to1_read", &cgns.interface},
        {"cg_nconns", &cgns.n_links},
        {"cg_conn_info", &cgns.link},
        {"cg_conn_read", &cgns.link_points},
        {"cg_get_cgio", &cgns.tree},
        {"cg_root_id", &cgns.root},
        {"cgio_get_node_id", &cgns.node},
        {"cgio_get_dimensions", &cgns.lengths},
        {"cgio_get_data_type", &cgns.data_type},
        {"cgio_read_data", &cgns.read},
        {"cg_base_write", &cgns.write_base},
        {"cg_zone_write", &cgns.write_zone},
        {"cg_coord_write", &cgns.write_coordinate},
        {"cg_section_write", &cgns.write_section},
        {"cg_poly_section_write", &cgns.write_mixed_section},
        {"cg_boco_write", &cgns.write_condition},
        {"cg_boco_gridlocation_write", &cgns.write_condition_position},
    };
    TRY(tess_fail_at(
        TESS_LIBRARY_FIND(cgns.handle, functions, "this machine's libcgns.so", "3.4 or later"),
        "%s", path));
    *out = cgns;
    return TESS_OK;
}
