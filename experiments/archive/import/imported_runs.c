/* Imported runs: records of what another program has measured, under its own names. */
#include "experiments/archive/import/imported_runs.h"

#include "core/base/array.h"
#include "core/base/json.h"
#include "experiments/archive/digest.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char source[] = "import";

void tess_imported_runs_clear(tess_imported_runs *runs) {
    for (int64_t i = 0; i < runs->n; i++)
        tess_record_free(runs->runs[i]);
    free(runs->runs);
    json_decref(runs->keys);
    *runs = (tess_imported_runs){0};
}

bool tess_imported_run_find(tess_imported_runs *runs, const char *key, tess_record **out) {
    json_t *position = json_object_get(runs->keys, key);
    if (position) {
        *out = runs->runs[json_integer_value(position)];
        return true;
    }
    if (!runs->keys)
        runs->keys = json_object();
    json_object_set_new_nocheck(runs->keys, key, json_integer(runs->n)); /* any bytes */
    return false;
}

/* A text as settings have it: UTF-8, at most 255 bytes. */
static tess_status set_text(tess_record *run, const char *name, const char *text) {
    char cut[256];
    snprintf(cut, sizeof cut, "%.255s", text);
    json_t *clean = tess_json_text(cut);
    const tess_status status =
        tess_values_set_text(&run->configuration, name, clean ? json_string_value(clean) : "");
    json_decref(clean);
    return status;
}

tess_status tess_imported_run_add(tess_imported_runs *runs, const char *application,
                                  const char *loop, tess_record **out) {
    tess_status status = TESS_OK;
    tess_record *run = NULL;
    CHECK(tess_record_new_blank(&run));
    CHECK(set_text(run, "application", application));
    CHECK(set_text(run, "loop", loop));
    CHECK(tess_values_set_text(&run->environment, "import_format", runs->importer));
    CHECK(tess_values_set_text(&run->environment, "import_file", runs->path));
    CHECK(TESS_RESERVE(runs->n + 1, &runs->capacity, &runs->runs));
    *out = runs->runs[runs->n++] = TESS_TAKE(run);
done:
    tess_record_free(run);
    return status;
}

/* Seconds that an offset such as "+01:00" or "-0530" is ahead; 0 of "Z" and of none. */
static long offset_seconds(const char *text) {
    int hours = 0, minutes = 0;
    if ((*text != '+' && *text != '-') || sscanf(text + 1, "%2d%*[:]%2d", &hours, &minutes) < 1)
        return 0;
    if (minutes == 0)
        (void)sscanf(text + 3, "%2d", &minutes);
    return (*text == '-' ? -60L : 60L) * (60L * hours + minutes);
}

tess_status tess_imported_run_set_milliseconds(tess_record *run, double since_1970) {
    const time_t seconds = (time_t)(since_1970 / 1000);
    struct tm parts;
    char text[TESS_TIME_SIZE];
    if (!(since_1970 > 0 && since_1970 < 253402300800e3) || !gmtime_r(&seconds, &parts))
        return tess_record_log(run, "time: %.17g ms since 1970", since_1970);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(run->time, sizeof run->time, "%.19s.%03uZ", text,
             (unsigned)fmod(since_1970, 1000) % 1000);
    return TESS_OK;
}

tess_status tess_imported_run_set_time(tess_record *run, const char *iso) {
    struct tm parts = {0};
    const char *rest = strptime(iso, "%Y-%m-%d", &parts);
    rest = rest && (*rest == 'T' || *rest == ' ') ? strptime(rest + 1, "%H:%M:%S", &parts) : NULL;
    if (!rest)
        return tess_record_log(run, "time: %s", iso);
    double fraction = 0;
    if (*rest == '.') {
        char *end = NULL;
        fraction = strtod(rest, &end);
        rest = end;
    }
    const time_t seconds = timegm(&parts) - offset_seconds(rest);
    return tess_imported_run_set_milliseconds(run, 1e3 * ((double)seconds + fraction));
}

/* A name as runs can be asked for it: columns are separated by ',', and '@' is before a source. */
static bool is_name(const char *name, size_t size) {
    return *name && strlen(name) < size && !name[strcspn(name, ",@\n")];
}

tess_status tess_imported_run_set(tess_record *run, const char *name, const char *text) {
    if (!is_name(name, TESS_NAME_SIZE))
        return tess_record_log(run, "%s: %s", name, text);
    char *end = NULL;
    const double number = strtod(text, &end);
    const bool is_number =
        end != text && !*end && isfinite(number) && !isspace((unsigned char)*text);
    return is_number ? tess_values_set_number(&run->configuration, name, number, "1")
                     : set_text(run, name, text);
}

static tess_status print_json(const char *name, json_t *value, char **out) {
    *out = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (!*out)
        FAIL(TESS_ERROR_MEMORY, "out of memory for '%s'", name);
    return TESS_OK;
}

tess_status tess_imported_run_log_json(tess_record *run, const char *name, json_t *value) {
    char *text = NULL;
    TRY(print_json(name, value, &text));
    const tess_status status = tess_record_log(run, "%s: %s", name, text);
    free(text);
    return status;
}

tess_status tess_imported_run_set_json(tess_record *run, const char *name, json_t *value) {
    if (!value)
        return TESS_OK; /* the file does not say it */
    if (json_is_string(value))
        return tess_imported_run_set(run, name, json_string_value(value));
    if (json_is_object(value) || json_is_array(value))
        return tess_imported_run_log_json(run, name, value);
    char *text = NULL;
    TRY(print_json(name, value, &text));
    const tess_status status = tess_imported_run_set(run, name, text);
    free(text);
    return status;
}

double tess_time_unit_seconds(const char *unit) {
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"s", 1},
                 {"sec", 1},
                 {"second", 1},
                 {"seconds", 1},
                 {"ms", 1e-3},
                 {"msecond", 1e-3},
                 {"millisecond", 1e-3},
                 {"milliseconds", 1e-3},
                 {"us", 1e-6},
                 {"µs", 1e-6}, /* the micro sign */
                 {"μs", 1e-6}, /* the Greek letter */
                 {"usecond", 1e-6},
                 {"microsecond", 1e-6},
                 {"microseconds", 1e-6},
                 {"ns", 1e-9},
                 {"nsecond", 1e-9},
                 {"nanosecond", 1e-9},
                 {"nanoseconds", 1e-9}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].unit, unit) == 0)
            return units[i].seconds;
    return 0;
}

/* Seconds instead of other units of time. */
static void to_seconds(const char **unit, double *value) {
    const double seconds = tess_time_unit_seconds(*unit);
    if (seconds > 0) {
        *value *= seconds;
        *unit = "s";
    }
}

tess_status tess_imported_run_measure(tess_record *run, const char *name, const char *unit,
                                      double value) {
    to_seconds(&unit, &value);
    if (!is_name(name, TESS_METRIC_NAME_SIZE) || strlen(unit) >= TESS_NAME_SIZE)
        return tess_record_log(run, "%s: %.17g %s", name, value, unit);
    return tess_record_add_measure(run, name, unit, source, value);
}

tess_status tess_imported_run_sample(tess_record *run, const char *given, const char *unit,
                                     double value) {
    char name[TESS_NAME_SIZE + 1]; /* one more, so that what is cut is refused */
    to_seconds(&unit, &value);
    snprintf(name, sizeof name, "%s", given);
    for (char *c = name; *c; c++)
        *c = *c == '/' ? ':' : *c; /* a series is a file's dataset, which has no '/' */
    if (!is_name(name, TESS_NAME_SIZE) || strlen(unit) >= TESS_NAME_SIZE || !isfinite(value))
        return tess_record_log(run, "%s: %.17g %s", given, value, unit);
    return tess_record_add_sample(run, name, unit, value);
}

tess_status tess_imported_run_fail(tess_record *run, const char *why) {
    return tess_record_set_check(run, TESS_FAILED, why);
}

/* All that the file says of a run, but where the file lies. */
static tess_status digest_of(const tess_record *run, char digest[TESS_DIGEST_SIZE]) {
    tess_status status = TESS_OK;
    tess_hash *hash = NULL;
    char *text = NULL;
    json_t *object = tess_record_json(run);
    json_t *environment = json_object_get(object, "environment");
    json_object_del(environment, "import_file");
    text = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
    if (!text)
        CHECK(tess_fail(TESS_ERROR_MEMORY, "out of memory for an imported run"));
    CHECK(tess_hash_new("import", &hash));
    CHECK(tess_hash_text(hash, text));
    CHECK(tess_hash_finish(hash, digest));
done:
    json_decref(object);
    free(text);
    tess_hash_free(hash);
    return status;
}

tess_status tess_imported_runs_finish(tess_imported_runs *runs) {
    tess_status status = TESS_OK;
    json_t *seen = json_object();
    int64_t n = 0;
    for (int64_t i = 0; i < runs->n; i++) {
        tess_record *run = runs->runs[i];
        char digest[TESS_DIGEST_SIZE];
        CHECK(digest_of(run, digest));
        CHECK(tess_values_set_text(&run->environment, "import_digest", digest));
        if (!*run->time)
            tess_record_date(run);
        runs->runs[i] = NULL;
        if (json_object_get(seen, digest))
            tess_record_free(run);
        else
            runs->runs[n++] = run;
        json_object_set_new(seen, digest, json_true());
    }
    runs->n = n;
done:
    json_decref(seen);
    return status;
}
