"""A peer's process: reads the loop of a folder, has the adaptor run it, and answers what tess asks.

    python3 peer.py FOLDER ADAPTOR.py

An adaptor has `version()` and `build(loop)`, which gives an object with `run(times)`, seconds of one run, and `dats()`, the
loop's dats as NumPy arrays; or which raises NotImplementedError where the loop is not for it. kernels/peers/peer.h says what is asked for."""

import ctypes
import importlib.util
import json
import os
import pathlib
import re
import sys

UNFIT, MISSING = 2, 4  # exit codes, as tess has them


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


def serve(loop, runner, to):
    for line in sys.stdin:
        words = line.split()
        if words[0] == "run":
            answer(to, f"{runner.run(int(words[1])):.9g}")
        elif words[0] == "save":
            loop.save(runner.dats())
            answer(to, "saved")


def main():
    ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL: nobody else would end what hangs
    to = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    try:
        adaptor = load(sys.argv[2])
        loop = Loop(sys.argv[1])
        runner = adaptor.build(loop)
    except (ImportError, NotImplementedError) as why:
        print(why, file=sys.stderr)
        sys.exit(MISSING if isinstance(why, ImportError) else UNFIT)
    if hasattr(runner, "become"):
        runner.become(to.fileno(), adaptor.version())
    answer(to, adaptor.version())
    serve(loop, runner, to)


if __name__ == "__main__":
    main()
