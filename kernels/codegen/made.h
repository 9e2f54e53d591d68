/* What instances of a kernel's parts make, each given away before the next is made: so that they
 * stay in registers, where all increments of an element would not. */
#pragma once

#include "kernels/codegen/page.h"

/* Prints the adding of the dat's values in the array `values`, made by `active` elements, to a
 * point of element `e`. */
typedef struct tess_made_sink {
    void (*add)(tess_page *page, void *context, const tess_page_access *to, const char *values);
    void *context;
} tess_made_sink;

/* Prints the making of all that the parts that are used (page->use) add, one instance after
 * another, and what the sink prints for each. Stands behind compute_terms(&e). */
void tess_made_print(tess_page *page, const tess_made_sink *sink);
