/* A strategy: how a loop is executed: how races are resolved, what is staged where. */
#include "kernels/strategies/strategy.h"

#include <string.h>

#define X(name) extern const tess_strategy tess_strategy_##name;
#include "kernels/strategies/list.h"
#undef X

static const tess_strategy *const strategies[] = {
#define X(name) &tess_strategy_##name,
#include "kernels/strategies/list.h"
#undef X
    NULL};

enum { N_STRATEGIES = sizeof strategies / sizeof strategies[0] - 1 };

const tess_strategy *tess_strategy_at(int i) {
    return i >= 0 && i < N_STRATEGIES ? strategies[i] : NULL;
}

tess_status tess_strategy_find(const char *name, const tess_strategy **out) {
    const char *names[N_STRATEGIES + 1] = {NULL};
    for (int i = 0; i < N_STRATEGIES; i++) {
        names[i] = strategies[i]->name;
        if (strcmp(name, strategies[i]->name) == 0) {
            *out = strategies[i];
            return TESS_OK;
        }
    }
    const char *near = tess_suggest(name, names);
    FAIL(TESS_ERROR_USAGE, "there is no strategy '%s'%s%s%s: see tess list strategies", name,
         near ? "; did you mean '" : "", near ? near : "", near ? "'" : "");
}
