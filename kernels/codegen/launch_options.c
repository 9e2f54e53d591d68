/* Launch options: what every strategy on GPUs takes behind its own options. */
#include "kernels/codegen/launch_options.h"

/* What -1 stands for. */
static int64_t registers_that_fit(const tess_page *page) {
    const tess_loop *loop = page->bound->loop;
    int64_t bytes = 0, widest = 0;
    for (int a = 0; a < loop->n_args; a++) {
        const int64_t size = (int64_t)tess_type_size(loop->args[a].type);
        bytes += tess_page_local_size(page, a) * size;
        widest = size > widest ? size : widest;
    }
    const int64_t registers = widest > 4 ? 64 : 40;
    return bytes / 4 <= registers * 3 / 4 ? registers : 0;
}

int64_t tess_least_blocks(int64_t registers, int threads) {
    const int64_t least = registers > 0 ? 65536 / (registers * threads) : 1;
    return least > 1 ? least : 1;
}

static void print_least_blocks(tess_page *page) {
    const int64_t said = tess_spec_int(page->spec, page->options, "registers");
    const int64_t registers = said < 0 ? registers_that_fit(page) : said;
    tess_page_print(page, "#define LEAST_BLOCKS %lld\n",
                    (long long)tess_least_blocks(registers, page->threads));
}

void tess_launch_options_apply(tess_page *page) {
    print_least_blocks(page);
    for (int i = 0; i < page->n_launches; i++)
        page->launches[i].carveout = (int)tess_spec_int(page->spec, page->options, "carveout");
}
