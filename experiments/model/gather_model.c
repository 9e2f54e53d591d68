/* The gather model: equations (2), (3), (5) and (6) of Langguth et al. 2015. */
#include "experiments/model/gather_model.h"

#include <math.h>
#include <string.h>

enum { WORD = 8, INDEX_BYTES = 4, SECTOR_BYTES = 32 };

static double words_of(const tess_kernel_arg *arg) {
    const bool four = strcmp(arg->type, "float") == 0 || strcmp(arg->type, "int") == 0;
    return arg->dim * (four ? 4.0 : 8.0) / WORD;
}

static tess_status check_arg(const tess_kernel *kernel, const tess_kernel_arg *arg) {
    if (arg->map && arg->access != TESS_READ)
        FAIL(TESS_ERROR_USAGE,
             "loop %s is no gather: it has %s of '%s' through %s, and the model is of loops that "
             "only read through maps, as fv",
             kernel->name, tess_access_name(arg->access), arg->dat, arg->map);
    return TESS_OK;
}

/* Whether an arg before number a goes through this slot of its map, too. */
static bool is_listed(const tess_kernel *kernel, int a, int slot) {
    for (int b = 0; b < a; b++)
        if (kernel->args[b].map && strcmp(kernel->args[b].map, kernel->args[a].map) == 0 &&
            (kernel->args[b].slot < 0 || kernel->args[b].slot == slot))
            return true;
    return false;
}

tess_status tess_gather_loop_of(const tess_kernel *kernel, int neighbours, tess_gather_loop *out) {
    *out = (tess_gather_loop){.flops = kernel->flops};
    for (int a = 0; a < kernel->n_args; a++) {
        const tess_kernel_arg *arg = &kernel->args[a];
        const int slots = arg->slot < 0 ? neighbours : 1;
        TRY(check_arg(kernel, arg));
        if (!arg->map) {
            const bool twice = arg->access == TESS_RW || arg->access == TESS_INC;
            out->regular += arg->set ? (twice ? 2 : 1) * words_of(arg) : 0;
            continue;
        }
        out->irregular += slots * words_of(arg);
        for (int s = 0; s < slots; s++)
            if (!is_listed(kernel, a, arg->slot < 0 ? s : arg->slot))
                out->regular += (double)INDEX_BYTES / WORD;
    }
    if (out->irregular == 0)
        FAIL(TESS_ERROR_USAGE, "loop %s is no gather: it reads nothing through a map",
             kernel->name);
    if (kernel->flops == 0)
        FAIL(TESS_ERROR_USAGE,
             "nobody counted the flops of loop %s: say 'flops' in its description", kernel->name);
    out->least = out->regular;
    return TESS_OK;
}

double tess_gather_level(const tess_gather_loop *loop, const tess_machine *machine, int level,
                         double working_set, tess_hit_cost hits) {
    const double line = machine->line_bytes / WORD;
    const double hit = fmin(1, machine->levels[level].capacity / working_set);
    const double cost = (1 - hit) * line + (hits == TESS_HITS_ONE_WORD ? hit : 0);
    const double words = (loop->regular + loop->irregular * cost) / loop->flops;
    return machine->levels[level].bandwidth / (WORD * words);
}

double tess_gather_best(const tess_gather_loop *loop, double bandwidth) {
    return loop->flops * bandwidth / (WORD * loop->least);
}

double tess_gather_worst(const tess_gather_loop *loop, double bandwidth, double line_bytes) {
    return loop->flops * bandwidth / (WORD * loop->least + loop->irregular * line_bytes);
}

double tess_gather_balance(const tess_gather_loop *loop, double l2_bandwidth,
                           double memory_bandwidth) {
    return WORD * loop->least / SECTOR_BYTES * l2_bandwidth / memory_bandwidth;
}
