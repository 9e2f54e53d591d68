/* A model against runs: what the gather model allows beside what a lab's runs counted and took. */
#include "experiments/report/model_against.h"

#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/statistics.h"
#include "data/generators/generator.h"
#include "experiments/archive/run_query.h"
#include "experiments/report/table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR_BYTES = 32, FAMILY_SIZE = 160 };

/* A way to run the loop, from all runs of it: counted on one device, perhaps timed on another. */
typedef struct variant {
    const json_t *row; /* of the first run; the list's */
    double b;          /* elements of a block of neighbours */
    char family[FAMILY_SIZE];
    double sectors;    /* that an element asks the L2 for, read and written; NaN: nobody counted */
    double bytes;      /* that it moves from and to memory; likewise */
    double l2, memory; /* limits, flop/s; NaN where the machine lacks the bandwidth */
    double model;      /* the least limit */
    double measured;   /* flop/s; NaN: nobody timed */
} variant;

typedef struct variants {
    json_t *rows; /* owned */
    int n;
    variant *list; /* [n], ascending b within a group; owned */
    /* B/s: the machine's, or those that runs reached; or NaN. */
    double bandwidth[TESS_N_BANDWIDTHS];
    const variant *fastest[TESS_N_BANDWIDTHS]; /* that reached it; NULL: it is the machine's */
} variants;

/* NaN where the row has no such number. */
static double number_of(const json_t *row, const char *key) {
    const json_t *value = json_object_get(row, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* --- ways ------------------------------------------------------------------------------------- */

/* What makes two runs one way; the order of ways: those that differ in b alone are neighbours. */
static int compare_settings(const json_t *a, const json_t *b, bool mesh) {
    static const char *const texts[] = {"strategy", "layouts", "partitioner", "precision",
                                        "renumber"};
    static const char *const numbers[] = {"threads", "block_size"};
    int order = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !order; i++)
        order = strcmp(tess_json_text_at(a, texts[i]), tess_json_text_at(b, texts[i]));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !order; i++) {
        const double x = number_of(a, numbers[i]), y = number_of(b, numbers[i]);
        order = (x > y) - (x < y);
    }
    return order || !mesh ? order
                          : strcmp(tess_json_text_at(a, "mesh"), tess_json_text_at(b, "mesh"));
}

/* Elements of a block of neighbours: random_blocks says it, else the plan's blocks are meant. And
 * what two instances of random_blocks share that differ in it alone; "" for other meshes. */
static void describe_blocks(const json_t *row, variant *out) {
    const tess_generator *generator = tess_generator_of_name("random_blocks");
    const char *mesh = tess_json_text_at(row, "mesh");
    tess_spec *specs = NULL;
    int n = 0;
    size_t length = 0;
    out->b = number_of(row, "block_size");
    if (strncmp(mesh, generator->name, strlen(generator->name)) != 0 ||
        tess_spec_list_parse(mesh, &specs, &n) != TESS_OK)
        return;
    if (n == 1 && strcmp(specs[0].name, generator->name) == 0) {
        out->b = (double)tess_spec_int(&specs[0], generator->options, "b");
        length += (size_t)snprintf(out->family, sizeof out->family, "%s", generator->name);
        for (int i = 0; i < specs[0].n_values && length < sizeof out->family; i++)
            if (strcmp(specs[0].keys[i], "b") != 0)
                length += (size_t)snprintf(out->family + length, sizeof out->family - length,
                                           ":%s=%s", specs[0].keys[i], specs[0].values[i]);
    }
    tess_spec_list_free(specs, n);
}

/* Whether two variants are on instances that differ in b alone, and are one way but for that. */
static bool are_one_sweep(const variant *a, const variant *b) {
    return a->family[0] && strcmp(a->family, b->family) == 0 &&
           compare_settings(a->row, b->row, false) == 0;
}

static int compare_ways(const void *a, const void *b) {
    const variant *x = a, *y = b;
    int order = compare_settings(x->row, y->row, false);
    if (!order)
        order = strcmp(x->family, y->family);
    return order ? order : (x->b > y->b) - (x->b < y->b);
}

static bool is_run_of(const tess_model_against *asked, const json_t *row) {
    return strcmp(tess_json_text_at(row, "application"), asked->application) == 0 &&
           strcmp(tess_json_text_at(row, "loop"), asked->kernel) == 0 &&
           strcmp(tess_json_text_at(row, "outcome"), "passed") == 0;
}

static variant *variant_of(variants *all, const json_t *row) {
    for (int i = 0; i < all->n; i++)
        if (compare_settings(all->list[i].row, row, true) == 0)
            return &all->list[i];
    variant *added = &all->list[all->n];
    *added = (variant){.row = row, .sectors = NAN, .bytes = NAN, .measured = NAN};
    describe_blocks(row, added);
    return &all->list[all->n++];
}

/* Whether a run was on a machine like the asked one: a GPU, or none. */
static bool is_timed_there(const tess_model_against *asked, const json_t *row) {
    const char *device = asked->machine->device[0] ? "cuda" : "host";
    return strncmp(tess_json_text_at(row, "device"), device, strlen(device)) == 0;
}

/* Takes what a run says of its way; of several times the shortest. */
static void take_row(const tess_model_against *asked, const json_t *row, variant *out) {
    const double flops = number_of(row, "flops"), elements = flops / asked->loop->flops;
    const double seconds = number_of(row, "median_time");
    const double sectors = number_of(row, "l2_read_sectors") + number_of(row, "l2_write_sectors");
    const double bytes = number_of(row, "dram_read_bytes") + number_of(row, "dram_write_bytes");
    if (!isnan(sectors))
        out->sectors = sectors / elements;
    if (!isnan(bytes))
        out->bytes = bytes / elements;
    if (seconds > 0 && is_timed_there(asked, row))
        out->measured = fmax(isnan(out->measured) ? 0 : out->measured, flops / seconds);
}

/* Bytes of an element from and to memory: what was counted where that is more than the least. */
static double bytes_of(const tess_model_against *asked, const variant *one) {
    return fmax(8 * asked->loop->least, one->bytes);
}

/* What the bandwidth of memory is that limits: the reached one where it is known. */
static double memory_bandwidth(const double *bandwidth) {
    return isnan(bandwidth[TESS_BANDWIDTH_REACHED]) ? bandwidth[TESS_BANDWIDTH_MEMORY]
                                                    : bandwidth[TESS_BANDWIDTH_REACHED];
}

static void note_fastest(variants *all, tess_bandwidth b, const variant *one, double bandwidth) {
    if (isnan(bandwidth) || (all->fastest[b] && bandwidth <= all->bandwidth[b]))
        return;
    all->bandwidth[b] = bandwidth;
    all->fastest[b] = one;
}

/* The machine's bandwidths; or those that the runs reached themselves, as the paper takes 171.17
 * GB/s from its best run and 394.1 GB/s from one that the L2 limits. */
static tess_status find_bandwidths(const tess_model_against *asked, variants *all) {
    memcpy(all->bandwidth, asked->machine->bandwidth, sizeof all->bandwidth);
    if (!asked->reached)
        return TESS_OK;
    for (int i = 0; i < all->n; i++) {
        const variant *one = &all->list[i];
        const double elements = one->measured / asked->loop->flops; /* a second */
        note_fastest(all, TESS_BANDWIDTH_REACHED, one, elements * bytes_of(asked, one));
        note_fastest(all, TESS_BANDWIDTH_L2, one, elements * SECTOR_BYTES * one->sectors);
    }
    if (!all->fastest[TESS_BANDWIDTH_L2])
        FAIL(TESS_ERROR_INPUT,
             "lab %s has no run that was timed on %s and whose L2 was counted, too (--device "
             "emulator:caches=MACHINE, or --counters): take --bandwidths machine",
             asked->lab, asked->machine->name);
    return TESS_OK;
}

/* Equation (2) where there are bandwidths; (5) or (6), of blocks of b words, where the machine has
 * levels. */
static void find_limits(const tess_model_against *asked, const double *bandwidth, variant *out) {
    const tess_machine *machine = asked->machine;
    out->memory = asked->loop->flops * memory_bandwidth(bandwidth) / bytes_of(asked, out);
    out->l2 = asked->loop->flops * bandwidth[TESS_BANDWIDTH_L2] / (SECTOR_BYTES * out->sectors);
    out->model = fmin(out->memory, out->l2); /* of a number and NaN: the number */
    for (int i = 0; i < machine->n_levels; i++)
        out->model =
            fmin(out->model, tess_gather_level(asked->loop, machine, i, out->b, asked->hits));
}

static void ways_clear(variants *all) {
    json_decref(all->rows);
    free(all->list);
}

static tess_status ways_read(const tess_model_against *asked, variants *out) {
    tess_query *query = NULL;
    *out = (variants){.rows = json_array()};
    TRY(tess_query_open(asked->lab, &query));
    for (int64_t i = 0; i < query->n_rows; i++)
        json_array_append_new(out->rows, tess_query_json(query, query->rows[i]));
    tess_query_close(query);
    TRY(TESS_ALLOC((int64_t)json_array_size(out->rows) + 1, &out->list));
    for (size_t i = 0; i < json_array_size(out->rows); i++) {
        const json_t *row = json_array_get(out->rows, i);
        if (is_run_of(asked, row))
            take_row(asked, row, variant_of(out, row));
    }
    int n = 0; /* that say something */
    for (int i = 0; i < out->n; i++)
        if (!isnan(out->list[i].sectors) || !isnan(out->list[i].measured))
            out->list[n++] = out->list[i];
    out->n = n;
    if (n == 0)
        FAIL(TESS_ERROR_INPUT,
             "lab %s has no run of %s %s that was timed, or whose L2 was counted (--device "
             "emulator:caches=MACHINE, or --counters)",
             asked->lab, asked->application, asked->kernel);
    qsort(out->list, (size_t)n, sizeof *out->list, compare_ways);
    TRY(find_bandwidths(asked, out));
    for (int i = 0; i < n; i++)
        find_limits(asked, out->bandwidth, &out->list[i]);
    return TESS_OK;
}

/* --- what follows ----------------------------------------------------------------------------- */

/* Sectors an element at which L2 and memory limit alike. */
static double balance(const tess_model_against *asked, const variants *all) {
    return tess_gather_balance(asked->loop, all->bandwidth[TESS_BANDWIDTH_L2],
                               memory_bandwidth(all->bandwidth));
}

/* The b between two of one sweep at which an element asks for so many sectors, straight over the
 * logarithm of b; NaN where that is not between them. */
static double crossing(const variant *a, const variant *b, double sectors) {
    const double x = a->sectors - sectors, y = b->sectors - sectors;
    if (!are_one_sweep(a, b) || !(x <= 0 && y > 0))
        return NAN;
    return exp(log(a->b) + x / (x - y) * (log(b->b) - log(a->b)));
}

static double error_of(const variant *one) {
    return one->model / one->measured - 1;
}

/* Median and largest of |model / measured - 1|; NaN where nothing can be compared. */
static tess_status errors_of(const variants *all, double *median, double *largest, int *n) {
    double *errors = NULL;
    TRY(TESS_ALLOC(all->n, &errors));
    *n = 0;
    *largest = NAN;
    for (int i = 0; i < all->n; i++)
        if (!isnan(error_of(&all->list[i]))) {
            errors[*n] = fabs(error_of(&all->list[i]));
            *largest = fmax(*largest, errors[(*n)++]);
        }
    *median = *n ? tess_median(errors, *n) : NAN;
    free(errors);
    return TESS_OK;
}

/* --- reports ---------------------------------------------------------------------------------- */

static tess_status add_number(tess_table *table, double value, const char *format) {
    char text[32] = "";
    if (!isnan(value))
        snprintf(text, sizeof text, format, value);
    return tess_table_add_cell(table, "%s", text);
}

static tess_status add_variant(const variant *one, tess_table *table) {
    TRY(tess_table_add_row(table));
    TRY(tess_table_add_cell(table, "%s", tess_json_text_at(one->row, "mesh")));
    TRY(tess_table_add_cell(table, "%s", tess_json_text_at(one->row, "strategy")));
    TRY(tess_table_add_cell(table, "%s", tess_json_text_at(one->row, "layouts")));
    TRY(tess_table_add_cell(table, "%.0f", number_of(one->row, "block_size")));
    TRY(add_number(table, one->sectors, "%.2f"));
    TRY(add_number(table, 1e-9 * one->memory, "%.2f"));
    TRY(add_number(table, 1e-9 * one->l2, "%.2f"));
    TRY(add_number(table, 1e-9 * one->model, "%.2f"));
    TRY(add_number(table, 1e-9 * one->measured, "%.2f"));
    return add_number(table, 100 * error_of(one), "%+.1f");
}

static void print_crossings(const tess_model_against *asked, const variants *all) {
    for (int i = 0; i + 1 < all->n; i++) {
        const double b = crossing(&all->list[i], &all->list[i + 1], balance(asked, all));
        if (!isnan(b))
            printf("%s, %s: L2 and memory limit alike (%.3f sectors) at b = %.0f.\n",
                   tess_json_text_at(all->list[i].row, "strategy"),
                   tess_json_text_at(all->list[i].row, "layouts"), balance(asked, all), b);
    }
}

/* Which runs the bandwidths are from, where these are of runs. */
static void print_fastest(const variants *all) {
    for (tess_bandwidth b = 0; b < TESS_N_BANDWIDTHS; b++)
        if (all->fastest[b])
            printf("%s, %.1f GB/s, is what %s reached on %s.\n", tess_bandwidth_name(b),
                   1e-9 * all->bandwidth[b], tess_json_text_at(all->fastest[b]->row, "strategy"),
                   tess_json_text_at(all->fastest[b]->row, "mesh"));
}

tess_status tess_model_against_print(const tess_model_against *asked) {
    static const char *const titles[] = {"mesh",        "strategy",   "layout", ">block size",
                                         ">L2 sectors", ">by memory", ">by L2", ">GFLOPS",
                                         ">measured",   ">off %",     NULL};
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    variants all = {.n = 0};
    double median = NAN, largest = NAN;
    int n = 0;
    CHECK(ways_read(asked, &all));
    CHECK(tess_table_new(titles, &table));
    for (int i = 0; i < all.n; i++)
        CHECK(add_variant(&all.list[i], table));
    CHECK(tess_table_print(table, stdout));
    CHECK(errors_of(&all, &median, &largest, &n));
    putchar('\n');
    if (n > 0)
        printf(
            "Of %d that were timed the model is off by %.1f %% in the median, %.1f %% at most.\n",
            n, 100 * median, 100 * largest);
    print_fastest(&all);
    print_crossings(asked, &all);
done:
    tess_table_free(table);
    ways_clear(&all);
    return status;
}

static json_t *way_json(const variant *one) {
    return json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "mesh",
        tess_json_text_at(one->row, "mesh"), "strategy", tess_json_text_at(one->row, "strategy"),
        "layout", tess_json_text_at(one->row, "layouts"), "block_size",
        tess_json_number(number_of(one->row, "block_size")), "b", tess_json_number(one->b),
        "sectors", tess_json_number(one->sectors), "memory_gflops",
        tess_json_number(1e-9 * one->memory), "l2_gflops", tess_json_number(1e-9 * one->l2),
        "gflops", tess_json_number(1e-9 * one->model), "measured_gflops",
        tess_json_number(1e-9 * one->measured), "error", tess_json_number(error_of(one)));
}

tess_status tess_model_against_json(const tess_model_against *asked, json_t **out) {
    tess_status status = TESS_OK;
    variants all = {.n = 0};
    double median = NAN, largest = NAN;
    int n = 0;
    json_t *rows = json_array(), *crossings = json_array();
    CHECK(ways_read(asked, &all));
    CHECK(errors_of(&all, &median, &largest, &n));
    for (int i = 0; i < all.n; i++) {
        const double b =
            i + 1 < all.n ? crossing(&all.list[i], &all.list[i + 1], balance(asked, &all)) : NAN;
        json_array_append_new(rows, way_json(&all.list[i]));
        if (!isnan(b))
            json_array_append_new(
                crossings, json_pack("{s:s, s:s, s:f}", "strategy",
                                     tess_json_text_at(all.list[i].row, "strategy"), "layout",
                                     tess_json_text_at(all.list[i].row, "layouts"), "b", b));
    }
    *out = json_pack("{s:O, s:i, s:o, s:o, s:o, s:o, s:o, s:O}", "rows", rows, "timed", n,
                     "median_error", tess_json_number(median), "largest_error",
                     tess_json_number(largest), "memory_bandwidth",
                     tess_json_number(memory_bandwidth(all.bandwidth)), "l2_bandwidth",
                     tess_json_number(all.bandwidth[TESS_BANDWIDTH_L2]), "balance",
                     tess_json_number(balance(asked, &all)), "crossings", crossings);
done:
    json_decref(rows);
    json_decref(crossings);
    ways_clear(&all);
    return status;
}
