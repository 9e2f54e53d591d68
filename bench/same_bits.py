#!/usr/bin/env python3
"""What the same bits cost: six loops by the fastest strategy, by the fastest whose sums have one order in every run, and with any blocks.

    python3 bench/same_bits.py --device cuda [--tess build/release/bin/tess] [--jobs 4] [--seconds 300] [LOOP...]

Each command line below is a run with several strategies, of which the fastest counts; their bits are not proved beside. Prints a table in Markdown. --bits 20 compares instead
results to the last bit: so many processes each, with blocks of three sizes, of the fastest of either kind on smaller meshes."""

import argparse
import itertools
import json
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

POINTS = "-b {} -s point-parallel{}"
BLOCKS = "-b 512 --threads 128 -s halo-atomics{0}:registers=96"
FACES = "-b 320 --threads 160 -s halo-atomics{0}"
ORDERED = ":border=ordered"
IN_ORDER = ":sum=mesh-order"
# What is run, its mesh, a smaller one, and the settings: of any strategies, of those with an order in each run (none: the same), with any blocks.
LOOPS = {
    "airfoil": ("airfoil --layout soa --mesh airfoil:i={}:j={}", (800, 1200), (80, 100), [POINTS.format(256, "")], [], [POINTS.format(256, IN_ORDER)]),
    "triangles": ("airfoil --layout soa,nodes=aos --mesh irregular:nx={}:ny={}:shuffle=1", (1200, 1200), (90, 90), [POINTS.format(128, "")], [], [POINTS.format(128, IN_ORDER)]),
    "volna": ("volna --layout soa --mesh tris:nx={}:ny={}", (1095, 1095), (80, 80), [POINTS.format(256, "")], [], [POINTS.format(256, IN_ORDER)]),
    "bookleaf": ("bookleaf --layout soa,nodes=aos --mesh quads:nx={}:ny={}", (2000, 2000), (100, 100), [POINTS.format(256, "")], [], [POINTS.format(256, IN_ORDER)]),
    "lulesh": ("lulesh --layout soa --mesh hexes:nx={}:ny={}:nz={}", (170, 170, 170), (24, 24, 24), [BLOCKS.format("")],
               [BLOCKS.format(ORDERED)], ["-b 1200 --threads 320 -s owner-block:sum=mesh-order:registers=96"]),
    "miniaero": ("miniaero --layout soa --mesh hexes:nx={}:ny={}:nz={}", (128, 128, 128), (24, 24, 24), [FACES.format("")],
                 [FACES.format(ORDERED), POINTS.format(128, "")], ["-b 192 --threads 256 -s owner-block:sum=mesh-order:registers=96"]),
}  # fmt: skip


def tess(asked, *words):
    done = subprocess.run([asked.tess, *words, "--json"], capture_output=True, text=True, timeout=asked.seconds, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        raise SystemExit(f"tess {' '.join(words)}: exit code {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def run(asked, loop, settings, bits, *more):
    words, sizes = LOOPS[loop][0], LOOPS[loop][2 if asked.bits or asked.small else 1]
    sizes = [round(asked.scale * size) for size in sizes]
    command = f"run {words.format(*sizes)} --device {asked.device} --partitioner {asked.partitioner} --renumber owner {settings}"
    return tess(asked, *command.split(), "--quiet", *(["--same-bits", bits] if bits else []), *more)


def fastest(asked, loop, settings):
    """Seconds, and the settings of the fastest."""
    found = []
    for words in settings:
        runs = run(asked, loop, words, None, "--no-lab", "--samples", str(asked.samples))["runs"]
        found += [(one["median_time"], f"{one['strategy']}, {one['block_size']}") for one in runs if one["check"] == "passed"]
    return min(found, default=(float("nan"), "none"))


def row(asked, loop):
    _, _, _, free, ordered, unblocked = LOOPS[loop]
    first = fastest(asked, loop, free)
    of_run = fastest(asked, loop, ordered) if ordered else first
    of_any = fastest(asked, loop, unblocked)
    cells = [f"{1e3 * seconds:.4f} (`{name}`)" for seconds, name in (first, of_run, of_any)]
    return [loop, *cells, f"{of_run[0] / first[0]:.2f}", f"{of_any[0] / first[0]:.2f}"]


def digests(asked, loop, settings, bits):
    """By block size: the results' digests that so many processes came to."""
    strategy = settings.split(" -s ")[1].split(",")[0]
    with tempfile.TemporaryDirectory() as lab:
        for _ in range(asked.bits):
            run(asked, loop, f"-b 64 -b 128 -b 256 -s {strategy}", bits, "--samples", "0", "--lab", lab, "--no-view")
        found = {}
        for one in tess(asked, "runs", "--lab", lab)["runs"]:
            shown = json.dumps(tess(asked, "show", one["run"], "--lab", lab))
            found.setdefault(one["block_size"], []).append(shown.partition('"result_bits": "')[2][:64])
        return strategy, found


def compare(asked, loop):
    _, _, _, free, ordered, unblocked = LOOPS[loop]
    for bits, settings in (("run", (ordered or free)[0]), ("any", unblocked[0])):
        strategy, found = digests(asked, loop, settings, bits)
        counts = {size: (len(these), len(set(these))) for size, these in sorted(found.items())}
        n = len({digest for these in found.values() for digest in these})
        expected = 1 if bits == "any" else None
        complete = [number for number, _ in counts.values()] == 3 * [asked.bits] and "" not in sum(found.values(), [])
        right = complete and all(different == 1 for _, different in counts.values()) and (expected is None or n == expected)
        said = ", ".join(f"blocks of {size}: {all_of_them} results, {different} digest{'s' * (different > 1)}" for size, (all_of_them, different) in counts.items())
        yield f"{'right' if right else 'WRONG'}: {loop} by {strategy} ({bits}): {said}; {n} in all"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("loops", nargs="*", metavar="LOOP")
    parser.add_argument("--tess", default="tess")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--partitioner", default="mosaic:level=quick")
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=600, help="the most that a command may take")
    parser.add_argument("--small", action="store_true", help="on the smaller meshes")
    parser.add_argument("--scale", type=float, default=1, help="meshes by so much longer along each axis")
    parser.add_argument("--bits", type=int, default=0, metavar="N", help="compare the results of N processes each")
    asked = parser.parse_args()
    loops = asked.loops or list(LOOPS)
    with ThreadPoolExecutor(asked.jobs) as pool:
        if asked.bits:
            found = [line for lines in pool.map(lambda loop: list(compare(asked, loop)), loops) for line in lines]
            print("\n".join(found))
            raise SystemExit(any(line.startswith("WRONG") for line in found))
        titles = ["loop", "ms", "the same bits in every run, ms", "with any blocks, ms", "run", "any"]
        for cells in itertools.chain((titles, ["---"] * len(titles)), pool.map(lambda loop: row(asked, loop), loops)):
            print(f"| {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()
