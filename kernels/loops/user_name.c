/* A user's name: a word of a description that becomes one of the text. */
#include "kernels/loops/user_name.h"

#include <string.h>

static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

bool tess_user_name_takes(char letter) {
    return letter && strchr(LETTERS, letter);
}

tess_status tess_user_name_check(const tess_yaml *yaml, const tess_yaml_node *node,
                                 const char *what, const char *name) {
    if (!name[strspn(name, LETTERS)])
        return TESS_OK;
    return tess_yaml_fail(yaml, node,
                          "%s '%s' has no name that a compiler takes: write letters without "
                          "accents, digits and '_'",
                          what, name);
}
