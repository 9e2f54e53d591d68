/* An old word: a value, or the name of an option, that has another name today. */
#include "core/base/old_word.h"

#include "core/base/stream_text.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct renamed_word {
    const char *of, *old, *today;
} renamed_word;

static const renamed_word renamed[] = {
#define OLD_WORD(of, old, today) {of, old, today},
#include "core/base/old_words.h"
#undef OLD_WORD
};

enum { N_RENAMED = sizeof renamed / sizeof *renamed, WORD_SIZE = 64 };

const char *tess_word_spelled(tess_spelling spelling, const char *of, const char *word) {
    for (int i = 0; i < N_RENAMED; i++) {
        const bool today = spelling == TESS_SPELLED_TODAY;
        const char *other = today ? renamed[i].old : renamed[i].today;
        if (strcmp(renamed[i].of, of) == 0 && strcmp(other, word) == 0)
            return today ? renamed[i].today : renamed[i].old;
    }
    return word;
}

/* Writes the first `length` letters of a text, spelled as a word of `of`. */
static void print_word(FILE *stream, tess_spelling spelling, const char *of, const char *text,
                       size_t length) {
    char word[WORD_SIZE];
    if (length >= sizeof word) {
        fwrite(text, 1, length, stream);
        return;
    }
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    fputs(tess_word_spelled(spelling, of, word), stream);
}

/* The length of a word up to one of `ends`; what is quoted belongs to it. */
static size_t word_length(const char *text, const char *ends) {
    bool quoted = false;
    const char *at = text;
    for (; *at && (quoted || !strchr(ends, *at)); at++)
        quoted ^= *at == '"';
    return (size_t)(at - text);
}

/* Writes `:key=value` behind the ':', and gives what follows it. */
static const char *print_option(FILE *stream, tess_spelling spelling, const char *text) {
    const size_t length = word_length(text, "=:,");
    char key[WORD_SIZE];
    snprintf(key, sizeof key, "%.*s", (int)length, text);
    print_word(stream, spelling, "", text, length);
    text += length;
    if (*text != '=')
        return text;
    fputc(*text++, stream);
    const size_t size = word_length(text, ":,");
    print_word(stream, spelling, tess_word_spelled(TESS_SPELLED_TODAY, "", key), text, size);
    return text + size;
}

static void print_text(FILE *stream, tess_spelling spelling, const char *of, const char *text) {
    while (*text) {
        const size_t length = word_length(text, "=:,");
        if (text[length] == '=') {
            text = print_option(stream, spelling, text); /* of a spec whose name is left out */
        } else {
            print_word(stream, spelling, of, text, length);
            text += length;
        }
        while (*text == ':') {
            fputc(*text++, stream);
            text = print_option(stream, spelling, text);
        }
        if (*text == ',')
            fputc(*text++, stream);
    }
}

tess_status tess_text_spelled(tess_spelling spelling, const char *of, const char *text,
                              char **out) {
    tess_printed spelled;
    TRY(tess_printed_open(&spelled));
    print_text(spelled.stream, spelling, of, text);
    return tess_printed_close(&spelled, TESS_OK, out);
}
