#!/usr/bin/env python3
"""Mosaic's levels beside an older mosaic and METIS on the rows of mosaic_rows.csv, and whether they pass the gate.

    cmake --build --preset release --target partition_benchmark
    bench/mosaic_gate.py --old PROGRAM [--rows 60] [--cache FILE] [--meshes FOLDER] [--into PAGE]

PROGRAM is the partition_benchmark of the older build, beside which lies its tess-worker; it cuts for METIS, SCOTCH
and rcb, too. Rows are cut one after another, with one thread. Each cut is kept in the cache, by the digest of the
program, so that a program's rows are cut once: --baseline makes those of the older program and of the others alone
(half an hour of one core), and only new programs are cut from then on (a few minutes; --rows N takes N rows
spread evenly). --retime cuts the older default again beside the new one, since times on a busy machine vary.
Meshes of Gmsh that are not in the folder are made (pip install gmsh; another version may make other meshes).

Prints one table, then the rows that lose; the last line says how the new default stands. Exit code 1: a condition
of the gate is not met. A row whose mesh or map is not there, or that a partitioner does not cut, is left out and named."""

import argparse
import collections
import csv
import hashlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
FOLDERS = [ROOT / "data/meshes", ROOT.parent / "shared/meshes"]
OLD = "mosaic"
RECURSIVE, KWAY = "metis:method=recursive", "metis"
# Weights by shared points change nothing but where elements share several: cells by nodes.
WEIGHTED = ["metis:method=recursive:weights=shared", "metis:weights=shared"]
METIS = [RECURSIVE, KWAY, "metis:objtype=vol", *WEIGHTED]
OTHERS = ["rcb", "scotch:strategy=speed"]
MEAN_LOSS = 0.003  # of reuse in the mean, against the older default
METIS_LOSS = 0.015  # of reuse on a row, against METIS's best setting
OLD_LOSS = 0.01  # of reuse on a row, against the older default: rows that are listed
MOST_TIME = 1.2  # of the older default's, over all rows
QUICK_SPEED = 8  # METIS recursive's time over that of quick

Row = collections.namedtuple("Row", "mesh map block_size group")
Cut = collections.namedtuple("Cut", "elements reuse blocks seconds")


def read_rows(path):
    with open(path) as file:
        return [Row(line["mesh"], line["map"], int(size), line["group"])
                for line in csv.DictReader(file) for size in line["block_sizes"].split()]


def spread_evenly(rows, n):
    return rows if not n or n >= len(rows) else [rows[i * len(rows) // n] for i in range(n)]


def specs_of(row, specs):
    return [spec for spec in specs if row.map in ("cells:nodes", "tris:nodes") or spec not in WEIGHTED]


class Meshes:
    """Where the meshes of the rows lie; Gmsh's are made where they are not there."""

    def __init__(self, folder):
        self.folder, self.failed = folder, set()

    def make(self, name):
        maker = ["corpus_meshes.py", self.folder, name.split("-")[1]] if name.startswith("corpus-") else [
            "gmsh_meshes.py", self.folder, name]
        subprocess.run([sys.executable, HERE / maker[0], *maker[1:]], stdout=subprocess.DEVNULL, check=False)

    def find(self, mesh):
        """The mesh as a program takes it; None where it is not there."""
        name, *options = mesh.split(":")
        if "." not in name:  # a generator
            return mesh
        if name in self.failed:
            return None
        if not any((folder / name).exists() for folder in [self.folder, *FOLDERS]) and name.endswith(".msh"):
            self.make(name)
        for folder in [self.folder, *FOLDERS]:
            if (folder / name).exists():
                return ":".join([str(folder / name), *options])
        print(f"left out: {name} is not there", file=sys.stderr)
        self.failed.add(name)
        return None


class Cuts:
    """What was cut so far, kept in a file of JSON lines."""

    def __init__(self, path, meshes):
        self.path, self.meshes, self.known = path, meshes, {}
        if path.exists():
            for line in path.read_text().splitlines():
                key, value = json.loads(line)
                self.known[tuple(key)] = value and Cut(*value)

    @staticmethod
    def key(program, row, spec):
        return program.digest, row.mesh, row.map, row.block_size, spec

    def get(self, program, row, spec):
        return self.known.get(self.key(program, row, spec))

    def keep(self, key, cut):
        self.known[key] = cut
        with self.path.open("a") as file:
            file.write(json.dumps([key, cut]) + "\n")

    def add(self, program, row, specs, again=()):
        """Cuts a row by those of the specs that have not cut it, and by those of `again`."""
        missing = [spec for spec in specs_of(row, specs) if spec in again or self.key(program, row, spec) not in self.known]
        mesh = self.meshes.find(row.mesh) if missing else None
        if not mesh:
            return
        found = program.cut(mesh, row, missing)
        for spec in missing:
            self.keep(self.key(program, row, spec), found.get(spec))


class Program:
    """A partition_benchmark and the digest that its cuts are kept by."""

    def __init__(self, path):
        self.path = path.resolve()
        self.digest = hashlib.sha256(self.path.read_bytes()).hexdigest()[:16]

    def cut(self, mesh, row, specs):
        """The cuts by spec, of those that succeed."""
        found = {}
        for spec in specs:
            done = subprocess.run([self.path, mesh, row.map, str(row.block_size), spec], capture_output=True, text=True,
                                  env=dict(os.environ, OMP_NUM_THREADS="1"))
            lines = done.stdout.splitlines()
            if len(lines) == 3:
                _, _, _, reuse, blocks, cpu, *_ = lines[2].split()
                found[spec] = Cut(int(lines[0].split()[0]), float(reuse), int(blocks), float(cpu))
            else:
                print(f"left out: {row.mesh} {row.map}, S = {row.block_size}, {spec}: {done.stderr.strip()[:200]}",
                      file=sys.stderr)
        return found


class Table:
    """All cuts of the rows that have the ones that are compared."""

    def __init__(self, asked, cuts, rows):
        self.old, self.new, self.cuts, self.levels = asked.old, asked.new, cuts, asked.levels
        self.rows = [row for row in rows if self.cut_by_old(row, OLD) and all(
            self.cut_by_new(row, spec) for spec in self.levels.values())]

    def cut_by_old(self, row, spec):
        return self.cuts.get(self.old, row, spec)

    def cut_by_new(self, row, spec):
        return self.cuts.get(self.new, row, spec)

    def level(self, row, name):
        """The ratio of reuse to the older default's."""
        return self.cut_by_new(row, self.levels[name]).reuse / self.cut_by_old(row, OLD).reuse

    def metis(self, row):
        """METIS's best setting and its reuse against the older default's, or (None, None)."""
        found = {spec: cut.reuse for spec in METIS if (cut := self.cut_by_old(row, spec))}
        best = max(found, key=found.get, default=None)
        return (best, found[best] / self.cut_by_old(row, OLD).reuse) if best else (None, None)

    def other(self, row, spec):
        cut = self.cut_by_old(row, spec)
        return cut and cut.reuse / self.cut_by_old(row, OLD).reuse

    def seconds(self, rows, name):
        return sum(self.cut_by_new(row, self.levels[name]).seconds for row in rows)

    def old_seconds(self, rows, spec):
        return sum(self.cut_by_old(row, spec).seconds for row in rows)

    def with_cuts(self, *specs):
        return [row for row in self.rows if all(self.cut_by_old(row, spec) for spec in specs)]


def mean(values):
    values = [value for value in values if value is not None]
    return statistics.fmean(values) if values else None


def percent(ratio):
    return "" if ratio is None else f"{100 * (ratio - 1):+.2f}"


def group_of(row):
    return f"`{row.mesh}` {row.map}" if row.group == "known" else f"corpus: {row.group}"


def table_of_groups(table):
    levels = list(table.levels)
    lines = [["rows of", "rows", "old default's reuse", *(f"{name}, %" for name in levels), "METIS's best, %", "rcb, %",
              "default against METIS's best, least, %", *(f"{name}, s" for name in levels), "old default, s", "METIS recursive, s"]]
    groups = collections.defaultdict(list)
    for row in table.rows:
        groups[group_of(row)].append(row)
    for name, rows in [*groups.items(), ("all", table.rows)]:
        ratios = [table.level(row, "default") / metis for row in rows if (metis := table.metis(row)[1])]
        timed = [row for row in rows if table.cut_by_old(row, RECURSIVE)]
        lines.append([name, str(len(rows)), f"{mean(table.cut_by_old(row, OLD).reuse for row in rows):.3f}",
                      *(percent(mean(table.level(row, level) for row in rows)) for level in levels),
                      percent(mean(table.metis(row)[1] for row in rows)), percent(mean(table.other(row, "rcb") for row in rows)),
                      percent(min(ratios, default=None)), *(f"{table.seconds(rows, level):.2f}" for level in levels),
                      f"{table.old_seconds(rows, OLD):.2f}",
                      f"{table.old_seconds(timed, RECURSIVE):.2f}" + ("" if len(timed) == len(rows) else f" ({len(timed)} rows)")])
    return lines


def markdown(lines):
    head, *rest = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([head, "|" + "---|" * len(lines[0]), *rest])


def rows_that_lose(table):
    """Those that METIS's best or the older default wins by more than the limits, the worst first."""
    found = []
    for row in table.rows:
        best, metis = table.metis(row)
        ours = table.level(row, "default")
        if (metis and ours / metis < 1 - METIS_LOSS) or ours < 1 - OLD_LOSS:
            found.append((ours, [f"`{row.mesh}` {row.map}", str(row.block_size), percent(ours),
                                 percent(ours / metis) if metis else "", best or ""]))
    return [["rows that lose", "S", "default against old, %", "against METIS's best, %", "METIS's best"],
            *(line for _, line in sorted(found))]


def uneven(table):
    """Rows whose blocks are not all full but the last, for some level."""
    return [row for row in table.rows for spec in table.levels.values()
            if (cut := table.cut_by_new(row, spec)).blocks != -(-cut.elements // row.block_size)]


def conditions(table):
    """(whether it is met, what, measured, asked) for each condition of the gate that the cuts can say."""
    ratio = mean(table.level(row, "default") for row in table.rows)
    yield ratio >= 1 - MEAN_LOSS, "default's reuse against the old default, mean, %", percent(ratio), f"-{100 * MEAN_LOSS:.1f}"
    losses = [table.level(row, "default") / metis for row in table.rows if (metis := table.metis(row)[1])]
    if losses:
        yield (min(losses) >= 1 - METIS_LOSS, f"default's reuse against METIS's best, worst of {len(losses)} rows, %",
               percent(min(losses)), f"-{100 * METIS_LOSS:.1f}")
    times = table.seconds(table.rows, "default") / table.old_seconds(table.rows, OLD)
    yield times <= MOST_TIME, "default's time over the old default's", f"{times:.2f}", f"at most {MOST_TIME}"
    timed = table.with_cuts(RECURSIVE)
    if timed and "quick" in table.levels:
        speed = table.old_seconds(timed, RECURSIVE) / table.seconds(timed, "quick")
        yield speed >= QUICK_SPEED, "METIS recursive's time over that of quick", f"{speed:.1f}", str(QUICK_SPEED)
        ratio = mean(table.level(row, "quick") / table.other(row, RECURSIVE) for row in timed)
        yield ratio >= 1, "quick's reuse against METIS recursive, mean, %", percent(ratio), "0"
    wrong = uneven(table)
    yield not wrong, "rows with blocks that are not full but the last", str(len(wrong)), "0"


def table_of_conditions(table):
    return [["condition", "measured", "asked", ""],
            *([what, measured, asked, "met" if good else "MISSED"] for good, what, measured, asked in conditions(table))]


def sums_of_time(table):
    rows = table.with_cuts(RECURSIVE, KWAY)
    sums = {name: table.seconds(rows, name) for name in table.levels} | {
        name: table.old_seconds(rows, spec) for name, spec in
        (("old default", OLD), ("METIS recursive", RECURSIVE), ("METIS k-way", KWAY))}
    return [[f"seconds of {len(rows)} rows", *sums], ["", *(f"{seconds:.1f}" for seconds in sums.values())]]


def last_line(table):
    worst = min(table.rows, key=lambda row: table.level(row, "default"))
    return textwrap.fill(f"New default against old: {percent(mean(table.level(row, 'default') for row in table.rows))} % in "
                         f"the mean of {len(table.rows)} rows, {percent(table.level(worst, 'default'))} % on the worst "
                         f"(`{worst.mesh}` {worst.map}, S = {worst.block_size}).", 100, break_long_words=False)


def page(table):
    tables = [table_of_groups(table), sums_of_time(table), table_of_conditions(table), rows_that_lose(table)]
    return "\n\n".join([*(markdown(lines) for lines in tables if len(lines) > 1), last_line(table)])


def write_between_marks(path, content):
    begin, end = "<!-- gate: made by bench/mosaic_gate.py -->", "<!-- end of gate -->"
    text = path.read_text()
    if begin not in text or end not in text:
        sys.exit(f"{path} has no marks '{begin}' and '{end}' to write between")
    path.write_text(text.split(begin)[0] + f"{begin}\n\n{content}\n\n{end}" + text.split(end)[1])


def levels_of(text):
    """name=SPEC, split at commas."""
    levels = dict(part.split("=", 1) for part in text.split(","))
    if "default" not in levels:
        sys.exit("--levels needs a default")
    return levels


def parse():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--old", type=pathlib.Path, required=True, help="partition_benchmark of the older build")
    words.add_argument("--new", type=pathlib.Path, default=ROOT / "build/release/bench/partition_benchmark",
                       help="the one that is judged (default: this build's)")
    words.add_argument("--levels", type=levels_of, default="quick=mosaic:level=quick,default=mosaic,long=mosaic:level=long",
                       metavar="NAME=SPEC,...", help="what is judged (default: %(default)s)")
    words.add_argument("--rows", type=int, metavar="N", help="so many rows, spread evenly (default: all)")
    words.add_argument("--list", type=pathlib.Path, default=HERE / "mosaic_rows.csv", help="the rows (default: %(default)s)")
    words.add_argument("--match", default="", help="only rows whose 'MESH MAP' holds this")
    words.add_argument("--cache", type=pathlib.Path, default=ROOT / "build/mosaic_cuts.jsonl", help="default: %(default)s")
    words.add_argument("--meshes", type=pathlib.Path, default=ROOT / "build/meshes", help="where Gmsh's meshes are, or are made")
    words.add_argument("--baseline", action="store_true", help="cut by the older program alone: old default, METIS, SCOTCH, rcb")
    words.add_argument("--retime", action="store_true", help="cut by the older default again, beside the new one")
    words.add_argument("--into", type=pathlib.Path, metavar="PAGE", help="write between the marks of this page")
    asked = words.parse_args()
    asked.old, asked.new = Program(asked.old), None if asked.baseline else Program(asked.new)
    return asked


def main():
    asked = parse()
    asked.meshes.mkdir(parents=True, exist_ok=True)
    cuts = Cuts(asked.cache, Meshes(asked.meshes))
    rows = [row for row in read_rows(asked.list) if asked.match in f"{row.mesh} {row.map}"]
    rows = spread_evenly(rows, asked.rows)
    if asked.baseline:
        for spec in [OLD, *METIS, *OTHERS]:
            for row in rows:
                cuts.add(asked.old, row, [spec])
        return 0
    for row in rows:
        cuts.add(asked.old, row, [OLD], again=[OLD] if asked.retime else [])
        cuts.add(asked.new, row, list(asked.levels.values()))
    table = Table(asked, cuts, rows)
    if not table.rows:
        sys.exit("no row was cut by all")
    text = page(table)
    if asked.into:
        write_between_marks(asked.into, text)
    else:
        print(text)
    return 0 if all(good for good, *_ in conditions(table)) else 1


if __name__ == "__main__":
    sys.exit(main())
