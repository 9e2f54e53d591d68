/* In situ: views handed over, step by step, to whoever shows them while the program runs. */
#include "viz/viz.h"

#include "core/base/array.h"
#include "core/base/registry.h"
#include "core/base/stream_text.h"
#include "viz/display.h"
#include "viz/live_link.h"
#include "viz/paraview.h"
#include <ctype.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define X(name) extern const tess_viz_kind tess_viz_##name;
#include "viz/list.h"
#undef X

static const void *const items[] = {
#define X(name) &tess_viz_##name,
#include "viz/list.h"
#undef X
    NULL};

static const tess_registry registry = {.items = items, .kind = "kind of visualisation"};

struct tess_viz {
    const tess_viz_kind *kind;
    void *session;
    tess_display *display;
    char reason[1024];
    char *folder;
    bool writes_files; /* scripts that must leave some */
    bool failed;       /* at a step, which has been reported */
    bool is_live;      /* some script is for Catalyst Live */
    struct timespec opened;
};

const tess_viz_kind *tess_viz_kind_at(int i) {
    return tess_registry_at(&registry, i);
}

static tess_status unknown_kind(const char *name) {
    tess_unknown_name unknown = tess_unknown_name_of(name);
    tess_unknown_name_add(&unknown, "auto");
    tess_unknown_name_add(&unknown, "off");
    for (int i = 0; tess_viz_kind_at(i); i++)
        tess_unknown_name_add(&unknown, tess_viz_kind_at(i)->name);
    return tess_unknown_name_fail("there is no kind of visualisation", &unknown,
                                  (tess_unknown_words){"? Known are %s", ": known are %s"});
}

/* The kind of a name; for "auto" the first that works here, and in `reason` why. */
static tess_status choose(const char *name, bool scripts, const tess_viz_kind **out, char *reason,
                          size_t size) {
    int length = 0;
    const tess_viz_kind *kind = tess_registry_get(&registry, name);
    if (kind) {
        TRY(kind->probe());
        snprintf(reason, size, "%s: as asked for", name);
        *out = kind;
        return TESS_OK;
    }
    if (strcmp(name, "auto") != 0)
        return unknown_kind(name);
    for (int i = 0; (kind = tess_viz_kind_at(i)); i++) {
        if (kind->runs_scripts && !scripts)
            continue;
        if (kind->probe() == TESS_OK) {
            snprintf(reason + length, size - (size_t)length, "%s%s", kind->name,
                     scripts ? "" : ": there are no scripts to run");
            *out = kind;
            return TESS_OK;
        }
        const int left = (int)size - length;
        const int n =
            snprintf(reason + length, (size_t)left, "no %s (%s), so ", kind->name, tess_message());
        length += n < left ? n : left - 1;
    }
    FAIL(TESS_ERROR_INTERNAL, "no kind of visualisation is always there");
}

/* What the text of a script says of its needs. */
typedef struct script_needs {
    bool live, draws;
} script_needs;

static void look_at_line(const char *line, script_needs *needs) {
    static const char *const drawing[] = {"Pictures(", "CreateView", "CreateRenderView",
                                          "RenderView", "SaveScreenshot"};
    needs->live = needs->live || strstr(line, "EnableCatalystLive");
    for (size_t i = 0; i < sizeof drawing / sizeof drawing[0]; i++)
        needs->draws = needs->draws || strstr(line, drawing[i]);
}

static tess_status scripts_check(const tess_viz_setting *setting, script_needs *needs) {
    for (int i = 0; i < setting->n_scripts; i++) {
        FILE *script = fopen(setting->scripts[i], "r");
        struct stat about;
        if (!script || fstat(fileno(script), &about) != 0 || S_ISDIR(about.st_mode)) {
            const int reason = script ? EISDIR : errno;
            if (script)
                fclose(script);
            FAIL(TESS_ERROR_INPUT, "the Catalyst script '%s' cannot be read: %s",
                 setting->scripts[i], strerror(reason));
        }
        const char *ending = strrchr(setting->scripts[i], '.');
        if (!ending || (strcmp(ending, ".py") != 0 && strcmp(ending, ".zip") != 0)) {
            fclose(script);
            FAIL(TESS_ERROR_INPUT,
                 "the Catalyst script '%s' cannot be imported by Python: end its name with .py",
                 setting->scripts[i]);
        }
        char line[1024];
        while (fgets(line, sizeof line, script))
            look_at_line(line, needs);
        fclose(script);
    }
    return TESS_OK;
}

static tess_status channels_check(const tess_viz_setting *setting) {
    for (int i = 0; i < setting->n_channels; i++) {
        const char *name = setting->channels[i];
        if (strlen(name) > TESS_VIZ_CHANNEL_LENGTH)
            FAIL(TESS_ERROR_USAGE, "the name of a channel has up to %d letters, '%s' has more",
                 TESS_VIZ_CHANNEL_LENGTH, name);
        for (const char *c = name; *c; c++)
            if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-')
                FAIL(TESS_ERROR_USAGE, "'%s' is no name for a channel: letters, digits, _ and -",
                     name);
        for (int j = 0; j < i; j++)
            if (strcmp(name, setting->channels[j]) == 0)
                FAIL(TESS_ERROR_USAGE, "two channels are called '%s'", name);
    }
    return TESS_OK;
}

/* Tells scripts, through the environment, where to write and what there is. */
static tess_status tell_scripts(const tess_viz_setting *setting) {
    char *names = NULL;
    tess_printed list;
    TRY(tess_printed_open(&list));
    for (int i = 0; i < setting->n_channels; i++)
        fprintf(list.stream, "%s%s", i ? "," : "", setting->channels[i]);
    TRY(tess_printed_close(&list, TESS_OK, &names));
    setenv("TESS_VIZ_CHANNELS", names, 1);
    setenv("TESS_VIZ_FOLDER", setting->folder, 1);
    setenv("TESS_VIZ_TITLE", setting->title ? setting->title : "", 1);
    free(names);
    return TESS_OK;
}

/* Finds a display, or goes on without one where that may do: scripts that only write or watch need
 * none, nor does a ParaView that draws by EGL or OSMesa. */
static tess_status find_display(tess_viz *viz, const script_needs *needs) {
    unsetenv("TESS_VIZ_NO_DISPLAY");
    const tess_status status = tess_display_open(&viz->display);
    if (status != TESS_ERROR_MISSING || (needs->draws && viz->kind->needs_display))
        return status;
    setenv("TESS_VIZ_NO_DISPLAY", "1", 1);
    if (needs->draws) {
        const size_t length = strlen(viz->reason);
        snprintf(viz->reason + length, sizeof viz->reason - length,
                 "; warning: no X server, so only a ParaView with EGL or OSMesa can draw");
    }
    return TESS_OK;
}

/* Says where scripts for Catalyst Live look for ParaView: nothing else does. */
static void tell_live(tess_viz *viz) {
    const size_t length = strlen(viz->reason);
    snprintf(
        viz->reason + length, sizeof viz->reason - length,
        "; Catalyst Live looks at each step for a ParaView (Catalyst, Connect) that listens at "
        "%s (TESS_VIZ_LIVE)",
        tess_live_link_address());
}

/* Opens the kind with the script that keeps failures before all others. */
static tess_status open_with_scripts(tess_viz *viz, const tess_viz_setting *setting) {
    tess_status status = TESS_OK;
    tess_viz_setting guarded = *setting;
    const char **scripts = NULL;
    char *failures = NULL;
    unsetenv("TESS_VIZ_FAILED");
    CHECK(tell_scripts(setting));
    if (setting->n_scripts > 0) {
        CHECK(tess_paraview_script("failures.py", &failures));
        CHECK(TESS_ALLOC(setting->n_scripts + 1, &scripts));
        scripts[0] = failures;
        for (int i = 0; i < setting->n_scripts; i++)
            scripts[i + 1] = setting->scripts[i];
        guarded.n_scripts = setting->n_scripts + 1;
        guarded.scripts = scripts;
    }
    CHECK(viz->kind->open(&guarded, &viz->session));
done:
    free(scripts);
    free(failures);
    return status;
}

static tess_status folder_make(const char *folder) {
    struct stat about;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        FAIL(TESS_ERROR_IO, "cannot make the folder '%s': %s", folder, strerror(errno));
    if (stat(folder, &about) == 0 && !S_ISDIR(about.st_mode))
        FAIL(TESS_ERROR_IO, "'%s' is a file: --viz-folder names a folder", folder);
    if (access(folder, W_OK | X_OK) != 0)
        FAIL(TESS_ERROR_IO, "cannot write into '%s': %s", folder, strerror(errno));
    return TESS_OK;
}

static tess_status viz_begin(tess_viz *viz, const tess_viz_setting *setting) {
    script_needs needs = {.live = false};
    TRY(scripts_check(setting, &needs));
    TRY(channels_check(setting));
    TRY(tess_text_copy(setting->folder, &viz->folder));
    TRY(folder_make(setting->folder));
    clock_gettime(CLOCK_REALTIME, &viz->opened);
    if (!viz->kind->runs_scripts)
        return viz->kind->open(setting, &viz->session);
    viz->writes_files = setting->n_scripts > 0 && !needs.live;
    TRY(find_display(viz, &needs));
    viz->is_live = needs.live;
    if (needs.live)
        tell_live(viz);
    return open_with_scripts(viz, setting);
}

static void viz_free(tess_viz *viz) {
    tess_display_close(viz->display);
    free(viz->folder);
    free(viz);
}

tess_status tess_viz_open(const char *name, const tess_viz_setting *setting, tess_viz **out) {
    *out = NULL;
    if (strcmp(name, "off") == 0)
        return TESS_OK;
    tess_viz *viz = NULL;
    TRY(TESS_ZEROS(1, &viz));
    tess_status status =
        choose(name, setting->n_scripts > 0, &viz->kind, viz->reason, sizeof viz->reason);
    if (status == TESS_OK)
        status = viz_begin(viz, setting);
    if (status == TESS_OK)
        *out = viz;
    else
        viz_free(viz);
    return status;
}

const char *tess_viz_reason(const tess_viz *viz) {
    return viz ? viz->reason : "";
}

bool tess_viz_is_live(const tess_viz *viz) {
    return viz && viz->is_live;
}

bool tess_viz_is_watched(const tess_viz *viz) {
    return tess_viz_is_live(viz) && tess_live_link_is_up();
}

/* What a script has raised, which neither Catalyst nor ParaView tells, before their own words; but
 * scripts fail on what is missing. */
static tess_status with_failures(const tess_viz *viz, tess_status status) {
    const char *failed = viz->kind->runs_scripts ? getenv("TESS_VIZ_FAILED") : NULL;
    return failed && *failed && status != TESS_ERROR_MISSING
               ? tess_fail(TESS_ERROR_CHECK, "%s", failed)
               : status;
}

tess_status tess_viz_execute(tess_viz *viz, const tess_viz_step *step) {
    if (!viz)
        return TESS_OK;
    const tess_status status = with_failures(viz, viz->kind->execute(viz->session, step));
    viz->failed = viz->failed || status != TESS_OK;
    return status;
}

/* What nftw has no other way to tell: since when, and whether a file was written. */
static struct timespec written_since;
static bool is_written;

static int look_at_file(const char *path, const struct stat *about, int kind,
                        struct FTW *position) {
    (void)path;
    (void)position;
    const struct timespec *at = &about->st_mtim;
    if (kind == FTW_F && about->st_size > 0 &&
        (at->tv_sec > written_since.tv_sec ||
         (at->tv_sec == written_since.tv_sec && at->tv_nsec >= written_since.tv_nsec)))
        is_written = true;
    return is_written;
}

static bool something_was_written(const tess_viz *viz) {
    written_since = viz->opened;
    written_since.tv_sec -= 1; /* file systems keep coarser times than the clock */
    is_written = false;
    nftw(viz->folder, look_at_file, 16, FTW_PHYS);
    return is_written;
}

tess_status tess_viz_close(tess_viz *viz) {
    if (!viz)
        return TESS_OK;
    tess_status status = viz->kind->close(viz->session);
    if (!viz->failed)
        status = with_failures(viz, status);
    if (status == TESS_OK && viz->writes_files && !viz->failed && !something_was_written(viz))
        status =
            tess_fail(TESS_ERROR_CHECK,
                      "the Catalyst scripts ran but wrote nothing into '%s': scripts find that "
                      "folder in the environment's TESS_VIZ_FOLDER",
                      viz->folder);
    viz_free(viz);
    return status;
}
