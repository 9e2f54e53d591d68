/* apply new.txt cells < data > moved: data of the old elements, a number a line, in the new order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    char name[80], wanted[80];
    long n = 0;
    FILE *file = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (!file)
        return fprintf(stderr, "usage: apply new.txt SET < data > moved\n"), 2;
    snprintf(wanted, sizeof wanted, "%s.new_to_old", argv[2]);
    while (fscanf(file, "%79s %ld", name, &n) == 2) {
        long *old = malloc((n + 1) * sizeof *old);
        double *data = malloc((n + 1) * sizeof *data);
        for (long i = 0; i < n && fscanf(file, "%ld", &old[i]) == 1; i++)
            ;
        for (long i = 0; strcmp(name, wanted) == 0 && i < n && scanf("%lf", &data[i]) == 1; i++)
            ;
        for (long i = 0; strcmp(name, wanted) == 0 && i < n; i++)
            printf("%.17g\n", data[old[i]]);
        free(old);
        free(data);
    }
    return fclose(file);
}
