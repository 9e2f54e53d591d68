/* C text, thing by thing: comments, directives, quoted texts, words and single characters. */
#pragma once

#include <stdbool.h>

/* The end of the thing that begins at `at`, which is not the text's end. */
const char *tess_c_thing_end(const char *at);

/* Whether it is a comment, a directive or a space, which no declaration begins with. */
bool tess_c_is_passed_over(const char *at);

bool tess_c_is_word(char c);

/* Whether the thing is this word. */
bool tess_c_is(const char *at, const char *end, const char *word);

/* Whether a text, outside comments, has this word. */
bool tess_c_names(const char *text, const char *word);

/* What a bracket adds to the depth: 1, -1, or 0 for other characters. */
int tess_c_depth(char c);
