/* The dats of an emission: what its launch takes, and what only the sequential loops have. */
#include "kernels/emit/emission.h"

#include "core/base/array.h"
#include <stdio.h>
#include <string.h>

/* Whether parameters say where a dat lies, or its second buffer: else the launch takes it not. Of a
 * dat in pieces each has one; that of what is read begins with `const`. */
static bool is_launched(const tess_emission *x, const tess_stored *stored, bool other,
                        bool *written) {
    const tess_page *page = x->page;
    bool found = false;
    *written = false;
    for (int i = 0; i < page->n_params; i++) {
        const tess_param *param = &page->params[i];
        if (param->stored != stored || param->other != other)
            continue;
        found = true;
        *written |= strncmp(param->type, "const ", strlen("const ")) != 0;
    }
    return found;
}

/* Adds a dat, or its second buffer: the one that was added last is then the first. */
static void add(tess_emission *x, const tess_page_dat *dat, const tess_stored *stored, bool other) {
    tess_emitted_dat *added = &x->dats[x->n_dats];
    *added = (tess_emitted_dat){.dat = dat, .stored = stored, .before = other ? x->n_dats - 1 : -1};
    added->launched = is_launched(x, stored, other, &added->written);
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
            bool written = false;
            if (is_launched(x, stored, true, &written))
                add(x, dat, stored, true);
        }
    return TESS_OK;
}
