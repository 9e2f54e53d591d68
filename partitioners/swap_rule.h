/* The rule of swap (swap.h): its numbers, and what it draws. Text that devices compile, too. */

enum {
    SWAP_STEPS = 75,          /* of a round */
    SWAP_POSITIONS = 2048,    /* of the elements of a group */
    SWAP_LONGEST = 1024,      /* elements of a block, at most: a group has two */
    SWAP_BLOCKS = 16,         /* of a group, at most */
    SWAP_PINS = 8192,         /* points of its elements, one counted as often as it is reached */
    SWAP_POINTS = 2560,       /* distinct; a group of more is left as it is, */
    SWAP_PAIRS_POINTS = 1664, /* where elements have two points, so that more groups fit an SM */
    SWAP_TRIES = 2,           /* pairs at once, from block to block and back */
    SWAP_DIRECTIONS =
        SWAP_BLOCKS * SWAP_BLOCKS * SWAP_TRIES, /* from block to block, each with its tries */
    SWAP_LACKS = 5,        /* fewer points of an element a block lacks that it may go to */
    SWAP_UNIT = 64,        /* of a point: in these are costs */
    SWAP_FIRST = 24,       /* the temperature of the first step, and */
    SWAP_LAST = 2,         /* that of the last one, in units */
    SWAP_NO_GAIN = 1024,   /* what stands for a gain of 0 */
    SWAP_SAMPLE = 1024,    /* blocks of the sample by which a start is chosen, */
    SWAP_TRIAL = 2,        /* and the rounds of its swaps */
    SWAP_SCALED = 32,      /* blocks by which axes are scaled */
    SWAP_SEEN = 16,        /* elements of a block, about, that make its centre */
    SWAP_NO_PLACE = 0xffff /* a slot without a point */
};

/* The points of a group at most. */
static inline int swap_points(int n_slots) {
    return n_slots > 2 ? SWAP_POINTS : SWAP_PAIRS_POINTS;
}

static inline unsigned swap_mix(unsigned x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* What is drawn for a group in a round, for an element of it in a step, and for a pair in turn. */
static inline unsigned swap_seed(int round, unsigned group) {
    return swap_mix(swap_mix((unsigned)round * 1000003u + 17) + group);
}

static inline unsigned swap_draw(unsigned seed, int step, int element) {
    return swap_mix(seed + (unsigned)step * 0x9e3779b1u + (unsigned)element * 0x85ebca6bu);
}

static inline unsigned swap_turn(unsigned seed, int step, int direction) {
    const unsigned drawn = swap_mix(seed ^ (unsigned)direction * 77u ^ (unsigned)step * 12345u);
    return (unsigned)step << 16 | (drawn & 63) << 10 | (unsigned)direction;
}

/* What an element gains by a direction, as far as it has drawn that it may cost: up to the
 * temperature of the step, but mostly little. */
static inline int swap_gain(int step, unsigned drawn, int cost) {
    const int u = (int)(drawn & 255), may = u * u / 256 * u; /* of 65536 */
    const int heat = SWAP_FIRST * (SWAP_STEPS - step) + SWAP_LAST * (step - 1);
    return heat * (may / 256) / (SWAP_STEPS - 1) / 256 - cost * SWAP_UNIT;
}

/* That, and the number of the element: the more, the greater. */
static inline unsigned swap_key(int gain, int element) {
    return (unsigned)(gain + SWAP_NO_GAIN) * SWAP_POSITIONS +
           (unsigned)(SWAP_POSITIONS - 1 - element);
}

static inline int swap_element(unsigned key) {
    return (int)(SWAP_POSITIONS - 1 - key % SWAP_POSITIONS);
}

/* Whether two elements gain by changing places, or lose no more than both have drawn. */
static inline int swap_pays(unsigned there, unsigned back) {
    return there && back && there / SWAP_POSITIONS + back / SWAP_POSITIONS >= 2 * SWAP_NO_GAIN;
}

/* What a place adds to a centre, so small that no sum of finite numbers overflows. */
static inline double swap_share(double place) {
    return place / 65536;
}

/* Where a centre lies along an axis of a round's frame, which is slanted: the next axis counts,
 * too, by a share that is drawn. Shares are powers of 2, so that a device that multiplies and adds
 * at once finds the same. */
static inline double swap_along(const double *centre, int dimension, int round, int axis) {
    const unsigned drawn = swap_mix((unsigned)(3 * round + axis) * 1000003u + 17);
    const double share = (drawn & 1 ? -0.125 : 0.125) * (1 << (drawn >> 8) % 3);
    return centre[axis] + share * centre[axis + 1 < dimension ? axis + 1 : 0];
}
