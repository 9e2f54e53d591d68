"""The scene of a view: colours that tell blocks apart, outlines, cuts, camera, legend and caption.

Shared by view.py and the Catalyst scripts; works in pvpython, pvbatch and ParaView."""

import math
import os

from paraview import servermanager, simple
from vtkmodules.util.numpy_support import vtk_to_numpy

# Fills that stay apart under every common colour blindness: Okabe and Ito's, then Tol's muted ones.
HUES = ["56b4e9", "e69f00", "009e73", "f0e442", "cc79a7", "0072b2", "d55e00", "bbbbbb",
        "882255", "999933", "332288", "44aa99"]
CATEGORIES = {"display_colour", "block_colour", "thread_colour", "rank_colour"}  # numbers without an order
ALIASES = {"rank": "rank_colour", "reuse": "reuse_factor", "points": "block_points", "size": "block_size"}
TITLES = {"display_colour": "", "rank_colour": "", "halo": "other ranks that have a copy", "block": "block", "block_colour": "block colour",
          "thread_colour": "thread colour", "reuse_factor": "reuse of the block",
          "block_points": "distinct points of the block", "block_size": "elements of the block",
          "components": "pieces of the block", "thread_colours": "thread colours of the block"}
TOWARDS_EYE = [0.55, -0.72, 0.42]  # from a solid
INK = [0.13, 0.13, 0.13]


def foot_of(array):
    """The part of a picture's height that caption and legend need."""
    return 0.22 if TITLES.get(array, array) else 0.09


class SceneError(Exception):
    """What cannot be shown, in words for the user."""


def rgb(text):
    return [int(text[i:i + 2], 16) / 255 for i in (0, 2, 4)]


def hue(i):
    """Category i's colour: beyond the table the same hues again, darker and lighter."""
    colour = rgb(HUES[i % len(HUES)])
    turn = i // len(HUES)
    if turn % 3 == 1:
        return [0.6 * c for c in colour]
    if turn % 3 == 2:
        return [0.5 + 0.5 * c for c in colour]
    return colour


def cell_range(source, name):
    """Smallest and largest value of a cell array."""
    information = source.GetCellDataInformation().GetArray(name)
    if not information:
        known = sorted(source.GetCellDataInformation().keys())
        raise SceneError(f"the view has no '{name}': known are {', '.join(known)}")
    return information.GetRange()


def is_ranked(source):
    """True for the view of a run on ranks."""
    return bool(source.GetCellDataInformation().GetArray("rank_colour"))


def labels(source):
    """The texts and metrics that a view carries, by name."""
    field = servermanager.Fetch(source).GetFieldData()
    return {field.GetArrayName(i): field.GetAbstractArray(i).GetVariantValue(0)
            for i in range(field.GetNumberOfArrays())}


def caption(source, colour=""):
    """Two lines: what was cut, and how well."""
    known = labels(source)

    def number(name, text, digits=4):
        if name not in known:
            return None
        return text.format(f"{known[name].ToDouble():.{digits}g}")

    first = [known[name].ToString() for name in ("partitioner", "mesh", "loop") if name in known]
    size = number("block_size", "block size {}") if "block_size" in known else None
    second = [number("ranks", "{} ranks" + (", their halos darker" if colour == "rank_colour" else ""), 9), number("blocks", "{} blocks", 9), number("reuse_factor", "reuse {}"),
              number("block_colours", "{} block colours"),
              number("thread_colours_mean", "{} thread colours", 3),
              number("components_mean", "pieces {}", 3)]
    return " · ".join(first + [size] if size else first), " · ".join(filter(None, second))


def colour_by(display, view, source, name, spread=None, bar=True):
    """Colours cells by an array: hues for categories, cividis for quantities; `spread` is the
    common range of several views. Returns the lookup table."""
    low, high = spread or cell_range(source, name)
    simple.ColorBy(display, ("CELLS", name), separate=True)
    table = simple.GetColorTransferFunction(name, display, separate=True)
    table.AutomaticRescaleRangeMode = "Never"
    few = name in TITLES and name not in CATEGORIES | {"reuse_factor"} and high - low < 24
    if name in CATEGORIES:
        table.InterpretValuesAsCategories = 1
        values = range(int(high) + 1)
        table.Annotations = [text for i in values for text in (str(i), str(i))]
        table.IndexedColors = [c for i in values for c in hue(i)]
    else:
        table.InterpretValuesAsCategories = 0
        table.ApplyPreset("Cividis" if name in TITLES and name != "block" else
                          "Viridis (matplotlib)", True)
        if few:
            table.NumberOfTableValues = int(high - low) + 1
            table.Discretize = 1
            table.RescaleTransferFunction(low - 0.5, high + 0.5)
            values = range(int(low), int(high) + 1, 1 + int(high - low) // 8)
        else:
            table.RescaleTransferFunction(low, high if high > low else low + 1)
    display.LookupTable = table
    display.SetScalarBarVisibility(view, bool(bar and TITLES.get(name, name)))
    if bar and TITLES.get(name, name):
        legend(view, table, name, values if few else None)
    return table


def legend(view, table, name, values=None):
    """With ticks at `values`, where they are given."""
    bar = simple.GetScalarBar(table, view)
    bar.Title = TITLES.get(name, name)
    bar.ComponentTitle = ""
    bar.TitleColor = bar.LabelColor = INK
    bar.TitleFontSize, bar.LabelFontSize = 15, 13
    bar.Orientation = "Horizontal"
    bar.WindowLocation = "Any Location"
    bar.Position = [0.3, 0.135]  # between the picture and the caption
    bar.ScalarBarLength = 0.4
    bar.ScalarBarThickness = 12
    bar.DrawTickLabels = 1
    bar.AddRangeLabels = 0
    if values:
        bar.UseCustomLabels = 1
        bar.CustomLabels = list(values)
    bar.AutomaticLabelFormat = 0
    bar.LabelFormat = "%.0f" if name in TITLES and name != "reuse_factor" else "%-#.4g"
    bar.RangeLabelFormat = bar.LabelFormat


def exploded(source, factor):
    """The blocks moved apart: by `factor` times the way from the mesh's centroid to theirs."""
    if not factor:
        return source
    warp = simple.WarpByVector(Input=source)
    warp.Vectors = ["POINTS", "explode"]
    warp.ScaleFactor = factor
    return warp


def cut(source, plane):
    """The whole cells behind a plane, seen from the eye: `plane` is an axis and a fraction, x=0.5."""
    try:
        axis, fraction = plane.split("=")
        axis, fraction = "xyz".index(axis), float(fraction)
    except ValueError:
        raise SceneError(f"'{plane}' is not a cut: write an axis and a fraction, say x=0.5") from None
    source.UpdatePipeline()
    bounds = source.GetDataInformation().GetBounds()
    clip = simple.Clip(Input=source)
    clip.ClipType = "Plane"
    clip.Crinkleclip = 1
    clip.ClipType.Origin = [b0 + fraction * (b1 - b0) for b0, b1 in zip(bounds[::2], bounds[1::2])]
    clip.ClipType.Normal = [float(i == axis) * (1 if TOWARDS_EYE[i] > 0 else -1) for i in range(3)]
    return clip


def block_with_halo(source, block):
    """The cells of a block (`role` 2) and those of other blocks that share a point with it (1)."""
    import numpy
    from vtkmodules.util.numpy_support import numpy_to_vtk

    source.UpdatePipeline()
    grid = servermanager.Fetch(source)
    blocks = vtk_to_numpy(grid.GetCellData().GetArray("block"))
    if not (blocks == block).any():
        raise SceneError(f"there is no block {block}: the last is {blocks.max()}")
    points = vtk_to_numpy(grid.GetPoints().GetData())
    _, place = numpy.unique(points, axis=0, return_inverse=True)  # split points, joined again
    place = place.reshape(-1)
    connectivity = place[vtk_to_numpy(grid.GetCells().GetConnectivityArray())]
    offsets = vtk_to_numpy(grid.GetCells().GetOffsetsArray())
    cell = numpy.repeat(numpy.arange(len(blocks)), numpy.diff(offsets))
    own = numpy.zeros(place.max() + 1, bool)
    own[connectivity[blocks[cell] == block]] = True
    role = numpy.bincount(cell, weights=own[connectivity], minlength=len(blocks)) > 0
    role = role.astype("int32") + (blocks == block)
    array = numpy_to_vtk(role.astype("int32"), deep=True)
    array.SetName("role")
    grid.GetCellData().AddArray(array)
    producer = simple.TrivialProducer()
    producer.GetClientSideObject().SetOutput(grid)
    producer.UpdatePipeline()
    return producer


def only(source, array, low, high):
    threshold = simple.Threshold(Input=source)
    threshold.Scalars = ["CELLS", array]
    threshold.LowerThreshold, threshold.UpperThreshold = low, high
    threshold.ThresholdMethod = "Between"
    return threshold


def windowed(source, window):
    """The part of a flat mesh inside x0, x1, y0, y1: what is outside would cover the legend."""
    if not window:
        return source
    clip = simple.Clip(Input=source)
    clip.ClipType, clip.Exact = "Box", 1
    clip.ClipType.Position = [window[0], window[2], -1]
    clip.ClipType.Length = [window[1] - window[0], window[3] - window[2], 2]
    clip.Invert = 1
    clip.UpdatePipeline()
    return clip


def is_flat(source):
    bounds = source.GetDataInformation().GetBounds()
    return bounds[4] == bounds[5]


ROOM = 6.7, 14.0  # pixels that an element needs for its edges: flat, solid
# Pixels from which an outline begins to be seen and at which it is black: of a block where the picture is flat,
# of an element in a solid, whose outlines are the sharp edges of elements.
INKED = (4.0, 24.0), (6.0, 40.0)


def measured(source, view, flat, zoom=1.0):
    """With the arrays `element_pixels` and `ink` of cells: how wide the elements of a block are in a picture,
    about, and how strong its outline may be, 0 to 1, without hiding the colours."""
    import numpy
    from vtkmodules.util.numpy_support import numpy_to_vtk

    source.UpdatePipeline()
    grid = servermanager.Fetch(source)
    if not grid.IsA("vtkUnstructuredGrid") or grid.GetNumberOfCells() == 0:
        return source
    points = vtk_to_numpy(grid.GetPoints().GetData())
    corners = points[vtk_to_numpy(grid.GetCells().GetConnectivityArray())]
    first = vtk_to_numpy(grid.GetCells().GetOffsetsArray())[:-1]
    extent = numpy.maximum.reduceat(corners, first) - numpy.minimum.reduceat(corners, first)
    size = points.max(0) - points.min(0)
    scale = zoom * max(view.ViewSize) / max(numpy.linalg.norm(size), 1e-300)
    if flat:
        scale = zoom * min(pixels / max(s, 1e-300) for pixels, s in zip(view.ViewSize, size))
    _, block = numpy.unique(vtk_to_numpy(grid.GetCellData().GetArray("block")), return_inverse=True)
    count = numpy.bincount(block)
    wide = scale * numpy.bincount(block, weights=extent[:, :2 if flat else 3].mean(1)) / count
    seen = wide * count ** 0.5 if flat else wide
    faint, full = INKED[0 if flat else 1]
    for name, values in (("element_pixels", wide), ("ink", numpy.clip((seen - faint) / (full - faint), 0, 1))):
        array = numpy_to_vtk(values[block], deep=True)
        array.SetName(name)
        grid.GetCellData().AddArray(array)
    producer = simple.TrivialProducer()
    producer.GetClientSideObject().SetOutput(grid)
    producer.UpdatePipeline()
    return producer


def has_cells_array(source, name):
    return source.CellData.GetArray(name) is not None


def show(source, view, flat, edges=True):
    """Shows cells flat and with their edges, where there is room for them; returns the display."""
    display = simple.Show(source, view)
    room = ROOM[0 if flat else 1]
    if edges and has_cells_array(source, "element_pixels"):
        if source.CellData.GetArray("element_pixels").GetRange()[1] >= room:
            mesh = simple.Show(only(source, "element_pixels", room, 1e9), view)
            mesh.SetRepresentationType("Wireframe")
            mesh.ColorArrayName = [None, ""]
            mesh.AmbientColor = mesh.DiffuseColor = [0.25, 0.25, 0.25]
            mesh.LineWidth, mesh.Ambient, mesh.Diffuse = 0.5, 1.0, 0.0
            if flat:
                mesh.Position = [0, 0, 5e-7]
        edges = False
    n_cells = source.GetDataInformation().GetNumberOfCells()
    n_seen = n_cells if flat else 3 * n_cells ** (2 / 3)
    edges = edges and room * room * n_seen < view.ViewSize[0] * view.ViewSize[1]
    display.SetRepresentationType("Surface With Edges" if edges else "Surface")
    display.EdgeColor = [0.25, 0.25, 0.25]
    display.LineWidth = 0.5
    display.Ambient, display.Diffuse = (1.0, 0.0) if flat else (0.5, 0.6)
    display.Specular = 0.0
    return display


def outline_share(edges, cells, view):
    """How much of a flat picture its outlines would cover, if lines are as long as cells are wide."""
    drawn = 0.5 * view.ViewSize[0] * view.ViewSize[1]
    width = (drawn / max(1, cells.GetDataInformation().GetNumberOfCells())) ** 0.5
    return edges.GetDataInformation().GetNumberOfCells() * width / drawn


def fade(display, ink):
    """Draws each line as strongly as the array `ink` says."""
    simple.ColorBy(display, ("CELLS", "ink"), separate=True)
    table = simple.GetColorTransferFunction("ink", display, separate=True)
    table.AutomaticRescaleRangeMode = "Never"
    table.RGBPoints = [0.0, *ink, 1.0, *ink]
    table.EnableOpacityMapping = 1
    strength = simple.GetOpacityTransferFunction("ink", display, separate=True)
    strength.Points = [0.0, 0.0, 0.5, 0.0, 1.0, 1.0, 0.5, 0.0]
    table.ScalarOpacityFunction = strength
    display.LookupTable = table


def show_outlines(source, view, flat, ink=(0, 0, 0)):
    """The outline of each block: in 3D the sharp edges of its surface; fainter where the outlines of
    torn or small blocks would hide them."""
    surface = simple.ExtractSurface(Input=source)
    edges = simple.FeatureEdges(Input=surface)
    edges.BoundaryEdges, edges.NonManifoldEdges, edges.ManifoldEdges = 1, 0, 0
    edges.FeatureEdges = 0 if flat else 1
    edges.FeatureAngle = 40
    edges.Coloring = 0
    display = simple.Show(edges, view)
    display.ColorArrayName = [None, ""]
    display.AmbientColor = display.DiffuseColor = list(ink)
    display.LineWidth = max(1.0, min(1.8, view.ViewSize[0] / 500))
    display.Ambient, display.Diffuse = 1.0, 0.0
    if flat:
        display.Position = [0, 0, 1e-6]
        edges.UpdatePipeline()
        display.Opacity = min(1.0, 0.25 / max(1e-9, outline_share(edges, source, view)))
    if has_cells_array(source, "ink"):
        fade(display, ink)
    return display


def new_view(width, height):
    view = simple.CreateView("RenderView")
    view.ViewSize = [width, height]
    view.UseColorPaletteForBackground = 0
    view.BackgroundColorMode = "Single Color"
    view.Background = [1, 1, 1]
    view.OrientationAxesVisibility = 0
    view.CameraParallelProjection = 1
    return view


def grid_of(n):
    """Columns and rows for n pictures."""
    columns = 1
    while columns * columns < n:
        columns += 1
    return columns, -(-n // columns)


def laid_out(n, width, height):
    """n views in one layout."""
    layout = simple.CreateLayout("views")
    columns, rows = grid_of(n)
    layout.SetSize(columns * width, rows * height)
    views = []
    cells = [0]
    for row in range(rows - 1):  # split off the first row, then the next ...
        cells[row:] = [2 * cells[row] + 1, 2 * cells[row] + 2]
        layout.SplitVertical((cells[row] - 1) // 2, 1 / (rows - row))
    for cell in cells:
        for column in range(columns - 1):
            layout.SplitHorizontal(cell, 1 / (columns - column))
            place, cell = 2 * cell + 1, 2 * cell + 2
            views.append((place, None))
        views.append((cell, None))
    for i, (place, _) in enumerate(views):
        view = new_view(width, height)
        simple.AssignViewToLayout(view=view, layout=layout, hint=place)
        views[i] = view
    return layout, views


def aim(view, bounds, flat, window=None, zoom=1.0, aspect=None, foot=0.0):
    """Points the camera: the same bounds give the same picture. `foot` is the part of the height
    kept free below for captions; window = (x0, x1, y0, y1) of a flat mesh."""
    if window:
        bounds = list(window) + [0, 0]
    centre = [(a + b) / 2 for a, b in zip(bounds[::2], bounds[1::2])]
    size = [b - a for a, b in zip(bounds[::2], bounds[1::2])]
    width, height = view.ViewSize
    aspect = aspect or width / height
    if flat:
        across, up, forward = [1, 0, 0], [0, 1, 0], [0, 0, 1]
        half = [size[0] / 2, size[1] / 2]
    else:
        norm = math.sqrt(sum(c * c for c in TOWARDS_EYE))
        forward = [c / norm for c in TOWARDS_EYE]
        across = [-forward[1], forward[0], 0]
        norm = math.hypot(*across[:2])
        across = [c / norm for c in across]
        up = [forward[1] * across[2] - forward[2] * across[1],
              forward[2] * across[0] - forward[0] * across[2],
              forward[0] * across[1] - forward[1] * across[0]]
        half = [sum(abs(axis[d]) * size[d] / 2 for d in range(3)) for axis in (across, up)]
    scale = 1.04 * max(half[1] / (1 - foot), half[0] / aspect) / zoom
    distance = 10 * (sum(c * c for c in size) ** 0.5 or 1)
    focal = [c - foot * scale * u for c, u in zip(centre, up)]
    view.CameraFocalPoint = focal
    view.CameraPosition = [f + distance * d for f, d in zip(focal, forward)]
    view.CameraViewUp = up
    view.CameraParallelScale = scale
    view.CenterOfRotation = centre


def place_text(source, view, position, size=14, bold=0):
    display = simple.Show(source, view)
    display.WindowLocation = "Any Location"
    display.Position = position
    display.FontSize = size
    display.Bold = bold
    display.Color = INK


def write_text(view, text, position, size=14, bold=0):
    place_text(simple.Text(Text=text), view, position, size, bold)


def write_film(frames, path, rate):
    """Pictures of one size, one after the other, `rate` a second, as an .ogv or .avi file."""
    from vtkmodules.vtkIOImage import vtkPNGReader

    if path.endswith(".ogv"):
        from vtkmodules.vtkIOOggTheora import vtkOggTheoraWriter as Writer
    elif path.endswith(".avi"):
        from vtkmodules.vtkIOFFMPEG import vtkFFMPEGWriter as Writer
    else:
        raise SceneError(f"'{path}': films are .ogv or .avi files")
    reader, writer = vtkPNGReader(), Writer()
    writer.SetFileName(path)
    writer.SetInputConnection(reader.GetOutputPort())
    writer.SetRate(rate)
    writer.SetQuality(2)
    for i, frame in enumerate(frames):
        reader.SetFileName(frame)
        reader.Update()
        if i == 0:
            writer.Start()
        writer.Write()
    if frames:
        writer.End()
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        raise SceneError(f"no film was written to '{path}'")


def needs_display():
    """Fails where rendering would kill the process: ParaView aborts without an X server."""
    import ctypes
    import ctypes.util

    library = ctypes.util.find_library("X11")
    if not library or os.name != "posix":
        return
    x11 = ctypes.CDLL(library)
    x11.XOpenDisplay.restype = ctypes.c_void_p
    display = x11.XOpenDisplay(None)
    if not display:
        raise SceneError("there is no display to render on: DISPLAY is "
                         f"'{os.environ.get('DISPLAY', '')}'. Run under xvfb-run "
                         "(Debian: apt-get install xvfb xauth), or use tess view --png")
    x11.XCloseDisplay(ctypes.c_void_p(display))


def save(view_or_layout, path, width, height):
    """Writes a PNG under a temporary name, looks whether it is there, and puts it in place."""
    stem, extension = os.path.splitext(path)
    if extension.lower() != ".png":
        raise SceneError(f"'{path}': pictures are PNG files, end the name with .png")
    temporary = f"{stem}.{os.getpid()}.part.png"
    simple.SaveScreenshot(temporary, view_or_layout, ImageResolution=[width, height],
                          CompressionLevel="9", OverrideColorPalette="")
    if not os.path.exists(temporary) or os.path.getsize(temporary) == 0:
        raise SceneError(f"ParaView wrote no picture for '{path}': is the folder there, and room?")
    os.replace(temporary, path)
