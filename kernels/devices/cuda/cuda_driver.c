/* The CUDA driver: its functions, opened at run time. */
#include "kernels/devices/cuda/cuda_driver.h"

#include "core/base/library.h"
#include <dlfcn.h>

tess_status tess_cuda_check(const tess_cuda_driver *driver, int result, const char *what) {
    if (result == 0)
        return TESS_OK;
    const char *words = NULL;
    driver->error_string(result, &words);
    FAIL(TESS_ERROR_CHECK, "CUDA: %s failed (%d): %s", what, result, words ? words : "unknown");
}

static tess_status initialise(tess_cuda_driver *driver) {
    int version = 0;
    const int result = driver->init(0);
    if (result == CUDA_NO_DEVICE)
        FAIL(TESS_ERROR_MISSING, "the CUDA driver finds no GPU: use --device emulator");
    driver->driver_version(&version);
    if (result != 0) {
        const char *words = NULL;
        driver->error_string(result, &words);
        FAIL(TESS_ERROR_MISSING, "the CUDA driver (%d.%d) does not start: %s", version / 1000,
             version % 1000 / 10, words ? words : "unknown");
    }
    return TESS_OK;
}

tess_status tess_cuda_driver_open(tess_cuda_driver *out) {
    tess_status status = TESS_OK;
    tess_cuda_driver driver = {.handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)};
    if (!driver.handle)
        FAIL(TESS_ERROR_MISSING, "there is no NVIDIA driver (libcuda.so.1) on this machine: use "
                                 "--device emulator");
#define X(symbol, member, parameters) {#symbol, &driver.member},
    const tess_library_symbol symbols[] = {TESS_CUDA_FUNCTIONS(X)};
#undef X
    CHECK(TESS_LIBRARY_FIND(driver.handle, symbols, "the NVIDIA driver", "a newer one"));
    CHECK(initialise(&driver));
    *out = driver;
    driver.handle = NULL;
done:
    tess_cuda_driver_close(&driver);
    return status;
}

void tess_cuda_driver_close(tess_cuda_driver *driver) {
    if (driver->handle)
        dlclose(driver->handle);
    driver->handle = NULL;
}
