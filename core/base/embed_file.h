/* Embedding: the content of a source file as a text in the program, so that one binary carries the
 * texts that it hands to compilers and interpreters. */
#pragma once

/* Declares and defines `const char NAME[]`, the content of the file at `path` with a closing zero.
 * The object must be made to depend on the file (CMake's OBJECT_DEPENDS). */
#define TESS_EMBED_FILE(name, path) TESS_EMBED_FILES(name, TESS_FILE_CONTENT(path))

/* Several files, one behind the other: `content` is their TESS_FILE_CONTENT. */
#define TESS_EMBED_FILES(name, content)                                                            \
    extern const char name[];                                                                      \
    __asm__(".pushsection .rodata\n"                                                               \
            ".globl " #name "\n.balign 16\n" #name ":\n" content ".byte 0\n"                       \
            ".popsection\n")
#define TESS_FILE_CONTENT(path) ".incbin \"" path "\"\n"
