/* An archive: a HDF5 file of the lab, and what all kinds of them have in common. */
#include "data/archive/archive.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers lie in files as in memory");

hid_t tess_archive_number_type(tess_archive_type type) {
    switch (type) {
    case TESS_ARCHIVE_UINT8:
        return H5T_STD_U8LE;
    case TESS_ARCHIVE_UINT16:
        return H5T_STD_U16LE;
    case TESS_ARCHIVE_INT32:
        return H5T_STD_I32LE;
    case TESS_ARCHIVE_INT64:
        return H5T_STD_I64LE;
    case TESS_ARCHIVE_FLOAT:
        return H5T_IEEE_F32LE;
    case TESS_ARCHIVE_DOUBLE:
        return H5T_IEEE_F64LE;
    case TESS_ARCHIVE_TEXT:
        break;
    }
    return H5I_INVALID_HID;
}

size_t tess_archive_type_size(tess_archive_type type) {
    static const size_t sizes[] = {
        [TESS_ARCHIVE_UINT8] = 1, [TESS_ARCHIVE_UINT16] = 2, [TESS_ARCHIVE_INT32] = 4,
        [TESS_ARCHIVE_INT64] = 8, [TESS_ARCHIVE_FLOAT] = 4,  [TESS_ARCHIVE_DOUBLE] = 8,
        [TESS_ARCHIVE_TEXT] = 1};
    return sizes[type];
}

tess_status tess_archive_text_type(size_t width, hid_t *out) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0 || H5Tset_size(type, width ? width : 1) < 0 ||
        H5Tset_strpad(type, H5T_STR_NULLPAD) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0) {
        H5Tclose(type);
        return tess_hdf_fail(TESS_ERROR_INTERNAL, "a text type of %zu bytes", width);
    }
    *out = type;
    return TESS_OK;
}

tess_status tess_archive_row_type(const tess_archive_row *layout, hid_t only_in, hid_t *out) {
    tess_status status = TESS_OK;
    hid_t text = -1;
    hid_t row = H5Tcreate(H5T_COMPOUND, layout->size);
    if (row < 0)
        CHECK(tess_hdf_fail(TESS_ERROR_INTERNAL, "a row of %zu bytes", layout->size));
    for (int i = 0; i < layout->n_columns; i++) {
        const tess_archive_column *column = &layout->columns[i];
        if (only_in >= 0 && H5Tget_member_index(only_in, column->name) < 0)
            continue;
        hid_t type = tess_archive_number_type(column->type);
        if (column->type == TESS_ARCHIVE_TEXT) {
            CHECK(tess_archive_text_type(column->width, &text));
            type = text;
        }
        if (H5Tinsert(row, column->name, column->offset, type) < 0)
            CHECK(tess_hdf_fail(TESS_ERROR_INTERNAL, "the column %s", column->name));
        tess_hdf_close(text);
        text = -1;
    }
    *out = row;
    row = -1;
done:
    tess_hdf_close(text);
    tess_hdf_close(row);
    return status;
}
