/* The chains of a march, as the program tells them, and how long a step of it would take on a GPU.
 */
#include "experiments/cli/march_chains.h"

#include "core/base/plural.h"
#include <stdio.h>

/* --- the forecast ----------------------------------------------------------------------------- */

static bool is_sampled(const tess_chained_step *step) {
    for (int i = 0; step && i < tess_chained_step_size(step); i++)
        if (tess_chained_step_ready(step, i)->counters.memory_instructions > 0)
            return true;
    return false;
}

tess_status tess_march_forecast_check(const char *machine) {
    tess_expectation *expectation = NULL;
    if (!machine || tess_expectation_is_refused(machine))
        return TESS_OK;
    TRY(tess_expectation_open(machine, &expectation));
    tess_expectation_close(expectation);
    return TESS_OK;
}

tess_status tess_march_forecast_make(const char *machine, const tess_march *march,
                                     tess_march_forecast *out) {
    tess_expectation *expectation = NULL;
    *out = (tess_march_forecast){.is_made = false};
    if (march->ranked || tess_expectation_is_refused(machine) ||
        !is_sampled(tess_march_chained(march)))
        return TESS_OK;
    TRY(tess_expectation_open(machine ? machine : "h200", &expectation));
    snprintf(out->device, sizeof out->device, "%s", tess_expectation_device(expectation));
    tess_status status = tess_expectation_of_step(expectation, march, &out->step);
    tess_expectation_close(expectation);
    out->is_made = status == TESS_OK;
    if (status == TESS_ERROR_USAGE || status == TESS_ERROR_CHECK) {
        snprintf(out->why_not, sizeof out->why_not, "%s", tess_message());
        status = TESS_OK;
    }
    return status;
}

tess_status tess_march_forecast_record(const tess_march_forecast *forecast, tess_record *record) {
    if (!record || !forecast->is_made)
        return TESS_OK;
    TRY(tess_values_set_text(&record->environment, "predicted_for", forecast->device));
    return tess_record_add_measure(record, "predicted_time", "s", "model", forecast->step.seconds);
}

json_t *tess_march_forecast_json(const tess_march_forecast *forecast) {
    return json_pack("{s:s, s:f}", "device", forecast->device, "seconds_per_step",
                     forecast->step.seconds);
}

/* Of the chain that begins with loop i; NULL: it has none. */
static const tess_step_part *part_of(const tess_march_forecast *forecast,
                                     const tess_chained_step *step, int i) {
    const int like = tess_chained_step_like(step, i);
    for (int p = 0; forecast->is_made && p < forecast->step.n; p++)
        if (forecast->step.parts[p].first == like)
            return &forecast->step.parts[p];
    return NULL;
}

static void print_part(const tess_step_part *part) {
    const char *before = ": ";
    printf("  predicted: %.4g ms", 1e3 * part->seconds);
    for (tess_term term = 0; term < TESS_N_TERMS; term++)
        if (part->time.terms[term] > part->time.terms[part->time.bound] / 4) {
            printf("%s%s %.3g", before, tess_term_name(term), 1e3 * part->time.terms[term]);
            before = ", ";
        }
    printf("; %.0f registers\n", part->features.registers);
}

static void print_step(const tess_march_forecast *forecast, const tess_chained_step *step) {
    double alone = 0;
    for (int p = 0; p < forecast->step.n; p++)
        if (!tess_chained_step_chain(step, forecast->step.parts[p].first))
            alone += forecast->step.parts[p].count * forecast->step.parts[p].seconds;
    printf("a step is predicted to take %.4g ms on an %s", 1e3 * forecast->step.seconds,
           forecast->device);
    if (alone > 0)
        printf(", its loops in no chain %.4g of them", 1e3 * alone);
    printf("\n");
}

static json_t *part_json(const tess_step_part *part) {
    json_t *terms = json_object();
    for (tess_term term = 0; term < TESS_N_TERMS; term++)
        json_object_set_new(terms, tess_term_name(term), json_real(part->time.terms[term]));
    return json_pack("{s:f, s:s, s:f, s:o}", "seconds", part->seconds, "bound",
                     tess_term_name(part->time.bound), "registers", part->features.registers,
                     "terms", terms);
}

/* --- chains ----------------------------------------------------------------------------------- */

/* Whether the chain writes a dat that it does not store. */
static bool is_dropped(const tess_chain_dat *dat) {
    return dat->written && !dat->stored;
}

/* Bytes of the sectors that its warps ask for, and of memory where caches are emulated, a point and
 * run. */
static void print_counted(const tess_march *march, int i) {
    const tess_ready_chain *ready = tess_chained_step_ready(tess_march_chained(march), i);
    const char *owner = ready->chain->owner;
    const tess_mesh *mesh = march->bench.load.mesh;
    const tess_counters c = ready->counters;
    const int64_t n = ready->n_counted;
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

static void print_cap(const tess_capped *kernel) {
    if (kernel->uncapped > 0)
        printf("  %d registers in place of the compiler's %d: more blocks run at a time\n",
               kernel->resources.registers, kernel->uncapped);
}

void tess_march_chains_print(const tess_march *march, const tess_march_forecast *forecast) {
    const tess_chained_step *step = tess_march_chained(march);
    for (int i = 0; step && i < tess_chained_step_size(step); i++) {
        if (!tess_chained_step_chain(step, i))
            continue;
        print_chain(tess_chained_step_chain(step, i));
        print_cap(&tess_chained_step_ready(step, i)->kernel);
        print_counted(march, i);
        if (part_of(forecast, step, i))
            print_part(part_of(forecast, step, i));
    }
    if (forecast->is_made)
        print_step(forecast, step);
    else if (forecast->why_not[0])
        printf("no time of a step is predicted: %s\n", forecast->why_not);
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

static json_t *chain_json(const tess_chained_step *step, int i, const tess_step_part *part) {
    const tess_ready_chain *ready = tess_chained_step_ready(step, i);
    const tess_chain *chain = ready->chain;
    json_t *loops = json_array(), *dropped = json_array();
    for (int k = 0; k < chain->n_loops; k++)
        json_array_append_new(loops, json_string(chain->loops[k].loop->name));
    for (int d = 0; d < chain->n_dats; d++)
        if (is_dropped(&chain->dats[d]))
            json_array_append_new(dropped, json_string(chain->dats[d].dat));
    json_t *all =
        json_pack("{s:o, s:s, s:i, s:i, s:o}", "loops", loops, "owner", chain->owner, "stages",
                  chain->n_stages, "rings", chain->n_rings, "not_stored", dropped);
    if (ready->kernel.resources.registers > 0)
        json_object_set_new(all, "registers", json_integer(ready->kernel.resources.registers));
    if (ready->kernel.uncapped > 0)
        json_object_set_new(all, "uncapped_registers", json_integer(ready->kernel.uncapped));
    if (ready->n_counted > 0)
        json_object_set_new(all, "counters", counters_json(&ready->counters, ready->n_counted));
    if (part)
        json_object_set_new(all, "predicted", part_json(part));
    return all;
}

json_t *tess_march_chains_json(const tess_march *march, const tess_march_forecast *forecast) {
    const tess_chained_step *step = tess_march_chained(march);
    json_t *all = step ? json_array() : NULL;
    for (int i = 0; step && i < tess_chained_step_size(step); i++)
        if (tess_chained_step_chain(step, i))
            json_array_append_new(all, chain_json(step, i, part_of(forecast, step, i)));
    return all;
}
