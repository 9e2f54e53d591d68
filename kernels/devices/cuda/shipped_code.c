/* Shipped code: pages that were compiled for GPUs when this program was built. */
#include "kernels/devices/cuda/shipped_code.h"

#include "core/base/array.h"
#include "core/base/own_file.h"
#include "core/base/whole_file.h"
#include "kernels/devices/disk_cache.h"
#include "kernels/devices/simt_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A line of the file. */
typedef struct entry {
    char key[TESS_CACHE_KEY], digest[TESS_CACHE_KEY];
    int cuda;
    long size;
} entry;

static void make_key(const char *page, int capability, char key[TESS_CACHE_KEY]) {
    char architecture[32];
    snprintf(architecture, sizeof architecture, "sm_%d", capability);
    tess_cache_key((const char *const[]){architecture, tess_simt_text, page, NULL}, key);
}

/* A folder that belongs to nobody but root, us, or whoever put this program where it is. */
static bool is_ours(const char *folder, const struct stat *about_program) {
    struct stat about;
    return stat(folder, &about) == 0 && (about.st_uid == 0 || about.st_uid == geteuid() ||
                                         about.st_uid == about_program->st_uid);
}

/* Finds the folder: bin/ and lib/ are beside share/, or lib/x86_64-linux-gnu/ below; the library of
 * a build is beside it, too. */
static bool find_folder(char folder[PATH_MAX]) {
    static const char *const places[] = {"../share", "../../share", "share"};
    const char *stated = getenv("TESS_GPU_CODE");
    char program[PATH_MAX];
    struct stat about_program;
    if (stated && *stated)
        return snprintf(folder, PATH_MAX, "%s", stated) < PATH_MAX;
    tess_own_code_folder(program);
    if (stat(program, &about_program) != 0)
        return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (snprintf(folder, PATH_MAX, "%s/%s/tesselab/gpu", program, places[i]) < PATH_MAX &&
            is_ours(folder, &about_program))
            return true;
    return false;
}

static FILE *open_code(const char *folder, int capability) {
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s/sm_%d.code", folder, capability) < PATH_MAX
               ? fopen(path, "rb")
               : NULL;
}

/* Finds the line of a key, and goes to the code that it tells of. */
static bool find_entry(FILE *file, const char *key, entry *out) {
    char line[2 * TESS_CACHE_KEY + 64];
    struct stat about;
    entry one;
    long before = 0, of_key = -1;
    if (fstat(fileno(file), &about) != 0)
        return false;
    while (fgets(line, sizeof line, file) &&
           sscanf(line, "%32s %32s %d %ld", one.key, one.digest, &one.cuda, &one.size) == 4) {
        if (one.size <= 0 || one.size > about.st_size - before)
            return false;
        if (strcmp(one.key, key) == 0) {
            of_key = before;
            *out = one;
        }
        before += one.size;
    }
    return of_key >= 0 && fseek(file, of_key, SEEK_CUR) == 0;
}

/* Takes the code of a page out of a file, or sees whether it is there (NULL). */
static bool take(FILE *file, const char *key, int driver, tess_cubin *out) {
    entry found;
    char digest[TESS_CACHE_KEY];
    if (!find_entry(file, key, &found) || driver / 1000 < found.cuda / 1000)
        return false;
    if (!out)
        return true;
    if (TESS_ALLOC(found.size, &out->code) != TESS_OK)
        return false;
    out->size = fread(out->code, 1, (size_t)found.size, file);
    tess_cache_digest(out->code, out->size, digest);
    if (strcmp(digest, found.digest) == 0)
        return true;
    tess_cubin_clear(out);
    return false;
}

bool tess_shipped_code_find(const char *page, int capability, int driver, tess_cubin *out) {
    char folder[PATH_MAX], key[TESS_CACHE_KEY];
    bool found = false;
    if (out)
        *out = (tess_cubin){.code = NULL};
    if (!find_folder(folder))
        return false;
    for (int of = capability; of >= capability / 10 * 10 && !found; of--) {
        FILE *file = open_code(folder, of);
        if (!file)
            continue;
        make_key(page, of, key);
        found = take(file, key, driver, out);
        fclose(file);
    }
    return found;
}

static void write_all(FILE *stream, int capability, char *const *pages, const tess_cubin *cubins,
                      int n) {
    const int cuda = tess_nvrtc_version();
    for (int i = 0; i < n; i++) {
        entry one;
        make_key(pages[i], capability, one.key);
        tess_cache_digest(cubins[i].code, cubins[i].size, one.digest);
        fprintf(stream, "%s %s %d %zu\n", one.key, one.digest, cuda, cubins[i].size);
    }
    fputs("\n", stream);
    for (int i = 0; i < n; i++)
        fwrite(cubins[i].code, 1, cubins[i].size, stream);
}

tess_status tess_shipped_code_write(const char *path, int capability, char *const *pages, int n) {
    tess_status status = TESS_OK;
    tess_whole_file file = {.is_remade = true};
    tess_cubin *cubins = NULL;
    CHECK(tess_whole_file_write(path, "", 0));
    CHECK(TESS_ZEROS(n, &cubins));
    for (int i = 0; i < n; i++)
        CHECK(tess_nvrtc_compile(pages[i], capability, NULL, &cubins[i]));
    CHECK(tess_whole_file_open(path, &file));
    write_all(file.stream, capability, pages, cubins, n);
    CHECK(tess_whole_file_keep(&file));
done:
    tess_whole_file_release(&file);
    for (int i = 0; cubins && i < n; i++)
        tess_cubin_clear(&cubins[i]);
    free(cubins);
    return status;
}
