"""A plan: a partition made executable, as arrays. All ids are those of the stored mesh."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
import pandas as pd

from .archive import array, open_archive, table, text, texts
from .markup import counted, html_table
from .quantities import metric_name, spelled

NO_POINT = 0xFFFF  # in local_index, where the map is padded


@dataclass(frozen=True)
class StagedSet:
    """The points of one to-set that each block stages, and where each element finds them."""

    point_offset: np.ndarray  # [blocks + 1] into points
    points: np.ndarray  # distinct points of each block, ascending
    local_index: np.ndarray  # [position][slot]: place among the block's points, or NO_POINT
    slots: list[str]  # "edges:cells.0"
    slot_incremented: np.ndarray  # [slot]

    def __repr__(self) -> str:
        """One line: no array in full."""
        return (f"<StagedSet of {', '.join(self.slots)}: {counted(len(self.points), 'point')} in {counted(len(self.point_offset) - 1, 'block')}>")

    def points_of(self, block: int) -> np.ndarray:
        """The points that a block stages."""
        return self.points[self.point_offset[block]:self.point_offset[block + 1]]

    def blocks_per_point(self, n_points: int) -> np.ndarray:
        """How many blocks stage each of the set's points."""
        return np.bincount(self.points, minlength=n_points)


@dataclass(frozen=True)
class Plan:
    """What plans/<digest>.hdf holds."""

    digest: str
    mesh_digest: str
    loop: str
    maps: list[str]  # those that count, as "edges:cells"
    over: str  # the partitioned set
    over_to_set: bool  # blocks own points: elements may be executed more than once
    block_size: int
    partitioner: str
    layout: str
    block_of: np.ndarray  # [over]
    executed: np.ndarray  # the element at each position
    block_offset: np.ndarray  # [blocks + 1] into executed
    thread_colour: np.ndarray  # by position, from 0
    block_colour: np.ndarray  # [blocks], from 0
    sets: dict[str, StagedSet]  # by to-set
    renumber: dict[str, np.ndarray]  # new to old, of the sets that are renumbered
    args: pd.DataFrame  # of the loop
    blocks: pd.DataFrame  # one row a block: size, points, thread_colours, components, colour
    metrics: pd.DataFrame  # value, unit, source and long_name by name

    def __repr__(self) -> str:
        """One line: no array in full."""
        return (f"<Plan {self.loop} by {self.partitioner}: {counted(self.n_blocks, 'block')} of at most {self.block_size} "
                f"{self.over}, {counted(self.block_colour.max(initial=-1) + 1, 'block colour')}>")

    def _repr_html_(self) -> str:
        """What was cut, and its metrics."""
        return (html_table(f"plan of {self.loop} by {self.partitioner}",
                           [("blocks", f"{self.n_blocks:,} of at most {self.block_size} {self.over}"),
                            ("points through", ", ".join(self.maps)), ("layout", self.layout)])
                + html_table("metrics", [(row.Index, row.value, row.unit, row.long_name) for row in self.metrics.itertuples()]))

    @property
    def n_blocks(self) -> int:
        return len(self.block_colour)

    def elements_of(self, block: int) -> np.ndarray:
        """The elements that a block executes, in its order."""
        return self.executed[self.block_offset[block]:self.block_offset[block + 1]]

    def element_thread_colour(self) -> np.ndarray:
        """The thread colour of each element; -1 where blocks own points and none is its own."""
        colour = np.full(int(self.executed.max(initial=-1)) + 1, -1, dtype=np.int64)
        if not self.over_to_set:
            colour[self.executed] = self.thread_colour
        return colour

    @staticmethod
    def read(path: Path) -> Plan:
        """Reads plans/<digest>.hdf."""
        with open_archive(path, "plan") as file:
            attributes = file.attrs
            plan = file["plan"]
            executed, block_offset = array(plan["executed"]), array(plan["block_offset"])
            block_colour = _colours(plan, "block_colour", len(block_offset) - 1)
            blocks = pd.DataFrame({name: array(file["blocks"][name]) for name in file["blocks"]})
            blocks["colour"] = block_colour
            blocks.index.name = "block"
            return Plan(
                digest=text(attributes["digest"]),
                mesh_digest=text(attributes["mesh"]),
                loop=text(attributes["loop"]),
                maps=texts(attributes["maps"]),
                over=text(attributes["over"]),
                over_to_set=bool(attributes["over_to_set"]),
                block_size=int(attributes["block_size"]),
                partitioner=spelled("partitioner", text(attributes["partitioner"])),
                layout=text(attributes["layout"]),
                block_of=array(file["partition/block_of"]),
                executed=executed,
                block_offset=block_offset,
                thread_colour=_colours(plan, "thread_colour", len(executed)),
                block_colour=block_colour,
                sets={name: _staged(plan["sets"][name]) for name in plan["sets"]},
                renumber={name: array(file["renumber"][name]) for name in file.get("renumber", {})},
                args=table(file["loop/args"]),
                blocks=blocks,
                metrics=_metrics(file["metrics"]))


def _colours(plan: h5py.Group, name: str, n: int) -> np.ndarray:
    """A loop that increments nothing has one colour, which its file leaves out."""
    return array(plan[name]) if name in plan else np.zeros(n, np.int32)


def _staged(group: h5py.Group) -> StagedSet:
    return StagedSet(
        point_offset=array(group["point_offset"]),
        points=array(group["points"]),
        local_index=array(group["local_index"]),
        slots=texts(group.attrs["slots"]),
        slot_incremented=array(group["slot_incremented"]).astype(bool))


def _metrics(group: h5py.Group) -> pd.DataFrame:
    rows = [(metric_name(name.replace(":", "/")), float(array(item)),
             *(text(item.attrs[key]) for key in ("unit", "source", "long_name")))
            for name, item in group.items()]
    return pd.DataFrame(rows, columns=["name", "value", "unit", "source", "long_name"]).set_index(
        "name")
