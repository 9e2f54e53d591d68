/* A pass over the elements of a map, in the words of simt.h: READS arrays of WIDTH values at each point are read,
 * ADDS are added to, ELEMENT values stream past with each element, the last WRITTEN of which it sets, POINT with each
 * point, these ROUNDS times. As loops over meshes do, an element adds what follows from all that it has read. With
 * LISTS it adds to all pairs of its points as well, entries of a matrix whose rows are lists that grow. SOLVES arrays
 * are swept through forwards and then backwards, as triangular matrices are solved: an element adds to its last point
 * what its others have come to, times the diagonal's value there, on the way back the other way round, so that where
 * these are neighbours in the order each element waits for the one before it. ROWS are those of a matrix, as codes
 * keep them: where each begins, its columns, ascending, and an entry with each; the diagonal is among them, which
 * each column is asked for, and what is solved is divided by it. What is read is multiplied by them. What is added to
 * or solved is set first, point by point, from what was read or came about before, as a product begins with the
 * diagonal: caches have it when elements come to it. With WORK an element computes, in as many steps as the caller
 * found to take so long, spread evenly over what it reads. */

/* Sets so many arrays from `first` on, each by the one before it, the very first by itself. */
static void set(const struct params *p, int first, int arrays, const double *factor) {
    const long long n = p->n_points * WIDTH;
    for (int array = first; array < first + arrays; array++) {
        double *values = &p->at_points[array * n];
        const double *from = array ? values - n : values;
        for (long long i = 0; i < n; i++)
            store(values + i, factor ? load(factor + i) * load(from + i) : 0.5 * load(from + i));
    }
}

static double sum_of_element(const struct params *p, long long i) {
    double sum = 0;
    UNROLL for (int k = 0; k < ELEMENT - WRITTEN; k++)
        sum += load(&p->with_elements[i * (ELEMENT - WRITTEN) + k]);
    return sum;
}

/* What an element sets lies behind all that is read. */
static void write_element(const struct params *p, long long i, double sum) {
    UNROLL for (int k = 0; k < WRITTEN; k++)
        store(&p->with_elements[p->n * (ELEMENT - WRITTEN) + i * WRITTEN + k], sum);
}

static double *solved(const struct params *p, int k) {
    return &p->at_points[(READS + ADDS + k / WIDTH) * p->n_points * WIDTH + k % WIDTH];
}

static const double *diagonal_of(const struct params *p) {
    return &p->at_points[(READS + ADDS + SOLVES) * p->n_points * WIDTH];
}

/* One way through the arrays of a solution. The highest point of an element comes first. */
static void solve(const struct params *p, int back) {
    const double *diagonal = diagonal_of(p);
    for (long long n = 0; n < p->n; n++) {
        const long long i = back ? p->n - 1 - n : n, last = load(&p->index[i * ARITY]);
        const double factor = sum_of_element(p, i);
        UNROLL for (int slot = 1; slot < ARITY; slot++) {
            const long long point = load(&p->index[i * ARITY + slot]);
            UNROLL for (int k = 0; k < SOLVES * WIDTH; k++) {
                double *values = solved(p, k);
                const long long at = (back ? point : last) * WIDTH, from = (back ? last : point) * WIDTH;
                if (!PADDED || point >= 0)
                    store(values + at, load(values + at) - factor * load(diagonal + at) * load(values + from));
            }
        }
    }
}

/* Where each row begins, and behind that the columns of all. */
static const long long *rows_of(const struct params *p) {
    return (const long long *)p->index;
}

static const int *columns_of(const struct params *p) {
    return (const int *)(rows_of(p) + p->n_points + 1);
}

/* The product of the rows with what is read. */
static double multiply_rows(const struct params *p) {
    const int *columns = columns_of(p);
    double total = 0;
    for (long long row = 0; row < p->n_points; row++) {
        const long long end = load(rows_of(p) + row + 1);
        double sum = 0;
        for (long long i = load(rows_of(p) + row); i < end; i++) {
            const double factor = sum_of_element(p, i);
            UNROLL for (int k = 0; k < READS * WIDTH; k++)
                sum += factor * load(&p->at_points[(k / WIDTH * p->n_points + load(&columns[i])) * WIDTH + k % WIDTH]);
        }
        total += sum;
    }
    return total;
}

/* One way through the rows: each is summed up before it is written. A diagonal of 0 counts as 1. */
static void solve_rows(const struct params *p, int back) {
    const int *columns = columns_of(p);
    for (long long n = 0; n < p->n_points; n++) {
        const long long row = back ? p->n_points - 1 - n : n, first = load(rows_of(p) + row), end = load(rows_of(p) + row + 1);
        double sum[SOLVES * WIDTH + 1] = {0}, diagonal = 0;
        for (long long j = first; j < end; j++) {
            const long long i = back ? first + end - 1 - j : j, column = load(&columns[i]);
            const double factor = sum_of_element(p, i);
            if (column == row)
                diagonal = factor;
            else
                UNROLL for (int k = 0; k < SOLVES * WIDTH; k++)
                    sum[k] += factor * load(solved(p, k) + column * WIDTH);
        }
        if (diagonal == 0)
            diagonal = 1;
        UNROLL for (int k = 0; k < SOLVES * WIDTH; k++)
            store(solved(p, k) + row * WIDTH, (load(solved(p, k) + row * WIDTH) - sum[k]) / diagonal);
    }
}

/* An entry of a matrix, made when it is first added to. */
struct entry {
    struct entry *next; /* of its row */
    long long column;
    double values[WIDTH];
};

/* Adds to all pairs of an element's points. Behind the lists of rows come pointers to the entries of one row by their
 * columns: a row is gone through to note them, and again to forget them. Gives the end of the entries, which lie in
 * the order in which they are made. */
static struct entry *add_to_lists(const struct params *p, long long i, double sum, struct entry *end) {
    struct entry **rows = p->lists, **at_column = rows + p->n_points;
    for (int slot = 0; slot < ARITY; slot++) {
        const long long row = load(&p->index[i * ARITY + slot]);
        if (PADDED && row < 0)
            continue;
        for (struct entry *one = load(&rows[row]); one; one = load(&one->next))
            store(&at_column[load(&one->column)], one);
        for (int other = 0; other < ARITY; other++) {
            const long long column = load(&p->index[i * ARITY + other]);
            if (PADDED && column < 0)
                continue;
            if (!load(&at_column[column])) {
                *end = (struct entry){.next = load(&rows[row]), .column = column};
                store(&at_column[column], end);
                store(&rows[row], end++);
            }
            struct entry *one = load(&at_column[column]);
            UNROLL for (int k = 0; k < WIDTH; k++)
                store(&one->values[k], load(&one->values[k]) + sum);
        }
        for (struct entry *one = load(&rows[row]); one; one = load(&one->next))
            store(&at_column[load(&one->column)], 0);
    }
    return end;
}

/* Empties the lists, and gives where their first entry will be. */
static struct entry *begin_lists(const struct params *p) {
    struct entry **rows = p->lists;
    for (long long i = 0; i < 2 * p->n_points; i++)
        store(&rows[i], 0);
    return (struct entry *)(rows + 2 * p->n_points);
}

/* Goes on for so many steps, each of eight sums with its neighbour: about three instructions a cycle, as loops over elements
 * have that compute. They wait for what was read, and stand between what is read before and behind them. */
INLINE void compute(double *sums, long long steps) {
    ONE_BY_ONE for (long long step = 0; step < steps; step++)
        UNROLL for (int k = 0; k < 8; k++) {
            sums[k] = 0.5 * sums[k] + 0.5 * sums[(k + 1) % 8];
            forget(sums[k]);
        }
}

/* What an element comes to by what it reads at its points, from a sum of its own on. */
static double read_points(const struct params *p, long long i, double sum) {
    const double factor = ELEMENT ? sum : 0.5;
    UNROLL for (int slot = 0; slot < ARITY; slot++) {
        const long long point = load(&p->index[i * ARITY + slot]);
        UNROLL for (int k = 0; k < READS * WIDTH; k++)
            if (!PADDED || point >= 0)
                sum += factor * load(&p->at_points[(k / WIDTH * p->n_points + point) * WIDTH + k % WIDTH]);
    }
    return sum;
}

/* As read_points, but it computes behind each array of each point: the mean of its sums. */
static double read_and_compute(const struct params *p, long long i, double sum) {
    const double factor = ELEMENT ? sum : 0.5;
    const int readings = ARITY * READS + !READS;
    double sums[] = {sum, sum, sum, sum, sum, sum, sum, sum}, total = 0;
    if (READS == 0)
        compute(sums, p->steps);
    UNROLL for (int slot = 0; slot < ARITY; slot++) {
        const long long point = load(&p->index[i * ARITY + slot]);
        UNROLL for (int array = 0; array < READS; array++) {
            if (!PADDED || point >= 0)
                UNROLL for (int d = 0; d < WIDTH; d++)
                    sums[0] += factor * load(&p->at_points[(array * p->n_points + point) * WIDTH + d]);
            compute(sums, p->steps / readings + (slot * READS + array < p->steps % readings));
        }
    }
    for (int k = 0; k < 8; k++)
        total += sums[k];
    return total / 8;
}

KERNEL(pass) {
    const struct params own = *PARAMS, *p = &own; /* which no store to values can reach */
    struct entry *end = LISTS ? begin_lists(p) : 0;
    double left = 0;
    set(p, READS, ADDS, 0);
    left += ROWS ? multiply_rows(p) : 0;
    for (long long i = 0; i < p->n && !ROWS; i++) {
        const double sum = (WORK ? read_and_compute : read_points)(p, i, sum_of_element(p, i));
        UNROLL for (int slot = 0; slot < ARITY; slot++) {
            const long long point = load(&p->index[i * ARITY + slot]);
            UNROLL for (int k = 0; k < ADDS * WIDTH; k++) {
                double *to = &p->at_points[((READS + k / WIDTH) * p->n_points + point) * WIDTH + k % WIDTH];
                if (!PADDED || point >= 0)
                    store(to, load(to) + sum);
            }
        }
        write_element(p, i, sum);
        if (LISTS)
            end = add_to_lists(p, i, sum, end);
        left += ADDS || LISTS ? 0 : sum;
    }
    set(p, READS + ADDS, SOLVES, ROWS ? 0 : diagonal_of(p));
    for (int back = 0; back < 2 && SOLVES; back++) {
        if (ROWS)
            solve_rows(p, back);
        else
            solve(p, back);
    }
    double some[8] = {0}; /* sums of their own: one alone would wait for each addition */
    for (int round = 0; round < ROUNDS; round++)
        for (long long i = 0; i + 8 <= p->n_points * POINT; i += 8)
            UNROLL for (int k = 0; k < 8; k++)
                some[k] += load(&p->with_points[i + k]);
    UNROLL for (int k = 0; k < 8; k++)
        left += some[k];
    store(&p->with_points[0], 0 * left);
}
