/* What a machine has for GPUs. */
#include "experiments/cli/machine_gpu.h"

#include "kernels/devices/cuda/cuda_driver.h"
#include "kernels/devices/cuda/nvrtc.h"
#include "kernels/devices/device.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What to do about a GPU that does not work, by what its message says; the first that fits. */
static const struct {
    const char *said, *fix;
} fixes[] = {
    {"there is no NVIDIA driver",
     "with an NVIDIA GPU: install its driver; --device emulator needs none"},
    {"too old", "install a newer NVIDIA driver, for CUDA 12 or later"},
    {"finds no GPU",
     "nvidia-smi tells why; a container must be started with the GPU (docker run --gpus all)"},
    {"does not start", "nvidia-smi tells why; after an update of the driver load its module again, "
                       "or restart the machine"},
    {"compute capability",
     "a GPU of compute capability 7.0 (Volta) or later, or --device emulator"},
    {"loading a module",
     "NVRTC and the driver do not fit: install the NVRTC of the driver's CUDA version, or a newer "
     "driver"},
    {"NVRTC refuses", "this NVRTC does not know the GPU: install one of a newer CUDA version"},
    {"", "nvidia-smi tells why; does another process hold the GPU?"},
};

static void is_broken(tess_finding *finding) {
    size_t i = 0;
    finding->is_there = false;
    snprintf(finding->found, sizeof finding->found, "%.*s", (int)strcspn(tess_message(), "\n"),
             tess_message());
    while (!strstr(finding->found, fixes[i].said))
        i++;
    snprintf(finding->fix, sizeof finding->fix, "%s", fixes[i].fix);
}

/* Compiles a kernel that does nothing and runs it. */
static tess_status try_kernel(const tess_device *device, tess_target *target) {
    static const char page[] = "extern \"C\" __global__ void nothing(void) {}\n";
    const tess_launch launch = {.kernel = "nothing", .n_blocks = 1, .threads = 32};
    const uint64_t no_params[1] = {0};
    tess_device_module *module = NULL;
    double seconds = 0;
    tess_status status = TESS_OK;
    CHECK(device->compile(target, page, &module));
    CHECK(device->timer_start(target));
    CHECK(device->launch(target, module, &launch, no_params, 0));
    CHECK(device->timer_stop(target, &seconds));
done:
    device->unload(target, module);
    return status;
}

/* Names the GPUs of an opened one's machine. */
static tess_status describe(tess_finding *finding) {
    tess_cuda_driver driver;
    int version = 0, n_devices = 0, device = 0;
    size_t free_bytes = 0, total = 0;
    char name[96] = "";
    TRY(tess_cuda_driver_open(&driver));
    driver.driver_version(&version);
    driver.device_count(&n_devices);
    driver.device_get(&device, 0);
    driver.device_name(name, sizeof name, device);
    driver.memory_info(&free_bytes, &total);
    snprintf(finding->found, sizeof finding->found,
             "%d x %s, %.1f of %.1f GB free, driver for CUDA %d.%d", n_devices, name,
             (double)free_bytes / 1e9, (double)total / 1e9, version / 1000, version % 1000 / 10);
    tess_cuda_driver_close(&driver);
    return TESS_OK;
}

void tess_machine_look_for_gpu(tess_finding *finding) {
    const tess_device *device = NULL;
    tess_target *target = NULL;
    finding->is_there = true;
    if (tess_device_open("cuda", &device, &target) != TESS_OK || describe(finding) != TESS_OK ||
        (tess_nvrtc_version() > 0 && try_kernel(device, target) != TESS_OK))
        is_broken(finding);
    if (target)
        device->close(target);
}

const char *tess_machine_counters_forbidden(void) {
    char line[256];
    bool only_root = false;
    FILE *params = fopen("/proc/driver/nvidia/params", "re");
    while (params && fgets(line, sizeof line, params))
        only_root |= strncmp(line, "RmProfilingAdminOnly: 1", 23) == 0;
    if (params)
        fclose(params);
    return only_root && geteuid() != 0
               ? "run as root, or load the NVIDIA module with "
                 "NVreg_RestrictProfilingToAdminUsers=0: only root may read the counters"
               : "";
}
