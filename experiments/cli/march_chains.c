/* The chains of a march, as the program tells them. */
#include "experiments/cli/march_chains.h"

#include "experiments/report/plural.h"
#include <stdio.h>

/* Whether the chain writes a dat that it does not store. */
static bool is_dropped(const tess_chain_dat *dat) {
    return dat->written && !dat->stored;
}

/* Bytes of the sectors that its warps ask for, and of memory where caches are emulated, a point and
 * run. */
static void print_counted(const tess_march *march, int i) {
    const tess_chained_step *step = tess_march_chained(march);
    const char *owner = tess_chained_step_chain(step, i)->owner;
    const tess_mesh *mesh = march->bench.load.mesh;
    tess_counters c;
    const int64_t n = tess_chained_step_counters(step, i, &c);
    const double points = (double)n * (double)mesh->sets[tess_mesh_find_set(mesh, owner)].size;
    if (n == 0)
        return;
    printf("  a point: %.4g B in the sectors that warps ask for, %.3g bank conflicts",
           32 * (double)(c.read_sectors + c.write_sectors + c.atomic_sectors) / points,
           (double)c.shared_bank_conflicts / points);
    if (tess_counters_cached(&c))
        printf(", %.4g B of memory", (double)(c.dram_read_bytes + c.dram_write_bytes) / points);
    printf("\n");
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
    const tess_chained_step *step = tess_march_chained(march);
    for (int i = 0; step && i < tess_chained_step_size(step); i++)
        if (tess_chained_step_chain(step, i)) {
            print_chain(tess_chained_step_chain(step, i));
            print_counted(march, i);
        }
}

/* Of one run. */
static json_t *counters_json(const tess_counters *c, int64_t n) {
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "read_sectors",
                     (json_int_t)(c->read_sectors / n), "write_sectors",
                     (json_int_t)(c->write_sectors / n), "atomic_sectors",
                     (json_int_t)(c->atomic_sectors / n), "shared_bank_conflicts",
                     (json_int_t)(c->shared_bank_conflicts / n), "dram_read_bytes",
                     (json_int_t)(c->dram_read_bytes / n), "dram_write_bytes",
                     (json_int_t)(c->dram_write_bytes / n));
}

static json_t *chain_json(const tess_chained_step *step, int i) {
    const tess_chain *chain = tess_chained_step_chain(step, i);
    tess_counters counters;
    const int64_t n_counted = tess_chained_step_counters(step, i, &counters);
    json_t *loops = json_array(), *dropped = json_array();
    for (int k = 0; k < chain->n_loops; k++)
        json_array_append_new(loops, json_string(chain->loops[k].loop->name));
    for (int d = 0; d < chain->n_dats; d++)
        if (is_dropped(&chain->dats[d]))
            json_array_append_new(dropped, json_string(chain->dats[d].dat));
    json_t *all =
        json_pack("{s:o, s:s, s:i, s:i, s:o}", "loops", loops, "owner", chain->owner, "stages",
                  chain->n_stages, "rings", chain->n_rings, "not_stored", dropped);
    if (n_counted > 0)
        json_object_set_new(all, "counters", counters_json(&counters, n_counted));
    return all;
}

json_t *tess_march_chains_json(const tess_march *march) {
    const tess_chained_step *step = tess_march_chained(march);
    json_t *all = step ? json_array() : NULL;
    for (int i = 0; step && i < tess_chained_step_size(step); i++)
        if (tess_chained_step_chain(step, i))
            json_array_append_new(all, chain_json(step, i));
    return all;
}
