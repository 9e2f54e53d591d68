"""A record: all that one run left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
import pandas as pd

from .archive import array, digest, open_archive, table, text, texts
from .markup import counted, html_table
from .quantities import metric_name, spelled

TIMING = ("round", "start")  # series that say when the others were taken


@dataclass(frozen=True)
class Ranks:
    """Which rank each element of the set that was cut belongs to."""

    set: str
    n: int  # ranks
    rank_of: np.ndarray  # [element]
    copies: np.ndarray  # [element]: how many other ranks have a copy

    def __repr__(self) -> str:
        """One line: no array in full."""
        return f"<Ranks: {len(self.rank_of)} {self.set} on {counted(self.n, 'rank')}>"

    @staticmethod
    def read(group: h5py.Group) -> Ranks:
        return Ranks(text(group.attrs["set"]), int(group.attrs["ranks"]), array(group["rank_of"]), array(group["copies"]))


@dataclass(frozen=True)
class Record:
    """What one run left. The tables `configuration`, `environment`, `steps` and `check` have the
    columns text, number (NaN if it is no number) and unit, by key; `metrics` has value, unit and
    source, by name: the same name from two sources is two rows."""

    id: str
    time: str  # UTC
    outcome: str  # "passed", "failed" or "unchecked"
    mesh_digest: str  # or ""
    plan_digest: str
    configuration: pd.DataFrame
    environment: pd.DataFrame
    steps: pd.DataFrame
    check: pd.DataFrame
    metrics: pd.DataFrame
    samples: dict[str, np.ndarray]  # in the order in which they were taken; "round" and "start"
    # (seconds) are places in the session, environment.text["session"]
    sample_units: dict[str, str]
    log: str
    diff: str  # of the program against its commit
    ranks: Ranks | None = None  # of a run on ranks, where the set has up to a million elements

    @staticmethod
    def read(path: Path) -> Record:
        """Reads runs/<id>.hdf."""
        with open_archive(path, "run") as file:
            series = file.get("samples", {})
            tables = {name: table(file[name], "key") for name in ("configuration", "environment", "steps", "check")}
            words = tables["configuration"].text
            for one in tables.values():
                one["number"] = one["number"].astype(float)
            tables["configuration"]["text"] = [spelled(of, word) for of, word in words.items()]
            return Record(
                id=text(file.attrs["id"]),
                time=text(file.attrs["time"]),
                outcome=text(file.attrs["outcome"]),
                mesh_digest=digest(file, "mesh"),
                plan_digest=digest(file, "plan"),
                **tables,
                metrics=table(file["metrics"], "name").rename(index=metric_name).astype({"value": float}),
                samples={name: array(series[name]).astype(float).reshape(-1) for name in series},
                sample_units={name: text(series[name].attrs["unit"]) for name in series},
                log="".join(texts(array(file["log"]))),
                diff="".join(texts(array(file["diff"]))),
                ranks=Ranks.read(file["ranks"]) if "ranks" in file else None)

    def __repr__(self) -> str:
        """One line: no table in full."""
        words = self.configuration.text
        what = ", ".join(words[name] for name in ("mesh", "loop", "partitioner", "strategy") if name in words)
        return f"<Record {self.id}, {self.time}: {self.outcome}; {what}>"

    def _repr_html_(self) -> str:
        """How it was made, what was measured."""
        series = [(f"median {name}", float(np.median(values)), self.sample_units[name], f"{len(values)} samples")
                  for name, values in self.samples.items() if len(values) and name not in TIMING]
        return (html_table(f"run {self.id}, {self.time}: {self.outcome}",
                           [(row.Index, row.text, row.unit) for row in self.configuration.itertuples()])
                + html_table("measured", series + [(row.Index, row.value, row.unit, row.source)
                                                   for row in self.metrics.itertuples()]))

    def scalars(self) -> dict[str, tuple[object, str]]:
        """Every single value with its unit, under the column names of `tess runs`."""
        own: dict[str, tuple[object, str]] = {
            "run": (self.id, ""), "time": (self.time, ""), "outcome": (self.outcome, ""),
            "mesh_digest": (self.mesh_digest, ""), "plan_digest": (self.plan_digest, "")}
        values = dict(own)
        for entries in (self.configuration, self.environment):
            for key, number, words, unit in _rows(entries, "number", "text", "unit"):
                is_own = key in own or key == "tags" or key.startswith("median_")
                values[f"setting:{key}" if is_own else key] = (words if np.isnan(number) else number, unit)
        for key, number, unit in _rows(self.steps, "number", "unit"):
            values[f"{key}_seconds"] = (number, unit)
        for name, samples in self.samples.items():
            if len(samples) and name not in TIMING:
                values[f"median_{name}"] = (float(np.median(samples)), self.sample_units[name])
        for name, value, unit, source in _rows(self.metrics, "value", "unit", "source"):
            values[f"{name}@{source}"] = (value, unit)
        return values


def _rows(frame: pd.DataFrame, *columns: str) -> Iterator[tuple]:
    """The index and these columns of each row."""
    return zip(frame.index, *(frame[name] for name in columns))
