#!/usr/bin/env python3
"""The regret of `tess tune`: how much slower its winner is than the best of a search that tries all.

    bench/tune_regret.py --device cuda --budget 45 --long 600 [--tess build/release/bin/tess] [PAIR...]

A pair is APPLICATION[/LOOP]@MESH; without any, ten of two and three dimensions. Each is tuned within each
budget (`--budget 45,10`), and for up to `--long` seconds in a lab of its own, until all candidates have been
tried and the slower ones are out: this search takes the texts that the first one has compiled. The regret is
what a winner takes over the best of the long search there, timed in turns; with `--turns SECONDS` both are
timed in turns once more, and its 95 % interval is printed. `--long 0` leaves that out: what is printed is where the time went.
Prints a table in Markdown."""

import argparse
import json
import os
import shutil
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


def tuned(asked, pair, budget, lab, more=(), cache=None):
    """The report of one search, and the seconds of the whole command; cache: of texts that another one has compiled."""
    loop, mesh = pair.split("@", 1)
    application, _, name = loop.partition("/")
    words = [asked.tess, "tune", application, "--mesh", mesh, "--device", asked.device, "--json", "--quiet"]
    words += ["--budget", f"{budget}s", "--lab", lab, *(["--loop", name] if name else []), *asked.more, *more]
    cache = cache or lab + "-cache"
    if not os.path.isdir(cache) and os.path.isdir(os.environ.get("TESS_CACHE", "")):
        leave = shutil.ignore_patterns("*.log", "*.tmp*")  # of compilers that run meanwhile
        shutil.copytree(os.environ["TESS_CACHE"], cache, ignore=leave)
    began = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "TESS_CACHE": cache})
    seconds = time.monotonic() - began
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: {done.stderr}")
    return json.loads(done.stdout), seconds


def way(candidate):
    return tuple(candidate[key] for key in WAY)


def words_of(candidate):
    return " ".join(str(value) for value in way(candidate))


def regret(short, long):
    """What the winner of the short search takes over the best of the long one; NaN where that did not try it."""
    ratios = {way(one): one["ratio"] for one in long["candidates"] if one["ratio"] is not None}
    return ratios.get(way(short["candidates"][0]), float("nan")) - 1


def regret_in_turns(asked, pair, short, long, lab):
    """That regret and its interval where both are timed again, among all that has what one of them has."""
    first, best = way(short["candidates"][0]), way(long["candidates"][0])
    if first == best:
        return 0, 0, 0
    words = []
    for key, values in zip(WAY, zip(first, best)):
        words += ["--" + key.replace("_", "-"), ",".join(sorted({str(value) for value in values}))]
    found = {way(one): one for one in tuned(asked, pair, asked.turns, lab, words)[0]["candidates"]}
    one, other = found[first], found[best]
    if one["ratio"] is None or other["ratio"] is None:
        return (float("nan"),) * 3
    if one["low"] is None:
        low, high = 1 / other["high"], 1 / other["low"]
    else:
        low, high = one["low"] / other["ratio"], one["high"] / other["ratio"]
    return one["ratio"] / other["ratio"] - 1, low - 1, high - 1


def row(pair, short, seconds, long, turns):
    """Cells by their titles: where the time went of a search alone, else what another one found."""
    spent, own, best = short["spent"], short["spent"]["own"], short["candidates"][0]
    cells = {"loop, mesh": pair, "budget, s": f"{short['budget']:g}", "tried": f"{spent['tried']} of {len(short['candidates'])}",
             "s in all": f"{seconds:.1f}", "first after, s": f"{spent['first_candidate']:.1f}",
             "on the device, %": f"{100 * spent['device_share']:.0f}", "winner": words_of(best),
             "ms": f"{1e3 * best['value']:.4f}"}  # fmt: skip
    if not long:
        return cells | {"ties": str(short["ties"]), "hopeless": f"{spent['hopeless']}", "reading, s": f"{own['open']:.1f}",
                        "waited for blocks, s": f"{own['wait_cut']:.1f}",
                        "for the compiler, s": f"{own['wait'] - own['wait_cut']:.1f}"}  # fmt: skip
    cells["tried by the long search"] = f"{long['spent']['tried']} of {len(long['candidates'])}"
    cells["its best"] = words_of(long["candidates"][0]) if way(long["candidates"][0]) != way(best) else "the same"
    cells["regret, %"] = f"{100 * regret(short, long):.2f}"
    if turns:
        cells["in turns, %"] = "{:.2f} [{:.2f}, {:.2f}]".format(*(100 * value for value in turns))
    return cells


def show(cells, is_first):
    if is_first:
        print("| " + " | ".join(cells) + " |\n|" + " --- |" * len(cells))
    print("| " + " | ".join(cells.values()) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tess", default="build/release/bin/tess")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--budget", default="45", help="seconds, several with commas")
    parser.add_argument("--long", type=float, default=600)
    parser.add_argument("--turns", type=float, default=0)
    parser.add_argument("--more", default="", help="options of tess tune for both searches")
    parser.add_argument("pairs", nargs="*", metavar="PAIR")
    asked = parser.parse_args()
    asked.more = asked.more.split()
    with tempfile.TemporaryDirectory() as folder:
        for i, pair in enumerate(asked.pairs or PAIRS):
            labs = os.path.join(folder, f"{i}-")
            budgets = [float(budget) for budget in asked.budget.split(",")]
            shorts = [tuned(asked, pair, budget, f"{labs}{budget:g}") for budget in budgets]
            compiled = f"{labs}{budgets[0]:g}-cache"
            long = tuned(asked, pair, asked.long, labs + "long", ["--early"], compiled)[0] if asked.long else None
            for at, (short, seconds) in enumerate(shorts):
                turns = regret_in_turns(asked, pair, short, long, f"{labs}turns-{at}") if long and asked.turns else None
                show(row(pair, short, seconds, long, turns), i + at == 0)


if __name__ == "__main__":
    main()
