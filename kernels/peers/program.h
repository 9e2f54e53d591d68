// The program of a compiled peer: reads a loop's data, answers what tess asks, and writes what the loop changes.
#pragma once

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

namespace program {

[[noreturn]] inline void fail(const std::string &what) {
    std::fprintf(stderr, "%s: %s\n", what.c_str(), std::strerror(errno));
    std::exit(3);
}

template <class T> std::vector<T> read(const std::string &path, size_t n) {
    std::vector<T> values(n);
    FILE *file = std::fopen(path.c_str(), "rb");
    if (!file || std::fread(values.data(), sizeof(T), n, file) != n)
        fail(path);
    std::fclose(file);
    return values;
}

template <class T> void write(const std::string &path, const std::vector<T> &values) {
    FILE *file = std::fopen(path.c_str(), "wb");
    if (!file || std::fwrite(values.data(), sizeof(T), values.size(), file) != values.size() ||
        std::fclose(file) != 0)
        fail(path);
}

// The numbers of the file `sizes`: those that another mesh changes.
inline std::vector<long> sizes(const std::string &folder) {
    std::vector<long> all;
    FILE *file = std::fopen((folder + "sizes").c_str(), "r");
    if (!file)
        fail("sizes");
    for (long one = 0; std::fscanf(file, "%ld", &one) == 1;)
        all.push_back(one);
    std::fclose(file);
    return all;
}

// Answers until there is no more question. step() begins the loop once, wait() waits for what was begun, save() writes.
// A time is that of `calls` one behind the other, once the loop has run.
template <class STEP, class WAIT, class SAVE>
void serve(FILE *answers, const char *version, int calls, STEP step, WAIT wait, SAVE save) {
    char line[64];
    int each = 1, times = 0;
    std::fprintf(answers, "peer: %s\n", version);
    std::fflush(answers);
    while (std::fgets(line, sizeof line, stdin)) {
        if (std::sscanf(line, "run %d", &times) == 1) {
            wait();
            const auto start = std::chrono::steady_clock::now();
            for (int i = 0; i < times * each; i++)
                step();
            wait();
            const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
            std::fprintf(answers, "peer: %.9g\n", taken.count() / (times * each));
            each = calls;
        } else if (std::strncmp(line, "save", 4) == 0) {
            save();
            std::fprintf(answers, "peer: saved\n");
        }
        std::fflush(answers);
    }
}

// Where answers go; what libraries print goes to the standard error.
inline FILE *answers() {
    FILE *to = fdopen(dup(1), "w");
    dup2(2, 1);
    return to;
}

} // namespace program
