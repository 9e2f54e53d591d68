#!/usr/bin/env python3
"""The table of docs/results/steps.md in one session on a GPU: each step by atomics, loop by loop and in chains.

    bench/steps.py [--device cuda] [--small] [--budget 300] [--only airfoil,volna] [--words] [--counters]

Some marches are prepared at a time; they take turns on the GPU, a row of steps each. Then the chains of each step are
checked against the sequential loops, two steps of each. Prints milliseconds a step, the median of all rows but the first,
and the table; --words: the commands alone; --counters: of the kernels of each step in chains, by Nsight Compute ($NCU, or
ncu), which has the GPU alone. The program is $TESS, or tess."""

import argparse
import csv
import json
import os
import re
import statistics
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

TESS = os.environ.get("TESS", "tess")
SOA, POINTS = "--layout soa", "--strategy point-parallel"
MESHES = {
    "airfoil": ("airfoil:i=800:j=1200", "airfoil:i=20:j=30"),
    "triangles": ("irregular:nx=1200:ny=1200:shuffle=1", "irregular:nx=12:ny=12:shuffle=1"),
    "volna": ("tris:nx=1200:ny=1000", "tris:nx=12:ny=10"),
    "bookleaf": ("quads:nx=2000:ny=2000", "quads:nx=20:ny=20"),
    "lulesh": ("hexes:nx=128:ny=128:nz=128", "hexes:nx=8:ny=8:nz=8"),
    "miniaero": ("hexes:nx=128:ny=128:nz=128", "hexes:nx=8:ny=8:nz=8"),
    "fun3d": ("layers:base=irregular:nx=114:ny=114:prisms=45:tets=39:order=rcm",
              "layers:base=irregular:nx=5:ny=5:prisms=2:tets=2:order=rcm"),
    "halved": ("airfoil:i=800:j=2400", "airfoil:i=20:j=60"),
}
RINGS = "-b 512 --threads 384 --layout soa,nodes=aos --strategy point-parallel --chains auto:rings=2"
MIX = (f"--loop lstgs {POINTS} -b 256 --layout soa,nodes.res=aos"
       " --set roe_flux.strategy=atomics:aggregate=sorted+no:transpose=no+shared --set roe_flux.block_size=192"
       " --set roe_flux.threads=96 --set visrhs_tets.strategy=atomics:aggregate=unsorted:transpose=shared"
       " --set visrhs_tets.block_size=128 --set visrhs_prisms.strategy=atomics:transpose=shared"
       " --set visrhs_prisms.block_size=128")
# the step's name, its application and mesh, what all have; loop by loop; in chains
STEPS = [
    ("airfoil", "airfoil", "airfoil", "", f"-b 128 {POINTS} {SOA}", RINGS),
    ("airfoil, fast", "airfoil", "airfoil", "--arithmetic fast", f"-b 128 {POINTS} {SOA}", RINGS),
    ("triangles, fast", "airfoil", "triangles", "--arithmetic fast", f"-b 128 {POINTS} {SOA}", RINGS),
    ("volna", "volna", "volna", "", f"-b 128 {POINTS} --layout soa,cells=aos",
     f"-b 128 {POINTS} --layout soa,cells=aos --chains auto"),
    ("bookleaf", "bookleaf", "bookleaf", "", f"-b 256 {POINTS} {SOA}",
     f"-b 128 {POINTS} --layout soa,nodes=aos --chains auto"),
    ("lulesh", "lulesh", "lulesh", "", f"-b 512 --threads 128 --strategy halo-atomics:registers=96 {SOA}",
     f"-b 128 --threads 128 {POINTS} {SOA} --chains auto"),
    ("miniaero", "miniaero", "miniaero", "", f"-b 256 --threads 160 --strategy halo-atomics {SOA}",
     f"-b 256 --threads 128 {POINTS} {SOA} --chains auto"),
    ("fun3d", "fun3d", "fun3d", "", MIX, f"{MIX} --chains keep+zero+lstgs,zero+lstgs"),
    ("airfoil, 5.76M cells", "airfoil", "halved", "", f"-b 128 {POINTS} {SOA}", RINGS),
]
WAYS = ("atomics", "loop by loop", "chains")
# what is counted of a kernel: title, metric, what it is divided by
COUNTERS = [
    ("ms", "gpu__time_duration.sum", 1e6),
    ("DRAM %", "dram__throughput.avg.pct_of_peak_sustained_elapsed", 1),
    ("FP64 %", "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active", 1),
    ("issued %", "smsp__issue_active.avg.pct_of_peak_sustained_active", 1),
    ("warps %", "sm__warps_active.avg.pct_of_peak_sustained_active", 1),
    ("L1 data %", "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", 1),
    ("shared, M wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 1e6),
    ("of these conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 1e6),
    ("registers", "launch__registers_per_thread", 1),
    ("threads", "launch__block_size", 1),
    ("cycles between instructions", "smsp__average_warp_latency_per_inst_issued.ratio", 1),
    ("for memory", "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 1),
]


def commands(asked):
    """(step, way, words of the command) of each march."""
    for step, application, mesh, more, loops, chains in STEPS:
        common = ["march", application, "--no-lab", "--mesh", MESHES[mesh][asked.small], "--device", asked.device, "--renumber",
                  "owner", "--partitioner", "rcb", "--steps", "4" if asked.small else "200", "--every",
                  "1" if asked.small else "20", *more.split()]
        for way, words in zip(WAYS, (f"--strategy atomics -b 256 {SOA}", loops, chains)):
            if not asked.only or any(step.startswith(name) for name in asked.only.split(",")):
                yield step, way, [*common, *words.split()]


def time_one(words):
    """(milliseconds a step, what is said of them) by the rows of a march but the first, which warms up."""
    done = subprocess.run([TESS, *words, "--json"], capture_output=True, text=True)
    if done.returncode:
        return None, f"failed with {done.returncode}: {done.stderr.strip()[-300:]}"
    rows = json.loads(done.stdout)["rows"]
    times = [1e3 * row["seconds_per_step"] for row in rows[1:]]
    sums = " ".join(f"{name} {value}" for name, value in rows[-1].items() if name not in ("step", "seconds_per_step"))
    return statistics.median(times), f"{statistics.median(times):.4g} ms, {min(times):.4g} to {max(times):.4g}; {sums}"


def time_all(asked, began):
    """Milliseconds by (step, way)."""
    def told(step, way, words):
        late = time.time() - began > asked.budget
        ms, said = (None, "no time was left") if late else time_one(words)
        print(f"{time.time() - began:5.0f} s  {step}, {way}: {said}", flush=True)
        return (step, way), ms

    with ThreadPoolExecutor(asked.at_once) as pool:
        return dict(pool.map(lambda march: told(*march), commands(asked)))


def check_all(asked):
    """The chains of each step against the sequential loops; gives whether all are right."""
    right = True
    with tempfile.TemporaryDirectory() as folder:
        running = []
        for step, way, words in commands(asked):
            if way == "chains" and "5.76M" not in step:
                words = [*words, "--check"]
                words[words.index("--steps") + 1] = words[words.index("--every") + 1] = "2"
                out = open(f"{folder}/{len(running)}", "w+", encoding="utf-8")
                running.append((step, out, subprocess.Popen([TESS, *words], stdout=out, stderr=subprocess.STDOUT)))
        for step, out, process in running:
            process.wait()
            out.seek(0)
            said = re.search(r".*same state.*|.*differ.*|.*error.*", out.read())
            right &= process.returncode == 0
            print(f"{step}: {said[0] if said else process.returncode}", flush=True)
    return right


def number(row, metric):
    try:
        return float(row.get(metric, "").replace(",", ""))
    except ValueError:
        return float("nan")


def kernels_of(words):
    """(name, {metric: value}) of the kernels of a march's first launches, without those that cut the mesh: of what is alike
    the last."""
    words[words.index("--steps") + 1] = words[words.index("--every") + 1] = "4"
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "counted.csv")
        ncu = [os.environ.get("NCU", "ncu"), "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none",
               "--kernel-name", "regex:^(chain|atomics|point_parallel)", "--launch-count", "16", "--log-file", log,
               "--metrics", ",".join(metric for _, metric, _ in COUNTERS)]
        done = subprocess.run([*ncu, TESS, *words], capture_output=True, text=True)
        with open(log, encoding="utf-8") as file:
            text = file.read()
    lines = [line for line in text.splitlines() if line.startswith('"')]
    if len(lines) < 3:
        raise SystemExit(f"Nsight Compute counted nothing: {text[-500:]} {done.stderr[-500:]}")
    rows = [row for row in csv.DictReader(lines) if row["ID"]]  # the row of units has none
    alike = {(row["Kernel Name"], row["launch__registers_per_thread"], row["Grid Size"]): row for row in rows}
    return [(name[0], row) for name, row in alike.items()]


def count_all(asked):
    """Prints a table of the kernels of all steps in chains that take over a fiftieth of their step; Nsight Compute counts one
    after the other."""
    print(f"| step | kernel | {' | '.join(title for title, _, _ in COUNTERS)} |\n|{' --- |' * (2 + len(COUNTERS))}")
    chains = [(step, words) for step, way, words in commands(asked) if way == "chains"]
    with ThreadPoolExecutor(asked.at_once) as pool:
        for (step, _), kernels in zip(chains, pool.map(kernels_of, [words for _, words in chains])):
            whole = sum(number(row, COUNTERS[0][1]) for _, row in kernels)
            for name, row in kernels:
                if number(row, COUNTERS[0][1]) > whole / 50:
                    values = (f"{number(row, metric) / per:.3g}" for _, metric, per in COUNTERS)
                    print(f"| {step} | {name} | {' | '.join(values)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--small", action="store_true", help="meshes of some hundred elements, to try it")
    parser.add_argument("--budget", type=float, default=300, help="seconds in which marches are begun")
    parser.add_argument("--at-once", type=int, default=4, help="marches that are prepared at a time")
    parser.add_argument("--only", help="steps whose names begin so")
    parser.add_argument("--counters", action="store_true", help="count by Nsight Compute instead")
    parser.add_argument("--words", action="store_true", help="print the commands, run nothing")
    asked = parser.parse_args()
    if asked.words:
        for step, way, words in commands(asked):
            print(f"{step}, {way}:", "tess", *words)
        return 0
    if asked.counters:
        count_all(asked)
        return 0
    found = time_all(asked, time.time())
    print(f"\n| step | {' | '.join(WAYS)} | faster by |\n|{' --- |' * 5}")
    for step in dict.fromkeys(step for step, _ in found):
        times = [found.get((step, way)) for way in WAYS]
        faster = f"{times[1] / times[2]:.2f}" if times[1] and times[2] else ""
        print(f"| {step} | {' | '.join(f'{ms:.4g}' if ms else '' for ms in times)} | {faster} |")
    print()
    return 0 if check_all(asked) and all(found.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
