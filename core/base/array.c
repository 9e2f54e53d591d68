/* An array: memory for n elements, its size checked for overflow before it is asked for. */
#include "core/base/array.h"

#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static tess_status size_in_bytes(int64_t n, size_t element_size, size_t *bytes) {
    if (n < 0 || __builtin_mul_overflow((size_t)n, element_size, bytes) ||
        *bytes > (size_t)PTRDIFF_MAX)
        FAIL(TESS_ERROR_MEMORY, "an array of %lld elements of %zu bytes does not fit any machine",
             (long long)n, element_size);
    return TESS_OK;
}

static tess_status out_of_memory(size_t bytes) {
    FAIL(TESS_ERROR_MEMORY, "out of memory: %.1f MB more are needed", (double)bytes / 1e6);
}

enum { LARGE = 1 << 21, WORTH_IT = 4 * LARGE }; /* a page; what threads are worth */

/* Asks for large pages, so that a large array costs few page faults. */
static void *in_large_pages(void *memory, size_t bytes) {
    if (!memory || bytes < LARGE)
        return memory;
    char *first = (char *)memory + (LARGE - (uintptr_t)memory % LARGE) % LARGE;
    const size_t whole = (bytes - (size_t)(first - (char *)memory)) / LARGE * LARGE;
    madvise(first, whole, MADV_HUGEPAGE); /* where the system has none it is as before */
    return memory;
}

tess_status tess_array_alloc(int64_t n, size_t element_size, void **out) {
    size_t bytes = 0;
    TRY(size_in_bytes(n, element_size, &bytes));
    *out = in_large_pages(malloc(bytes ? bytes : 1), bytes);
    return *out ? TESS_OK : out_of_memory(bytes);
}

tess_status tess_array_zeros(int64_t n, size_t element_size, void **out) {
    size_t bytes = 0;
    TRY(size_in_bytes(n, element_size, &bytes));
    *out = in_large_pages(calloc(bytes ? bytes : 1, 1), bytes);
    return *out ? TESS_OK : out_of_memory(bytes);
}

void tess_memory_copy(void *to, const void *from, size_t bytes) {
    if (bytes == 0) /* where either may be NULL */
        return;
    const size_t n = bytes < WORTH_IT ? 1 : (size_t)omp_get_max_threads();
#pragma omp parallel for num_threads((int)n) schedule(static, 1) if (n > 1)
    for (size_t t = 0; t < n; t++) {
        const size_t begin = bytes / n * t, end = t + 1 < n ? bytes / n * (t + 1) : bytes;
        memcpy((char *)to + begin, (const char *)from + begin, end - begin);
    }
}

tess_status tess_array_copy(int64_t n, size_t element_size, const void *from, void **out) {
    TRY(tess_array_alloc(n, element_size, out));
    if (n > 0)
        tess_memory_copy(*out, from, (size_t)n * element_size);
    return TESS_OK;
}

tess_status tess_array_reserve(int64_t n, size_t element_size, int64_t *capacity, void **array) {
    if (n <= *capacity)
        return TESS_OK;
    const int64_t wanted = n > 2 * *capacity ? n : 2 * *capacity;
    size_t bytes = 0;
    TRY(size_in_bytes(wanted, element_size, &bytes));
    void *grown = realloc(*array, bytes);
    if (!grown)
        return out_of_memory(bytes);
    *array = grown;
    *capacity = wanted;
    return TESS_OK;
}

tess_status tess_text_copy(const char *text, char **out) {
    return TESS_COPY((int64_t)strlen(text) + 1, text, out);
}

tess_status tess_text_print_list(char **out, const char *format, va_list args) {
    char *text = NULL;
    const int length = vasprintf(&text, format, args);
    *out = length < 0 ? NULL : text;
    if (length < 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory for a text");
    return TESS_OK;
}

tess_status tess_text_print(char **out, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const tess_status status = tess_text_print_list(out, format, args);
    va_end(args);
    return status;
}

bool tess_text_ends(const char *text, const char *ending) {
    const size_t length = strlen(text), size = strlen(ending);
    return length > size && strcmp(text + length - size, ending) == 0;
}

int tess_text_first_lines(const char *text, int most) {
    int n = (int)strnlen(text, (size_t)most);
    const char *end = text[n] ? memrchr(text, '\n', (size_t)n + 1) : NULL;
    if (end)
        n = (int)(end - text);
    while (n > 0 && text[n - 1] == '\n')
        n--;
    return n;
}

void *tess_pointer_take(void *variable) {
    void *taken = NULL, *const nothing = NULL;
    memcpy(&taken, variable, sizeof taken);
    memcpy(variable, &nothing, sizeof nothing);
    return taken;
}
