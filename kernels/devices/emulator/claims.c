/* Claims: who touched each word of memory last, so that an access that races with it is found. */
#include "kernels/devices/emulator/claims.h"

/* Whether a barrier, or the end of a launch, lies between what `a` did and what `b` does. */
static bool ordered(const tess_claimant *a, const tess_claimant *b) {
    if (a->generation != b->generation)
        return true;
    if (a->block != b->block)
        return false;
    if (a->interval != b->interval)
        return true;
    return a->thread / 32 == b->thread / 32 && a->warp_interval != b->warp_interval;
}

static bool same_thread(const tess_claimant *a, const tess_claimant *b) {
    return a->block == b->block && a->thread == b->thread;
}

static bool races(const tess_claimant *earlier, const tess_claimant *who) {
    if (ordered(earlier, who) || (same_thread(earlier, who) && !earlier->many))
        return false;
    const bool both_atomic = earlier->access == SIMT_ATOMIC_ADD && who->access == SIMT_ATOMIC_ADD;
    const bool both_read = earlier->access <= SIMT_LOAD && who->access <= SIMT_LOAD;
    return !both_atomic && !both_read;
}

/* Puts `who` in the place of an earlier claimant of the same kind. */
static void take_over(tess_claimant *position, const tess_claimant *who) {
    const bool beside = position->access == who->access && !ordered(position, who) &&
                        (position->many || !same_thread(position, who));
    *position = *who;
    position->many = beside;
}

const tess_claimant *tess_claim_make(tess_claim *claim, int n_words, const tess_claimant *who) {
    for (int w = 0; w < n_words; w++) {
        if (races(&claim[w].writer, who))
            return &claim[w].writer;
        if (who->access > SIMT_LOAD && races(&claim[w].reader, who))
            return &claim[w].reader;
        take_over(who->access > SIMT_LOAD ? &claim[w].writer : &claim[w].reader, who);
    }
    return 0;
}
