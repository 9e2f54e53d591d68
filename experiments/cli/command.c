/* A command: one word of the program `tess`, its options and what it does. */
#include "experiments/cli/command.h"

#include "core/base/array.h"
#include "core/base/unknown_name.h"
#include "experiments/cli/help/help_page.h"
#include <stdlib.h>
#include <string.h>

#define X(name) extern const tess_command tess_command_##name;
#include "experiments/cli/list.h"
#undef X

const tess_command *const *tess_commands(void) {
    static const tess_command *const commands[] = {
#define X(name) &tess_command_##name,
#include "experiments/cli/list.h"
#undef X
        NULL};
    return commands;
}

static tess_status find(const char *program, const tess_command *const *commands, const char *name,
                        const tess_command **out) {
    tess_unknown_name unknown = tess_unknown_name_of(name);
    for (int i = 0; commands[i]; i++) {
        tess_unknown_name_add(&unknown, commands[i]->name);
        if (strcmp(commands[i]->name, name) == 0) {
            *out = commands[i];
            return TESS_OK;
        }
    }
    if (unknown.near[0])
        FAIL(TESS_ERROR_USAGE, "there is no command '%s %s'; did you mean '%s %s'?", program, name,
             program, unknown.near);
    FAIL(TESS_ERROR_USAGE, "there is no command '%s %s'; see '%s --help'", program, name, program);
}

tess_status tess_command_dispatch(const char *program, const tess_command *const *commands,
                                  int argc, char **argv) {
    tess_status status = TESS_OK;
    const tess_command *command = NULL;
    char *words = NULL;
    char **rest = NULL;
    CHECK(find(program, commands, argv[1], &command));
    if (asprintf(&words, "%s %s", program, command->name) < 0) {
        words = NULL;
        CHECK(tess_fail(TESS_ERROR_MEMORY, "out of memory"));
    }
    CHECK(TESS_ALLOC(argc, &rest));
    rest[0] = words;
    for (int i = 2; i <= argc; i++)
        rest[i - 1] = argv[i];
    status = command->run(argc - 1, rest);
done:
    free(rest);
    free(words);
    return status;
}

bool tess_command_asks_help(const char *word) {
    static const char *const words[] = {"--help", "--help=all", "-h", "-?", NULL};
    const char *const *one = words;
    while (*one && strcmp(*one, word) != 0)
        one++;
    return *one;
}

tess_status tess_command_help(const char *form, const char *program, const char *doc,
                              const tess_command *const *commands) {
    enum { MOST_COMMANDS = 64 };
    tess_help_entry entries[MOST_COMMANDS + 1] = {{NULL, NULL}};
    for (int i = 0; commands[i] && i < MOST_COMMANDS; i++)
        entries[i] = (tess_help_entry){commands[i]->name, commands[i]->summary};
    return tess_help_group_print(form, program, doc, entries, stdout);
}

tess_status tess_command_group(const char *program, const char *doc,
                               const tess_command *const *commands, int argc, char **argv) {
    if (argc == 2 && tess_help_form(argc, argv))
        return tess_command_help(tess_help_form(argc, argv), program, doc, commands);
    const bool help = argc >= 2 && tess_command_asks_help(argv[1]);
    if (argc >= 2 && !help)
        return tess_command_dispatch(program, commands, argc, argv);
    FILE *stream = help ? stdout : stderr;
    fprintf(stream, "Usage: %s COMMAND [OPTION...]\n%s\n\n", program, doc);
    for (int i = 0; commands[i]; i++)
        fprintf(stream, "  %-12s%s\n", commands[i]->name, commands[i]->summary);
    fprintf(stream, "\nWhat a command takes: %s COMMAND --help.\n", program);
    if (help)
        return TESS_OK;
    FAIL(TESS_ERROR_USAGE, "a command is missing behind '%s'", program);
}
