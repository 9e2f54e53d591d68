#!/usr/bin/env python3
"""Tables of partition_benchmark for docs/results/mosaic.md: what is too large for a lab, or asks for
several numbers of threads.

    tests/partitioners/benchmark_tables.py growth|airfoil|threads [--into docs/results/mosaic.md]"""

import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

COLUMNS = ["partitioner", "S", "before", "reuse", "thread", "bound", "block", "fill", "pieces", "cpu",
           "wall", "memory", "bytes", "blocks"]
PROGRAMS = pathlib.Path(os.environ.get("TESS_BIN", ROOT / "build/release/bin/tess")).parents[1] / "tests"
SIDES = (71, 224, 707, 2236, 3900, 7072)  # of squares of quads: 10^4 to 10^8 edges
SIZES = (64, 128, 256, 480)
THREADS = (1, 2, 4, 16)
SHIPPED = str(ROOT / "data/meshes")
THREAD_MESHES = [("airfoil:i=100:j=150", "edges:cells"),
                 ("irregular:nx=120:ny=120:shuffle=1", "cells:nodes"),
                 ("hexes:nx=30:ny=30:nz=30", "cells:nodes"), ("hexes:nx=30:ny=30:nz=30", "faces:cells"),
                 (f"{SHIPPED}/refine_cube_sphere.meshb.xz", "faces:cells"),
                 (f"{SHIPPED}/north_sea.msh.xz", "edges:nodes"),
                 ("airfoil:i=800:j=1200", "edges:cells"),
                 ("tets:nx=40:ny=40:nz=40:shuffle=1", "faces:cells")]


def measure(mesh, loop, sizes, partitioners, threads):
    """The number of elements, and a dictionary for each row."""
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_WAIT_POLICY="passive")
    done = subprocess.run(
        [PROGRAMS / "partition_benchmark", mesh, loop, sizes, partitioners],
        env=environment, capture_output=True, text=True, check=True)
    head, _, *lines = done.stdout.splitlines()
    rows = [dict(zip(COLUMNS, line.split())) for line in lines]
    if any(len(row) != len(COLUMNS) or len(row["blocks"]) != 8 for row in rows):
        sys.exit(done.stdout)
    return int(head.split(", ")[-2].split()[0]), rows


def growth():
    """Time and memory against the number of elements, of one thread."""
    table = [["elements", "mosaic, CPU s", "µs an element", "MB", "effort=0, CPU s", "reuse"]]
    for side in SIDES:
        n, (ours, quick) = measure(f"quads:nx={side}:ny={side}", "edges:cells", "128",
                                   "mosaic,mosaic:effort=0", 1)
        table.append([f"{n:,}", ours["cpu"], f"{1e6 * float(ours['cpu']) / n:.2f}", ours["memory"],
                      quick["cpu"], ours["reuse"]])
    return table


def airfoil():
    """The 5.76M edges of 2.88M cells, of two threads, the middle of three by wall time; with the load
    of the machine before each size."""
    table = [["S", "partitioner", "reuse", "CPU s", "wall s", "MB", "others' load"]]
    for size in SIZES:
        load = os.getloadavg()[0]
        _, rows = measure("airfoil:i=800:j=1200", "edges:cells", str(size),
                          "mosaic,mosaic,mosaic,mosaic:effort=0,mosaic:effort=0,mosaic:effort=0", 2)
        for first in (0, 3):
            row = sorted(rows[first:first + 3], key=lambda row: float(row["wall"]))[1]
            table.append([str(size), row["partitioner"], row["reuse"], row["cpu"], row["wall"],
                          row["memory"], f"{load:.0f}"])
    return table


def threads():
    """Whether the blocks are the same whatever the number of threads."""
    table = [["mesh, map", "partitioner", *(f"{n} threads" for n in THREADS), "same"]]
    for mesh, loop in THREAD_MESHES:
        columns = [measure(mesh, loop, "128", "mosaic", n)[1] for n in THREADS]
        for rows in zip(*columns):
            prints = [row["blocks"] for row in rows]
            table.append([f"{pathlib.Path(mesh).name} {loop}", rows[0]["partitioner"], *prints,
                          "yes" if len(set(prints)) == 1 else "NO"])
    return table


def show(tables, name, maker, into):
    """Prints tables, or writes them between the marks of a file."""
    sys.path.insert(0, str(ROOT / "notebooks"))
    from tesselab.side_by_side import text_table, write_part

    text = "\n\n".join(text_table(table, markdown=True) for table in tables)
    if into:
        write_part(into, name, maker, text)
    else:
        print(text)


def main():
    tables = {"growth": growth, "airfoil": airfoil, "threads": threads}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", choices=tables)
    parser.add_argument("--into", type=pathlib.Path, metavar="FILE",
                        help="write it between the marks of this file")
    asked = parser.parse_args()
    maker = f"tests/partitioners/benchmark_tables.py {asked.table} --into {asked.into}"
    show([tables[asked.table]()], asked.table, maker, asked.into)


if __name__ == "__main__":
    main()
