/* The MPI library: its functions, opened at run time. */
#include "kernels/exchange/mpi_library.h"

#include "core/base/library.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By family, the one that started this process first. */
static const char *const open_mpi[] = {"libmpi.so.40", NULL};
static const char *const mpich[] = {"libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi.so.12",
                                    "libmpich.so.12", NULL};

static const char OPEN_MPI[] = "Open MPI", MPICH[] = "MPICH";

static int number_of(const char *variable) {
    const char *value = getenv(variable);
    return value ? atoi(value) : 0;
}

int tess_mpi_launched(const char **family) {
    *family = MPICH;
    if (number_of("OMPI_COMM_WORLD_SIZE") > 0) {
        *family = OPEN_MPI;
        return number_of("OMPI_COMM_WORLD_SIZE");
    }
    if (number_of("PMI_SIZE") > 0)
        return number_of("PMI_SIZE");
    if (getenv("PMIX_RANK"))
        *family = OPEN_MPI;
    return number_of("SLURM_STEP_NUM_TASKS");
}

int tess_mpi_launched_rank(void) {
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                            "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i]))
            return number_of(variables[i]);
    return 0;
}

static mpi_handle symbol_of(const tess_mpi_library *mpi, const char *name) {
    return (mpi_handle)dlsym(mpi->handle, name);
}

/* Whether the library has the standard interface, whose constants are numbers of MPI 5.0. */
static bool is_standard(const tess_mpi_library *mpi) {
    int major = -1, minor = -1;
    int (*ask)(int *, int *) = NULL;
    void *symbol = dlsym(mpi->handle, "MPI_Abi_get_version");
    memcpy(&ask, &symbol, sizeof symbol);
    return ask && ask(&major, &minor) == 0 && major >= 1;
}

/* The constants: symbols in Open MPI, table 20.1 of MPI 5.0 in the standard, mpi.h in MPICH. */
static void find_constants(tess_mpi_library *mpi) {
    mpi->family = dlsym(mpi->handle, "ompi_mpi_comm_world") ? OPEN_MPI : MPICH;
    if (mpi->family == OPEN_MPI) {
        mpi->request_size = sizeof(void *);
        mpi->self = 1; /* mpif.h's */
        mpi->world = symbol_of(mpi, "ompi_mpi_comm_world");
        mpi->byte_type = symbol_of(mpi, "ompi_mpi_byte");
        mpi->double_type = symbol_of(mpi, "ompi_mpi_double");
        mpi->sum = symbol_of(mpi, "ompi_mpi_op_sum");
        mpi->statuses_ignore = NULL;
        mpi->in_place = (void *)(uintptr_t)1;
    } else if (is_standard(mpi)) {
        mpi->request_size = sizeof(void *);
        mpi->self = 0x102;
        mpi->world = 0x101;
        mpi->byte_type = 0x247;
        mpi->double_type = 0x214;
        mpi->sum = 0x21;
        mpi->statuses_ignore = NULL;
        mpi->in_place = (void *)(uintptr_t)1;
    } else {
        mpi->request_size = sizeof(int);
        mpi->self = 0x44000001;
        mpi->world = 0x44000000;
        mpi->byte_type = 0x4c00010d;
        mpi->double_type = 0x4c00080b;
        mpi->sum = 0x58000003;
        mpi->statuses_ignore = (void *)(uintptr_t)1;
        mpi->in_place = (void *)UINTPTR_MAX;
    }
}

static void try_all(const char *const *names, tess_mpi_library *mpi) {
    for (int i = 0; names[i] && !mpi->handle; i++) {
        mpi->handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        snprintf(mpi->name, sizeof mpi->name, "%s", names[i]);
    }
}

void tess_mpi_avoid_displays(void) {
    setenv("HWLOC_COMPONENTS", "-gl", 0);
}

tess_status tess_mpi_library_open_of(const char *family, tess_mpi_library *out) {
    tess_mpi_library mpi = {.handle = NULL};
    tess_mpi_avoid_displays();
    const char *chosen = getenv("TESS_MPI");
    if (chosen && chosen[0])
        try_all((const char *const[]){chosen, NULL}, &mpi);
    else {
        if (!family || strcmp(family, OPEN_MPI) == 0)
            try_all(open_mpi, &mpi);
        if (!family || strcmp(family, MPICH) == 0)
            try_all(mpich, &mpi);
    }
    if (!mpi.handle)
        FAIL(TESS_ERROR_MISSING,
             "there is no MPI library%s%s on this machine: install one (Debian: apt-get install "
             "openmpi-bin, or mpich), or name its file in TESS_MPI",
             family ? " of the launcher's family, " : "", family ? family : "");
#define X(symbol, member, parameters) {#symbol, &mpi.member},
    const tess_library_symbol symbols[] = {TESS_MPI_FUNCTIONS(X)};
#undef X
    TRY(TESS_LIBRARY_FIND(mpi.handle, symbols, mpi.name, "an MPI library"));
    find_constants(&mpi);
    *out = mpi;
    return TESS_OK;
}

tess_status tess_mpi_library_open(tess_mpi_library *out) {
    const char *family = NULL;
    return tess_mpi_library_open_of(tess_mpi_launched(&family) > 0 ? family : NULL, out);
}

void tess_mpi_library_name(const tess_mpi_library *mpi, char line[TESS_MPI_LINE_SIZE]) {
    enum { MOST_LENGTH = 8192 }; /* MPI_MAX_LIBRARY_VERSION_STRING of all of them */
    char text[MOST_LENGTH] = "";
    int length = 0;
    if (mpi->version(text, &length) != 0)
        text[0] = '\0';
    for (char *c = text; *c && *c != '\n'; c++)
        *c = *c == '\t' ? ' ' : *c;
    text[strcspn(text, "\n,")] = '\0';
    snprintf(line, TESS_MPI_LINE_SIZE, "%s: %.100s", mpi->name, text);
}
