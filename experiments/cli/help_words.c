/* Help words: what a shell completes behind a command. */
#include "experiments/cli/help_words.h"

#include "experiments/cli/listing.h"
#include <string.h>

/* The listing whose names a placeholder stands for, as the option tables write it; NULL: none. */
static const tess_listing *listing_of(const char *placeholder, size_t length) {
    static const struct {
        const char *placeholder, *listing;
    } known[] = {{"P[,P...]", "partitioners"},
                 {"S[,S...]", "strategies"},
                 {"D", "devices"},
                 {"APPLICATION", "applications"},
                 {"METRIC", "metrics"}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (strlen(known[k].placeholder) == length &&
            strncmp(known[k].placeholder, placeholder, length) == 0)
            for (int i = 0; tess_listing_at(i); i++)
                if (strcmp(tess_listing_at(i)->name, known[k].listing) == 0)
                    return tess_listing_at(i);
    return NULL;
}

/* The values that a placeholder stands for, each behind `option` ("--map=" or ""), with `doc` or
 * what the value itself means. False: it names none. */
static bool print_values(const char *option, const char *placeholder, size_t length,
                         const char *doc, FILE *stream) {
    const tess_listing *listing = listing_of(placeholder, length);
    tess_item item;
    for (int i = 0; listing && listing->at(i, &item); i++)
        fprintf(stream, "%s%s\t%s\n", option, item.name, item.summary);
    if (listing || !memchr(placeholder, '|', length))
        return listing != NULL;
    const char *end = placeholder + length;
    while (placeholder < end) {
        const size_t word = strcspn(placeholder, "|[");
        fprintf(stream, "%s%.*s\t%s\n", option, (int)word, placeholder, doc);
        placeholder += word;
        if (*placeholder == '[') /* what may follow a value, as in soa|aos[,SET=aos...] */
            break;
        placeholder += placeholder < end;
    }
    return true;
}

static void print_option(const struct argp_option *option, FILE *stream) {
    char name[80];
    const char *doc = option->doc ? option->doc : "";
    if (!option->name || option->flags & OPTION_HIDDEN)
        return;
    if (!option->arg) {
        fprintf(stream, "--%s\t%s\n", option->name, doc);
        return;
    }
    snprintf(name, sizeof name, "--%s=", option->name);
    if (!print_values(name, option->arg, strlen(option->arg), doc, stream))
        fprintf(stream, "%s\t%s\n", name, doc);
}

static void print_options(const struct argp_option *option, FILE *stream) {
    for (; option && (option->name || option->key || option->doc); option++)
        print_option(option, stream);
}

void tess_help_words_print(const struct argp *argp, const struct argp_option *common,
                           FILE *stream) {
    for (const char *word = argp->args_doc; word && *word;) {
        const size_t length = strcspn(word, " ");
        print_values("", word, length, "", stream);
        word += length;
        word += strspn(word, " ");
    }
    print_options(argp->options, stream);
    print_options(common, stream);
    fputs("--help\tGive the help of this command\n", stream);
}

bool tess_help_values_print(const struct argp *argp, const char *word, FILE *stream) {
    const struct argp_option *option = argp->options;
    for (; option && (option->name || option->key || option->doc); option++) {
        const bool is_letter = word[0] == '-' && word[1] && !word[2] && option->key == word[1];
        const bool is_name =
            strncmp(word, "--", 2) == 0 && option->name && strcmp(word + 2, option->name) == 0;
        if ((!is_letter && !is_name) || !option->arg || option->flags & OPTION_ARG_OPTIONAL)
            continue;
        const char *doc = option->doc ? option->doc : "";
        print_values("", option->arg, strlen(option->arg), doc, stream);
        return true;
    }
    return false;
}
