/* Sorting: rows of indices and other numbers, mostly short, put in order in place. */
#include "core/base/sort.h"

#include <stdlib.h>
#include <string.h>

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

/* Lets values[i] sink to its position in the heap of the first n. */
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

int64_t tess_sorted_position(const int32_t *values, int64_t n, int32_t value) {
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

static int compare_words(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts the values that lie so many apart: by insertion. */
static inline void sort_by_gap(uint64_t *values, int64_t n, int64_t gap) {
    for (int64_t i = gap; i < n; i++) {
        const uint64_t value = values[i];
        int64_t at = i;
        for (; at >= gap && values[at - gap] > value; at -= gap)
            values[at] = values[at - gap];
        values[at] = value;
    }
}

/* Shell's sort with Ciura's gaps, which suits rows of some dozens. */
void tess_sort_words(uint64_t *values, int64_t n) {
    static const int64_t gaps[] = {301, 132, 57, 23, 10, 4, 1};
    enum { LONG = 1000, N_GAPS = sizeof gaps / sizeof gaps[0] };
    if (n > LONG) {
        qsort(values, (size_t)n, sizeof *values, compare_words);
        return;
    }
    for (int g = 0; g < N_GAPS; g++)
        sort_by_gap(values, n, gaps[g]);
}

/* By their first bits, as many as tell the most of them apart; those that share these follow each
 * other, and are put in order where they are few. */
void tess_sort_spread(const uint64_t *values, int64_t n, uint64_t *sorted) {
    int64_t end[2048] = {0}, most = 0, before = 0;
    const int64_t n_most = sizeof end / sizeof *end;
    int bits = 1;
    while (1 << bits < n_most && n >> bits)
        bits++;
    for (int64_t i = 0; i < n; i++)
        end[values[i] >> (64 - bits)]++;
    for (int64_t digit = 0; digit < 1 << bits; digit++) {
        most = end[digit] > most ? end[digit] : most;
        before += end[digit];
        end[digit] = before - end[digit];
    }
    for (int64_t i = 0; i < n; i++)
        sorted[end[values[i] >> (64 - bits)]++] = values[i];
    if (most > SHORT_ROW)
        tess_sort_words(sorted, n);
    else
        sort_by_gap(sorted, n, 1);
}

static int compare_reals(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void tess_sort_reals(double *values, int64_t n) {
    if (n > 1)
        qsort(values, (size_t)n, sizeof *values, compare_reals);
}

int tess_compare_texts(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void tess_reverse(int32_t *values, int64_t n) {
    for (int64_t i = 0, j = n - 1; i < j; i++, j--) {
        const int32_t kept = values[i];
        values[i] = values[j];
        values[j] = kept;
    }
}
