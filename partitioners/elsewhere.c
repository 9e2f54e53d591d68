/* Elsewhere: elements cut by the problem's cutter instead of the host. */
#include "partitioners/elsewhere.h"

#include "core/plan/partition.h"
#include <stdio.h>

tess_status tess_cut_elsewhere(const tess_partition_problem *problem, const tess_cut *what,
                               int32_t *block_of, bool *is_cut) {
    const tess_cutter *cutter = problem->cutter;
    const tess_observer *observer = problem->observer;
    *is_cut = false;
    if (!cutter || what->n < cutter->least)
        return TESS_OK;
    tess_cut_cost cost;
    const tess_status status = cutter->cut(cutter->context, what, block_of, &cost);
    if (status == TESS_ERROR_MEMORY || status == TESS_ERROR_MISSING) {
        char remark[TESS_REMARK_SIZE];
        snprintf(remark, sizeof remark, "cut on the host: %.*s", TESS_REMARK_SIZE - 20,
                 tess_message());
        if (observer && observer->remark)
            observer->remark(observer->context, remark);
        return TESS_OK;
    }
    TRY(status);
    *is_cut = true;
    if (observer && observer->elsewhere)
        observer->elsewhere(observer->context, cost.place, cost.seconds);
    return TESS_OK;
}
