/* Adds 1 to both points of each element by the blocks that `tess export -f arrays` wrote, without
 * atomics, and prints the sum: cc -O2 -fopenmp add_by_blocks.c && ./a.out FOLDER SET */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads FOLDER/NAME.npy, whole numbers of 4 or 8 bytes; gives how many. */
static int64_t read_npy(const char *folder, const char *name, void **values) {
    char path[4096], header[65536];
    unsigned char begin[10];
    snprintf(path, sizeof path, "%s/%s.npy", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file || fread(begin, 1, 10, file) != 10)
        exit((fprintf(stderr, "%s cannot be read\n", path), 1));
    const size_t length = begin[8] + 256u * begin[9];
    header[fread(header, 1, length, file)] = '\0';
    const size_t width = strstr(header, "<i8") ? 8 : 4;
    const long start = ftell(file);
    fseek(file, 0, SEEK_END);
    const size_t bytes = (size_t)(ftell(file) - start);
    fseek(file, start, SEEK_SET);
    *values = malloc(bytes);
    if (fread(*values, 1, bytes, file) != bytes)
        exit((fprintf(stderr, "%s is cut off\n", path), 1));
    fclose(file);
    return (int64_t)(bytes / width);
}

static int32_t largest(const int32_t *values, int64_t n) {
    int32_t most = -1;
    for (int64_t i = 0; i < n; i++)
        most = values[i] > most ? values[i] : most;
    return most;
}

int main(int argc, char **argv) {
    if (argc != 3)
        return fprintf(stderr, "add_by_blocks FOLDER SET\n"), 2;
    int64_t *block_offset, *point_offset;
    int32_t *thread_colour, *block_colour, *points, *local_index;
    char name[256];
    const int64_t n_blocks = read_npy(argv[1], "block_offset", (void **)&block_offset) - 1;
    const int64_t n = read_npy(argv[1], "thread_colour", (void **)&thread_colour);
    read_npy(argv[1], "block_colour", (void **)&block_colour);
    snprintf(name, sizeof name, "%s.point_offset", argv[2]);
    read_npy(argv[1], name, (void **)&point_offset);
    snprintf(name, sizeof name, "%s.points", argv[2]);
    const int64_t n_points = read_npy(argv[1], name, (void **)&points);
    snprintf(name, sizeof name, "%s.local_index", argv[2]);
    const int64_t slots = read_npy(argv[1], name, (void **)&local_index) / n;
    const int32_t n_all = largest(points, n_points) + 1;
    double *sum = calloc((size_t)n_all, sizeof *sum);
    const int32_t n_rounds = largest(thread_colour, n) + 1;
    const int32_t n_launches = largest(block_colour, n_blocks) + 1;
    for (int32_t colour = 0; colour < n_launches; colour++)
#pragma omp parallel for
        for (int64_t b = 0; b < n_blocks; b++)
            for (int32_t round = 0; block_colour[b] == colour && round < n_rounds; round++)
                for (int64_t i = block_offset[b]; i < block_offset[b + 1]; i++)
                    for (int64_t s = 0; thread_colour[i] == round && s < slots; s++)
                        if (local_index[i * slots + s] != 65535)
                            sum[points[point_offset[b] + local_index[i * slots + s]]] += 1;
    for (int32_t p = 0; p < n_all; p++)
        printf("%g\n", sum[p]);
    return 0;
}
