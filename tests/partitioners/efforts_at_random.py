#!/usr/bin/env python3
"""Meshes at random, run by hand: more effort of mosaic never has less reuse, and from effort 2 on none has less than
coordinate bisection, the Hilbert curve and the mesh's own numbering.

    tests/partitioners/efforts_at_random.py MESHES [--seed 1] [--effort 4] [--times 1]

Small structured, irregular and periodic meshes, stretched or not, shuffled or not, every map, S from 16 to 480;
--times: sides that are so many times as long. Prints each mesh that breaks a rule; exit code 1 if there is one."""

import argparse
import os
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("TESS_BIN", ROOT / "build/release/bin/tess")).parents[1] / "tests/partition_benchmark"
SIMPLER = ["rcb", "hilbert", "natural"]
POWERS = (4, 8, 16, 32, 64, 128, 256)
SIZES = (16, 32, 64, 100, 128, 256, 480)


def draw(rng, times):
    """A mesh and a map."""
    def side(least, most):
        return int(times * rng.randint(least, most))

    even = rng.random() < 0.3  # powers of two, which curves and halves like

    def grid(*ranges):
        return [rng.choice([p for p in POWERS if times * a <= p <= times * b]) if even else side(a, b) for a, b in ranges]

    kind = rng.choice(["quads", "tris", "hexes", "tets", "prisms", "irregular", "layers", "ogrid"])
    solid = kind in ("hexes", "tets", "prisms", "layers")
    if kind in ("quads", "tris"):
        mesh = "{}:nx={}:ny={}:periodic={}".format(kind, *grid((8, 64), (8, 64)), rng.choice(["none", "x", "xy"]))
        mesh += f":stretch={rng.choice([1, 30, 1000])}"
    elif kind in ("hexes", "tets", "prisms"):
        sides = grid((4, 16), (4, 16), (4, 16))
        mesh = "{}:nx={}:ny={}:nz={}:periodic={}".format(kind, *sides, rng.choice(["none", "xy", "xyz"]))
        mesh += f":stretch={rng.choice([1, 20])}"
    elif kind == "irregular":
        mesh = f"irregular:nx={side(10, 50)}:ny={side(10, 50)}:seed={rng.randint(1, 99)}"
    elif kind == "ogrid":
        mesh = "ogrid:ni={}:nj={}".format(*grid((16, 64), (8, 40)))
    else:
        mesh = (f"layers:base={rng.choice(['regular', 'irregular'])}:nx={side(6, 12)}:ny={side(6, 12)}"
                f":prisms={side(3, 9)}:tets={side(2, 5)}:seed={rng.randint(1, 99)}")
    faces = "faces:cells" if solid else "edges:cells"
    return mesh + (":shuffle=1" if rng.random() < 0.3 else ""), rng.choice(["cells:nodes", "edges:nodes", faces])


def reuse_of(mesh, name, size, partitioners):
    environment = dict(os.environ, OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive")
    done = subprocess.run([PROGRAM, mesh, name, str(size), ",".join(partitioners)], env=environment,
                          capture_output=True, text=True)
    lines = done.stdout.splitlines()[2:]
    if done.returncode or len(lines) != len(partitioners):
        sys.exit(f"{mesh} {name}, S = {size}: {done.stdout}{done.stderr}")
    return [float(line.split()[3]) for line in lines]


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("meshes", type=int)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--effort", type=int, default=4, help="the highest that is tried")
    words.add_argument("--times", type=float, default=1)
    asked = words.parse_args()
    rng, broken = random.Random(asked.seed), 0
    efforts = [f"mosaic:effort={i}" for i in range(asked.effort + 1)]
    for _ in range(asked.meshes):
        (mesh, name), size = draw(rng, asked.times), rng.choice(SIZES)
        reuse = reuse_of(mesh, name, size, efforts + SIMPLER)
        ours, simpler = reuse[:len(efforts)], reuse[len(efforts):]
        less = [i for i in range(1, len(ours)) if ours[i] < ours[i - 1]]
        below = [other for other, value in zip(SIMPLER, simpler) if value > min(ours[2:], default=value)]
        if less or below:
            broken += 1
            print(mesh, name, f"S = {size}", ours, "less than the effort before:", less, "below:", below, flush=True)
    print(f"{asked.meshes} meshes, {broken} break a rule")
    sys.exit(broken > 0)


if __name__ == "__main__":
    main()
