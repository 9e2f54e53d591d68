/* Equipment: what it has of all that the program can use, and the fix for what it lacks. */
#include "experiments/cli/equipment.h"

#include "core/base/progress.h"
#include "kernels/devices/cuda/cuda_driver.h"
#include "kernels/devices/cuda/nvrtc.h"
#include "kernels/devices/device.h"
#include "kernels/exchange/mpi_library.h"
#include "kernels/exchange/nccl_library.h"
#include "partitioners/partitioner.h"
#include "partitioners/ptscotch.h"
#include "partitioners/worker/python_call.h"
#include "partitioners/worker/worker.h"
#include "viz/display.h"
#include "viz/viz.h"
#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { LEAST_LAB_MEGABYTES = 1000 };

static const double gigabyte = 1e9;

/* Runs a shell command and keeps the first line of what it prints; true when it exits with 0. */
static bool first_line(const char *command, char line[TESS_FINDING_SIZE]) {
    line[0] = '\0';
    FILE *output = popen(command, "re");
    if (!output)
        return false;
    char rest[256];
    if (fgets(line, TESS_FINDING_SIZE, output))
        line[strcspn(line, "\n")] = '\0';
    while (fgets(rest, sizeof rest, output))
        ; /* it must not die of a closed pipe */
    return pclose(output) == 0;
}

/* Keeps a failure's words as what was found, and what to do about it. */
static void is_missing(tess_finding *finding, const char *words, const char *fix) {
    finding->is_there = false;
    snprintf(finding->found, sizeof finding->found, "%s", words);
    snprintf(finding->fix, sizeof finding->fix, "%s", fix);
}

/* A program that tells its version with `command`. */
static void look_for_program(tess_finding *finding, const char *command, const char *fix) {
    finding->is_there = first_line(command, finding->found);
    if (!finding->is_there)
        is_missing(finding, "not found", fix);
}

static void look_at_machine(tess_finding *finding) {
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const double free_memory = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    finding->is_there = true;
    snprintf(finding->found, sizeof finding->found, "%ld cores, %.1f GB memory, %.1f GB of it free",
             sysconf(_SC_NPROCESSORS_ONLN), memory / gigabyte, free_memory / gigabyte);
}

/* The folder itself or, where it is still to be made, the nearest one above it. */
static void existing_folder(const char *folder, char path[PATH_MAX]) {
    snprintf(path, PATH_MAX, "%s", folder);
    while (access(path, F_OK) != 0) {
        char *slash = strrchr(path, '/');
        if (!slash || slash == path) {
            snprintf(path, PATH_MAX, slash ? "/" : ".");
            return;
        }
        *slash = '\0';
    }
}

static void look_at_lab(tess_finding *finding, const char *lab) {
    const char *variable = getenv("TESS_LAB");
    const char *folder = lab ? lab : variable && *variable ? variable : "lab";
    char path[PATH_MAX];
    existing_folder(folder, path);
    struct statvfs disk;
    if (access(path, W_OK) != 0 || statvfs(path, &disk) != 0) {
        snprintf(finding->found, sizeof finding->found, "%.128s: %s", path, strerror(errno));
        snprintf(finding->fix, sizeof finding->fix, "choose a folder with --lab or TESS_LAB");
        return;
    }
    const double free_bytes = (double)disk.f_bavail * (double)disk.f_frsize;
    finding->is_there = free_bytes >= LEAST_LAB_MEGABYTES * 1e6;
    snprintf(finding->found, sizeof finding->found, "%.128s, %.1f GB free", folder,
             free_bytes / gigabyte);
    if (!finding->is_there)
        snprintf(finding->fix, sizeof finding->fix,
                 "free %.1f GB or choose a folder with --lab or TESS_LAB",
                 LEAST_LAB_MEGABYTES / 1000.0);
}

static void look_for_compiler(tess_finding *finding) {
    const char *variable = getenv("CC");
    char command[512];
    snprintf(command, sizeof command, "%.400s --version 2>/dev/null",
             variable && *variable ? variable : "cc");
    look_for_program(finding, command,
                     variable && *variable ? "CC names no compiler: unset it or correct it"
                                           : "apt-get install gcc libc6-dev");
}

static void look_for_nvrtc(tess_finding *finding) {
    const int version = tess_nvrtc_version();
    finding->is_there = version > 0;
    snprintf(finding->found, sizeof finding->found, "NVRTC %d.%d", version / 1000,
             version % 1000 / 10);
    if (!finding->is_there)
        is_missing(finding, "no libnvrtc.so",
                   "install the nvrtc package of NVIDIA's CUDA Toolkit, say cuda-nvrtc-12-9");
}

/* What to do about a GPU that does not work, by what its message says; the first that fits. */
static const struct {
    const char *said, *fix;
} fixes[] = {
    {"there is no NVIDIA driver",
     "with an NVIDIA GPU: install its driver; --device emulator needs none"},
    {"the NVIDIA driver lacks", "install a newer NVIDIA driver, for CUDA 12 or later"},
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

/* Opens the GPU that runs what this program compiles and, where NVRTC is there, runs an empty
 * kernel. */
static void look_for_gpu(tess_finding *finding) {
    const tess_device *device = NULL;
    tess_target *target = NULL;
    finding->is_there = true;
    if (tess_device_open("cuda", &device, &target) != TESS_OK || describe(finding) != TESS_OK ||
        (tess_nvrtc_version() > 0 && try_kernel(device, target) != TESS_OK))
        is_broken(finding);
    if (target)
        device->close(target);
}

/* Why counters of the hardware may be forbidden to this user; "" where they are not. */
static const char *counters_forbidden(void) {
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

static void look_for_ncu(tess_finding *finding) {
    look_for_program(finding,
                     "\"${NCU:-$(command -v ncu || echo /usr/local/cuda/bin/ncu)}\" --version "
                     "2>/dev/null | grep -m 1 Version",
                     "install Nsight Compute, or set NCU to the path of its ncu");
    const char *forbidden = counters_forbidden();
    if (finding->is_there && *forbidden)
        is_missing(finding, "ncu is there, but this user may not read counters", forbidden);
}

/* The worker, and which libraries of partitioners are linked into it. */
static void look_for_worker(tess_finding *finding) {
    char path[PATH_MAX];
    if (tess_worker_path(path) != TESS_OK) {
        is_missing(finding, "tess-worker is not beside this program",
                   "build it (target tess-worker) or name it with TESS_WORKER");
        return;
    }
    static const char *const libraries[] = {"metis", "scotch", NULL};
    finding->is_there = true;
    for (int i = 0; libraries[i]; i++) {
        const tess_partitioner *partitioner = NULL;
        const bool has = tess_partitioner_find(libraries[i], &partitioner) == TESS_OK &&
                         (!partitioner->check || partitioner->check() == TESS_OK);
        const size_t used = strlen(finding->found);
        snprintf(finding->found + used, sizeof finding->found - used, "%s%s%s", i ? ", " : "",
                 has ? "" : "no ", libraries[i]);
        if (has)
            continue;
        const char *advice = strstr(tess_message(), "apt-get");
        finding->is_there = false;
        snprintf(finding->fix, sizeof finding->fix, "%s", advice ? advice : tess_message());
    }
}

/* Python modules, separated by spaces, with their versions. */
static void look_for_modules(tess_finding *finding, const char *modules, const char *fix) {
    static const char script[] =
        "import importlib.metadata, importlib.util, sys\n"
        "def version(name):\n"
        "    try:\n"
        "        return importlib.metadata.version(name)\n"
        "    except importlib.metadata.PackageNotFoundError:\n" /* Debian's h5py */
        "        return __import__(name).__version__\n"
        "lacking = [name for name in sys.argv[1:] if not importlib.util.find_spec(name)]\n"
        "print(sys.executable + \":\", \", \".join(\n"
        "    f\"no {name}\" if name in lacking else f\"{name} {version(name)}\" for name in "
        "sys.argv[1:]))\n"
        "sys.exit(len(lacking))\n";
    char python[PATH_MAX], command[PATH_MAX + sizeof script + 256];
    if (tess_python_path(python) != TESS_OK) {
        is_missing(finding, tess_message(), "apt-get install python3");
        return;
    }
    snprintf(command, sizeof command, "'%s' -c '%s' %s 2>/dev/null", python, script, modules);
    finding->is_there = first_line(command, finding->found);
    if (!finding->found[0])
        snprintf(finding->found, sizeof finding->found, "%.200s does not answer", python);
    if (!finding->is_there)
        snprintf(finding->fix, sizeof finding->fix, "%s", fix);
}

static void look_for_display(tess_finding *finding) {
    finding->is_there = tess_display_is_there();
    snprintf(finding->found, sizeof finding->found, "X server %.64s",
             getenv("DISPLAY") ? getenv("DISPLAY") : "");
    if (finding->is_there)
        return;
    look_for_program(finding, "command -v Xvfb 2>/dev/null", "apt-get install xvfb xauth");
}

/* The way in which partitions in the making would be shown. */
static void look_for_in_situ(tess_finding *finding) {
    for (int i = 0; tess_viz_kind_at(i); i++) {
        const tess_viz_kind *kind = tess_viz_kind_at(i);
        if (!kind->runs_scripts || kind->probe() != TESS_OK)
            continue;
        finding->is_there = true;
        snprintf(finding->found, sizeof finding->found, "%s", kind->name);
        return;
    }
    is_missing(finding, "no library that runs Catalyst scripts",
               "apt-get install --no-install-recommends paraview-dev python3-paraview and build "
               "again");
}

static void look_at_hdf5(tess_finding *finding) {
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    finding->is_there = major == H5_VERS_MAJOR && minor == H5_VERS_MINOR;
    snprintf(finding->found, sizeof finding->found, "HDF5 %u.%u.%u", major, minor, release);
    if (!finding->is_there)
        snprintf(finding->fix, sizeof finding->fix, "build again: it was built with HDF5 %d.%d.%d",
                 H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE);
}

static void look_for_paraview(tess_finding *finding) {
    look_for_program(finding, "command -v paraview 2>/dev/null",
                     "apt-get install --no-install-recommends paraview");
}

static void look_for_pvpython(tess_finding *finding) {
    look_for_program(finding, "pvpython --version 2>/dev/null",
                     "apt-get install --no-install-recommends python3-paraview");
}

static const char install_mpi[] = "apt-get install openmpi-bin, or mpich";

static void look_for_mpi(tess_finding *finding) {
    tess_mpi_library mpi;
    finding->is_there = tess_mpi_library_open_of(NULL, &mpi) == TESS_OK;
    if (finding->is_there)
        tess_mpi_library_name(&mpi, finding->found);
    else
        is_missing(finding, "no MPI library", install_mpi);
}

/* The launcher starts ranks that open a library of its own family. */
static void look_for_mpiexec(tess_finding *finding) {
    tess_mpi_library mpi;
    look_for_program(finding, "mpiexec --version 2>/dev/null", install_mpi);
    if (!finding->is_there)
        return;
    const char *family = strstr(finding->found, "Open") ? "Open MPI" : "MPICH";
    const bool opened = tess_mpi_library_open_of(family, &mpi) == TESS_OK;
    if (opened && strcmp(mpi.family, family) == 0)
        return;
    char words[TESS_FINDING_SIZE];
    snprintf(words, sizeof words, "%.100s, which is of %s, but the library is %s%.60s",
             finding->found, family, opened ? "" : "missing", opened ? mpi.name : "");
    is_missing(finding, words,
               "take the mpiexec of the library's family (mpiexec.openmpi, mpiexec.mpich), or name "
               "a library of the launcher's in TESS_MPI");
}

static void look_for_nccl(tess_finding *finding) {
    tess_nccl_library nccl;
    finding->is_there = tess_nccl_library_open(&nccl) == TESS_OK;
    if (finding->is_there)
        snprintf(finding->found, sizeof finding->found, "NCCL %d.%d.%d", nccl.major, nccl.minor,
                 nccl.patch);
    else
        is_missing(finding, strstr(tess_message(), "no NCCL") ? "no libnccl.so.2" : tess_message(),
                   "pip install nvidia-nccl-cu12, or name libnccl.so.2 in TESS_NCCL");
}

static void look_for_notebooks(tess_finding *finding) {
    look_for_modules(finding, "h5py numpy pandas matplotlib",
                     "apt-get install python3-h5py python3-numpy python3-pandas "
                     "python3-matplotlib");
}

#define PIP_INSTALL(package)                                                                       \
    "python3 -m venv tess-python && tess-python/bin/pip install " package                          \
    " && export TESS_PYTHON=$PWD/tess-python"

static void look_for_mtkahypar(tess_finding *finding) {
    look_for_modules(finding, "mtkahypar", PIP_INSTALL(TESS_MTKAHYPAR_PACKAGE));
}

static void look_for_kaminpar(tess_finding *finding) {
    look_for_modules(finding, "kaminpar", PIP_INSTALL(TESS_KAMINPAR_PACKAGE));
}

static void look_for_peers(tess_finding *finding) {
    look_for_modules(
        finding, "pycparser numpy torch jax cupy warp",
        PIP_INSTALL("pycparser torch jax cupy-cuda13x warp-lang, those that you want"));
}

/* Libraries with which peers are compiled: the folders that variables name. */
static void look_for_libraries(tess_finding *finding) {
    static const char *const variables[] = {"KOKKOS_ROOT", "OP2_ROOT", "LIBCEED_ROOT", "MFEM_ROOT"};
    size_t said = 0;
    finding->is_there = true;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *path = getenv(variables[i]);
        const bool is_there = path && access(path, R_OK | X_OK) == 0;
        finding->is_there &= is_there;
        if (said < sizeof finding->found)
            said += (size_t)snprintf(finding->found + said, sizeof finding->found - said,
                                     "%s%s%s%s%.60s", said ? ", " : "", is_there ? "" : "no ",
                                     variables[i], is_there ? " " : "", is_there ? path : "");
    }
    if (!finding->is_there)
        snprintf(finding->fix, sizeof finding->fix,
                 "build those that you want and export where they are: docs/results/arena.md");
}

/* The program that opens PT-SCOTCH says its version, or why it cannot be opened. */
static void look_for_ptscotch(tess_finding *finding) {
    char path[PATH_MAX], command[PATH_MAX + 32];
    if (tess_ptscotch_path(path) != TESS_OK) {
        is_missing(finding, "tess-ptscotch is not beside this program",
                   "build it (target tess-ptscotch)");
        return;
    }
    snprintf(command, sizeof command, "'%s' --version 2>/dev/null", path);
    finding->is_there = first_line(command, finding->found);
    if (!finding->is_there)
        snprintf(finding->fix, sizeof finding->fix,
                 "apt-get install libptscotch-dev openmpi-bin, or name the library in "
                 "TESS_PTSCOTCH");
}

#define SITE_INSTALL(package)                                                                      \
    "python3 -m venv --system-site-packages tess-python && tess-python/bin/pip install "           \
    "--no-deps " package " && export TESS_PYTHON=$PWD/tess-python"

static void look_for_viewer(tess_finding *finding) {
    look_for_modules(finding, "trame_vtk", SITE_INSTALL("trame-vtk==2.11.17"));
}

static void look_for_charts(tess_finding *finding) {
    look_for_modules(finding, "plotly", SITE_INSTALL("plotly==7.1.0"));
}

static const struct {
    tess_finding blank;
    void (*look)(tess_finding *finding); /* NULL: look_at_lab */
} inquiries[] = {
    {{.name = "machine", .use = "everything"}, look_at_machine},
    {{.name = "lab", .use = "the archive of runs", .essential = true}, NULL},
    {{.name = "HDF5", .use = "every file of the lab", .essential = true}, look_at_hdf5},
    {{.name = "C compiler", .use = "devices host and emulator", .essential = true},
     look_for_compiler},
    {{.name = "worker", .use = "partitioners metis and scotch", .essential = true},
     look_for_worker},
    {{.name = "NVRTC", .use = "devices cuda and nvrtc"}, look_for_nvrtc},
    {{.name = "GPU", .use = "device cuda"}, look_for_gpu},
    {{.name = "ncu", .use = "counters of the GPU: --counters"}, look_for_ncu},
    {{.name = "MPI", .use = "many ranks: --engine mpi and nccl"}, look_for_mpi},
    {{.name = "mpiexec", .use = "starting ranks"}, look_for_mpiexec},
    {{.name = "NCCL", .use = "ranks on GPUs: --engine nccl"}, look_for_nccl},
    {{.name = "ParaView", .use = "the window of tess view"}, look_for_paraview},
    {{.name = "pvpython", .use = "pictures: tess view --png"}, look_for_pvpython},
    {{.name = "display", .use = "pictures and scripts of ParaView"}, look_for_display},
    {{.name = "in situ", .use = "--catalyst"}, look_for_in_situ},
    {{.name = "Python", .use = "notebooks, plots in files, pages"}, look_for_notebooks},
    {{.name = "vtk.js", .use = "blocks in 3D in pages"}, look_for_viewer},
    {{.name = "Plotly", .use = "charts in pages that name runs"}, look_for_charts},
    {{.name = "mtkahypar", .use = "partitioner mtkahypar"}, look_for_mtkahypar},
    {{.name = "kaminpar", .use = "partitioner kaminpar"}, look_for_kaminpar},
    {{.name = "PT-SCOTCH", .use = "partitioner ptscotch"}, look_for_ptscotch},
    {{.name = "peers", .use = "strategies peer:numpy, peer:torch ..."}, look_for_peers},
    {{.name = "libraries", .use = "strategies peer:kokkos, peer:op2 ..."}, look_for_libraries},
};

int tess_machine_look(const char *lab, tess_finding findings[static TESS_MOST_FINDINGS]) {
    const int n = sizeof inquiries / sizeof *inquiries;
    _Static_assert(sizeof inquiries / sizeof *inquiries <= TESS_MOST_FINDINGS, "no room for all");
    tess_progress_begin("looking at this machine");
    for (int i = 0; i < n; i++) {
        findings[i] = inquiries[i].blank;
        tess_progress_set(i, n, NULL);
        if (inquiries[i].look)
            inquiries[i].look(&findings[i]);
        else
            look_at_lab(&findings[i], lab);
    }
    tess_progress_end();
    return n;
}
