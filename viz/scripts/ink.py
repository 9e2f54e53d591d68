"""The ink of lines: how opaque the edges of elements and the outlines of blocks are, so that they never hide cells.

Filters carry this text with them (scene.coded): it needs NumPy and VTK, and no other file of ours."""

import numpy
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray

FLAT = 0.94  # cosine of 20 degrees: what polygons of one element turn from each other where they are one side of it


def polygons_of(surface):
    """Offsets and corners of a surface's polygons; a flat grid's cells are its polygons."""
    cells = surface.GetPolys() if surface.IsA("vtkPolyData") else surface.GetCells()
    return vtk_to_numpy(cells.GetOffsetsArray()), vtk_to_numpy(cells.GetConnectivityArray())


def sides_of(surface):
    """Areas of a surface's polygons and their widths, the area by the longest edge."""
    points = vtk_to_numpy(surface.GetPoints().GetData())
    offsets, corners = polygons_of(surface)
    sizes = numpy.diff(offsets)
    area, longest = numpy.zeros(len(sizes)), numpy.zeros(len(sizes))
    for size in numpy.unique(sizes):
        chosen = numpy.nonzero(sizes == size)[0]
        for some in numpy.array_split(chosen, 1 + len(chosen) // 65536):  # stay in the cache
            at = points[corners[offsets[some][:, None] + numpy.arange(size)]].astype(float)
            twice = numpy.zeros((len(some), 3))
            for i in range(1, size - 1):
                twice += numpy.cross(at[:, i] - at[:, 0], at[:, i + 1] - at[:, 0])
            area[some] = 0.5 * numpy.sqrt((twice * twice).sum(axis=1))
            for i in range(size):
                along = at[:, i] - at[:, i - 1]
                longest[some] = numpy.maximum(longest[some], (along * along).sum(axis=1))
    return area, area / numpy.maximum(numpy.sqrt(longest), 1e-300)


def set_ink(output, opacity, ink):
    """Gives each cell the ink's colour, as opaque as `opacity` (0 to 1) says."""
    colours = numpy.empty((len(opacity), 4), "uint8")
    colours[:, :3] = 255 * numpy.asarray(ink)
    colours[:, 3] = 255 * opacity
    array = numpy_to_vtk(colours, deep=True)
    array.SetName("ink")
    output.GetCellData().AddArray(array)


def ink_elements(surface, output, pixel):
    """The edges of elements, each once, fade out as these become narrower than twelve pixels; those of elements below
    four are left out, and those that only part the pieces of an element."""
    _, width = sides_of(surface)
    opacity = 0.7 * numpy.clip((width / pixel - 4) / 8, 0, 1)
    ends, polygon = edges_of(surface, opacity > 0)
    lines = vtkCellArray()
    lines.SetData(2, numpy_to_vtkIdTypeArray(ends.ravel().astype("int64"), deep=True))
    output.Initialize()  # ParaView has put the polygons there
    output.SetPoints(surface.GetPoints())
    output.SetLines(lines)
    set_ink(output, opacity[polygon], [0.25] * 3)


def edges_of(surface, chosen):
    """The distinct edges [n][2] of chosen polygons, but those between two of one element that lie in a plane; the first
    polygon of each."""
    offsets, corners = polygons_of(surface)
    following = numpy.roll(corners, -1)
    following[offsets[1:] - 1] = corners[offsets[:-1]]
    polygon = numpy.repeat(numpy.arange(len(offsets) - 1), numpy.diff(offsets))
    kept = chosen[polygon]
    ends, polygon = numpy.stack([corners, following], 1)[kept], polygon[kept]
    if len(ends) == 0:
        return ends, polygon
    key = ends.min(1).astype("int64") * surface.GetNumberOfPoints() + ends.max(1)
    order = numpy.argsort(key, kind="stable")
    first = numpy.flatnonzero(numpy.concatenate([[True], numpy.diff(key[order]) != 0]))
    one, other = polygon[order[first]], polygon[order[numpy.concatenate([first[1:], [len(order)]]) - 1]]
    outer = numpy.ones(len(first), bool)
    elements = surface.GetCellData().GetArray("element")
    if elements:
        element = vtk_to_numpy(elements)
        inner = numpy.flatnonzero((one != other) & (element[one] == element[other]))
        normals = [normals_of(surface, which[inner]) for which in (one, other)]
        outer[inner] = numpy.abs((normals[0] * normals[1]).sum(1)) < FLAT
    return ends[order[first[outer]]], one[outer]


def normals_of(surface, chosen):
    """Of some polygons, of length 1."""
    points = vtk_to_numpy(surface.GetPoints().GetData())
    offsets, corners = polygons_of(surface)
    sizes = numpy.diff(offsets)
    normal = numpy.zeros((len(chosen), 3))
    for i in range(1, int(sizes[chosen].max(initial=0)) - 1):
        some = sizes[chosen] > i + 1
        begin = offsets[chosen[some]]
        at = points[corners[begin[:, None] + [0, i, i + 1]]].astype(float)
        normal[some] += numpy.cross(at[:, 1] - at[:, 0], at[:, 2] - at[:, 0])
    return normal / numpy.maximum(numpy.linalg.norm(normal, axis=1), 1e-300)[:, None]


def borders(surface, output):
    """The edges of one polygon alone, with its `block`: of a flat mesh, whose blocks share no points, their borders."""
    offsets, corners = polygons_of(surface)
    following = numpy.roll(corners, -1)
    following[offsets[1:] - 1] = corners[offsets[:-1]]
    n = surface.GetNumberOfPoints()
    sides = numpy.minimum(corners, following).astype("int64") * n + numpy.maximum(corners, following)
    sides = 2 * sides + (corners > following)
    sides.sort()
    differs = numpy.concatenate([[True], sides[1:] // 2 != sides[:-1] // 2, [True]])
    sides = sides[differs[1:] & differs[:-1]]
    ends = numpy.stack(numpy.divmod(sides // 2, n), 1)
    ends[sides % 2 == 1] = ends[sides % 2 == 1, ::-1]  # lines have gaps where they do not go on from each other
    block = vtk_to_numpy(surface.GetCellData().GetArray("block"))
    of = numpy.zeros(n, block.dtype)
    of[corners] = numpy.repeat(block, numpy.diff(offsets))
    used = numpy.zeros(n, bool)
    used[ends] = True
    points, lines = vtkPoints(), vtkCellArray()
    points.SetData(numpy_to_vtk(vtk_to_numpy(surface.GetPoints().GetData())[used], deep=True))
    lines.SetData(2, numpy_to_vtkIdTypeArray((numpy.cumsum(used) - 1)[ends].ravel(), deep=True))
    output.Initialize()  # ParaView has put the polygons there
    output.SetPoints(points)
    output.SetLines(lines)
    array = numpy_to_vtk(of[ends[:, 0]], deep=True)
    array.SetName("block")
    output.GetCellData().AddArray(array)


def ink_outlines(edges, surface, output, flat, width, ink):
    """Outlines, `width` wide in the mesh, fade where they would hide the blocks that they go round:
    small or torn ones, or those of jagged elements. About half of a line lies inside its block; of a
    solid's, half of the sharp edges and a quarter of the surface are seen; of a jagged one's, all of the silhouette
    and a sixth of the surface, as it hides itself."""
    area, _ = sides_of(surface)
    block = vtk_to_numpy(surface.GetCellData().GetArray("block")).astype(int)
    lines = vtk_to_numpy(edges.GetLines().GetConnectivityArray()).reshape(-1, 2)
    points = vtk_to_numpy(edges.GetPoints().GetData()).astype(float)
    length = numpy.linalg.norm(points[lines[:, 0]] - points[lines[:, 1]], axis=1)
    owner = vtk_to_numpy(edges.GetCellData().GetArray("block")).astype(int)
    n = block.max() + 1
    silhouette = edges.GetCellData().GetArray("silhouette")
    seen = 0.8 if silhouette is None else numpy.where(vtk_to_numpy(silhouette), 2.4, 0.8)
    hidden = width * numpy.bincount(owner, (0.5 if flat else seen) * length, n)
    share = hidden / numpy.maximum(numpy.bincount(block, area, n), 1e-300)
    opacity = numpy.minimum(1, 0.2 / numpy.maximum(share, 1e-9)) ** (1.5 if flat else 2)
    set_ink(output, opacity[owner], ink)
