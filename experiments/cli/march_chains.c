/* The chains of a march, as the program tells them. */
#include "experiments/cli/march_chains.h"

#include "experiments/report/plural.h"
#include <stdio.h>

/* Whether the chain writes a dat that it does not store. */
static bool is_dropped(const tess_chain_dat *dat) {
    return dat->written && !dat->stored;
}

static void print_chain(const tess_chain *chain) {
    int n_dropped = 0;
    printf("one kernel: ");
    for (int k = 0; k < chain->n_loops; k++)
        printf("%s%s", k > 0 ? "+" : "", chain->loops[k].loop->name);
    printf(" over %s", chain->owner);
    if (chain->n_rings > 0)
        printf(", %d ring%s computed again", chain->n_rings, tess_plural(chain->n_rings));
    for (int d = 0; d < chain->n_dats; d++)
        if (is_dropped(&chain->dats[d]))
            printf("%s%s", n_dropped++ ? ", " : "; not stored: ", chain->dats[d].dat);
    printf("\n");
}

void tess_march_chains_print(const tess_march *march) {
    const tess_chained_step *step = march->marcher ? tess_marcher_chained(march->marcher) : NULL;
    for (int i = 0; step && i < tess_chained_step_size(step); i++)
        if (tess_chained_step_chain(step, i))
            print_chain(tess_chained_step_chain(step, i));
}

static json_t *chain_json(const tess_chain *chain) {
    json_t *loops = json_array(), *dropped = json_array();
    for (int k = 0; k < chain->n_loops; k++)
        json_array_append_new(loops, json_string(chain->loops[k].loop->name));
    for (int d = 0; d < chain->n_dats; d++)
        if (is_dropped(&chain->dats[d]))
            json_array_append_new(dropped, json_string(chain->dats[d].dat));
    return json_pack("{s:o, s:s, s:i, s:i, s:o}", "loops", loops, "owner", chain->owner, "stages",
                     chain->n_stages, "rings", chain->n_rings, "not_stored", dropped);
}

json_t *tess_march_chains_json(const tess_march *march) {
    const tess_chained_step *step = march->marcher ? tess_marcher_chained(march->marcher) : NULL;
    json_t *all = step ? json_array() : NULL;
    for (int i = 0; step && i < tess_chained_step_size(step); i++)
        if (tess_chained_step_chain(step, i))
            json_array_append_new(all, chain_json(tess_chained_step_chain(step, i)));
    return all;
}
