"""The scene of a view: colours that tell blocks apart, outlines, cuts, camera, legend and caption.

Shared by view.py and the Catalyst scripts; works in pvpython, pvbatch and ParaView."""

import inspect
import math

import ink
import lab_views
import quantities
import silhouette
from hues import CATEGORIES, hue
from paraview import servermanager, simple
from vtkmodules import vtkRenderingFreeType  # noqa: F401: draws and measures text
from vtkmodules.vtkRenderingCore import vtkTextProperty, vtkTextRenderer

ALIASES = {"rank": "rank_colour", "size": "block_elements", "block_size": "block_elements", "pieces": "block_components",
           "reuse_factor": "block_reuse"}  # words of earlier versions, but the first
UNTITLED = {"display_colour", "rank_colour", "ring_colour"}  # the picture says it
TOWARDS_EYE = [0.55, -0.72, 0.42]  # from a solid
INK = [0.13, 0.13, 0.13]
MARGIN, GAP, BAR, TICK = 8, 8, 12, 9  # pixels
LEAST_SIZE, MOST_SIZE = 1e-20, 1e150


def array_of(source, word):
    """The array of a source that a word means, else the word."""
    names = array_names(source)
    meant = quantities.array_of(ALIASES.get(word, word), names)
    return meant if meant in names else word


def now(name):
    """The name that an array has now."""
    return next((new for new, old in quantities.OLD_NAMES.items() if old == name), name)


def is_known(name):
    """Whether it is of the plan, not of an application."""
    return now(name) in quantities.ARRAYS


def title_of(name):
    """Of a colour bar."""
    return quantities.ARRAYS[now(name)]["long_name"] if is_known(name) else name


def letter_size(view):
    """Of a caption's first line, in pixels."""
    return max(9, min(16, view.ViewSize[0] // 48))


def text_width(text, size, bold=False):
    """Of a line in ParaView's own letters, in pixels: measured."""
    letters = vtkTextProperty()
    letters.SetFontFamilyToArial()
    letters.SetFontSize(size)
    letters.SetBold(bold)
    box = [0] * 4
    vtkTextRenderer.GetInstance().GetBoundingBox(letters, text, box, 72)
    return box[1] - box[0] + 1


def fitting(text, width, size, bold=False):
    """A line, cut where the width in pixels ends."""
    if text_width(text, size, bold) <= width:
        return text
    while text and text_width(text + "…", size, bold) > width:
        text = text[:-1]
    return text.rstrip(" ·") + "…"


def row_height(size):
    """Of a line with the gap above it, in pixels."""
    return 1.7 * size


def has_caption(view):
    """Whether the lines of a caption leave room for a picture."""
    return caption_height(view) <= 0.5 * view.ViewSize[1]


def has_legend(array, view, wide=0):
    """Whether an array has a legend, and the picture room for it: its bar is `wide` pixels at least."""
    return bool(array not in UNTITLED and wide <= view.ViewSize[0] - 4 * MARGIN and
                caption_height(view) + legend_height(view) <= 0.55 * view.ViewSize[1])


def legend_height(view):
    """Of labels, bar and title, in pixels, with the gap above them."""
    return 2 * row_height(letter_size(view)) + BAR + TICK + GAP


def foot_of(array, view):
    """The part of a picture's height that caption and legend need."""
    height = caption_height(view) if has_caption(view) else 0
    return (height + (legend_height(view) if has_legend(array, view) else 0)) / view.ViewSize[1]


def caption_height(view):
    return MARGIN + 2 * row_height(letter_size(view))


class SceneError(Exception):
    """What cannot be shown, in words for the user."""


class WrongChoice(SceneError):
    """What a view has not, a block, an array, a part: wrong usage."""


def cell_range(source, name):
    """Smallest and largest value of a cell array."""
    information = source.GetCellDataInformation().GetArray(name)
    if not information:
        known = sorted(source.GetCellDataInformation().keys())
        raise WrongChoice(f"the view has no '{name}': known are {', '.join(known)}")
    return information.GetRange()


def array_names(source):
    """The arrays of cells that a source has or can read."""
    if "CellArrayStatus" in source.ListProperties():
        return set(source.CellArrayStatus.Available)
    return set(source.GetCellDataInformation().keys())


def usual_colour(source):
    """What a view is coloured by unless something else is asked for."""
    names = array_names(source)
    return next((name for name in ("rank_colour", "ring_colour") if name in names), "display_colour")


def labels(source):
    """The texts and metrics that a view carries, by name."""
    field = servermanager.Fetch(source).GetFieldData()
    arrays = {field.GetArrayName(i): field.GetAbstractArray(i) for i in range(field.GetNumberOfArrays())}
    return {name: array.GetVariantValue(0) for name, array in arrays.items() if array.GetNumberOfValues()}


def counted(number, noun, digits=9):
    """A number of things, as a caption tells of them: 1 block, 2 blocks, 2.56 thread colours."""
    shown = f"{number:.{digits}g}"
    return f"{shown} {noun}{'' if shown == '1' else 's'}"


def caption(source, colour=""):
    """Two lines: what was cut, and how well."""
    known = labels(source)

    def count(name, noun, digits=9):
        return counted(known[name].ToDouble(), noun, digits) if name in known else None

    def number(name, text, digits=4):
        return text.format(f"{known[name].ToDouble():.{digits}g}") if name in known else None

    first = [known[name].ToString() for name in ("partitioner", "mesh", "loop") if name in known]
    size = number("block_size", "block size {}") if "block_size" in known else None
    ranks = count("ranks", "rank")
    if ranks and colour == "rank_colour":
        ranks += ", their halos darker"
    rings = count("rings", "ring")
    if rings and colour == "ring_colour" and known["rings"].ToDouble():
        rings += ", what other blocks compute again darker"
    second = [ranks, count("blocks", "block"), rings, number("reuse_factor", "reuse {}"), count("block_colours", "block colour"),
              count("thread_colours_mean", "thread colour", 3), number("components_mean", "components {}", 3)]
    return " · ".join(first + [size] if size else first), " · ".join(filter(None, second))


def block_caption(source, block):
    """What the view says of one block."""
    def value(name):
        name = quantities.array_of(name, source.GetCellDataInformation().keys())
        return cell_range(source, name)[0] if source.GetCellDataInformation().GetArray(name) else None

    def count(name, noun):
        return None if value(name) is None else counted(value(name), noun)

    def number(name, text, digits=9):
        return None if value(name) is None else text.format(f"{value(name):.{digits}g}")

    return " · ".join(filter(None, [
        f"block {block}", count("block_elements", "element"), number("block_ring", "{} in its rings"),
        count("block_points", "point"),
        number("block_reuse", "reuse {}", 4), count("block_thread_colours", "thread colour"),
        number("block_components", "components {}"), number("block_colour", "block colour {}")]))


def write_caption(view, lines):
    """Two lines below the picture, cut where the view is too narrow for them; none where it is too low."""
    size = letter_size(view)
    for i, line in enumerate(lines if has_caption(view) else []):
        y = (MARGIN + row_height(size) * (len(lines) - 1 - i)) / view.ViewSize[1]
        text = fitting(line, view.ViewSize[0] - 2 * MARGIN, size - (i > 0), i == 0)
        write_text(view, text, [MARGIN / view.ViewSize[0], y], size - (i > 0), int(i == 0))


def colour_by(display, view, source, name, spread=None, bar=True):
    """Colours cells by an array: hues for categories, cividis for quantities; `spread` is the
    common range of several views. Returns the lookup table."""
    low, high = spread or cell_range(source, name)
    simple.ColorBy(display, ("CELLS", name), separate=True)
    table = simple.GetColorTransferFunction(name, display, separate=True)
    table.AutomaticRescaleRangeMode = "Never"
    few = quantities.is_whole(name) and name not in CATEGORIES and high - low < 24
    values = None
    if name in CATEGORIES:
        table.InterpretValuesAsCategories = 1
        values = range(int(high) + 1)
        table.Annotations = [text for i in values for text in (str(i), str(i))]
        table.IndexedColors = [c for i in values for c in hue(i)]
    else:
        table.InterpretValuesAsCategories = 0
        table.ApplyPreset("Cividis" if is_known(name) and name != "block" else
                          "Viridis (matplotlib)", True)
        if few:
            table.NumberOfTableValues = int(high - low) + 1
            table.Discretize = 1
            table.RescaleTransferFunction(low - 0.5, high + 0.5)
            values = range(int(low), int(high) + 1, 1 + int(high - low) // 8)
        else:
            table.RescaleTransferFunction(low, high if high > low else low + 1)
    display.LookupTable = table
    widest = text_width(label_format(name) % high, letter_size(view) - 1)
    wide = (widest + GAP) * (len(values) if values else 2)
    seen = bar and has_legend(name, view, wide)
    display.SetScalarBarVisibility(view, seen)
    if seen:
        legend(view, table, name, values if few else None, wide)
    return table


def label_format(name):
    return "%.0f" if quantities.is_whole(name) else "%-#.4g"


def legend(view, table, name, values=None, wide=0):
    """Above the caption, its bar `wide` pixels at least; with ticks at `values`, where they are given."""
    width, height = view.ViewSize
    size = letter_size(view)
    length = min(width - 4 * MARGIN, max(wide, 0.4 * width))
    bar = simple.GetScalarBar(table, view)
    bar.Title = fitting(title_of(name), width - 2 * MARGIN, size)
    bar.ComponentTitle = ""
    bar.TitleColor = bar.LabelColor = INK
    bar.TitleFontSize, bar.LabelFontSize = size, size - 1
    bar.Orientation = "Horizontal"
    bar.WindowLocation = "Any Location"
    below = row_height(size) + TICK if name in CATEGORIES else GAP  # where ParaView puts labels of categories
    bar.Position = [(width - length) / 2 / width, (caption_height(view) + below) / height]
    bar.ScalarBarLength = length / width
    bar.ScalarBarThickness = BAR
    bar.DrawTickLabels = 1
    bar.AddRangeLabels = 0
    if values:
        bar.UseCustomLabels = 1
        bar.CustomLabels = list(values)
    bar.AutomaticLabelFormat = 0
    bar.LabelFormat = bar.RangeLabelFormat = label_format(name)


def exploded(source, factor):
    """The blocks moved apart: by `factor` times the way from the mesh's centroid to theirs."""
    if not factor:
        return source
    warp = simple.WarpByVector(registrationName="explode", Input=source)
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
    if not 0 < fraction < 1:
        raise SceneError(f"'{plane}' leaves all or nothing: the fraction is between 0 and 1, say x=0.5")
    if bounds[2 * axis] == bounds[2 * axis + 1]:
        raise SceneError(f"'{plane}' cuts nothing: the mesh is flat, and --window shows a part of it")
    clip = simple.Clip(registrationName="cut", Input=source)
    clip.ClipType = "Plane"
    clip.Crinkleclip = 1
    clip.ClipType.Origin = [b0 + fraction * (b1 - b0) for b0, b1 in zip(bounds[::2], bounds[1::2])]
    clip.ClipType.Normal = [float(i == axis) * (1 if TOWARDS_EYE[i] > 0 else -1) for i in range(3)]
    return clip


def block_with_halo(source, block):
    """The cells of a block (`role` 2) and those of other blocks that share a point with it (1)."""
    source.UpdatePipeline()
    last = int(cell_range(source, "block")[1])
    if not 0 <= block <= last:
        raise WrongChoice(f"there is no block {block}: the last is {last}")
    return coded(f"roles round block {block}", source, lab_views,
                 f"output.VTKObject.ShallowCopy(with_roles(inputs[0].VTKObject, {block}))")


def only(source, array, low, high, name):
    threshold = simple.Threshold(registrationName=name, Input=source)
    threshold.Scalars = ["CELLS", array]
    threshold.LowerThreshold, threshold.UpperThreshold = low, high
    threshold.ThresholdMethod = "Between"
    return threshold


def windowed(source, window):
    """The part of a flat mesh inside x0, x1, y0, y1: what is outside would cover the legend."""
    if not window:
        return source
    if not is_flat(source):
        raise SceneError("a window is for flat meshes, and this is a solid: in 'tess view' --cut x=0.5 looks inside, --zoom goes nearer")
    clip = simple.Clip(registrationName="window", Input=source)
    clip.ClipType, clip.Exact = "Box", 1
    clip.ClipType.Position = [window[0], window[2], -1]
    clip.ClipType.Length = [window[1] - window[0], window[3] - window[2], 2]
    clip.Invert = 1
    clip.UpdatePipeline()
    if clip.GetDataInformation().GetNumberOfCells() == 0:
        bounds = source.GetDataInformation().GetBounds()
        raise WrongChoice("the window {:g},{:g},{:g},{:g} shows nothing: x is from {:g} to {:g} there, y from {:g} to {:g}"
                          .format(*window, *bounds[:4]))
    return clip


def is_flat(source):
    bounds = source.GetDataInformation().GetBounds()
    return bounds[4] == bounds[5]


def show(source, view, flat):
    """Shows cells flat; returns the display."""
    display = simple.Show(source, view)
    display.SetRepresentationType("Surface")
    display.Ambient, display.Diffuse = (1.0, 0.0) if flat else (0.5, 0.6)
    display.Specular = 0.0
    return display


def pixel_of(view):
    """The length of a pixel in the mesh, once the camera is aimed."""
    return 2 * view.CameraParallelScale / view.ViewSize[1]


def coded(name, inputs, module, call, copies=1):
    """A filter that runs a function of a module, whose text it carries: a state opens without Tesselab. `call` is the
    function with its arguments, `copies` whether its output begins with the arrays of its input."""
    made = simple.ProgrammableFilter(registrationName=name, Input=inputs)
    made.CopyArrays = copies
    made.Script = f"{inspect.getsource(module)}\n\n{call}"
    return made


def show_lines(lines, view, flat, width, height):
    """Shows lines in their own ink, so many pixels in front of the cells."""
    display = simple.Show(lines, view)
    simple.ColorBy(display, ("CELLS", "ink"), separate=True)
    display.MapScalars = 0
    display.LineWidth = width
    display.Ambient, display.Diffuse = 1.0, 0.0
    towards = [0, 0, 1] if flat else TOWARDS_EYE
    moved = "Translation" if "Translation" in display.ListProperties() else "Position"  # the latter before ParaView 5.13
    setattr(display, moved, [height * pixel_of(view) * axis for axis in towards])
    return display


def surface_of(source, name):
    """The outside of all blocks, in one piece where a running program hands over several."""
    if source.GetDataInformation().GetDataClassName() == "vtkPolyData":
        return source
    surface = simple.ExtractSurface(registrationName=name, Input=source)
    if not source.GetDataInformation().IsCompositeDataSet():
        return surface
    return simple.MergeBlocks(registrationName=f"all {name}", Input=surface,
                              MergePoints=0, OutputDataSetType="Polygonal Mesh")


def show_edges(source, view, flat):
    """The edges of elements, where there is room for them."""
    is_whole = flat and not source.GetDataInformation().IsCompositeDataSet()
    edges = coded("edges", source if is_whole else surface_of(source, "sides"), ink,
                 "ink_elements(self.GetInputDataObject(0, 0), self.GetOutputDataObject(0), "
                 f"{pixel_of(view)!r})", 0)
    edges.OutputDataSetType = "vtkPolyData"
    edges.UpdatePipeline()
    if edges.GetDataInformation().GetNumberOfCells() == 0:
        return None
    return show_lines(edges, view, flat, 0.5, 1)


def borders_of(surface):
    """The borders of a flat mesh's blocks: in a third of the time that FeatureEdges takes."""
    edges = coded("outlines", surface, ink, "borders(self.GetInputDataObject(0, 0), self.GetOutputDataObject(0))", 0)
    edges.OutputDataSetType = "vtkPolyData"
    return edges


def sharp_edges_of(surface):
    edges = simple.FeatureEdges(registrationName="outlines", Input=surface)
    edges.BoundaryEdges, edges.NonManifoldEdges, edges.ManifoldEdges = 1, 0, 0
    edges.FeatureEdges = 1
    edges.FeatureAngle = 40
    edges.Coloring = 0
    return edges


def show_outlines(source, view, flat, colour=(0, 0, 0), width=None, stays=False):
    """The outline of each block, after the camera is aimed: in 3D the sharp edges of its surface; where most of these
    are elements' and the camera `stays`, its silhouette."""
    surface = surface_of(source, "surface")
    edges = borders_of(surface) if flat else sharp_edges_of(surface)
    edges.UpdatePipeline()
    if edges.GetDataInformation().GetNumberOfCells() == 0:
        return None
    if stays and not flat:
        edges = coded("silhouettes", [edges, surface], silhouette,
                      "outline(self.GetInputDataObject(0, 0), self.GetInputDataObject(0, 1), self.GetPolyDataOutput(), "
                      f"{axes_of_solid()[:2]!r}, {pixel_of(view)!r})", 0)
    width = width or max(1.0, min(1.8, view.ViewSize[0] / 500))
    lines = coded("outlines in ink", [edges, surface], ink,
                  "ink_outlines(self.GetInputDataObject(0, 0), self.GetInputDataObject(0, 1), "
                  f"self.GetPolyDataOutput(), {flat!r}, {width * pixel_of(view)!r}, {list(colour)!r})")
    return show_lines(lines, view, flat, width, 2)


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


def link_cameras(views):
    """What turns or moves one view does it to all."""
    for i, view in enumerate(views[1:]):
        simple.AddCameraLink(views[0], view, f"cameras 1 and {i + 2}")


def laid_out(n, width, height):
    """n views in one layout, which takes the place of ParaView's own while that is empty."""
    for empty in simple.GetLayouts().values():
        if all(view is None for view in simple.GetViewsInLayout(empty) or [None]):
            simple.RemoveLayout(empty)
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


def axes_of_solid():
    """To the right, up and towards the eye in pictures of solids, each of length 1."""
    norm = math.sqrt(sum(c * c for c in TOWARDS_EYE))
    forward = [c / norm for c in TOWARDS_EYE]
    across = [-forward[1], forward[0], 0]
    norm = math.hypot(*across[:2])
    across = [c / norm for c in across]
    up = [forward[1] * across[2] - forward[2] * across[1],
          forward[2] * across[0] - forward[0] * across[2],
          forward[0] * across[1] - forward[1] * across[0]]
    return across, up, forward


def check_size(bounds):
    """Refuses what ParaView draws nothing of, without a word: it computes in floats."""
    size = max(high - low for low, high in zip(bounds[::2], bounds[1::2]))
    if size and not LEAST_SIZE < size < MOST_SIZE:
        raise SceneError(f"the mesh is {size:.3g} wide: ParaView shows from {LEAST_SIZE:g} to {MOST_SIZE:g}; "
                         "scale its coordinates")


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
        across, up, forward = axes_of_solid()
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
    place_text(simple.Text(registrationName="caption", Text=text), view, position, size, bold)
