/* The disk cache: files named by the content they were made from. */
#include "kernels/devices/disk_cache.h"

#include "core/base/array.h"
#include "core/base/folder.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* Fails where somebody else, who is not root, may put files for us to execute. */
static tess_status check_owner(const char *path) {
    struct stat about;
    if (stat(path, &about) != 0)
        FAIL(TESS_ERROR_IO, "%s: %s", path, strerror(errno));
    if ((about.st_uid != geteuid() && about.st_uid != 0) || (about.st_mode & S_IWOTH))
        FAIL(TESS_ERROR_IO,
             "%s is not yours alone, and what lies there would be executed: make it so (chown, "
             "chmod o-w)",
             path);
    return TESS_OK;
}

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value && value[0] ? value : NULL;
}

/* The path where variables say that it is; NULL where none does or there is no memory. */
static char *path_of_variables(const char *kind) {
    static const char *const folders[][2] = {
        {"TESS_CACHE", ""}, {"XDG_CACHE_HOME", "/tesselab"}, {"HOME", "/.cache/tesselab"}};
    char *path = NULL;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (variable(folders[i][0]))
            return asprintf(&path, "%s%s/%s", variable(folders[i][0]), folders[i][1], kind) < 0
                       ? NULL
                       : path;
    return NULL;
}

static char *temporary_path(const char *kind) {
    const char *tmp = variable("TMPDIR");
    char *path = NULL;
    return asprintf(&path, "%s/tesselab-%u-%s", tmp ? tmp : "/tmp", (unsigned)geteuid(), kind) < 0
               ? NULL
               : path;
}

static tess_status make_own(const char *path) {
    if (!path)
        FAIL(TESS_ERROR_MEMORY, "out of memory: a path");
    TRY(tess_folders_make(path, false));
    return check_owner(path);
}

static atomic_bool is_temporary; /* HOME did not do */

tess_status tess_cache_directory(const char *kind, char **out) {
    const bool chosen = variable("TESS_CACHE") || variable("XDG_CACHE_HOME");
    char *path = path_of_variables(kind);
    tess_status status = path || chosen ? make_own(path) : TESS_ERROR_MISSING;
    if (status != TESS_OK && !chosen) {
        free(path);
        path = temporary_path(kind);
        status = make_own(path);
        atomic_store(&is_temporary, status == TESS_OK);
    }
    if (status != TESS_OK) {
        free(path);
        return tess_fail_at(status, "the cache (set TESS_CACHE to another place)");
    }
    *out = path;
    return TESS_OK;
}

bool tess_cache_is_temporary(void) {
    return atomic_load(&is_temporary);
}

static void print_hash(XXH128_hash_t hash, char text[TESS_CACHE_KEY]) {
    snprintf(text, TESS_CACHE_KEY, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}

void tess_cache_digest(const void *bytes, size_t size, char digest[TESS_CACHE_KEY]) {
    print_hash(XXH3_128bits(bytes, size), digest);
}

void tess_cache_key(const char *const *texts, char key[TESS_CACHE_KEY]) {
    XXH3_state_t *state = XXH3_createState();
    XXH3_128bits_reset(state);
    for (int i = 0; texts[i]; i++)
        XXH3_128bits_update(state, texts[i], strlen(texts[i]) + 1);
    print_hash(XXH3_128bits_digest(state), key);
    XXH3_freeState(state);
}

tess_status tess_cache_read(const char *path, char **out, size_t *size) {
    tess_status status = TESS_OK;
    char *content = NULL;
    *out = NULL;
    FILE *file = fopen(path, "rb");
    if (!file)
        return TESS_OK;
    struct stat about;
    if (fstat(fileno(file), &about) != 0)
        CHECK(tess_fail(TESS_ERROR_IO, "%s: %s", path, strerror(errno)));
    CHECK(TESS_ALLOC(about.st_size + 1, &content));
    *size = fread(content, 1, (size_t)about.st_size, file);
    if (*size != (size_t)about.st_size)
        CHECK(tess_fail(TESS_ERROR_IO, "%s cannot be read", path));
    content[*size] = '\0';
    *out = TESS_TAKE(content);
done:
    fclose(file);
    free(content);
    return status;
}
