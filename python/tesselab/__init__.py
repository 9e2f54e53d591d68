"""Tesselab's labs in Python: runs as data frames, plans and meshes as arrays, blocks as pictures.

    import tesselab

    lab = tesselab.open_lab("lab")
    lab.runs()                      # one row a run: configuration, metrics, medians
    lab.samples("@last")            # every sample that was taken
    plan = lab.plan("@last")        # plan.block_of, plan.executed, plan.block_colour ...
    mesh = lab.mesh("@last")        # mesh.coordinates, mesh.maps["edges:cells"] ...
    tesselab.draw_blocks(mesh, plan)

    tesselab.partition(cells, nodes, block_size=128).block_of    # arrays in, thread blocks out
    tesselab.record("my_solver", seconds, settings={"order": "mosaic"})    # times of yours, beside runs
    tesselab.Scatter(index, n_points)(values)                    # a sum at each point, the same bits in every run
    tesselab.Loop(source, description, maps)(q=q, w=w)           # a C kernel of yours over maps, on such arrays

The files are those of `tess`, read as they are with h5py; a lab is written by `tess` alone."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .archive import LabError, NewerSchemaError
    from .array_loop import Loop
    from .comparison import Comparison, compare, compare_rounds, median_interval
    from .front import front
    from .lab import Lab, open_lab
    from .mesh import Mesh
    from .on_device import DeviceRenumbering, partition_on_device, plan_on_device, update_on_device
    from .paper_figures import bars, lines
    from .paper_tables import beside, published
    from .partitioning import Partition, partition
    from .pictures import draw_blocks, draw_distribution, draw_ranks, strong_hue
    from .plan import Plan, StagedSet
    from .problem import PointMap, Problem
    from .recording import record
    from .reordering import Reordered, reorder
    from .run_file import RunTable, open_table
    from .run_record import Record
    from .scatter import Scatter
    from .shared_library import BadInputError, NotInstalledError, TesselabError

__all__ = ["BadInputError", "Comparison", "DeviceRenumbering", "Lab", "LabError", "Loop", "Mesh", "NewerSchemaError", "NotInstalledError",
           "Partition", "Plan", "PointMap", "Problem", "Record", "Reordered", "RunTable", "Scatter",
           "StagedSet", "TesselabError", "bars", "beside",
           "compare", "compare_rounds", "draw_blocks", "draw_distribution", "draw_ranks", "front", "lines",
           "median_interval", "open_lab", "open_table", "partition", "partition_on_device", "plan_on_device", "published",
           "record", "reorder", "strong_hue", "update_on_device"]


# NumPy, h5py, pandas, matplotlib and the library are loaded where a name needs them.
LATER = {"archive": ["LabError", "NewerSchemaError"], "array_loop": ["Loop"],
         "comparison": ["Comparison", "compare", "compare_rounds", "median_interval"],
         "front": ["front"], "lab": ["Lab", "open_lab"], "mesh": ["Mesh"], "plan": ["Plan", "StagedSet"],
         "on_device": ["DeviceRenumbering", "partition_on_device", "plan_on_device", "update_on_device"], "partitioning": ["Partition", "partition"],
         "problem": ["PointMap", "Problem"], "reordering": ["Reordered", "reorder"], "scatter": ["Scatter"],
         "shared_library": ["BadInputError", "NotInstalledError", "TesselabError"],
         "run_record": ["Record"], "recording": ["record"], "run_file": ["RunTable", "open_table"],
         "pictures": ["draw_blocks", "draw_distribution", "draw_ranks", "strong_hue"],
         "paper_tables": ["beside", "published"], "paper_figures": ["bars", "lines"]}


def __getattr__(name: str) -> object:
    """What is imported where it is first used."""
    for module, names in LATER.items():
        if name in names:
            found = getattr(import_module(f".{module}", __name__), name)
            globals()[name] = found  # a module of that name is not it
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The names for help and completion, also of what is not loaded yet."""
    return sorted(__all__)
