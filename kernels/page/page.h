/* A page: the text of one module under construction, and the parameters its kernels get.
 *
 * Printing never fails at once: the first failure (memory) is kept and given by tess_page_finish,
 * so that code which writes text reads like text. */
#ifndef TESS_PAGE_H
#define TESS_PAGE_H

#include "core/base/status.h"
#include <stdint.h>

/* A member of struct params: 8 bytes, a pointer or an int64_t. */
typedef struct tess_param {
    char type[48];
    char name[80];
    uint64_t value;
} tess_param;

typedef struct tess_page {
    char *text;
    int64_t length, capacity;
    int n_params;
    int64_t param_capacity;
    tess_param *params;
    tess_status failure;
} tess_page;

/* Adds formatted words. */
void tess_page_print(tess_page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a text as it is, told to the compiler as lines of `file`. */
void tess_page_include(tess_page *page, const char *file, const char *text);

/* Adds a parameter: its C type, name (in printf's words) and value. */
void tess_page_param(tess_page *page, const char *type, uint64_t value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Prints struct params. */
void tess_page_print_params(tess_page *page);

/* The first failure, if there was one. */
TESS_MUST_CHECK tess_status tess_page_finish(const tess_page *page);

/* Frees what the page owns. */
void tess_page_clear(tess_page *page);

#endif
