/* A kernel's text: what stands before a user kernel on the page that it is compiled with. */
#include "kernels/loops/kernel_text.h"

#include "kernels/devices/embed.h"

TESS_EMBED(tess_arithmetic_words_text, "kernels/loops/arithmetic_words.h");

void tess_kernel_text_print_arities(tess_text_writer *page, const tess_mesh *mesh) {
    for (int m = 0; m < mesh->n_maps; m++)
        tess_text_writer_print(page, "#define %s_%s_ARITY %d\n",
                               mesh->sets[mesh->maps[m].from].name,
                               mesh->sets[mesh->maps[m].to].name, mesh->maps[m].arity);
}

void tess_kernel_text_print_real(tess_text_writer *page, const char *real,
                                 tess_arithmetic arithmetic) {
    tess_text_writer_print(page, "typedef %s real;\n%s", real,
                           arithmetic == TESS_ARITHMETIC_FAST ? "#define FAST_ARITHMETIC\n" : "");
    tess_text_writer_include(page, "arithmetic_words.h", tess_arithmetic_words_text);
}
