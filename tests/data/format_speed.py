"""Seconds that readers take for one mesh in many formats, side by side: `tess`, meshio, and `wc -w` on the same file.

    python3 -m venv build/meshio && build/meshio/bin/pip install meshio h5py netCDF4
    build/meshio/bin/python tests/data/format_speed.py [--cells 300000] [--build build/release]

A box of tetrahedra, or of triangles where a format has no others. Tesselab writes what it can, meshio or numpy the rest.
The best of three, by the clock, each in a process of its own; meshio's is the time within its process. `-`: meshio has no
reader for the format, or none that reads this file.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

CONVERTED = {"SU2": "su2", "Gmsh 4.1": "msh", "Gmsh 2.2": "gmsh2.msh", "libMeshb": "meshb", "UGRID": "lb8.ugrid", "VTKHDF": "vtkhdf"}


def seconds(command, says=False):
    """The best of three, by the clock or as the program says; None where it fails."""
    best = 1e9
    for _ in range(3):
        start = time.perf_counter()
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if done.returncode:
            return None
        best = min(best, float(done.stdout.split()[-1]) if says else time.perf_counter() - start)
    return best


def rows(path, head, table, form="%d"):
    with open(path, "ab") as file:
        file.write(head.encode())
        np.savetxt(file, table, fmt=form)
    return path


def write_texts(folder, points, tris):
    """FESOM2's and SCHISM's files of triangles."""
    number = lambda n: np.arange(1, n + 1)[:, None]
    (folder / "fesom").mkdir()
    rows(folder / "fesom/nod2d.out", f"{len(points)}\n", np.hstack([number(len(points)), points, 0 * points[:, :1]]), "%d %.17g %.17g %d")
    rows(folder / "fesom/elem2d.out", f"{len(tris)}\n", tris + 1)
    gr3 = rows(folder / "mesh.gr3", f"a box\n{len(tris)} {len(points)}\n", np.hstack([number(len(points)), points, points[:, :1]]), "%d %.17g %.17g %g")
    rows(gr3, "", np.hstack([number(len(tris)), np.full((len(tris), 1), 3), tris + 1]))
    return {"FESOM2": folder / "fesom/nod2d.out", "gr3": gr3}


def write_all(tess, folder, cells):
    """The files by their formats."""
    import meshio

    n = max(2, round((cells / 6) ** (1 / 3)))
    flat = max(2, round((cells / 2) ** 0.5))
    files = {name: folder / f"mesh.{ending}" for name, ending in CONVERTED.items()}
    for name, path in files.items():
        form = ["--format", "gmsh2"] if name == "Gmsh 2.2" else []
        subprocess.run([tess, "mesh", "generate", f"tets:nx={n}:ny={n}:nz={n}", "-o", path, *form], check=True, stdout=subprocess.DEVNULL)
    files["OP2"] = folder / "new_grid.dat"
    subprocess.run([tess, "mesh", "generate", f"quads:nx={flat}:ny={flat // 2}", "-o", files["OP2"]], check=True, stdout=subprocess.DEVNULL)
    mesh = meshio.read(files["libMeshb"])
    mesh = meshio.Mesh(mesh.points, [("tetra", mesh.cells_dict["tetra"])])
    for name, ending, way in (("Medit", "mesh", {"file_format": "medit"}), ("VTU, zlib", "vtu", {"compression": "zlib"}), ("VTU, text", "text.vtu", {"binary": False}),
                              ("Exodus", "e", {}), ("TetGen", "node", {})):  # fmt: skip
        files[name] = folder / f"mesh.{ending}"
        meshio.write(files[name], mesh, **way)
    files["TetGen"] = folder / "mesh.ele"
    subprocess.run([tess, "mesh", "generate", f"tris:nx={flat}:ny={flat}", "-o", folder / "flat.su2"], check=True, stdout=subprocess.DEVNULL)
    plane = meshio.read(folder / "flat.su2")
    files.update(write_texts(folder, plane.points[:, :2], plane.cells_dict["triangle"]))
    return files


def words(path):
    folder = path.parent if path.name == "nod2d.out" else None
    return [*folder.glob("*.out")] if folder else [path, path.with_suffix(".node")] if path.suffix == ".ele" else [path]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, default=300_000)
    parser.add_argument("--build", type=pathlib.Path, default="build/release")
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tess-speed-"))
    meshio = [sys.executable, "-c", "import sys, time, meshio\nstart = time.perf_counter()\nmeshio.read(sys.argv[1])\nprint(time.perf_counter() - start)"]
    try:
        files = write_all(arguments.build / "bin/tess", folder, arguments.cells)
        print(f"{'format':10} {'MB':>7} {'wc -w':>7} {'tess':>7} {'meshio':>7} {'tess/wc':>8} {'meshio/tess':>12}")
        for name, path in files.items():
            counted = seconds(["env", "LC_ALL=C.UTF-8", "wc", "-w", *words(path)])
            ours = seconds([arguments.build / "tests/read_mesh", path])
            theirs = seconds([*meshio, path], says=True)
            size = sum(file.stat().st_size for file in words(path)) / 1e6
            show = lambda value: "-" if value is None else f"{value:.2f}"
            print(f"{name:10} {size:7.1f} {show(counted):>7} {show(ours):>7} {show(theirs):>7} {show(ours and ours / counted):>8} "
                  f"{show(theirs and ours and theirs / ours):>12}", flush=True)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
