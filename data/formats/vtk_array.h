/* A VTK array: numbers in one of the encodings of VTK's XML files, as text, base64 or raw bytes,
 * compressed or not. Format: VTK's file formats, "XML File Formats". */
#pragma once

#include "data/formats/scan.h"

typedef enum tess_vtk_encoding { TESS_VTK_TEXT, TESS_VTK_BASE64, TESS_VTK_RAW } tess_vtk_encoding;

/* How a file writes its numbers. */
typedef struct tess_vtk_coding {
    int header_bytes; /* 4 or 8: of the sizes before binary numbers */
    bool compressed;  /* with zlib */
    bool swap;        /* the other byte order than this machine's */
} tess_vtk_coding;

typedef struct tess_vtk_array {
    const char *name; /* "connectivity", for messages */
    char type;        /* 'i' signed, 'u' unsigned, 'f' real; 0: the file lacks the array */
    int type_bytes;   /* 1, 2, 4 or 8 */
    tess_vtk_encoding encoding;
    tess_scan start; /* of the file, at the first byte of the array; `end` behind the last */
} tess_vtk_array;

/* Sets type and type_bytes by VTK's word for them ("Int64"); false for another word. */
bool tess_vtk_array_type(tess_vtk_array *array, const char *word);

/* Gives the n values of an array as reals or as whole numbers, the caller's. Fails (INPUT) where
 * the array has fewer or is damaged; on a real that is not finite; on reals where whole numbers are
 * asked for. More values than n are ignored. */
TESS_MUST_CHECK tess_status tess_vtk_array_reals(const tess_vtk_array *array,
                                                 const tess_vtk_coding *coding, int64_t n,
                                                 double **out);
TESS_MUST_CHECK tess_status tess_vtk_array_integers(const tess_vtk_array *array,
                                                    const tess_vtk_coding *coding, int64_t n,
                                                    int64_t **out);
