"""What `tess mesh reorder` takes beside reading and writing the same mesh, in each format that is written.

    python3 bench/reorder_speed.py [--cells 900000] [--order rcb] [--turns 5] [--build build/release] [FORMAT...]

A box of tetrahedra in a random order is converted to a file of its own format and reordered into one, in turns: processor seconds
of one thread, the least of all turns, and the most memory that the process ever held, or this one before it (15 MB). A
conversion reads and writes, and does nothing else. The mesh's own size is that of its file, and of its arrays in memory."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FILES = {"su2": "mesh.su2", "gmsh4": "mesh.msh", "gmsh2": "mesh.msh", "vtu": "mesh.vtu", "vtk": "mesh.vtk", "vtkhdf": "mesh.vtkhdf", "exodus": "mesh.exo",
         "cgns": "mesh.cgns", "meshb": "mesh.meshb", "ugrid": "mesh.lb8.ugrid", "openfoam": "case/constant/polyMesh"}  # fmt: skip
COLUMNS = ("format", "file MB", "arrays MB", "reading and writing s", "reordering s", "times", "reading and writing MB", "reordering MB", "times")


def measured(command):
    """(processor seconds, MB) of a process and those that it starts."""
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1.024e-3


def remove(path):
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def compare(name, given, folder, arguments):
    """The row of a format."""
    tess = arguments.build / "bin/tess"
    mesh, into = folder / "from" / FILES[name], folder / "into" / FILES[name]
    for path in (mesh, into):
        path.parent.mkdir(parents=True, exist_ok=True)
    convert, reorder = ([tess, "mesh", what, "--quiet", "--format", name] for what in ("convert", "reorder"))
    subprocess.run([*convert, given, mesh], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    read = subprocess.run([arguments.build / "tests/read_mesh", mesh], check=True, capture_output=True, text=True)
    arrays = float(re.search(r"^mesh_kilobytes (\d+)", read.stderr, re.M)[1]) * 1.024e-3
    size = sum(file.stat().st_size for file in (mesh.iterdir() if mesh.is_dir() else [mesh])) / 1e6
    done = {"convert": [], "reorder": []}
    for _ in range(arguments.turns):
        for what, command in (("convert", [*convert, mesh, into]), ("reorder", [*reorder, "-p", arguments.order, mesh, into])):
            remove(into)
            done[what].append(measured(command))
    remove(folder / "from"), remove(folder / "into")
    seconds, peak = ([of(run[i] for run in done[what]) for what in done] for i, of in ((0, min), (1, max)))
    return [name, f"{size:.0f}", f"{arrays:.0f}", *(f"{s:.2f}" for s in seconds), f"{seconds[1] / seconds[0]:.2f}",
            *(f"{p:.0f}" for p in peak), f"{peak[1] / peak[0]:.2f}"]  # fmt: skip


def show(row):
    print("| " + " | ".join(row) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help=f"all, or some of: {', '.join(FILES)}")
    parser.add_argument("--cells", type=int, default=900_000)
    parser.add_argument("--order", default="hilbert", help="as tess mesh reorder -p takes it")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--build", type=pathlib.Path, default="build/release")
    arguments = parser.parse_args()
    unknown = set(arguments.formats) - set(FILES)
    if unknown:
        parser.error(f"no formats {', '.join(sorted(unknown))}; there are {', '.join(FILES)}")
    show(COLUMNS)
    show(["---"] + ["---:"] * (len(COLUMNS) - 1))
    with tempfile.TemporaryDirectory(prefix="tess-reorder-") as place:
        folder, n = pathlib.Path(place), max(2, round((arguments.cells / 6) ** (1 / 3)))
        given = folder / "given.meshb"
        subprocess.run([arguments.build / "bin/tess", "mesh", "generate", f"tets:nx={n}:ny={n}:nz={n}:shuffle=1", "-o", given],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        measured([arguments.build / "bin/tess", "mesh", "reorder", "--quiet", given, folder / "first.meshb"])  # a compiler makes the sweep, once
        for name in arguments.formats or FILES:
            show(compare(name, given, folder, arguments))


if __name__ == "__main__":
    main()
