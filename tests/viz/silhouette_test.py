"""The silhouettes of blocks are the borders of what one sees of each: compared with a picture painted by brute force. The
borders of flat blocks are those that VTK finds."""

import sys

import numpy
import pytest

from conftest import ROOT

pytest.importorskip("vtkmodules.vtkFiltersCore", reason="ParaView is missing (Debian: apt-get install python3-paraview)")
sys.path.insert(0, str(ROOT / "viz/scripts"))

import ink  # noqa: E402
import silhouette  # noqa: E402
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray  # noqa: E402
from vtkmodules.vtkCommonCore import vtkPoints  # noqa: E402
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData  # noqa: E402
from vtkmodules.vtkFiltersCore import vtkFeatureEdges  # noqa: E402

PIXEL = 0.02
CORNERS = numpy.array([(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], float)
SIDES = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]


def star(at):
    """A cube with a pyramid on each side, as a block of faces has: points and polygons."""
    tips = [1.9 * CORNERS[list(side)].mean(0) for side in SIDES]
    sides = [(side[i - 1], side[i], 8 + s) for s, side in enumerate(SIDES) for i in range(4)]
    return numpy.concatenate([CORNERS, tips]) + at, sides


def cube(at):
    """Of eight cells: each side is four squares."""
    grid = [(x, y, z) for z in (-1, 0, 1) for y in (-1, 0, 1) for x in (-1, 0, 1)]
    squares = []
    for axis in range(3):
        u, v = (step for step in (1, 3, 9) if step != 3**axis)
        for first in (0, 2 * 3**axis):
            squares += [(a, a + u, a + u + v, a + v) for a in (first + i * u + j * v for i in (0, 1) for j in (0, 1))]
    return numpy.array(grid, float) + at, squares


def surface_of(solids):
    """The solids as a surface of blocks, which have no points in common."""
    points, sizes, corners, blocks, first = [], [], [], [], 0
    for block, (own, polygons) in enumerate(solids):
        points.append(own)
        sizes += [len(polygon) for polygon in polygons]
        corners += [first + corner for polygon in polygons for corner in polygon]
        blocks += [block] * len(polygons)
        first += len(own)
    surface, at, cells = vtkPolyData(), vtkPoints(), vtkCellArray()
    at.SetData(numpy_to_vtk(numpy.concatenate(points), deep=True))
    offsets = numpy.concatenate([[0], numpy.cumsum(sizes)])
    cells.SetData(*(numpy_to_vtkIdTypeArray(numpy.array(values, "int64"), deep=True) for values in (offsets, corners)))
    surface.SetPoints(at)
    surface.SetPolys(cells)
    array = numpy_to_vtk(numpy.array(blocks, "int32"), deep=True)
    array.SetName("block")
    surface.GetCellData().AddArray(array)
    return surface


def axes_towards(eye):
    forward = numpy.array(eye) / numpy.linalg.norm(eye)
    across = numpy.cross([0, 0, 1], forward) / numpy.linalg.norm(numpy.cross([0, 0, 1], forward))
    return numpy.array([across, numpy.cross(forward, across)])


def outlined(solids, axes):
    surface, edges, output = surface_of(solids), vtkFeatureEdges(), vtkPolyData()
    edges.SetInputData(surface)
    edges.SetFeatureAngle(40)
    edges.Update()
    silhouette.outline(edges.GetOutput(), surface, output, axes.tolist(), PIXEL)
    return silhouette.lines_of(output)


def painted(solid, axes, low, shape):
    """The pixels of a picture from `low` that a solid covers, triangle by triangle."""
    points, polygons = solid
    at = points @ axes.T
    grid = low + PIXEL * (numpy.stack(numpy.meshgrid(*map(numpy.arange, shape), indexing="ij"), -1) + 0.5)
    mask = numpy.zeros(shape, bool)
    for polygon in polygons:
        for i in range(1, len(polygon) - 1):
            a, b, c = at[[polygon[0], polygon[i], polygon[i + 1]]]
            area = numpy.linalg.det([b - a, c - a])
            if area:
                u, v = numpy.moveaxis((grid - a) @ numpy.linalg.inv([b - a, c - a]), -1, 0)
                mask |= (u >= 0) & (v >= 0) & (u + v <= 1)
    return mask


def border_of(mask):
    """The middles of pixels of a mask beside which is one outside, in pixels."""
    inner = mask[1:-1, 1:-1] & mask[2:, 1:-1] & mask[:-2, 1:-1] & mask[1:-1, 2:] & mask[1:-1, :-2]
    edge = mask.copy()
    edge[1:-1, 1:-1] &= ~inner
    return numpy.argwhere(edge) + 0.5


def farthest(points, others):
    return max(numpy.sqrt(((others - point) ** 2).sum(1)).min() for point in points)


@pytest.mark.parametrize("eye", [(0.55, -0.72, 0.42), (0.9, 0.3, 0.2), (0, -1, 1e-12)])
def test_jagged_blocks_have_the_border_of_what_is_seen_of_them(eye):
    """Each of its own, though one is in front of the other: depth hides what is behind. The last eye sees sides edge-on."""
    axes = axes_towards(eye)
    solids = [star([0, 0, 0]), star([1.5, 2.5, -0.5])]
    lines, owner = outlined(solids, axes)
    for block, solid in enumerate(solids):
        middles = lines[owner == block].mean(1) @ axes.T
        low = (solid[0] @ axes.T).min(0) - 3 * PIXEL
        shape = tuple(numpy.ceil(((solid[0] @ axes.T).max(0) - low) / PIXEL).astype(int) + 3)
        border = border_of(painted(solid, axes, low, shape))
        drawn = (middles - low) / PIXEL
        assert farthest(drawn, border) < 1.5, "lines are nowhere else"
        assert farthest(border, drawn) < 1.5 + silhouette.PART / 2, "and all around"


def test_smooth_blocks_keep_their_sharp_edges():
    lines, owner = outlined([star([0, 0, 0]), cube([3, 3, 0])], axes_towards((0.55, -0.72, 0.42)))
    found = {tuple(sorted(map(tuple, line))) for line in lines[owner == 1]}
    points = cube([3, 3, 0])[0]
    sharp = [(a, b) for a in points for b in points
             if abs(a - b).sum() == 1 and (abs((a + b) / 2 - [3, 3, 0]) == 1).sum() == 2]
    assert found == {tuple(sorted((tuple(a), tuple(b)))) for a, b in sharp} and len(found) == 24


def test_borders_of_flat_blocks_are_the_edges_that_vtk_finds():
    """Of blocks of triangles and quads, one without an inner edge, one of two pieces; a point that nobody uses stays out."""
    grid = numpy.array([(x, y, 0) for y in range(4) for x in range(4)], float)
    quads = [(i, i + 1, i + 5, i + 4) for i in (0, 1, 2, 4, 6, 8, 9, 10)]
    blocks = [(grid, quads), (grid + 5, [(0, 1, 5), (0, 5, 4), (1, 2, 6, 5)]), (grid + 9, [(0, 1, 4), (10, 11, 15, 14)])]
    surface, edges, output = surface_of(blocks), vtkFeatureEdges(), vtkPolyData()
    edges.SetInputData(surface)
    edges.FeatureEdgesOff()
    edges.Update()
    output.ShallowCopy(surface)  # as ParaView hands it over
    ink.borders(surface, output)
    assert output.GetNumberOfPolys() == 0 and output.GetNumberOfPoints() < surface.GetNumberOfPoints()
    found, wanted = ({(tuple(sorted(map(tuple, line))), block) for line, block in zip(lines.tolist(), of.tolist())}
                     for lines, of in map(silhouette.lines_of, (output, edges.GetOutput())))
    assert found == wanted and len(found) == 16 + 6 + 7 == output.GetNumberOfLines()
    begins, ends = ({(tuple(line[i]), block) for line, block in zip(*map(numpy.ndarray.tolist, silhouette.lines_of(output)))} for i in (0, 1))
    assert begins == ends, "one line goes on from another"


def test_edges_inside_of_an_element_are_not_drawn():
    """A pentagon of two pieces beside a square of another element, and a square on edge beside its element's first."""
    points = [(0, 0, 0), (2, 0, 0), (3, 1, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (-2, 0, 0), (-2, 2, 0)]
    polygons, elements = [(0, 1, 2, 3), (0, 3, 4), (0, 1, 6, 5), (0, 4, 8, 7)], [7, 7, 7, 8]
    surface, cells = vtkPolyData(), vtkCellArray()
    holder = vtkPoints()
    holder.SetData(numpy_to_vtk(numpy.array(points, float), deep=True))
    cells.SetData(*(numpy_to_vtkIdTypeArray(numpy.array(values), deep=True) for values in (
        [0, 4, 7, 11, 15], [corner for polygon in polygons for corner in polygon])))
    surface.SetPoints(holder)
    surface.SetPolys(cells)
    every = {(0, 1), (1, 2), (2, 3), (0, 3), (3, 4), (0, 4), (1, 6), (5, 6), (0, 5), (4, 8), (7, 8), (0, 7)}
    drawn = lambda chosen: {tuple(sorted(map(int, ends))) for ends in ink.edges_of(surface, numpy.array(chosen))[0]}
    assert drawn([True] * 4) == every  # of no element
    array = numpy_to_vtk(numpy.array(elements), deep=True)
    array.SetName("element")
    surface.GetCellData().AddArray(array)
    assert drawn([True] * 4) == every - {(0, 3)}
    ends, of = ink.edges_of(surface, numpy.array([False, True, False, False]))
    assert {tuple(sorted(map(int, pair))) for pair in ends} == {(0, 3), (3, 4), (0, 4)} and set(of) == {1}
