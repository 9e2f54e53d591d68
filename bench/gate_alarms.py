#!/usr/bin/env python3
"""How often `tess gate` calls a program slower than itself.

    bench/gate_alarms.py --tess build/release/bin/tess [--gates 200] [--seconds 600] [--log gates.jsonl] RECIPE.yaml|small [-- --budget 60s]

Makes gates of a program against itself, one after another (--at-once: so many beside each other), until there are enough or
the time is over, and counts the verdicts: each run of a gate is a decision, and a gate is wrong where one of its runs is called
slower. `small` is one small loop on the host, drawn anew for each gate. With --plant the reference's times are less by so
many percent, and what is called slower is found; with --plant 0 they are its own, but a script starts it. What is on the log
counts, too, of any session and machine; with --gates 0 nothing else does. Prints a table in Markdown: how many 95 % intervals
hold the true ratio, and beside the alarms the least rate that so few would be seen at in one count of twenty."""

import argparse
import json
import math
import os
import pathlib
import platform
import random
import statistics
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

VERDICTS = ("same", "slower", "out of time", "failed")
LOOPS = ("airfoil, mesh: airfoil:i={}:j=25", "airfoil, mesh: irregular:nx={}:ny=25", "volna, mesh: tris:nx={}:ny=25",
         "bookleaf, mesh: quads:nx={}:ny=40", "lulesh, mesh: hexes:nx={}:ny=6:nz=7", "miniaero, mesh: hexes:nx={}:ny=5:nz=5")  # fmt: skip
SCRIPT = """#!/usr/bin/env python3
import os, subprocess, sys
words = [{tess!r}, *sys.argv[1:]]
if not {percent}:
    os.execvp(words[0], words)
tess = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
print(tess.stdout.readline(), end="", flush=True)
for line in sys.stdin:
    print(line, end="", file=tess.stdin, flush=True)
    prefix, seconds = tess.stdout.readline().rsplit(" ", 1)
    print(prefix, float(seconds) / (1 + {percent} / 100), flush=True)
"""


def small(folder, draw):
    """A recipe of one loop."""
    loop = draw.choice(LOOPS)
    recipe = pathlib.Path(folder) / "small.yaml"
    recipe.write_text("sweep: small\naxes: {device: host, strategy: sequential}\ngroups:\n"
                      f"  - {{application: {loop.format(draw.randrange(5, 14) if 'nz' in loop else draw.randrange(20, 70))}, "
                      f"seed: {draw.randrange(1000)}, partitioner: {draw.choice(('rcb', 'hilbert', 'metis', 'mosaic', 'file-order', 'random'))}}}\n")  # fmt: skip
    return recipe


def by_script(asked, folder):
    """The program that the reference is."""
    if asked.plant is None:
        return asked.reference or asked.tess
    script = pathlib.Path(folder) / "reference"
    script.write_text(SCRIPT.format(tess=os.path.abspath(asked.tess), percent=asked.plant))
    script.chmod(0o755)
    return script


def made(asked, end, number):
    """Gate `number` of a log; None where its time had no beginning."""
    if time.monotonic() > end:
        return None
    with tempfile.TemporaryDirectory() as folder:
        recipe = small(folder, random.Random(f"{asked.seed} {number}")) if asked.recipe == "small" else asked.recipe
        words = [asked.tess, "gate", "--reference-program", by_script(asked, folder), "--json", "--quiet", recipe, *asked.more]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        raise SystemExit(f"{' '.join(map(str, words))}: exit code {done.returncode}: {done.stderr.strip()}")
    gate = {"host": platform.node(), "recipe": pathlib.Path(asked.recipe).name, "plant": asked.plant, "load": os.getloadavg()[0], **json.loads(done.stdout)}
    if asked.log:
        with open(asked.log, "a") as log:
            print(json.dumps(gate), file=log)
    print(f"{gate['seconds']:.0f} s: {', '.join(one['verdict'] for one in gate['cases'])}", flush=True)
    return gate


def at_most(wrong, n):
    """The rate at which `wrong` or fewer of n are seen with a probability of 0.05."""
    low, high = 0.0, 1.0
    for _ in range(60):
        rate = (low + high) / 2
        seen = sum(math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(wrong + 1))
        low, high = (rate, high) if seen > 0.05 else (low, rate)
    return high


def deviation(cases):
    """Of the logarithms of a turn's ratio, in percent, over the runs' turns, each around its own mean."""
    logs = [[math.log(a / b) for a, b in zip(one["times"], one["reference"])] for one in cases]
    squares = sum(statistics.variance(these) * (len(these) - 1) for these in logs if len(these) > 1)
    return 100 * math.sqrt(squares / max(1, sum(len(these) - 1 for these in logs)))


def row(name, gates):
    cases = [one for gate in gates for one in gate["cases"]]
    counts = [sum(one["verdict"] == verdict for one in cases) for verdict in VERDICTS]
    slower = sum(any(one["verdict"] == "slower" for one in gate["cases"]) for gate in gates)
    planted = bool(gates[0].get("plant"))
    true = 1 + (gates[0].get("plant") or 0) / 100
    held = [one["low"] <= true <= one["high"] for one in cases if one.get("low") is not None]
    return [name, len(gates), "" if planted else slower, "" if planted else f"{100 * at_most(slower, len(gates)):.2g}",
            len(cases), *counts, f"{100 * statistics.mean(held):.0f}" if held else "",
            f"{statistics.mean(len(one['times']) for one in cases):.1f}", f"{deviation(cases):.2f}",
            f"{statistics.mean(gate['seconds'] for gate in gates):.0f}"]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe")
    parser.add_argument("more", nargs="*", help="options of tess gate")
    parser.add_argument("--tess", default="tess")
    parser.add_argument("--reference", help="another program: counts how often it is beaten (default: the same)")
    parser.add_argument("--plant", type=float, help="percent")
    parser.add_argument("--gates", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=math.inf, help="none is begun after so many")
    parser.add_argument("--seed", type=int, default=0, help="of what `small` draws")
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--log", help="a file of JSON lines, one a gate")
    asked = parser.parse_args()
    before = [json.loads(line) for line in open(asked.log)] if asked.log and os.path.exists(asked.log) else []
    end = time.monotonic() + asked.seconds
    with ThreadPoolExecutor(asked.at_once) as pool:
        gates = before + [gate for gate in pool.map(lambda number: made(asked, end, len(before) + number), range(asked.gates)) if gate]
    if not gates:
        raise SystemExit("no gate was made")
    titles = ["recipe, host", "gates", "wrong", "rate at most, %", "decisions", *VERDICTS, "held, %", "turns", "deviation, %", "s a gate"]
    kinds = {}
    for gate in gates:
        plant = gate.get("plant")
        planted = "" if plant is None else f", {plant:g} % planted" if plant else ", by a script"
        kinds.setdefault(f"{gate['recipe']}{planted}, {gate['host']}", []).append(gate)
    rows = [row(kind, kinds[kind]) for kind in sorted(kinds)]
    equal = [gate for gate in gates if not gate.get("plant")]
    rows += [row("all of equal programs", equal)] if len(kinds) > 1 and equal else []
    for cells in (titles, ["---"] * len(titles), *rows):
        print(f"| {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    main()
