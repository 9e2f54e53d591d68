/* Phases: a kernel split into sub-kernels that run one after another. */
#include "kernels/loops/kernel_phases.h"

#include "core/base/array.h"
#include "core/base/splitmix.h"
#include "kernels/devices/c_module.h"
#include "kernels/loops/kernel_parts.h"
#include "kernels/loops/kernel_text.h"
#include "kernels/loops/state.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 512 };

typedef void phase_function(void *const *arrays);

/* The local arrays of one element, in double where a kernel has `real`: args, then what parts pass
 * on. Value i of array k is value first[k] + i of all. */
typedef struct finder {
    const tess_kernel *kernel;
    int n_arrays, n_all;
    int *first;       /* [n_arrays + 1] */
    tess_dat *array;  /* [n_arrays] */
    void **positions; /* [n_arrays]: their values */
    double *results;  /* [n_all]: what a call gave */
    bool *is_read;    /* [n_all]: the function may read it */
    bool *is_made;    /* [n_all]: the function gives it or adds to it */
    bool *is_seen;    /* [n_all]: it was not zero for some element */
    bool *needs;      /* [n_all][n_all]: made, read */
    uint64_t seed;
} finder;

/* --- the functions ---------------------------------------------------------------------------- */

static const char *value_type(const finder *f, int array) {
    return array < f->kernel->n_args ? f->kernel->args[array].type : "real";
}

/* FUNCTION(v) of a phase on the arrays v[0], v[1] ... */
static void print_function(tess_text_writer *text, const finder *f, const tess_phase *phase,
                           int number) {
    const tess_kernel *kernel = f->kernel;
    tess_text_writer_print(
        text, "void phase_%d(void *const *v);\nvoid phase_%d(void *const *v) {\n", number, number);
    for (int k = 0; k < f->n_arrays; k++) {
        const bool is_arg = k < kernel->n_args;
        char name[16];
        snprintf(name, sizeof name, "%c%d", is_arg ? 'a' : 'b', is_arg ? k : k - kernel->n_args);
        tess_text_writer_print(text, "    %s *const %s = (%s *)v[%d];\n    (void)%s;\n",
                               value_type(f, k), name, value_type(f, k), k, name);
    }
    if (phase->part) {
        tess_part_print_all(text, kernel, phase->part, phase->instance);
    } else {
        tess_text_writer_print(text, "    %s(", tess_kernel_function(kernel));
        for (int a = 0; a < kernel->n_args; a++)
            tess_text_writer_print(text, "%sa%d", a > 0 ? ", " : "", a);
        tess_text_writer_print(text, ");\n");
    }
    tess_text_writer_print(text, "}\n");
}

static tess_status compile(const finder *f, const tess_mesh *whole, const tess_phase *phases, int n,
                           tess_c_module **out) {
    tess_text_writer text = {.text = NULL};
    tess_text_writer_print(&text, "#include <tgmath.h>\n#define UNROLL\n");
    tess_kernel_text_print_real(&text, "double", TESS_ARITHMETIC_EXACT);
    tess_kernel_text_print_arities(&text, whole);
    tess_text_writer_include(&text, "kernel.h", f->kernel->text);
    tess_text_writer_print(&text, "\n#line 1 \"phases\"\n");
    for (int p = 0; p < n; p++)
        print_function(&text, f, &phases[p], p);
    tess_status status = tess_text_writer_finish(&text);
    if (status == TESS_OK)
        status = tess_c_module_open(text.text, "-std=gnu11 -O1 -fno-strict-aliasing", out);
    tess_text_writer_clear(&text);
    return status;
}

/* --- what they need --------------------------------------------------------------------------- */

static int slots_of(const tess_bound_loop *bound, int a) {
    const tess_arg *arg = &bound->loop->args[a];
    return arg->map[0] && arg->slot < 0 ? tess_mesh_find_map(bound->mesh, arg->map)->arity : 1;
}

static tess_type type_of(const char *word) {
    return strcmp(word, "int") == 0     ? TESS_INT32
           : strcmp(word, "float") == 0 ? TESS_FLOAT
                                        : TESS_DOUBLE;
}

static tess_status open_arrays(finder *f, const tess_bound_loop *bound) {
    f->n_arrays = f->kernel->n_args + f->kernel->n_between;
    f->seed = 1;
    TRY(TESS_ZEROS(f->n_arrays + 1, &f->first));
    TRY(TESS_ZEROS(f->n_arrays, &f->array));
    TRY(TESS_ZEROS(f->n_arrays, &f->positions));
    for (int k = 0; k < f->n_arrays; k++) {
        const bool is_arg = k < f->kernel->n_args;
        const int n = is_arg ? bound->loop->args[k].dim * slots_of(bound, k)
                             : f->kernel->between[k - f->kernel->n_args].dim;
        f->array[k] = (tess_dat){.dim = n, .type = type_of(value_type(f, k))};
        TRY(tess_array_zeros(n, tess_type_size(f->array[k].type), &f->array[k].values));
        f->positions[k] = f->array[k].values;
        f->first[k + 1] = f->first[k] + n;
    }
    f->n_all = f->first[f->n_arrays];
    TRY(TESS_ZEROS(f->n_all, &f->results));
    TRY(TESS_ZEROS(f->n_all, &f->is_read));
    TRY(TESS_ZEROS(f->n_all, &f->is_made));
    TRY(TESS_ZEROS(f->n_all, &f->is_seen));
    return TESS_ZEROS((int64_t)f->n_all * f->n_all, &f->needs);
}

static void close_arrays(finder *f) {
    for (int k = 0; f->array && k < f->n_arrays; k++)
        free(f->array[k].values);
    free(f->first);
    free(f->array);
    free(f->positions);
    free(f->results);
    free(f->is_read);
    free(f->is_made);
    free(f->is_seen);
    free(f->needs);
}

static void mark_array(const finder *f, int k, bool *marks) {
    for (int i = f->first[k]; i < f->first[k + 1]; i++)
        marks[i] = true;
}

/* What the function of a phase may read, and what it makes. */
static void mark_values(finder *f, const tess_phase *phase) {
    const tess_kernel_part *part = phase->part;
    const int n_args = f->kernel->n_args;
    memset(f->is_read, 0, (size_t)f->n_all * sizeof *f->is_read);
    memset(f->is_made, 0, (size_t)f->n_all * sizeof *f->is_made);
    memset(f->is_seen, 0, (size_t)f->n_all * sizeof *f->is_seen);
    memset(f->needs, 0, (size_t)f->n_all * (size_t)f->n_all * sizeof *f->needs);
    for (int a = 0; !part && a < n_args; a++)
        mark_array(f, a, f->kernel->args[a].access == TESS_INC ? f->is_made : f->is_read);
    for (int t = 0; part && t < part->n_takes; t++)
        mark_array(f, part->takes[t] < 0 ? n_args + ~part->takes[t] : part->takes[t], f->is_read);
    for (int g = 0; part && g < part->n_gives; g++)
        mark_array(f, n_args + part->gives[g], f->is_made);
    for (int k = 0; part && k < part->n_adds; k++) {
        mark_array(f, part->adds[k], f->is_made);
        if (tess_part_is_of_matrix(part))
            mark_array(f, part->adds[k] + 1, f->is_made);
    }
}

static double random_value(finder *f) {
    return (double)(tess_random_next(&f->seed) >> 11 | 1) * 0x1p-53;
}

/* Values of both signs in every second element. */
static void put_random(finder *f, int element) {
    for (int k = 0; k < f->n_arrays; k++)
        for (int i = 0; i < f->array[k].dim; i++) {
            const double value = random_value(f);
            const double sign = element % 2 && random_value(f) < 0.5 ? -1 : 1;
            tess_dat_set(&f->array[k], i,
                         f->array[k].type == TESS_INT32 ? floor(4 * value) : sign * (0.5 + value));
        }
}

/* Clears what the function makes, and calls it. */
static void call(const finder *f, phase_function *function) {
    for (int k = 0; k < f->n_arrays; k++)
        if (f->is_made[f->first[k]])
            memset(f->array[k].values, 0,
                   (size_t)f->array[k].dim * tess_type_size(f->array[k].type));
    function(f->positions);
}

static bool is_another(double a, double b) {
    return a != b && !(isnan(a) && isnan(b));
}

/* Marks what depends on value `at` of all, that is value i of array k. */
static void change_value(finder *f, phase_function *function, int k, int i) {
    const int at = f->first[k] + i;
    const double kept = tess_dat_value(&f->array[k], i);
    tess_dat_set(&f->array[k], i,
                 f->array[k].type == TESS_INT32 ? fmod(kept + 1, 4) : 1.375 * kept);
    call(f, function);
    tess_dat_set(&f->array[k], i, kept);
    for (int m = 0; m < f->n_arrays; m++)
        for (int j = 0; f->is_made[f->first[m]] && j < f->array[m].dim; j++)
            f->needs[(int64_t)(f->first[m] + j) * f->n_all + at] |=
                is_another(tess_dat_value(&f->array[m], j), f->results[f->first[m] + j]);
}

static void find_needs(finder *f, const tess_phase *phase, phase_function *function) {
    mark_values(f, phase);
    for (int e = 0; e < ELEMENTS; e++) {
        put_random(f, e);
        call(f, function);
        for (int k = 0; k < f->n_arrays; k++)
            for (int i = 0; i < f->array[k].dim; i++) {
                f->results[f->first[k] + i] = tess_dat_value(&f->array[k], i);
                f->is_seen[f->first[k] + i] |= f->results[f->first[k] + i] != 0;
            }
        for (int k = 0; k < f->n_arrays; k++)
            for (int i = 0; f->is_read[f->first[k]] && i < f->array[k].dim; i++)
                change_value(f, function, k, i);
    }
}

/* --- phases ----------------------------------------------------------------------------------- */

static tess_status check_loop(const tess_bound_loop *bound) {
    const tess_loop *loop = bound->loop;
    for (int a = 0; a < loop->n_args; a++)
        if (loop->args[a].access != TESS_READ && !tess_arg_adds(&loop->args[a]))
            FAIL(TESS_ERROR_USAGE,
                 "only a loop whose results are added to through maps is split into parts: arg %d "
                 "of %s "
                 "('%s') is %s%s",
                 a, loop->name, loop->args[a].dat, tess_access_name(loop->args[a].access),
                 loop->args[a].map[0] ? "" : " of an element's own or a global value");
    return TESS_OK;
}

static tess_status add_phase(tess_phases *phases, const tess_kernel_part *part, int instance) {
    if (phases->n_phases == TESS_MOST_PHASES)
        FAIL(TESS_ERROR_USAGE, "loop %s splits into more than %d phases", phases->kernel->name,
             TESS_MOST_PHASES);
    tess_phase *phase = &phases->phase[phases->n_phases++];
    *phase = (tess_phase){.part = part, .instance = instance};
    TRY(TESS_ZEROS(phases->n_values, &phase->reads));
    return TESS_ZEROS(phases->n_values, &phase->adds);
}

static tess_status add_parts(tess_phases *phases) {
    const tess_kernel *kernel = phases->kernel;
    if (kernel->n_parts == 0)
        FAIL(TESS_ERROR_USAGE, "loop %s has no parts: take split=outputs or split=components",
             kernel->name);
    for (int p = 0; p < kernel->n_parts; p++) {
        const tess_kernel_part *part = &kernel->parts[p];
        const bool is_number = part->each == TESS_PART_NUMBER;
        if (!tess_part_is_used(part, TESS_USE_THREAD | TESS_USE_SLOTS))
            continue;
        for (int k = 0; k < (is_number ? part->number : 1); k++)
            TRY(add_phase(phases, part, is_number ? k : -1));
    }
    return TESS_OK;
}

/* What each part that is a phase reads and adds. */
static void fill_parts(finder *f, tess_phases *phases, phase_function *const *function) {
    for (int p = 0; p < phases->n_phases; p++) {
        tess_phase *phase = &phases->phase[p];
        find_needs(f, phase, function[p]);
        for (int i = 0; i < phases->n_values; i++) {
            phase->adds[i] = f->is_made[i] && f->is_seen[i];
            for (int m = 0; m < f->n_all; m++)
                phase->reads[i] |= f->needs[(int64_t)m * f->n_all + i];
        }
    }
}

static bool is_one_dat(const tess_kernel_arg *a, const tess_kernel_arg *b) {
    return strcmp(a->dat, b->dat) == 0 && a->map && b->map && strcmp(a->set, b->set) == 0;
}

/* Whether two values are of one component of one dat, at points. */
static bool is_one_component(const tess_phases *phases, int a, int i, int b, int j) {
    const tess_kernel_arg *args = phases->kernel->args;
    return is_one_dat(&args[a], &args[b]) &&
           tess_kernel_arg_component(&args[a], i % args[a].dim) ==
               tess_kernel_arg_component(&args[b], j % args[b].dim);
}

/* The arg of a value. */
static int arg_of(const tess_phases *phases, int value) {
    int a = 0;
    while (value >= phases->first[a + 1])
        a++;
    return a;
}

/* Gives each value the number of its component: that of the first value of it. */
static void number_components(const tess_phases *phases, int *component) {
    for (int v = 0; v < phases->n_values; v++) {
        const int a = arg_of(phases, v);
        component[v] = v;
        for (int w = 0; w < v && component[v] == v; w++) {
            const int b = arg_of(phases, w);
            if (is_one_component(phases, a, v - phases->first[a], b, w - phases->first[b]))
                component[v] = component[w];
        }
    }
}

/* Which components at points the component `made` needs: [n_values]. */
static void needed_components(const finder *f, const tess_phases *phases, const int *component,
                              int made, bool *out) {
    memset(out, 0, (size_t)phases->n_values * sizeof *out);
    for (int m = 0; m < phases->n_values; m++)
        for (int i = 0; component[m] == made && f->is_made[m] && i < phases->n_values; i++)
            if (phases->kernel->args[arg_of(phases, i)].map)
                out[component[i]] |= f->needs[(int64_t)m * f->n_all + i];
}

/* The phase whose values need what component `made` does, or whose dat it is; a new one else. */
static tess_status phase_for(tess_phases *phases, tess_split split, bool *const *needed, int made,
                             tess_phase **out) {
    const tess_kernel_arg *args = phases->kernel->args;
    for (int p = 0; p < phases->n_phases; p++) {
        int first = 0;
        while (!phases->phase[p].adds[first])
            first++;
        const bool is_same =
            split == TESS_SPLIT_OUTPUTS
                ? is_one_dat(&args[arg_of(phases, first)], &args[arg_of(phases, made)])
                : memcmp(needed[first], needed[made],
                         (size_t)phases->n_values * sizeof *needed[made]) == 0;
        *out = &phases->phase[p];
        if (is_same)
            return TESS_OK;
    }
    TRY(add_phase(phases, NULL, -1));
    *out = &phases->phase[phases->n_phases - 1];
    return TESS_OK;
}

/* Phases of the whole function, by what its values need. */
static tess_status group_values(const finder *f, tess_phases *phases, tess_split split) {
    tess_status status = TESS_OK;
    const int n = phases->n_values;
    int *component = NULL;
    bool **needed = NULL;
    CHECK(TESS_ZEROS(n, &component));
    CHECK(TESS_ZEROS(n, &needed));
    number_components(phases, component);
    for (int v = 0; v < n; v++) {
        CHECK(TESS_ZEROS(n, &needed[v]));
        needed_components(f, phases, component, v, needed[v]);
    }
    for (int v = 0; v < n; v++) {
        tess_phase *phase = NULL;
        if (!f->is_made[v])
            continue;
        CHECK(phase_for(phases, split, needed, component[v], &phase));
        phase->adds[v] = true;
        for (int i = 0; i < n; i++)
            phase->reads[i] |= f->needs[(int64_t)v * f->n_all + i];
    }
    if (phases->n_phases < 2)
        CHECK(tess_fail(TESS_ERROR_USAGE, "loop %s: nothing to split: all that it adds %s",
                        phases->kernel->name,
                        split == TESS_SPLIT_OUTPUTS ? "is of one dat" : "needs the same values"));
done:
    for (int v = 0; needed && v < n; v++)
        free(needed[v]);
    free(needed);
    free(component);
    return status;
}

/* Finds the functions of a module. */
static tess_status functions_of(const tess_c_module *module, int n, phase_function **out) {
    for (int p = 0; p < n; p++) {
        char name[32];
        void (*function)(void) = NULL;
        snprintf(name, sizeof name, "phase_%d", p);
        TRY(tess_c_module_function(module, name, &function));
        out[p] = (phase_function *)function;
    }
    return TESS_OK;
}

static tess_status open_phases(const finder *f, tess_phases *phases) {
    TRY(TESS_ZEROS(f->kernel->n_args + 1, &phases->first));
    memcpy(phases->first, f->first, (size_t)(f->kernel->n_args + 1) * sizeof *f->first);
    phases->n_values = f->first[f->kernel->n_args];
    return TESS_ZEROS(TESS_MOST_PHASES, &phases->phase);
}

tess_status tess_phases_find(const tess_kernel *kernel, const tess_bound_loop *bound,
                             const tess_mesh *whole, tess_split split, tess_phases *out) {
    tess_status status = TESS_OK;
    tess_c_module *module = NULL;
    phase_function *function[TESS_MOST_PHASES];
    finder f = {.kernel = kernel};
    const tess_phase function_whole = {.instance = -1};
    *out = (tess_phases){.kernel = kernel};
    CHECK(check_loop(bound));
    CHECK(open_arrays(&f, bound));
    CHECK(open_phases(&f, out));
    if (split == TESS_SPLIT_PARTS)
        CHECK(add_parts(out));
    const int n = split == TESS_SPLIT_PARTS ? out->n_phases : 1;
    CHECK(compile(&f, whole, split == TESS_SPLIT_PARTS ? out->phase : &function_whole, n, &module));
    CHECK(functions_of(module, n, function));
    if (split == TESS_SPLIT_PARTS) {
        fill_parts(&f, out, function);
    } else {
        find_needs(&f, &function_whole, function[0]);
        CHECK(group_values(&f, out, split));
    }
done:
    if (status != TESS_OK)
        tess_phases_clear(out);
    close_arrays(&f);
    tess_c_module_close(module);
    return status;
}

void tess_phases_clear(tess_phases *phases) {
    for (int p = 0; p < phases->n_phases; p++) {
        free(phases->phase[p].reads);
        free(phases->phase[p].adds);
    }
    free(phases->phase);
    free(phases->first);
    *phases = (tess_phases){.kernel = NULL};
}
