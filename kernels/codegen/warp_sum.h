/* warp_sum.h: how the lanes of a warp put their increments together before they add them to memory,
 * after FUN3D; text for atomics and tiles, printed once for each @type of increments. A lane has
 * `dim` values for one point, -1 where it has none. */

/* Lanes with one point, wherever they are, sum up to the first of them: pairs of lanes, then pairs of
 * pairs. `others` are the lanes after this one whose sums have not been taken yet. Gives the point
 * that the lane now adds to. */
INLINE int aggregate_unsorted_@type(@type *sum, int dim, int point) {
    const unsigned same = match_any(ALL_LANES, point), before = same & ((1u << lane()) - 1);
    unsigned others = point < 0 ? 0 : same & ~before & ~(1u << lane());
    int rank = count_lanes(before);
    while (ballot(ALL_LANES, others != 0)) {
        const int next = others ? lowest_lane(others) : lane();
        UNROLL for (int d = 0; d < dim; d++) {
            const @type more = shuffle(ALL_LANES, sum[d], next);
            sum[d] += others ? more : 0;
        }
        const unsigned stay = ballot(ALL_LANES, rank % 2 == 0);
        others = rank % 2 ? 0 : others & stay;
        rank /= 2;
    }
    return before ? -1 : point;
}

/* So do runs of neighbouring lanes: cheaper, and as good where points are sorted. After the turn of
 * `delta` a lane has the sum of its run's next 2 * delta lanes. */
INLINE int aggregate_sorted_@type(@type *sum, int dim, int point) {
    const int left = shuffle(ALL_LANES, point, lane() > 0 ? lane() - 1 : 0);
    const int begins = lane() == 0 || point != left;
    const unsigned later = ballot(ALL_LANES, begins) & ~1u << lane();
    const int last = later ? lowest_lane(later) - 1 : WARP - 1;
    for (int delta = 1; ballot(ALL_LANES, point >= 0 && lane() + delta <= last); delta *= 2)
        UNROLL for (int d = 0; d < dim; d++) {
            const @type more = shuffle_down(ALL_LANES, sum[d], delta);
            sum[d] += lane() + delta <= last ? more : 0;
        }
    return begins ? point : -1;
}

/* Puts the rows of lanes that have a point one behind the other into shared memory, so that
 * consecutive lanes can add the consecutive values of one point; `width` is odd, so that the lanes
 * fall into different banks. Gives how many rows there are. */
INLINE int put_rows_@type(const @type *sum, int dim, int point, @type *rows, int width,
                          int *points) {
    const unsigned givers = ballot(ALL_LANES, point >= 0);
    const int row = count_lanes(givers & ((1u << lane()) - 1));
    warp_barrier(ALL_LANES);
    if (point >= 0) {
        UNROLL for (int d = 0; d < dim; d++)
            store(&rows[row * width + d], sum[d]);
        store(&points[row], point);
    }
    warp_barrier(ALL_LANES);
    return count_lanes(givers);
}

/* Puts the rows of lanes that have a point into shared memory, each at its lane's own place, `width`
 * values from the next, and lists the points of the warp: lists[k] is the k-th, lists[WARP + k] the
 * lanes that have it, which the first of them gets, too; the others get 0. Rows of whole pieces of 16
 * bytes travel in these. */
INLINE unsigned put_members_@type(const @type *row, int n, int point, @type *rows, int width,
                                  int *lists) {
    const unsigned same = match_any(ALL_LANES, point);
    const int leads = point >= 0 && lowest_lane(same) == lane();
    const unsigned leaders = ballot(ALL_LANES, leads);
    const int k = count_lanes(leaders & ((1u << lane()) - 1));
    warp_barrier(ALL_LANES);
    if (point >= 0 && width * (int)sizeof *row % (int)sizeof(struct piece) == 0)
        store_run(&rows[lane() * width], row, n);
    else if (point >= 0)
        UNROLL for (int d = 0; d < n; d++)
            store(&rows[lane() * width + d], row[d]);
    if (leads) {
        store(&lists[k], point);
        store(&lists[WARP + k], (int)same);
    }
    warp_barrier(ALL_LANES);
    return leads ? same : 0;
}

/* Sums up what lanes have put there: of each row one value, or 16 bytes of values. */
INLINE void sum_members_@type(const @type *values, int width, unsigned lanes, int n, @type *total) {
    @type more[4];
    for (int d = 0; d < n; d++)
        total[d] = 0;
    for (; lanes; lanes &= lanes - 1) {
        const @type *row = values + lowest_lane(lanes) * width;
        if (n > 1)
            load_run(more, row, n);
        else
            more[0] = load(row);
        UNROLL for (int d = 0; d < n; d++)
            total[d] += more[d];
    }
}

/* The exchange by shuffles alone: value v = q * dim + c is component c of lane q, and goes to
 * lane v % WARP as its value v / WARP.
 * In turn i every lane sends one value, each to another lane. Where dim is odd that is c = i: the
 * places q * dim + i are different modulo WARP. Else they repeat every `turn` lanes, and each such
 * part of the warp is one component ahead of the part before, among `common` of them. */
INLINE void turn_@type(const @type *sum, int dim, @type *turned) {
    const int common = dim % WARP == 0 ? WARP : dim & -dim, turn = WARP / common;
    const unsigned odd = (unsigned)(dim / common), inverse = odd * (2u - odd * odd); /* modulo 64 */
    UNROLL for (int i = 0; i < dim; i++) {
        const int c = i / common * common;
        @type mine = sum[c];
        UNROLL for (int h = 1; h < common; h++)
            mine = (i + lane() / turn) % common == h ? sum[c + h] : mine;
        const int part = (lane() + WARP * dim - i) % common;
        const unsigned at =
            (unsigned)(lane() / common + WARP - i / common) * inverse % (unsigned)turn;
        const int source = part * turn + (int)at;
        const @type theirs = shuffle(ALL_LANES, mine, source);
        const int place = (source * dim + c + lane() % common) / WARP;
        UNROLL for (int t = 0; t < dim; t++)
            turned[t] = i == 0 || t == place ? theirs : turned[t];
    }
}

/* The exchange within groups of dim lanes, where that is a power of two: in turn s every lane gives that
 * component to lane() ^ s that is the other's number in the group, and gets its own in its place.
 * Then value t is this lane's component of the group's lane t. */
INLINE void swap_@type(@type *sum, int dim) {
    UNROLL for (int s = 1; s < dim; s++) {
        const int theirs = (lane() ^ s) % dim;
        @type value = sum[s];
        UNROLL for (int c = 0; c < dim; c++)
            value = c == theirs ? sum[c] : value;
        value = shuffle_xor(ALL_LANES, value, s);
        UNROLL for (int c = 0; c < dim; c++)
            sum[c] = c == theirs ? value : sum[c];
    }
}
