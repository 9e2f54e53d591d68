#!/usr/bin/env python3
"""The regret of `tess tune`: how much slower its winner is than the best of a search that tries all.

    bench/tune_regret.py --device cuda --budget 45 --long 600 [--tess build/release/bin/tess] [PAIR...]

A pair is APPLICATION[/LOOP]@MESH; without any, ten of two and three dimensions. Each is tuned within the
budget, then for `--long` seconds in a lab of its own; the regret is what the first winner takes over the
best of the long search there, timed in turns. `--long 0` leaves that out: what is printed is where the
time went. Prints a table in Markdown."""

import argparse
import json
import os
import subprocess
import tempfile
import time

PAIRS = [
    "airfoil@airfoil:i=1200:j=2400", "airfoil@tris:nx=1400:ny=1400", "airfoil@irregular:nx=1000:ny=1500",
    "volna@tris:nx=1200:ny=1200", "bookleaf@quads:nx=1300:ny=1300", "bookleaf@quads:nx=3000:ny=3000",
    "lulesh@hexes:nx=128:ny=128:nz=128", "miniaero@hexes:nx=128:ny=128:nz=128", "miniaero@tets:nx=94:ny=94:nz=94",
    "fun3d/roe_flux@tets:nx=80:ny=80:nz=80",
]  # fmt: skip
WAY = ("block_size", "partitioner", "strategy", "layout")


def tuned(asked, pair, budget, lab):
    """The report of one search, and the seconds of the whole command."""
    loop, mesh = pair.split("@", 1)
    application, _, name = loop.partition("/")
    words = [asked.tess, "tune", application, "--mesh", mesh, "--device", asked.device, "--json", "--quiet"]
    words += ["--budget", f"{budget}s", "--lab", lab, *(["--loop", name] if name else []), *asked.more]
    began = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True)
    seconds = time.monotonic() - began
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: {done.stderr}")
    return json.loads(done.stdout), seconds


def way(candidate):
    return tuple(candidate[key] for key in WAY)


def regret(short, long):
    """What the winner of the short search takes over the best of the long one; NaN where that did not try it."""
    ratios = {way(one): one["ratio"] for one in long["candidates"] if one["ratio"] is not None}
    return ratios.get(way(short["candidates"][0]), float("nan")) - 1


def row(pair, short, seconds, long):
    spent, own = short["spent"], short["spent"]["own"]
    best = short["candidates"][0]
    return [pair, f"{spent['tried']} of {len(short['candidates'])}", f"{spent['hopeless']}", f"{seconds:.1f}",
            f"{own['open']:.1f}", f"{spent['first_candidate']:.1f}", f"{100 * spent['device_share']:.0f}",
            f"{own['wait_cut']:.1f}", f"{own['wait'] - own['wait_cut']:.1f}",
            f"{' '.join(str(value) for value in way(best))}", f"{1e3 * best['value']:.4f}", str(short["ties"]),
            f"{long['spent']['tried']} of {len(long['candidates'])}" if long else "",
            f"{100 * regret(short, long):.2f}" if long else ""]  # fmt: skip


TITLES = ["loop, mesh", "tried", "hopeless", "s in all", "reading, s", "first after, s", "on the device, %",
          "waited for blocks, s", "for the compiler, s", "winner", "ms", "ties", "tried by the long search", "regret, %"]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tess", default="build/release/bin/tess")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--budget", type=float, default=45)
    parser.add_argument("--long", type=float, default=600)
    parser.add_argument("--more", default="", help="options of tess tune for both searches")
    parser.add_argument("pairs", nargs="*", metavar="PAIR")
    asked = parser.parse_args()
    asked.more = asked.more.split()
    print("| " + " | ".join(TITLES) + " |\n|" + "---|" * len(TITLES), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for i, pair in enumerate(asked.pairs or PAIRS):
            short, seconds = tuned(asked, pair, asked.budget, os.path.join(folder, f"short-{i}"))
            long = tuned(asked, pair, asked.long, os.path.join(folder, f"long-{i}"))[0] if asked.long else None
            print("| " + " | ".join(row(pair, short, seconds, long)) + " |", flush=True)


if __name__ == "__main__":
    main()
