/* A gate's processes live on where both open their device anew for each turn, else none has a
 * second turn. */
#include "experiments/campaign/gate.h"
#include "experiments/report/gate_report.h"
#include "tests/experiments/archive/scratch_folder.h"
#include "tests/unit.h"

#include <sys/stat.h>

/* Writes a program that says in these words that it is ready; it keeps what it is asked in the file
 * of its name with ".asked". */
static void write_program(const char *path, const char *ready) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "#!/bin/sh\n"
            "echo begun >> %s.asked\n"
            "echo '" TESS_STANDING_PREFIX "%s'\n"
            "while read -r line; do\n"
            "    echo \"$line\" >> %s.asked\n"
            "    case $line in\n"
            "    " TESS_STANDING_ANEW ") echo '" TESS_STANDING_PREFIX TESS_STANDING_RENEWS "' ;;\n"
            "    *) echo '" TESS_STANDING_PREFIX "1.5' ;;\n"
            "    esac\n"
            "done\n",
            path, ready, path);
    fclose(file);
    assert_int_equal(chmod(path, 0700), 0);
}

/* Whether a program began, and was asked to begin anew, so often; gives how often for times. */
static int64_t count_asked(const char *path, int64_t begun, int64_t anew) {
    int64_t times = 0;
    char name[160], line[64];
    snprintf(name, sizeof name, "%s.asked", path);
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        begun -= strcmp(line, "begun\n") == 0;
        times += strcmp(line, "time\n") == 0;
        anew -= strcmp(line, TESS_STANDING_ANEW "\n") == 0;
    }
    fclose(file);
    remove(name);
    assert_true(begun == 0 && anew == 0);
    return times;
}

/* Makes a gate of one run by two programs. */
static void run_gate(const char *ours, const char *reference, int64_t *n_turns) {
    tess_experiment experiment;
    OK(tess_experiment_init(TESS_RUNNING, &experiment));
    OK(tess_experiment_set(&experiment, TESS_FIELD_mesh, "quads:nx=2:ny=2"));
    OK(tess_experiment_set(&experiment, TESS_FIELD_application, "airfoil"));
    tess_gate gate = {
        .program = ours, .reference = reference, .limit = 0.02, .budget = 600, .at_once = 8};
    OK(tess_gate_add(&gate, &experiment, NULL, 0));
    OK(tess_gate_run(&gate));
    assert_int_equal(gate.cases[0].state, TESS_GATE_SAME);
    *n_turns = gate.cases[0].n;
    assert_true(*n_turns >= 5);
    tess_gate_clear(&gate);
    tess_experiment_clear(&experiment);
}

/* By two programs that are ready in these words. */
static void check(const char *first, const char *second, bool renews) {
    char ours[96], reference[96];
    int64_t n = 0;
    snprintf(ours, sizeof ours, "%s/ours", folder);
    snprintf(reference, sizeof reference, "%s/reference", folder);
    write_program(ours, first);
    write_program(reference, second);
    run_gate(ours, reference, &n);
    const int64_t of_ours = count_asked(ours, renews ? 1 : n, renews ? n - 1 : 0);
    const int64_t of_reference = count_asked(reference, renews ? 1 : n, renews ? n - 1 : 0);
    assert_true(of_ours >= 10 * n && of_reference == of_ours);
}

static void they_live_on_where_both_open_their_device_anew(void **state) {
    check(TESS_STANDING_RENEWS, TESS_STANDING_RENEWS, true);
}

static void else_none_has_a_second_turn(void **state) {
    check(TESS_STANDING_RENEWS, TESS_STANDING_READY, false);
    check(TESS_STANDING_READY, TESS_STANDING_RENEWS, false);
    check(TESS_STANDING_READY, TESS_STANDING_READY, false);
}

static void what_is_out_of_time_says_how_much_more_it_takes(void **state) {
    char *printed = NULL;
    size_t size = 0;
    double reference[] = {1, 1, 1, 1}, ours[] = {1, 1.05, 1, 1.05};
    tess_gate_case one = {
        .name = (char[]){"a"}, .reference = reference, .ours = ours, .n = 4, .seconds = 8};
    const tess_gate gate = {.reference = "b", .limit = 0.02, .seconds = 10, .n = 1, .cases = &one};
    const tess_sequential_test test = {.limit = 0.02, .error = TESS_GATE_ERROR};
    const int64_t turns = tess_sequential_pairs_wanted(&test, reference, ours, 4);
    char said[64];
    snprintf(said, sizeof said, "--budget %llds\n", (long long)(10 + 2 * turns));
    assert_true(turns > 0 && tess_gate_wanted(&gate, &one) == 2 * (double)turns);
    for (one.state = 0; one.state <= TESS_GATE_SAME; one.state++) {
        FILE *stream = open_memstream(&printed, &size);
        OK(tess_gate_report_print(&gate, stream));
        fclose(stream);
        assert_true((strstr(printed, said) != NULL) == (one.state == TESS_GATE_OUT_OF_TIME));
        free(printed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_live_on_where_both_open_their_device_anew),
        cmocka_unit_test(else_none_has_a_second_turn),
        cmocka_unit_test(what_is_out_of_time_says_how_much_more_it_takes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
