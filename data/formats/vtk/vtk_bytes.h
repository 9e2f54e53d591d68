/* The bytes of a VTK array, decoded and decompressed a few at a time. Format: VTK's file formats,
 * "XML File Formats". */
#pragma once

#include "data/formats/scan.h"

typedef enum tess_vtk_encoding { TESS_VTK_TEXT, TESS_VTK_BASE64, TESS_VTK_RAW } tess_vtk_encoding;

/* How a file writes its numbers. */
typedef struct tess_vtk_coding {
    int header_bytes; /* 4 or 8: of the sizes before binary numbers; 0: the array's end tells it */
    bool compressed;  /* with zlib */
    bool swap;        /* the other byte order than this machine's */
} tess_vtk_coding;

/* The cells of VTK's older files are rows: how many nodes each has, and these. They are seen as two
 * arrays: all nodes, and where those of each cell end. */
typedef enum tess_vtk_view {
    TESS_VTK_NUMBERS,
    TESS_VTK_ROW_NODES,
    TESS_VTK_ROW_ENDS
} tess_vtk_view;

typedef struct tess_vtk_array {
    const char *name; /* "connectivity", for messages */
    char type;        /* 'i' signed, 'u' unsigned, 'f' real; 0: the file lacks the array */
    int type_bytes;   /* 1, 2, 4 or 8 */
    tess_vtk_encoding encoding;
    tess_vtk_view view;
    int64_t n_numbers; /* of rows: all that the file has of them */
    tess_scan start;   /* of the file, at the first byte of the array; `end` behind the last */
} tess_vtk_array;

/* A binary array being read. */
typedef struct tess_vtk_bytes {
    const tess_vtk_array *array;
    const tess_vtk_coding *coding;
    tess_scan scan;          /* at the first byte of what was encoded together with the values */
    int64_t n_together;      /* how many bytes were encoded together */
    int64_t n_wanted;        /* bytes of values */
    int64_t done;            /* bytes of values that were given or passed over */
    int64_t n_blocks;        /* compressed: of the values that are wanted */
    int64_t block_size;      /* of each, decompressed */
    int64_t last_block_size; /* of the last of n_blocks */
    int64_t block;           /* the one in `inflated`, -1: none */
    int64_t packed_at;       /* where the block behind it begins */
    char *head;              /* sizes: three words, then the compressed size of each; owned */
    char *packed, *inflated; /* one block; owned */
    int64_t packed_capacity;
    signed char digit[256]; /* of base64; -1: none */
} tess_vtk_bytes;

enum { TESS_VTK_ALL_BYTES = -1 };

/* Begins to read an array of at least `wanted` bytes, of a file that outlives it. Fails (INPUT)
 * where it has fewer, or where its sizes are damaged. The caller closes it. */
TESS_MUST_CHECK tess_status tess_vtk_bytes_open(const tess_vtk_array *array,
                                                const tess_vtk_coding *coding, int64_t wanted,
                                                tess_vtk_bytes *out);
/* Gives the next n bytes, of those that were wanted. */
TESS_MUST_CHECK tess_status tess_vtk_bytes_read(tess_vtk_bytes *bytes, int64_t n, char *to);
void tess_vtk_bytes_pass(tess_vtk_bytes *bytes, int64_t n);
void tess_vtk_bytes_close(tess_vtk_bytes *bytes);
