/* The text of a file: words in it, wherever they are. */
#include "data/formats/file_text.h"

#include "core/base/array.h"
#include "tests/unit.h"
#include <string.h>

/* A file is gone through by pieces of a mebibyte. */
static void words_are_found_where_two_pieces_meet(void **state) {
    enum { PIECE = 1 << 20, SIZE = 2 * PIECE + 3 };
    static const char word[] = "CellsOnVertex";
    const int64_t length = (int64_t)strlen(word);
    const int64_t ends[] = {length, PIECE, PIECE + 1, PIECE + length, SIZE - 1, SIZE};
    char *content = NULL;
    OK(TESS_ZEROS(SIZE + 1, &content));
    const tess_file_text text = {.content = content, .size = SIZE};
    assert_false(tess_file_text_holds(&text, word));
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        memcpy(content + ends[i] - length, word, (size_t)length);
        assert_true(tess_file_text_holds(&text, word));
        memset(content + ends[i] - length, 0, (size_t)length);
    }
    memcpy(content + SIZE - length + 1, word,
           (size_t)length - 1); /* the text ends before it does */
    assert_false(tess_file_text_holds(&text, word));
    free(content);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_are_found_where_two_pieces_meet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
