/* An array: memory for n elements, its size checked for overflow before it is asked for. */
#pragma once

#include "core/base/status.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Gives through *out an array of `n` elements of `element_size` bytes, uninitialised (`alloc`) or
 * zeroed (`zeros`), that the caller frees with free(). n = 0 gives a valid pointer, too.
 * Fails with TESS_ERROR_MEMORY (how much was asked for is in the message). */
TESS_MUST_CHECK tess_status tess_array_alloc(int64_t n, size_t element_size, void **out);
TESS_MUST_CHECK tess_status tess_array_zeros(int64_t n, size_t element_size, void **out);

/* Gives a copy of the first `n` elements of `from`, in the same way. */
TESS_MUST_CHECK tess_status tess_array_copy(int64_t n, size_t element_size, const void *from,
                                            void **out);

/* Copies memory that does not overlap, much of it by all threads. */
void tess_memory_copy(void *to, const void *from, size_t bytes);

/* Grows *array, which has room for *capacity elements, to room for at least `n`, at least doubling
 * it; contents are kept. On failure *array is as it was and still the caller's. */
TESS_MUST_CHECK tess_status tess_array_reserve(int64_t n, size_t element_size, int64_t *capacity,
                                               void **array);

/* Gives a copy of `text`, or a text as printf makes it, that the caller frees. */
TESS_MUST_CHECK tess_status tess_text_copy(const char *text, char **out);
TESS_MUST_CHECK tess_status tess_text_print(char **out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
TESS_MUST_CHECK tess_status tess_text_print_list(char **out, const char *format, va_list args);

/* Whether a text ends with `ending` and has more before it. */
bool tess_text_ends(const char *text, const char *ending);

/* Bytes of the first lines of a text that are at most `most` together, without the last line's end;
 * of a longer first line, `most`. */
int tess_text_first_lines(const char *text, int most);

/* Takes a pointer from a variable, which is NULL then: what is given away is not freed at `done:`.
 */
void *tess_pointer_take(void *variable);
#define TESS_TAKE(variable) ((__typeof__(variable))tess_pointer_take(&(variable)))

/* Arrays with the element type taken from the pointer: int32_t *a; TESS_ALLOC(n, &a). */
#define TESS_ALLOC(n, out) tess_array_alloc((n), sizeof **(out), (void **)(out))
#define TESS_ZEROS(n, out) tess_array_zeros((n), sizeof **(out), (void **)(out))
#define TESS_COPY(n, from, out) /* `from` has elements of the same type */                         \
    tess_array_copy((n), sizeof **(out), 1 ? (from) : *(out), (void **)(out))
#define TESS_RESERVE(n, capacity, array)                                                           \
    tess_array_reserve((n), sizeof **(array), (capacity), (void **)(array))
