"""How fast readers read one mesh in every format, and the memory that they take, side by side: `tess`, meshio, `wc -w`.

    python3 -m venv build/meshio && build/meshio/bin/pip install meshio h5py netCDF4 scipy pytest
    build/meshio/bin/python bench/format_speed.py [--cells 3000000] [--ours] [FORMAT...]
    build/meshio/bin/python bench/format_speed.py --cells 150000 --beside OTHER/build/release [FORMAT...]

A box of tetrahedra; of triangles or quadrilaterals where a format has no others; of polyhedra, hexahedra whose sides along x
are cut into two triangles, a third as many, where a format can have them. Tesselab writes what it can, meshio or numpy the rest. Best of three,
each in a process of its own: seconds by the clock, and processor seconds of all threads. Those of meshio are taken once, within
its process; `-`: meshio has no reader for the format, or none that reads this file. The memory is the most that the reader's
process ever held, beside the bytes of the arrays of the mesh that it gives. With --beside: the instructions of another build and of
this one, by one thread, which a busy machine does not change (needs valgrind).
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parents[1] / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "data")]
import large_files as large  # noqa: E402

TETS, PLANE, POLYHEDRA = "tetrahedra", "triangles", "polyhedra"
TEXTS = ("SU2", "Gmsh 4.1 text", "Gmsh 2.2 text", "gr3", "Medit", "TetGen", "FESOM2", "VTU text", "OpenFOAM text", "OP2", "VTU text, polyhedra")


def measured(command):
    """(seconds by the clock, of processors, what it printed on stderr, on stdout); None where it fails."""
    with tempfile.TemporaryFile("w+") as errors, tempfile.TemporaryFile("w+") as said:
        start = time.perf_counter()
        process = subprocess.Popen(list(map(str, command)), stdout=said, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        elapsed = time.perf_counter() - start
        errors.seek(0), said.seek(0)
        return None if status else (elapsed, usage.ru_utime + usage.ru_stime, errors.read(), said.read())


def best(command, times=3):
    """The least of each of the two times, and what the last run printed."""
    done = [measured(command) for _ in range(times)]
    return (min(run[0] for run in done), min(run[1] for run in done), done[-1][2]) if all(done) else None


class Meshes:
    """The meshes that are written, made when they are first asked for."""

    def __init__(self, tess, folder, cells):
        self.tess, self.folder, self.cells, self.kept = tess, folder, cells, {}

    def generate(self, shape, ending, *options):
        n, flat = max(2, round((self.cells / 6) ** (1 / 3))), max(2, round((self.cells / 2) ** 0.5))
        spec = f"tets:nx={n}:ny={n}:nz={n}" if shape == TETS else f"{'tris' if shape == PLANE else 'quads'}:nx={flat}:ny={flat}"
        path = self.folder / f"mesh.{ending}"
        subprocess.run([self.tess, "mesh", "generate", spec, "-o", path, *options], check=True, stdout=subprocess.DEVNULL)
        return path

    def arrays(self, shape):
        import meshio

        if shape == POLYHEDRA:
            return (large.Polyhedra(round((self.cells / 3) ** (1 / 3))),)
        if shape not in self.kept:
            path = self.generate(shape, "arrays.meshb" if shape == TETS else "arrays.su2")
            mesh = meshio.read(path)
            path.unlink()
            self.kept[shape] = (mesh.points, mesh.cells_dict["tetra"]) if shape == TETS else (mesh.points[:, :2], mesh.cells_dict["triangle"])
        return self.kept[shape]

    def by_meshio(self, ending, **way):
        import meshio

        points, tets = self.arrays(TETS)
        meshio.write(self.folder / f"mesh.{ending}", meshio.Mesh(points, [("tetra", tets)]), **way)
        return self.folder / f"mesh.{ending}"

    def made(self, shape, ending, write, *options):
        return write(self.folder / f"mesh.{ending}", *options, *self.arrays(shape))

    def vtu(self, way):
        points, tets = self.arrays(TETS)
        return large.vtu(self.folder / "mesh.vtu", large.vtu_cells(points, tets), len(tets), way)

    def vtu_polyhedra(self, way, new):
        (mesh,) = self.arrays(POLYHEDRA)
        return large.vtu(self.folder / "mesh.vtu", large.vtu_polyhedra(mesh, new), mesh.n_cells, way)

    def lab(self):
        return large.lab(self.tess, self.folder / "lab", self.generate(TETS, "meshb"))


FORMATS = {
    "SU2": lambda m: m.generate(TETS, "su2"),
    "Gmsh 4.1 text": lambda m: m.by_meshio("msh", file_format="gmsh", binary=False),
    "Gmsh 4.1 binary": lambda m: m.by_meshio("msh", file_format="gmsh", binary=True),
    "Gmsh 2.2 text": lambda m: m.by_meshio("msh", file_format="gmsh22", binary=False),
    "Gmsh 2.2 binary": lambda m: m.by_meshio("msh", file_format="gmsh22", binary=True),
    "OP2": lambda m: m.generate("quads", "dat"),
    "gr3": lambda m: m.made(PLANE, "gr3", large.gr3),
    "libMeshb": lambda m: m.generate(TETS, "meshb"),
    "UGRID": lambda m: m.generate(TETS, "lb8.ugrid"),
    "Medit": lambda m: m.by_meshio("mesh", file_format="medit"),
    "FESOM2": lambda m: m.made(PLANE, "fesom", large.fesom),
    "TetGen": lambda m: m.made(TETS, "ele", large.tetgen),
    "TetGen, Chaste's": lambda m: m.made(TETS, "ele", large.chaste),
    "VTU text": lambda m: m.vtu("ascii"),
    "VTU base64": lambda m: m.vtu("base64"),
    "VTU zlib": lambda m: m.vtu("zlib"),
    "VTU appended": lambda m: m.vtu("appended"),
    "VTU text, polyhedra": lambda m: m.vtu_polyhedra("ascii", True),
    "VTU appended, polyhedra": lambda m: m.vtu_polyhedra("appended", True),
    "VTU appended, polyhedra before 9.4": lambda m: m.vtu_polyhedra("appended", False),
    "VTKHDF": lambda m: m.generate(TETS, "vtkhdf"),
    "Exodus": lambda m: m.made(TETS, "e", large.exodus, "NETCDF3_64BIT_OFFSET"),
    "Exodus HDF5": lambda m: m.made(TETS, "e", large.exodus, "NETCDF4"),
    "CGNS HDF5": lambda m: m.made(TETS, "cgns", large.cgns_tets),
    "CGNS ADF": lambda m: m.made(TETS, "cgns", large.cgns_adf),
    "CGNS MIXED": lambda m: m.made(TETS, "cgns", large.cgns_mixed),
    "CGNS polyhedra": lambda m: m.made(POLYHEDRA, "cgns", large.cgns_polyhedra),
    "MPAS": lambda m: m.made(PLANE, "nc", large.mpas),
    "MPAS polygons": lambda m: m.made(PLANE, "nc", large.mpas),
    "OpenFOAM text": lambda m: m.made(POLYHEDRA, "foam", lambda path, mesh: large.openfoam(path, mesh, False)),
    "OpenFOAM binary": lambda m: m.made(POLYHEDRA, "foam", lambda path, mesh: large.openfoam(path, mesh, True)),
    "lab": lambda m: m.lab(),
}  # fmt: skip
MESHIO = [sys.executable, "-c", "import sys, time, meshio\nstart = time.perf_counter()\nmeshio.read(sys.argv[1])\nprint(time.perf_counter() - start)"]
COLUMNS = ("format", "cells", "file MB", "`wc -w` s", "tess s", "meshio s", "processor s: `wc -w`", "tess", "speed: wc -w = 1", "meshio = 1",
           "mesh MB", "peak MB", "peak / mesh")  # fmt: skip


def files_of(path):
    if path.is_dir():
        return sorted(path.iterdir())
    return sorted(path.parent.glob("mesh.*")) if path.suffix == ".ele" else [path.parent / "elem2d.out", path] if path.name == "nod2d.out" else [path]


def measure(name, path, build, ours_alone):
    """The cells of the row."""
    read = [build / "tests/read_mesh", *(["reader=mpas_polygons"] if name == "MPAS polygons" else []), path]
    ours = best(read)
    is_text = name in TEXTS
    counted = (None, None) if ours_alone else best(["env", "LC_ALL=C.UTF-8", "wc", "-w", *files_of(path)], 3 if is_text else 1)
    theirs = None if ours_alone or path.is_dir() or name == "MPAS polygons" else measured([*MESHIO, path])
    n_cells = re.search(r"^set cells (\d+)", measured(read)[3], re.M)[1]
    mesh, peak = (float(re.search(rf"^{what}_kilobytes (\d+)", ours[2], re.M)[1]) / 1e3 * 1.024 for what in ("mesh", "peak"))
    size = sum(file.stat().st_size for file in files_of(path)) / 1e6
    seconds = float(theirs[3]) if theirs else None
    numbers = [size, counted[0], ours[0], seconds, counted[1], ours[1], counted[1] / ours[1] if is_text and counted[1] else None,
               seconds / ours[0] if seconds else None, mesh, peak, peak / mesh]  # fmt: skip
    forms = ("%.0f", "%.2f", "%.2f", "%.1f", "%.2f", "%.2f", "%.2f", "%.0f", "%.0f", "%.0f", "%.2f")
    return [name, f"{int(n_cells):,}", *("-" if number is None else form % number for form, number in zip(forms, numbers))]


def instructions(build, name, path):
    """Of one thread, in millions, with those of a process that looks at the file first; None where the build cannot read it."""
    count = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    read = [build / "tests/read_mesh", *(["reader=mpas_polygons"] if name == "MPAS polygons" else []), path]
    done = measured(["env", "OMP_NUM_THREADS=1", *count, *read])
    counts = re.findall(r"I +refs: +([\d,]+)", done[2]) if done else []
    return sum(int(n.replace(",", "")) for n in counts) / 1e6 or None


def compare(name, path, build, other):
    """The row of two builds."""
    before, now = instructions(other, name, path), instructions(build, name, path)
    return [name, f"{before:.1f}" if before else "-", f"{now:.1f}", f"{now / before:.3f}" if before else "-"]


def show(row):
    print("| " + " | ".join(row) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help=f"all, or some of: {', '.join(FORMATS)}")
    parser.add_argument("--cells", type=int, default=3_000_000)
    parser.add_argument("--ours", action="store_true", help="without meshio and wc -w")
    parser.add_argument("--beside", type=pathlib.Path, metavar="BUILD", help="count instructions of its reader and of this one")
    parser.add_argument("--build", type=pathlib.Path, default="build/release")
    arguments = parser.parse_args()
    unknown = set(arguments.formats) - set(FORMATS)
    if unknown:
        parser.error(f"no formats {', '.join(sorted(unknown))}; there are {', '.join(FORMATS)}")
    columns = ("format", "instructions before, millions", "now", "now / before") if arguments.beside else COLUMNS
    show(columns)
    show(["---"] + ["---:"] * (len(columns) - 1))
    with tempfile.TemporaryDirectory(prefix="tess-speed-") as place:
        meshes = Meshes(arguments.build / "bin/tess", pathlib.Path(place), arguments.cells)
        for name in arguments.formats or FORMATS:
            path = FORMATS[name](meshes)
            show(compare(name, path, arguments.build, arguments.beside) if arguments.beside
                 else measure(name, path, arguments.build, arguments.ours))  # fmt: skip
            for left in pathlib.Path(place).iterdir():
                shutil.rmtree(left) if left.is_dir() else left.unlink()


if __name__ == "__main__":
    main()
