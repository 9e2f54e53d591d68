/* A mover: device text that carries values between dats of a store and the buffers of messages. */
#include "kernels/exchange/mover.h"

#include "kernels/devices/embed.h"
#include "kernels/devices/page_params.h"
#include "kernels/devices/text_writer.h"
#include <stdio.h>

TESS_EMBED(tess_mover_text, "kernels/exchange/mover.cu");

enum { THREADS = 128, VALUES_A_THREAD = 4, VALUES_A_BLOCK_OF_ONE = 1 << 14 };

/* What a launch knows of a dat. */
#define MOVED_PARAMS(X)                                                                            \
    X(tess_address, "const int *", row)                                                            \
    X(tess_address, "const int *", place)                                                          \
    X(tess_address, "const int *", begin)                                                          \
    X(tess_address, "void *", dat)                                                                 \
    X(tess_address, "void *", buffer)                                                              \
    X(int64_t, "long long ", first)                                                                \
    X(int64_t, "long long ", count)                                                                \
    X(int64_t, "long long ", next_element)                                                         \
    X(int64_t, "long long ", next_component)                                                       \
    X(double, "double ", value)                                                                    \
    X(int32_t, "int ", type)                                                                       \
    X(int32_t, "int ", dim)                                                                        \
    X(int32_t, "int ", first_block)                                                                \
    X(int32_t, "int ", rows)

typedef struct moved_params {
    MOVED_PARAMS(TESS_PARAM_MEMBER)
} moved_params;

typedef struct mover_params {
    int64_t n;
    moved_params moved[TESS_MOVED_AT_ONCE];
} mover_params;

tess_status tess_mover_open(const tess_device *device, tess_target *target, tess_mover *out) {
    tess_status status = TESS_OK;
    tess_text_writer page = {.text = NULL};
    *out = (tess_mover){.device = device, .target = target};
    tess_text_writer_print(
        &page,
        "#define THREADS %d\n#define LAUNCH_BOUNDS __launch_bounds__(THREADS)\n"
        "enum { INT = %d, FLOAT = %d };\n"
        "struct moved {\n" MOVED_PARAMS(
            TESS_PARAM_TEXT) "};\n"
                             "struct params {\n    long long n;\n    struct moved moved[%d];\n};\n",
        device->one_thread ? 1 : THREADS, TESS_INT32, TESS_FLOAT, TESS_MOVED_AT_ONCE);
    tess_text_writer_include(&page, "mover.cu", tess_mover_text);
    CHECK(tess_text_writer_finish(&page));
    CHECK(device->compile(target, page.text, &out->module));
done:
    tess_text_writer_clear(&page);
    return status;
}

void tess_mover_close(tess_mover *mover) {
    if (mover->module)
        mover->device->unload(mover->target, mover->module);
    *mover = (tess_mover){.module = NULL};
}

/* Rows that one block carries: whole ones, at least one. */
static int32_t rows_a_block(const tess_device *device, int dim) {
    const int most = device->one_thread ? VALUES_A_BLOCK_OF_ONE : THREADS * VALUES_A_THREAD;
    return dim < most ? most / dim : 1;
}

static moved_params params_of(const tess_moved *moved, int32_t rows, int64_t first_block) {
    const tess_stored *dat = moved->dat;
    const bool in_rows = dat->layout == TESS_AOS;
    return (moved_params){.row = moved->row,
                          .place = moved->position,
                          .begin = moved->begin,
                          .dat = dat->address,
                          .buffer = moved->buffer,
                          .first = moved->first,
                          .count = moved->n,
                          .next_element = in_rows ? dat->row : 1,
                          .next_component = in_rows ? 1 : dat->stride,
                          .value = moved->value,
                          .type = (int32_t)dat->dat->type,
                          .dim = dat->dat->dim,
                          .first_block = (int32_t)first_block,
                          .rows = rows};
}

static tess_status launch(const tess_mover *mover, tess_motion motion, const mover_params *params,
                          int64_t n_blocks) {
    static const char *const kernels[] = {
        [TESS_PACK] = "pack", [TESS_UNPACK] = "unpack", [TESS_ADD] = "add", [TESS_FILL] = "fill"};
    tess_launch launch = {.n_blocks = n_blocks, .threads = mover->device->one_thread ? 1 : THREADS};
    if (params->n == 0)
        return TESS_OK;
    snprintf(launch.kernel, sizeof launch.kernel, "%s", kernels[motion]);
    return mover->device->launch(mover->target, mover->module, &launch, (const uint64_t *)params,
                                 (int)(sizeof *params / sizeof(uint64_t)));
}

tess_status tess_mover_move(const tess_mover *mover, tess_motion motion, const tess_moved *moved,
                            int n_moved) {
    mover_params params = {.n = 0};
    int64_t n_blocks = 0;
    for (int i = 0; i < n_moved; i++) {
        const int32_t rows = rows_a_block(mover->device, moved[i].dat->dat->dim);
        if (moved[i].n == 0)
            continue;
        if (params.n == TESS_MOVED_AT_ONCE) {
            TRY(launch(mover, motion, &params, n_blocks));
            params.n = n_blocks = 0;
        }
        params.moved[params.n++] = params_of(&moved[i], rows, n_blocks);
        n_blocks += (moved[i].n + rows - 1) / rows;
    }
    return launch(mover, motion, &params, n_blocks);
}
