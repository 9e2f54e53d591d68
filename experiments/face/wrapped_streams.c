/* The standard streams of archives that are part of the shared library: their code takes the
 * addresses of stdout and stderr for constants, which only a program's code may. The linker's
 * --wrap leads it here. */
#include <stdio.h>

extern FILE *__real_stdout, *__real_stderr;
extern FILE *__wrap_stdout, *__wrap_stderr;

__attribute__((visibility("hidden"))) FILE *__wrap_stdout;
__attribute__((visibility("hidden"))) FILE *__wrap_stderr;

__attribute__((constructor)) static void find_streams(void) {
    __wrap_stdout = __real_stdout;
    __wrap_stderr = __real_stderr;
}
