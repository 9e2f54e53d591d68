/* A page: the text of one module under construction, the arrays and parameters that its kernels
 * get, and their launches. */
#include "kernels/page/page.h"

#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tess_page_print(tess_page *page, const char *format, ...) {
    va_list args;
    va_start(args, format);
    tess_writer_print_list(&page->text, format, args);
    va_end(args);
}

void tess_page_include(tess_page *page, const char *file, const char *text) {
    tess_writer_include(&page->text, file, text);
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

tess_status tess_page_array(tess_page *page, const char *type, const void *values, int64_t bytes,
                            const char *name, ...) {
    char words[80];
    va_list args;
    va_start(args, name);
    vsnprintf(words, sizeof words, name, args);
    va_end(args);
    TRY(TESS_RESERVE(page->n_arrays + 1, &page->array_capacity, &page->arrays));
    const tess_device *device = page->store->device;
    tess_address address = 0;
    TRY(device->alloc(page->store->target, words, bytes, &address));
    page->arrays[page->n_arrays++] = address;
    page->array_bytes += bytes;
    if (values)
        TRY(device->upload(page->store->target, address, values, bytes));
    tess_page_param(page, type, address, "%s", words);
    return TESS_OK;
}

tess_status tess_page_launch(tess_page *page, const tess_launch *launch) {
    if (launch->n_blocks == 0)
        return TESS_OK;
    TRY(TESS_RESERVE(page->n_launches + 1, &page->launch_capacity, &page->launches));
    page->launches[page->n_launches] = *launch;
    page->launches[page->n_launches].threads = page->threads;
    page->n_launches++;
    return TESS_OK;
}

int64_t tess_page_staged(const tess_page *page, int reach) {
    const tess_plan *plan = page->plan;
    int64_t most = 0;
    for (int32_t b = 0; reach < plan->n_sets && b < plan->n_blocks; b++) {
        const int64_t *offset = &plan->sets[reach].point_offset[b];
        most = offset[1] - offset[0] > most ? offset[1] - offset[0] : most;
    }
    /* 4 of 16: rows of 4 doubles that lanes turn from AoS fall into different banks */
    return (most + page->staged_more + 11) / 16 * 16 + 4;
}

int32_t tess_page_element(const tess_page *page, int32_t element) {
    const int32_t *order = tess_store_order(page->store, page->bound->set);
    return order ? order[element] : element;
}

int32_t tess_page_point(const tess_page *page, int reach, int32_t point) {
    const int32_t *order = tess_store_order(page->store, page->bound->targets[reach].set);
    return order ? order[point] : point;
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
    TRY(page->failure);
    return tess_writer_finish(&page->text);
}

void tess_page_clear(tess_page *page) {
    for (int i = 0; i < page->n_arrays; i++)
        page->store->device->free(page->store->target, page->arrays[i]);
    free(page->arrays);
    free(page->launches);
    free(page->params);
    tess_writer_clear(&page->text);
    *page = (tess_page){.kernel = NULL};
}
