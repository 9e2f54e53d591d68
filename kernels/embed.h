/* Embedding: the content of a source file as a text in the program, so that one binary carries the
 * texts it compiles at run time. */
#ifndef TESS_EMBED_H
#define TESS_EMBED_H

/* Declares and defines `const char NAME[]`, the file's content with a closing zero; `path` is
 * relative to kernels/. CMake makes the object depend on the texts. */
#define TESS_EMBED(name, path)                                                                     \
    extern const char name[];                                                                      \
    __asm__(".pushsection .rodata\n"                                                               \
            ".globl " #name "\n.balign 16\n" #name ":\n"                                           \
            ".incbin \"" TESS_KERNELS_DIR "/" path "\"\n"                                          \
            ".byte 0\n"                                                                            \
            ".popsection\n")

#endif
