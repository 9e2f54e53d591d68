/* A peak: how many floating-point operations a GPU can do in a second. */
#include "experiments/report/chart/peak.h"

#include <stddef.h>
#include <string.h>

static const tess_peak peaks[] = {
#define TESS_PEAK(gpu, in_double, in_float, source)                                                \
    {gpu, {1e12 * in_double, 1e12 * in_float}, source},
#include "experiments/report/chart/peak_list.h"
#undef TESS_PEAK
};

const tess_peak *tess_peak_find(const char *gpu) {
    const tess_peak *found = NULL;
    for (size_t i = 0; i < sizeof peaks / sizeof *peaks; i++)
        if (strncmp(gpu, peaks[i].gpu, strlen(peaks[i].gpu)) == 0 &&
            (!found || strlen(peaks[i].gpu) > strlen(found->gpu)))
            found = &peaks[i];
    return found;
}
