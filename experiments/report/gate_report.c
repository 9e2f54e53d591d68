/* A report of a gate: a table for people, JUnit's XML for CI. */
#include "experiments/report/gate_report.h"

#include "core/base/json.h"
#include "core/base/plain_text.h"
#include "core/base/whole_file.h"
#include "experiments/report/table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static tess_status add_row(tess_table *table, const tess_gate_case *one) {
    TRY(tess_table_add_row(table));
    TRY(tess_table_add_cell(table, "%s", tess_gate_state_name(one->state)));
    TRY(tess_table_add_number(table, "%.4f", one->found.ratio));
    TRY(tess_table_add_interval(table, "%.4f .. %.4f", one->found.low, one->found.high));
    TRY(tess_table_add_cell(table, "%lld", (long long)one->n));
    const char *reason = one->reason ? one->reason : "";
    return tess_table_add_cell(table, "%s%s%.*s%s", one->name, *reason ? ": " : "",
                               (int)strcspn(reason, "\n"), reason,
                               strchr(reason, '\n') ? " ..." : "");
}

/* What a compiler said, say, which is more than a line. */
static void print_long_reasons(const tess_gate *gate, FILE *stream) {
    for (int64_t i = 0; i < gate->n; i++) {
        const tess_gate_case *one = &gate->cases[i];
        if (!one->reason || !strchr(one->reason, '\n'))
            continue;
        json_t *name = tess_json_text(one->name), *reason = tess_json_text(one->reason); /* UTF-8 */
        if (name && reason)
            tess_plain_print(stream, "\n%s:\n%s\n", json_string_value(name),
                             json_string_value(reason));
        json_decref(name);
        json_decref(reason);
    }
}

/* What would decide those that are out of time, if turns go on as they did. */
static void print_wanted(const tess_gate *gate, FILE *stream) {
    double seconds = 0;
    for (int64_t i = 0; i < gate->n; i++) {
        const double wanted = tess_gate_wanted(gate, &gate->cases[i]);
        seconds += isnan(wanted) ? 0 : wanted;
    }
    if (seconds > 0)
        fprintf(stream,
                "some %.0f s more are likely to decide what is out of time: --budget %.0fs\n",
                ceil(seconds), ceil(gate->seconds + seconds));
}

tess_status tess_gate_report_print(const tess_gate *gate, FILE *stream) {
    static const tess_gate_state order[] = {TESS_GATE_FAILED, TESS_GATE_SLOWER,
                                            TESS_GATE_NO_REFERENCE, TESS_GATE_OUT_OF_TIME,
                                            TESS_GATE_SAME};
    const int64_t n_lacking = tess_gate_count(gate, TESS_GATE_NO_REFERENCE);
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    CHECK(tess_table_new(
        TESS_TITLES("verdict", ">time / reference", ">95 % interval", ">turns", "run"), &table));
    for (int k = 0; k < TESS_GATE_STATES; k++)
        for (int64_t i = 0; i < gate->n; i++)
            if (gate->cases[i].state == order[k])
                CHECK(add_row(table, &gate->cases[i]));
    CHECK(tess_table_print(table, stream));
    fprintf(stream, "%lld slower, %lld failed, %lld the same, %lld out of time",
            (long long)tess_gate_count(gate, TESS_GATE_SLOWER),
            (long long)tess_gate_count(gate, TESS_GATE_FAILED),
            (long long)tess_gate_count(gate, TESS_GATE_SAME),
            (long long)tess_gate_count(gate, TESS_GATE_OUT_OF_TIME));
    if (n_lacking)
        fprintf(stream, ", %lld without a reference", (long long)n_lacking);
    fprintf(stream, "; limit %.3g %%, %.0f s\n", 100 * gate->limit, gate->seconds);
    print_wanted(gate, stream);
    print_long_reasons(gate, stream);
done:
    tess_table_free(table);
    return status;
}

/* A text as XML has it: what it does not know is a '?', as is what is no UTF-8. */
static void print_escaped(const char *text, FILE *stream) {
    json_t *clean = tess_json_text(text);
    const char *utf8 = json_string_value(clean);
    for (const unsigned char *c = (const unsigned char *)(utf8 ? utf8 : ""); *c; c++) {
        if (strchr("<>&\"'", *c))
            fprintf(stream, "&#%d;", *c);
        else
            fputc(*c < 0x20 ? (strchr("\t\n\r", *c) ? ' ' : '?') : *c, stream);
    }
    json_decref(clean);
}

/* What JUnit has of a case that did not pass; some readers show its attribute, some its text. */
static void print_outcome(const char *element, const char *type, const char *message,
                          FILE *stream) {
    fprintf(stream, "<%s type=\"%s\" message=\"", element, type);
    print_escaped(message, stream);
    fputs("\">", stream);
    print_escaped(message, stream);
    fprintf(stream, "</%s>", element);
}

static void print_case(const tess_gate *gate, const tess_gate_case *one, FILE *stream) {
    const double wanted = tess_gate_wanted(gate, one);
    const char *state = tess_gate_state_name(one->state);
    char slower[256], late[128] = "out of time";
    double seconds = 0;
    for (int64_t i = 0; i < one->n; i++)
        seconds += one->ours[i];
    snprintf(slower, sizeof slower, "%.4f times the reference (%.4f .. %.4f)%s%s", one->found.ratio,
             one->found.low, one->found.high, one->reason ? ", " : "",
             one->reason ? one->reason : "");
    if (wanted > 0)
        snprintf(late, sizeof late, "out of time: some %.0f s more are likely to decide it",
                 wanted);
    fputs("  <testcase classname=\"tess gate\" name=\"", stream);
    print_escaped(one->name, stream);
    fprintf(stream, "\" time=\"%.9g\">", one->n ? seconds / (double)one->n : 0);
    if (one->state == TESS_GATE_SLOWER)
        print_outcome("failure", state, slower, stream);
    if (one->state == TESS_GATE_OUT_OF_TIME)
        print_outcome("skipped", state, late, stream);
    if (one->state == TESS_GATE_FAILED || one->state == TESS_GATE_NO_REFERENCE)
        print_outcome("error", state, one->reason, stream);
    fputs("</testcase>\n", stream);
}

tess_status tess_gate_junit_write(const tess_gate *gate, const char *path) {
    tess_status status = TESS_OK;
    tess_whole_file file = {.path = NULL};
    CHECK(tess_whole_file_open(path, &file));
    fprintf(file.stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"tess gate\" "
            "tests=\"%lld\" failures=\"%lld\" errors=\"%lld\" skipped=\"%lld\" time=\"%.3f\">\n",
            (long long)gate->n, (long long)tess_gate_count(gate, TESS_GATE_SLOWER),
            (long long)(tess_gate_count(gate, TESS_GATE_FAILED) +
                        tess_gate_count(gate, TESS_GATE_NO_REFERENCE)),
            (long long)tess_gate_count(gate, TESS_GATE_OUT_OF_TIME), gate->seconds);
    for (int64_t i = 0; i < gate->n; i++)
        print_case(gate, &gate->cases[i], file.stream);
    fputs("</testsuite>\n", file.stream);
    CHECK(tess_whole_file_keep(&file));
done:
    tess_whole_file_release(&file);
    return status;
}

static json_t *times_json(const double *times, int64_t n) {
    json_t *list = json_array();
    for (int64_t i = 0; times && i < n; i++)
        json_array_append_new(list, json_real(times[i]));
    return list;
}

static json_t *case_json(const tess_gate *gate, const tess_gate_case *one) {
    const bool in_turns = gate->reference;
    return json_pack(
        "{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "run", tess_json_text(one->name),
        "verdict", tess_gate_state_name(one->state), "ratio", tess_json_number(one->found.ratio),
        "low", tess_json_number(one->found.low), "high", tess_json_number(one->found.high),
        "reference",
        times_json(in_turns ? one->reference : one->archived, in_turns ? one->n : one->n_archived),
        "times", times_json(one->ours, one->n), "reason", tess_json_text(one->reason),
        "wanted_seconds", tess_json_number(tess_gate_wanted(gate, one)));
}

json_t *tess_gate_report_json(const tess_gate *gate) {
    json_t *cases = json_array();
    for (int64_t i = 0; i < gate->n; i++)
        json_array_append_new(cases, case_json(gate, &gate->cases[i]));
    return json_pack("{s:s, s:f, s:f, s:o}", "schema", "tess.gate/1", "limit", gate->limit,
                     "seconds", gate->seconds, "cases", cases);
}
