/* A page: the text of one module under construction, the arrays and parameters that its kernels
 * get, and their launches.
 *
 * Strategies and tables add to a page; the glue (kernels/page/glue.h) then completes its text.
 * Printing never fails at once: see kernels/text/writer.h. */
#ifndef TESS_PAGE_H
#define TESS_PAGE_H

#include "core/plan/plan.h"
#include "kernels/applications/application.h"
#include "kernels/applications/store.h"
#include "kernels/text/writer.h"

/* A member of struct params: 8 bytes, a pointer or an int64_t. */
typedef struct tess_param {
    char type[48];
    char name[80];
    uint64_t value;
} tess_param;

typedef struct tess_page {
    /* what is executed, where and how; all outlive the page */
    const tess_kernel *kernel;
    const tess_bound_loop *bound;
    const tess_plan *plan;
    tess_store *store;
    const char *strategy; /* its name */
    int threads;          /* a block */
    bool one_thread;      /* a block is one thread of the host */
    /* what comes of it */
    tess_writer text;
    int n_params, n_arrays, n_launches;
    int64_t param_capacity, array_capacity, launch_capacity;
    tess_param *params;
    tess_address *arrays; /* owned device memory */
    int64_t array_bytes;  /* of all of them */
    tess_launch *launches;
    tess_status failure; /* of a parameter */
    /* parts of the plan that the glue's functions go through */
    int staged_more; /* places that a block may leave empty among those it stages */
    bool has_index, has_local, has_rounds, has_entries, has_slots, has_own_reads;
    bool independent_ends; /* of an element: what is read of the set that blocks own is not staged
                            */
} tess_page;

/* Adds formatted words. */
void tess_page_print(tess_page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a text as it is, told to the compiler as lines of `file`. */
void tess_page_include(tess_page *page, const char *file, const char *text);

/* Adds a parameter: its C type, name (in printf's words) and value. */
void tess_page_param(tess_page *page, const char *type, uint64_t value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Puts an array on the device and makes it a parameter, named in printf's words. */
TESS_MUST_CHECK tess_status tess_page_array(tess_page *page, const char *type, const void *values,
                                            int64_t bytes, const char *name, ...)
    __attribute__((format(printf, 5, 6)));

/* Adds a launch to those that run the loop, in order. */
TESS_MUST_CHECK tess_status tess_page_launch(tess_page *page, const tess_launch *launch);

/* Points of a target that a block stages at most, rounded up to whole words of any type. */
int64_t tess_page_staged(const tess_page *page, int reach);

/* Where an element of the loop's set, or a point of a target, is stored. */
int32_t tess_page_element(const tess_page *page, int32_t element);
int32_t tess_page_point(const tess_page *page, int reach, int32_t point);

/* Prints struct params. */
void tess_page_print_params(tess_page *page);

/* The first failure, if there was one. */
TESS_MUST_CHECK tess_status tess_page_finish(const tess_page *page);

/* Frees what the page owns, on the device too. */
void tess_page_clear(tess_page *page);

#endif
