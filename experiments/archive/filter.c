/* A filter: which runs of a table are meant, in words. */
#include "experiments/archive/filter.h"

#include "core/base/array.h"
#include "core/base/folder.h"
#include "core/base/old_word.h"
#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKEN_SIZE = 256, DEEPEST = 64 };

typedef enum node_kind { NODE_AND, NODE_OR, NODE_NOT, NODE_TAG, NODE_COMPARE } node_kind;

typedef enum comparison { EQUAL, UNEQUAL, LESS, LESS_EQUAL, MORE, MORE_EQUAL, HOLDS } comparison;

static const char *const comparisons[] = {"=", "!=", "<", "<=", ">", ">=", "~"};

struct tess_filter {
    node_kind kind;
    tess_filter *left, *right; /* of and, or, not (left) */
    comparison comparison;
    tess_run_field field;
    char text[TOKEN_SIZE]; /* the value, or the tag */
    double number;         /* the value's, NaN if it is no number */
    const char *start;     /* in the text that was parsed: of an operand of and */
    int length;
};

typedef enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_QUOTED, TOKEN_SIGN } token_kind;

typedef struct parser {
    const char *text, *at, *last; /* behind the token, and behind the one before it */
    const tess_run_table *table;
    token_kind kind;
    char token[TOKEN_SIZE];
    const char *start; /* of the token */
    int depth;
} parser;

static tess_status refuse(const parser *parse, const char *what) {
    if (!*parse->start)
        FAIL(TESS_ERROR_USAGE, "filter, behind '%s': %s", parse->text, what);
    FAIL(TESS_ERROR_USAGE, "filter, character %d, at '%s': %s",
         (int)(parse->start - parse->text) + 1, parse->start, what);
}

static tess_status keep_token(parser *parse, const char *from, const char *end, token_kind kind) {
    if (end - from >= TOKEN_SIZE)
        return refuse(parse, "a word this long cannot fit anything");
    memcpy(parse->token, from, (size_t)(end - from));
    parse->token[end - from] = '\0';
    parse->kind = kind;
    return TESS_OK;
}

static tess_status next_token(parser *parse) {
    parse->last = parse->at;
    while (isspace((unsigned char)*parse->at))
        parse->at++;
    const char *at = parse->start = parse->at;
    if (!*at)
        return keep_token(parse, at, at, TOKEN_END);
    if (*at == '"' || *at == '\'') {
        const char *end = strchr(at + 1, *at);
        if (!end)
            return refuse(parse, "the closing quote is missing");
        parse->at = end + 1;
        return keep_token(parse, at + 1, end, TOKEN_QUOTED);
    }
    const size_t sign = strspn(at, "=!<>~") ? strspn(at, "=!<>~") : strspn(at, "()") ? 1 : 0;
    const size_t length = sign ? sign : strcspn(at, " \t\n=!<>~()\"'");
    parse->at = at + length;
    return keep_token(parse, at, at + length, sign ? TOKEN_SIGN : TOKEN_WORD);
}

static bool is_word(const parser *parse, const char *word) {
    return parse->kind == TOKEN_WORD && strcasecmp(parse->token, word) == 0;
}

static bool is_sign(const parser *parse, const char *sign) {
    return parse->kind == TOKEN_SIGN && strcmp(parse->token, sign) == 0;
}

static tess_status node_new(node_kind kind, tess_filter *left, tess_filter **out) {
    const tess_status status = TESS_ZEROS(1, out);
    if (status != TESS_OK) {
        tess_filter_free(left);
        return status;
    }
    (*out)->kind = kind;
    (*out)->left = left;
    return TESS_OK;
}

static tess_status parse_comparison_sign(parser *parse, comparison *out) {
    for (comparison known = EQUAL; known <= HOLDS; known++) {
        if (is_sign(parse, comparisons[known]) || (known == EQUAL && is_sign(parse, "=="))) {
            *out = known;
            return next_token(parse);
        }
    }
    return refuse(parse, "a comparison is expected here: = != < <= > >= or ~");
}

/* Keeps the text that a value is compared with, in today's words. */
static tess_status keep_value(tess_filter *node, const char *token) {
    char *today = NULL;
    TRY(tess_text_spelled(TESS_SPELLED_TODAY, node->field.name, token, &today));
    snprintf(node->text, sizeof node->text, "%s", today);
    free(today);
    return TESS_OK;
}

static tess_status parse_comparison(parser *parse, tess_filter *node) {
    if (parse->kind != TOKEN_WORD)
        return refuse(parse, "a name is expected here, as in: block_size >= 128");
    if (tess_run_table_require(parse->table, parse->token, &node->field) != TESS_OK)
        return tess_fail_at(TESS_ERROR_USAGE, "filter, character %d",
                            (int)(parse->start - parse->text) + 1);
    TRY(next_token(parse));
    TRY(parse_comparison_sign(parse, &node->comparison));
    if (parse->kind != TOKEN_WORD && parse->kind != TOKEN_QUOTED)
        return refuse(parse, "a value is expected here, a number or a text");
    TRY(keep_value(node, parse->token));
    char *end = NULL;
    node->number = strtod(parse->token, &end);
    if (!*parse->token || *end)
        node->number = NAN;
    if (!node->field.is_text && (isnan(node->number) || node->comparison == HOLDS))
        return refuse(parse, "this name is of numbers: it is compared with a number, and not by ~");
    return next_token(parse);
}

static tess_status parse_or(parser *parse, tess_filter **out);

static tess_status parse_leaf(parser *parse, tess_filter **out) {
    tess_status status = TESS_OK;
    tess_filter *node = NULL;
    CHECK(node_new(NODE_COMPARE, NULL, &node));
    if (parse->kind == TOKEN_WORD && strncmp(parse->token, "tag:", 4) == 0) {
        node->kind = NODE_TAG;
        strcpy(node->text, parse->token + 4);
        CHECK(next_token(parse));
    } else {
        CHECK(parse_comparison(parse, node));
    }
    *out = TESS_TAKE(node);
done:
    tess_filter_free(node);
    return status;
}

static tess_status parse_parentheses(parser *parse, tess_filter **out) {
    TRY(next_token(parse));
    TRY(parse_or(parse, out));
    if (is_sign(parse, ")"))
        return next_token(parse);
    tess_filter_free(*out);
    *out = NULL;
    return refuse(parse, "a closing parenthesis is expected here");
}

static tess_status parse_not(parser *parse, tess_filter **out) {
    tess_status status = TESS_OK;
    const char *start = parse->start;
    if (++parse->depth > DEEPEST)
        return refuse(parse, "this is nested too deep");
    if (is_word(parse, "not")) {
        tess_filter *operand = NULL;
        CHECK(next_token(parse));
        CHECK(parse_not(parse, &operand));
        CHECK(node_new(NODE_NOT, operand, out));
    } else if (is_sign(parse, "(")) {
        CHECK(parse_parentheses(parse, out));
    } else {
        CHECK(parse_leaf(parse, out));
    }
    (*out)->start = start;
    (*out)->length = (int)(parse->last - start);
done:
    parse->depth--;
    return status;
}

/* One or more operands joined by `word`, each parsed by `operand`. */
static tess_status parse_joined(parser *parse, node_kind kind, const char *word,
                                tess_status (*operand)(parser *, tess_filter **),
                                tess_filter **out) {
    tess_status status = TESS_OK;
    tess_filter *node = NULL;
    CHECK(operand(parse, &node));
    while (is_word(parse, word)) {
        tess_filter *joined = NULL;
        CHECK(next_token(parse));
        tess_filter *left = TESS_TAKE(node);
        CHECK(node_new(kind, left, &joined));
        node = joined;
        CHECK(operand(parse, &node->right));
    }
    *out = TESS_TAKE(node);
done:
    tess_filter_free(node);
    return status;
}

static tess_status parse_and(parser *parse, tess_filter **out) {
    return parse_joined(parse, NODE_AND, "and", parse_not, out);
}

static tess_status parse_or(parser *parse, tess_filter **out) {
    return parse_joined(parse, NODE_OR, "or", parse_and, out);
}

tess_status tess_filter_parse(const char *text, const tess_run_table *table, tess_filter **out) {
    tess_status status = TESS_OK;
    tess_filter *filter = NULL;
    parser parse = {.text = text, .at = text, .start = text, .table = table};
    CHECK(next_token(&parse));
    CHECK(parse_or(&parse, &filter));
    if (parse.kind != TOKEN_END)
        CHECK(refuse(&parse, "'and' or 'or' is expected here, or the end"));
    *out = TESS_TAKE(filter);
done:
    tess_filter_free(filter);
    return status;
}

void tess_filter_free(tess_filter *filter) {
    if (!filter)
        return;
    tess_filter_free(filter->left);
    tess_filter_free(filter->right);
    free(filter);
}

static bool fits_order(comparison by, double order) {
    switch (by) {
    case EQUAL:
        return order == 0;
    case UNEQUAL:
        return order != 0;
    case LESS:
        return order < 0;
    case LESS_EQUAL:
        return order <= 0;
    case MORE:
        return order > 0;
    case MORE_EQUAL:
        return order >= 0;
    case HOLDS:
        break;
    }
    return false;
}

/* A mesh may be named without its folder, as tables show it. */
static bool is_named(const tess_filter *node, const char *text) {
    return fnmatch(node->text, text, 0) == 0 ||
           (strcmp(node->field.name, "mesh") == 0 &&
            fnmatch(node->text, tess_last_of_path(text), 0) == 0);
}

static bool fits_text(const tess_filter *node, const char *text) {
    if (node->comparison == HOLDS)
        return strcasestr(text, node->text) != NULL;
    if (node->comparison == EQUAL || node->comparison == UNEQUAL)
        return is_named(node, text) == (node->comparison == EQUAL);
    return *text && fits_order(node->comparison, strcmp(text, node->text));
}

static bool fits_comparison(const tess_filter *node, const tess_run_table *table, int64_t row) {
    if (node->field.is_text)
        return fits_text(node, tess_run_text(table, &node->field, row));
    const double number = node->field.scale * tess_run_number(table, &node->field, row);
    if (isnan(number))
        return node->comparison == UNEQUAL;
    return fits_order(node->comparison, (number > node->number) - (number < node->number));
}

bool tess_filter_fits(const tess_filter *filter, const tess_run_table *table, const tess_tags *tags,
                      int64_t row) {
    switch (filter->kind) {
    case NODE_AND:
        return tess_filter_fits(filter->left, table, tags, row) &&
               tess_filter_fits(filter->right, table, tags, row);
    case NODE_OR:
        return tess_filter_fits(filter->left, table, tags, row) ||
               tess_filter_fits(filter->right, table, tags, row);
    case NODE_NOT:
        return !tess_filter_fits(filter->left, table, tags, row);
    case NODE_TAG:
        return tess_tags_has(tags, tess_run_table_id(table, row), filter->text);
    case NODE_COMPARE:
        break;
    }
    return fits_comparison(filter, table, row);
}

/* Prints the clauses that `and` joins, each with the number of runs that fit it. */
static void print_clauses(const tess_filter *filter, const tess_run_table *table,
                          const tess_tags *tags, FILE *stream) {
    if (filter->kind == NODE_AND) {
        print_clauses(filter->left, table, tags, stream);
        fputs(", ", stream);
        print_clauses(filter->right, table, tags, stream);
        return;
    }
    int64_t n = 0;
    for (int64_t row = 0; row < table->n_rows; row++)
        n += tess_filter_fits(filter, table, tags, row);
    fprintf(stream, "%.*s (%lld)", filter->length, filter->start, (long long)n);
}

void tess_filter_print_misfit(const tess_filter *filter, const tess_run_table *table,
                              const tess_tags *tags, FILE *stream) {
    fputs("no run fits", stream);
    if (filter->kind == NODE_AND) {
        fputs(" all of: ", stream);
        print_clauses(filter, table, tags, stream);
    }
}
