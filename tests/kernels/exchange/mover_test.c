/* Movers: dats of all types, numbers of values and layouts are packed, unpacked, added to and
 * filled in one launch, and each thing that is wrong in the text is found. */
#include "kernels/exchange/mover.h"
#include "tests/kernels/exchange/ranks_bench.h"

enum { N_DATS = TESS_MOVED_AT_ONCE + 3, N_ELEMENTS = 300, FIRST = 2, PLACES_A_ROW = 3, MANY = 512 };

/* Instead of a piece of the text; NULL: as it is. */
static const char *piece, *other;
static const tess_device *plain;
static int n_launches;

static tess_status compile(tess_target *target, const char *page, tess_device_module **out) {
    char *changed = NULL;
    const char *at = piece ? strstr(page, piece) : NULL;
    if (!at) {
        assert_null(piece);
        return plain->compile(target, page, out);
    }
    assert_true(asprintf(&changed, "%.*s%s%s", (int)(at - page), page, other, at + strlen(piece)) >
                0);
    const tess_status status = plain->compile(target, changed, out);
    free(changed);
    return status;
}

static tess_status launch(tess_target *target, const tess_device_module *module,
                          const tess_launch *what, const uint64_t *words, int n_words) {
    n_launches++;
    return plain->launch(target, module, what, words, n_words);
}

/* --- values of a type, as double -------------------------------------------------------------- */

static double value_at(tess_type type, const void *values, int64_t i) {
    return type == TESS_INT32   ? ((const int32_t *)values)[i]
           : type == TESS_FLOAT ? (double)((const float *)values)[i]
                                : ((const double *)values)[i];
}

static void put(tess_type type, void *values, int64_t i, double value) {
    if (type == TESS_INT32)
        ((int32_t *)values)[i] = (int32_t)value;
    else if (type == TESS_FLOAT)
        ((float *)values)[i] = (float)value;
    else
        ((double *)values)[i] = value;
}

/* A number that a type has, and which is large beside others: sums depend on their order. */
static double number(tess_type type, int64_t i) {
    static const double large[] = {1 << 20, 1 << 25, 1LL << 54};
    const double small = (double)(i * 7919 % 1009);
    return i % 4 == 1 ? large[type] : i % 4 == 2 ? -large[type] : small;
}

/* --- a dat, its rows and a buffer ------------------------------------------------------------- */

typedef struct scene {
    tess_device device;
    tess_target *target;
    tess_mover mover;
    tess_dat dats[N_DATS];
    tess_stored stored[N_DATS];
    tess_moved moved[N_DATS];
    char *have[N_DATS], *buffer[N_DATS]; /* what the device should have */
    int64_t buffer_bytes[N_DATS];
    int32_t *row[N_DATS], *place[N_DATS], *begin[N_DATS];
} scene;

static tess_status bring(scene *s, const void *values, int64_t bytes, tess_address *out) {
    TRY(s->device.alloc(s->target, "a test's", bytes, out));
    return s->device.upload(s->target, *out, values, bytes);
}

static int64_t place_in(const tess_stored *of, int64_t element, int d) {
    return of->layout == TESS_AOS ? element * of->row + d : d * of->stride + element;
}

/* Dat i; its rows are every other element backwards, and places do not lie in their order. Each
 * fifth has no rows. */
static tess_status open_dat(scene *s, int i) {
    static const int dims[] = {1, 3, 7, 2, 600};
    tess_stored *of = &s->stored[i];
    const tess_type type = (tess_type)(i % 3);
    const int dim = dims[i % 5];
    const int64_t n = i % 5 == 3   ? 0
                      : dim > MANY ? 4
                                   : N_ELEMENTS / 2 - i,
                  n_places = n * PLACES_A_ROW;
    const int64_t bytes = (int64_t)tess_type_size(type);
    s->dats[i] = (tess_dat){.dim = dim, .type = type};
    *of = (tess_stored){.dat = &s->dats[i],
                        .layout = i % 2 ? TESS_SOA : TESS_AOS,
                        .row = dim + i % 4,
                        .stride = N_ELEMENTS + 4};
    of->bytes = bytes * (dim + 4) * (N_ELEMENTS + 4);
    s->buffer_bytes[i] = bytes * (n_places + 1) * dim;
    TRY(TESS_ZEROS(of->bytes, &s->have[i]));
    TRY(TESS_ZEROS(s->buffer_bytes[i], &s->buffer[i]));
    TRY(TESS_ALLOC(n + FIRST, &s->row[i]));
    TRY(TESS_ALLOC((n + FIRST) * PLACES_A_ROW, &s->place[i]));
    TRY(TESS_ALLOC(n + FIRST + 1, &s->begin[i]));
    for (int64_t k = 0; k < n + FIRST; k++) {
        s->row[i][k] = (int32_t)(N_ELEMENTS - 1 - (k < FIRST ? 0 : 2 * (k - FIRST)));
        s->begin[i][k] = (int32_t)(FIRST + (k - FIRST) * PLACES_A_ROW);
    }
    s->begin[i][n + FIRST] = (int32_t)(FIRST + n_places);
    for (int64_t j = 0; j < n_places; j++)
        s->place[i][FIRST + j] = (int32_t)(n_places - j) * dim;
    for (int64_t v = 0; v < of->bytes / bytes; v++)
        put(type, s->have[i], v, number(type, v + i));
    tess_moved *moved = &s->moved[i];
    *moved = (tess_moved){.dat = of, .first = FIRST, .n = n, .value = i};
    TRY(bring(s, s->have[i], of->bytes, &of->address));
    TRY(bring(s, s->buffer[i], s->buffer_bytes[i], &moved->buffer));
    TRY(bring(s, s->row[i], (n + FIRST) * 4, &moved->row));
    TRY(bring(s, s->place[i], (n + FIRST) * PLACES_A_ROW * 4, &moved->position));
    return bring(s, s->begin[i], (n + FIRST + 1) * 4, &moved->begin);
}

static void close_scene(scene *s) {
    for (int i = 0; i < N_DATS; i++) {
        const tess_moved *moved = &s->moved[i];
        const tess_address there[] = {s->stored[i].address, moved->buffer, moved->row,
                                      moved->position, moved->begin};
        for (int k = 0; k < 5; k++)
            if (there[k])
                s->device.free(s->target, there[k]);
        free(s->have[i]);
        free(s->buffer[i]);
        free(s->row[i]);
        free(s->place[i]);
        free(s->begin[i]);
    }
    if (s->mover.module)
        tess_mover_close(&s->mover);
    s->device.close(s->target);
}

/* --- what a mover should do ------------------------------------------------------------------- */

static void add_row(scene *s, int i, int64_t k, int d) {
    const tess_type type = s->dats[i].type;
    const int64_t at = place_in(&s->stored[i], s->row[i][k], d);
    for (int32_t j = s->begin[i][k]; j < s->begin[i][k + 1]; j++)
        put(type, s->have[i], at,
            value_at(type, s->have[i], at) + value_at(type, s->buffer[i], s->place[i][j] + d));
}

static void move_here(scene *s, tess_motion motion, int i) {
    const tess_type type = s->dats[i].type;
    const tess_moved *moved = &s->moved[i];
    for (int64_t k = moved->first; k < moved->first + moved->n; k++)
        for (int d = 0; d < s->dats[i].dim; d++) {
            const int64_t at = place_in(&s->stored[i], s->row[i][k], d), there = s->place[i][k] + d;
            if (motion == TESS_PACK)
                put(type, s->buffer[i], there, value_at(type, s->have[i], at));
            else if (motion == TESS_UNPACK)
                put(type, s->have[i], at, value_at(type, s->buffer[i], there));
            else if (motion == TESS_FILL)
                put(type, s->have[i], place_in(&s->stored[i], k, d), moved->value);
            else
                add_row(s, i, k, d);
        }
}

static tess_status compare(scene *s, tess_address at, const char *want, int64_t bytes) {
    char *got = NULL;
    TRY(TESS_ALLOC(bytes, &got));
    const tess_status status = s->device.download(s->target, got, at, bytes);
    const bool same = status == TESS_OK && memcmp(got, want, (size_t)bytes) == 0;
    free(got);
    TRY(status);
    if (!same)
        FAIL(TESS_ERROR_CHECK, "the device has other bits");
    return TESS_OK;
}

/* Values that come: others than are there. */
static tess_status receive(scene *s) {
    for (int i = 0; i < N_DATS; i++) {
        const int64_t n = s->buffer_bytes[i] / (int64_t)tess_type_size(s->dats[i].type);
        for (int64_t v = 0; v < n; v++)
            put(s->dats[i].type, s->buffer[i], v, number(s->dats[i].type, 3 * v + 2));
        TRY(s->device.upload(s->target, s->moved[i].buffer, s->buffer[i], s->buffer_bytes[i]));
    }
    return TESS_OK;
}

static tess_status try_motions(scene *s) {
    for (int i = 0; i < N_DATS; i++)
        TRY(open_dat(s, i));
    TRY(tess_mover_open(&s->device, s->target, &s->mover));
    for (tess_motion motion = TESS_PACK; motion <= TESS_FILL; motion++) {
        n_launches = 0;
        TRY(tess_mover_move(&s->mover, motion, s->moved, N_DATS));
        for (int i = 0; i < N_DATS; i++) {
            move_here(s, motion, i);
            TRY(compare(s, s->moved[i].buffer, s->buffer[i], s->buffer_bytes[i]));
            TRY(compare(s, s->stored[i].address, s->have[i], s->stored[i].bytes));
        }
        assert_int_equal(n_launches, 1); /* four have no rows */
        TRY(receive(s));
    }
    return TESS_OK;
}

static tess_status moves(const char *device) {
    scene s = {.target = NULL};
    OK(tess_device_open(device, &plain, &s.target));
    s.device = *plain;
    s.device.compile = compile;
    s.device.launch = launch;
    const tess_status status = try_motions(&s);
    close_scene(&s);
    return status;
}

static const char *const devices[] = {"host", "emulator", "emulator:seed=3"};

static void dats_move_in_one_launch(void **state) {
    for (int d = 0; d < 3; d++)
        OK(moves(devices[d]));
}

static void more_dats_take_more_launches(void **state) {
    scene s = {.target = NULL};
    OK(tess_device_open("host", &plain, &s.target));
    s.device = *plain;
    s.device.launch = launch;
    OK(open_dat(&s, 0));
    OK(tess_mover_open(&s.device, s.target, &s.mover));
    tess_moved many[2 * TESS_MOVED_AT_ONCE + 1];
    for (int i = 0; i <= 2 * TESS_MOVED_AT_ONCE; i++) {
        many[i] = s.moved[0];
        many[i].first = FIRST + i;
        many[i].n = 1;
        many[i].value = i + 1;
    }
    for (int n = 0; n <= 2 * TESS_MOVED_AT_ONCE + 1; n++) {
        n_launches = 0;
        OK(tess_mover_move(&s.mover, TESS_FILL, many, n));
        assert_int_equal(n_launches, (n + TESS_MOVED_AT_ONCE - 1) / TESS_MOVED_AT_ONCE);
        for (int i = 0; i < n; i++)
            put(s.dats[0].type, s.have[0], place_in(&s.stored[0], FIRST + i, 0), i + 1);
        OK(compare(&s, s.stored[0].address, s.have[0], s.stored[0].bytes));
    }
    close_scene(&s);
}

/* Each in one of two orders of the blocks; the host does not look where it writes. */
static void mutants_are_caught(void **state) {
    static const char *const mutants[][2] = {
        {"i + 1 < p->n && block >=", "i + 1 < p->n && block >"},
        {"i + 1 < p->n", "i + 2 < p->n"},
        {"(block - m->first_block)", "(block)"},
        {"left < m->rows ?", "left <= 0 ?"},
        {"m->first + rows_before", "rows_before"},
        {"+ v / m->dim", "+ v"},
        {"element * m->next_element", "element"},
        {"d * m->next_component", "d"},
        {"m->type == INT || m->type == FLOAT", "m->type == INT"},
        {"m->type == INT || m->type == FLOAT", "1"},
        {"const int d = v % m->dim, place", "const int d = 0, place"},
        {"COPY(m->buffer, place, m->dat, from)", "COPY(m->buffer, from, m->dat, place)"},
        {"COPY(m->dat, to, m->buffer, place)", "COPY(m->dat, to, m->buffer, (int)to)"},
        {"fetch(&m->begin[k]), last", "fetch(&m->begin[k]) + 1, last"},
        {"last = fetch(&m->begin[k + 1])", "last = fetch(&m->begin[k]) + 1"},
        {"fetch(&m->place[j])", "fetch(&m->place[last - 1 - j + fetch(&m->begin[k])])"},
        {"            ADD(float)", "            ADD(int)"},
        {"            ADD(double)", "            ADD(float)"},
        {"to = place_in(m, fetch(&m->row[k]), d);\n        if",
         "to = place_in(m, k, d);\n        if"},
        {"row_of(m, block, v), v % m->dim", "row_of(m, block, v), 0"},
        {"(float)m->value", "1"},
    };
    for (size_t i = 0; i < sizeof mutants / sizeof *mutants; i++) {
        bool is_caught = false;
        piece = mutants[i][0];
        other = mutants[i][1];
        for (int d = 1; d < 3 && !is_caught; d++)
            is_caught = moves(devices[d]) != TESS_OK;
        piece = NULL;
        if (!is_caught)
            fail_msg("not caught: %s", mutants[i][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dats_move_in_one_launch),
        cmocka_unit_test(more_dats_take_more_launches),
        cmocka_unit_test(mutants_are_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
