"""The ink of lines: how opaque the edges of elements and the outlines of blocks are, so that they never hide cells.

Filters carry this text with them (scene.coded): it needs NumPy and VTK, and no other file of ours."""

import numpy
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray


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
    """The edges of elements fade out as these become narrower than twelve pixels; those of elements
    below four are left out: finding the edges of a million elements takes half a minute."""
    _, width = sides_of(surface)
    opacity = 0.7 * numpy.clip((width / pixel - 4) / 8, 0, 1)
    output.SetPoints(surface.GetPoints())
    output.SetPolys(chosen_polygons(surface, opacity > 0))
    set_ink(output, opacity[opacity > 0], [0.25] * 3)


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


def chosen_polygons(surface, chosen):
    """Some of the polygons of a surface, over its points."""
    offsets, corners = polygons_of(surface)
    sizes = numpy.diff(offsets)
    kept = vtkCellArray()
    kept.SetData(*(numpy_to_vtkIdTypeArray(values.astype("int64"), deep=True) for values in (
        numpy.concatenate([[0], numpy.cumsum(sizes[chosen])]), corners[numpy.repeat(chosen, sizes)])))
    return kept


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
