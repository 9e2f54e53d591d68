"""Catalyst: looks at every value that viz_speed hands over, and writes nothing."""

import os
import time

from paraview import catalyst, simple
from vtkmodules.util.numpy_support import vtk_to_numpy

options = catalyst.Options()
options.EnableCatalystLive = 0
source = simple.TrivialProducer(registrationName=os.environ["TESS_VIZ_CHANNELS"])


def catalyst_execute(info):
    begin = time.perf_counter()
    source.UpdatePipeline(info.time)
    grid = source.GetClientSideObject().GetOutputDataObject(0).GetPartition(0)
    arrived = time.perf_counter()
    cells = grid.GetCellData()
    total = sum(float(vtk_to_numpy(cells.GetArray(i)).sum())
                for i in range(cells.GetNumberOfArrays()))
    if info.timestep == 0:
        print(f"  script: its pipeline {arrived - begin:.4f} s, "
              f"a sum over all {grid.GetNumberOfCells()} cells and {cells.GetNumberOfArrays()} "
              f"arrays {time.perf_counter() - arrived:.4f} s (total {total:.0f})", flush=True)
