/* A registry: the plug-ins of one kind, which are chosen by name. */
#include "core/base/registry.h"

#include <stdio.h>
#include <string.h>

static const char *name_of(const void *item) {
    return *(const char *const *)item;
}

const void *tess_registry_at(const tess_registry *registry, int i) {
    int n = 0;
    while (n < i && registry->items[n])
        n++;
    return i < 0 ? NULL : registry->items[n];
}

const void *tess_registry_get(const tess_registry *registry, const char *name) {
    for (int i = 0; registry->items[i]; i++)
        if (strcmp(name_of(registry->items[i]), name) == 0)
            return registry->items[i];
    return NULL;
}

tess_status tess_registry_lacks(const tess_registry *registry, const char *name) {
    tess_unknown_name unknown = tess_unknown_name_of(name);
    for (int i = 0; registry->items[i]; i++)
        tess_unknown_name_add(&unknown, name_of(registry->items[i]));
    for (const tess_absent *absent = registry->absent; absent && absent->name; absent++) {
        if (strcmp(absent->name, name) == 0)
            FAIL(TESS_ERROR_MISSING, "%s %s is not in this build: %s", registry->kind, name,
                 absent->advice);
        tess_unknown_name_offer(&unknown, absent->name);
    }
    char subject[64];
    snprintf(subject, sizeof subject, "there is no %s", registry->kind);
    return tess_unknown_name_fail(registry->subject ? registry->subject : subject, &unknown,
                                  registry->words);
}
