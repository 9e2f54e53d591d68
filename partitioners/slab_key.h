/* The slab key: the order of places in slabs as thick as blocks are wide, in 3D in strips of these,
 * and along them. Slabs lie along the axes or along the diagonals between them. Text that devices
 * compile, too. */

/* The box around all places, halved, so that no difference of finite numbers overflows. */
struct slabs {
    int dimension, diagonal;
    double low[3], extent[3]; /* 0 along an axis that is not there, as places are */
    double width;             /* of a slab; 0: there is one */
};

/* How far a place is along an axis, or along all of them, of which one is taken back: another one
 * for each diagonal. */
static inline double slab_along(const struct slabs *of, const double place[3], int axis) {
    double along = 0;
    for (int d = 0; d < 3; d++) {
        const double x = 0.5 * place[d] - of->low[d];
        const int is_back = d == of->dimension - 1 - axis && (of->dimension == 3 || axis == 1);
        if (of->diagonal || d == axis)
            along += of->diagonal && is_back ? of->extent[d] - x : x;
    }
    return along;
}

static inline unsigned slab_number(const struct slabs *of, const double place[3], int axis) {
    const unsigned most = 0xffff;
    const double at = of->width > 0 ? slab_along(of, place, axis) / of->width : 0;
    return at < most ? (unsigned)at : most;
}

/* Each strip goes back where the one before has ended. */
static inline unsigned long long slab_key(const struct slabs *of, const double place[3]) {
    const int last = of->dimension - 1;
    const unsigned slab = slab_number(of, place, 0);
    const unsigned strip = last == 2 ? slab_number(of, place, 1) : 0;
    double whole = 0;
    for (int d = 0; d < 3; d++)
        whole += of->diagonal || d == last ? of->extent[d] : 0;
    const double along = whole > 0 ? slab_along(of, place, last) / whole * 0xfffffff0u : 0;
    const unsigned long long at = (unsigned)along;
    return (unsigned long long)slab << 48 |
           (unsigned long long)(slab & 1 ? 0xffff - strip : strip) << 32 |
           ((slab ^ strip) & 1 ? 0xffffffffu - at : at);
}
