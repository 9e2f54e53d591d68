/* A shell word: text as one typed it, quoted where a shell would take it apart. */
#include "core/base/shell_word.h"

#include <string.h>

void tess_shell_word_print(const char *word, FILE *stream) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, stream);
        return;
    }
    fputc('\'', stream);
    for (const char *c = word; *c; c++)
        *c == '\'' ? (void)fputs("'\\''", stream) : (void)fputc(*c, stream);
    fputc('\'', stream);
}
