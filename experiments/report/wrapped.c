/* Wrapped text: words in lines that fit a terminal. */
#include "experiments/report/wrapped.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL_WIDTH = 80 };

int tess_terminal_width(FILE *stream) {
    struct winsize size = {.ws_col = 0};
    const char *stated = getenv("COLUMNS");
    if (!isatty(fileno(stream)))
        return 0;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return stated && atoi(stated) > 0 ? atoi(stated) : USUAL_WIDTH;
}

bool tess_terminal_colours(void) {
    static const char *const black_and_white[] = {"dumb", "unknown", "vt5", "vt1", "vt2", "vt3"};
    const char *no_color = getenv("NO_COLOR"), *kind = getenv("TERM");
    bool colours = kind && *kind && !(no_color && *no_color);
    for (size_t i = 0; colours && i < sizeof black_and_white / sizeof *black_and_white; i++)
        colours = strncmp(kind, black_and_white[i], strlen(black_and_white[i])) != 0;
    const size_t length = colours ? strlen(kind) : 0;
    return colours && !(length > 2 && strcmp(kind + length - 2, "-m") == 0) &&
           !(length > 5 && strcmp(kind + length - 5, "-mono") == 0);
}

int tess_text_width(const char *text) {
    const size_t n = mbstowcs(NULL, text, 0);
    return (int)(n == (size_t)-1 ? strlen(text) : n);
}

/* Bytes of the next character. */
static int character_length(const char *text) {
    const int n = mblen(text, MB_CUR_MAX);
    return n > 0 ? n : 1;
}

static const char marks[] = ":,/=_"; /* behind which a word may be broken */

int tess_longest_piece(const char *text) {
    int longest = 0;
    for (int n = 0; *text; text += character_length(text)) {
        n = *text == ' ' ? 0 : n + 1;
        longest = n > longest ? n : longest;
        n = strchr(marks, *text) ? 0 : n;
    }
    return longest;
}

/* Bytes of a text that fit `width` characters: up to a space, else behind a mark, else all that
 * fit. */
static int line_length(const char *text, int width) {
    int end = 0, space = 0, mark = 0;
    for (int n = 0; text[end] && n < width; n++) {
        const char c = text[end];
        space = c == ' ' ? end : space;
        end += character_length(text + end);
        mark = strchr(marks, c) ? end : mark;
    }
    return !text[end] || text[end] == ' ' ? end : space ? space : mark ? mark : end;
}

void tess_wrapped_print(const char *text, int indent, int width, FILE *stream) {
    const int room = width > indent + 1 ? width - indent : (int)strlen(text) + 1;
    do {
        const int length = line_length(text, room);
        fprintf(stream, "%*s%.*s\n", indent, "", length, text);
        text += length;
        text += strspn(text, " ");
    } while (*text);
}
