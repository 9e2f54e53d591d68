#!/usr/bin/env python3
"""How often `tess gate` calls a program slower than itself.

    bench/gate_alarms.py --tess build/release/bin/tess [--gates 200] [--seconds 600] [--log gates.jsonl] RECIPE.yaml [-- --budget 60s]

Makes gates of a program against itself, one after another (--at-once: so many beside each other), until there are enough or
the time is over, and counts the verdicts: each run of a gate is a decision, and a gate is wrong where one of its runs is called
slower. What is on the log counts, too, of any session and machine; with --gates 0 nothing else does. Prints a table in
Markdown, and beside the alarms the least rate that so few would be seen at in one count of twenty."""

import argparse
import json
import math
import os
import pathlib
import platform
import statistics
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

VERDICTS = ("same", "slower", "out of time", "failed")


def made(asked, end):
    """One gate; None where its time had no beginning."""
    if time.monotonic() > end:
        return None
    words = [asked.tess, "gate", "--reference-program", asked.reference or asked.tess, "--json", "--quiet", asked.recipe, *asked.more]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        raise SystemExit(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr.strip()}")
    gate = {"host": platform.node(), "recipe": pathlib.Path(asked.recipe).name, "load": os.getloadavg()[0], **json.loads(done.stdout)}
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
    wrong = sum(any(one["verdict"] == "slower" for one in gate["cases"]) for gate in gates)
    return [name, len(gates), wrong, f"{100 * at_most(wrong, len(gates)):.2g}", len(cases), *counts,
            f"{statistics.mean(len(one['times']) for one in cases):.1f}", f"{deviation(cases):.2f}",
            f"{statistics.mean(gate['seconds'] for gate in gates):.0f}"]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe")
    parser.add_argument("more", nargs="*", help="options of tess gate")
    parser.add_argument("--tess", default="tess")
    parser.add_argument("--reference", help="another program: counts how often it is beaten (default: the same)")
    parser.add_argument("--gates", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=math.inf, help="none is begun after so many")
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--log", help="a file of JSON lines, one a gate")
    asked = parser.parse_args()
    before = [json.loads(line) for line in open(asked.log)] if asked.log and os.path.exists(asked.log) else []
    end = time.monotonic() + asked.seconds
    with ThreadPoolExecutor(asked.at_once) as pool:
        gates = before + [gate for gate in pool.map(lambda _: made(asked, end), range(asked.gates)) if gate]
    if not gates:
        raise SystemExit("no gate was made")
    titles = ["recipe, host", "gates", "wrong", "rate at most, %", "decisions", *VERDICTS, "turns", "deviation, %", "s a gate"]
    kinds = sorted({(gate["recipe"], gate["host"]) for gate in gates})
    rows = [row(", ".join(kind), [gate for gate in gates if (gate["recipe"], gate["host"]) == kind]) for kind in kinds]
    rows += [row("all", gates)] if len(kinds) > 1 else []
    for cells in (titles, ["---"] * len(titles), *rows):
        print(f"| {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    main()
