"""What VTK itself writes and reads, in a process of its own, for its libraries change the locale:

    write_by_vtk.py write FOLDER      grids and polygons as .vtk in every form, and the grid as mesh.vtu
    write_by_vtk.py read FILE         the cells that VTK finds in a .vtk, and their markers, as JSON

Exits with 77 where VTK is not there."""

import itertools
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
try:
    import numpy as np
    import vtkmodules.all as vtk
    from vtkmodules.util.numpy_support import numpy_to_vtk
except ImportError as error:
    print(error)
    sys.exit(77)

from mesh_files import MIXED_NODES  # noqa: E402
from vtk_files import MIXED_CELLS  # noqa: E402

PYRAMID = [(4, 7, 6, 5), (4, 5, 10), (5, 6, 10), (6, 7, 10), (7, 4, 10)]  # as a polyhedron


def grid():
    """The mixed mesh with a polyhedron, markers, and data of points."""
    cells = [cell for cell in MIXED_CELLS if cell[0] != 14] + [(42, PYRAMID, 0)]
    out, points, marker = vtk.vtkUnstructuredGrid(), vtk.vtkPoints(), vtk.vtkIntArray()
    points.SetDataTypeToDouble()
    for node in MIXED_NODES:
        points.InsertNextPoint(node)
    out.SetPoints(points)
    marker.SetName("marker")
    for kind, nodes, value in cells:
        numbers = [len(nodes), *itertools.chain(*((len(ring), *ring) for ring in nodes))] if kind == 42 else nodes
        stream = vtk.vtkIdList()
        for number in numbers:
            stream.InsertNextId(number)
        out.InsertNextCell(kind, stream)
        marker.InsertNextValue(value)
    weight = numpy_to_vtk(0.25 * np.arange(len(MIXED_NODES)), deep=True)
    weight.SetName("weight of a node")
    weight.GetRange()  # VTK writes it as metadata
    out.GetPointData().SetScalars(weight)
    out.GetCellData().AddArray(marker)
    return out


def add_names(data):
    """Texts before the markers."""
    names, marker = vtk.vtkStringArray(), data.GetArray("marker")
    names.SetName("names")
    for i in range(marker.GetNumberOfValues()):
        names.InsertNextValue("a b" * 100 ** (i % 3))  # of lengths that take one, two and four bytes
    data.RemoveArray("marker")
    data.AddArray(names)
    data.AddArray(marker)


def write(writer, data, path):
    writer.SetInputData(data)
    writer.SetFileName(str(path))
    assert writer.Write() == 1


def forms(writer, data, folder, name):
    for version, form in itertools.product((42, 51), (1, 2)):
        writer.SetFileVersion(version)
        writer.SetFileType(form)
        write(writer, data, folder / f"{name} {version} {('text', 'binary')[form - 1]}.vtk")


def write_all(folder):
    mixed = grid()
    write(vtk.vtkXMLUnstructuredGridWriter(), mixed, folder / "mesh.vtu")
    forms(vtk.vtkUnstructuredGridWriter(), mixed, folder, "grid")
    add_names(mixed.GetCellData())
    forms(vtk.vtkUnstructuredGridWriter(), mixed, folder, "named")
    plane, triangles, strips = vtk.vtkPlaneSource(), vtk.vtkTriangleFilter(), vtk.vtkStripper()
    plane.SetResolution(4, 3)
    triangles.SetInputConnection(plane.GetOutputPort())
    strips.SetInputConnection(triangles.GetOutputPort())
    strips.Update()
    assert strips.GetOutput().GetNumberOfStrips() and not strips.GetOutput().GetNumberOfPolys()
    for name, source in (("plane", plane), ("triangles", triangles), ("strips", strips)):
        forms(vtk.vtkPolyDataWriter(), source.GetOutput(), folder, name)


def read(path):
    reader = vtk.vtkUnstructuredGridReader()
    reader.SetFileName(path)
    reader.ReadAllFieldsOn()
    reader.Update()
    found = reader.GetOutput()
    ids = range(found.GetNumberOfCells())
    nodes = lambda i: [found.GetCell(i).GetPointId(k) for k in range(found.GetCell(i).GetNumberOfPoints())]
    marker = found.GetCellData().GetArray("marker")
    print(json.dumps([[found.GetCellType(i), nodes(i), marker.GetValue(i)] for i in ids]))


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write_all(pathlib.Path(sys.argv[2]))
    else:
        read(sys.argv[2])
