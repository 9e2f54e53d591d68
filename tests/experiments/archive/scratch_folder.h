/* A scratch folder for the tests of a program, made before the first and removed after the last. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

static char folder[] = "/tmp/tess_test_XXXXXX";

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}
