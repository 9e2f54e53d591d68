/* Launch options: what every strategy on GPUs takes behind its own options. */
#include "kernels/codegen/launch_options.h"

#include <string.h>

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

static const char least_blocks[] = "#define LEAST_BLOCKS ";

void tess_least_blocks_print(tess_text_writer *text, int64_t registers, int threads) {
    const int64_t least = registers > 0 ? 65536 / (registers * threads) : 1;
    tess_text_writer_print(text, "%s%lld\n", least_blocks, (long long)(least > 1 ? least : 1));
}

void tess_least_blocks_change(const char *text, int64_t registers, int threads,
                              tess_text_writer *out) {
    const char *at = strstr(text, least_blocks);
    tess_text_writer_print(out, "%.*s", (int)(at - text), text);
    tess_least_blocks_print(out, registers, threads);
    tess_text_writer_print(out, "%s", strchr(at, '\n') + 1);
}

void tess_launch_options_apply(tess_page *page) {
    const int64_t said = tess_spec_int(page->spec, page->options, "registers");
    tess_least_blocks_print(&page->text, said < 0 ? registers_that_fit(page) : said, page->threads);
    for (int i = 0; i < page->n_launches; i++)
        page->launches[i].carveout = (int)tess_spec_int(page->spec, page->options, "carveout");
}
