"""A lab as ParaView's plug-in sees it: its runs, their views, and what is shown of one. Needs VTK, not ParaView."""

import json
import os
import subprocess

import numpy
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkDataObject, vtkUnstructuredGrid
from vtkmodules.vtkFiltersCore import vtkThreshold
from vtkmodules.vtkIOHDF import vtkHDFReader

WHOLE, HALO, OWN = 0, 1, 2  # roles of cells


class LabError(Exception):
    """What cannot be shown, in words for the user."""


def lab_of(path):
    """The lab that a file lies in, lab/index.hdf or lab/runs/ID.hdf; None where it is no lab's."""
    folder = os.path.dirname(os.path.abspath(path))
    for lab in (folder, os.path.dirname(folder)):
        if all(os.path.isdir(os.path.join(lab, kind)) for kind in ("runs", "plans", "meshes")):
            return lab if path.endswith(".hdf") and os.path.basename(folder) != "views" else None
    return None


def run_tess(*words):
    """What `tess` says as JSON; TESS_PROGRAM names another."""
    program = os.environ.get("TESS_PROGRAM") or "tess"
    try:
        done = subprocess.run([program, *words, "--json"], capture_output=True, text=True)
    except OSError as error:
        raise LabError(f"{program} does not start: {error.strerror}. TESS_PROGRAM names the program") from None
    if done.returncode:
        raise LabError(done.stderr.strip() or f"{program} ended with {done.returncode}")
    return json.loads(done.stdout)


def runs_of(lab):
    """The runs that have blocks: {name for people: id}, the latest first."""
    named = {}
    for run in reversed(run_tess("runs", "--lab", lab)["runs"]):
        if run.get("plan_digest") or run.get("ranks"):
            mesh = os.path.basename(run.get("mesh", "")).split(".")[0]
            words = [run.get("partitioner"), run.get("block_size"), run.get("strategy"), mesh, run.get("loop")]
            named[" ".join(str(word) for word in words if word not in (None, "")) + f" ({run['run']})"] = run["run"]
    if not named:
        raise LabError(f"the lab {lab} has no run with blocks")
    return named


def view_of(lab, run):
    """The files of a run's view, written where they are missing: (cells, blocks)."""
    shown = run_tess("view", run, "--lab", lab)
    return shown["views"][0], shown["blocks"][0]


def read(path):
    reader = vtkHDFReader()
    if not reader.CanReadFile(path):
        raise LabError(f"{path} is no view")
    reader.SetFileName(path)
    reader.Update()
    grid = vtkUnstructuredGrid()
    grid.ShallowCopy(reader.GetOutputDataObject(0))
    return grid


def cell_values(grid, name):
    array = grid.GetCellData().GetArray(name)
    if not array:
        known = sorted(grid.GetCellData().GetArrayName(i) for i in range(grid.GetCellData().GetNumberOfArrays()))
        raise LabError(f"the view has no '{name}': known are {', '.join(known)}")
    return vtk_to_numpy(array)


def rings_round(grid, block):
    """The elements in the rings of a chain's block; None where the view is of no chain."""
    begin, element = (grid.GetFieldData().GetArray(name) for name in ("ring_begin", "ring_element"))
    if not begin or not element:
        return None
    first, end = (int(begin.GetValue(i)) for i in (block, block + 1))
    return vtk_to_numpy(element)[first:end]


def roles_round(grid, block):
    """What each cell is to a block: OWN, HALO (in its rings, where it is a chain's; else of another block, with a point in
    common) or WHOLE, neither."""
    blocks = cell_values(grid, "block")
    if not (blocks == block).any():
        raise LabError(f"there is no block {block}: the last is {blocks.max()}")
    rings = rings_round(grid, block)
    if rings is not None:
        in_rings = numpy.isin(cell_values(grid, "element"), rings)
        return (in_rings * HALO + (blocks == block) * OWN).astype("int32")
    points = vtk_to_numpy(grid.GetPoints().GetData())
    _, place = numpy.unique(points, axis=0, return_inverse=True)  # split points, joined again
    place = place.reshape(-1)
    connectivity = place[vtk_to_numpy(grid.GetCells().GetConnectivityArray())]
    offsets = vtk_to_numpy(grid.GetCells().GetOffsetsArray())
    cell = numpy.repeat(numpy.arange(len(blocks)), numpy.diff(offsets))
    own = numpy.zeros(place.max() + 1, bool)
    own[connectivity[blocks[cell] == block]] = True
    touched = numpy.bincount(cell, weights=own[connectivity], minlength=len(blocks)) > 0
    return (touched.astype("int32") + (blocks == block)).astype("int32")


def with_roles(grid, block):
    """The grid with one more array of cells, `role`."""
    marked = vtkUnstructuredGrid()
    marked.ShallowCopy(grid)
    array = numpy_to_vtk(roles_round(grid, block), deep=True)
    array.SetName("role")
    marked.GetCellData().AddArray(array)
    return marked


def only(grid, name, least):
    """The cells of which an array is at least so much."""
    threshold = vtkThreshold()
    threshold.SetInputData(grid)
    threshold.SetInputArrayToProcess(0, 0, 0, vtkDataObject.FIELD_ASSOCIATION_CELLS, name)
    threshold.SetThresholdFunction(vtkThreshold.THRESHOLD_UPPER)
    threshold.SetUpperThreshold(least)
    threshold.Update()
    return threshold.GetOutput()


def exploded(grid, factor):
    """The blocks moved apart: by `factor` times the way from the mesh's centroid to theirs."""
    moved = vtkUnstructuredGrid()
    moved.ShallowCopy(grid)
    if factor:
        points = vtk_to_numpy(grid.GetPoints().GetData())
        there = points + factor * vtk_to_numpy(grid.GetPointData().GetArray("explode"))
        array = numpy_to_vtk(there.astype(points.dtype), deep=True)
        moved_points = grid.GetPoints().NewInstance()
        moved_points.SetData(array)
        moved.SetPoints(moved_points)
    return moved


def shown(grid, explode=0.0, block=-1, halo=False, colour="display_colour"):
    """What is shown of a view: all blocks or one (block from 0), with its halo (`role` tells which), moved apart, its
    cells coloured by an array."""
    if block >= 0:
        grid = only(with_roles(grid, block), "role", HALO if halo else OWN)
    grid = exploded(grid, explode)
    cell_values(grid, colour)
    grid.GetCellData().SetActiveScalars(colour)
    return grid
