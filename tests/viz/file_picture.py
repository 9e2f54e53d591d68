"""pvpython: the picture that blocks.py draws of a step, drawn from the files of `hdf`, for ways_test.py.

file_picture.py FOLDER-OF-SCRIPTS STEP PICTURE CHANNEL=FILE.series..."""

import json
import sys
from types import SimpleNamespace

sys.path.insert(0, sys.argv[1])

import in_situ
from paraview import servermanager, simple
from vtkmodules.vtkCommonDataModel import vtkPartitionedDataSet



def handed_over(channel, path):
    """What a file has as a program hands it over: pieces of one channel, which ParaView draws by other means."""
    pieces = vtkPartitionedDataSet()
    pieces.SetPartition(0, servermanager.Fetch(simple.OpenDataFile(path)))
    producer = simple.TrivialProducer(registrationName=channel)
    producer.GetClientSideObject().SetOutput(pieces)
    return producer


step = int(sys.argv[2])
series = dict(given.split("=", 1) for given in sys.argv[4:])
files, times = {}, set()
for channel, path in series.items():
    with open(path) as text:
        [shown] = [file for file in json.load(text)["files"] if file["name"] == f"{channel}_{step:06d}.hdf"]
    files[channel] = handed_over(channel, path.rsplit("/", 1)[0] + "/" + shown["name"])
    times.add(shown["time"])
[time] = times
pictures = in_situ.Pictures(files)
pictures.update(SimpleNamespace(time=time, timestep=step), lambda source: "display_colour")
pictures.save(sys.argv[3])
