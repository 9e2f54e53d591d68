/* A strategy: how a loop is executed: how races are resolved, what is staged where. */
#include "kernels/strategies/strategy.h"

#include "core/base/registry.h"

#define X(name) extern const tess_strategy tess_strategy_##name;
#include "kernels/strategies/list.h"
#undef X

static const void *const items[] = {
#define X(name) &tess_strategy_##name,
#include "kernels/strategies/list.h"
#undef X
    NULL};

static const tess_registry registry = {
    .items = items, .kind = "strategy", .words = {"?", "; 'tess list strategies' names them"}};

const tess_strategy *tess_strategy_at(int i) {
    return tess_registry_at(&registry, i);
}

tess_status tess_strategy_find(const char *name, const tess_strategy **out) {
    *out = tess_registry_get(&registry, name);
    return *out ? TESS_OK : tess_registry_lacks(&registry, name);
}

tess_status tess_strategy_restore(const char *recorded, char **out) {
    tess_status status = TESS_OK;
    const tess_strategy *strategy = NULL;
    tess_spec *spec = NULL;
    int n = 0;
    TRY(tess_spec_list_parse(recorded, &spec, &n));
    CHECK(tess_strategy_find(spec->name, &strategy));
    CHECK(tess_spec_restore(spec, strategy->options));
    CHECK(tess_spec_print(spec, strategy->options, out));
done:
    tess_spec_list_free(spec, n);
    return status;
}
