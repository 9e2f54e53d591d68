"""Tesselab's labs in Python: runs as data frames, plans and meshes as arrays, blocks as pictures.

    import tesselab

    lab = tesselab.open_lab("lab")
    lab.runs()                      # one row a run: configuration, metrics, medians
    lab.samples("@last")            # every sample that was taken
    plan = lab.plan("@last")        # plan.block_of, plan.executed, plan.block_colour ...
    mesh = lab.mesh("@last")        # mesh.coordinates, mesh.maps["edges:cells"] ...
    tesselab.draw_blocks(mesh, plan)

    tesselab.partition(cells, nodes, block_size=128).block_of    # arrays in, thread blocks out

The files are those of `tess`, read as they are with h5py; nothing is ever written to a lab."""

from importlib import import_module
from typing import TYPE_CHECKING

from .archive import LabError, NewerSchemaError
from .comparison import Comparison, compare, compare_rounds, median_interval
from .front import front
from .lab import Lab, open_lab
from .mesh import Mesh
from .on_device import partition_on_device
from .partitioning import Partition, partition
from .plan import Plan, StagedSet
from .problem import PointMap, Problem
from .record import Record
from .reordering import Reordered, reorder
from .shared_library import BadInputError, NotInstalledError, TesselabError

if TYPE_CHECKING:
    from .paper_tables import beside, published
    from .paper_figures import bars, lines
    from .pictures import draw_blocks, draw_distribution, draw_ranks, strong_hue
    from .run_file import RunTable, open_table

__all__ = ["BadInputError", "Comparison", "Lab", "LabError", "Mesh", "NewerSchemaError", "NotInstalledError",
           "Partition", "Plan", "PointMap", "Problem", "Record", "Reordered", "RunTable", "StagedSet", "TesselabError", "bars", "beside",
           "compare", "compare_rounds", "draw_blocks", "draw_distribution", "draw_ranks", "front", "lines",
           "median_interval", "open_lab", "open_table", "partition", "partition_on_device", "published",
           "reorder", "strong_hue"]


LATER = {"run_file": ["RunTable", "open_table"],  # which is a command, too
         "pictures": ["draw_blocks", "draw_distribution", "draw_ranks", "strong_hue"],  # matplotlib takes longer to load than all else
         "paper_tables": ["beside", "published"], "paper_figures": ["bars", "lines"]}


def __getattr__(name: str) -> object:
    """What is imported where it is first used."""
    for module, names in LATER.items():
        if name in names:
            return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
