/* A VTK array: numbers in one of the encodings of VTK's XML files. */
#include "data/formats/vtk/vtk_array.h"

#include "core/base/array.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 4096 }; /* values */

bool tess_vtk_array_type(tess_vtk_array *array, const char *word) {
    static const struct {
        const char *word;
        char type;
        int bytes;
    } types[] = {{"Int8", 'i', 1},    {"UInt8", 'u', 1},  {"Int16", 'i', 2}, {"UInt16", 'u', 2},
                 {"Int32", 'i', 4},   {"UInt32", 'u', 4}, {"Int64", 'i', 8}, {"UInt64", 'u', 8},
                 {"Float32", 'f', 4}, {"Float64", 'f', 8}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(word, types[i].word) == 0) {
            array->type = types[i].type;
            array->type_bytes = types[i].bytes;
            return true;
        }
    return false;
}

/* Moves to the next word of the array, over line ends. */
static void find_word(tess_scan *scan) {
    while (scan->at < scan->end && (tess_is_blank(*scan->at) || *scan->at == '\n')) {
        scan->line += *scan->at == '\n';
        scan->at++;
    }
}

static tess_status expect_words(const tess_vtk_array *array, int64_t n) {
    const int64_t left = array->start.end - array->start.at;
    if (n > left / 2 + 1)
        return tess_scan_fail(&array->start,
                              "the array %s of %" PRId64 " numbers has only %" PRId64 " bytes",
                              array->name, n, left);
    return TESS_OK;
}

/* Opens the numbers of which rows consist. */
static tess_status open_rows(const tess_vtk_array *array, const tess_vtk_coding *coding,
                             tess_vtk_values *out) {
    TRY(array->encoding == TESS_VTK_TEXT
            ? expect_words(array, array->n_numbers)
            : tess_vtk_bytes_open(array, coding, array->n_numbers * array->type_bytes,
                                  &out->bytes));
    out->rows.n_left = array->n_numbers;
    return TESS_ALLOC(AT_ONCE, &out->rows.kept);
}

tess_status tess_vtk_values_open(const tess_vtk_array *array, const tess_vtk_coding *coding,
                                 int64_t n, tess_vtk_values *out) {
    *out = (tess_vtk_values){.array = array, .scan = array->start};
    if (array->view != TESS_VTK_NUMBERS)
        return open_rows(array, coding, out);
    if (n < 0 || n > INT64_MAX / 16)
        return tess_scan_fail(&array->start, "the array %s of %" PRId64 " numbers is too large",
                              array->name, n);
    return array->encoding == TESS_VTK_TEXT
               ? expect_words(array, n)
               : tess_vtk_bytes_open(array, coding, n * array->type_bytes, &out->bytes);
}

void tess_vtk_values_close(tess_vtk_values *values) {
    tess_vtk_bytes_close(&values->bytes);
    free(values->rows.kept);
    values->rows.kept = NULL;
}

void tess_vtk_values_pass(tess_vtk_values *values, int64_t n) {
    values->done += n;
    if (values->array->view != TESS_VTK_NUMBERS) {
        values->rows.to_pass += n;
        return;
    }
    if (values->array->encoding != TESS_VTK_TEXT) {
        tess_vtk_bytes_pass(&values->bytes, n * values->array->type_bytes);
        return;
    }
    tess_scan *scan = &values->scan;
    for (int64_t i = 0; i < n; i++) {
        find_word(scan);
        while (scan->at < scan->end && !tess_is_blank(*scan->at) && *scan->at != '\n')
            scan->at++;
    }
}

static int64_t integer_of(const tess_vtk_array *array, bool swap, const char *raw) {
    const bool is_signed = array->type == 'i';
    uint16_t two;
    switch (array->type_bytes) {
    case 1:
        return is_signed ? (int64_t)(signed char)*raw : (int64_t)(unsigned char)*raw;
    case 2:
        memcpy(&two, raw, sizeof two);
        two = swap ? __builtin_bswap16(two) : two;
        return is_signed ? (int64_t)(int16_t)two : (int64_t)two;
    case 4:
        return is_signed ? (int64_t)tess_raw_int32(raw, swap)
                         : (int64_t)(uint32_t)tess_raw_int32(raw, swap);
    default:
        return tess_raw_int64(raw, swap); /* ids past 2^63 are negative, and refused as such */
    }
}

static double real_of(const tess_vtk_array *array, bool swap, const char *raw) {
    if (array->type != 'f')
        return (double)integer_of(array, swap, raw);
    if (array->type_bytes == 8)
        return tess_raw_double(raw, swap);
    union {
        int32_t bits;
        float value;
    } real = {.bits = tess_raw_int32(raw, swap)};
    return (double)real.value;
}

/* Gives the bytes of the next values, at most AT_ONCE of them, and how many they are. */
static tess_status read_some(tess_vtk_values *values, int64_t n, char raw[8 * AT_ONCE],
                             int64_t *some) {
    *some = n < AT_ONCE ? n : AT_ONCE;
    values->done += *some;
    return tess_vtk_bytes_read(&values->bytes, *some * values->array->type_bytes, raw);
}

/* Lets go of the text that was read. */
static void pass_text(const tess_vtk_values *values) {
    enum { KEPT = 1 << 12 }; /* bytes: the page that the next word is on */
    if (values->scan.mapped && values->scan.at - values->array->start.at > KEPT)
        tess_file_pages_pass(values->array->start.at, values->scan.at - KEPT);
}

tess_status tess_vtk_values_reals(tess_vtk_values *values, int64_t n, double *to) {
    const tess_vtk_array *array = values->array;
    char raw[8 * AT_ONCE];
    int64_t some = 0;
    if (array->encoding == TESS_VTK_TEXT) {
        for (int64_t i = 0; i < n; i++) {
            find_word(&values->scan);
            TRY(tess_scan_real(&values->scan, array->name, &to[i]));
            if (i % AT_ONCE == 0)
                pass_text(values);
        }
        return TESS_OK;
    }
    for (; n > 0; n -= some, to += some) {
        TRY(read_some(values, n, raw, &some));
        for (int64_t i = 0; i < some; i++) {
            to[i] = real_of(array, values->bytes.coding->swap, raw + i * array->type_bytes);
            if (!isfinite(to[i]))
                return tess_scan_fail(&array->start, "value %" PRId64 " of the array %s is %g",
                                      values->done - some + i, array->name, to[i]);
        }
    }
    return TESS_OK;
}

/* Gives numbers of the array as the file has them. */
static tess_status read_integers(tess_vtk_values *values, int64_t n, int64_t *to) {
    const tess_vtk_array *array = values->array;
    char raw[8 * AT_ONCE];
    int64_t some = 0;
    if (array->type == 'f')
        return tess_scan_fail(&array->start,
                              "the array %s holds reals; whole numbers are asked for", array->name);
    if (array->encoding == TESS_VTK_TEXT) {
        for (int64_t i = 0; i < n; i++) {
            find_word(&values->scan);
            TRY(tess_scan_integer(&values->scan, array->name, INT64_MIN, INT64_MAX, &to[i]));
        }
        values->done += n;
        pass_text(values);
        return TESS_OK;
    }
    for (; n > 0; n -= some, to += some) {
        TRY(read_some(values, n, raw, &some));
        for (int64_t i = 0; i < some; i++)
            to[i] = integer_of(array, values->bytes.coding->swap, raw + i * array->type_bytes);
    }
    return TESS_OK;
}

/* --- rows of cells ---------------------------------------------------------------------------- */

static bool rows_end(const tess_vtk_rows *rows) {
    return rows->at == rows->n_kept && rows->n_left == 0;
}

/* Passes over n numbers, of which the first is given. Fails where there are fewer. */
static tess_status take_numbers(tess_vtk_values *values, int64_t n, int64_t *first) {
    tess_vtk_rows *rows = &values->rows;
    for (bool is_first = true; n > 0; is_first = false) {
        if (rows_end(rows))
            return tess_scan_fail(&values->scan, "the %s end within a cell", values->array->name);
        if (rows->at == rows->n_kept) {
            rows->n_kept = rows->n_left < AT_ONCE ? rows->n_left : AT_ONCE;
            rows->n_left -= rows->n_kept;
            rows->at = 0;
            TRY(read_integers(values, rows->n_kept, rows->kept));
        }
        const int64_t here = rows->n_kept - rows->at < n ? rows->n_kept - rows->at : n;
        if (is_first)
            *first = rows->kept[rows->at];
        rows->at += here;
        n -= here;
    }
    return TESS_OK;
}

/* Begins the next row that has nodes, or the next one. */
static tess_status begin_row(tess_vtk_values *values) {
    tess_vtk_rows *rows = &values->rows;
    int64_t n = 0;
    TRY(take_numbers(values, 1, &n));
    const int64_t left = rows->n_kept - rows->at + rows->n_left;
    if (n < 0 || n > left)
        return tess_scan_fail(&values->scan,
                              "a cell of the %s has %" PRId64 " nodes, but only %" PRId64
                              " numbers follow",
                              values->array->name, n, left);
    rows->n_in_row = n;
    rows->end += n;
    return TESS_OK;
}

/* Gives the next n values of rows, or those of them that follow; `to` is NULL where none is
 * wanted. */
static tess_status read_rows(tess_vtk_values *values, int64_t n, int64_t *to, int64_t *n_read) {
    tess_vtk_rows *rows = &values->rows;
    int64_t value = 0;
    for (*n_read = 0; *n_read < n; ++*n_read) {
        if (values->array->view == TESS_VTK_ROW_ENDS) {
            if (rows_end(rows))
                return TESS_OK;
            TRY(begin_row(values));
            TRY(take_numbers(values, rows->n_in_row, &value));
            value = rows->end;
        } else {
            while (rows->n_in_row == 0 && !rows_end(rows))
                TRY(begin_row(values));
            if (rows->n_in_row == 0)
                return TESS_OK;
            TRY(take_numbers(values, 1, &value));
            rows->n_in_row--;
        }
        if (to)
            to[*n_read] = value;
    }
    return TESS_OK;
}

/* Looks at those that were passed over, then gives the next as read_rows() does. */
static tess_status read_rows_on(tess_vtk_values *values, int64_t n, int64_t *to, int64_t *n_read) {
    const int64_t done = values->done, to_pass = values->rows.to_pass;
    values->rows.to_pass = 0;
    TRY(read_rows(values, to_pass, NULL, n_read));
    TRY(read_rows(values, n, to, n_read));
    values->done = done + *n_read;
    return TESS_OK;
}

tess_status tess_vtk_values_integers(tess_vtk_values *values, int64_t n, int64_t *to) {
    int64_t n_read = 0;
    if (values->array->view == TESS_VTK_NUMBERS)
        return read_integers(values, n, to);
    TRY(read_rows_on(values, n, to, &n_read));
    if (n_read < n)
        return tess_scan_fail(&values->scan, "the %s end before those that are announced",
                              values->array->name);
    return TESS_OK;
}

/* --- all that there is ------------------------------------------------------------------------ */

tess_status tess_vtk_values_open_all(const tess_vtk_array *array, const tess_vtk_coding *coding,
                                     tess_vtk_values *out, int64_t *n) {
    *out = (tess_vtk_values){.array = array, .scan = array->start};
    *n = array->n_numbers;
    if (array->view != TESS_VTK_NUMBERS)
        return open_rows(array, coding, out);
    *n = (array->start.end - array->start.at) / 2 + 1;
    if (array->encoding == TESS_VTK_TEXT)
        return TESS_OK;
    TRY(tess_vtk_bytes_open(array, coding, TESS_VTK_ALL_BYTES, &out->bytes));
    *n = out->bytes.n_wanted / array->type_bytes;
    return TESS_OK;
}

tess_status tess_vtk_values_some(tess_vtk_values *values, int64_t n, int64_t *to, int64_t *n_read) {
    const tess_vtk_array *array = values->array;
    if (array->view != TESS_VTK_NUMBERS)
        return read_rows_on(values, n, to, n_read);
    *n_read = n;
    if (array->encoding != TESS_VTK_TEXT || array->type == 'f')
        return tess_vtk_values_integers(values, n, to);
    for (int64_t i = 0; i < n; i++) {
        find_word(&values->scan);
        if (values->scan.at == values->scan.end) {
            *n_read = i;
            return TESS_OK;
        }
        TRY(tess_scan_integer(&values->scan, array->name, INT64_MIN, INT64_MAX, &to[i]));
    }
    values->done += n;
    pass_text(values);
    return TESS_OK;
}
