/* A page: the text of one module under construction, and the parameters its kernels get. */
#include "kernels/page/page.h"

#include "core/base/array.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(tess_page *page, int64_t more) {
    if (page->failure == TESS_OK)
        page->failure = TESS_RESERVE(page->length + more + 1, &page->capacity, &page->text);
    return page->failure == TESS_OK;
}

void tess_page_print(tess_page *page, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (!reserve(page, length))
        return;
    va_start(args, format);
    vsnprintf(page->text + page->length, (size_t)length + 1, format, args);
    va_end(args);
    page->length += length;
}

void tess_page_include(tess_page *page, const char *file, const char *text) {
    tess_page_print(page, "#line 1 \"%s\"\n", file);
    const size_t length = strlen(text);
    if (!reserve(page, (int64_t)length))
        return;
    memcpy(page->text + page->length, text, length + 1);
    page->length += (int64_t)length;
    tess_page_print(page, "\n");
}

void tess_page_param(tess_page *page, const char *type, uint64_t value, const char *format, ...) {
    if (page->failure == TESS_OK)
        page->failure = TESS_RESERVE(page->n_params + 1, &page->param_capacity, &page->params);
    if (page->failure != TESS_OK)
        return;
    tess_param *param = &page->params[page->n_params++];
    *param = (tess_param){.value = value};
    snprintf(param->type, sizeof param->type, "%s", type);
    va_list args;
    va_start(args, format);
    vsnprintf(param->name, sizeof param->name, format, args);
    va_end(args);
}

void tess_page_print_params(tess_page *page) {
    tess_page_print(page, "struct params {\n");
    for (int i = 0; i < page->n_params; i++) {
        const char *type = page->params[i].type;
        const char *space = type[strlen(type) - 1] == '*' ? "" : " ";
        tess_page_print(page, "    %s%s%s;\n", type, space, page->params[i].name);
    }
    tess_page_print(page, "};\n\n");
}

tess_status tess_page_finish(const tess_page *page) {
    return page->failure;
}

void tess_page_clear(tess_page *page) {
    free(page->text);
    free(page->params);
    *page = (tess_page){0};
}
