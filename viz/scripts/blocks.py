"""Catalyst: the blocks of every channel, as a picture and as cells with all their arrays, each step.

tess partition MESH --map edges:cells --catalyst viz/scripts/blocks.py"""

import os
import sys

from paraview import catalyst

sys.path.insert(0, os.path.dirname(os.path.abspath(catalyst.get_script_filename())))

import in_situ

options = in_situ.options()
sources = in_situ.producers()
for name, source in sources.items():
    in_situ.write_cells(name, source)
pictures = None


def catalyst_execute(info):
    global pictures
    pictures = pictures or in_situ.Pictures(sources)
    pictures.update(info, lambda source: "display_colour")
    pictures.save(os.path.join(in_situ.FOLDER, f"blocks_{info.timestep:06d}.png"))
