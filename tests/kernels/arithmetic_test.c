/* Arithmetic: what a kernel's reciprocal, divide and root come to, on every device that is here,
 * over exponents and mantissas, and of what is no usual number. */
#include "core/base/splitmix.h"
#include "kernels/applications/applications.h"
#include "kernels/devices/cuda/nvrtc.h"
#include "strategy_bench.h"

#include <math.h>

typedef double real;
#define TESTED_ARITHMETIC
#include "kernels/loops/arithmetic_words.h"

/* --- the steps from an approximation ---------------------------------------------------------- */

static double relative_error(double got, long double want) {
    return fabs((double)((got - want) / want));
}

/* Numbers of all exponents between, random mantissas and those beside a power of two. */
static double number_of(int exponent, int i, uint64_t *seed) {
    static const double ends[] = {1, 1 + 0x1p-52, 2 - 0x1p-52, 1.5};
    const double random = 1 + (double)(tess_random_next(seed) >> 11) * 0x1p-53;
    return ldexp(i < 4 ? ends[i] : random, exponent);
}

enum { MANTISSAS = 100 };

/* A GPU's approximations are good to 20 bits of an argument cut to 20 bits: 2^-19 together. */
static void a_step_from_twenty_bits_is_nearly_exact(void **state) {
    static const double off[] = {-0x1p-19, -0x1.5p-20, 0, 0x1p-21, 0x1p-19};
    double worst_reciprocal = 0, worst_root = 0;
    uint64_t seed = 1;
    for (int exponent = -1021; exponent <= 1021; exponent++)
        for (int i = 0; i < MANTISSAS; i++) {
            const double x = number_of(exponent, i, &seed), seen = 1 + off[i % 5];
            const long double inverse = 1 / (long double)x, square_root = sqrtl((long double)x);
            worst_reciprocal =
                fmax(worst_reciprocal,
                     relative_error(refine_reciprocal(x, (double)inverse * seen), inverse));
            worst_root =
                fmax(worst_root,
                     relative_error(refine_root(x, (double)(1 / square_root) * seen), square_root));
        }
    print_message("reciprocal 2^%.2f, root 2^%.2f\n", log2(worst_reciprocal), log2(worst_root));
    assert_true(worst_reciprocal <= 0x1p-52);
    assert_true(worst_root <= 0x1p-52);
    assert_true(worst_reciprocal > 0x1p-54); /* something was measured */
}

static void small_numbers_have_the_root_zero(void **state) {
    assert_true(refine_root(0, INFINITY) == 0);
    assert_true(refine_root(0x1p-1030, INFINITY) == 0);
    assert_true(isnan(refine_root(-1, NAN)));
    assert_true(isnan(refine_root(NAN, NAN)));
}

/* --- the words on devices --------------------------------------------------------------------- */

/* A page whose kernel gives the three words of n numbers. */
static const char text[] = "#define LAUNCH_BOUNDS __launch_bounds__(32, 1)\n"
                           "struct params {\n"
                           "    long long first, count;\n"
                           "    const real *a, *b;\n"
                           "    real *inverse, *quotient, *root;\n"
                           "    long long lanes;\n"
                           "};\n"
                           "KERNEL(words) {\n"
                           "    const struct params *p = PARAMS;\n"
                           "    const long long i = p->lanes * block_index() + thread_index();\n"
                           "    if (i < p->count) {\n"
                           "        const real a = fetch(&p->a[i]), b = fetch(&p->b[i]);\n"
                           "        store(&p->inverse[i], reciprocal(b));\n"
                           "        store(&p->quotient[i], divide(a, b));\n"
                           "        store(&p->root[i], root(b));\n"
                           "    }\n"
                           "}\n";

static void print_page(tess_type real_type, tess_arithmetic arithmetic, tess_text_writer *page) {
    tess_kernel_text_print_real(page, tess_type_name(real_type), arithmetic);
    tess_text_writer_include(page, "words.cu", text);
    OK(tess_text_writer_finish(page));
}

enum { A, B, INVERSE, QUOTIENT, ROOT, ARRAYS };

/* Numbers of a precision: as double, and as they lie on the device. */
typedef struct words_case {
    tess_type real_type;
    tess_arithmetic arithmetic;
    int64_t n;
    double *values[ARRAYS]; /* owned */
} words_case;

static words_case case_new(tess_type real_type, tess_arithmetic arithmetic, int64_t n) {
    words_case c = {.real_type = real_type, .arithmetic = arithmetic, .n = n};
    for (int k = 0; k < ARRAYS; k++)
        OK(TESS_ZEROS(n, &c.values[k]));
    return c;
}

static void case_clear(words_case *c) {
    for (int k = 0; k < ARRAYS; k++)
        free(c->values[k]);
}

/* Takes values to a device's precision and back. */
static void carry(const words_case *c, int k, void *there, bool back) {
    for (int64_t i = 0; i < c->n; i++) {
        double *value = &c->values[k][i];
        if (c->real_type == TESS_FLOAT && back)
            *value = (double)((float *)there)[i];
        else if (c->real_type == TESS_FLOAT)
            ((float *)there)[i] = (float)*value;
        else if (back)
            *value = ((double *)there)[i];
        else
            ((double *)there)[i] = *value;
    }
}

static void case_run(const words_case *c, const tess_device *device, tess_target *target) {
    const int64_t bytes = c->n * (int64_t)tess_type_size(c->real_type);
    tess_text_writer page = {.text = NULL};
    tess_device_module *module = NULL;
    const int64_t lanes = strcmp(device->name, "host") == 0 ? 1 : 32;
    uint64_t words[3 + ARRAYS] = {0, (uint64_t)c->n, [2 + ARRAYS] = (uint64_t)lanes};
    void *there = NULL;
    print_page(c->real_type, c->arithmetic, &page);
    OK(device->compile(target, page.text, &module));
    OK(tess_array_zeros(bytes, 1, &there));
    for (int k = 0; k < ARRAYS; k++) {
        carry(c, k, there, false);
        OK(device->alloc(target, "words", bytes, &words[2 + k]));
        OK(device->upload(target, words[2 + k], there, bytes));
    }
    const tess_launch launch = {
        .kernel = "words", .n_blocks = (c->n + lanes - 1) / lanes, .threads = 32, .count = c->n};
    OK(device->launch(target, module, &launch, words, 3 + ARRAYS));
    for (int k = 0; k < ARRAYS; k++) {
        OK(device->download(target, there, words[2 + k], bytes));
        carry(c, k, there, true);
        device->free(target, words[2 + k]);
    }
    free(there);
    device->unload(target, module);
    tess_text_writer_clear(&page);
}

/* The largest relative errors of reciprocal, divide and root over all exponents whose reciprocals
 * are normal numbers. */
static void measure(const tess_device *device, tess_target *target, words_case *c,
                    double worst[3]) {
    const int least = c->real_type == TESS_FLOAT ? -124 : -1020;
    uint64_t seed = 7;
    for (int64_t i = 0; i < c->n; i++) {
        c->values[B][i] =
            number_of(least + (int)(i % (-2 * least)), (int)(i / (-2 * least)), &seed);
        c->values[A][i] = number_of((int)(i % 3) - 1, (int)(i % 7), &seed);
    }
    case_run(c, device, target); /* which gives back what a float keeps of them */
    for (int w = 0; w < 3; w++)
        worst[w] = 0;
    for (int64_t i = 0; i < c->n; i++) {
        const long double a = c->values[A][i], b = c->values[B][i];
        const long double want[] = {1 / b, a / b, sqrtl(b)};
        for (int w = 0; w < 3; w++)
            worst[w] = fmax(worst[w], relative_error(c->values[INVERSE + w][i], want[w]));
    }
}

/* What is stated of fast arithmetic (arithmetic_words.h), and what rounding alone costs. */
static void errors_are_as_stated_on(const char *name) {
    static const double stated[2][3] = {{0x1p-52, 0x1p-51, 0x1p-52}, {0x1p-22, 0x1p-21, 0x1p-22}};
    const tess_device *device = NULL;
    tess_target *target = NULL;
    OK(tess_device_open(name, &device, &target));
    for (int is_float = 0; is_float < 2; is_float++)
        for (int fast = 0; fast < 2; fast++) {
            double worst[3];
            words_case c = case_new(is_float ? TESS_FLOAT : TESS_DOUBLE, (tess_arithmetic)fast,
                                    is_float ? 2480 : 20400);
            measure(device, target, &c, worst);
            print_message("%s, %s, %s: reciprocal 2^%.2f, divide 2^%.2f, root 2^%.2f\n", name,
                          is_float ? "float" : "double", fast ? "fast" : "exact", log2(worst[0]),
                          log2(worst[1]), log2(worst[2]));
            for (int w = 0; w < 3; w++)
                assert_true(worst[w] <= (fast       ? stated[is_float][w]
                                         : is_float ? 0x1p-24
                                                    : 0x1p-53));
            case_clear(&c);
        }
    device->close(target);
}

static void errors_are_as_stated(void **state) {
    errors_are_as_stated_on("host");
    errors_are_as_stated_on("emulator");
}

/* Whether two are equal, or both no number. */
static bool is_same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

/* What becomes of numbers that are not usual, as docs/user_kernel says it: kept are all but those
 * that a fast GPU gives otherwise. */
static void unusual_numbers_on(const char *name, bool is_gpu) {
    static const double unusual[] = {0, INFINITY, -INFINITY, NAN, -4, 0x1p-1040};
    enum { N_UNUSUAL = sizeof unusual / sizeof *unusual };
    static const double fast[3][N_UNUSUAL] = {{NAN, NAN, NAN, NAN, -0.25, NAN},
                                              {NAN, NAN, NAN, NAN, -0.75, NAN},
                                              {0, NAN, NAN, NAN, NAN, 0}};
    const tess_device *device = NULL;
    tess_target *target = NULL;
    OK(tess_device_open(name, &device, &target));
    for (int is_fast = 0; is_fast < 2; is_fast++) {
        words_case c = case_new(TESS_DOUBLE, (tess_arithmetic)is_fast, N_UNUSUAL);
        for (int i = 0; i < N_UNUSUAL; i++) {
            c.values[A][i] = 3;
            c.values[B][i] = unusual[i];
        }
        case_run(&c, device, target);
        for (int i = 0; i < N_UNUSUAL; i++) {
            const double b = unusual[i], exact[] = {1 / b, 3 / b, sqrt(b)};
            for (int w = 0; w < 3; w++)
                assert_true(
                    is_same(c.values[INVERSE + w][i], is_fast && is_gpu ? fast[w][i] : exact[w]));
        }
        case_clear(&c);
    }
    device->close(target);
}

static void unusual_numbers_are_kept_where_arithmetic_is_exact(void **state) {
    unusual_numbers_on("host", false);
    unusual_numbers_on("emulator", false);
}

static void a_gpu_is_as_exact_and_loses_what_is_said(void **state) {
    const tess_device *device = NULL;
    tess_target *target = NULL;
    if (tess_device_open("cuda", &device, &target) != TESS_OK) {
        print_message("%s\n", tess_message());
        skip();
    }
    device->close(target);
    errors_are_as_stated_on("cuda");
    unusual_numbers_on("cuda", true);
}

/* --- what a GPU executes ---------------------------------------------------------------------- */

/* Whether code for a GPU calls one of the subroutines of divisions and roots, as
 * __internal_0_$__cuda_sm20_div_rn_f64_full. */
static bool calls_subroutines(const char *page) {
    tess_cubin cubin;
    OK(tess_nvrtc_compile(page, 90, NULL, &cubin));
    const bool calls = memmem(cubin.code, cubin.size, "$__cuda_sm", strlen("$__cuda_sm")) != NULL;
    assert_null(strstr(cubin.log, "warning"));
    tess_cubin_clear(&cubin);
    return calls;
}

static void only_exact_words_call_subroutines(void **state) {
    if (tess_nvrtc_version() == 0)
        skip();
    for (int is_float = 0; is_float < 2; is_float++)
        for (int fast = 0; fast < 2; fast++) {
            tess_text_writer page = {.text = NULL};
            print_page(is_float ? TESS_FLOAT : TESS_DOUBLE, (tess_arithmetic)fast, &page);
            assert_int_equal(calls_subroutines(page.text), !fast);
            tess_text_writer_clear(&page);
        }
}

static void calls_none(const char *page) {
    assert_false(calls_subroutines(page));
}

static const char *mesh_of(const tess_application *application) {
    if (strcmp(application->name, "fun3d") == 0)
        return "layers:nx=4:ny=3:prisms=2:tets=2";
    if (strcmp(application->name, "fv") == 0)
        return "tets:nx=3:ny=3:nz=3";
    return application->dimension == 3 ? "hexes:nx=4:ny=3:nz=3" : "quads:nx=6:ny=5";
}

/* So that no division of a shipped kernel is left as it was. */
static void no_loop_of_any_application_calls_one_where_it_is_fast(void **state) {
    if (tess_nvrtc_version() == 0)
        skip();
    const tess_application *application = NULL;
    for (int a = 0; (application = tess_application_at(a)); a++)
        for (int k = 0; k < application->n_kernels; k++) {
            const char *loop = application->kernels[k].name;
            bench_scene scene = bench_scene_open(application->name, loop, mesh_of(application));
            tess_resources resources;
            print_message("%s %s\n", application->name, loop);
            const bench_case c = {.scene = &scene,
                                  .strategy = "atomics",
                                  .device = "nvrtc",
                                  .layout = "soa",
                                  .block_size = 128,
                                  .arithmetic = TESS_ARITHMETIC_FAST,
                                  .resources = &resources,
                                  .see = calls_none};
            OK(bench_run(&c, NULL, NULL));
            bench_scene_close(&scene);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_from_twenty_bits_is_nearly_exact),
        cmocka_unit_test(small_numbers_have_the_root_zero),
        cmocka_unit_test(errors_are_as_stated),
        cmocka_unit_test(unusual_numbers_are_kept_where_arithmetic_is_exact),
        cmocka_unit_test(a_gpu_is_as_exact_and_loses_what_is_said),
        cmocka_unit_test(only_exact_words_call_subroutines),
        cmocka_unit_test(no_loop_of_any_application_calls_one_where_it_is_fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
