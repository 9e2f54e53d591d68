/* The python partitioner: a function of the user's, in Python with numpy. */
#include "partitioners/worker/python_call.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static const tess_option options[] = {
    TESS_TEXT_OPTION("file", "", "that holds the function, say cut.py"),
    TESS_TEXT_OPTION("function", "partition",
                     "in it: is given the problem and returns a block number for each element"),
    {.key = NULL}};

static tess_status partition(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    (void)problem; /* Python finds it, and puts the blocks, where the worker has them */
    (void)block_of;
    const char *file = tess_spec_text(spec, options, "file");
    struct stat about;
    if (stat(file, &about) != 0)
        FAIL(TESS_ERROR_INPUT, "%s: %s", file, strerror(errno));
    if (!S_ISREG(about.st_mode))
        FAIL(TESS_ERROR_INPUT, "%s is no file", file);
    return tess_python_become_function(file, tess_spec_text(spec, options, "function"));
}

const tess_partitioner tess_partitioner_python = {
    .name = "python",
    .summary = "a Python function of yours: arrays in, a block number for each element out",
    .reference = "docs/user_partitioner/README.md",
    .options = options,
    .third_party = true,
    .on_request = true,
    .unrepeatable = true,
    .runs_code = true,
    .file_option = "file",
    .partition = partition,
};
