/* Printing the variadic args of a function, as those that fail with a message do. */
#pragma once

#include <stdarg.h>
#include <stdio.h>

/* Prints the args behind the parameter `format` to an array of characters, cut where it is full. */
#define TESS_PRINT_ARGS(array, format)                                                             \
    do {                                                                                           \
        va_list tess_args;                                                                         \
        va_start(tess_args, format);                                                               \
        vsnprintf(array, sizeof(array), format, tess_args);                                        \
        va_end(tess_args);                                                                         \
    } while (0)
