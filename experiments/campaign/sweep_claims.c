/* Claims: which points of sweeps somebody is making, so that others on the same lab leave them. */
#include "experiments/campaign/sweep_claims.h"

#include "core/base/folder.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file has a byte for each group of digests, 1 when one of them was claimed. Behind it lie the
 * locks: one that each process shares while it is there, and one a digest. */
enum { NOTES = 1 << 20, HEX_DIGITS = 15 /* whose number is a position in a file */ };
static const off_t PRESENCE = NOTES, FIRST_LOCK = NOTES + 1;

/* command: F_SETLK tries, F_SETLKW waits. */
static bool lock(int file, int command, short type, off_t position) {
    struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = position, .l_len = 1};
    return fcntl(file, command, &range) == 0;
}

/* Who has the presence for itself is the only one there: it alone empties the notes, and who comes
 * meanwhile waits for that at the presence. */
tess_status tess_sweep_claims_open(const tess_lab *lab, tess_sweep_claims *out) {
    char path[TESS_PATH_SIZE];
    *out = (tess_sweep_claims){.file = -1};
    TRY(tess_lab_path(lab, path, "claims"));
    out->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (out->file >= 0)
        tess_folder_share_file(path, out->file);
    const bool is_alone = out->file >= 0 && lock(out->file, F_SETLK, F_WRLCK, PRESENCE);
    if (is_alone && ftruncate(out->file, 0) != 0)
        FAIL(TESS_ERROR_IO, "%s cannot be emptied: %s", path, strerror(errno));
    if (is_alone && ftruncate(out->file, NOTES) != 0)
        FAIL(TESS_ERROR_IO, "%s cannot be written: %s", path, strerror(errno));
    bool interrupted = out->file >= 0;
    while (interrupted)
        interrupted = !lock(out->file, F_SETLKW, F_RDLCK, PRESENCE) && errno == EINTR;
    return TESS_OK;
}

void tess_sweep_claims_close(tess_sweep_claims *claims) {
    if (claims->file >= 0)
        close(claims->file);
    claims->file = -1;
}

tess_sweep_claim tess_sweep_claims_take(const tess_sweep_claims *claims, const char *digest) {
    char digits[HEX_DIGITS + 1], note = 0;
    if (claims->file < 0)
        return TESS_CLAIM_FIRST;
    snprintf(digits, sizeof digits, "%s", digest);
    const off_t position = (off_t)strtoll(digits, NULL, 16);
    if (!lock(claims->file, F_SETLK, F_WRLCK, FIRST_LOCK + position) &&
        (errno == EAGAIN || errno == EACCES))
        return TESS_CLAIM_REFUSED;
    const bool is_known = pread(claims->file, &note, 1, position % NOTES) == 1;
    if (is_known && note == 0 && pwrite(claims->file, &(char){1}, 1, position % NOTES) == 1)
        return TESS_CLAIM_FIRST;
    return TESS_CLAIM_AGAIN;
}
