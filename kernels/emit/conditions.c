/* Conditions: the branches of #if that are compiled. */
#include "kernels/emit/conditions.h"

#include "core/base/array.h"
#include "kernels/devices/simt_text.h"
#include "kernels/emit/c_text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 16 };

/* A macro, or one that is no more. */
typedef struct macro {
    const char *name, *name_end, *body, *body_end;
    bool is_defined, is_unsure; /* unsure: under a condition that stays */
} macro;

/* A level of conditions: of its branches none or one is printed, or all. */
typedef enum level { BRANCH_LIVE, BRANCH_DEAD, BRANCHES_STAY } level;

typedef struct conditions {
    int64_t n, capacity;
    macro *macros;
    bool is_cuda;
    int depth;
    level levels[MOST_DEPTH];
    bool taken[MOST_DEPTH]; /* a branch of it is printed, or none is to be */
    tess_text_writer *out;
} conditions;

/* An expression that is evaluated. */
typedef struct expression {
    const conditions *known;
    const char *at, *end;
    int depth; /* of macros in macros */
    bool is_unsure;
} expression;

static long long evaluate(expression *e, int least);

static const macro *find(const conditions *known, const char *name, const char *end) {
    for (int64_t i = known->n; i-- > 0;)
        if (known->macros[i].name_end - known->macros[i].name == end - name &&
            strncmp(known->macros[i].name, name, (size_t)(end - name)) == 0)
            return &known->macros[i];
    return NULL;
}

/* Whether a compiler or the words of a language may define a name. */
static bool is_foreign(const char *name, const char *end) {
    const size_t length = (size_t)(end - name);
    if (strncmp(name, "__", 2) == 0 || tess_c_is(name, end, "ONE_THREAD"))
        return true;
    for (const char *at = tess_simt_text; (at = strstr(at, "#define ")); at++) {
        const char *word = at + strlen("#define ");
        if (strncmp(word, name, length) == 0 && !tess_c_is_word(word[length]))
            return true;
    }
    return false;
}

static void skip_spaces(expression *e) {
    while (e->at < e->end &&
           (isspace((unsigned char)*e->at) || *e->at == '\\' || strncmp(e->at, "/*", 2) == 0))
        e->at = *e->at == '/' ? tess_c_thing_end(e->at) : e->at + 1;
}

static bool take(expression *e, const char *sign) {
    skip_spaces(e);
    const size_t n = strlen(sign);
    if (e->at + n > e->end || strncmp(e->at, sign, n) != 0)
        return false;
    e->at += n;
    return true;
}

static long long value_of_defined(expression *e) {
    const bool in_brackets = take(e, "(");
    skip_spaces(e);
    const char *name = e->at;
    e->at = tess_c_thing_end(name);
    const macro *found = find(e->known, name, e->at);
    const bool is_cuda = tess_c_is(name, e->at, "__CUDACC__");
    e->is_unsure |= found ? found->is_unsure : !is_cuda && is_foreign(name, e->at);
    if (in_brackets)
        e->is_unsure |= !take(e, ")");
    return found ? found->is_defined : is_cuda && e->known->is_cuda;
}

/* The value of a macro without parameters; of another name 0. */
static long long value_of_name(expression *e, const char *name, const char *end) {
    const macro *found = find(e->known, name, end);
    if (!found || !found->is_defined) {
        e->is_unsure |= found ? found->is_unsure : is_foreign(name, end);
        return 0;
    }
    expression body = {
        .known = e->known, .at = found->body, .end = found->body_end, .depth = e->depth + 1};
    const long long value = body.depth < MOST_DEPTH ? evaluate(&body, 0) : 0;
    skip_spaces(&body);
    e->is_unsure |= found->is_unsure || body.is_unsure || body.at < body.end;
    return value;
}

static long long value_of_primary(expression *e) {
    if (take(e, "!"))
        return !value_of_primary(e);
    if (take(e, "-"))
        return -value_of_primary(e);
    if (take(e, "(")) {
        const long long value = evaluate(e, 0);
        e->is_unsure |= !take(e, ")");
        return value;
    }
    if (e->at >= e->end || !tess_c_is_word(*e->at)) {
        e->is_unsure = true;
        e->at = e->end;
        return 0;
    }
    const char *word = e->at;
    e->at = tess_c_thing_end(word);
    if (isdigit((unsigned char)*word))
        return strtoll(word, NULL, 0);
    return tess_c_is(word, e->at, "defined") ? value_of_defined(e) : value_of_name(e, word, e->at);
}

static const struct {
    const char *sign;
    int strength;
} operators[] = {{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<=", 4}, {">=", 4},
                 {"<", 4},  {">", 4},  {"+", 5},  {"-", 5},  {"*", 6}};
enum { N_OPERATORS = sizeof operators / sizeof *operators };

static long long combine(int operator, long long a, long long b) {
    const long long values[N_OPERATORS] = {a || b, a && b,    a == b, a != b, a <= b,
                                           a >= b, a<b, a> b, a + b,  a - b,  a * b};
    return values[operator];
}

static int operator_at(expression *e, int least) {
    skip_spaces(e);
    for (int i = 0; i < N_OPERATORS; i++)
        if (e->at + strlen(operators[i].sign) <= e->end && operators[i].strength > least &&
            strncmp(e->at, operators[i].sign, strlen(operators[i].sign)) == 0)
            return i;
    return -1;
}

/* What binds more strongly than `least`; 0: all, with a choice. */
static long long evaluate(expression *e, int least) {
    long long value = value_of_primary(e);
    for (int i; (i = operator_at(e, least)) >= 0;) {
        e->at += strlen(operators[i].sign);
        value = combine(i, value, evaluate(e, operators[i].strength));
    }
    if (least > 0 || !take(e, "?"))
        return value;
    const long long yes = evaluate(e, 0);
    e->is_unsure |= !take(e, ":");
    const long long no = evaluate(e, 0);
    return value ? yes : no;
}

/* Whether a condition holds; *stays where that is not known. */
static bool holds(const conditions *known, const char *at, const char *end, bool *stays) {
    expression e = {.known = known, .at = at, .end = end};
    const bool value = evaluate(&e, 0) != 0;
    skip_spaces(&e);
    *stays = e.is_unsure || e.at < e.end;
    return value;
}

static bool is_live(const conditions *c) {
    for (int i = 0; i < c->depth; i++)
        if (c->levels[i] == BRANCH_DEAD)
            return false;
    return true;
}

static void note_macro(conditions *c, const char *at, const char *end, bool is_defined) {
    macro found = {.is_defined = is_defined};
    while (at < end && isspace((unsigned char)*at))
        at++;
    found.name = at;
    found.name_end = found.body = tess_c_thing_end(at);
    found.body_end = end;
    for (int i = 0; i < c->depth; i++)
        found.is_unsure |= c->levels[i] == BRANCHES_STAY;
    if (is_defined && *found.body == '(')
        found.is_unsure = true;
    if (c->out->failure == TESS_OK)
        c->out->failure = TESS_RESERVE(c->n + 1, &c->capacity, &c->macros);
    if (c->out->failure == TESS_OK)
        c->macros[c->n++] = found;
}

/* A branch begins whose condition is the words from `at`. */
static void begin_branch(conditions *c, const char *at, const char *end) {
    level *own = &c->levels[c->depth - 1];
    bool *taken = &c->taken[c->depth - 1], stays = false;
    *own = BRANCH_DEAD;
    if (*taken)
        return;
    const bool value = holds(c, at, end, &stays);
    if (stays)
        tess_text_writer_print(c->out, "#if %.*s", (int)(end - at), at);
    *own = stays ? BRANCHES_STAY : value ? BRANCH_LIVE : BRANCH_DEAD;
    *taken = value && !stays;
}

/* #ifdef and #ifndef as #if. */
static void begin_defined(conditions *c, const char *at, const char *end, bool is_defined) {
    expression e = {.known = c, .at = at, .end = end};
    level *own = &c->levels[c->depth - 1];
    *own = BRANCH_DEAD;
    if (c->taken[c->depth - 1])
        return;
    skip_spaces(&e);
    const bool value = (value_of_defined(&e) != 0) == is_defined;
    if (e.is_unsure)
        tess_text_writer_print(c->out, "#if%sdef%.*s", is_defined ? "" : "n", (int)(end - at), at);
    *own = e.is_unsure ? BRANCHES_STAY : value ? BRANCH_LIVE : BRANCH_DEAD;
    c->taken[c->depth - 1] = value && !e.is_unsure;
}

/* #elif, #else and #endif of the innermost level. */
static void go_on(conditions *c, const char *directive, const char *word, const char *end) {
    const char *word_end = tess_c_thing_end(word);
    level *own = &c->levels[c->depth - 1];
    bool *taken = &c->taken[c->depth - 1];
    if (*own == BRANCHES_STAY)
        tess_text_writer_print(c->out, "%.*s", (int)(end - directive), directive);
    else if (tess_c_is(word, word_end, "elif"))
        begin_branch(c, word_end, end);
    else if (tess_c_is(word, word_end, "else")) {
        *own = *taken ? BRANCH_DEAD : BRANCH_LIVE;
        *taken = true;
    }
    if (tess_c_is(word, word_end, "endif"))
        c->depth--;
}

/* A directive; false: it is no condition's. */
static bool take_condition(conditions *c, const char *directive, const char *end) {
    const char *word = directive + 1;
    while (*word == ' ' || *word == '\t')
        word++;
    const char *word_end = tess_c_thing_end(word);
    const bool is_if = tess_c_is(word, word_end, "if"),
               is_ifdef = tess_c_is(word, word_end, "ifdef"),
               is_ifndef = tess_c_is(word, word_end, "ifndef");
    const bool goes_on = tess_c_is(word, word_end, "elif") || tess_c_is(word, word_end, "else") ||
                         tess_c_is(word, word_end, "endif");
    if (goes_on && c->depth > 0)
        go_on(c, directive, word, end);
    if (!is_if && !is_ifdef && !is_ifndef)
        return goes_on;
    c->taken[c->depth] = !is_live(c); /* where it lies in a dead branch, all of it is */
    c->levels[c->depth++] = BRANCH_DEAD;
    if (is_if)
        begin_branch(c, word_end, end);
    else
        begin_defined(c, word_end, end, is_ifdef);
    return true;
}

static void take_directive(conditions *c, const char *at, const char *end) {
    const char *define = "#define", *undefine = "#undef";
    if (c->depth == MOST_DEPTH && c->out->failure == TESS_OK)
        c->out->failure = tess_fail(TESS_ERROR_INPUT,
                                    "the page has more than %d conditions in one "
                                    "another",
                                    MOST_DEPTH);
    if (c->out->failure != TESS_OK || take_condition(c, at, end) || !is_live(c))
        return;
    if (strncmp(at, define, strlen(define)) == 0)
        note_macro(c, at + strlen(define), end, true);
    if (strncmp(at, undefine, strlen(undefine)) == 0)
        note_macro(c, at + strlen(undefine), end, false);
    tess_text_writer_print(c->out, "%.*s", (int)(end - at), at);
}

void tess_conditions_print(const char *text, bool is_cuda, tess_text_writer *out) {
    conditions c = {.is_cuda = is_cuda, .out = out};
    for (const char *at = text, *end; *at; at = end) {
        end = tess_c_thing_end(at);
        if (*at == '#')
            take_directive(&c, at, end);
        else if (is_live(&c))
            tess_text_writer_print(out, "%.*s", (int)(end - at), at);
    }
    free(c.macros);
}
