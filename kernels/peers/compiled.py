"""Compiled: a loop as a C++ program against a library that is installed, which calls the kernel as it stands.

The program is kept under TESS_CACHE by its text and the library's bytes, and reads the sizes of a mesh: so a loop is
compiled once."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess

CALLS = 10  # one behind the other, on a GPU
ARITHMETIC = """static inline real reciprocal(real x) { return 1 / x; }
static inline real divide(real a, real b) { return a / b; }
static inline real root(real x) { return sqrt(x); }
"""
VALUES = """// An array of a loop with one element's values behind the other, and back.
#pragma once

#include "program.h"

template <class T> struct values {
    std::string path;
    bool aos;
    long n, dim, row, stride;
    std::vector<T> image, packed;

    T *begin() {
        image = program::read<T>(path, aos ? stride * row : stride * dim);
        packed.resize(n * dim);
        for (long i = 0; i < n; i++)
            for (long c = 0; c < dim; c++)
                packed[i * dim + c] = image[aos ? i * row + c : c * stride + i];
        return packed.data();
    }

    void save() {
        for (long i = 0; i < n; i++)
            for (long c = 0; c < dim; c++)
                image[aos ? i * row + c : c * stride + i] = packed[i * dim + c];
        program::write(path, image);
    }
};
"""


def needed(variable, what):
    """The folder that an environment variable names."""
    folder = os.environ.get(variable)
    if not folder:
        raise ImportError(f"{variable} is not set: it names {what}")
    if not pathlib.Path(folder).is_dir():
        raise ImportError(f"{variable} names {folder}, which is no folder")
    return pathlib.Path(folder).resolve()


def call(*command, cwd=None, env=None):
    """Runs a command; its output is that of a failure."""
    command = [str(word) for word in command]
    if not shutil.which(command[0]):
        raise ImportError(f"{command[0]} is not on this machine")
    done = subprocess.run(command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


class Source:
    """The texts of a loop that all such programs share."""

    def __init__(self, loop):
        self.loop, self.dats, self.args = loop, loop.about["dats"], loop.about["args"]
        text, self.function = loop.kernel()
        self.kernel = self.preprocessed(ARITHMETIC + text)
        given = re.search(rf"\b{self.function}\s*\(([^)]*)\)", self.kernel)
        self.types = [re.sub(r"\bconst\b", "", words.split("*")[0]).strip() for words in given[1].split(",")]
        self.called = self.function
        self.sizes = []
        for arg in self.args:
            if arg["slots"] and arg["access"] in ("write", "rw"):
                raise NotImplementedError("an arg is written through a map")

    def preprocessed(self, text):
        done = subprocess.run(["c++", "-E", "-P", "-x", "c++", f"-Dreal={self.loop.about['real']}", "-"], input=text,
                              stdout=subprocess.PIPE, text=True, check=True)  # fmt: skip
        return done.stdout

    def size(self, value):
        """A number that another mesh changes, as the program says it."""
        self.sizes.append(int(value))
        return f"size[{len(self.sizes) - 1}]"

    def place(self, arg, i):
        """The dat, its column and the slot (None: direct) of value i of an arg."""
        dat = self.dats[arg["dat"]]
        n = len(dat["components"])
        return dat, dat["components"][i % n], arg["slots"][i // n] if arg["slots"] else None

    def body(self, read, write):
        """Fills the local arrays by read(a, i), calls the kernel, and gives values on by write(a, i, value)."""
        lines = []
        for a, arg in enumerate(self.args):
            values = [read(a, i) if arg["access"] in ("read", "rw") else "0" for i in range(arg["size"])]
            lines.append(f"{self.types[a]} local{a}[{arg['size']}] = {{{', '.join(values)}}};")
        lines.append(f"{self.called}({', '.join(f'local{a}' for a in range(len(self.args)))});")
        for a, arg in enumerate(self.args):
            if arg["access"] != "read":
                lines += [write(a, i, f"local{a}[{i}]") for i in range(arg["size"])]
        return lines


class Program:
    """The program of a source, which takes the place of this process: `make(folder)` builds it in a folder with the texts,
    once for these texts, this library and this kind of GPU."""

    def __init__(self, source, texts, library, make):
        self.folder = source.loop.folder
        texts = {**texts, "program.h": pathlib.Path(__file__).with_name("program.h").read_text()}
        words = (" ".join(text.split()) for text in texts.values())  # preprocessors leave other lines empty
        said = [*texts, *words, architecture() if source.loop.on_gpu else "host"]
        key = hashlib.sha256("\0".join(said).encode() + library.read_bytes()).hexdigest()[:32]
        (self.folder / "sizes").write_text("".join(f"{size}\n" for size in source.sizes))
        self.path = cache() / key / "program"
        if not self.path.exists():
            self.build(key, texts, make)

    def build(self, key, texts, make):
        made = self.folder / "made"
        made.mkdir()
        for name, text in texts.items():
            (made / name).write_text(text)
        make(made)
        waiting = self.path.parent.with_name(f"{key}.{os.getpid()}")
        waiting.mkdir(parents=True)
        shutil.copy(made / "program", waiting / "program")
        try:
            waiting.replace(self.path.parent)
        except OSError:  # another was faster
            shutil.rmtree(waiting)

    def become(self, answers, version):
        os.dup2(answers, 1)
        os.execv(self.path, [str(self.path), f"{self.folder}/", version])


def architecture():
    """For which GPU: as CMake's CUDAARCHS says, or that of this machine."""
    return os.environ.get("CUDAARCHS", "native")


def cache():
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.environ.get("TESS_CACHE") or f"{home}/tesselab") / "peers"
