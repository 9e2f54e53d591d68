/* A scatter page: the text by which a device reduces rows, and what its kernel takes. */
#include "kernels/scatter/scatter_page.h"

#include "core/base/array.h"
#include "kernels/devices/embed.h"
#include "kernels/devices/text_writer.h"
#include <math.h>

TESS_EMBED(tess_half_text, "kernels/scatter/half.cu");
TESS_EMBED(tess_reduce_rows_text, "kernels/scatter/reduce_rows.cu");

enum { BYTES_TOGETHER = 64, MOST_TOGETHER = 8 }; /* that a thread fetches together */

int tess_scatter_type_size(tess_scatter_type type) {
    static const int size[TESS_N_SCATTER_TYPES] = {2, 4, 8};
    return size[type];
}

tess_scatter_type tess_scatter_type_summed(tess_scatter_type type) {
    return type == TESS_SCATTER_DOUBLE ? TESS_SCATTER_DOUBLE : TESS_SCATTER_FLOAT;
}

double tess_reduction_start(tess_reduction reduction) {
    return reduction == TESS_MAX ? -INFINITY : reduction == TESS_MIN ? INFINITY : 0;
}

/* The kernel of a level that reads values of a type. */
static void print_kernel(tess_text_writer *page, const tess_scatter_kind *kind, bool of_partials) {
    static const char *const types[TESS_N_SCATTER_TYPES] = {"half_bits", "float", "double"};
    const tess_scatter_type from = of_partials ? tess_scatter_type_summed(kind->type) : kind->type;
    const char *const read = of_partials ? "load" : "fetch"; /* others are written in one launch */
    const int fitting = BYTES_TOGETHER / (kind->run * tess_scatter_type_size(from));
    tess_text_writer_print(
        page,
        "#define KERNEL_NAME %s\n#define FROM %s\n#define VALUE %s\n#define SUM %s\n"
        "#define LOADED(v) %s\n#define STORED(v) %s\n#define TOGETHER %d\n",
        of_partials ? "reduce_partials" : "reduce_values", types[from], types[kind->type],
        types[tess_scatter_type_summed(kind->type)],
        from == TESS_SCATTER_HALF ? "float_of_half(v)" : "(v)",
        kind->type == TESS_SCATTER_HALF ? "half_of_float(v)" : "(v)",
        fitting > MOST_TOGETHER ? MOST_TOGETHER : fitting);
    tess_text_writer_print(page,
                           kind->run > 1 ? "#define READ_VALUES(to, p, n) %s_run(to, p, n)\n"
                                         : "#define READ_VALUES(to, p, n) ((to)[0] = %s(p))\n",
                           read);
    tess_text_writer_include(page, "reduce_rows.cu", tess_reduce_rows_text);
    tess_text_writer_print(page, "#undef KERNEL_NAME\n#undef FROM\n#undef VALUE\n#undef SUM\n"
                                 "#undef LOADED\n#undef STORED\n#undef TOGETHER\n"
                                 "#undef READ_VALUES\n");
}

tess_status tess_scatter_page(const tess_scatter_kind *kind, char **out) {
    tess_text_writer page = {.text = NULL};
    tess_text_writer_print(
        &page,
        "#define LAUNCH_BOUNDS __launch_bounds__(%d)\n#define WIDTH %d\n#define RUN %d\n"
        "#define LANES %d\n#define SUMS %d\n#define MEANS %d\n#define TAKES(v, of) ((v) %c (of))\n"
        "struct params {\n" TESS_SCATTER_PARAMS(
            TESS_PARAM_TEXT) "};\n#define STORE_VALUES(p, v, n) %s\n",
        kind->threads, kind->width, kind->run, kind->width / kind->run,
        kind->reduction == TESS_SUM || kind->reduction == TESS_MEAN, kind->reduction == TESS_MEAN,
        kind->reduction == TESS_MAX ? '>' : '<',
        kind->run > 1 ? "store_run(p, v, n)" : "store(p, (v)[0])");
    tess_text_writer_include(&page, "half.cu", tess_half_text);
    print_kernel(&page, kind, false);
    print_kernel(&page, kind, true);
    const tess_status status = tess_text_writer_finish(&page);
    *out = status == TESS_OK ? TESS_TAKE(page.text) : NULL;
    tess_text_writer_clear(&page);
    return status;
}
