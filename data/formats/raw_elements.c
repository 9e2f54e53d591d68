/* Raw elements: a table of elements in a binary file, whose nodes count from 1. */
#include "data/formats/raw_elements.h"

#include <inttypes.h>

static int64_t read_id(const char *raw, int id_bytes, bool swap) {
    return id_bytes == 8 ? tess_raw_int64(raw, swap) : tess_raw_int32(raw, swap);
}

static tess_status read_element(const tess_scan *scan, const tess_raw_elements *raw, int64_t row,
                                int64_t n_nodes, tess_element *element) {
    const tess_element_kind *kind = &tess_element_kinds[raw->type];
    const char *ids = raw->ids + row * raw->record;
    const bool reordered = raw->slot_of[0] != raw->slot_of[1];
    *element = (tess_element){.type = raw->type};
    for (int i = 0; i < kind->arity; i++) {
        const int64_t id = read_id(ids + i * raw->id_bytes, raw->id_bytes, scan->swap);
        if (id < 1 || id > n_nodes) {
            tess_scan place = *scan;
            place.at = ids;
            return tess_scan_fail(
                &place, "%s %" PRId64 " has the node %" PRId64 ", which is not in 1..%" PRId64,
                kind->name, row, id, n_nodes);
        }
        element->nodes[reordered ? raw->slot_of[i] : i] = (int32_t)(id - 1);
    }
    if (raw->groups)
        element->marker =
            (int32_t)read_id(raw->groups + row * raw->group_record, raw->id_bytes, scan->swap);
    return TESS_OK;
}

tess_status tess_raw_elements_append(const tess_scan *scan, const tess_raw_elements *raw,
                                     int64_t n_nodes, tess_elements *elements) {
    enum { BATCH = 256 };
    tess_element batch[BATCH];
    int n_batch = 0;
    for (int64_t row = 0; row < raw->n; row++) {
        TRY(read_element(scan, raw, row, n_nodes, &batch[n_batch++]));
        if (n_batch == BATCH || row + 1 == raw->n) {
            TRY(tess_elements_append(elements, batch, n_batch));
            n_batch = 0;
        }
    }
    return TESS_OK;
}
