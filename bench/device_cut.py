#!/usr/bin/env python3
"""What docs/results/device_cut.md says of a GPU, made again in one call of some minutes, the shortest first.

    PYTHONPATH=python python3 bench/device_cut.py [--device cuda] [--seconds 330] [--build build/release] [--answers FILE] [STEP...]

The steps: `first-sample`, seconds from the mesh in memory to the first sample of 20 million edges, planned on the device and on the host, in
turns, after a first use with empty caches, by the machine code that ships and compiling all; `races`, all that cuts, plans, renumbers and makes tables under compute-sanitizer's racecheck; the tables
`cuts`, `same-bits` and `plans` of tesselab.remake. A step that the time is too short for is cut off; tables go on where they were by --answers.
Exits 1 where a step fails. On the emulator, --scale 0.0005 or so, races are looked for by it, and no tables are made."""

import argparse
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STEPS = ("first-sample", "races", "cuts", "same-bits", "plans")
WAYS = {"point-parallel": "--strategy point-parallel --partition-on device",
        "point-parallel, planned on the host": "--strategy point-parallel --partition-on host",
        "atomics": "--strategy atomics --partition-on device"}  # fmt: skip
PASSED = re.compile(r"^tess: at +([0-9.]+) s +([^,]+), [0-9.]+ s$", re.MULTILINE)


class StepError(Exception):
    """A step that fails, or is cut off."""


def said_by(asked, words, **more):
    """What a command prints, both streams."""
    limit = max(asked.seconds - (time.monotonic() - asked.began), 0.1)
    done = subprocess.run(["timeout", "--kill-after=5", f"{limit:.1f}", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, env={**os.environ, **more})  # fmt: skip
    if done.returncode in (124, 137):
        raise StepError(f"cut off: {' '.join(map(str, words))}")
    if done.returncode:
        raise StepError(f"{' '.join(map(str, words))}\nended with exit code {done.returncode}:\n{done.stdout.strip()[-2000:]}")
    return done.stdout


def to_first_sample(asked, way, cache, **more):
    nx, ny = (round(n * asked.scale**0.5) for n in (3200, 3125))
    said = said_by(asked, [asked.build / "bin/tess", *f"run airfoil --mesh quads:nx={nx}:ny={ny} --device {asked.device} {WAYS[way]}".split(),
                           *"-p rcb -b 256 --samples 3 --no-lab --machine none".split()], TESS_PROGRESS="times", TESS_CACHE=cache, **more)  # fmt: skip
    ended = {words: float(at) for at, words in PASSED.findall(said)}
    if "planned on the host" in said or "cut on the host" in said:
        raise StepError(f"{way}: {said.strip()[-1000:]}")
    return ended["executing and checking"] - ended["refining and numbering"]


def first_use(asked, words, **more):
    """NVRTC 13 has a cache of its own, where the driver keeps its own."""
    way = next(iter(WAYS))
    with tempfile.TemporaryDirectory() as cache:
        print(f"{way}, {words}: {to_first_sample(asked, way, cache, CUDA_CACHE_PATH=cache, **more):.2f} s", flush=True)


def first_sample(asked):
    first_use(asked, "a first use")
    first_use(asked, "a first use, all compiled", TESS_GPU_CODE="/nowhere")
    with tempfile.TemporaryDirectory() as cache:
        for way in WAYS:
            to_first_sample(asked, way, cache)
        found = {way: [] for way in WAYS}
        for _ in range(asked.runs):
            for way, seconds in found.items():
                seconds.append(to_first_sample(asked, way, cache))
    for way, seconds in found.items():
        print(f"{way}: {min(seconds):.2f} to {max(seconds):.2f} s, the median {statistics.median(seconds):.2f}")


def write_fan(path, n=80):
    """A mesh of n triangles around one node: more than are put into a bucket."""
    rim = [(math.cos(2 * math.pi * i / n), math.sin(2 * math.pi * i / n)) for i in range(n)]
    path.write_text("\n".join([f"NDIME= 2\nNELEM= {n}", *(f"5 0 {i + 1} {(i + 1) % n + 1}" for i in range(n)), f"NPOIN= {n + 1}\n0 0",
                               *(f"{x} {y}" for x, y in rim), "NMARK= 0\n"]))  # fmt: skip


def races(asked):
    """Every kernel of kernels/cut/ is launched. On the emulator programs look for races themselves."""
    tool = ["compute-sanitizer", "--tool", "racecheck", "--error-exitcode", "9"] if asked.device.startswith("cuda") else []
    if tool and not shutil.which(tool[0]):
        raise StepError(f"{tool[0]} is not on this machine")
    run = f"run airfoil --mesh quads:nx=30:ny=30 -p rcb -b 64 --partition-on device --samples 0 --no-lab --device {asked.device} --strategy"
    with tempfile.TemporaryDirectory() as folder:
        fan = Path(folder) / "fan.su2"
        write_fan(fan)
        for program, words in (("bench/cut_speed", f"{asked.device} cells:0.01 refined:0.001 tets:0.002"), ("bench/cut_speed", f"{asked.device} 0.002"),
                               ("tests/device_renumber_test", f"{asked.device} tets:nx=4:ny=4:nz=4 {fan}"),
                               ("tests/device_tables_test", f"{asked.device} tris:nx=20:ny=20"),
                               ("bin/tess", f"{run} halo-atomics:prefetch=2"), ("bin/tess", f"{run} point-parallel")):  # fmt: skip
            began = time.monotonic()
            said_by(asked, [*tool, asked.build / program, *words.split()])
            print(f"{Path(program).name} {words}: no race, {time.monotonic() - began:.0f} s", flush=True)


def table(asked, name):
    if not asked.device.startswith("cuda"):
        print("is made on cuda alone")
        return
    kept = ["--answers", asked.answers] if asked.answers else []
    print(said_by(asked, ["sh", "-c", '"$@"; test $? -le 1', "remake", sys.executable, "-m", "tesselab.remake", "--make", name, *kept],
                  TESS_BIN=str(asked.build / "bin/tess")))  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"of {', '.join(STEPS)} (default: all)")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--seconds", type=float, default=330, help="for all of it")
    parser.add_argument("--runs", type=int, default=3, help="each way to the first sample")
    parser.add_argument("--scale", type=float, default=1, help="of the mesh to the first sample")
    parser.add_argument("--answers", type=Path, metavar="FILE", help="keeps what commands of tables answer")
    asked = parser.parse_args()
    asked.began, failed = time.monotonic(), []
    if set(asked.steps) - set(STEPS):
        parser.error(f"there are the steps {', '.join(STEPS)}")
    for step in asked.steps or STEPS:
        print(f"== {step}, after {time.monotonic() - asked.began:.0f} s", flush=True)
        try:
            {"first-sample": first_sample, "races": races}.get(step, lambda asked, step=step: table(asked, step))(asked)
        except (StepError, OSError, KeyError) as error:
            failed.append(step)
            print(f"{step}: {error}", flush=True)
    print(f"== {time.monotonic() - asked.began:.0f} s; not made: {', '.join(failed) or 'none'}")
    raise SystemExit(bool(failed))


if __name__ == "__main__":
    main()
