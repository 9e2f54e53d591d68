/* The whole content of a file, decompressed, in memory, with its name for messages. */
#include "data/formats/file_text.h"

#include "core/base/array.h"
#include "core/base/input_file.h"
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_GROWTH = 1000 }; /* of a compressed file, so that a bomb stays small */

enum { LARGE = 1 << 20 }; /* bytes of a file that is mapped */

static size_t page_size(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Bytes of a mapping that has a zero behind the end of the file. */
static size_t mapping_length(int64_t size) {
    return ((size_t)size / page_size() + 1) * page_size();
}

void tess_file_pages_pass(const char *from, const char *to) {
    const uintptr_t page = page_size();
    const uintptr_t first = ((uintptr_t)from + page - 1) / page * page;
    const uintptr_t last = (uintptr_t)to / page * page;
    if (first < last)
        madvise((char *)from + (first - (uintptr_t)from), last - first, MADV_DONTNEED);
}

bool tess_file_text_holds(const tess_file_text *text, const char *word) {
    enum { STEP = 1 << 20 };
    const int64_t length = (int64_t)strlen(word);
    bool found = false;
    for (int64_t at = 0; at + length <= text->size && !found; at += STEP) {
        const int64_t left = text->size - at, n = left < STEP + length ? left : STEP + length;
        found = memmem(text->content + at, (size_t)n, word, (size_t)length) != NULL;
        if (text->mapped)
            tess_file_pages_pass(text->content + at, text->content + at + n);
    }
    return found;
}

/* Maps the file over zeros; false where it cannot be mapped. */
static bool map_content(int fd, int64_t size, tess_file_text *file) {
    const int access = PROT_READ | PROT_WRITE;
    char *zeros = mmap(NULL, mapping_length(size), access,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (zeros == MAP_FAILED)
        return false;
    if (mmap(zeros, (size_t)size, access, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd, 0) ==
        MAP_FAILED) {
        munmap(zeros, mapping_length(size));
        return false;
    }
    madvise(zeros, (size_t)size, MADV_SEQUENTIAL);
    file->content = zeros;
    file->size = size;
    file->mapped = true;
    return true;
}

static void free_content(tess_file_text *file) {
    if (file->mapped)
        munmap(file->content, mapping_length(file->size));
    else
        free(file->content);
    file->content = NULL;
}

/* Reads up to `size` bytes; a file that shrinks meanwhile gives fewer. */
static tess_status read_plain(const char *path, int fd, int64_t size, tess_file_text *file) {
    if (size >= LARGE && map_content(fd, size, file))
        return TESS_OK;
    TRY(TESS_ALLOC(size + 1, &file->content));
    while (file->size < size) {
        const ssize_t got = read(fd, file->content + file->size, (size_t)(size - file->size));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            FAIL(TESS_ERROR_IO, "%s: reading failed at byte %lld: %s", path, (long long)file->size,
                 strerror(errno));
        if (got == 0)
            break;
        file->size += got;
    }
    file->content[file->size] = '\0';
    return TESS_OK;
}

static bool is_compressed(const tess_file_text *file) {
    static const struct {
        const char *bytes;
        size_t length;
    } magics[] = {{"\xFD"
                   "7zXZ",
                   6},
                  {"\x1F\x8B", 2},
                  {"\x28\xB5\x2F\xFD", 4},
                  {"BZh", 3}};
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++)
        if (file->size >= (int64_t)magics[i].length &&
            memcmp(file->content, magics[i].bytes, magics[i].length) == 0)
            return true;
    return false;
}

/* Appends all of an open archive's single member to `plain`. */
static tess_status inflate(struct archive *archive, const tess_file_text *packed,
                           tess_file_text *plain) {
    const int64_t limit = packed->size * LARGEST_GROWTH;
    int64_t capacity = 0;
    for (;;) {
        if (plain->size > limit)
            FAIL(TESS_ERROR_INPUT, "%s: decompresses to more than %d times its size; refused",
                 packed->path, LARGEST_GROWTH);
        if (plain->size + 1 >= capacity)
            TRY(TESS_RESERVE(capacity ? 2 * capacity : 4 * packed->size + 4096, &capacity,
                             &plain->content));
        const la_ssize_t got = archive_read_data(archive, plain->content + plain->size,
                                                 (size_t)(capacity - plain->size - 1));
        if (got < 0)
            FAIL(TESS_ERROR_INPUT, "%s: decompression failed after %lld bytes: %s", packed->path,
                 (long long)plain->size, archive_error_string(archive));
        if (got == 0)
            break;
        plain->size += got;
    }
    plain->content[plain->size] = '\0';
    return TESS_OK;
}

/* Replaces the compressed content of *file by what it holds. */
static tess_status decompress(tess_file_text *file) {
    tess_status status = TESS_OK;
    tess_file_text plain = {.path = file->path, .packed = true};
    struct archive_entry *member = NULL;
    struct archive *archive = archive_read_new();
    if (!archive)
        CHECK(tess_fail(TESS_ERROR_MEMORY, "out of memory"));
    archive_read_support_filter_xz(archive);
    archive_read_support_filter_gzip(archive);
    archive_read_support_filter_zstd(archive);
    archive_read_support_filter_bzip2(archive);
    archive_read_support_format_raw(archive);
    archive_read_support_format_empty(archive);
    int rc = archive_read_open_memory(archive, file->content, (size_t)file->size);
    if (rc == ARCHIVE_OK)
        rc = archive_read_next_header(archive, &member);
    if (rc != ARCHIVE_OK && rc != ARCHIVE_EOF)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s: decompression failed: %s", file->path,
                        archive_error_string(archive)));
    if (rc == ARCHIVE_OK)
        CHECK(inflate(archive, file, &plain));
    else
        CHECK(TESS_ZEROS(1, &plain.content));
    free_content(file);
    *file = plain;
    plain.content = NULL;
done:
    free(plain.content);
    archive_read_free(archive);
    return status;
}

tess_status tess_file_text_read(const char *path, tess_file_text **out) {
    tess_status status = TESS_OK;
    tess_file_text *file = NULL;
    int fd = -1;
    int64_t size = 0;
    CHECK(tess_input_open(path, &fd, &size));
    CHECK(TESS_ZEROS(1, &file));
    CHECK(tess_text_copy(path, &file->path));
    CHECK(read_plain(path, fd, size, file));
    if (is_compressed(file))
        CHECK(decompress(file));
    *out = TESS_TAKE(file);
done:
    if (fd >= 0)
        close(fd);
    tess_file_text_free(file);
    return status;
}

static const char *const packed_endings[] = {"", ".xz", ".gz", ".zst", ".bz2"};
enum { N_PACKED_ENDINGS = sizeof packed_endings / sizeof packed_endings[0] };

size_t tess_path_length_unpacked(const char *path) {
    for (size_t i = 1; i < N_PACKED_ENDINGS; i++)
        if (tess_text_ends(path, packed_endings[i]))
            return strlen(path) - strlen(packed_endings[i]);
    return strlen(path);
}

/* Gives the path of the file `name` beside another as it exists, or uncompressed where none does.
 */
static tess_status find_beside(const char *beside, const char *name, char **path, bool *exists) {
    const char *slash = name[0] == '/' ? NULL : strrchr(beside, '/');
    const int folder = slash ? (int)(slash + 1 - beside) : 0;
    *exists = false;
    for (size_t i = 0; i < N_PACKED_ENDINGS && !*exists; i++) {
        struct stat about;
        free(*path);
        *path = NULL;
        TRY(tess_text_print(path, "%.*s%s%s", folder, beside, name, packed_endings[i]));
        *exists = stat(*path, &about) == 0;
    }
    if (!*exists)
        (*path)[tess_path_length_unpacked(*path)] = '\0';
    return TESS_OK;
}

tess_status tess_file_text_read_beside(const char *beside, const char *name, tess_file_text **out) {
    tess_status status = TESS_OK;
    char *path = NULL;
    bool exists = false;
    CHECK(find_beside(beside, name, &path, &exists));
    CHECK(tess_file_text_read(path, out));
done:
    free(path);
    return status;
}

bool tess_file_text_is_beside(const char *beside, const char *name) {
    char *path = NULL;
    bool exists = false;
    const tess_status status = find_beside(beside, name, &path, &exists);
    free(path);
    return status == TESS_OK && exists;
}

void tess_file_text_free(tess_file_text *file) {
    if (!file)
        return;
    free(file->path);
    free_content(file);
    free(file);
}
