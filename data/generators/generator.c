/* A generator: a plug-in that makes a mesh from a few numbers. */
#include "data/generators/generator.h"

#include <string.h>

#define TESS_GENERATOR(name) extern const tess_generator tess_generator_##name;
#include "data/generators/generator_list.h"
#undef TESS_GENERATOR

const tess_generator *tess_generator_at(int i) {
    static const tess_generator *const generators[] = {
#define TESS_GENERATOR(name) &tess_generator_##name,
#include "data/generators/generator_list.h"
#undef TESS_GENERATOR
        NULL};
    return generators[i];
}

const tess_generator *tess_generator_of_name(const char *name) {
    for (int i = 0; tess_generator_at(i); i++)
        if (strcmp(tess_generator_at(i)->name, name) == 0)
            return tess_generator_at(i);
    return NULL;
}
