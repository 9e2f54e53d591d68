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

tess_renumber_method tess_strategy_renumber(const tess_strategy *strategy) {
    return strategy && strategy->renumber      ? strategy->renumber
           : strategy && strategy->owns_points ? TESS_RENUMBER_OWNER
                                               : TESS_RENUMBER_BLOCKS;
}

tess_same_bits tess_strategy_same_bits(const tess_strategy *strategy, const tess_spec *spec,
                                       const tess_loop *loop) {
    if (strategy->elsewhere)
        return TESS_BITS_VARY;
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        const bool sums_all = !arg->set[0] && arg->access == TESS_INC;
        if (tess_arg_writes_points(arg) || sums_all) /* by several threads in any order */
            return strategy->in_storage_order ? strategy->same_bits : TESS_BITS_VARY;
    }
    if (!tess_loop_adds(loop))
        return TESS_BITS_OF_ANY;
    return strategy->bits_by ? strategy->bits_by(spec) : strategy->same_bits;
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
