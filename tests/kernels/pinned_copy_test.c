/* Pinned copies: bytes arrive whole by way of two buffers, whatever a GPU leaves until it must. The
 * driver here keeps asynchronous copies until somebody waits for an event behind them. */
#include "kernels/devices/cuda/pinned_copy.h"

#include "core/base/array.h"
#include "tests/unit.h"
#include <stdbool.h>

enum { MOST_KEPT = 64, MIB = 1 << 20, REFUSED = 2, FAULT = 700 };

typedef struct kept {
    void *to;
    const void *from;
    size_t bytes;
} kept;

static struct {
    kept copies[MOST_KEPT];
    int n_kept, n_done; /* of them, in order */
    int n_events, n_buffers, n_plain, n_async;
    int most_buffers, fault_at; /* that there are; the wait that fails, or -1 */
    int n_waits;
} gpu;

/* An event is how many copies come before it. */
struct cuda_event {
    int behind;
};

static int host_alloc(void **memory, size_t bytes, unsigned flags) {
    (void)flags;
    if (gpu.n_buffers == gpu.most_buffers)
        return REFUSED;
    gpu.n_buffers++;
    *memory = malloc(bytes);
    return 0;
}

static int host_free(void *memory) {
    gpu.n_buffers--;
    free(memory);
    return 0;
}

static int event_create(cuda_event *event, unsigned flags) {
    (void)flags;
    gpu.n_events++;
    *event = calloc(1, sizeof **event);
    return 0;
}

static int event_destroy(cuda_event event) {
    gpu.n_events--;
    free(event);
    return 0;
}

static int event_record(cuda_event event, cuda_stream stream) {
    (void)stream;
    event->behind = gpu.n_kept;
    return 0;
}

static int event_wait(cuda_event event) {
    for (; gpu.n_done < event->behind; gpu.n_done++) {
        const kept *one = &gpu.copies[gpu.n_done];
        memcpy(one->to, one->from, one->bytes);
    }
    return gpu.n_waits++ == gpu.fault_at ? FAULT : 0;
}

static int keep(void *to, const void *from, size_t bytes) {
    assert_true(gpu.n_kept < MOST_KEPT);
    gpu.copies[gpu.n_kept++] = (kept){to, from, bytes};
    gpu.n_async++;
    return 0;
}

static int upload_async(cuda_address to, const void *from, size_t bytes, cuda_stream stream) {
    (void)stream;
    return keep((void *)(uintptr_t)to, from, bytes);
}

static int download_async(void *to, cuda_address from, size_t bytes, cuda_stream stream) {
    (void)stream;
    return keep(to, (const void *)(uintptr_t)from, bytes);
}

static int upload(cuda_address to, const void *from, size_t bytes) {
    gpu.n_plain++;
    memcpy((void *)(uintptr_t)to, from, bytes);
    return 0;
}

static int download(void *to, cuda_address from, size_t bytes) {
    gpu.n_plain++;
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return 0;
}

static const tess_cuda_driver driver = {.host_alloc = host_alloc,
                                        .host_free = host_free,
                                        .event_create = event_create,
                                        .event_destroy = event_destroy,
                                        .event_record = event_record,
                                        .event_wait = event_wait,
                                        .upload_async = upload_async,
                                        .download_async = download_async,
                                        .upload = upload,
                                        .download = download};

static int begin(void **state) {
    memset(&gpu, 0, sizeof gpu);
    gpu.most_buffers = 2;
    gpu.fault_at = -1;
    return 0;
}

/* Memory that differs everywhere, with a byte behind that nobody may write. */
static unsigned char *bytes_new(size_t n, bool filled) {
    unsigned char *bytes = NULL;
    OK(TESS_ZEROS((int64_t)n + 1, &bytes));
    for (size_t i = 0; i < n && filled; i++)
        bytes[i] = (unsigned char)(i * 2654435761u >> 13);
    bytes[n] = 77;
    return bytes;
}

static void expect_same(const unsigned char *a, const unsigned char *b, size_t n) {
    assert_true(memcmp(a, b, n) == 0); /* n is too much for cmocka to print */
    assert_int_equal(b[n], 77);
}

static void fill(const void *context, int64_t at, int64_t bytes, void *to) {
    memcpy(to, (const unsigned char *)context + at, (size_t)bytes);
}

/* There and back, into other memory; then what is filled. */
static void copy_both_ways(tess_pinned_copy *by, size_t n) {
    unsigned char *from = bytes_new(n, true), *there = bytes_new(n, false);
    unsigned char *back = bytes_new(n, false);
    gpu.n_kept = gpu.n_done = 0;
    assert_int_equal(tess_pinned_upload(&driver, by, (uintptr_t)there, from, n), 0);
    expect_same(from, there, n);
    assert_int_equal(tess_pinned_download(&driver, by, back, (uintptr_t)there, n), 0);
    expect_same(from, back, n);
    memset(there, 0, n);
    assert_int_equal(
        tess_pinned_upload_filled(&driver, by, (uintptr_t)there, (tess_filler){fill, from}, n), 0);
    expect_same(from, there, n);
    free(from);
    free(there);
    free(back);
}

static void test_bytes_are_the_same(void **state) {
    tess_pinned_copy by = {.buffer = {NULL}};
    const size_t sizes[] = {16 * MIB, 16 * MIB + 1, 24 * MIB - 1, 40 * MIB, 41 * MIB + 3};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        copy_both_ways(&by, sizes[i]);
    assert_int_equal(gpu.n_plain, 0);
    assert_int_equal(gpu.n_async, 3 * (2 + 3 + 3 + 5 + 6));
    tess_pinned_copy_close(&driver, &by);
    assert_int_equal(gpu.n_buffers + gpu.n_events, 0);
}

static void test_little_goes_as_it_is(void **state) {
    tess_pinned_copy by = {.buffer = {NULL}};
    copy_both_ways(&by, 1);
    copy_both_ways(&by, 16 * MIB - 1);
    assert_int_equal(gpu.n_plain, 6);
    assert_int_equal(gpu.n_async + gpu.n_buffers + gpu.n_events, 0);
    tess_pinned_copy_close(&driver, &by);
}

static void test_without_pinned_memory_it_goes_as_it_is(void **state) {
    for (gpu.most_buffers = 0; gpu.most_buffers < 2; gpu.most_buffers++) {
        tess_pinned_copy by = {.buffer = {NULL}};
        copy_both_ways(&by, 20 * MIB);
        tess_pinned_copy_close(&driver, &by);
    }
    assert_int_equal(gpu.n_plain, 6);
    assert_int_equal(gpu.n_async + gpu.n_buffers + gpu.n_events, 0);
}

/* Each wait of a copy fails once: so does the copy, and no more is asked of the GPU. */
static void test_a_fault_is_told(void **state) {
    const size_t n = 40 * MIB;
    unsigned char *here = bytes_new(n, true), *there = bytes_new(n, false);
    for (int fault = 0; fault < 5; fault++)
        for (int back = 0; back < 2; back++) {
            tess_pinned_copy by = {.buffer = {NULL}};
            begin(NULL);
            gpu.fault_at = fault;
            const int result = back ? tess_pinned_download(&driver, &by, here, (uintptr_t)there, n)
                                    : tess_pinned_upload(&driver, &by, (uintptr_t)there, here, n);
            assert_int_equal(result, FAULT);
            assert_int_equal(gpu.n_waits, fault + 1);
            tess_pinned_copy_close(&driver, &by);
        }
    free(here);
    free(there);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_bytes_are_the_same, begin),
        cmocka_unit_test_setup(test_little_goes_as_it_is, begin),
        cmocka_unit_test_setup(test_without_pinned_memory_it_goes_as_it_is, begin),
        cmocka_unit_test_setup(test_a_fault_is_told, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
