/* The phases of a page: its dats in pieces, each staged in some phases of a split loop. */
#include "kernels/codegen/page_phases.h"

#include "core/base/array.h"
#include "kernels/loops/kernel_parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- pieces ----------------------------------------------------------------------------------- */

/* The phases that read value i of all, as flags. */
static unsigned reading_phases(const tess_phases *phases, int i) {
    unsigned flags = 0;
    for (int p = 0; p < phases->n_phases; p++)
        flags |= (unsigned)phases->phase[p].reads[i] << p;
    return flags;
}

/* The phases in which component d is read or added to by an access. */
static unsigned phases_of(const tess_phases *phases, const tess_page_access *access, int d) {
    const int value = phases->first[access->arg] + access->offset + d;
    unsigned flags = 0;
    for (int p = 0; p < phases->n_phases; p++)
        if (access->access == TESS_READ ? phases->phase[p].reads[value]
                                        : phases->phase[p].adds[value])
            flags |= 1u << p;
    return flags;
}

/* Those of all accesses of a dat. */
static unsigned all_phases_of(const tess_page *page, const tess_phases *phases,
                              const tess_page_dat *dat, int d) {
    unsigned flags = 0;
    for (int i = 0; i < page->n_accesses; i++)
        if (page->accesses[i].dat == dat)
            flags |= phases_of(phases, &page->accesses[i], d);
    return flags;
}

/* Whether components d and d + 1 of a dat belong to one piece. */
static bool is_alike(const tess_page *page, const tess_phases *phases, const tess_page_dat *dat,
                     int d) {
    for (int i = 0; i < page->n_accesses; i++)
        if (page->accesses[i].dat == dat && phases_of(phases, &page->accesses[i], d) !=
                                                phases_of(phases, &page->accesses[i], d + 1))
            return false;
    return tess_kernel_arg_component(dat->view, d + 1) ==
           tess_kernel_arg_component(dat->view, d) + 1;
}

/* Pieces under construction: they replace what the page has. */
typedef struct cutting {
    tess_page *page;
    const tess_phases *phases;
    int n_dats, n_accesses;
    tess_page_dat *dats;
    tess_page_access *accesses;
    int *first_of; /* [page->n_dats]: the first piece of a dat, or the dat itself */
} cutting;

/* Adds components d to d + n - 1 of a dat. */
static void add_piece(cutting *c, const tess_page_dat *dat, int d, int n) {
    tess_page *page = c->page;
    tess_kernel_arg *view = &page->pieces[c->n_dats];
    tess_page_dat *piece = &c->dats[c->n_dats++];
    *view = *dat->view;
    view->components = NULL;
    view->first = tess_kernel_arg_component(dat->view, d);
    view->of = dat->row;
    view->dim = n;
    *piece = *dat;
    piece->view = view;
    piece->dim = n;
    piece->phases = all_phases_of(page, c->phases, dat, d);
    if (n < dat->dim)
        snprintf(piece->symbol, sizeof piece->symbol, "%.*s_from%d", (int)sizeof piece->symbol - 16,
                 dat->symbol, view->first);
    for (int i = 0; i < page->n_accesses; i++) {
        const tess_page_access *whole = &page->accesses[i];
        tess_page_access *access = &c->accesses[c->n_accesses];
        if (whole->dat != dat)
            continue;
        c->n_accesses++;
        *access = *whole;
        access->dat = piece;
        access->offset = whole->offset + d;
        access->phases = phases_of(c->phases, whole, d);
    }
}

/* Adds a dat that stays whole. */
static void add_whole(cutting *c, const tess_page_dat *dat) {
    const tess_page *page = c->page;
    tess_page_dat *added = &c->dats[c->n_dats++];
    *added = *dat;
    for (int a = 0; a < page->bound->loop->n_args; a++)
        for (int d = 0; tess_page_dat_of(page, a) == dat && d < dat->dim; d++)
            added->phases |= reading_phases(c->phases, c->phases->first[a] + d);
}

/* The pieces of a dat that some phase needs; an element's own and global ones stay whole. */
static void cut_dat(cutting *c, const tess_page_dat *dat) {
    if (dat->target < 0) {
        add_whole(c, dat);
        return;
    }
    for (int d = 0, n = 0; d < dat->dim; d += n) {
        n = 1;
        while (d + n < dat->dim && is_alike(c->page, c->phases, dat, d + n - 1))
            n++;
        if (all_phases_of(c->page, c->phases, dat, d))
            add_piece(c, dat, d, n);
    }
}

/* --- places ----------------------------------------------------------------------------------- */

static int64_t bytes_of(const tess_page *page, const tess_page_dat *dat) {
    return (tess_page_staged(page, dat->target) * dat->dim * dat->size + 15) / 16 * 16;
}

/* Whether a piece lies in shared memory. */
static bool is_placed(const tess_page *page, const tess_page_dat *piece) {
    return piece->target >= 0 && !(page->by_points && piece->summed && !piece->aos);
}

/* The phases in which a piece's place is taken: while the phase before is computed, too, where
 * copies come ahead. */
static unsigned taken_phases(const tess_page *page, const tess_page_dat *piece) {
    return piece->phases | (page->phase_order == TESS_PHASES_AHEAD ? piece->phases >> 1 : 0);
}

/* A piece with a position that is in the way of another at `place`; NULL: none is. */
static const tess_page_dat *in_the_way(const tess_page *page, const tess_page_dat *piece,
                                       int64_t position) {
    for (int i = 0; i < page->n_dats; i++) {
        const tess_page_dat *other = &page->dats[i];
        if (other->position >= 0 && (taken_phases(page, other) & taken_phases(page, piece)) &&
            other->position < position + bytes_of(page, piece) &&
            other->position + bytes_of(page, other) > position)
            return other;
    }
    return NULL;
}

/* What begins in phases with odd numbers lies as high as it may below `top`, all else as low as it
 * may: so phases that are in shared memory at the same time meet in the middle. */
static void place_piece(const tess_page *page, tess_page_dat *piece, int64_t top) {
    const unsigned odd = page->phase_order == TESS_PHASES_LAUNCHED ? 0 : 0xaaaaaaaau;
    const tess_page_dat *other = NULL;
    int64_t position = top - bytes_of(page, piece);
    while (position >= 0 && (other = in_the_way(page, piece, position)))
        position = other->position - bytes_of(page, piece);
    if (position < 0 || !(tess_phases_begin(page, piece->phases) & odd))
        for (position = 0; (other = in_the_way(page, piece, position));)
            position = other->position + bytes_of(page, other);
    piece->position = position;
}

/* The most that is in shared memory at the same time. */
static int64_t most_bytes(const tess_page *page) {
    int64_t most = 0;
    for (int p = 0; p < page->n_phases; p++) {
        int64_t bytes = 0;
        for (int i = 0; i < page->n_dats; i++)
            if (is_placed(page, &page->dats[i]) && (taken_phases(page, &page->dats[i]) >> p & 1))
                bytes += bytes_of(page, &page->dats[i]);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* The largest pieces first: smaller ones find room between them. */
static void place_pieces(const tess_page *page) {
    const int64_t most = most_bytes(page);
    for (int i = 0; i < page->n_dats; i++)
        page->dats[i].position = -1;
    for (;;) {
        tess_page_dat *largest = NULL;
        for (int i = 0; i < page->n_dats; i++) {
            tess_page_dat *piece = &page->dats[i];
            if (is_placed(page, piece) && piece->position < 0 &&
                (!largest || bytes_of(page, piece) > bytes_of(page, largest)))
                largest = piece;
        }
        if (!largest)
            return;
        place_piece(page, largest, most);
    }
}

static tess_status open_cutting(cutting *c) {
    const tess_page *page = c->page;
    int64_t n_dats = 0, n_accesses = 0;
    for (int i = 0; i < page->n_dats; i++)
        n_dats += page->dats[i].dim;
    for (int i = 0; i < page->n_accesses; i++)
        n_accesses += page->accesses[i].dat->dim;
    TRY(TESS_ZEROS(n_dats, &c->dats));
    TRY(TESS_ZEROS(n_accesses, &c->accesses));
    TRY(TESS_ZEROS(n_dats, &c->page->pieces));
    return TESS_ZEROS(page->n_dats, &c->first_of);
}

tess_status tess_page_split(tess_page *page, const tess_phases *phases, tess_phase_order order) {
    tess_status status = TESS_OK;
    cutting c = {.page = page, .phases = phases};
    CHECK(open_cutting(&c));
    for (int i = 0; i < page->n_dats; i++) {
        c.first_of[i] = c.n_dats;
        cut_dat(&c, &page->dats[i]);
    }
    for (int a = 0; a < page->bound->loop->n_args; a++)
        page->dat_of[a] = c.first_of[page->dat_of[a]];
    free(page->dats);
    free(page->accesses);
    page->dats = TESS_TAKE(c.dats);
    page->n_dats = c.n_dats;
    page->accesses = TESS_TAKE(c.accesses);
    page->n_accesses = c.n_accesses;
    page->n_phases = phases->n_phases;
    page->phase_order = order;
    place_pieces(page);
done:
    free(c.dats);
    free(c.accesses);
    free(c.first_of);
    return status;
}

/* --- functions -------------------------------------------------------------------------------- */

/* What a part adds to starts from zero; a0, a1 ... and b0, b1 ... are the element's arrays. */
static void print_part(tess_page *page, const tess_phase *phase, int number) {
    const tess_loop *loop = page->bound->loop;
    tess_page_code(page, NULL, "    if (phase == %d) {\n", number);
    for (int a = 0; a < loop->n_args; a++)
        tess_page_code(page, NULL, "    %s *const a%d = e->arg%d;\n    (void)a%d;\n",
                       tess_type_name(loop->args[a].type), a, a, a);
    for (int b = 0; b < page->kernel->n_between; b++)
        tess_page_code(page, NULL, "    real *const b%d = e->between%d;\n    (void)b%d;\n", b, b,
                       b);
    for (int k = 0; k < phase->part->n_adds; k++)
        for (int a = phase->part->adds[k];
             a <= phase->part->adds[k] + tess_part_is_of_matrix(phase->part); a++)
            tess_page_code(page, NULL,
                           "    UNROLL for (int d = 0; d < %d; d++)\n        a%d[d] = 0;\n",
                           tess_page_local_size(page, a), a);
    tess_part_print_all(&page->functions, page->kernel, phase->part, phase->instance);
    tess_page_code(page, NULL, "    }\n");
}

void tess_page_print_phases(tess_page *page, const tess_phases *phases) {
    const tess_loop *loop = page->bound->loop;
    tess_page_code(page, NULL, "INLINE void clear_unstaged(struct element *e) {\n");
    for (int a = 0; a < loop->n_args; a++)
        if (loop->args[a].access == TESS_READ)
            tess_page_code(page, NULL,
                           "    UNROLL for (int d = 0; d < %d; d++)\n        e->arg%d[d] = 0;\n",
                           tess_page_local_size(page, a), a);
    tess_page_code(
        page, NULL,
        "    (void)e;\n}\n\nINLINE void compute_phase(struct element *e, int phase) {\n");
    if (phases->phase[0].part)
        for (int p = 0; p < phases->n_phases; p++)
            print_part(page, &phases->phase[p], p);
    else
        tess_page_code(page, NULL, "    compute(e);\n    (void)phase;\n");
    tess_page_code(page, NULL, "}\n\n");
}

/* --- launches --------------------------------------------------------------------------------- */

int64_t tess_page_phase_bytes(const tess_page *page, int phase) {
    int64_t end = 0;
    for (int i = 0; i < page->n_dats; i++) {
        const tess_page_dat *piece = &page->dats[i];
        if (is_placed(page, piece) && (piece->phases >> phase & 1) &&
            piece->position + bytes_of(page, piece) > end)
            end = piece->position + bytes_of(page, piece);
    }
    return end;
}

/* Where what later phases need waits for them: with the thread, in memory, in shared memory. */
typedef enum waiting { WITH_THREAD, IN_MEMORY, IN_SHARED } waiting;

/* Whether a value of the element itself is read in several phases. */
static bool is_read_again(const tess_page *page, const tess_phases *phases, int a, int d) {
    const unsigned flags = reading_phases(phases, phases->first[a] + d);
    return tess_page_reads_own(page, a) && tess_page_dat_of(page, a)->set[0] && flags & (flags - 1);
}

/* read_own: value after value in the phases that it is found to matter in. Where it is kept it is
 * read in the first of them; global ones are with each thread's. */
static void print_read_own(tess_page *page, const tess_phases *phases, waiting where) {
    tess_page_code(page, NULL,
                   "INLINE void read_own(const struct params *p, struct element *e, int i, "
                   "int phase) {\n");
    for (int a = 0; a < page->bound->loop->n_args; a++) {
        const tess_page_dat *dat = tess_page_dat_of(page, a);
        for (int d = 0; tess_page_reads_own(page, a) && d < dat->dim; d++) {
            const unsigned flags = reading_phases(phases, phases->first[a] + d);
            const bool each = where == IN_MEMORY || (where == WITH_THREAD && !dat->set[0]);
            tess_page_if_phase(page, each ? flags : flags & (~flags + 1));
            tess_page_code(page, dat, "        e->arg%d[%d] = fetch(&p->@dat[@dat_at(%s, %d)]);\n",
                           a, d, dat->set[0] ? "i" : "0", d);
        }
    }
    tess_page_code(page, NULL, "    (void)p, (void)e, (void)i, (void)phase;\n}\n\n");
}

static bool takes(const tess_kernel_part *part, int between) {
    for (int t = 0; t < part->n_takes; t++)
        if (part->takes[t] == ~between)
            return true;
    return false;
}

/* The values of `between` that a phase gives, *n from the first on: the share of its instance. */
static int given_values(const tess_page *page, const tess_phase *phase, int between, int *n) {
    const tess_kernel_part *part = phase->part;
    const int dim = page->kernel->between[between].dim;
    *n = 0;
    for (int g = 0; g < part->n_gives; g++)
        if (part->gives[g] == between)
            *n = phase->instance < 0 ? dim : dim / part->number;
    return phase->instance < 0 ? 0 : phase->instance * *n;
}

/* The phases from the n-th on that take a value of `between`, as flags. */
static unsigned taking_phases(const tess_phases *phases, int between, int n) {
    unsigned flags = 0;
    for (int p = n; p < phases->n_phases; p++)
        flags |= (unsigned)takes(phases->phase[p].part, between) << p;
    return flags;
}

/* The phases that give a value of `between` or a share of it, as flags. */
static unsigned giving_phases(const tess_page *page, const tess_phases *phases, int between) {
    unsigned flags = 0;
    for (int p = 0, n; p < phases->n_phases; p++) {
        given_values(page, &phases->phase[p], between, &n);
        flags |= (unsigned)(n > 0) << p;
    }
    return flags;
}

static int64_t real_size(const tess_page *page) {
    return strcmp(tess_page_real(page), "double") == 0 ? 8 : 4;
}

static void print_passing(tess_page *page, int between, int first, int n, waiting where,
                          bool giving) {
    static const char *const variants[3][2] = {
        {"e->between%d[d] = passed->between%d[d];\n", "passed->between%d[d] = e->between%d[d];\n"},
        {"e->between%d[d] = load(&p->between%d[between_at(k, d)]);\n",
         "store(&p->between%d[between_at(k, d)], e->between%d[d]);\n"},
        {"e->between%d[d] = load(passed_at(BETWEEN%d + d, k));\n",
         "store(passed_at(BETWEEN%d + d, k), e->between%d[d]);\n"}};
    tess_page_code(page, NULL, "        UNROLL for (int d = %d; d < %d; d++)\n            ", first,
                   first + n);
    tess_page_code(page, NULL, variants[where][giving], between, between);
}

/* read_passed or take_passed, or pass_on or keep_passed. */
static void print_pass(tess_page *page, const tess_phases *phases, waiting where, bool giving) {
    const bool kept = where == WITH_THREAD;
    if (!kept)
        tess_page_code(page, NULL,
                       "INLINE void %s(const struct params *p, %sstruct element *e, int k, "
                       "int phase) {\n",
                       giving ? "pass_on" : "read_passed", giving ? "const " : "");
    else
        tess_page_code(page, NULL,
                       "INLINE void %s(%sstruct passed *passed, %sstruct element *e, int phase) "
                       "{\n",
                       giving ? "keep_passed" : "take_passed", giving ? "" : "const ",
                       giving ? "const " : "");
    for (int p = 0; p < phases->n_phases && phases->phase[p].part; p++)
        for (int b = 0; b < page->kernel->n_between; b++) {
            int n = page->kernel->between[b].dim;
            const int first = giving ? given_values(page, &phases->phase[p], b, &n) : 0;
            if (n == 0 ||
                !(giving ? taking_phases(phases, b, p + 1) != 0 : takes(phases->phase[p].part, b)))
                continue;
            tess_page_if_phase(page, 1u << p);
            print_passing(page, b, first, n, where, giving);
        }
    for (int a = 0; kept && a < page->bound->loop->n_args; a++)
        for (int d = 0; d < tess_page_dat_of(page, a)->dim; d++) {
            if (!is_read_again(page, phases, a, d))
                continue;
            const unsigned flags = reading_phases(phases, phases->first[a] + d);
            tess_page_if_phase(page, giving ? flags & (~flags + 1) : flags & (flags - 1));
            tess_page_code(page, NULL,
                           giving ? "        passed->own%d[%d] = e->arg%d[%d];\n"
                                  : "        e->arg%d[%d] = passed->own%d[%d];\n",
                           a, d, a, d);
        }
    tess_page_code(page, NULL, "    %s(void)e, (void)phase;\n}\n\n",
                   kept ? "(void)passed, " : "(void)p, (void)k, ");
}

void tess_page_read_once(tess_page *page, const tess_phases *phases) {
    print_read_own(page, phases, IN_SHARED);
}

void tess_page_keep(tess_page *page, const tess_phases *phases) {
    tess_page_code(page, NULL, "/* What phases pass on of an element. */\nstruct passed {\n");
    bool none = true;
    for (int b = 0; phases->phase[0].part && b < page->kernel->n_between; b++) {
        if (!taking_phases(phases, b, 0))
            continue;
        tess_page_code(page, NULL, "    real between%d[%d];\n", b, page->kernel->between[b].dim);
        none = false;
    }
    for (int a = 0; a < page->bound->loop->n_args; a++) {
        const tess_page_dat *dat = tess_page_dat_of(page, a);
        bool again = false;
        for (int d = 0; d < dat->dim; d++)
            again |= is_read_again(page, phases, a, d);
        if (again)
            tess_page_code(page, dat, "    @type own%d[@dim];\n", a);
        none &= !again;
    }
    tess_page_code(page, NULL, none ? "    char nothing;\n};\n\n" : "};\n\n");
    print_read_own(page, phases, WITH_THREAD);
    print_pass(page, phases, WITH_THREAD, false);
    print_pass(page, phases, WITH_THREAD, true);
}

tess_status tess_page_pass_on(tess_page *page, const tess_phases *phases, int64_t n_positions) {
    const int64_t stride = tess_store_stride(n_positions);
    const int64_t size = real_size(page);
    int64_t most = 0;
    char type[32];
    snprintf(type, sizeof type, "%s *", tess_page_real(page));
    for (int b = 0; phases->phase[0].part && b < page->kernel->n_between; b++) {
        const int64_t n = stride * page->kernel->between[b].dim;
        if (!taking_phases(phases, b, 0))
            continue;
        TRY(tess_page_array(page, type, NULL, n * size, "between%d", b));
        page->arrays[page->n_arrays - 1].given = giving_phases(page, phases, b);
        page->arrays[page->n_arrays - 1].taken = taking_phases(phases, b, 0);
        most = n > most ? n : most;
    }
    tess_page_code(
        page, NULL, "INLINE %s between_at(int k, int d) {\n    return d * %lld%s + k;\n}\n\n",
        most > INT32_MAX ? "long long" : "int", (long long)stride, most > INT32_MAX ? "ll" : "");
    print_read_own(page, phases, IN_MEMORY);
    print_pass(page, phases, IN_MEMORY, false);
    print_pass(page, phases, IN_MEMORY, true);
    return TESS_OK;
}

/* --- in shared memory ------------------------------------------------------------------------- */

/* Whether both wait behind some phase. */
static bool wait_together(const unsigned *waits, int a, int b) {
    return (waits[a] & waits[b]) != 0;
}

/* The phases behind which a value of `between` waits, as flags: from the first that gives it to the
 * one before the last that takes it. */
static unsigned waiting_phases(const tess_page *page, const tess_phases *phases, int between) {
    unsigned flags = 0;
    bool given = false;
    for (int p = 0; p < phases->n_phases; p++) {
        int n;
        given_values(page, &phases->phase[p], between, &n);
        given |= n > 0;
        if (given && taking_phases(phases, between, p + 1))
            flags |= 1u << p;
    }
    return flags;
}

/* The first position where a value of `between` is in no other's way, of those before it. */
static int free_place(const tess_page *page, const unsigned *waits, const int *positions, int of) {
    const tess_between *between = page->kernel->between;
    int position = 0;
    for (int b = 0; b < of; b++)
        if (wait_together(waits, b, of) && positions[b] < position + between[of].dim &&
            position < positions[b] + between[b].dim) {
            position = positions[b] + between[b].dim;
            b = -1; /* it may be in the way of an earlier one now */
        }
    return position;
}

tess_status tess_page_pass_in_shared(tess_page *page, const tess_phases *phases, int64_t n_elements,
                                     int64_t *end) {
    tess_status status = TESS_OK;
    const int n = phases->phase[0].part ? page->kernel->n_between : 0;
    const int64_t size = real_size(page);
    const int64_t start = (*end + 15) / 16 * 16;
    unsigned *waits = NULL;
    int *positions = NULL, most = 0;
    CHECK(TESS_ZEROS(n + 1, &waits));
    CHECK(TESS_ZEROS(n + 1, &positions));
    for (int b = 0; b < n; b++) {
        waits[b] = waiting_phases(page, phases, b);
        positions[b] = free_place(page, waits, positions, b);
        if (waits[b] && positions[b] + page->kernel->between[b].dim > most)
            most = positions[b] + page->kernel->between[b].dim;
        tess_page_code(page, NULL, "#define BETWEEN%d %d\n", b, positions[b]);
    }
    tess_page_code(page, NULL,
                   "/* Value i of what waits for later phases, of a block's element k. */\n"
                   "INLINE real *passed_at(int i, int k) {\n"
                   "    return (real *)(shared_memory() + %lld) + i * %lld + k;\n}\n\n",
                   (long long)start, (long long)n_elements);
    *end = start + most * n_elements * size;
    print_read_own(page, phases, IN_SHARED);
    print_pass(page, phases, IN_SHARED, false);
    print_pass(page, phases, IN_SHARED, true);
done:
    free(waits);
    free(positions);
    return status;
}
