"""ParaView's plug-in: opens a lab by any of its run files (lab/runs/ID.hdf) or its index (lab/index.hdf).

Tools, Manage Plugins, Load New. Debian 12's ParaView 5.11 refuses Python plug-ins with Python 3.11 ("cannot import name
'getargspec'"); the macros that `tess view --install` installs load it there, too."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import lab_views  # noqa: E402
import quantities  # noqa: E402
from paraview.util.vtkAlgorithm import smdomain, smhint, smproperty, smproxy  # noqa: E402
from vtkmodules.util.vtkAlgorithm import VTKPythonAlgorithmBase  # noqa: E402
from vtkmodules.vtkCommonDataModel import vtkUnstructuredGrid  # noqa: E402

COLOURS = ["display_colour", *(name for name in quantities.ARRAYS if name != "display_colour"), *quantities.OLD_NAMES.values()]


def choices(of):
    return smdomain.xml(f"""<StringListDomain name="list"><RequiredProperties>
        <Property name="{of}" function="StringInfo"/></RequiredProperties></StringListDomain>""")


@smproxy.reader(name="TesselabLab", label="Tesselab lab", extensions="hdf", file_description="Tesselab lab")
@smproperty.xml("""<OutputPort name="cells" index="0"/><OutputPort name="blocks as points" index="1"/>""")
class TesselabLab(VTKPythonAlgorithmBase):
    """Port 0: the cells of a run's view. Port 1: its blocks, a point each."""

    def __init__(self):
        super().__init__(nInputPorts=0, nOutputPorts=2, outputType="vtkUnstructuredGrid")
        self.file = self.lab = None
        self.named = {}  # the runs of the lab, id by name
        self.run = ""
        self.explode, self.block, self.halo, self.colour = 0.0, -1, 1, COLOURS[0]
        self.read = (None, None, None)  # the run that was read last, its cells and blocks

    def CanReadFile(self, path):
        return int(lab_views.lab_of(path) is not None)

    @smproperty.stringvector(name="FileName", panel_visibility="never")
    @smdomain.filelist()
    @smhint.filechooser(extensions="hdf", file_description="Tesselab lab")
    def SetFileName(self, path):
        if path == self.file or path in (None, "None"):
            return
        self.file, self.lab = path, lab_views.lab_of(path)
        if not self.lab:
            raise RuntimeError(f"{path} lies in no lab: open lab/index.hdf or a file of lab/runs")
        opened = os.path.basename(path).removesuffix(".hdf")
        runs = lab_views.runs_of(self.lab)
        self.named = dict(sorted(runs.items(), key=lambda named: named[1] != opened))  # ParaView takes the first
        self.run = next(iter(self.named))
        self.Modified()

    @smproperty.stringvector(name="Runs", information_only="1")
    def GetRuns(self):
        return list(self.named)

    @smproperty.stringvector(name="Run", default_values="")
    @choices("Runs")
    def SetRun(self, name):
        if name in self.named and name != self.run:
            self.run = name
            self.Modified()

    @smproperty.stringvector(name="Colours", information_only="1")
    def GetColours(self):
        cells = self.read[1]
        return [name for name in COLOURS if not cells or cells.GetCellData().GetArray(name)]

    @smproperty.stringvector(name="Colouring", default_values="display_colour")
    @choices("Colours")
    def SetColouring(self, name):
        self.colour = name
        self.Modified()

    @smproperty.doublevector(name="Explode", default_values=0.0)
    @smdomain.doublerange(min=0.0, max=2.0)
    def SetExplode(self, factor):
        self.explode = factor
        self.Modified()

    @smproperty.intvector(name="Block", default_values=-1)
    def SetBlock(self, block):
        self.block = block
        self.Modified()

    @smproperty.intvector(name="Halo", default_values=1)
    @smdomain.xml("""<BooleanDomain name="bool"/>""")
    def SetHalo(self, halo):
        self.halo = halo
        self.Modified()

    def RequestData(self, request, inputs, outputs):
        run = self.named.get(self.run)
        if run is None:
            raise RuntimeError("no run is chosen")
        if self.read[0] != (self.lab, run):
            cells, blocks = lab_views.view_of(self.lab, run)
            self.read = ((self.lab, run), lab_views.read(cells), lab_views.read(blocks))
        cells = lab_views.shown(self.read[1], self.explode, self.block, bool(self.halo), self.colour)
        vtkUnstructuredGrid.GetData(outputs, 0).ShallowCopy(cells)
        vtkUnstructuredGrid.GetData(outputs, 1).ShallowCopy(lab_views.exploded(self.read[2], self.explode))
        return 1
