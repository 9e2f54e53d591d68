"""What the macros of `tess view --install` do in ParaView's window: a lab opened, blocks coloured and outlined, two
partitioners side by side."""

import inspect
import json
import os
import tempfile

import hues
import numpy
import scene
import view
from paraview import servermanager, simple
from vtkmodules.util.numpy_support import vtk_to_numpy

HERE = os.path.dirname(os.path.abspath(__file__))


def is_loaded():
    """Whether ParaView has the plug-in's reader."""
    return bool(servermanager.ProxyManager().GetPrototypeProxy("sources", "TesselabLab"))


def load_plugin():
    """ParaView 5.11 wants a function of `inspect` that Python 3.11 has no more, as in Debian 12."""
    if not hasattr(inspect, "getargspec"):
        inspect.getargspec = inspect.getfullargspec
    if not is_loaded():
        simple.LoadPlugin(os.path.join(HERE, "tesselab_plugin.py"), remote=False, ns=globals())


def import_preset():
    """The hues, among ParaView's colour presets."""
    presets = servermanager.vtkSMTransferFunctionPresets.GetInstance()
    if presets.HasPreset(hues.PRESET):
        return
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(hues.preset(), file)
        file.flush()
        presets.ImportPresets(file.name)


def choose_tables():
    """Numbers without an order have these hues, whoever colours by them in this session."""
    for name in sorted(hues.CATEGORIES):
        table = simple.GetColorTransferFunction(name)
        table.AutomaticRescaleRangeMode = "Never"
        table.InterpretValuesAsCategories = 1
        table.Annotations, table.IndexedColors = hues.preset()[0]["Annotations"], hues.preset()[0]["IndexedColors"]


def prepare():
    load_plugin()
    import_preset()
    choose_tables()


def lab_file():
    """A file by which the lab opens: of $TESS_LAB, else of ./lab, or None."""
    runs = os.path.join(os.environ.get("TESS_LAB") or "lab", "runs")
    names = sorted(name for name in os.listdir(runs) if name.endswith(".hdf")) if os.path.isdir(runs) else []
    return os.path.abspath(os.path.join(runs, names[-1])) if names else None


def open_lab():
    """From now on File, Open takes labs; the one of this folder is opened."""
    prepare()
    path = lab_file()
    if not path:
        print("Tesselab: File, Open takes a file of lab/runs, or lab/index.hdf")
        return
    reader = simple.OpenDataFile(path)
    reader.UpdatePipeline()
    simple.RenameSource("lab", reader)
    window = simple.GetActiveViewOrCreate("RenderView")
    scene.show(reader, window, scene.is_flat(reader))
    window.ResetCamera()
    simple.Render(window)


def is_view(source):
    cells = source.GetCellDataInformation()
    return bool(cells.GetArray("block") and cells.GetArray("element"))


def two_views():
    """The two views that are side by side: the first two that the pipeline has, but for what is made of them."""
    found = [source for source in simple.GetSources().values() if not hasattr(source, "Input") and is_view(source)]
    if len(found) < 2:
        raise scene.SceneError("open two views, or the lab twice, and choose a run in each")
    return found[:2]


def colour_of(source):
    chosen = source.GetProperty("Colouring")
    return chosen.GetElement(0) if chosen else scene.usual_colour(source)


def selected_elements(source):
    """The elements that the selected cells of a source show, ascending."""
    selection = source.SMProxy.GetSelectionInput(0)
    if not selection:
        return numpy.empty(0, int)
    port = servermanager.OutputPort(servermanager._getPyProxy(selection), source.SMProxy.GetSelectionInputPort(0))
    cells = servermanager.Fetch(servermanager.filters.ExtractSelection(Input=source, Selection=port)).GetCellData()
    elements = cells.GetArray("element")  # points have none
    return numpy.unique(vtk_to_numpy(elements)) if elements else numpy.empty(0, int)


def select_elements(source, elements):
    """Selects the cells that show these elements. ParaView's window ends on selections that are not appended to one another,
    be there one alone."""
    if not len(elements):
        source.SMProxy.CleanSelectionInputs(0)
        return
    same = servermanager.sources.ThresholdSelectionSource(FieldType="CELL", ArrayName="element", Thresholds=runs_of(elements))
    selection = servermanager.vtkSMSelectionHelper.NewAppendSelectionsFromSelectionSource(same.SMProxy)
    source.SMProxy.SetSelectionInput(0, selection, 0)
    selection.UnRegister(None)


def runs_of(numbers):
    """The first and last number of each run of ascending numbers, one after the other."""
    ends = numpy.flatnonzero(numpy.diff(numbers) != 1)
    first, last = numpy.append(0, ends + 1), numpy.append(ends, len(numbers) - 1)
    return numpy.stack([numbers[first], numbers[last]], 1).ravel().tolist()


class SelectionLink:
    """Two sources of which the same elements are selected. ParaView's own link hands over places of cells, which are
    other elements' in another partition."""

    def __init__(self, sources, is_window):
        self.is_window = is_window
        self.is_handing_over = False
        self.leader = None  # in which somebody selected last
        self.observed = [(source.SMProxy, source.SMProxy.AddObserver("SelectionChangedEvent", self.follower(source, other)))
                         for source, other in (sources, sources[::-1])]

    def end(self):
        for proxy, tag in self.observed:
            proxy.RemoveObserver(tag)

    def follower(self, source, other):
        return lambda *event: self.follow(source, other)

    def follow(self, source, other):
        if self.is_handing_over:
            return
        elements = selected_elements(source)
        if len(elements):
            self.leader = source
        elif self.is_window and self.leader is other:
            # once one view is selected in, the window clears what was selected in the other, which is its share by now
            return self.hand_over(other, source)
        self.hand_over(source, other)

    def hand_over(self, source, other):
        self.is_handing_over = True
        try:
            select_elements(other, selected_elements(source))
            simple.RenderAllViews()
        finally:
            self.is_handing_over = False


def link_selections(sources, windows):
    """In place of the link that was there."""
    global LINK
    if LINK:
        LINK.end()
    LINK = SelectionLink(sources, windows[0].GetRenderWindow().IsA("vtkGenericOpenGLRenderWindow"))


LINK = None


def side_by_side():
    """Two views with one camera and one selection: the elements that are selected in one, are in both."""
    prepare()
    sources = two_views()
    names = [colour_of(source) for source in sources]
    name = names[0] if len(set(names)) == 1 else "display_colour"
    ranges = [scene.cell_range(source, name) for source in sources]
    spread = (min(low for low, _ in ranges), max(high for _, high in ranges))
    flat = all(map(scene.is_flat, sources))
    bounds = [source.GetDataInformation().GetBounds() for source in sources]
    bounds = [f(own) for f, own in zip([min, max] * 3, zip(*bounds))]
    layout, windows = scene.laid_out(2, 800, 700)
    simple.RenameLayout("side by side", layout)
    for window, source in zip(windows, sources):
        display = scene.show(source, window, flat)
        scene.colour_by(display, window, source, name, spread)
        scene.aim(window, bounds, flat, foot=scene.foot_of(name, window))
        scene.write_caption(window, scene.caption(source, name))
    scene.link_cameras(windows)
    link_selections(sources, windows)
    simple.RenderAllViews()


def colour():
    """The active source, coloured and outlined."""
    prepare()
    source = simple.GetActiveSource()
    if not source or not is_view(source):
        raise scene.SceneError("choose a lab or a view in the pipeline")
    view.active_source(view.parse(["--colour", colour_of(source)]))


def run(action):
    """What a macro does; what cannot be done is told in ParaView's messages."""
    try:
        action()
    except scene.SceneError as error:
        print(f"Tesselab: {error}")
