"""A peer's process: reads the loop of a folder, has the adaptor run it, and answers what tess asks.

    python3 peer.py FOLDER ADAPTOR.py

An adaptor has `version()` and `build(loop)`, which gives an object with `run(times)`, seconds of one run, and `dats()`, the
loop's dats as NumPy arrays; or which raises NotImplementedError where the loop is not for it. One that has `forget()` stays:
it frees what its library keeps of a loop that is over, says whether that library keeps too much, and builds another.
kernels/peers/peer.h says what is asked for."""

import ctypes
import gc
import importlib.util
import json
import os
import pathlib
import re
import sys

UNFIT, MISSING = 2, 4  # exit codes, as tess has them
GROWTH = 2  # times the memory behind its first loop: a process that keeps more ends


class Loop:
    """The loop of a folder: what loop.json says, and the arrays.

    `dats[i]` [n][row] in AoS, [dim][stride] in SoA; `index[set][slot]` [n], the points of elements; both as they lie on the
    device that tess measures."""

    def __init__(self, folder):
        import numpy

        self.folder = pathlib.Path(folder)
        self.about = json.loads((self.folder / "loop.json").read_text())
        self.name, self.peer = self.about["loop"], self.about["peer"]
        self.n = self.about["n"]
        device = re.fullmatch(r"(\w+)(?::(?:gpu=)?(\d+))?.*", self.about["device"])  # cuda, cuda:1, cuda:gpu=1
        self.on_gpu, self.gpu = device[1] == "cuda", int(device[2] or 0)
        self.args = self.about["args"]
        types = {"float": "float32", "double": "float64", "int": "int32"}
        self.dats = []
        for dat in self.about["dats"]:
            shape = (-1, dat["row"]) if dat["aos"] else (dat["dim"], dat["stride"])
            self.dats.append(numpy.fromfile(self.folder / dat["file"], types[dat["type"]]).reshape(shape))
        self.index, self.strides = [], []
        for points in self.about["sets"]:
            image = numpy.fromfile(self.folder / points["file"], "int32")
            rows = image.reshape(-1, points["n_slots"]).T if points["aos"] else image.reshape(points["n_slots"], -1)
            self.strides.append(rows.shape[1])
            self.index.append([numpy.ascontiguousarray(row[: self.n]) for row in rows])

    def kernel(self):
        """The kernel's C text and the name of its function."""
        return (self.folder / "kernel.h").read_text(), self.about["function"]

    def save(self, dats):
        for about, before, dat in zip(self.about["dats"], self.dats, dats):
            if about["written"]:
                dat.astype(before.dtype, copy=False).tofile(self.folder / about["file"])


def load(path):
    about = importlib.util.spec_from_file_location("adaptor", path)
    adaptor = importlib.util.module_from_spec(about)
    about.loader.exec_module(adaptor)
    return adaptor


def answer(to, words):
    to.write(f"peer: {words}\n")
    to.flush()


def begin(folder, adaptor, to):
    """Reads the loop of a folder; gives it and what runs it."""
    try:
        version = adaptor.version()  # first: what is not installed is soon found
        loop = Loop(folder)
        runner = adaptor.build(loop)
    except (ImportError, NotImplementedError) as why:
        give_up(why)
    if hasattr(runner, "become"):
        runner.become(to.fileno(), version)
    answer(to, version)
    return loop, runner


def give_up(why):
    print(why, file=sys.stderr)
    sys.exit(MISSING if isinstance(why, ImportError) else UNFIT)


def memory():
    """Pages of this process in memory, without what was freed."""
    ctypes.CDLL(None).malloc_trim(0)
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1])


def serve(folder, adaptor, to):
    loop, runner = begin(folder, adaptor, to)
    first = None
    for line in sys.stdin:
        what, _, given = line.rstrip("\n").partition(" ")
        if what == "run":
            answer(to, f"{runner.run(int(given)):.9g}")
        elif what == "save":
            loop.save(runner.dats())
            answer(to, "saved, and stays" if hasattr(adaptor, "forget") else "saved")
        elif what == "leave":
            loop = runner = None
            gc.collect()
            keeps_much, kept = adaptor.forget(), memory()
            first = first or kept
            if keeps_much or kept > GROWTH * first:
                return
            answer(to, "left")
        elif what == "loop":
            loop, runner = begin(given, adaptor, to)


def main():
    ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL: nobody else would end what hangs
    to = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    sys.stdout.reconfigure(line_buffering=True)  # nor is it kept until another loop runs
    try:
        adaptor = load(sys.argv[2])
    except (ImportError, NotImplementedError) as why:
        give_up(why)
    gc.freeze()  # what a library has loaded is no garbage, and is not looked through behind every loop
    serve(sys.argv[1], adaptor, to)


if __name__ == "__main__":
    main()
