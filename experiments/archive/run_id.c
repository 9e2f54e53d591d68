/* A run id: 26 characters that sort by time and do not collide. */
#include "experiments/archive/run_id.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum { TIME_DIGITS = 10, ALL_DIGITS = TESS_RUN_ID_SIZE - 1 };

static const char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";

/* Adds one to the random digits; false when they were the largest. */
static bool increment(char id[TESS_RUN_ID_SIZE]) {
    for (int i = ALL_DIGITS - 1; i >= TIME_DIGITS; i--) {
        const char *digit = strchr(alphabet, id[i]);
        if (digit[1]) {
            id[i] = digit[1];
            return true;
        }
        id[i] = alphabet[0];
    }
    return false;
}

tess_status tess_run_id_make(const char *last, char id[TESS_RUN_ID_SIZE]) {
    struct timespec now;
    unsigned char random[ALL_DIGITS - TIME_DIGITS];
    clock_gettime(CLOCK_REALTIME, &now);
    if (getrandom(random, sizeof random, 0) != sizeof random)
        FAIL(TESS_ERROR_IO, "no random numbers from the system: %s", strerror(errno));
    uint64_t milliseconds = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    for (int i = TIME_DIGITS - 1; i >= 0; i--, milliseconds >>= 5)
        id[i] = alphabet[milliseconds & 31];
    for (int i = TIME_DIGITS; i < ALL_DIGITS; i++)
        id[i] = alphabet[random[i - TIME_DIGITS] & 31];
    id[ALL_DIGITS] = '\0';
    if (strcmp(id, last) > 0)
        return TESS_OK;
    memcpy(id, last, TESS_RUN_ID_SIZE); /* the same millisecond, or the clock was set back */
    if (!increment(id))
        FAIL(TESS_ERROR_INTERNAL, "no run id is left in this millisecond");
    return TESS_OK;
}

bool tess_run_id_is(const char *text) {
    return strlen(text) == ALL_DIGITS && strspn(text, alphabet) == ALL_DIGITS;
}

void tess_run_id_normalise(const char *typed, char out[TESS_RUN_ID_SIZE]) {
    int n = 0;
    for (; typed[n] && n < ALL_DIGITS; n++) {
        const char c = (char)tolower((unsigned char)typed[n]);
        out[n] = c == 'i' || c == 'l' ? '1' : c == 'o' ? '0' : c;
    }
    out[n] = '\0';
}
