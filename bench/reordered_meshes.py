"""Meshes that `tess mesh reorder` wrote, read by readers of others: ten of six formats, beside the same ones as they were.

    python3 -m venv build/readers && build/readers/bin/pip install meshio vtk     # and apt-get install openfoam
    build/readers/bin/python bench/reordered_meshes.py [--build build/release] [FORMAT...]

meshio, VTK (whose readers of Exodus and CGNS are the libraries of these formats) and OpenFOAM's checkMesh count cells and marked
sides by name, the first two find their centres, too, and all measure areas or volumes. A row is *equal* where a reader finds both
meshes the same but for their order, which must differ. Exits with 1 where one is not."""

import argparse
import ctypes
import ctypes.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROWS = [
    ("tris:nx=40:ny=30:shuffle=1", "rcb", "gmsh2", "mesh.msh", "meshio"),
    ("tets:nx=9:ny=9:nz=9:shuffle=2", "levels", "gmsh2", "mesh.msh", "meshio"),
    ("tets:nx=9:ny=9:nz=9:shuffle=2", "hilbert", "vtu", "mesh.vtu", "VTK"),
    ("layers:nx=9:ny=9:prisms=3:tets=3:shuffle=3", "rcb", "vtu", "mesh.vtu", "VTK"),
    ("hexes:nx=9:ny=9:nz=9:shuffle=2", "gps", "vtk", "mesh.vtk", "VTK"),
    ("airfoil:i=20:j=30:shuffle=1", "metis", "vtk", "mesh.vtk", "VTK"),
    ("hexes:nx=9:ny=9:nz=9:shuffle=2", "rcb", "exodus", "mesh.exo", "VTK"),
    ("tets:nx=9:ny=9:nz=9:shuffle=2", "mosaic", "cgns", "mesh.cgns", "VTK"),
    ("tets:nx=9:ny=9:nz=9:shuffle=2", "levels", "openfoam", "constant/polyMesh", "checkMesh"),
    ("layers:nx=9:ny=9:prisms=3:tets=3:shuffle=3", "hilbert", "openfoam", "constant/polyMesh", "checkMesh"),
]  # fmt: skip
HEAD = "FoamFile {{ version 2.0; format ascii; class dictionary; object {}; }}\n"
SYSTEM = {"controlDict": "application none; startTime 0; endTime 1; deltaT 1; writeInterval 1;",
          "fvSchemes": "gradSchemes {} divSchemes {} laplacianSchemes {}", "fvSolution": ""}  # fmt: skip


def add_side(sides, name, corners):
    """Counts it, and adds up where it is."""
    n, *where = sides.get(name, (0, 0.0, 0.0, 0.0))
    sides[name] = n + 1, *(at + sum(corner[k] for corner in corners) / len(corners) for k, at in enumerate(where))


def rounded(sides):
    """How many sides of each name there are, and their centre."""
    return {name: (n, *(float(f"{at / n:.6f}") + 0.0 for at in where)) for name, (n, *where) in sorted(sides.items())}


def by_meshio(path):
    """Cells, area or volume, sides by name, and the first cell's nodes."""
    import meshio
    import numpy

    mesh = meshio.read(path)
    kind = "tetra" if "tetra" in mesh.cells_dict else "triangle"
    cells = mesh.cells_dict[kind]
    edges = mesh.points[cells[:, 1:]] - mesh.points[cells[:, :1]]
    size = numpy.abs(numpy.linalg.det(edges)).sum() / 6 if kind == "tetra" else numpy.abs(numpy.cross(edges[:, 0], edges[:, 1])[..., -1]).sum() / 2
    names, sides = {tag: name for name, (tag, _) in mesh.field_data.items()}, {}
    for block, tags in mesh.cell_data_dict["gmsh:physical"].items():
        for tag, nodes in zip(tags, mesh.cells_dict[block]):
            if block != kind:
                add_side(sides, names[tag], mesh.points[nodes].tolist())
    return len(cells), size, rounded(sides), mesh.points[cells[0]].tolist()


def leaves_of(data, name=""):
    """The grids of a data set, and what each is called."""
    import vtk

    if not isinstance(data, vtk.vtkMultiBlockDataSet):
        return [(name, data)] if data else []
    found = []
    for i in range(data.GetNumberOfBlocks()):
        about = data.GetMetaData(i) if data.HasMetaData(i) else None
        found += leaves_of(data.GetBlock(i), about.Get(vtk.vtkCompositeDataSet.NAME()) if about else name)
    return found


def by_vtk(path):
    import vtk

    reader = {".vtu": "vtkXMLUnstructuredGridReader", ".vtk": "vtkUnstructuredGridReader", ".exo": "vtkExodusIIReader", ".cgns": "vtkCGNSReader"}
    read = getattr(vtk, reader[path.suffix])()
    read.SetFileName(str(path))
    read.UpdateInformation()
    if path.suffix == ".exo":
        for i in range(read.GetNumberOfObjects(read.SIDE_SET)):
            read.SetObjectStatus(read.SIDE_SET, i, 1)
    read.Update()
    leaves, n, size, sides, first = leaves_of(read.GetOutput()), 0, 0.0, {}, None
    most = max(grid.GetCell(0).GetCellDimension() for _, grid in leaves if grid.GetNumberOfCells())
    for name, grid in leaves:
        measure = vtk.vtkCellSizeFilter()
        measure.SetInputData(grid)
        measure.Update()
        sizes = measure.GetOutput().GetCellData().GetArray("Volume" if most == 3 else "Area")
        markers = grid.GetCellData().GetArray("marker")
        for i in range(grid.GetNumberOfCells()):
            points = grid.GetCell(i).GetPoints()
            corners = [points.GetPoint(k) for k in range(points.GetNumberOfPoints())]
            if grid.GetCell(i).GetCellDimension() == most:
                n, size, first = n + 1, size + abs(sizes.GetValue(i)), first or corners
            else:
                add_side(sides, int(markers.GetValue(i)) if markers else name, corners)
    return n, size, sides_by_cgns(path) if path.suffix == ".cgns" else rounded(sides), first


def sides_by_cgns(path):
    """By the library itself, since VTK skips conditions without a type: sides of the conditions of the one zone, which are ranges."""
    cgns, file, n = ctypes.CDLL(ctypes.util.find_library("cgns")), ctypes.c_int(), ctypes.c_int()
    assert cgns.cg_open(str(path).encode(), 0, ctypes.byref(file)) == 0 and cgns.cg_nbocos(file, 1, 1, ctypes.byref(n)) == 0
    sides = {}
    for i in range(1, n.value + 1):
        name, word, ends = ctypes.create_string_buffer(40), [(ctypes.c_int64 * 3)() for _ in range(7)], (ctypes.c_int32 * 4)()
        assert cgns.cg_boco_info(file, 1, 1, i, name, *word) == 0 and cgns.cg_boco_read(file, 1, 1, i, ends, None) == 0
        sides[name.value.decode()] = (ends[1] or ends[2]) - ends[0] + 1  # whichever width its numbers have
    cgns.cg_close(file)
    return sides


def by_checkmesh(path):
    case = path.parents[1]
    (case / "system").mkdir(exist_ok=True)
    for name, text in SYSTEM.items():
        (case / "system" / name).write_text(HEAD.format(name) + text + "\n")
    folder = {"WM_PROJECT_DIR": "/usr/share/openfoam"} if pathlib.Path("/usr/share/openfoam").is_dir() else {}
    said = subprocess.run(["checkMesh", "-case", case], env={**folder, **os.environ}, capture_output=True, text=True).stdout
    if "Mesh OK." not in said:
        sys.exit(f"checkMesh: {said}")
    sides = dict(re.findall(r"^ +(\S+) +(\d+) +\d+ +ok", said, re.M))
    return int(re.search(r"^ +cells: +(\d+)", said, re.M)[1]), float(re.search(r"Total volume = ([\d.e+-]+)", said)[1]), sides, (path / "owner").read_bytes()


READERS = {"meshio": by_meshio, "VTK": by_vtk, "checkMesh": by_checkmesh}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help="the rows of these; default: all")
    parser.add_argument("--build", type=pathlib.Path, default="build/release")
    arguments = parser.parse_args()
    tess, failed = arguments.build / "bin/tess", 0
    print("| mesh | order | format | read by | cells | area or volume | marked sides | |\n| --- | --- | --- | --- | ---: | ---: | --- | --- |")
    for mesh, order, name, file, reader in (row for row in ROWS if not arguments.formats or row[2] in arguments.formats):
        with tempfile.TemporaryDirectory(prefix="tess-read-") as place:
            was, now = pathlib.Path(place) / "was" / file, pathlib.Path(place) / "now" / file
            for path, words in ((was, ["convert", mesh]), (now, ["reorder", "-p", order, mesh])):
                path.parent.mkdir(parents=True)
                subprocess.run([tess, "mesh", *words, path, "--format", name, "--quiet"], check=True, stdout=subprocess.DEVNULL)
            before, after = READERS[reader](was), READERS[reader](now)
            equal = before[0] == after[0] and abs(before[1] - after[1]) <= 1e-6 * abs(before[1]) and before[2] == after[2] and before[3] != after[3]
            failed += not equal
            words = (mesh, order, name, reader, str(after[0]), f"{after[1]:.9g}", str(after[2]), "equal" if equal else "DIFFERENT")
            print("| " + " | ".join(words) + " |", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
