/* Sorting: rows of indices, mostly short, put in order in place. */
#include "core/base/sort.h"

enum { SHORT_ROW = 48 };

static void insertion_sort(int32_t *values, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        const int32_t value = values[i];
        int64_t j = i;
        for (; j > 0 && values[j - 1] > value; j--)
            values[j] = values[j - 1];
        values[j] = value;
    }
}

/* Lets values[i] sink to its place in the heap of the first n. */
static void sink(int32_t *values, int64_t i, int64_t n) {
    const int32_t value = values[i];
    for (int64_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && values[child + 1] > values[child])
            child++;
        if (values[child] <= value)
            break;
        values[i] = values[child];
    }
    values[i] = value;
}

static void heap_sort(int32_t *values, int64_t n) {
    for (int64_t i = n / 2 - 1; i >= 0; i--)
        sink(values, i, n);
    for (int64_t last = n - 1; last > 0; last--) {
        const int32_t largest = values[0];
        values[0] = values[last];
        values[last] = largest;
        sink(values, 0, last);
    }
}

void tess_sort(int32_t *values, int64_t n) {
    int64_t descents = 0;
    for (int64_t i = 1; i < n; i++)
        descents += values[i - 1] > values[i];
    if (descents == 0)
        return;
    if (n <= SHORT_ROW)
        insertion_sort(values, n);
    else
        heap_sort(values, n);
}

int64_t tess_sort_unique(int32_t *values, int64_t n) {
    tess_sort(values, n);
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (kept == 0 || values[kept - 1] != values[i])
            values[kept++] = values[i];
    return kept;
}

int64_t tess_sorted_place(const int32_t *values, int64_t n, int32_t value) {
    int64_t low = 0, high = n - 1;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void tess_reverse(int32_t *values, int64_t n) {
    for (int64_t i = 0, j = n - 1; i < j; i++, j--) {
        const int32_t kept = values[i];
        values[i] = values[j];
        values[j] = kept;
    }
}
