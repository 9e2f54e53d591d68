/* A number in text: whole numbers and reals as mesh files write them, exact to the last bit. */
#include "data/formats/number.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

enum {
    MOST_DIGITS = 19,       /* that always fit 64 bits */
    LARGEST_POWER = 27,     /* 5^27 is the last that fits 63 bits */
    LARGEST_EXPONENT = 9999 /* beyond every double, far from overflowing an int */
};

static bool ends(const char *at, const char *end) {
    return at == end || *at == '\n' || tess_is_blank(*at);
}

/* The value of more digits than always fit; false where 63 bits do not hold it. */
static bool add_up_many(const char *digits, const char *end, uint64_t *value) {
    *value = 0;
    for (; digits < end; digits++) {
        const uint64_t digit = (uint64_t)(*digits - '0');
        if (*value > ((uint64_t)INT64_MAX - digit) / 10)
            return false;
        *value = 10 * *value + digit;
    }
    return true;
}

tess_number_fault tess_number_integer(const char **at, const char *end, int64_t *out) {
    const char *p = *at;
    const bool negative = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    const char *const digits = p;
    uint64_t value = 0;
    for (; p < end && *p >= '0' && *p <= '9'; p++)
        value = 10 * value + (uint64_t)(*p - '0');
    if (p == digits || !ends(p, end))
        return TESS_NUMBER_NONE;
    if (p - digits >= MOST_DIGITS && !add_up_many(digits, p, &value))
        return TESS_NUMBER_TOO_LARGE;
    *out = negative ? -(int64_t)value : (int64_t)value;
    *at = p;
    return TESS_NUMBER_FINE;
}

/* A decimal number taken apart: digits * 10^exponent. */
typedef struct decimal {
    uint64_t digits;
    int exponent;
    bool negative;
    bool inexact;       /* `digits` or `exponent` is cut off: more than 64 bits hold */
    const char *marker; /* the letter before the exponent, or NULL */
    const char *end;
} decimal;

static bool is_digit(const char *p, const char *end) {
    return p < end && *p >= '0' && *p <= '9';
}

/* Collects digits; returns how many there were, and in *dropped how many did not fit. */
static int64_t take_digits(const char **at, const char *end, int *n_significant, int64_t *dropped,
                           decimal *number) {
    const char *p = *at;
    for (; is_digit(p, end); p++) {
        if (*n_significant < MOST_DIGITS) {
            number->digits = 10 * number->digits + (uint64_t)(*p - '0');
            *n_significant += number->digits != 0;
        } else {
            number->inexact |= *p != '0';
            (*dropped)++;
        }
    }
    const int64_t n = p - *at;
    *at = p;
    return n;
}

static bool take_exponent(const char **at, const char *end, decimal *number) {
    const char *p = *at + 1;
    const bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (!is_digit(p, end))
        return false;
    int exponent = 0;
    for (; is_digit(p, end); p++)
        exponent = exponent > LARGEST_EXPONENT ? exponent : 10 * exponent + (*p - '0');
    number->marker = *at;
    number->inexact |= exponent > LARGEST_EXPONENT;
    number->exponent += negative ? -exponent : exponent;
    *at = p;
    return true;
}

static bool take_apart(const char *p, const char *end, decimal *number) {
    *number = (decimal){.negative = *p == '-'};
    if (*p == '-' || *p == '+')
        p++;
    int n_significant = 0;
    int64_t dropped = 0, dropped_in_fraction = 0, n_fraction = 0;
    int64_t n_digits = take_digits(&p, end, &n_significant, &dropped, number);
    if (p < end && *p == '.') {
        p++;
        n_fraction = take_digits(&p, end, &n_significant, &dropped_in_fraction, number);
        n_digits += n_fraction;
    }
    if (n_digits == 0)
        return false;
    const int64_t exponent = dropped - (n_fraction - dropped_in_fraction);
    number->inexact |= exponent > LARGEST_EXPONENT || exponent < -LARGEST_EXPONENT;
    number->exponent = number->inexact ? 0 : (int)exponent;
    if (p < end && (*p == 'e' || *p == 'E' || *p == 'd' || *p == 'D') &&
        !take_exponent(&p, end, number))
        return false;
    number->end = p;
    return ends(p, end);
}

/* bits * 2^exponent (the top bit of `bits` is set; `sticky`: a little more) as the nearest double,
 * ties to even. The result is a normal number: its size is between 1e-27 and 2^64 * 1e27. */
static double round_to_double(uint64_t bits, bool sticky, int exponent) {
    const uint64_t rest = bits & 0x7FF, half = 0x400;
    uint64_t kept = bits >> 11;
    kept += rest > half || (rest == half && (sticky || (kept & 1)));
    return ldexp((double)kept, exponent + 11);
}

/* digits * 10^exponent for |exponent| <= 27 and digits > 0, by exact integer arithmetic: a product
 * of 128 bits, or a quotient of 64 with its remainder. */
static double scale_exactly(uint64_t digits, int exponent) {
    uint64_t power = 1; /* 5^|exponent| */
    for (int i = 0; i < abs(exponent); i++)
        power *= 5;
    if (exponent >= 0) {
        const uint128 product = (uint128)digits * power;
        const uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
        if (high == 0)
            return round_to_double(low << __builtin_clzll(low), false,
                                   exponent - __builtin_clzll(low));
        const int shift = __builtin_clzll(high);
        const uint128 normal = product << shift;
        return round_to_double((uint64_t)(normal >> 64), (uint64_t)normal != 0,
                               exponent + 64 - shift);
    }
    const int digits_shift = __builtin_clzll(digits), power_shift = __builtin_clzll(power);
    const uint128 numerator = (uint128)(digits << digits_shift) << 63;
    const uint64_t denominator = power << power_shift;
    const uint64_t quotient = (uint64_t)(numerator / denominator); /* in (2^62, 2^64) */
    const bool sticky = numerator - (uint128)quotient * denominator != 0;
    const int shift = __builtin_clzll(quotient);
    return round_to_double(quotient << shift, sticky,
                           exponent + power_shift - digits_shift - 63 - shift);
}

static locale_t c_locale;

static void make_c_locale(void) {
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* The C library's conversion, for what is too long or too large for the exact arithmetic above. */
static bool convert_slowly(const char *text, const decimal *number, double *out) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_c_locale);
    if (!number->marker || *number->marker == 'e' || *number->marker == 'E') {
        *out = strtod_l(text, NULL, c_locale);
        return true;
    }
    char copy[512]; /* with e in the place of Fortran's d */
    const size_t length = (size_t)(number->end - text);
    if (length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    copy[number->marker - text] = 'e';
    *out = strtod_l(copy, NULL, c_locale);
    return true;
}

tess_number_fault tess_number_real(const char **at, const char *end, double *out) {
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    decimal number;
    if (*at == end || !take_apart(*at, end, &number))
        return TESS_NUMBER_NONE;
    const int exponent = number.exponent;
    double value = 0;
    if (number.inexact || abs(exponent) > LARGEST_POWER) {
        if (!convert_slowly(*at, &number, &value))
            return TESS_NUMBER_NONE;
        if (isinf(value))
            return TESS_NUMBER_TOO_LARGE;
        *out = value;
        *at = number.end;
        return TESS_NUMBER_FINE;
    }
    if (number.digits == 0 || (number.digits <= UINT64_C(1) << 53 && abs(exponent) <= 22)) {
        const double digits = (double)number.digits; /* exact, and so is the power: one rounding */
        value = digits == 0 ? 0 : exponent < 0 ? digits / tens[-exponent] : digits * tens[exponent];
    } else {
        value = scale_exactly(number.digits, exponent);
    }
    *out = number.negative ? -value : value;
    *at = number.end;
    return TESS_NUMBER_FINE;
}
