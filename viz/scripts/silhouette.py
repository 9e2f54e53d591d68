"""The silhouettes of blocks: where what one sees of each ends, in a picture whose camera stays.

Filters carry this text with them (scene.coded): it needs NumPy and VTK, and no other file of ours."""

import numpy
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray

PART = 4  # pixels: the longest part of an edge that is drawn or not
JAGGED = 0.5  # a block is whose sharp edges are a larger share of its edges


def sides_of(surface):
    """Of a surface's polygons: offsets and corners; of each corner the polygon, and the edge to the next corner. The
    distinct edges [n][2]."""
    offsets = vtk_to_numpy(surface.GetPolys().GetOffsetsArray())
    corners = vtk_to_numpy(surface.GetPolys().GetConnectivityArray())
    sizes = numpy.diff(offsets)
    polygon = numpy.repeat(numpy.arange(len(sizes)), sizes)
    following = numpy.arange(1, len(corners) + 1)
    following[offsets[1:] - 1] = offsets[:-1]
    ends = numpy.sort(numpy.stack([corners, corners[following]], 1), 1).astype("int64")
    _, first, edge = numpy.unique(ends[:, 0] * surface.GetNumberOfPoints() + ends[:, 1], return_index=True,
                                  return_inverse=True)
    return offsets, corners, polygon, edge.reshape(-1), ends[first]


def folds_of(at, offsets, corners, polygon, edge, ends):
    """The edges with all of their polygons on one side in the picture, where points are `at` [n][2]; the direction to
    the other side [n][2], of length 1. Polygons seen edge-on are on neither."""
    middle = numpy.add.reduceat(at[corners], offsets[:-1]) / numpy.diff(offsets)[:, None]
    along = at[ends[:, 1]] - at[ends[:, 0]]
    normal = numpy.stack([-along[:, 1], along[:, 0]], 1)
    length = numpy.sqrt((along * along).sum(1))
    side = ((middle[polygon] - at[ends[edge, 0]]) * normal[edge]).sum(1)
    least = 1e-9 * (length * length)[edge]
    left, right = (numpy.bincount(edge, sign * side > least, len(ends)) > 0 for sign in (1, -1))
    folds = numpy.nonzero((left != right) & (length > 0))[0]
    return folds, normal[folds] * (numpy.where(left[folds], -1, 1) / length[folds])[:, None]


def triangles_of(offsets, corners):
    """The polygons as fans [n][3], and the polygon of each."""
    sizes = numpy.diff(offsets)
    fans, of = [], []
    for i in range(1, int(sizes.max()) - 1):
        chosen = numpy.nonzero(sizes > i + 1)[0]
        begin = offsets[chosen]
        fans.append(numpy.stack([corners[begin], corners[begin + i], corners[begin + i + 1]], 1))
        of.append(chosen)
    return numpy.concatenate(fans), numpy.concatenate(of)


def copies_of(counts):
    """[0, 0, 1, 2, 2 ...] and [0, 1, 0, 0, 1 ...] for counts [2, 1, 2 ...]."""
    which = numpy.repeat(numpy.arange(len(counts)), counts)
    return which, numpy.arange(len(which)) - numpy.repeat(numpy.cumsum(counts) - counts, counts)


class Cover:
    """Where the blocks are in the picture: their triangles [n][3][2], in squares half as wide as a block's largest."""

    def __init__(self, triangles, block):
        self.corner = triangles.min((0, 1))
        self.triangles = triangles - self.corner
        low, high = self.triangles.min(1), self.triangles.max(1)
        self.width = numpy.full(block.max() + 1, 1e-300)
        numpy.maximum.at(self.width, block, (high - low).max(1) / 2)
        first, last = (numpy.floor(end / self.width[block][:, None]).astype("int64") for end in (low, high))
        wide, high = (last - first + 1).T
        which, place = copies_of(wide * high)
        key = self.key_of(block[which], first[which, 0] + place % wide[which], first[which, 1] + place // wide[which])
        order = numpy.argsort(key, kind="stable")
        self.key, self.which = key[order], which[order]

    def key_of(self, block, column, row):
        return (block.astype("int64") << 40) + ((column & 0xFFFFF) << 20) + (row & 0xFFFFF)

    def has(self, points, block):
        """Whether each point [n][2] lies in a triangle of its block [n]."""
        found = numpy.zeros(len(points), bool)
        for some in numpy.array_split(numpy.arange(len(points)), 1 + len(points) // 20000):
            at = points[some] - self.corner
            square = numpy.floor(at / self.width[block[some]][:, None]).astype("int64")
            key = self.key_of(block[some], square[:, 0], square[:, 1])
            begin, end = (numpy.searchsorted(self.key, key, side) for side in ("left", "right"))
            point, place = copies_of(end - begin)
            corners = self.triangles[self.which[begin[point] + place]] - at[point][:, None]
            turns = [corners[:, i, 0] * corners[:, i - 1, 1] - corners[:, i, 1] * corners[:, i - 1, 0] for i in range(3)]
            inside = (numpy.minimum.reduce(turns) >= 0) | (numpy.maximum.reduce(turns) <= 0)
            found[some[point[inside]]] = True
        return found


def owners_of(sides, block):
    """The block of each edge."""
    _, _, polygon, edge, ends = sides
    owner = numpy.empty(len(ends), "int64")
    owner[edge] = block[polygon]
    return owner


def contours_of(surface, sides, block, chosen, axes, pixel):
    """The parts of the edges of `chosen` blocks beside which nothing is seen of their block, as pairs of points
    [n][2][3]; the block of each. `axes` are the picture's, to the right and up."""
    points = vtk_to_numpy(surface.GetPoints().GetData()).astype(float)
    at = points @ numpy.asarray(axes, float).T
    offsets, corners, _, _, ends = sides
    folds, out = folds_of(at, *sides)
    owner = owners_of(sides, block)
    kept = chosen[owner[folds]]
    folds, out = folds[kept], out[kept]
    begin, end = points[ends[folds, 0]], points[ends[folds, 1]]
    length = numpy.linalg.norm(at[ends[folds, 1]] - at[ends[folds, 0]], axis=1)
    parts = numpy.clip(numpy.ceil(length / (PART * pixel)), 1, 64).astype("int64")
    fold, place = copies_of(parts)
    lines = numpy.stack([begin[fold] + ((place + i) / parts[fold])[:, None] * (end - begin)[fold] for i in (0, 1)], 1)
    fans, of = triangles_of(offsets, corners)
    beside = lines.mean(1) @ numpy.asarray(axes, float).T + 0.5 * pixel * out[fold]
    seen = chosen[block[of]]
    cover = Cover(at[fans[seen]], block[of[seen]])
    outer = ~cover.has(beside, owner[folds[fold]])
    return lines[outer], owner[folds[fold]][outer]


def lines_of(edges):
    """The lines of a VTK data set as pairs of points [n][2][3], and the block of each."""
    points = vtk_to_numpy(edges.GetPoints().GetData()).astype(float)
    ends = vtk_to_numpy(edges.GetLines().GetConnectivityArray()).reshape(-1, 2)
    return points[ends], vtk_to_numpy(edges.GetCellData().GetArray("block")).astype("int64")


def is_jagged(sides, block, creases):
    """Whether most edges of each block's surface are sharp, so that they tell elements, not the block."""
    n = block.max() + 1
    return numpy.bincount(creases, minlength=n) > JAGGED * numpy.bincount(owners_of(sides, block), minlength=n)


def outline(edges, surface, output, axes, pixel):
    """The outlines of blocks, with their `block`: the sharp edges of their surface, of jagged blocks the `silhouette`."""
    lines, owner = lines_of(edges)
    is_drawn = numpy.zeros(len(lines), bool)
    block = vtk_to_numpy(surface.GetCellData().GetArray("block")).astype("int64")
    sides = sides_of(surface)
    jagged = is_jagged(sides, block, owner)
    if jagged.any():
        drawn, of = contours_of(surface, sides, block, jagged, axes, pixel)
        smooth = ~jagged[owner]
        lines, owner = numpy.concatenate([lines[smooth], drawn]), numpy.concatenate([owner[smooth], of])
        is_drawn = numpy.arange(len(lines)) >= smooth.sum()
    points, cells = vtkPoints(), vtkCellArray()
    points.SetData(numpy_to_vtk(lines.reshape(-1, 3), deep=True))
    cells.SetData(*(numpy_to_vtkIdTypeArray(values, deep=True)
                    for values in (numpy.arange(0, 2 * len(lines) + 1, 2), numpy.arange(2 * len(lines)))))
    output.SetPoints(points)
    output.SetLines(cells)
    for name, values in (("block", owner), ("silhouette", is_drawn.astype("uint8"))):
        array = numpy_to_vtk(values, deep=True)
        array.SetName(name)
        output.GetCellData().AddArray(array)
