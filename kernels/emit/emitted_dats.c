/* The dats of an emission: what its launch takes, and what only the sequential loops have. */
#include "kernels/emit/emission.h"

#include "core/base/array.h"
#include <stdio.h>
#include <string.h>

/* The parameter that says where a dat lies, or its second buffer; NULL: the launch takes it not. */
static const tess_param *find_param(const tess_emission *x, const tess_stored *stored, bool other) {
    const tess_page *page = x->page;
    for (int i = 0; i < page->n_params; i++)
        if (page->params[i].stored == stored && page->params[i].other == other)
            return &page->params[i];
    return NULL;
}

/* Adds a dat, or its second buffer: the one that was added last is then the first. */
static void add(tess_emission *x, const tess_page_dat *dat, const tess_stored *stored, bool other) {
    const tess_param *param = find_param(x, stored, other);
    tess_emitted_dat *added = &x->dats[x->n_dats];
    *added = (tess_emitted_dat){
        .dat = dat,
        .stored = stored,
        .before = other ? x->n_dats - 1 : -1,
        .launched = param != NULL,
        .written = param && strncmp(param->type, "const ", strlen("const ")) != 0,
    };
    snprintf(added->symbol, sizeof added->symbol, "%.*s%s",
             (int)(sizeof added->symbol - sizeof "_next"), dat->symbol, other ? "_next" : "");
    x->n_dats++;
}

tess_status tess_emission_find_dats(tess_emission *x) {
    int most = 0;
    for (int l = 0; l < x->n_loops; l++)
        most += 2 * x->loops[l].page->n_dats;
    TRY(TESS_ZEROS(most, &x->dats));
    for (int l = 0; l < x->n_loops; l++)
        for (int i = 0; i < x->loops[l].page->n_dats; i++) {
            const tess_page_dat *dat = &x->loops[l].page->dats[i];
            const tess_stored *stored = tess_store_find(x->store, dat->stored->dat->name, dat->set);
            if (tess_emission_dat(x, dat->symbol) >= 0)
                continue;
            add(x, dat, stored, false);
            if (find_param(x, stored, true))
                add(x, dat, stored, true);
        }
    return TESS_OK;
}
