/* A mover: device text that carries rows of a dat between a store and the buffer of a message. */
#include "kernels/exchange/mover.h"

#include "kernels/devices/embed.h"
#include "kernels/devices/text_writer.h"
#include <stdio.h>
#include <string.h>

TESS_EMBED(tess_mover_text, "kernels/exchange/mover.cu");

enum { THREADS = 128, VALUES_A_THREAD = 4, VALUES_A_BLOCK_OF_ONE = 1 << 14 };

static int values_a_block(const tess_device *device) {
    return device->one_thread ? VALUES_A_BLOCK_OF_ONE : THREADS * VALUES_A_THREAD;
}

/* The words of struct params, in its order. */
enum { FIRST, COUNT, ROW, PLACE, DAT, BUFFER, NEXT_ELEMENT, NEXT_COMPONENT, VALUE, N_WORDS };

tess_status tess_mover_open(const tess_device *device, tess_target *target, tess_type type, int dim,
                            tess_mover *out) {
    tess_status status = TESS_OK;
    tess_text_writer page = {.text = NULL};
    *out = (tess_mover){.device = device, .target = target, .type = type, .dim = dim};
    /* A block's values are whole rows. */
    const int values = values_a_block(device) / dim * dim;
    tess_text_writer_print(
        &page,
        "#define TYPE %s\n#define DIM %d\n#define THREADS %d\n"
        "#define VALUES_A_BLOCK %d\n"
        "#define LAUNCH_BOUNDS __launch_bounds__(THREADS)\n"
        "struct params {\n    long long first, count;\n    const int *row, *place;\n"
        "    TYPE *dat, *buffer;\n    long long next_element, next_component;\n"
        "    double value;\n};\n",
        tess_type_name(type), dim, device->one_thread ? 1 : THREADS, values > 0 ? values : dim);
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

const tess_mover *tess_mover_of(const tess_mover *movers, const tess_dat *dat) {
    while (movers->type != dat->type || movers->dim != dat->dim)
        movers++;
    return movers;
}

static tess_status launch(const tess_mover *mover, const char *kernel, uint64_t *words) {
    const int most = values_a_block(mover->device) / mover->dim * mover->dim;
    const int64_t n = (int64_t)words[COUNT] * mover->dim, block = most > 0 ? most : mover->dim;
    if (n == 0)
        return TESS_OK;
    tess_launch launch = {.n_blocks = (n + block - 1) / block,
                          .threads = mover->device->one_thread ? 1 : THREADS};
    snprintf(launch.kernel, sizeof launch.kernel, "%s", kernel);
    return mover->device->launch(mover->target, mover->module, &launch, words, N_WORDS);
}

static void name_dat(const tess_stored *dat, uint64_t *words) {
    const bool rows = dat->layout == TESS_AOS;
    words[DAT] = dat->address;
    words[NEXT_ELEMENT] = rows ? (uint64_t)dat->row : 1;
    words[NEXT_COMPONENT] = rows ? 1 : (uint64_t)dat->stride;
}

tess_status tess_mover_move(const tess_mover *mover, tess_motion motion, const tess_moved *moved) {
    static const char *const kernels[] = {
        [TESS_PACK] = "pack", [TESS_UNPACK] = "unpack", [TESS_ADD] = "add"};
    uint64_t words[N_WORDS] = {[FIRST] = (uint64_t)moved->first,
                               [COUNT] = (uint64_t)moved->n,
                               [ROW] = moved->row,
                               [PLACE] = moved->position,
                               [BUFFER] = moved->buffer};
    name_dat(moved->dat, words);
    return launch(mover, kernels[motion], words);
}

tess_status tess_mover_fill(const tess_mover *mover, const tess_stored *dat, int64_t first,
                            int64_t n, double value) {
    uint64_t words[N_WORDS] = {[FIRST] = (uint64_t)first, [COUNT] = (uint64_t)n};
    name_dat(dat, words);
    memcpy(&words[VALUE], &value, sizeof value);
    return launch(mover, "fill", words);
}
