/* Pruning: a page without what its kernels do not need. */
#include "kernels/emit/pruning.h"

#include "core/base/array.h"
#include "kernels/emit/c_text.h"
#include "kernels/emit/conditions.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A piece of a page: a directive, or a declaration with the comment right before it and the empty
 * lines behind it. All pieces together are the page. */
typedef struct piece {
    const char *begin, *end;
    const char *name, *name_end; /* what it defines; NULL: it stays in any case */
    bool stays, is_followed;     /* is_followed: what it names stays, too */
} piece;

typedef struct pieces {
    int64_t n, capacity;
    piece *all;
} pieces;

/* The first thing behind spaces and comments; directives are things here. */
static const char *first_thing(const char *at) {
    while (*at && *at != '#' && tess_c_is_passed_over(at))
        at = tess_c_thing_end(at);
    return at;
}

/* The end of a declaration: behind the body of a function, else behind the semicolon. */
static const char *declaration_end(const char *at) {
    int depth = 0;
    bool has_brackets = false, has_value = false;
    while (*at) {
        const char *end = tess_c_thing_end(at);
        if (*at == '#' && depth == 0)
            return at;
        const int change = tess_c_is_passed_over(at) ? 0 : tess_c_depth(*at);
        has_brackets |= depth == 0 && *at == '(';
        has_value |= depth == 0 && *at == '=';
        depth += change;
        if (depth == 0 && (*at == ';' || (*at == '}' && has_brackets && !has_value)))
            return end;
        at = end;
    }
    return at;
}

/* Names a declaration: a type by its tag, another by the word before its brackets or its value. */
static void name_declaration(piece *p, const char *at, const char *end) {
    const char *first_end = tess_c_thing_end(at);
    const bool says_kind =
        tess_c_is(at, first_end, "INLINE") || tess_c_is(at, first_end, "CONSTANT");
    const bool is_unnamed = tess_c_is(at, first_end, "typedef") || tess_c_is(at, first_end, "enum");
    if (is_unnamed || (isupper((unsigned char)*at) && !says_kind)) /* a kernel, or a macro's use */
        return;
    for (const char *thing_end; at < end && !strchr("([={;", *at); at = thing_end) {
        thing_end = tess_c_thing_end(at);
        if (!tess_c_is_word(*at))
            continue;
        if (tess_c_is(at, thing_end, "__attribute__")) { /* and its brackets */
            thing_end = strchr(thing_end, ')') ? strchr(thing_end, ')') + 1 : thing_end;
            thing_end += strspn(thing_end, ")");
            continue;
        }
        p->name = at;
        p->name_end = thing_end;
    }
}

/* Names a directive: a macro by its name. */
static void name_directive(piece *p, const char *at) {
    static const char *const kinds[] = {"#define", "#undef"};
    for (int i = 0; i < 2; i++)
        if (strncmp(at, kinds[i], strlen(kinds[i])) == 0) {
            p->name = first_thing(at + strlen(kinds[i]));
            p->name_end = tess_c_thing_end(p->name);
        }
}

/* Behind the rest of the line and the empty lines that follow. */
static const char *past_lines(const char *at) {
    const char *behind = at + strspn(at, " \t\n");
    while (behind > at && behind[-1] != '\n')
        behind--;
    return behind;
}

/* Where a comment stands alone: an empty line follows it. */
static const char *lone_comment_end(const char *at) {
    if (strncmp(at, "/*", 2) != 0)
        return NULL;
    const char *end = tess_c_thing_end(at);
    const char *line = end + strspn(end, " \t");
    return line[0] == '\n' && line[1] == '\n' ? past_lines(end) : NULL;
}

static tess_status split(const char *text, pieces *out) {
    const char *end = NULL;
    for (const char *at = text; *at; at = end) {
        piece p = {.begin = at};
        const char *first = first_thing(at);
        end = lone_comment_end(at);
        if (!end && *first == '#') {
            name_directive(&p, first);
            end = past_lines(tess_c_thing_end(first));
        } else if (!end) {
            end = past_lines(declaration_end(first));
            name_declaration(&p, first, end);
        }
        if (end == at)
            end++;
        p.end = end;
        TRY(TESS_RESERVE(out->n + 1, &out->capacity, &out->all));
        out->all[out->n++] = p;
    }
    return TESS_OK;
}

/* What has this name stays. */
static void keep_named(pieces *all, const char *name, const char *end) {
    for (int64_t i = 0; i < all->n; i++) {
        piece *p = &all->all[i];
        if (p->name && p->name_end - p->name == end - name &&
            strncmp(p->name, name, (size_t)(end - name)) == 0)
            p->stays = true;
    }
}

/* What has a name that begins or ends so, stays: a macro puts names together with ##. */
static void keep_parts(pieces *all, const char *part, const char *end, bool is_first) {
    const ptrdiff_t n = end - part;
    for (int64_t i = 0; i < all->n; i++) {
        piece *p = &all->all[i];
        if (p->name && p->name_end - p->name >= n &&
            strncmp(is_first ? p->name : p->name_end - n, part, (size_t)n) == 0)
            p->stays = true;
    }
}

/* What a text names stays; a directive's words are looked at like others. */
static void keep_words(pieces *all, const char *begin, const char *end) {
    for (const char *at = begin, *thing_end; at < end; at = thing_end) {
        thing_end = *at == '#' ? at + 1 : tess_c_thing_end(at);
        if (!tess_c_is_word(*at))
            continue;
        keep_named(all, at, thing_end);
        if (strncmp(thing_end, "##", 2) == 0)
            keep_parts(all, at, thing_end, true);
        if (at >= begin + 2 && strncmp(at - 2, "##", 2) == 0)
            keep_parts(all, at, thing_end, false);
    }
}

/* What kernels lead to, and the words of a language. */
static void choose(pieces *all) {
    static const char bounds[] = "LAUNCH_BOUNDS";
    for (int64_t i = 0; i < all->n; i++)
        all->all[i].stays = !all->all[i].name;
    keep_named(all, bounds, bounds + strlen(bounds));
    for (bool is_over = false; !is_over;) {
        is_over = true;
        for (int64_t i = 0; i < all->n; i++) {
            piece *p = &all->all[i];
            if (!p->stays || p->is_followed)
                continue;
            p->is_followed = true;
            is_over = false;
            keep_words(all, p->begin, p->end);
        }
    }
}

/* A piece without the empty lines around it, and an empty line behind a body. */
static void print_piece(const piece *p, tess_text_writer *out) {
    const char *begin = p->begin, *end = p->end;
    while (begin < end && *begin == '\n')
        begin++;
    const bool has_space = end > begin + 1 && end[-1] == '\n' && end[-2] == '\n';
    while (end > begin && isspace((unsigned char)end[-1]))
        end--;
    if (begin == end)
        return;
    const bool has_body = end[-1] == '}' || end[-1] == ';' || end[-1] == '/';
    tess_text_writer_print(out, "%.*s\n%s", (int)(end - begin), begin,
                           has_space || has_body ? "\n" : "");
}

tess_status tess_prune(const char *page, bool is_cuda, char **out) {
    tess_status status = TESS_OK;
    tess_text_writer compiled = {.text = NULL}, pruned = {.text = NULL};
    pieces all = {.n = 0};
    tess_conditions_print(page, is_cuda, &compiled);
    tess_text_writer_print(&pruned, "%s", "");
    CHECK(tess_text_writer_finish(&compiled));
    CHECK(split(compiled.text, &all));
    choose(&all);
    for (int64_t i = 0; i < all.n; i++)
        if (all.all[i].stays)
            print_piece(&all.all[i], &pruned);
    CHECK(tess_text_writer_finish(&pruned));
    *out = TESS_TAKE(pruned.text);
done:
    free(all.all);
    tess_text_writer_clear(&pruned);
    tess_text_writer_clear(&compiled);
    return status;
}
