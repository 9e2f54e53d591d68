/* An operation count: what a kernel computes for an element, found by calling it with numbers that
 * count what is done to them. */
#include "kernels/loops/operation_count.h"

#include "core/base/array.h"
#include "core/base/splitmix.h"
#include "kernels/devices/c_module.h"
#include "kernels/devices/embed.h"
#include "kernels/loops/kernel_text.h"

#include <stdlib.h>

TESS_EMBED(tess_counting_numbers_text, "kernels/loops/counting_numbers.h");

enum { ELEMENTS = 256, KINDS = 5 };

static const char FLAGS[] = "-std=gnu11 -O3 -fno-math-errno -fno-signed-zeros -fno-trapping-math "
                            "-fno-strict-aliasing";

/* An arg's values of one element, ints as they are, all else in double. */
typedef struct handed {
    const tess_dat *dat;
    const tess_map *map;            /* NULL: direct or global */
    int first_slot, n;              /* values in all */
    bool is_int, is_read, is_empty; /* empty: all of the dat is zero */
    void *values;                   /* [n], owned */
} handed;

typedef struct counter {
    const tess_kernel *kernel;
    const tess_bound_loop *bound;
    handed *args; /* [n_args], owned */
    void **values;
    uint64_t seed;
    void (*start)(void);
    void (*call)(void *const *values);
    void (*give)(long long *out);
} counter;

double tess_operations_flops(const tess_operations *o) {
    return o->sums + o->products + o->divisions + o->roots + o->functions;
}

void tess_operations_add(tess_operations *sum, double times, const tess_operations *o) {
    sum->sums += times * o->sums;
    sum->products += times * o->products;
    sum->divisions += times * o->divisions;
    sum->roots += times * o->roots;
    sum->functions += times * o->functions;
}

/* count_element(a): the kernel on numbers that count, which are given back, so that none of them is
 * for nothing. */
static void print_call(const counter *c, tess_text_writer *page) {
    const int n = c->kernel->n_args;
    tess_text_writer_print(page, "\n#line 1 \"count\"\nvoid count_element(void *const *a);\n"
                                 "void count_element(void *const *a) {\n");
    for (int a = 0; a < n; a++)
        tess_text_writer_print(page,
                               "    static %s v%d[%d];\n    for (int i = 0; i < %d; i++)\n"
                               "        v%d[i] = ((const %s *)a[%d])[i];\n",
                               c->args[a].is_int ? "int" : "counting_number", a, c->args[a].n, c->args[a].n,
                               a, c->args[a].is_int ? "int" : "plain_number", a);
    tess_text_writer_print(page, "    %s(", tess_kernel_function(c->kernel));
    for (int a = 0; a < n; a++)
        tess_text_writer_print(page, "%sv%d", a ? ", " : "", a);
    tess_text_writer_print(page, ");\n");
    for (int a = 0; a < n; a++)
        tess_text_writer_print(page,
                               "    for (int i = 0; i < %d; i++)\n"
                               "        ((%s *)a[%d])[i] = v%d[i];\n",
                               c->args[a].n, c->args[a].is_int ? "int" : "plain_number", a, a);
    tess_text_writer_print(page, "}\n");
}

static tess_status compile(const counter *c, tess_arithmetic arithmetic, tess_c_module **out) {
    tess_text_writer page = {.text = NULL};
    tess_text_writer_include(&page, "counting_numbers.h", tess_counting_numbers_text);
    tess_kernel_text_print_real(&page, "counting_number", arithmetic);
    tess_kernel_text_print_arities(&page, c->bound->mesh);
    tess_text_writer_include(&page, "kernel.h", c->kernel->text);
    print_call(c, &page);
    tess_status status = tess_text_writer_finish(&page);
    if (status == TESS_OK)
        status = tess_c_module_open(page.text, FLAGS, out);
    tess_text_writer_clear(&page);
    return status;
}

static tess_status find_functions(counter *c, const tess_c_module *module) {
    void (*call)(void) = NULL, (*give)(void) = NULL;
    TRY(tess_c_module_function(module, "start_count", &c->start));
    TRY(tess_c_module_function(module, "count_element", &call));
    TRY(tess_c_module_function(module, "give_count", &give));
    c->call = (void (*)(void *const *))call;
    c->give = (void (*)(long long *))give;
    return TESS_OK;
}

static bool is_zero(const tess_state *state, const tess_dat *dat) {
    const int64_t n = tess_state_size(state, dat) * dat->dim;
    int64_t i = 0;
    while (i < n && tess_dat_value(dat, i) == 0)
        i++;
    return i == n;
}

static tess_status open_arg(const counter *c, const tess_state *start, int a, handed *out) {
    const tess_arg *arg = &c->bound->loop->args[a];
    *out = (handed){.dat = tess_state_find(start, arg->dat, arg->set),
                    .is_int = arg->type == TESS_INT32,
                    .is_read = arg->access == TESS_READ || arg->access == TESS_RW};
    if (!out->dat)
        FAIL(TESS_ERROR_INTERNAL, "the state at the start lacks '%s'", arg->dat);
    out->is_empty = is_zero(start, out->dat);
    if (arg->map[0])
        out->map = tess_mesh_find_map(c->bound->mesh, arg->map);
    out->first_slot = arg->slot < 0 ? 0 : arg->slot;
    out->n = arg->dim * (out->map && arg->slot < 0 ? out->map->arity : 1);
    return tess_array_zeros(out->n, out->is_int ? sizeof(int32_t) : sizeof(double), &out->values);
}

static void put(const handed *h, int i, double value) {
    if (h->is_int)
        ((int32_t *)h->values)[i] = (int32_t)value;
    else
        ((double *)h->values)[i] = value;
}

/* Fills an arg with what element e hands over. */
static void hand_over(counter *c, int a, int64_t e) {
    const handed *h = &c->args[a];
    const tess_kernel_arg *view = &c->kernel->args[a];
    const int dim = c->bound->loop->args[a].dim;
    for (int i = 0; i < h->n; i++) {
        const int64_t at = h->map ? h->map->index[e * h->map->arity + h->first_slot + i / dim]
                           : h->dat->set == TESS_GLOBAL ? 0
                                                        : e;
        double value = 0;
        if (h->is_read && at >= 0 && h->is_empty && !h->is_int)
            value = 0.5 + (double)(tess_random_next(&c->seed) >> 11) * 0x1p-53;
        else if (h->is_read && at >= 0)
            value =
                tess_dat_value(h->dat, at * h->dat->dim + tess_kernel_arg_component(view, i % dim));
        put(h, i, value);
    }
}

static void count_elements(counter *c, tess_operations *out) {
    const int64_t n = c->bound->n_elements, n_tried = n < ELEMENTS ? n : ELEMENTS;
    double *const sums[KINDS] = {&out->sums, &out->products, &out->divisions, &out->roots,
                                 &out->functions};
    *out = (tess_operations){.sums = 0};
    for (int64_t i = 0; i < n_tried; i++) {
        long long done[KINDS] = {0};
        for (int a = 0; a < c->kernel->n_args; a++)
            hand_over(c, a, i * n / n_tried);
        c->start();
        c->call(c->values);
        c->give(done);
        for (int k = 0; k < KINDS; k++)
            *sums[k] += (double)done[k];
    }
    for (int k = 0; k < KINDS && n_tried > 0; k++)
        *sums[k] /= (double)n_tried;
}

tess_status tess_operations_count(const tess_kernel *kernel, const tess_bound_loop *bound,
                                  const tess_state *start, tess_arithmetic arithmetic,
                                  tess_operations *out) {
    tess_status status = TESS_OK;
    tess_c_module *module = NULL;
    counter c = {.kernel = kernel, .bound = bound, .seed = 1};
    CHECK(TESS_ZEROS(kernel->n_args, &c.args));
    CHECK(TESS_ZEROS(kernel->n_args, &c.values));
    for (int a = 0; a < kernel->n_args; a++) {
        CHECK(open_arg(&c, start, a, &c.args[a]));
        c.values[a] = c.args[a].values;
    }
    CHECK(compile(&c, arithmetic, &module));
    CHECK(find_functions(&c, module));
    count_elements(&c, out);
done:
    for (int a = 0; c.args && a < kernel->n_args; a++)
        free(c.args[a].values);
    free(c.args);
    free(c.values);
    tess_c_module_close(module);
    return status;
}
