"""Catalyst: the film of partitioners at work, one picture a step and partitioning.ogv at the end.

tess partition MESH --map edges:cells --partitioner rcb --catalyst viz/scripts/partitioning.py"""

import os
import sys

from paraview import catalyst

sys.path.insert(0, os.path.dirname(os.path.abspath(catalyst.get_script_filename())))

import in_situ
import scene_files

options = in_situ.options()
sources = in_situ.producers()
pictures = None
frames = []


def catalyst_execute(info):
    global pictures
    pictures = pictures or in_situ.Pictures(sources)
    pictures.update(info, lambda source: "display_colour")
    frames.append(os.path.join(in_situ.FOLDER, f"partitioning_{info.timestep:06d}.png"))
    pictures.save(frames[-1])


def catalyst_finalize():
    scene_files.write_film(frames, os.path.join(in_situ.FOLDER, "partitioning.ogv"), 2)
