"""A mesh: sets, the maps between them, and data on them, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .archive import array, open_archive, text, texts
from .markup import html_table


@dataclass(frozen=True)
class Mesh:
    """What meshes/<digest>.hdf holds; ids count from 0."""

    digest: str
    source: str  # the file or generator it came from
    dimension: int
    coordinates: np.ndarray  # [nodes][dimension]; [0][dimension] where the mesh has none
    sets: dict[str, int]  # sizes, in the mesh's order
    maps: dict[str, np.ndarray]  # "edges:cells": [from][arity], -1 where padded
    dats: dict[str, np.ndarray]  # "bedges.marker": [set][dim]
    markers: list[str]  # names, by the values of the dats `marker`

    def __repr__(self) -> str:
        """One line: no array in full."""
        sets = ", ".join(f"{size} {name}" for name, size in self.sets.items())
        return f"<Mesh {Path(self.source).name}: {sets}; maps {', '.join(self.maps)}>"

    def _repr_html_(self) -> str:
        """Sets and maps with their sizes."""
        return (html_table(f"{Path(self.source).name}, {self.dimension}D",
                           [(name, f"{size:,} elements") for name, size in self.sets.items()])
                + html_table("maps", [(name, " × ".join(f"{n:,}" for n in one.shape)) for name, one in self.maps.items()])
                + html_table("markers", [(name,) for name in self.markers]))

    @staticmethod
    def read(path: Path) -> Mesh:
        """Reads meshes/<digest>.hdf."""
        with open_archive(path, "mesh") as file:
            sets, maps, dats = (file.get(name, {}) for name in ("sets", "maps", "dats"))
            dimension = int(file.attrs["dimension"])
            return Mesh(
                digest=text(file.attrs["digest"]),
                source=text(file.attrs["source"]),
                dimension=dimension,
                coordinates=array(file["coordinates"]) if "coordinates" in file else np.zeros((0, dimension)),
                sets={name: int(sets[name].attrs["size"])
                      for name in sorted(sets, key=lambda name: int(sets[name].attrs["order"]))},
                maps={f"{text(one.attrs['from'])}:{text(one.attrs['to'])}": array(one)
                      for one in sorted(maps.values(), key=lambda one: int(one.attrs["order"]))},
                dats={f"{owner}.{name}": array(dats[owner][name])
                      for owner in dats for name in dats[owner]},
                markers=texts(array(file["markers"])) if "markers" in file else [])
