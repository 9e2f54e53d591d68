/* A step's time: how long a GPU would take for a time step in chains. */
#include "experiments/model/step_time.h"

#include "core/base/array.h"
#include "experiments/model/step_bound.h"
#include "kernels/loops/loop_bytes.h"
#include <stdlib.h>

typedef struct step_predictor {
    const tess_predictor *predictor;
    const tess_march *march;
    const tess_chained_step *step;
    const double *constants;
} step_predictor;

static const tess_march_plan *plan_of(const step_predictor *p, const tess_kernel *kernel) {
    const tess_march_plan *plan = p->march->plans.items;
    while (plan->kernel != kernel)
        plan++;
    return plan;
}

/* --- a chain ---------------------------------------------------------------------------------- */

/* Flops of a chain, as many as a GPU does in the time of its divisions and roots. */
static tess_status count_flops(const step_predictor *p, int first, double *out) {
    const int n = tess_chained_step_length(p->step, first);
    const tess_state *state = p->march->state;
    tess_status status = TESS_OK;
    tess_operations *each = NULL, all = {.sums = 0};
    const tess_kernel *const *kernels = tess_chained_step_kernels(p->step) + first;
    const tess_arithmetic arithmetic = (tess_arithmetic)p->march->experiment.arithmetic;
    CHECK(TESS_ZEROS(n, &each));
    for (int k = 0; k < n; k++)
        CHECK(tess_operations_count(kernels[k], plan_of(p, kernels[k])->bound, state, arithmetic,
                                    &each[k]));
    const tess_chain_setting setting = {.chain = tess_chained_step_chain(p->step, first),
                                        .blocks = tess_chained_step_ready(p->step, first)->blocks,
                                        .kernels = kernels,
                                        .elements = tess_chained_step_elements(p->step, first)};
    CHECK(tess_chain_operations(&setting, state->mesh, each, &all));
    *out = tess_operations_cost(&all, state->real, arithmetic);
done:
    free(each);
    return status;
}

/* Registers of a thread: as compiled, else as said, else as assumed of loops. */
static tess_status find_registers(const step_predictor *p, int first, double *out) {
    const tess_device *compiler = p->predictor->compiler;
    const tess_ready_chain *ready = tess_chained_step_ready(p->step, first);
    tess_status status = TESS_OK;
    tess_text_writer text = {.text = NULL};
    tess_capped kernel = {.module = NULL};
    *out = p->march->state->real == TESS_DOUBLE ? TESS_REGISTERS_DOUBLE : TESS_REGISTERS_FLOAT;
    if (!compiler)
        return TESS_OK;
    tess_text_writer_print(&text, "%s", ready->page.text.text);
    CHECK(tess_text_writer_finish(&text));
    CHECK(tess_ready_chain_compile(compiler, p->predictor->target, ready, &text, &kernel));
    if (kernel.resources.registers > 0)
        *out = kernel.resources.registers;
done:
    if (kernel.module)
        compiler->unload(p->predictor->target, kernel.module);
    tess_text_writer_clear(&text);
    return status;
}

/* What the emulator counted, of one run. What comes from memory is what must: blocks that follow
 * each other find the points around them in the L2. */
static tess_status count_chain(const step_predictor *p, int first, tess_features *out) {
    const tess_ready_chain *ready = tess_chained_step_ready(p->step, first);
    const tess_page *page = &ready->page;
    const tess_launch *launch = &page->launches[0];
    const tess_mesh *mesh = p->march->state->mesh;
    const tess_counters c = ready->counters;
    const double n = (double)ready->n_counted;
    if (n == 0 || c.memory_instructions == 0)
        FAIL(TESS_ERROR_USAGE, "nothing was counted of a chain: take --device emulator:sample=64");
    const double bytes = (double)(tess_chain_dat_bytes(ready->chain, mesh) + page->array_bytes);
    *out = (tess_features){.traffic = {.reads = (double)c.read_sectors / n,
                                       .block_reads = (double)c.block_read_sectors / n,
                                       .writes = (double)c.write_sectors / n,
                                       .lines = (double)c.memory_lines / n,
                                       .passes = (double)c.atomic_sectors / n,
                                       .values = (double)c.atomics / n,
                                       .memory_reads = bytes / TESS_SECTOR,
                                       .instructions = (double)c.memory_instructions / n},
                           .moved_bytes = bytes,
                           .wavefronts = (double)c.shared_wavefronts / n,
                           .barriers = (double)c.barriers / n,
                           .blocks = ready->blocks->n_blocks,
                           .turns = 1,
                           .launches = 1,
                           .threads = launch->threads,
                           .shared_bytes = (double)launch->shared_bytes};
    TRY(count_flops(p, first, &out->flops));
    return find_registers(p, first, &out->registers);
}

/* --- a loop ----------------------------------------------------------------------------------- */

static tess_status predict_loop(const step_predictor *p, const tess_kernel *kernel,
                                tess_step_part *part) {
    const tess_march_plan *plan = plan_of(p, kernel);
    const tess_planned planned = {.plan = (tess_plan *)plan->plan,
                                  .renumbering =
                                      tess_march_plans_first(&p->march->plans)->renumbering};
    const tess_predicted_loop loop = {kernel, plan->bound, p->march->state};
    tess_prediction one = {.experiment = plan->experiment};
    TRY(tess_prediction_make(p->predictor, &loop, &planned, &one));
    part->features = one.features;
    part->time = one.time;
    part->seconds = one.seconds;
    const tess_status status =
        one.failure ? tess_fail(TESS_ERROR_USAGE, "%s: %s", kernel->name, one.failure) : TESS_OK;
    tess_predictions_clear(&one, 1);
    return status;
}

/* --- the step --------------------------------------------------------------------------------- */

static tess_status predict_part(const step_predictor *p, int i, tess_step_part *part) {
    *part = (tess_step_part){.first = i};
    if (tess_chained_step_chain(p->step, i)) {
        TRY(count_chain(p, i, &part->features));
        part->time = tess_model_predict(p->constants, &part->features);
        part->seconds = part->time.seconds;
    } else
        TRY(predict_loop(p, tess_chained_step_kernels(p->step)[i], part));
    const double start = p->constants[TESS_CONSTANT_start];
    part->time.bound = TESS_TERM_MEMORY;
    part->seconds -= start;
    part->time.terms[TESS_TERM_LAUNCHES] -= start;
    for (tess_term term = 0; term < TESS_N_TERMS; term++)
        if (part->time.terms[term] > part->time.terms[part->time.bound])
            part->time.bound = term;
    return TESS_OK;
}

tess_status tess_step_time_predict(const tess_predictor *predictor, const tess_march *march,
                                   tess_step_time *out) {
    const step_predictor p = {.predictor = predictor,
                              .march = march,
                              .step = tess_march_chained(march),
                              .constants = predictor->fit ? predictor->fit->constants
                                                          : predictor->machine->number};
    *out = (tess_step_time){.seconds = 0};
    for (int i = 0; i < tess_chained_step_size(p.step); i++) {
        const int like = tess_chained_step_like(p.step, i);
        if (tess_chained_step_length(p.step, i) == 0)
            continue;
        int k = 0;
        while (k < out->n && out->parts[k].first != like)
            k++;
        if (k == out->n)
            TRY(predict_part(&p, i, &out->parts[out->n++]));
        out->parts[k].count++;
        out->seconds += out->parts[k].seconds;
    }
    return TESS_OK;
}
