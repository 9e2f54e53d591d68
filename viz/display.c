/* A display to render on: the X server that DISPLAY names, or an Xvfb of our own. */
#include "viz/display.h"

#include "core/base/array.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { START_SECONDS = 20 };

struct tess_display {
    pid_t server; /* 0: the environment's display serves */
    char *former; /* DISPLAY before, or NULL */
};

/* Asks the X library, as ParaView will: a socket alone may be another user's. */
bool tess_display_is_there(void) {
    const char *name = getenv("DISPLAY");
    if (!name || !*name)
        return false;
    void *library = dlopen("libX11.so.6", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    void *(*open_display)(const char *) = NULL;
    int (*close_display)(void *) = NULL;
    *(void **)&open_display = dlsym(library, "XOpenDisplay");
    *(void **)&close_display = dlsym(library, "XCloseDisplay");
    void *display = open_display && close_display ? open_display(name) : NULL;
    if (display)
        close_display(display);
    dlclose(library);
    return display != NULL;
}

/* Becomes an Xvfb that tells its number through `number` and ends with its parent. Without
 * -noreset it would start anew, and fail clients, whenever the last one leaves. */
static void become_server(int number) {
    char number_text[16];
    snprintf(number_text, sizeof number_text, "%d", number);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    const int silent = open("/dev/null", O_RDWR);
    for (int standard = 0; silent >= 0 && standard < 3; standard++)
        dup2(silent, standard);
    fcntl(number, F_SETFD, 0);
    execlp("Xvfb", "Xvfb", "-displayfd", number_text, "-noreset", "-nolisten", "tcp", "-screen",
           "0", "1920x1200x24", (char *)NULL);
    _exit(127);
}

/* Waits for the server to tell its display number; -1 when it ends or stays silent. */
static int read_number(int descriptor) {
    char text[16] = "";
    size_t length = 0;
    struct pollfd readable = {.fd = descriptor, .events = POLLIN};
    while (length + 1 < sizeof text && !strchr(text, '\n')) {
        const int ready = poll(&readable, 1, START_SECONDS * 1000);
        if (ready < 0 && errno == EINTR)
            continue;
        const ssize_t n = ready > 0 ? read(descriptor, text + length, 1) : 0;
        if (n <= 0)
            return -1;
        length++;
    }
    return atoi(text);
}

static void stop_server(pid_t server) {
    kill(server, SIGTERM);
    while (waitpid(server, NULL, 0) < 0 && errno == EINTR) {
    }
}

static tess_status start_server(tess_display *display) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        FAIL(TESS_ERROR_IO, "no pipe to Xvfb: %s", strerror(errno));
    display->server = fork();
    if (display->server == 0)
        become_server(ends[1]);
    close(ends[1]);
    const int number = display->server > 0 ? read_number(ends[0]) : -1;
    close(ends[0]);
    if (number < 0) {
        if (display->server > 0)
            stop_server(display->server);
        display->server = 0;
        FAIL(TESS_ERROR_MISSING,
             "nothing to render on: DISPLAY names no X server and Xvfb does not start "
             "(Debian: apt-get install --no-install-recommends python3-paraview xvfb xauth)");
    }
    char name[16];
    snprintf(name, sizeof name, ":%d", number);
    setenv("DISPLAY", name, 1);
    return TESS_OK;
}

tess_status tess_display_open(tess_display **out) {
    tess_status status = TESS_OK;
    tess_display *display = NULL;
    CHECK(TESS_ZEROS(1, &display));
    if (!tess_display_is_there()) {
        const char *former = getenv("DISPLAY");
        if (former)
            CHECK(tess_text_copy(former, &display->former));
        CHECK(start_server(display));
    }
    *out = TESS_TAKE(display);
done:
    tess_display_close(display);
    return status;
}

void tess_display_close(tess_display *display) {
    if (!display)
        return;
    if (display->server > 0) {
        stop_server(display->server);
        if (display->former)
            setenv("DISPLAY", display->former, 1);
        else
            unsetenv("DISPLAY");
    }
    free(display->former);
    free(display);
}
