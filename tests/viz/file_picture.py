"""pvpython: the picture that blocks.py draws of a step, drawn from the files of `hdf`, for ways_test.py.

file_picture.py FOLDER-OF-SCRIPTS STEP PICTURE CHANNEL=FILE..."""

import sys
from types import SimpleNamespace

sys.path.insert(0, sys.argv[1])

import in_situ
from paraview import simple

files = dict(given.split("=", 1) for given in sys.argv[4:])
pictures = in_situ.Pictures({name: simple.OpenDataFile(path) for name, path in files.items()})
pictures.update(SimpleNamespace(time=0, timestep=int(sys.argv[2])), lambda source: "display_colour")
pictures.save(sys.argv[3])
