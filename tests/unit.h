/* What a test in C asks: cmocka after the headers that it needs, and a call that must succeed. */
#pragma once

#include "core/base/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#pragma GCC diagnostic ignored "-Wunused-parameter" /* few tests ask for cmocka's state */

/* A call that must succeed; else its words are printed. */
#define OK(call)                                                                                   \
    do {                                                                                           \
        const tess_status ok_status = (call);                                                      \
        if (ok_status != TESS_OK)                                                                  \
            print_error("%s\n", tess_message());                                                   \
        assert_int_equal(ok_status, TESS_OK);                                                      \
    } while (0)
