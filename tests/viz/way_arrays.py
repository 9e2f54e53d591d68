"""Catalyst: leaves the arrays of every channel at every step, CHANNEL_STEP.npz, for ways_test.py."""

import os

import numpy
from paraview import simple
from vtkmodules.util.numpy_support import vtk_to_numpy

FOLDER = os.environ["TESS_VIZ_FOLDER"]
sources = {name: simple.TrivialProducer(registrationName=name)
           for name in os.environ["TESS_VIZ_CHANNELS"].split(",")}


def grid_of(data):
    """The one grid of a channel, whatever it lies in."""
    while not data.IsA("vtkUnstructuredGrid"):
        data = data.GetPartition(0) if data.IsA("vtkPartitionedDataSet") else data.GetPartitionedDataSet(0)
    return data


def catalyst_execute(info):
    for name, source in sources.items():
        source.UpdatePipeline(info.time)
        grid = grid_of(source.GetClientSideObject().GetOutputDataObject(0))
        arrays = {"points": grid.GetPoints().GetData(), "types": grid.GetCellTypesArray(),
                  "offsets": grid.GetCells().GetOffsetsArray(),
                  "connectivity": grid.GetCells().GetConnectivityArray()}
        for data in (grid.GetCellData(), grid.GetPointData()):
            arrays.update({data.GetArrayName(i): data.GetArray(i) for i in range(data.GetNumberOfArrays())})
        numpy.savez(f"{FOLDER}/{name}_{info.timestep:06d}.npz",
                    **{key: vtk_to_numpy(array) for key, array in arrays.items()})
