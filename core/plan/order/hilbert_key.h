/* The Hilbert key: where a point of a grid lies along the curve. Text that devices compile, too. */

/* The cell of a coordinate in a grid of 2^bits cells from `low` on, `low` and `side` halved. */
static inline unsigned hilbert_cell(double coordinate, double low, double side, int bits) {
    const double along = 0.5 * coordinate - low, cells = (double)((1u << bits) - 1);
    return (unsigned)(along / side * cells);
}

/* Moves bit b of a coordinate to bit `dimension` * b of a key (for 2D and 3D by doubling steps). */
static inline unsigned long long hilbert_spread(unsigned long long x, int dimension) {
    if (dimension == 3) {
        x = (x | x << 32) & 0x001f00000000ffffull;
        x = (x | x << 16) & 0x001f0000ff0000ffull;
        x = (x | x << 8) & 0x100f00f00f00f00full;
        x = (x | x << 4) & 0x10c30c30c30c30c3ull;
        return (x | x << 2) & 0x1249249249249249ull;
    }
    if (dimension == 2) {
        x = (x | x << 16) & 0x0000ffff0000ffffull;
        x = (x | x << 8) & 0x00ff00ff00ff00ffull;
        x = (x | x << 4) & 0x0f0f0f0f0f0f0f0full;
        x = (x | x << 2) & 0x3333333333333333ull;
        return (x | x << 1) & 0x5555555555555555ull;
    }
    return x;
}

/* Undoes the rotation of one bit and one coordinate, `one`: where the bit is set, inverts what is
 * below it in the first coordinate, else swaps that with this one. */
static inline void hilbert_turn(unsigned bit, unsigned *first, unsigned *one) {
    const unsigned below = bit - 1, set = 0u - ((*one & bit) != 0);
    const unsigned swapped = (*first ^ *one) & below & ~set;
    *first ^= swapped ^ (below & set);
    *one ^= swapped;
}

/* Undoes that of the first coordinate itself, which is not swapped. */
static inline void hilbert_turn_first(unsigned bit, unsigned *first) {
    *first ^= (bit - 1) & (0u - ((*first & bit) != 0));
}

/* The key of coordinates whose rotations are undone: Gray-decoded and interleaved. */
static inline unsigned long long hilbert_decode(unsigned *x, int dimension) {
    for (int d = 1; d < dimension; d++)
        x[d] ^= x[d - 1];
    unsigned flips = x[dimension - 1] >> 1; /* each bit: the parity of the bits above it */
    for (int shift = 1; shift < 32; shift *= 2)
        flips ^= flips >> shift;
    unsigned long long key = 0;
    for (int d = 0; d < dimension; d++)
        key |= hilbert_spread(x[d] ^ flips, dimension) << (dimension - 1 - d);
    return key;
}

/* The place along the curve of a grid point of `dimension` coordinates of `bits` bits each, by
 * J. Skilling, "Programming the Hilbert curve", 2004: undo the rotations from the top bit down,
 * then Gray-decode; the key's bits are those of the coordinates, interleaved. */
static inline unsigned long long hilbert_key(unsigned *x, int dimension, int bits) {
    for (unsigned bit = 1u << (bits - 1); bit > 1; bit >>= 1) {
        hilbert_turn_first(bit, &x[0]);
        for (int d = 1; d < dimension; d++)
            hilbert_turn(bit, &x[0], &x[d]);
    }
    return hilbert_decode(x, dimension);
}
