"""Catalyst: the marching solution over the blocks, one picture a step.

--viz-field names the field; without it density, pressure or whatever the application hands over.
--viz-window X0,X1,Y0,Y1 shows a part of a flat mesh, --viz-range LOW,HIGH is the range of the
colours.

tess run airfoil --mesh MESH --steps 100 --catalyst viz/scripts/solution.py --catalyst-every 10"""

import os
import sys

from paraview import catalyst

sys.path.insert(0, os.path.dirname(os.path.abspath(catalyst.get_script_filename())))

import in_situ
import quantities
import scene

PLAN = {"element", *quantities.ARRAYS, *quantities.OLD_NAMES.values()}

options = in_situ.options()
sources = in_situ.producers()
pictures = None


def field_of(source):
    known = list(source.GetCellDataInformation().keys())
    wanted = os.environ.get("TESS_VIZ_FIELD")
    if wanted:
        scene.cell_range(source, wanted)  # says what is known where it is not
        return wanted
    fields = [name for name in known if name not in PLAN]
    for name in ("density", "pressure", *fields):
        if name in fields:
            return name
    raise scene.SceneError("the application hands over no field: --viz-field may name an array "
                           f"of the plan ({', '.join(known)})")


def catalyst_execute(info):
    global pictures
    pictures = pictures or in_situ.Pictures(sources)
    pictures.update(info, field_of)
    pictures.save(os.path.join(in_situ.FOLDER, f"solution_{info.timestep:06d}.png"))
