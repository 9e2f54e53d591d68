/* The slab key: the order of places across slabs that lie along diagonals of the axes, in 3D across
 * their strips, then along them. Slabs and strips are as thick as blocks are wide, and end where
 * blocks do: of an order across them, each `block_size` elements are in the slab of the one in the
 * middle. Text that devices compile, too. */

/* The box around all places, halved, so that no difference of finite numbers overflows. */
struct slabs {
    int dimension;
    double low[3], extent[3]; /* 0 along an axis that is not there, as places are */
    double width;             /* of a slab; 0: there is one */
};

/* How far a place is along all axes, of which one is taken back: another one for each diagonal. */
static inline double slab_along(const struct slabs *of, const double place[3], int diagonal) {
    double along = 0;
    for (int d = 0; d < 3; d++) {
        const double x = 0.5 * place[d] - of->low[d];
        const int is_back =
            d == of->dimension - 1 - diagonal && (of->dimension == 3 || diagonal == 1);
        along += is_back ? of->extent[d] - x : x;
    }
    return along;
}

/* The middle one of the `size` elements among which the i-th of n is. */
static inline long long slab_middle(long long i, long long n, long long size) {
    const long long first = i / size * size, left = n - first;
    return first + (left < size ? left : size) / 2;
}

/* The numbers of slab, 16 bits, and strip, below them, where a place is. */
static inline unsigned slab_number(const struct slabs *of, const double place[3], int diagonal,
                                   unsigned before) {
    const unsigned most = 0xffff;
    const double at = of->width > 0 ? slab_along(of, place, diagonal) / of->width : 0;
    return before | (at < most ? (unsigned)at : most) << (diagonal ? 0 : 16);
}

/* Each strip goes back where the one before has ended. */
static inline unsigned long long slab_key(const struct slabs *of, const double place[3],
                                          int diagonal, unsigned number) {
    const unsigned slab = number >> 16, strip = number & 0xffff;
    const double whole = of->extent[0] + of->extent[1] + of->extent[2];
    const double along = whole > 0 ? slab_along(of, place, diagonal) / whole * 0xfffffff0u : 0;
    const unsigned long long at = (unsigned)along;
    return (unsigned long long)slab << 48 |
           (unsigned long long)(slab & 1 ? 0xffff - strip : strip) << 32 |
           ((slab ^ strip) & 1 ? 0xffffffffu - at : at);
}
