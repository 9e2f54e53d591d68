#!/usr/bin/env python3
"""Compares what the emulator counts under two builds of tess: same_counters.py OLD NEW [--quick].

Runs every strategy with its options on small meshes of the five applications, in several layouts,
precisions, orders and block sizes, and the points of experiments/recipes/counters.yaml. Exits 1 and
names what differs.

What a C compiler finds to be unused is not loaded (kernels/README.md): builds before pages without
macros over dats load some points' places and indices that nothing uses where stage=increments or
sum=block-gather."""

import argparse
import itertools
import json
import subprocess
import sys

STRATEGIES = """atomics atomics:transpose=shared atomics:transpose=shuffles atomics:aggregate=unsorted
    atomics:aggregate=sorted atomics:aggregate=unsorted:transpose=shared
    atomics:aggregate=sorted:transpose=shuffles atomics:aggregate=sorted:elements=3
    atomics:transpose=shared:elements=2
    global-colour
    block-colour block-colour:loads=vector block-colour:loads=single:sums=cleared
    block-colour:stage=increments block-colour:stage=increments:loads=vector:sums=cleared
    block-colour:stage=none
    two-step
    halo-atomics halo-atomics:prefetch=2 halo-atomics:sum=increment-colours
    halo-atomics:sum=increment-colours:prefetch=2
    halo-atomics:sum=slots:stage=increments halo-atomics:sum=thread-colours:stage=increments
    halo-atomics:sum=block-gather halo-atomics:sum=shared-atomics
    owner-block:sum=increment-colours owner-block:sum=slots owner-block:sum=thread-colours
    owner-block:sum=block-gather:stage=increments owner-block:sum=shared-atomics
    owner-block:sum=mesh-order
    point-parallel point-parallel:prefetch=2 point-parallel:stage=none
    point-parallel:direct=elements:antisymmetry=ignore point-parallel:direct=staged:slots=each
    point-parallel:slots=all:registers=0""".split()
APPLICATIONS = {
    "airfoil": ("quads:nx=60:ny=40", ("save_soln", "adt_calc", "bres_calc", "update")),
    "volna": ("tris:nx=40:ny=30", ()),
    "bookleaf": ("quads:nx=50:ny=40", ()),
    "lulesh": ("hexes:nx=12:ny=10:nz=8", ()),
    "miniaero": ("hexes:nx=12:ny=10:nz=8", ()),
}
DIRECT = ("atomics", "global-colour", "block-colour", "two-step", "halo-atomics")
COUNTERS_YAML = ("block-colour", "atomics", "halo-atomics", "point-parallel")
TIMES = {"seconds", "bandwidth", "copy_bandwidth", "clocks", "samples", "rounds", "difference", "run"}


def quick_points():
    """(application, mesh, further options, strategies): each strategy by several applications."""
    yield "airfoil", "quads:nx=60:ny=40", "--layout soa", STRATEGIES
    yield "volna", "tris:nx=40:ny=30", "--layout soa,cells=aos --precision float", STRATEGIES
    yield "bookleaf", "quads:nx=50:ny=40", "--layout aos -b 40 --renumber none", STRATEGIES
    yield ("miniaero", "hexes:nx=12:ny=10:nz=8", "--layout aos --precision double --threads 32 -b 64",
           STRATEGIES)


def all_points():
    yield from quick_points()
    for application, (mesh, loops) in APPLICATIONS.items():
        for layout, precision in itertools.product(("soa", "aos"), ("float", "double")):
            yield application, mesh, f"--layout {layout} --precision {precision}", STRATEGIES
        yield application, mesh, "--layout soa --renumber none -b 96", STRATEGIES
        yield application, mesh, "--layout aos --renumber gps --threads 64", STRATEGIES
        for loop in loops:
            yield application, mesh, f"--layout aos --loop {loop}", DIRECT
    yield "miniaero", "tets:nx=8:ny=8:nz=8", "--layout soa", STRATEGIES
    for layout in ("soa", "aos"):
        for application, mesh in (("airfoil", "quads:nx=200:ny=150"),
                                  ("airfoil", "irregular:nx=120:ny=120:shuffle=1"),
                                  ("volna", "tris:nx=120:ny=120"),
                                  ("bookleaf", "quads:nx=200:ny=150"),
                                  ("lulesh", "hexes:nx=24:ny=24:nz=24"),
                                  ("miniaero", "hexes:nx=20:ny=20:nz=20")):
            yield application, mesh, f"--layout {layout} --renumber owner -p rcb", COUNTERS_YAML


def count(tess, point):
    """What a build counts: a dictionary by strategy, or the message with which it refuses."""
    application, mesh, options, strategies = point
    command = [tess, "run", application, "--mesh", mesh, *options.split(), "--strategy",
               ",".join(strategies), "--device", "emulator", "--samples", "0", "--json", "--no-lab",
               "--no-view", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600)
    if done.returncode != 0 and len(strategies) > 1:  # one by one
        return {strategy: told for one in strategies
                for strategy, told in count(tess, (application, mesh, options, (one,))).items()}
    if done.returncode != 0:
        return {strategies[0]: {"refused": done.returncode}}
    return {run["strategy"]: {key: value for key, value in run.items() if key not in TIMES}
            for run in json.loads(done.stdout)["runs"]}


def arguments(description, flag, flag_help):
    """What was asked: two builds, a flag that chooses meshes, strategies."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument(flag, action="store_true", help=flag_help)
    parser.add_argument("--only", default="", help="strategies whose text holds this word")
    return parser.parse_args()


def main():
    asked = arguments(__doc__, "--quick", "four meshes instead of all")
    n = n_different = n_refused = 0
    for application, mesh, options, strategies in quick_points() if asked.quick else all_points():
        chosen = tuple(s for s in strategies if asked.only in s)
        if not chosen:
            continue
        # older builds let global-colour share the data's order with others of one command
        groups = [chosen[:i] + chosen[i + 1:] for i in [chosen.index("global-colour")]] + [
            ("global-colour",)] if "global-colour" in chosen else [chosen]
        points = [(application, mesh, options, group) for group in groups if group]
        old, new = ({strategy: told for point in points for strategy, told in count(tess, point).items()}
                    for tess in (asked.old, asked.new))
        for strategy in sorted(old.keys() | new.keys()):
            a, b = old.get(strategy, {}), new.get(strategy, {})
            n += 1
            n_refused += "refused" in a
            different = [key for key in sorted(a.keys() | b.keys()) if a.get(key) != b.get(key)]
            n_different += bool(different)
            for key in different:
                print(f"{application} {mesh} {options} {strategy}: {key} was {a.get(key)}, "
                      f"is {b.get(key)}")
        sys.stdout.flush()
    print(f"{n} runs, {n_different} differ, {n_refused} refused by the old build")
    return n_different > 0 or n == n_refused


if __name__ == "__main__":
    sys.exit(main())
