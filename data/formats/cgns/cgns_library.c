/* The CGNS library as reading and writing need it, opened at run time. */
#include "data/formats/cgns/cgns_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    size_t position; /* of the pointer in tess_cgns */
} functions[] = {
    {"cg_open", offsetof(tess_cgns, open)},
    {"cg_close", offsetof(tess_cgns, close)},
    {"cg_get_error", offsetof(tess_cgns, error)},
    {"cg_nbases", offsetof(tess_cgns, n_bases)},
    {"cg_base_read", offsetof(tess_cgns, base)},
    {"cg_nfamilies", offsetof(tess_cgns, n_families)},
    {"cg_family_read", offsetof(tess_cgns, family)},
    {"cg_nzones", offsetof(tess_cgns, n_zones)},
    {"cg_zone_read", offsetof(tess_cgns, zone)},
    {"cg_zone_type", offsetof(tess_cgns, zone_type)},
    {"cg_coord_read", offsetof(tess_cgns, coordinate)},
    {"cg_nsections", offsetof(tess_cgns, n_sections)},
    {"cg_section_read", offsetof(tess_cgns, section)},
    {"cg_ElementDataSize", offsetof(tess_cgns, data_size)},
    {"cg_elements_read", offsetof(tess_cgns, elements)},
    {"cg_elements_partial_read", offsetof(tess_cgns, elements_part)},
    {"cg_poly_elements_read", offsetof(tess_cgns, poly_elements)},
    {"cg_nbocos", offsetof(tess_cgns, n_conditions)},
    {"cg_boco_info", offsetof(tess_cgns, condition)},
    {"cg_boco_read", offsetof(tess_cgns, condition_points)},
    {"cg_boco_gridlocation_read", offsetof(tess_cgns, condition_position)},
    {"cg_n1to1", offsetof(tess_cgns, n_interfaces)},
    {"cg_1to1_read", offsetof(tess_cgns, interface)},
    {"cg_nconns", offsetof(tess_cgns, n_links)},
    {"cg_conn_info", offsetof(tess_cgns, link)},
    {"cg_conn_read", offsetof(tess_cgns, link_points)},
    {"cg_get_cgio", offsetof(tess_cgns, tree)},
    {"cg_root_id", offsetof(tess_cgns, root)},
    {"cgio_get_node_id", offsetof(tess_cgns, node)},
    {"cgio_get_dimensions", offsetof(tess_cgns, lengths)},
    {"cgio_get_data_type", offsetof(tess_cgns, data_type)},
    {"cgio_read_data", offsetof(tess_cgns, read)},
    {"cg_base_write", offsetof(tess_cgns, write_base)},
    {"cg_zone_write", offsetof(tess_cgns, write_zone)},
    {"cg_coord_write", offsetof(tess_cgns, write_coordinate)},
    {"cg_section_write", offsetof(tess_cgns, write_section)},
    {"cg_poly_section_write", offsetof(tess_cgns, write_mixed_section)},
    {"cg_boco_write", offsetof(tess_cgns, write_condition)},
    {"cg_boco_gridlocation_write", offsetof(tess_cgns, write_condition_position)},
};

tess_status tess_cgns_load(const char *path, tess_cgns *out) {
    static const char *const names[] = {"libcgns.so.3.4", "libcgns.so.4.3", "libcgns.so.4.4",
                                        "libcgns.so.4.5", "libcgns.so"};
    tess_cgns cgns = {.handle = NULL};
    /* NODELETE: it keeps memory of its own, so loading it anew each time would lose that. */
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !cgns.handle; i++)
        cgns.handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!cgns.handle)
        FAIL(TESS_ERROR_MISSING,
             "%s: the CGNS library (libcgns.so) reads and writes this file and is not on "
             "this machine: apt-get install libcgns3.4",
             path);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(cgns.handle, functions[i].name);
        if (!function)
            FAIL(TESS_ERROR_MISSING,
                 "%s: this machine's libcgns.so lacks %s: 3.4 or later is needed", path,
                 functions[i].name);
        memcpy((char *)&cgns + functions[i].position, &function, sizeof function);
    }
    *out = cgns;
    return TESS_OK;
}
