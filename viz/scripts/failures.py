"""Catalyst: keeps what ParaView swallows.

The program hands this script over before all others. What one of them raises when it is imported, at
a step or at the end goes to the environment's TESS_VIZ_FAILED, where the program looks after each
call. A script that exits, or draws where nothing can be drawn on, fails like any other. How many cells
of each channel ParaView has, which may know fewer types of cells, goes to TESS_VIZ_SEEN at each step."""

import builtins
import importlib
import os
import sys
import traceback

import paraview
from paraview import catalyst, simple
from paraview.modules.vtkPVInSitu import vtkInSituInitializationHelper
from vtkmodules.vtkCommonDataModel import vtkDataObject
from vtkmodules.vtkRenderingCore import vtkRenderWindow

options = catalyst.Options()


class ScriptExit(Exception):
    """In place of SystemExit, at which Python would end the program."""


def exit_script(code=None):
    raise ScriptExit(f"the script exits with {code or 0}, which would end the program")


def place_of(error):
    """File and line of the script's own code, and whether ParaView was importing it, at a step, or
    at the end."""
    if isinstance(error, SyntaxError):
        return error.filename, error.lineno, "import"
    frames = traceback.extract_tb(error.__traceback__)
    stages = {"do_catalyst_execute": "step", "do_catalyst_finalize": "end"}
    stage = next((stages[frame.name] for frame in frames if frame.name in stages),
                 "import" if any("importlib" in frame.filename for frame in frames) else "step")
    theirs = tuple(os.path.dirname(module.__file__) for module in (paraview, importlib)) + ("<",)
    own = [frame for frame in frames if not frame.filename.startswith(theirs)] or frames
    return (own[0].filename, own[0].lineno, stage) if own else ("", 0, stage)


def keep(kind, error, trace):
    """Leaves the first failure's words for the program."""
    if not os.environ.get("TESS_VIZ_FAILED"):
        path, line, stage = place_of(error.with_traceback(trace))
        what = {"import": "cannot be imported", "step": f"failed at cycle {cycle()}",
                "end": "failed at the end"}[stage]
        words = str(error).strip().split("\n")[0]
        os.environ["TESS_VIZ_FAILED"] = (f"the Catalyst script '{path}' {what}: {kind.__name__}"
                                         f"{': ' if words else ''}{words} (line {line})")
    sys.__excepthook__(kind, error, trace)


def cycle():
    return vtkInSituInitializationHelper.GetTimeStep()


def cells_of(channel, time):
    """As scripts get them; no channel: none."""
    producer = vtkInSituInitializationHelper.GetProducer(channel)
    if not producer:
        return 0
    producer.UpdatePipeline(time)
    data = producer.GetClientSideObject().GetOutputDataObject(0)
    return data.GetNumberOfElements(vtkDataObject.CELL) if data else 0


def catalyst_execute(info):
    channels = os.environ["TESS_VIZ_CHANNELS"].split(",")
    os.environ["TESS_VIZ_SEEN"] = ",".join(f"{name}={cells_of(name, info.time)}" for name in channels)


def refuse_view(*_, **__):
    raise RuntimeError("there is no X server to draw on, and this ParaView draws on no other "
                       "(Debian: apt-get install --no-install-recommends xvfb xauth)")


sys.excepthook = keep
sys.exit = exit_script
builtins.SystemExit = ScriptExit
# ParaView ends the process where it draws without a server; builds for EGL and OSMesa need none.
if os.environ.get("TESS_VIZ_NO_DISPLAY") and vtkRenderWindow().GetClassName().startswith("vtkX"):
    simple.CreateView = refuse_view
