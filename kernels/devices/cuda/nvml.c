/* NVML: the clocks of a GPU, by NVIDIA's management library, opened when it is asked for. */
#include "kernels/devices/cuda/nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

enum { CLOCK_MULTIPROCESSORS = 1, CLOCK_MEMORY = 2 }; /* nvmlClockType_t */

static bool find_function(void *handle, const char *name, void *function) {
    void *symbol = dlsym(handle, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

void tess_nvml_open(const char *bus, tess_nvml *out) {
    int (*start)(void) = NULL;
    int (*find)(const char *name, nvml_device *device) = NULL;
    *out = (tess_nvml){.handle = NULL};
    tess_nvml nvml = {.handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)};
    if (!nvml.handle)
        return;
    if (!find_function(nvml.handle, "nvmlInit_v2", &start) ||
        !find_function(nvml.handle, "nvmlShutdown", &nvml.shut_down) ||
        !find_function(nvml.handle, "nvmlDeviceGetHandleByPciBusId_v2", &find) ||
        !find_function(nvml.handle, "nvmlDeviceGetClockInfo", &nvml.clock) || start() != 0) {
        dlclose(nvml.handle);
        return;
    }
    if (find(bus, &nvml.device) == 0)
        *out = nvml;
    else
        tess_nvml_close(&nvml);
}

void tess_nvml_close(tess_nvml *nvml) {
    if (!nvml->handle)
        return;
    nvml->shut_down();
    dlclose(nvml->handle);
    *nvml = (tess_nvml){.handle = NULL};
}

static double clock_of(const tess_nvml *nvml, int kind) {
    unsigned megahertz = 0;
    return nvml->handle && nvml->clock(nvml->device, kind, &megahertz) == 0 ? 1e6 * megahertz : NAN;
}

tess_clocks tess_nvml_clocks(const tess_nvml *nvml) {
    return (tess_clocks){clock_of(nvml, CLOCK_MULTIPROCESSORS), clock_of(nvml, CLOCK_MEMORY)};
}
