/* Gmsh's types of elements, of all orders, by the numbers that its files have for them. */
#include "data/formats/gmsh.h"

#include <inttypes.h>

static const tess_gmsh_type types[] = {
    [1] = {TESS_ELEMENT_LINE, 2},        [2] = {TESS_ELEMENT_TRI, 3},
    [3] = {TESS_ELEMENT_QUAD, 4},        [4] = {TESS_ELEMENT_TET, 4},
    [5] = {TESS_ELEMENT_HEX, 8},         [6] = {TESS_ELEMENT_PRISM, 6},
    [7] = {TESS_ELEMENT_PYRAMID, 5},     [8] = {TESS_ELEMENT_LINE, 3},
    [9] = {TESS_ELEMENT_TRI, 6},         [10] = {TESS_ELEMENT_QUAD, 9},
    [11] = {TESS_ELEMENT_TET, 10},       [12] = {TESS_ELEMENT_HEX, 27},
    [13] = {TESS_ELEMENT_PRISM, 18},     [14] = {TESS_ELEMENT_PYRAMID, 14},
    [15] = {TESS_ELEMENT_POINT, 1},      [16] = {TESS_ELEMENT_QUAD, 8},
    [17] = {TESS_ELEMENT_HEX, 20},       [18] = {TESS_ELEMENT_PRISM, 15},
    [19] = {TESS_ELEMENT_PYRAMID, 13},   [20] = {TESS_ELEMENT_TRI, 9},
    [21] = {TESS_ELEMENT_TRI, 10},       [22] = {TESS_ELEMENT_TRI, 12},
    [23] = {TESS_ELEMENT_TRI, 15},       [24] = {TESS_ELEMENT_TRI, 15},
    [25] = {TESS_ELEMENT_TRI, 21},       [26] = {TESS_ELEMENT_LINE, 4},
    [27] = {TESS_ELEMENT_LINE, 5},       [28] = {TESS_ELEMENT_LINE, 6},
    [29] = {TESS_ELEMENT_TET, 20},       [30] = {TESS_ELEMENT_TET, 35},
    [31] = {TESS_ELEMENT_TET, 56},       [32] = {TESS_ELEMENT_TET, 22},
    [33] = {TESS_ELEMENT_TET, 28},       [36] = {TESS_ELEMENT_QUAD, 16},
    [37] = {TESS_ELEMENT_QUAD, 25},      [38] = {TESS_ELEMENT_QUAD, 36},
    [39] = {TESS_ELEMENT_QUAD, 12},      [40] = {TESS_ELEMENT_QUAD, 16},
    [41] = {TESS_ELEMENT_QUAD, 20},      [42] = {TESS_ELEMENT_TRI, 28},
    [43] = {TESS_ELEMENT_TRI, 36},       [44] = {TESS_ELEMENT_TRI, 45},
    [45] = {TESS_ELEMENT_TRI, 55},       [46] = {TESS_ELEMENT_TRI, 66},
    [47] = {TESS_ELEMENT_QUAD, 49},      [48] = {TESS_ELEMENT_QUAD, 64},
    [49] = {TESS_ELEMENT_QUAD, 81},      [50] = {TESS_ELEMENT_QUAD, 100},
    [51] = {TESS_ELEMENT_QUAD, 121},     [52] = {TESS_ELEMENT_TRI, 18},
    [53] = {TESS_ELEMENT_TRI, 21},       [54] = {TESS_ELEMENT_TRI, 24},
    [55] = {TESS_ELEMENT_TRI, 27},       [56] = {TESS_ELEMENT_TRI, 30},
    [57] = {TESS_ELEMENT_QUAD, 24},      [58] = {TESS_ELEMENT_QUAD, 28},
    [59] = {TESS_ELEMENT_QUAD, 32},      [60] = {TESS_ELEMENT_QUAD, 36},
    [61] = {TESS_ELEMENT_QUAD, 40},      [62] = {TESS_ELEMENT_LINE, 7},
    [63] = {TESS_ELEMENT_LINE, 8},       [64] = {TESS_ELEMENT_LINE, 9},
    [65] = {TESS_ELEMENT_LINE, 10},      [66] = {TESS_ELEMENT_LINE, 11},
    [71] = {TESS_ELEMENT_TET, 84},       [72] = {TESS_ELEMENT_TET, 120},
    [73] = {TESS_ELEMENT_TET, 165},      [74] = {TESS_ELEMENT_TET, 220},
    [75] = {TESS_ELEMENT_TET, 286},      [79] = {TESS_ELEMENT_TET, 34},
    [80] = {TESS_ELEMENT_TET, 40},       [81] = {TESS_ELEMENT_TET, 46},
    [82] = {TESS_ELEMENT_TET, 52},       [83] = {TESS_ELEMENT_TET, 58},
    [90] = {TESS_ELEMENT_PRISM, 40},     [91] = {TESS_ELEMENT_PRISM, 75},
    [92] = {TESS_ELEMENT_HEX, 64},       [93] = {TESS_ELEMENT_HEX, 125},
    [94] = {TESS_ELEMENT_HEX, 216},      [95] = {TESS_ELEMENT_HEX, 343},
    [96] = {TESS_ELEMENT_HEX, 512},      [97] = {TESS_ELEMENT_HEX, 729},
    [98] = {TESS_ELEMENT_HEX, 1000},     [99] = {TESS_ELEMENT_HEX, 32},
    [100] = {TESS_ELEMENT_HEX, 44},      [101] = {TESS_ELEMENT_HEX, 56},
    [102] = {TESS_ELEMENT_HEX, 68},      [103] = {TESS_ELEMENT_HEX, 80},
    [104] = {TESS_ELEMENT_HEX, 92},      [105] = {TESS_ELEMENT_HEX, 104},
    [106] = {TESS_ELEMENT_PRISM, 126},   [107] = {TESS_ELEMENT_PRISM, 196},
    [108] = {TESS_ELEMENT_PRISM, 288},   [109] = {TESS_ELEMENT_PRISM, 405},
    [110] = {TESS_ELEMENT_PRISM, 550},   [111] = {TESS_ELEMENT_PRISM, 24},
    [112] = {TESS_ELEMENT_PRISM, 33},    [113] = {TESS_ELEMENT_PRISM, 42},
    [114] = {TESS_ELEMENT_PRISM, 51},    [115] = {TESS_ELEMENT_PRISM, 60},
    [116] = {TESS_ELEMENT_PRISM, 69},    [117] = {TESS_ELEMENT_PRISM, 78},
    [118] = {TESS_ELEMENT_PYRAMID, 30},  [119] = {TESS_ELEMENT_PYRAMID, 55},
    [120] = {TESS_ELEMENT_PYRAMID, 91},  [121] = {TESS_ELEMENT_PYRAMID, 140},
    [122] = {TESS_ELEMENT_PYRAMID, 204}, [123] = {TESS_ELEMENT_PYRAMID, 285},
    [124] = {TESS_ELEMENT_PYRAMID, 385}, [125] = {TESS_ELEMENT_PYRAMID, 21},
    [126] = {TESS_ELEMENT_PYRAMID, 29},  [127] = {TESS_ELEMENT_PYRAMID, 37},
    [128] = {TESS_ELEMENT_PYRAMID, 45},  [129] = {TESS_ELEMENT_PYRAMID, 53},
    [130] = {TESS_ELEMENT_PYRAMID, 61},  [131] = {TESS_ELEMENT_PYRAMID, 69},
    [137] = {TESS_ELEMENT_TET, 16}};

tess_status tess_gmsh_type_find(const tess_scan *scan, int64_t number, const tess_gmsh_type **out) {
    if (number < 0 || number >= (int64_t)(sizeof types / sizeof types[0]) ||
        types[number].n_nodes == 0)
        return tess_scan_fail(scan, "unknown element type %" PRId64, number);
    *out = &types[number];
    return TESS_OK;
}
