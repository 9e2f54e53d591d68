/* Claims of points of sweeps, by processes that come at the same moment. */
#include "experiments/campaign/sweep_claims.h"
#include "tests/unit.h"

#include <sys/wait.h>
#include <unistd.h>

enum { N_PROCESSES = 4, N_ROUNDS = 100 };

static char folder[] = "/tmp/tess-claims-XXXXXX";
static tess_lab *lab;

static int make_lab(void **state) {
    return mkdtemp(folder) ? tess_lab_open(folder, true, &lab) != TESS_OK : -1;
}

static int remove_lab(void **state) {
    char command[sizeof folder + 8];
    tess_lab_close(lab);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* Opens the claims in a process of its own when `start` is closed and takes a digest; holds it
 * until `end` is closed. */
static pid_t claimer(const char *digest, const int start[2], const int end[2], int answer) {
    const pid_t child = fork();
    if (child != 0)
        return child;
    char nothing;
    tess_sweep_claims claims;
    close(start[1]);
    close(end[1]);
    ssize_t n = read(start[0], &nothing, 1);
    const tess_status status = tess_sweep_claims_open(lab, &claims);
    const char claim =
        status == TESS_OK ? (char)('0' + tess_sweep_claims_take(&claims, digest)) : 'E';
    n += write(answer, &claim, 1) - 1 + read(end[0], &nothing, 1);
    tess_sweep_claims_close(&claims);
    _exit((int)n);
}

static void who_come_at_once_get_their_own_points(void **state) {
    for (int round = 0; round < N_ROUNDS; round++) {
        int start[2], end[2], answers[2];
        pid_t children[N_PROCESSES];
        assert_int_equal(pipe(start) | pipe(end) | pipe(answers), 0);
        for (int i = 0; i < N_PROCESSES; i++)
            children[i] =
                claimer((const char *[]){"1a", "2b", "3c", "4d"}[i], start, end, answers[1]);
        close(start[0]);
        close(start[1]);
        for (int i = 0; i < N_PROCESSES; i++) {
            char claim = 'E';
            assert_int_equal(read(answers[0], &claim, 1), 1);
            assert_int_equal(claim, '0' + TESS_CLAIM_FIRST);
        }
        close(end[0]);
        close(end[1]);
        for (int i = 0; i < N_PROCESSES; i++) {
            int code = -1;
            assert_int_equal(waitpid(children[i], &code, 0), children[i]);
            assert_int_equal(code, 0);
        }
        close(answers[0]);
        close(answers[1]);
    }
}

static void a_claim_is_refused_while_another_has_it(void **state) {
    int start[2], end[2], answers[2];
    char claim = 'E';
    tess_sweep_claims claims;
    assert_int_equal(pipe(start) | pipe(end) | pipe(answers), 0);
    const pid_t child = claimer("1a", start, end, answers[1]);
    close(start[0]);
    close(start[1]);
    assert_int_equal(read(answers[0], &claim, 1), 1);
    OK(tess_sweep_claims_open(lab, &claims));
    assert_int_equal(tess_sweep_claims_take(&claims, "1a"), TESS_CLAIM_REFUSED);
    assert_int_equal(tess_sweep_claims_take(&claims, "2b"), TESS_CLAIM_FIRST);
    close(end[0]);
    close(end[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(tess_sweep_claims_take(&claims, "1a"), TESS_CLAIM_AGAIN);
    tess_sweep_claims_close(&claims);
    OK(tess_sweep_claims_open(lab, &claims)); /* alone: nothing was claimed */
    assert_int_equal(tess_sweep_claims_take(&claims, "1a"), TESS_CLAIM_FIRST);
    tess_sweep_claims_close(&claims);
    close(answers[0]);
    close(answers[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_come_at_once_get_their_own_points),
        cmocka_unit_test(a_claim_is_refused_while_another_has_it),
    };
    return cmocka_run_group_tests(tests, make_lab, remove_lab);
}
