/* The dats of an emission: what its launch takes, and what only the sequential loops have. */
#include "kernels/emit/emission.h"

#include "core/base/array.h"
#include <stdio.h>
#include <string.h>

static const tess_param *find_param(const tess_page *page, const char *name) {
    for (int i = 0; i < page->n_params; i++)
        if (strcmp(page->params[i].name, name) == 0)
            return &page->params[i];
    return NULL;
}

static void add(tess_emission *x, const tess_page_dat *dat, const char *ending, int before) {
    tess_emitted_dat *added = &x->dats[x->n_dats++];
    *added =
        (tess_emitted_dat){.dat = dat,
                           .stored = tess_store_find(x->store, dat->stored->dat->name, dat->set),
                           .before = before};
    snprintf(added->symbol, sizeof added->symbol, "%.*s%s",
             (int)(sizeof added->symbol - sizeof "_next"), dat->symbol, ending);
    const tess_param *param = find_param(x->page, added->symbol);
    added->launched = param != NULL;
    added->written = param && strncmp(param->type, "const ", strlen("const ")) != 0;
}

tess_status tess_emission_find_dats(tess_emission *x) {
    int most = 0;
    for (int l = 0; l < x->n_loops; l++)
        most += 2 * x->loops[l].page->n_dats;
    TRY(TESS_ZEROS(most, &x->dats));
    for (int l = 0; l < x->n_loops; l++)
        for (int i = 0; i < x->loops[l].page->n_dats; i++) {
            const tess_page_dat *dat = &x->loops[l].page->dats[i];
            char next[TESS_SYMBOL_SIZE + 8];
            if (tess_emission_dat(x, dat->symbol) >= 0)
                continue;
            add(x, dat, "", -1);
            snprintf(next, sizeof next, "%s_next", dat->symbol);
            if (find_param(x->page, next))
                add(x, dat, "_next", x->n_dats - 1);
        }
    return TESS_OK;
}
