/* NVML: the clocks of a GPU, by NVIDIA's management library, opened when it is asked for. */
#pragma once

#include "kernels/devices/device.h"

typedef struct nvml_device *nvml_device; /* opaque, as in nvml.h */

typedef struct tess_nvml {
    void *handle; /* NULL: absent */
    nvml_device device;
    int (*clock)(nvml_device device, int kind, unsigned *megahertz);
    int (*shut_down)(void);
} tess_nvml;

/* Opens the library for the GPU on that PCI bus; where that fails clocks are unknown. */
void tess_nvml_open(const char *bus, tess_nvml *out);
void tess_nvml_close(tess_nvml *nvml);

/* The clocks of the multiprocessors and of the memory now. */
tess_clocks tess_nvml_clocks(const tess_nvml *nvml);
