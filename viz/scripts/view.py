"""Pictures of views: blocks, their colours and their metrics over the mesh.

  pvpython view.py VIEW.hdf... --png FILE [options]     without a window (needs a display: xvfb-run)
  ParaView: Tools, Python Shell, Run Script             the active source, coloured and outlined

ParaView's menu does not tell a script where it is: unless Tesselab is installed, start ParaView with
TESS_SCRIPTS naming this folder, as `tess view` does.
"""

import argparse
import os
import sys

FOLDERS = ["/usr/share/tesselab/scripts", "/usr/local/share/tesselab/scripts",
           os.environ.get("TESS_SCRIPTS", "")]
if "__file__" in globals():
    FOLDERS.append(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [folder for folder in reversed(FOLDERS) if os.path.isdir(folder)]

try:
    import quick_start  # noqa: F401: first
    import progress
    import quantities
    import scene
    import scene_files
    from paraview import simple
except ModuleNotFoundError:
    raise RuntimeError("the script scene.py is not found: start ParaView with the environment's "
                       "TESS_SCRIPTS naming the folder of view.py") from None

MISSING, WRONG_USAGE, FAILED = 4, 2, 1


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="view.py", description="Renders views of Tesselab: blocks over the mesh.")
    parser.add_argument("views", nargs="*", metavar="VIEW.hdf")
    parser.add_argument("--png", metavar="FILE", help="write a picture; without it nothing is saved")
    parser.add_argument("--state", metavar="FILE.pvsm",
                        help="write what is shown as a state, which ParaView opens without Tesselab")
    parser.add_argument("--colour", "--color", default=None, metavar="ARRAY",
                        help=f"an array of the view: {', '.join(quantities.ARRAYS)} (default: display_colour, of runs "
                             "on ranks rank_colour, of chains ring_colour); reuse, points ... are those of the block")
    parser.add_argument("--explode", type=float, default=0.0, metavar="F",
                        help="move blocks apart by F times their way from the centre; say 0.2")
    parser.add_argument("--outline", action="store_true", help="draw the outlines of blocks")
    parser.add_argument("--no-outline", action="store_true", help="not of exploded ones, either")
    parser.add_argument("--cut", metavar="AXIS=FRACTION", help="look inside: x=0.5")
    parser.add_argument("--block", type=int, metavar="N", help="one block with its halo")
    parser.add_argument("--side-by-side", action="store_true",
                        help="all views in one picture, same camera and scale")
    parser.add_argument("--film", metavar="FILE.ogv",
                        help="all views one after the other, same camera and scale")
    parser.add_argument("--window", metavar="X0,X1,Y0,Y1", help="part of a flat mesh")
    parser.add_argument("--zoom", type=float, default=1.0)
    parser.add_argument("--size", metavar="WxH",
                        help="of each view, in pixels: as many as 1200x800 has, in the shape of flat "
                             "meshes")
    parser.add_argument("--no-edges", action="store_true", help="leave out the edges of elements")
    parser.add_argument("--no-caption", action="store_true", help="leave out words and legend")
    return parser.parse_args(arguments)


def numbers(text, n, separator, what):
    parts = text.split(separator)
    try:
        values = [float(part) for part in parts]
    except ValueError:
        values = []
    if len(values) != n:
        raise scene.SceneError(f"'{text}' is not {what}")
    return values


def opened(path):
    if not os.path.exists(path):
        raise scene.SceneError(f"'{path}' is not there")
    source = simple.OpenDataFile(os.path.abspath(path))  # a state has this name
    if not source:
        raise scene.SceneError(f"'{path}' is no file that ParaView reads")
    source.UpdatePipelineInformation()
    return source


def read(source, path, colour, options):
    """Reads a view: for a picture of all blocks only what it shows, as large meshes have large arrays."""
    shown = {"block", colour}
    only_seen = (options.png or options.film) and not options.state and options.block is None
    if only_seen and shown <= scene.array_names(source):
        lines = set() if options.no_edges else {"element"} & scene.array_names(source)
        source.CellArrayStatus = sorted(shown | lines)
        source.PointArrayStatus = ["explode"] if options.explode else []
    source.UpdatePipeline()
    if source.GetDataInformation().GetNumberOfCells() == 0:
        raise scene.SceneError(f"'{path}' shows nothing: no cells")
    scene.check_size(source.GetDataInformation().GetBounds())
    scene.cell_range(source, "block")
    known = scene.labels(source)
    words = [known[name].ToString() for name in ("partitioner", "block_size") if name in known]
    if words:
        simple.RenameSource(" ".join(words), source)


def window_of(options):
    return numbers(options.window, 4, ",", "a window: say 0,1,-1,1")


def is_picture(options):
    """Whether the camera stays: windows and states can be turned."""
    return bool(options.png or options.film) and not options.state


def prepared(source, options):
    """The source cut, thinned to a block and its halo, and exploded: (shown, halo or None)."""
    if options.block is not None:
        marked = scene.block_with_halo(source, options.block)
        return (scene.only(marked, "role", 2, 2, f"block {options.block}"),
                scene.only(marked, "role", 1, 1, "halo"))
    if options.cut:
        source = scene.cut(source, options.cut)
    source = scene.exploded(source, options.explode)
    return scene.windowed(source, options.window and window_of(options)), None


def draw(view, source, options, colour, spread, flat):
    """Draws the cells of one view file; returns what is shown, its halo or None, and the bounds."""
    shown, halo = prepared(source, options)
    if is_picture(options) and not halo:
        shown = scene.surface_of(shown, "surface")  # once, for cells and lines
    shown.UpdatePipeline()
    display = scene.show(shown, view, flat)
    spread = scene.cell_range(shown, colour) if halo else spread  # the legend of this block
    scene.colour_by(display, view, source, colour, spread, bar=not options.no_caption)
    bounds = list(shown.GetDataInformation().GetBounds())
    if halo:
        halo.UpdatePipeline()
        if halo.GetDataInformation().GetNumberOfCells():
            around = scene.show(halo, view, flat)
            around.ColorArrayName = [None, ""]
            around.AmbientColor = around.DiffuseColor = [0.9, 0.9, 0.9]
            if not flat:
                around.Opacity = 0.15
            extent = halo.GetDataInformation().GetBounds()
            bounds = [f(a, b) for f, a, b in zip([min, max] * 3, bounds, extent)]
    return shown, halo, bounds


def draw_lines(view, shown, halo, options, flat):
    """The edges of elements and the outlines of blocks: as many as the aimed camera has room for."""
    for cells in filter(None, (shown, halo if flat else None)):
        if not options.no_edges and cells.GetDataInformation().GetNumberOfCells():
            scene.show_edges(cells, view, flat)
    if (options.outline or options.explode or halo) and not options.no_outline:
        scene.show_outlines(shown, view, flat, stays=is_picture(options))


def size_of(options, sources, foot):
    """Width and height of each view: as asked, or the shape of flat meshes."""
    if options.size:
        return (int(v) for v in numbers(options.size, 2, "x", "a size: say 1200x800"))
    if not all(map(scene.is_flat, sources)) or options.block is not None:
        return 1200, 800
    if options.window:
        window = window_of(options)
        wide, high = window[1] - window[0], window[3] - window[2]
    else:
        bounds = [source.GetDataInformation().GetBounds() for source in sources]
        wide = max(b[1] - b[0] for b in bounds)
        high = max(b[3] - b[2] for b in bounds)
    shape = max(0.8, min(2.4, (1 - foot) * wide / (high or 1)))
    width = round((1200 * 800 * shape) ** 0.5)
    return width, round(1200 * 800 / width)


def drawn(options):
    """Draws all views in one layout; returns it, its views, and the words of their captions."""
    window = options.window and window_of(options)
    sources = [opened(path) for path in options.views]
    if len(sources) > 1 and not options.side_by_side and not options.film:
        raise scene.WrongChoice("several views are shown with --side-by-side or --film")
    usual = {scene.usual_colour(source) for source in sources}
    single = options.block is not None and usual == {"display_colour"}
    colour = options.colour or ("thread_colour" if single else usual.pop() if len(usual) == 1 else "display_colour")
    colour = scene.array_of(sources[0], colour)
    for source, path in zip(sources, options.views):
        read(source, path, colour, options)
        progress.end_part()
    ranges = [scene.cell_range(source, colour) for source in sources]
    spread = (min(r[0] for r in ranges), max(r[1] for r in ranges))
    flat = all(scene.is_flat(source) for source in sources)
    width, height = size_of(options, sources, 0 if options.no_caption else 0.1)
    layout, views = scene.laid_out(len(sources), width, height)
    parts = []
    for view, source in zip(views, sources):
        parts.append(draw(view, source, options, colour, spread, flat))
        progress.end_part()
    bounds = [f(own) for f, own in zip([min, max] * 3, zip(*(part[2] for part in parts)))]
    foot = 0.0 if options.no_caption else scene.foot_of(colour, views[0])
    words = []
    for view, source, (shown, halo, _) in zip(views, sources, parts):
        scene.aim(view, bounds, flat, window, options.zoom, foot=foot)
        draw_lines(view, shown, halo, options, flat)
        words.extend(caption_of(source, shown, options, colour))
        progress.end_part()
        if not options.no_caption:
            scene.write_caption(view, words[-2:])
    scene.link_cameras(views[:len(sources)])
    return layout, views[:len(sources)], "\n".join(words)


def caption_of(source, shown, options, colour):
    """Two lines: what was cut, and how well, in all or one block."""
    what, how_well = scene.caption(source, colour)
    if options.block is not None:
        how_well = scene.block_caption(shown, options.block)
    return what, how_well


def picture_and_state(options):
    """Each where it is asked for."""
    layout, views, words = drawn(options)
    if options.state:
        scene_files.save_state(options.state)
    if options.png:
        width, height = views[0].ViewSize
        columns, rows = scene.grid_of(len(views))
        scene_files.save(layout if len(views) > 1 else views[0], options.png, columns * width, rows * height,
                   words)
    progress.end_part(2 * len(views))


def film(options):
    """Each view is a frame."""
    _, views, _ = drawn(options)
    frames = []
    try:
        for i, view in enumerate(views):
            frames.append(f"{options.film}.{os.getpid()}.{i:04d}.png")
            scene_files.save(view, frames[-1], *view.ViewSize)
            progress.end_part(2)
        scene_files.write_film(frames, options.film, 1)
        progress.end_part()
    finally:
        for frame in frames:
            if os.path.exists(frame):
                os.remove(frame)


def active_source(options):
    """From ParaView's own menu: the active source, coloured and outlined."""
    source = simple.GetActiveSource()
    if not source:
        raise scene.SceneError("open a view file first")
    view = simple.GetActiveViewOrCreate("RenderView")
    simple.Hide(source, view)
    options.outline = True
    usual = scene.usual_colour(source)
    flat = scene.is_flat(source)
    shown, halo, _ = draw(view, source, options, options.colour or usual, None, flat)
    view.ResetCamera()
    draw_lines(view, shown, halo, options, flat)


def show(arguments):
    """Files and options come from the command line, or through the environment from `tess view`."""
    files, options = (os.environ.get(name, "").split("\n") if os.environ.get(name) else []
                      for name in ("TESS_VIEW_FILES", "TESS_VIEW_OPTIONS"))
    options = parse(arguments or files + options)
    if options.views and (options.png or options.film or options.state):
        scene_files.needs_display()
        n = len(options.views)  # each is read, drawn, given its lines, and rendered, which takes longer
        progress.begin((5 * n + 1 if options.film else 0) + (5 * n if options.png or options.state else 0))
        if options.png or options.state:
            picture_and_state(options)  # first: a state has all that is open
        if options.film:
            film(options)
    elif options.views:
        drawn(options)
    else:
        active_source(options)


def main(arguments):
    """Shows; what cannot be shown is reported. Returns the exit code."""
    try:
        show(arguments)
    except scene.SceneError as error:
        print(f"view.py: {error}", file=sys.stderr, flush=True)
        return MISSING if "no display" in str(error) else WRONG_USAGE if isinstance(error, scene.WrongChoice) else FAILED
    return 0


if __name__ == "__main__":
    import view  # this file again: filters in Python put a `min` and `max` of their own into __main__

    code = view.main(sys.argv[1:])
    if code:  # ParaView's HDF5 would complain of files that are still open: leave at once
        os._exit(code)
