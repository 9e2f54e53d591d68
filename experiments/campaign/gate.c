/* A gate: runs that are made by this program and by a reference, in turns. */
#include "experiments/campaign/gate.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/interrupt.h"
#include "core/base/json.h"
#include "core/base/process.h"
#include "core/base/progress.h"
#include "core/base/statistics.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a turn comes to: NAN where one failed, and what it said then. */
enum { REFERENCE, OURS };
typedef struct tess_turn {
    double seconds[2];
    char said[2][600];
} tess_turn;

const char *tess_gate_state_name(tess_gate_state state) {
    static const char *const names[] = {"out of time", "same", "slower", "failed", "no reference"};
    return names[state];
}

/* What tells the case from others, for people. */
static tess_status name_case(const tess_experiment *x, char **out) {
    const char *what = x->application ? x->application : x->kernel ? x->kernel : "";
    const char *part = x->chain && *x->chain ? x->chain : x->loop ? x->loop : "";
    return tess_text_print(out, "%s%s%s, %s, %s, %s, blocks of %lld, on %s", what, *part ? " " : "",
                           part, x->mesh, x->partitioner.text ? x->partitioner.text : "",
                           x->strategy.text ? x->strategy.text : "", (long long)x->block_size,
                           x->device);
}

/* Whether a word sets a setting to its default: an earlier program may not know that option. */
static bool is_default(const char *word) {
    for (tess_field field = 0; field < TESS_N_FIELDS; field++) {
        char option[TESS_NAME_SIZE];
        const char *standard = tess_fields[field].standard[TESS_RUNNING];
        tess_field_option(field, option);
        const size_t length = strlen(option);
        if (standard && *standard && strncmp(word, "--", 2) == 0 &&
            strncmp(word + 2, option, length) == 0 && word[2 + length] == '=')
            return strcmp(word + 3 + length, standard) == 0;
    }
    return false;
}

static void leave_defaults_out(char **words) {
    char **to = words;
    for (char **from = words; *from; from++)
        if (!is_default(*from))
            *to++ = *from;
    *to = NULL;
}

tess_status tess_gate_add(tess_gate *gate, const tess_experiment *experiment,
                          const double *archived, int64_t n) {
    if (!gate->reference && n < 3)
        FAIL(TESS_ERROR_INPUT,
             "the reference is %lld process%s that timed this run here, and three are the fewest "
             "that tell what differs between processes: run it again and tag them all, or name "
             "--reference-program",
             (long long)n, n == 1 ? "" : "es");
    TRY(TESS_RESERVE(gate->n + 1, &gate->capacity, &gate->cases));
    tess_gate_case *one = &gate->cases[gate->n++];
    *one = (tess_gate_case){.n_archived = n, .found = {.ratio = NAN, .low = NAN, .high = NAN}};
    const char *const flags[] = {"--json", "--quiet", "--lab", gate->lab};
    TRY(name_case(experiment, &one->name));
    TRY(TESS_COPY(n, archived, &one->archived));
    TRY(tess_experiment_command(experiment, flags, gate->lab ? 4 : 2, &one->words));
    leave_defaults_out(one->words);
    return TESS_OK;
}

/* The median time of the one run that a program printed as JSON; NAN where it failed. */
static double time_printed(FILE *printed) {
    rewind(printed);
    json_t *root = json_loadf(printed, 0, NULL);
    json_t *run = json_array_get(json_object_get(root, "runs"), 0);
    json_t *time = json_object_get(run, "median_time");
    const bool passed = strcmp(tess_json_text_at(run, "check"), "passed") == 0;
    const double seconds = passed && json_is_number(time) ? json_number_value(time) : NAN;
    json_decref(root);
    return seconds > 0 ? seconds : NAN;
}

static bool has_word(const tess_gate_case *one, const char *wanted) {
    for (char **word = one->words; *word; word++)
        if (strcmp(*word, wanted) == 0)
            return true;
    return false;
}

static bool is_on_host(const tess_gate_case *one) {
    return has_word(one, "--device=host");
}

static bool is_of_one_thread(const tess_gate_case *one) {
    return is_on_host(one) && has_word(one, "--strategy=sequential");
}

/* The words of a case by a program, and two more, which may be empty; the caller frees the list. */
static tess_status words_of(const tess_gate_case *one, const char *program, char *const more[2],
                            char ***out) {
    int64_t n = 0;
    while (one->words[n])
        n++;
    TRY(TESS_ALLOC(n + 3, out));
    memcpy(*out, one->words, (size_t)n * sizeof **out);
    (*out)[0] = (char *)(uintptr_t)program;
    for (int i = 0; i < 2; i++)
        if (*more[i])
            (*out)[n++] = more[i];
    (*out)[n] = NULL;
    return TESS_OK;
}

/* Has a program make a run ready, which will stand by; it may be of a version that cannot. On the
 * host, where little else is to be done, it answers with one sample: the sooner the other's turn
 * comes, the more alike is what disturbs both. */
static tess_status start_standing(const tess_gate_case *one, const char *program,
                                  tess_dialogue **out) {
    char samples[] = "--samples=1", standing[] = "--stand-by", none[] = "";
    char **argv = NULL;
    TRY(words_of(one, program, (char *[2]){is_on_host(one) ? samples : none, standing}, &argv));
    const tess_status status = tess_dialogue_open(argv, one->name, TESS_STANDING_PREFIX, out);
    free(argv);
    return status;
}

static void stop_case(tess_gate_case *one) {
    tess_dialogue_close(one->our_standing);
    tess_dialogue_close(one->its_standing);
    one->our_standing = one->its_standing = NULL;
}

/* Has what this thread starts for a case of one thread run on one of its cores, another one in the
 * next turns, and gives all that it had; not beside archived times, which were of any core. Cores
 * differ by more than programs: another program may run beside one of them, or the same core's
 * other half. */
static cpu_set_t keep_to_core(const tess_gate *gate, const tess_gate_case *one) {
    cpu_set_t all, chosen;
    CPU_ZERO(&all);
    CPU_ZERO(&chosen);
    if (sched_getaffinity(0, sizeof all, &all) != 0 || !gate->reference || !is_of_one_thread(one))
        return all;
    int64_t left = (one - gate->cases + one->n / 2) % CPU_COUNT(&all);
    for (size_t core = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, &all) && left-- == 0)
            CPU_SET(core, &chosen);
    sched_setaffinity(0, sizeof chosen, &chosen);
    return all;
}

/* Starts both, first the one that was second in the turn before. */
static tess_status start_both(const tess_gate *gate, tess_gate_case *one) {
    for (int i = 0; i < 2; i++) {
        const bool ours = (one->n + i) % 2;
        TRY(start_standing(one, ours ? gate->program : gate->reference,
                           ours ? &one->our_standing : &one->its_standing));
    }
    return TESS_OK;
}

/* Both programs make the run ready, by processes that live on where they can open their device
 * anew; beside archived times of processes a process is timed. Two of one thread share a core,
 * which is another in the next turn. */
static tess_status start_case(const tess_gate *gate, tess_gate_case *one) {
    if (one->our_standing && one->renews) {
        tess_dialogue_say(one->our_standing, TESS_STANDING_ANEW);
        tess_dialogue_say(one->its_standing, TESS_STANDING_ANEW);
        return TESS_OK;
    }
    stop_case(one);
    if (!gate->reference || one->state != TESS_GATE_OUT_OF_TIME || one->by_processes)
        return TESS_OK;
    const cpu_set_t all = keep_to_core(gate, one);
    const tess_status status = start_both(gate, one);
    sched_setaffinity(0, sizeof all, &all);
    return status;
}

/* Whether the reference's arrays lie at the same places of their pages in each turn: where they lie
 * makes a loop of the host some percent slower or faster, which no number of turns averages. */
static bool places_stay(const tess_gate_case *one, const char *answer) {
    return is_on_host(one) && (one->by_processes || strcmp(answer, TESS_STANDING_READY) == 0);
}

/* Waits until both stand by. Where one does not, each turn is a process, which says what is wrong:
 * the reference is asked first, since it may be of a version that cannot. */
static tess_status await_case(tess_gate_case *one, double end) {
    tess_dialogue *const both[] = {one->its_standing, one->our_standing};
    const char *answer = "";
    one->renews = true;
    for (int i = 0; i < 2 && one->our_standing; i++) {
        const double left = fmax(end - tess_clock_seconds(), 1e-3);
        one->by_processes = tess_dialogue_ask(both[i], "", left, &answer) != TESS_OK;
        if (one->by_processes)
            stop_case(one);
        else
            one->renews &= strcmp(answer, TESS_STANDING_RENEWS) == 0;
        if (i == 0)
            one->stays = places_stay(one, answer);
    }
    return tess_interrupt_check();
}

/* Asks a run that stands by; *seconds is NAN where that failed, and `said` is why. */
static tess_status ask_once(tess_dialogue *standing, double *seconds, char said[600]) {
    const char *answer = "nan";
    const tess_status status = tess_dialogue_ask(standing, "time", 0, &answer);
    snprintf(said, 600, "%s", status == TESS_OK ? answer : tess_message());
    const double number = strtod(answer, NULL);
    *seconds = number > 0 ? number : NAN;
    return tess_interrupt_check();
}

/* Asks a process of ours and one of the reference for a time each, again and again, one after the
 * other, each with data that lie elsewhere, until the clock says `end`. What slows a machine down
 * for a while slows down both of a pair, so pairs are compared: ours is their ratio times the
 * reference's. Ends at the first that fails. */
static tess_status ask_both(tess_gate_case *one, double end, tess_turn *turn) {
    tess_dialogue *const standing[] = {one->its_standing, one->our_standing};
    double times[2][1000];
    const int most = (int)(sizeof times[0] / sizeof times[0][0]);
    int n = 10; /* pairs, and more while there is time */
    for (int i = 0; i < 2 * n; i++) {
        const int who = (int)((one->n + i + i / 2) % 2);
        double *seconds = &times[who][i / 2];
        TRY(ask_once(standing[who], seconds, turn->said[who]));
        if (isnan(*seconds)) {
            turn->seconds[who] = NAN;
            return TESS_OK;
        }
        if (i == 2 * n - 1 && n < most && tess_clock_seconds() < end)
            n++;
    }
    const double ratio = tess_ratio_of_pairs(times[REFERENCE], times[OURS], n);
    turn->seconds[REFERENCE] = tess_trimmed_mean(times[REFERENCE], n);
    turn->seconds[OURS] = ratio * turn->seconds[REFERENCE];
    return TESS_OK;
}

/* The option that has a process take samples for a fifth of a second, by the times of the turn
 * before; empty where it does anyway, or beside archived times, whose processes took what is asked.
 */
static void ask_samples(const tess_gate *gate, const tess_gate_case *one, char option[32]) {
    static const char prefix[] = "--samples=";
    double asked = 0, wanted = 0;
    for (char **word = one->words; *word; word++)
        if (strncmp(*word, prefix, strlen(prefix)) == 0)
            asked = strtod(*word + strlen(prefix), NULL);
    if (gate->reference && one->n > 0)
        wanted = fmin(0.2 / one->reference[one->n - 1], 1000);
    *option = '\0';
    if (wanted > asked)
        snprintf(option, 32, "%s%.0f", prefix, wanted);
}

/* Runs a case by a process of its own; *seconds is NAN where that failed, and `said` is why. */
static tess_status time_process(const tess_gate *gate, const tess_gate_case *one,
                                const char *program, double *seconds, char said[600]) {
    tess_status status = TESS_OK;
    char samples[32], none[] = "", **argv = NULL;
    int ended = 0;
    FILE *printed = tmpfile(), *errors = tmpfile();
    if (!printed || !errors)
        CHECK(tess_fail(TESS_ERROR_IO, "no file for what a run prints"));
    ask_samples(gate, one, samples);
    CHECK(words_of(one, program, (char *[2]){samples, none}, &argv));
    CHECK(tess_process_run(
        &(tess_process_call){.program = program, .argv = argv, .output = printed, .errors = errors},
        &ended));
    *seconds = WIFEXITED(ended) && WEXITSTATUS(ended) == 0 ? time_printed(printed) : NAN;
    tess_process_tail(errors, said, 600);
    if (isnan(*seconds) && !*said)
        snprintf(said, 600,
                 WIFSIGNALED(ended)   ? "ended by signal %d"
                 : WEXITSTATUS(ended) ? "exit code %d"
                                      : "exit code %d, but it prints no run that passed, as JSON",
                 WIFSIGNALED(ended) ? WTERMSIG(ended) : WEXITSTATUS(ended));
done:
    free(argv);
    if (printed)
        fclose(printed);
    if (errors)
        fclose(errors);
    return status;
}

/* Each by a process of its own; who comes first changes with the number of the turn. */
static tess_status time_both(const tess_gate *gate, tess_gate_case *one, tess_turn *turn) {
    const char *const programs[] = {gate->reference, gate->program};
    tess_status status = TESS_OK;
    const cpu_set_t all = keep_to_core(gate, one);
    for (int i = 0; i < 2 && status == TESS_OK; i++) {
        const int who = (int)((one->n + i) % 2);
        if (programs[who])
            status = time_process(gate, one, programs[who], &turn->seconds[who], turn->said[who]);
    }
    sched_setaffinity(0, sizeof all, &all);
    return status;
}

static tess_sequential_test test_of(const tess_gate *gate) {
    return (tess_sequential_test){.limit = gate->limit, .error = TESS_GATE_ERROR / (double)gate->n};
}

static void judge(const tess_gate *gate, tess_gate_case *one) {
    static const tess_gate_state states[] = {[TESS_SEQUENTIAL_OPEN] = TESS_GATE_OUT_OF_TIME,
                                             [TESS_SEQUENTIAL_SLOWER] = TESS_GATE_SLOWER,
                                             [TESS_SEQUENTIAL_SAME] = TESS_GATE_SAME};
    const tess_sequential_test test = test_of(gate);
    one->found = gate->reference ? tess_sequential_pairs(&test, one->reference, one->ours, one->n)
                                 : tess_sequential_apart(&test, one->archived, one->n_archived,
                                                         one->ours, one->n);
    one->state = states[one->found.verdict];
}

static const char PLACES_STAY[] =
    "or its arrays lie worse: the reference's lie at the same places in each process";

/* A turn that asks for so many seconds, where both stand by. */
static tess_status take_turn(const tess_gate *gate, tess_gate_case *one, double asks) {
    tess_turn turn = {.seconds = {0, 0}};
    TRY(TESS_RESERVE(one->n + 1, &one->capacity_reference, &one->reference));
    TRY(TESS_RESERVE(one->n + 1, &one->capacity_ours, &one->ours));
    TRY(one->our_standing ? ask_both(one, tess_clock_seconds() + asks, &turn)
                          : time_both(gate, one, &turn));
    for (int who = REFERENCE; who <= OURS; who++) {
        if (!isnan(turn.seconds[who]))
            continue;
        one->state = who == OURS ? TESS_GATE_FAILED : TESS_GATE_NO_REFERENCE;
        return tess_text_copy(turn.said[who], &one->reason);
    }
    one->reference[one->n] = turn.seconds[REFERENCE];
    one->ours[one->n++] = turn.seconds[OURS];
    judge(gate, one);
    return one->state == TESS_GATE_SLOWER && one->stays ? tess_text_copy(PLACES_STAY, &one->reason)
                                                        : TESS_OK;
}

/* Some cases, which have their turns until the clock says `end`. */
typedef struct gate_group {
    tess_gate_case *cases;
    int64_t n;
    double end, longest; /* turn, in seconds */
    double ready;        /* seconds that a case took of the last making ready */
    double most;         /* seconds that a turn asks */
} gate_group;

/* Has the open cases made ready, a few at the same time. */
static tess_status stand_by(const tess_gate *gate, gate_group *group) {
    const int64_t ahead = sysconf(_SC_NPROCESSORS_ONLN) / 2;
    for (int64_t i = 0; i < group->n + ahead; i++) {
        if (i < group->n)
            TRY(start_case(gate, &group->cases[i]));
        if (i >= ahead)
            TRY(await_case(&group->cases[i - ahead], group->end));
    }
    return TESS_OK;
}

/* A turn of each case that is open, unless the time left is less than the longest turn took. */
static tess_status take_round(tess_gate *gate, gate_group *group, bool *goes_on) {
    *goes_on = false;
    for (int64_t i = 0; i < group->n; i++) {
        tess_gate_case *one = &group->cases[i];
        const double now = tess_clock_seconds();
        if (one->state != TESS_GATE_OUT_OF_TIME)
            continue;
        if (now + group->longest > group->end)
            return TESS_OK;
        tess_progress_set(gate->n - tess_gate_count(gate, TESS_GATE_OUT_OF_TIME), gate->n, "%s",
                          one->name);
        TRY(take_turn(gate, one, fmin((one->renews ? 1 : 4) * group->ready, group->most)));
        one->seconds += tess_clock_seconds() - now + group->ready;
        if (one->state != TESS_GATE_OUT_OF_TIME || !one->renews)
            stop_case(one);
        group->longest = fmax(group->longest, tess_clock_seconds() - now);
        *goes_on |= one->state == TESS_GATE_OUT_OF_TIME;
    }
    return TESS_OK;
}

/* Each turn is of processes of its own, or of devices that are opened anew: two turns of one differ
 * by less than two do, so that they would tell the test more than they know. Where a device is
 * opened anew a turn asks for as long as that takes: whatever two devices and two times differ by,
 * no other share decides in half of the time. Means of processes hardly differ, so that these are
 * asked for four times as long. */
static tess_status take_rounds(tess_gate *gate, gate_group *group) {
    for (bool goes_on = true; goes_on;) {
        double clock = tess_clock_seconds();
        int64_t n_open = 0;
        for (int64_t i = 0; i < group->n; i++)
            n_open += group->cases[i].state == TESS_GATE_OUT_OF_TIME;
        if (clock + group->ready * (double)n_open > group->end)
            return TESS_OK;
        TRY(stand_by(gate, group));
        group->ready = tess_clock_lap(&clock) / (double)n_open;
        TRY(take_round(gate, group, &goes_on));
    }
    return TESS_OK;
}

/* Processes that are made ready beside each other share the cores, unless these are what runs. */
static void share_cores(const tess_gate *gate) {
    const int64_t cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int64_t n = gate->n < gate->at_once ? gate->n : gate->at_once;
    char threads[32];
    for (int64_t i = 0; i < gate->n; i++)
        if (is_on_host(&gate->cases[i]) && !has_word(&gate->cases[i], "--strategy=sequential"))
            return;
    snprintf(threads, sizeof threads, "%lld", (long long)(cores > 2 * n ? cores / (2 * n) : 1));
    setenv("OMP_NUM_THREADS", threads, 0);
}

tess_status tess_gate_run(tess_gate *gate) {
    share_cores(gate);
    const double began = tess_clock_seconds(), end = began + gate->budget;
    tess_status status = TESS_OK;
    tess_progress_begin("cases decided");
    for (int64_t i = 0; i < gate->n && status == TESS_OK; i += gate->at_once) {
        const int64_t n = gate->n - i < gate->at_once ? gate->n - i : gate->at_once;
        const double now = tess_clock_seconds();
        const double share = (end - now) * (double)n / (double)(gate->n - i);
        gate_group group = {
            .cases = gate->cases + i,
            .n = n,
            .end = now + share,
            .most = share / 20 / (double)n, /* ten rounds, if half makes ready */
        };
        status = take_rounds(gate, &group);
        for (int64_t k = 0; k < n; k++)
            stop_case(&group.cases[k]);
    }
    tess_progress_end();
    gate->seconds = tess_clock_seconds() - began;
    return status;
}

double tess_gate_wanted(const tess_gate *gate, const tess_gate_case *one) {
    const tess_sequential_test test = test_of(gate);
    if (one->state != TESS_GATE_OUT_OF_TIME || !gate->reference)
        return NAN;
    const int64_t turns = tess_sequential_pairs_wanted(&test, one->reference, one->ours, one->n);
    return turns < 0 ? NAN : (double)turns * one->seconds / (double)one->n;
}

int64_t tess_gate_count(const tess_gate *gate, tess_gate_state state) {
    int64_t n = 0;
    for (int64_t i = 0; i < gate->n; i++)
        n += gate->cases[i].state == state;
    return n;
}

void tess_gate_clear(tess_gate *gate) {
    for (int64_t i = 0; i < gate->n; i++) {
        tess_gate_case *one = &gate->cases[i];
        free(one->name);
        tess_words_free(one->words);
        free(one->archived);
        free(one->reference);
        free(one->ours);
        free(one->reason);
    }
    free(gate->cases);
    *gate = (tess_gate){.n = 0};
}
