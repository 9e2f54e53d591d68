/* An NVRTC that takes its time, for a text with FAKE_NVRTC_SLOW in it ten minutes, compiles to
 * "code" whatever it is given, or to "ship" where FAKE_NVRTC_SHIPS is set, and adds a line to FAKE_NVRTC_LOG for each text: the process that compiles it, and a
 * number that follows from the text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct program {
    unsigned long number;
    int is_slow;
};

static const char words[] = "ptxas info    : Compiling entry function 'atomics' for 'sm_90'\n"
                            "ptxas info    : Used 41 registers, used 0 barriers\n";

const char *nvrtcGetErrorString(int result) {
    return result ? "an error" : "no error";
}

int nvrtcVersion(int *major, int *minor) {
    *major = 13;
    *minor = 0;
    return 0;
}

int nvrtcCreateProgram(struct program **out, const char *text, const char *name, int n,
                       const char *const *headers, const char *const *names) {
    (void)name, (void)n, (void)headers, (void)names;
    *out = calloc(1, sizeof **out);
    (*out)->is_slow = getenv("FAKE_NVRTC_SLOW") && strstr(text, getenv("FAKE_NVRTC_SLOW"));
    for (const char *at = text; *at; at++)
        (*out)->number = (*out)->number * 31 + (unsigned char)*at;
    return 0;
}

int nvrtcCompileProgram(struct program *p, int n, const char *const *options) {
    (void)n, (void)options;
    FILE *log = fopen(getenv("FAKE_NVRTC_LOG"), "a");
    fprintf(log, "%d %lu\n", (int)getpid(), p->number);
    fclose(log);
    if (p->is_slow)
        sleep(600);
    usleep(200000);
    return 0;
}

int nvrtcGetProgramLogSize(struct program *p, size_t *size) {
    (void)p;
    *size = sizeof words;
    return 0;
}

int nvrtcGetProgramLog(struct program *p, char *log) {
    (void)p;
    memcpy(log, words, sizeof words);
    return 0;
}

int nvrtcGetCUBINSize(struct program *p, size_t *size) {
    (void)p;
    *size = 4;
    return 0;
}

int nvrtcGetCUBIN(struct program *p, char *code) {
    (void)p;
    memcpy(code, getenv("FAKE_NVRTC_SHIPS") ? "ship" : "code", 4);
    return 0;
}

int nvrtcDestroyProgram(struct program **p) {
    free(*p);
    return 0;
}
