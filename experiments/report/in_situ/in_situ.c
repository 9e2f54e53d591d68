/* In situ: what a command shows while it works, through viz/, as its command line asks. */
#include "experiments/report/in_situ/in_situ.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/interrupt.h"
#include "experiments/report/in_situ/picture_option.h"
#include "experiments/report/progress_line.h"
#include "viz/paraview.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static tess_status read_numbers(const char *option, const char *value, void *numbers) {
    TRY(tess_picture_option_check(option, value));
    *(const char **)numbers = value;
    return TESS_OK;
}

const tess_option_row tess_in_situ_rows[] = {
    {"catalyst", 0, "SCRIPT[,SCRIPT...]",
     "Show every step through these Catalyst scripts; viz/scripts holds blocks.py, "
     "partitioning.py, solution.py and live.py",
     10, TESS_KEPT(tess_in_situ_options, scripts)},
    {"catalyst-every", 0, "N", "Show every Nth step (default: 1; by march each row)", 10,
     TESS_KEPT(tess_in_situ_options, every), .least = 1, .most = INT64_MAX},
    {"viz", 0, "auto|catalyst2|paraview|hdf|off",
     "How: any libcatalyst, ParaView's in-situ library, or files without scripts (default: auto "
     "where there are scripts, else off)",
     10, TESS_KEPT(tess_in_situ_options, kind)},
    {"viz-folder", 0, "DIR", "Where its files go (default: tess-viz)", 10,
     TESS_KEPT(tess_in_situ_options, folder)},
    {"viz-field", 0, "NAME", "What solution.py shows (default: density, pressure or what there is)",
     10, TESS_KEPT(tess_in_situ_options, field)},
    {"viz-range", 0, "LOW,HIGH", "Range of its colours (default: that of each step)", 10,
     TESS_READ_BY(read_numbers, tess_in_situ_options, range)},
    {"viz-window", 0, "X0,X1,Y0,Y1", "Part of a flat mesh that pictures show", 10,
     TESS_READ_BY(read_numbers, tess_in_situ_options, window)},
    {"wait", 0, "SECONDS", "Wait so long at the first step for a ParaView that connects to live.py",
     10, TESS_KEPT(tess_in_situ_options, wait)},
    {0}};

struct tess_in_situ {
    tess_viz *viz;
    int n_channels;
    char **channels;        /* [n_channels] names */
    tess_view_mesh **views; /* [n_channels] what each shows now, or NULL */
    int64_t cycle, every, n_seen;
    double seconds; /* of showing, since the last watch */
    tess_observer observer;
    int watched; /* channel */
    const tess_mesh *mesh;
    char set[TESS_NAME_SIZE];
    double wait;               /* s, for a ParaView that watches; 0 once it has been waited for */
    bool is_quiet, is_watched; /* says nothing; a ParaView is connected */
    tess_status failure;       /* the first; nothing is shown after it */
    char *words;
};

bool tess_in_situ_wanted(const tess_in_situ_options *asked) {
    return asked->kind ? strcmp(asked->kind, "off") != 0
                       : asked->scripts || asked->field || asked->range || asked->window;
}

static tess_status in_situ_free(tess_in_situ *in_situ) {
    const tess_status status = tess_viz_close(in_situ->viz);
    for (int c = 0; c < in_situ->n_channels; c++) {
        free(in_situ->channels[c]);
        tess_view_mesh_free(in_situ->views[c]);
    }
    free(in_situ->channels);
    free(in_situ->views);
    free(in_situ->words);
    free(in_situ);
    return status;
}

/* Gives "metis_128" for a partitioner and a block size; what a channel cannot be called is '_'. */
static tess_status channel_name(const tess_experiment *experiment, char **out) {
    if (asprintf(out, "%s_%lld", experiment->partitioner.text, (long long)experiment->block_size) <
        0) {
        *out = NULL;
        FAIL(TESS_ERROR_MEMORY, "out of memory for the name of a channel");
    }
    for (char *c = *out; *c; c++)
        *c = isalnum((unsigned char)*c) ? *c : '_';
    return TESS_OK;
}

static tess_status name_channels(tess_in_situ *in_situ, const tess_experiment *experiments, int n,
                                 int stride) {
    TRY(TESS_ZEROS(n, &in_situ->channels));
    TRY(TESS_ZEROS(n, &in_situ->views));
    for (int *c = &in_situ->n_channels; *c < n; ++*c) {
        char **name = &in_situ->channels[*c];
        TRY(n == 1 ? tess_text_copy("mesh", name) : channel_name(&experiments[*c * stride], name));
    }
    return TESS_OK;
}

/* Gives the scripts of a list with commas: files, or names of ours. */
static tess_status find_scripts(const char *list, char ***scripts, int *n) {
    tess_status status = TESS_OK;
    char *text = NULL;
    int64_t capacity = 0;
    CHECK(tess_text_copy(list, &text));
    for (char *rest = text, *name = NULL; (name = strsep(&rest, ","));) {
        CHECK(TESS_RESERVE(*n + 1, &capacity, scripts));
        char **script = &(*scripts)[*n];
        const bool ours = !strchr(name, '/') && access(name, R_OK) != 0;
        if (!ours || tess_paraview_script(name, script) != TESS_OK)
            CHECK(tess_text_copy(name, script)); /* that it cannot be read is told by viz/ */
        ++*n;
    }
done:
    free(text);
    return status;
}

/* Gives "sea.msh · mosaic, block size 128", or only the mesh where channels tell the rest. */
static tess_status title_of(const tess_experiment *experiment, int n_channels, char **out) {
    const char *slash = strchr(experiment->mesh, ':') ? NULL : strrchr(experiment->mesh, '/');
    const char *mesh = slash ? slash + 1 : experiment->mesh;
    if (n_channels > 1)
        return tess_text_copy(mesh, out);
    return tess_text_print(out, "%s · %s, block size %lld", mesh, experiment->partitioner.text,
                           (long long)experiment->block_size);
}

/* Scripts find what pictures show in the environment, as they find all else. */
static tess_status tell_pictures(const tess_in_situ_options *asked) {
    const struct {
        const char *variable, *option, *value;
    } told[] = {{"TESS_VIZ_FIELD", "field", asked->field},
                {"TESS_VIZ_RANGE", "range", asked->range},
                {"TESS_VIZ_WINDOW", "window", asked->window}};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        if (told[i].value && !asked->scripts)
            FAIL(TESS_ERROR_USAGE,
                 "--viz-%s is for the pictures of a script: add --catalyst solution.py",
                 told[i].option);
        if (told[i].value)
            setenv(told[i].variable, told[i].value, 1);
    }
    return TESS_OK;
}

tess_status tess_in_situ_open(const tess_in_situ_options *asked, bool quiet,
                              const tess_experiment *experiments, int n_channels, int stride,
                              tess_in_situ **out) {
    *out = NULL;
    TRY(tell_pictures(asked));
    if (!tess_in_situ_wanted(asked))
        return TESS_OK;
    tess_status status = TESS_OK;
    tess_in_situ *in_situ = NULL;
    char **scripts = NULL, *title = NULL;
    tess_viz_setting setting = {.folder = asked->folder ? asked->folder : "tess-viz",
                                .communicator = asked->communicator};
    CHECK(TESS_ZEROS(1, &in_situ));
    in_situ->every = asked->every ? asked->every : 1;
    CHECK(name_channels(in_situ, experiments, n_channels, stride));
    CHECK(title_of(experiments, n_channels, &title));
    setting.title = title;
    setting.n_channels = in_situ->n_channels;
    setting.channels = (const char *const *)in_situ->channels;
    if (asked->scripts)
        CHECK(find_scripts(asked->scripts, &scripts, &setting.n_scripts));
    setting.scripts = (const char *const *)scripts;
    CHECK(tess_viz_open(asked->kind ? asked->kind : "auto", &setting, &in_situ->viz));
    if (asked->wait > 0 && !tess_viz_is_live(in_situ->viz))
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "--wait waits for a ParaView that connects to a script for "
                        "Catalyst Live: add --catalyst live.py"));
    in_situ->wait = asked->wait;
    in_situ->is_quiet = quiet;
    if (!quiet)
        fprintf(stderr, "tess: in situ: %s; files go to %s\n", tess_viz_reason(in_situ->viz),
                setting.folder);
    *out = in_situ;
    in_situ = NULL;
done:
    for (int i = 0; i < setting.n_scripts; i++)
        free(scripts[i]);
    free(scripts);
    free(title);
    if (in_situ && in_situ_free(in_situ) != TESS_OK)
        status = status == TESS_OK ? TESS_ERROR_INTERNAL : status;
    return status;
}

/* Keeps the first failure. */
static void note(tess_in_situ *in_situ, tess_status status) {
    if (status == TESS_OK || in_situ->failure != TESS_OK)
        return;
    in_situ->failure = status;
    if (tess_text_copy(tess_message(), &in_situ->words) != TESS_OK)
        in_situ->words = NULL; /* the code is told without them */
}

/* Says when a ParaView has connected, or gone. */
static void tell_watched(tess_in_situ *in_situ) {
    const bool is_watched = tess_viz_is_watched(in_situ->viz);
    if (is_watched != in_situ->is_watched && !in_situ->is_quiet)
        tess_progress_line_tell("tess: in situ: a ParaView %s\n",
                                is_watched ? "has connected" : "has gone");
    in_situ->is_watched = is_watched;
}

/* Hands a step over; the first one again and again until a ParaView has connected, where it is to
 * be waited for: ParaView's library looks for it at each step alone. */
static tess_status hand_over(tess_in_situ *in_situ, const tess_viz_step *step) {
    const double end = tess_clock_seconds() + in_situ->wait;
    TRY(tess_viz_execute(in_situ->viz, step));
    tell_watched(in_situ);
    while (!in_situ->is_watched && tess_clock_seconds() < end && !tess_interrupted()) {
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
        TRY(tess_viz_execute(in_situ->viz, step));
        tell_watched(in_situ);
    }
    if (in_situ->wait > 0 && !in_situ->is_watched && !in_situ->is_quiet)
        tess_progress_line_tell("tess: in situ: no ParaView has connected in %.3g s: going on\n",
                                in_situ->wait);
    in_situ->wait = 0;
    return TESS_OK;
}

/* Hands the view, which it takes over, to a channel. */
static tess_status show(tess_in_situ *in_situ, int channel, tess_view_mesh *view) {
    tess_view_mesh *last = in_situ->views[channel];
    in_situ->views[channel] = view;
    const tess_viz_channel shown = {.name = in_situ->channels[channel], .view = view};
    const tess_viz_step step = {.cycle = in_situ->cycle,
                                .time = (double)in_situ->cycle,
                                .n_channels = 1,
                                .channels = &shown};
    in_situ->cycle++;
    const tess_status status = hand_over(in_situ, &step);
    tess_view_mesh_free(last);
    return status;
}

static tess_status show_partition(tess_in_situ *in_situ, int64_t n_elements,
                                  const int32_t *block_of) {
    int32_t last = -1;
    for (int64_t e = 0; e < n_elements; e++)
        last = block_of[e] > last ? block_of[e] : last;
    tess_view_mesh *view = NULL;
    TRY(tess_view_mesh_of_partition(in_situ->mesh, in_situ->set, last + 1, block_of, &view));
    return show(in_situ, in_situ->watched, view);
}

/* A partitioner never fails because it cannot be shown. */
static tess_status observe(void *context, const char *what, int step, int64_t n_elements,
                           const int32_t *block_of) {
    (void)what;
    (void)step;
    tess_in_situ *in_situ = context;
    const double begin = tess_clock_seconds();
    if (in_situ->failure == TESS_OK && in_situ->n_seen++ % in_situ->every == 0)
        note(in_situ, show_partition(in_situ, n_elements, block_of));
    in_situ->seconds += tess_clock_seconds() - begin;
    return TESS_OK;
}

const tess_observer *tess_in_situ_watch(tess_in_situ *in_situ, int channel, const tess_mesh *mesh,
                                        const char *set) {
    if (!in_situ)
        return NULL;
    in_situ->seconds = 0;
    in_situ->watched = channel;
    in_situ->mesh = mesh;
    snprintf(in_situ->set, sizeof in_situ->set, "%s", set);
    in_situ->observer = (tess_observer){.context = in_situ, .partition = observe};
    return &in_situ->observer;
}

double tess_in_situ_seconds(const tess_in_situ *in_situ) {
    return in_situ ? in_situ->seconds : 0;
}

void tess_in_situ_show_plan(tess_in_situ *in_situ, int channel, const tess_bound_loop *bound,
                            const tess_plan *plan, const int32_t *block_of,
                            const tess_metrics *metrics) {
    if (!in_situ || in_situ->failure != TESS_OK)
        return;
    tess_view_mesh *view = NULL;
    tess_status status = tess_view_mesh_of_plan(bound, plan, block_of, metrics, &view);
    if (status == TESS_OK)
        status = show(in_situ, channel, view);
    note(in_situ, status);
}

void tess_in_situ_set_plan(tess_in_situ *in_situ, int channel, const tess_bound_loop *bound,
                           const tess_plan *plan, const int32_t *block_of,
                           const tess_metrics *metrics) {
    if (in_situ && in_situ->failure == TESS_OK && !in_situ->views[channel])
        note(in_situ,
             tess_view_mesh_of_plan(bound, plan, block_of, metrics, &in_situ->views[channel]));
}

void tess_in_situ_set_ranks(tess_in_situ *in_situ, int channel, const tess_mesh *mesh,
                            const tess_ranked_blocks *blocks) {
    if (in_situ && in_situ->failure == TESS_OK && !in_situ->views[channel])
        note(in_situ, tess_view_mesh_of_ranked_blocks(mesh, blocks, &in_situ->views[channel]));
}

int tess_in_situ_channels(const tess_in_situ *in_situ) {
    return in_situ ? in_situ->n_channels : 0;
}

const tess_view_mesh *tess_in_situ_view(const tess_in_situ *in_situ, int channel,
                                        const char **name) {
    *name = in_situ->channels[channel];
    return in_situ->views[channel];
}

void tess_in_situ_show(tess_in_situ *in_situ, const tess_viz_step *step) {
    if (in_situ && in_situ->failure == TESS_OK)
        note(in_situ, hand_over(in_situ, step));
}

tess_status tess_in_situ_close(tess_in_situ *in_situ) {
    if (!in_situ)
        return TESS_OK;
    const tess_status failure = in_situ->failure;
    char *words = in_situ->words;
    in_situ->words = NULL;
    const tess_status closed = in_situ_free(in_situ);
    const tess_status status =
        failure == TESS_OK ? closed
                           : tess_fail(failure, "in situ: %s", words ? words : "out of memory");
    free(words);
    return status;
}

void tess_in_situ_drop(tess_in_situ *in_situ) {
    if (!in_situ)
        return;
    char *words = NULL;
    const bool kept = tess_text_copy(tess_message(), &words) == TESS_OK;
    const tess_status dropped = in_situ_free(in_situ);
    if (kept && dropped != TESS_OK) {
        const tess_status restored = tess_fail(dropped, "%s", words);
        (void)restored;
    }
    free(words);
}
