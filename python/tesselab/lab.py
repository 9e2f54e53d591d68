"""A lab: an archive of meshes, plans and runs, a folder of files that `tess` writes."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from .archive import LabError
from .comparison import DEFAULT_MARGIN
from .markup import counted, html_table
from .mesh import Mesh
from .plan import Plan
from .quantities import QUANTITIES, title_of
from .run_record import Record
from .run_table import read_runs
from .side import Side, compare_sides

FEWEST_CHARACTERS = 4  # of the beginning of an id
SHOWN_RUNS = 10  # of a lab in a notebook, the last ones
GLANCE = ["time", "mesh", "application", "partitioner", "strategy", "device", "block_size", "outcome", "reuse_factor",
          "median_time"]  # what tells them apart


def _at_a_glance(value: object) -> object:
    """A cell: nothing where a run has nothing, times to the second, files without their folders."""
    if value is None or value is pd.NaT or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, pd.Timestamp):
        return value.strftime("%F %T")
    return value.rpartition("/")[2] if isinstance(value, str) else value


def open_lab(path: str | os.PathLike[str] | None = None) -> Lab:
    """Opens a lab; without a path the one of TESS_LAB, else ./lab, as `tess` does."""
    folder = Path(path if path is not None else os.environ.get("TESS_LAB", "lab"))
    if not (folder / "runs").is_dir():
        raise LabError(f"{folder}: there is no lab here; 'tess partition' and 'tess run' make one")
    return Lab(folder)


class Lab:
    """Reads a lab. Runs are named as on the command line: by the beginning of an id, "@last",
    "@last~1" or "tag:NAME"."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._mesh = lru_cache(maxsize=4)(Mesh.read)
        self._plan = lru_cache(maxsize=32)(Plan.read)
        self._record = lru_cache(maxsize=256)(lambda path, changed: Record.read(path))
        self._table = lru_cache(maxsize=1)(lambda *ids: read_runs(folder, list(ids)))

    def __repr__(self) -> str:
        return f"Lab({str(self.folder)!r}, {counted(len(self.ids()), 'run')})"

    def _repr_html_(self) -> str:
        """How much it holds, and its last runs."""
        ids = self.ids()
        plans, meshes = (len(list((self.folder / kind).glob("[!.]*.hdf"))) for kind in ("plans", "meshes"))
        last = read_runs(self.folder, ids[-SHOWN_RUNS:])
        names = [name for name in GLANCE if name in last]
        for name in names:
            if name in QUANTITIES and QUANTITIES[name].scale != 1:
                last[name] *= QUANTITIES[name].scale
        rows = [(run, *map(_at_a_glance, values)) for run, *values in last[names].itertuples()]
        which = f"; the last {SHOWN_RUNS}" if len(ids) > SHOWN_RUNS else ""
        return html_table(f"lab {self.folder}: runs {len(ids):,}, plans {plans:,}, meshes {meshes:,}{which}",
                          [("run", *map(title_of, names)), *rows])

    def ids(self) -> list[str]:
        """The ids of all runs, oldest first."""
        with os.scandir(self.folder / "runs") as files:
            return sorted(file.name[:-4] for file in files if file.name.endswith(".hdf") and not file.name.startswith("."))

    def runs(self) -> pd.DataFrame:
        """One row a run, oldest first: configuration, environment, metrics and medians under the
        names of `tess runs`, and `tags`, a list in one text. `attrs["units"]` has the units."""
        return self.tagged(read_runs(self.folder, self.ids()))

    def tagged(self, frame: pd.DataFrame) -> pd.DataFrame:
        """With the column `tags`, as they are now."""
        tags = self._tags()
        frame["tags"] = [",".join(tags.get(run, [])) for run in frame.index]
        return frame

    def find(self, *names: str) -> list[str]:
        """The ids of the runs that the names mean, sorted, each once."""
        ids = self.ids()
        return sorted({run for name in names for run in self._named(name, ids)})

    def record(self, run: str) -> Record:
        """All that one run left."""
        path = self.folder / "runs" / f"{self._one(run)}.hdf"
        return self._record(path, path.stat().st_mtime_ns)

    def samples(self, *runs: str, series: str = "time") -> pd.DataFrame:
        """Every sample of the runs (default: of all), one row a sample: `run`, `sample` (from 0, in
        the order in which they were taken) and the series' name. Runs without are left out."""
        frames = []
        for run in self.find(*runs) if runs else self.ids():
            record = self.record(run)
            if series in record.samples:
                values = record.samples[series]
                frames.append(pd.DataFrame(
                    {"run": run, "sample": np.arange(len(values)), series: values}))
        if not frames:
            return pd.DataFrame({"run": [], "sample": [], series: []})
        return pd.concat(frames, ignore_index=True)

    def compare(self, base: str, *others: str, series: str = "time",
                margin: float = DEFAULT_MARGIN) -> pd.DataFrame:
        """Compares runs with a base as `tess compare` does: in pairs of rounds where they were
        timed in turns, else with the spread of the lab's sessions; one row a name with the ratio,
        its 95 % interval, a verdict, and the manner."""
        first = self._side(base, series)
        rows = []
        for name in others:
            second = self._side(name, series)
            found, manner = compare_sides(first, second, self._all_runs, series, margin)
            failed = first.failed or second.failed
            rows.append({**vars(found), "verdict": "failed" if failed else found.verdict,
                         "manner": manner})
        return pd.DataFrame(rows, index=pd.Index(others, name="name"))

    def partitions(self) -> pd.DataFrame:
        """The runs of `tess partition` that passed, of that mesh and loop of which there are most."""
        runs = self.runs()
        made = runs[runs.strategy.isna() & runs.reuse_factor.notna()] if {"strategy", "reuse_factor"} <= {*runs} else runs[:0]
        if made.empty:
            raise LabError(f"no run in {self.folder} cut a mesh: make some with 'tess partition MESH --map SET:SET'")
        mesh, loop = made.groupby(["mesh", "loop"]).size().idxmax()
        return made[(made.mesh == mesh) & (made.loop == loop)]

    def plan(self, run: str) -> Plan:
        """The plan of a run."""
        digest = self.record(run).plan_digest
        if not digest:
            raise LabError(f"run {self._one(run)} has no plan")
        return self._plan(self.folder / "plans" / f"{digest}.hdf")

    def mesh(self, run: str) -> Mesh:
        """The mesh of a run."""
        digest = self.record(run).mesh_digest
        if not digest:
            raise LabError(f"run {self._one(run)} has no mesh")
        return self._mesh(self.folder / "meshes" / f"{digest}.hdf")

    def _all_runs(self) -> pd.DataFrame:
        return self._table(*self.ids())

    def _side(self, name: str, series: str) -> Side:
        return Side.of([self.record(run) for run in self.find(name)], series)

    def _one(self, name: str) -> str:
        found = self.find(name)
        if len(found) > 1:
            raise LabError(f"'{name}' means {len(found)} runs, and one is asked for")
        return found[0]

    def _named(self, name: str, ids: list[str]) -> list[str]:
        if name.startswith("tag:"):
            tagged = [run for run, tags in self._tags().items() if name[4:] in tags and run in ids]
            if not tagged:
                raise LabError(f"no run has the tag '{name[4:]}'")
            return tagged
        if name == "@last" or name.startswith("@last~"):
            back = name[len("@last~"):] or "0"
            if not back.isdecimal() or int(back) >= len(ids):
                raise LabError(f"there is no run '{name}': {self.folder} has {len(ids)}")
            return [ids[-1 - int(back)]]
        found = [run for run in ids if run.startswith(name)]
        if len(name) < FEWEST_CHARACTERS or not found:
            raise LabError(f"no run is named '{name}': the beginning of an id (at least "
                           f"{FEWEST_CHARACTERS} characters), @last, @last~1 or tag:NAME")
        if len(found) > 1:
            raise LabError(f"'{name}' is the beginning of {len(found)} ids, {found[0]} and "
                           f"{found[1]} among them")
        return found

    def _tags(self) -> dict[str, list[str]]:
        tags: dict[str, list[str]] = {}
        for path in sorted((self.folder / "notes").glob("*/tag.*")):
            tags.setdefault(path.parent.name, []).append(path.name[len("tag."):])
        return tags
