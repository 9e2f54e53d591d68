"""Rows of the corpus, cut: what partition_benchmark measures of one row, kept in a file, one by one or many at once."""

import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import threading
import time

from benchmark_tables import COLUMNS, PROGRAMS, ROOT

sys.path.insert(0, str(ROOT / "experiments/recipes"))
import corpus_meshes  # noqa: E402

PROGRAM = PROGRAMS / "partition_benchmark"
OURS = "mosaic"
LAST = ("kaminpar",)  # cut when all others have cut the rows as drawn: it takes as long as they together
SHARED = "weights=shared"  # changes nothing but where two elements share several points


class OutOfTimeError(Exception):
    """The time that a call has is over; what ran is cut again by the next."""


def useful(loop, partitioners):
    """Those that may differ from the others by a map."""
    return [name for name in partitioners if SHARED not in name or loop == "cells:nodes"]


class Measured:
    """What was cut so far, kept in a file if there is one."""

    def __init__(self, path, meshes, limit, until=None):
        self.path, self.meshes, self.limit, self.until, self.known = path, meshes, limit, until, {}
        self.lock = threading.Lock()
        if path and path.exists():
            for line in path.read_text().splitlines():
                entry = json.loads(line)
                self.known[tuple(entry["key"])] = entry["value"]

    @staticmethod
    def key(program, row, partitioner):
        """This build's program has no path, so that what one machine measured is read on another."""
        return (program.name if program == PROGRAM else str(program), *map(str, row), partitioner)

    def has(self, program, row, partitioner):
        return self.key(program, row, partitioner) in self.known

    def cut(self, program, row, partitioner):
        """The columns of partition_benchmark by name, and the number of elements; None where it failed."""
        key = self.key(program, row, partitioner)
        if key not in self.known:
            self.known[key] = self.run(program, row, partitioner)
            if self.path:
                with self.lock, self.path.open("a") as file:
                    file.write(json.dumps({"key": key, "value": self.known[key]}) + "\n")
        return self.known[key]

    def seconds_left(self):
        return self.limit if self.until is None else min(self.limit, self.until - time.monotonic())

    def run(self, program, row, partitioner):
        mesh, loop, size = row
        source = str(self.meshes / mesh) if mesh.startswith("corpus-") else mesh
        left = self.seconds_left()
        if left <= 0:
            raise OutOfTimeError
        try:
            done = subprocess.run([program, source, loop, str(size), partitioner], capture_output=True, text=True,
                                  timeout=left, env=dict(os.environ, OMP_NUM_THREADS="1"))
        except subprocess.TimeoutExpired:
            if left < self.limit:
                raise OutOfTimeError from None
            return None
        if done.returncode:  # closed surfaces of triangles have no cells:nodes
            print(f"\nleft out: {source} {loop}: {done.stderr.strip()[:120]}", file=sys.stderr)
            return None
        head, _, line = done.stdout.splitlines()
        values = line.split()
        if len(values) != len(COLUMNS):  # a library is not there, or gave up
            return None
        numbers = {name: float(value) for name, value in zip(COLUMNS[2:-1], values[2:-1])}
        return numbers | {"elements": int(head.split(", ")[-2].split()[0])}


class Crowd:
    """Many cuts at once: seeds in a random order, so that what is done in time is a sample drawn at random.

    A free hand takes the oldest cut of the meshes that are there, and makes the next mesh where there is none.
    When the block sizes that the seeds draw are done, LAST cut them, and all others the other sizes."""

    def __init__(self, measured, partitioners, seeds, order):
        self.measured, self.partitioners = measured, partitioners
        self.seeds = collections.deque(random.Random(order).sample(seeds, len(seeds)))
        self.cuts, self.last, self.later = (collections.deque() for _ in range(3))
        self.lock, self.busy, self.done = threading.Lock(), 0, 0

    def cuts_of(self, rows, last):
        return [(row, name) for row in rows for name in useful(row[1], self.partitioners)
                if (name in LAST) == last and not self.measured.has(PROGRAM, row, name)]

    def make(self, seed):
        """A seed's mesh, in a process of its own, which Gmsh may end; its rows."""
        maker = ROOT / "experiments/recipes/corpus_meshes.py"
        left = self.measured.seconds_left()
        try:
            done = subprocess.run([sys.executable, maker, self.measured.meshes, str(seed)], capture_output=True, text=True,
                                  timeout=max(left, 0))
        except subprocess.TimeoutExpired:
            raise OutOfTimeError from None
        sys.stderr.write(done.stderr)
        if not done.stdout.strip():
            return
        rows = corpus_meshes.rows_of(self.measured.meshes, seed)
        others = [(mesh, loop, size) for mesh, loop, drawn in rows for size in corpus_meshes.BLOCK_SIZES if size != drawn]
        with self.lock:
            self.cuts.extend(self.cuts_of(rows, False))
            self.last.extend(self.cuts_of(rows, True))
            self.later.extend(self.cuts_of(others, False))

    def next(self):
        """What is to be done next, None when all is; a pause where meshes are still being made."""
        with self.lock:
            if self.cuts:
                return self.measured.cut, (PROGRAM, *self.cuts.popleft())
            if self.seeds:
                self.busy += 1
                return self.make, (self.seeds.popleft(),)
            if self.busy:
                return time.sleep, (0.2,)
            left = self.last or self.later
            return (self.measured.cut, (PROGRAM, *left.popleft())) if left else None

    def work(self):
        while asked := self.next():
            call, arguments = asked
            try:
                call(*arguments)
                self.done += call == self.measured.cut
            except OutOfTimeError:
                return
            finally:
                with self.lock:
                    self.busy -= call == self.make

    def run(self, hands):
        threads = [threading.Thread(target=self.work) for _ in range(hands)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(f"{self.done} cuts made; left: {len(self.seeds)} meshes, {len(self.cuts)} cuts by the block sizes that are drawn, "
              f"{len(self.last)} by {', '.join(LAST)}, {len(self.later)} by other sizes", file=sys.stderr)


def cut_many(measured, partitioners, seeds, hands, order):
    pathlib.Path(measured.meshes).mkdir(parents=True, exist_ok=True)
    Crowd(measured, partitioners, seeds, order).run(hands)
