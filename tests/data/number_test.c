/* Numbers in text: every double is the one that the C library reads, whole numbers keep in range.
 */
#include "data/formats/number.h"
#include "tests/unit.h"

static tess_number_fault read_real(const char *text, double *out) {
    const char *at = text;
    const tess_number_fault fault = tess_number_real(&at, text + strlen(text), out);
    if (fault == TESS_NUMBER_FINE)
        assert_ptr_equal(at, text + strcspn(text, " \t\r\n"));
    return fault;
}

static void same_as_library(const char *text) {
    double value = 0;
    if (read_real(text, &value) != TESS_NUMBER_FINE)
        fail_msg("%s was refused", text);
    const double expected = strtod(text, NULL);
    if (memcmp(&value, &expected, sizeof value) != 0)
        fail_msg("%s was read as %a, not %a", text, value, expected);
}

static uint64_t random_bits(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void reads_known_cases(void **state) {
    const char *const texts[] = {"0",
                                 "-0",
                                 "-0.000000",
                                 "1.",
                                 ".5",
                                 "+2.5e-3",
                                 "1e22",
                                 "1e23",
                                 "1e27",
                                 "1e28",
                                 "9007199254740993",
                                 "9007199254740992.5",
                                 "0e25",
                                 "4.9e-324",
                                 "2.2250738585072011e-308",
                                 "1.7976931348623157e308",
                                 "1e-400",
                                 "123456789012345678901234567890",
                                 "0.1000000000000000055511151231257827",
                                 "9007199254740993e-5",
                                 "18446744073709551615e27",
                                 "18446744073709551615e-27",
                                 "1152921504606846977",
                                 "0.000000000000000000000000000000000000000000000000001"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        same_as_library(texts[i]);
}

/* Random digits around every path: exact, 128-bit, the library's. */
static void reads_random_numbers_to_the_last_bit(void **state) {
    uint64_t seed = 88172645463325252;
    char text[64];
    for (int i = 0; i < 400000; i++) {
        const uint64_t digits = random_bits(&seed) >> (random_bits(&seed) % 64);
        const int exponent = (int)(random_bits(&seed) % 70) - 35;
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits, exponent);
        same_as_library(text);
    }
}

/* What a program that writes doubles in full leaves in a file. */
static void reads_printed_doubles_back(void **state) {
    uint64_t seed = 1181783497276652981;
    char text[64];
    for (int i = 0; i < 200000; i++) {
        const double value =
            ((double)(random_bits(&seed) >> 11) - 4e15) * (i % 2 ? 1e-12 : 3.0517578125e-5);
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(text, sizeof text, i % 3 ? "%.*g" : "%.*e", digits, value);
            same_as_library(text);
        }
    }
}

/* Halfway between two doubles, and a little beside it. */
static void rounds_ties_to_even(void **state) {
    char text[64];
    for (int64_t i = 0; i < 1000; i++) {
        const int64_t tie = (INT64_C(1) << 54) + 4 * i + 2;
        for (int64_t beside = -1; beside <= 1; beside++) {
            snprintf(text, sizeof text, "%lld", (long long)(tie + beside));
            same_as_library(text);
            snprintf(text, sizeof text, "%lld.000e0", (long long)(tie + beside));
            same_as_library(text);
        }
    }
}

static void long_zeros_do_not_wrap_the_exponent(void **state) {
    static char text[20100];
    memset(text, '0', sizeof text - 1);
    text[1] = '.';
    strcpy(text + 20000, "1e20000");
    same_as_library(text);
    memset(text, '0', 20000);
    text[0] = '1';
    strcpy(text + 20000, "e-20000");
    same_as_library(text);
}

static void reads_fortran_exponents(void **state) {
    double value = 0;
    assert_int_equal(read_real("1.25D-1", &value), TESS_NUMBER_FINE);
    assert_true(value == 0.125);
    assert_int_equal(read_real("2d+300", &value), TESS_NUMBER_FINE);
    assert_true(value == 2e300);
}

static void refuses_what_is_no_number(void **state) {
    const char *const texts[] = {"",  "nan", "inf", "-inf", "0x10",  "1,5", "1e",  "1e+",
                                 ".", "-",   "+",   "e5",   "1.2.3", "1-2", "--1", "1f"};
    double value = 0;
    int64_t whole = 0;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *at = texts[i];
        assert_int_equal(read_real(texts[i], &value), TESS_NUMBER_NONE);
        assert_int_equal(tess_number_integer(&at, texts[i] + strlen(texts[i]), &whole),
                         TESS_NUMBER_NONE);
    }
    assert_int_equal(read_real("1e999", &value), TESS_NUMBER_TOO_LARGE);
    assert_int_equal(read_real("1e99999999999999999999", &value), TESS_NUMBER_TOO_LARGE);
}

static void keeps_whole_numbers_within_64_bits(void **state) {
    const struct {
        const char *text;
        tess_number_fault fault;
        int64_t value;
    } cases[] = {{"9223372036854775807", TESS_NUMBER_FINE, INT64_MAX},
                 {"-9223372036854775807", TESS_NUMBER_FINE, -INT64_MAX},
                 {"9223372036854775808", TESS_NUMBER_TOO_LARGE, 0},
                 {"18446744073709551617", TESS_NUMBER_TOO_LARGE, 0},
                 {"00000000000000000000000123", TESS_NUMBER_FINE, 123},
                 {"-99999999999999999999", TESS_NUMBER_TOO_LARGE, 0},
                 {"+7", TESS_NUMBER_FINE, 7},
                 {"7.0", TESS_NUMBER_NONE, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *at = cases[i].text;
        int64_t value = 0;
        assert_int_equal(tess_number_integer(&at, at + strlen(at), &value), cases[i].fault);
        if (cases[i].fault == TESS_NUMBER_FINE)
            assert_true(value == cases[i].value);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_known_cases),
        cmocka_unit_test(reads_random_numbers_to_the_last_bit),
        cmocka_unit_test(reads_printed_doubles_back),
        cmocka_unit_test(rounds_ties_to_even),
        cmocka_unit_test(long_zeros_do_not_wrap_the_exponent),
        cmocka_unit_test(reads_fortran_exponents),
        cmocka_unit_test(refuses_what_is_no_number),
        cmocka_unit_test(keeps_whole_numbers_within_64_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
