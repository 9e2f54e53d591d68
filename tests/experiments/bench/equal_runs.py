#!/usr/bin/env python3
"""How often `tess compare` calls equal runs different, and whether it finds 3 %, with real timings on this
machine as it is: equal_runs.py [--sessions N] [--pairs N] [--samples N] [--mesh MESH] [--tess PROGRAM].

On a mesh that fits into a cache copies differ for where their data lie (quads:nx=40:ny=40: some 1 % for the
whole session), and are then called different.

Each session is one `tess run` that times 2 x PAIRS copies of one variant in turns; copies 1 and 2, 3 and 4 ...
are compared as they are, and with all samples of the second made 3 % longer. Copies of different sessions are
compared, too: they were not timed in turns. Prints a table of verdicts; no test, since it asserts times."""

import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import h5py

ROOT = pathlib.Path(__file__).resolve().parents[3]


def call(tess, *arguments):
    settings = dict(os.environ, OMP_NUM_THREADS="1")
    done = subprocess.run([tess, *map(str, arguments)], check=True, capture_output=True, text=True, env=settings)
    return json.loads(done.stdout)


def verdict(tess, lab, base, other):
    (found,) = call(tess, "compare", "--lab", lab, "--json", "--quiet", base, other)["comparisons"]
    return found["manner"], found["verdict"]


def plant(lab, runs):
    """A copy of the lab in which the samples of `runs` took 3 % longer."""
    planted = lab.with_name("planted")
    shutil.copytree(lab, planted)
    for run in runs:
        with h5py.File(planted / "runs" / f"{run}.hdf", "r+") as file:
            file["samples/time"][...] = file["samples/time"][:] * 1.03
    return planted


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--mesh", default="quads:nx=100:ny=100")
    parser.add_argument("--tess", default=ROOT / "build/release/bin/tess")
    asked = parser.parse_args()
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        lab, sessions = pathlib.Path(folder) / "lab", []
        for seed in range(1, asked.sessions + 1):
            made = call(asked.tess, "run", "airfoil", "--mesh", asked.mesh, "--device", "host", "--no-view",
                        "--partitioner", "file-order", "--strategy", ",".join(["sequential"] * 2 * asked.pairs),
                        "--samples", asked.samples, "--seed", seed, "--lab", lab, "--json")  # fmt: skip
            sessions.append([run["run"] for run in made["runs"]])
        pairs = [pair for runs in sessions for pair in zip(runs[::2], runs[1::2])]
        planted = plant(lab, [second for _, second in pairs])
        for first, second in pairs:
            counts["equal", *verdict(asked.tess, lab, first, second)] += 1
            counts["3 % slower", *verdict(asked.tess, planted, first, second)] += 1
        for before, after in zip(sessions, sessions[1:]):
            for first, second in list(zip(before, after))[: asked.pairs]:
                counts["equal", *verdict(asked.tess, lab, first, second)] += 1
    load = " ".join(f"{one:.1f}" for one in os.getloadavg())
    print(f"{asked.sessions} sessions of {2 * asked.pairs} copies, {asked.samples} rounds, {asked.mesh}; load {load}")
    for (truth, manner, found), n in sorted(counts.items()):
        total = sum(m for key, m in counts.items() if key[:2] == (truth, manner))
        print(f"{truth:12} {manner:9} {found:8} {n:4} of {total}")


if __name__ == "__main__":
    main()
