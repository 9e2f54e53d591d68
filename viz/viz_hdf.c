/* In situ as files: a VTKHDF file a step and channel, and a .hdf.series that tells their times. */
#include "core/base/array.h"
#include "core/base/stream_text.h"
#include "core/base/whole_file.h"
#include "viz/viz.h"
#include "viz/vtkhdf_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One channel's steps so far. */
typedef struct series {
    char *name;
    int64_t n, capacity;
    struct entry {
        int64_t cycle;
        double time;
    } * entries;
} series;

typedef struct session {
    char *folder;
    int n_series;
    series *series;
} session;

static tess_status probe(void) {
    return TESS_OK;
}

static tess_status close_session(void *state) {
    session *s = state;
    for (int i = 0; i < s->n_series; i++) {
        free(s->series[i].name);
        free(s->series[i].entries);
    }
    free(s->series);
    free(s->folder);
    free(s);
    return TESS_OK;
}

static tess_status open_session(const tess_viz_setting *setting, void **out) {
    tess_status status = TESS_OK;
    session *s = NULL;
    CHECK(TESS_ZEROS(1, &s));
    CHECK(tess_text_copy(setting->folder, &s->folder));
    CHECK(TESS_ZEROS(setting->n_channels, &s->series));
    for (; s->n_series < setting->n_channels; s->n_series++)
        CHECK(tess_text_copy(setting->channels[s->n_series], &s->series[s->n_series].name));
    *out = TESS_TAKE(s);
done:
    if (s)
        status = close_session(s) == TESS_OK ? status : TESS_ERROR_INTERNAL;
    return status;
}

static tess_status write_step(const session *s, const series *to, const tess_viz_step *step,
                              const tess_viz_channel *channel) {
    char *path = NULL;
    TRY(tess_text_print(&path, "%s/%s_%06lld.hdf", s->folder, to->name, (long long)step->cycle));
    const tess_status status =
        tess_vtkhdf_write_step(channel->view, channel->n_fields, channel->fields, path);
    free(path);
    return status;
}

/* Writes NAME.hdf.series anew. */
static tess_status write_series(const session *s, const series *of) {
    tess_status status = TESS_OK;
    char *path = NULL, *text = NULL;
    tess_printed list;
    CHECK(tess_text_print(&path, "%s/%s.hdf.series", s->folder, of->name));
    CHECK(tess_printed_open(&list));
    fprintf(list.stream, "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [");
    for (int64_t i = 0; i < of->n; i++)
        fprintf(list.stream, "%s\n    {\"name\": \"%s_%06lld.hdf\", \"time\": %.17g}", i ? "," : "",
                of->name, (long long)of->entries[i].cycle, of->entries[i].time);
    fprintf(list.stream, "\n  ]\n}\n");
    CHECK(tess_printed_close(&list, TESS_OK, &text));
    CHECK(tess_whole_file_write(path, text, list.size));
done:
    free(text);
    free(path);
    return status;
}

static tess_status execute(void *state, const tess_viz_step *step) {
    session *s = state;
    for (int c = 0; c < step->n_channels; c++) {
        const tess_viz_channel *channel = &step->channels[c];
        series *to = s->series;
        while (to < s->series + s->n_series && strcmp(to->name, channel->name) != 0)
            to++;
        if (to == s->series + s->n_series)
            FAIL(TESS_ERROR_INTERNAL, "channel '%s' was not announced", channel->name);
        TRY(write_step(s, to, step, channel));
        TRY(TESS_RESERVE(to->n + 1, &to->capacity, &to->entries));
        to->entries[to->n++] = (struct entry){.cycle = step->cycle, .time = step->time};
        TRY(write_series(s, to));
    }
    return TESS_OK;
}

const tess_viz_kind tess_viz_hdf = {
    .name = "hdf",
    .summary = "VTKHDF files and a .hdf.series with their times",
    .probe = probe,
    .open = open_session,
    .execute = execute,
    .close = close_session,
};
