"""The run table of a lab: one row a run, under the column names of `tess runs`."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from .archive import LabError, array, open_archive, table, texts
from .run_record import Record
from .quantities import OLD_WORDS, metric_name, spelled

SOURCES = ("plan", "counter", "timer", "driver", "system", "emulator", "sample", "model")  # a bare name means the first


def read_runs(folder: Path, ids: list[str]) -> pd.DataFrame:
    """The runs `ids` of a lab, sorted, one row each, indexed by id.

    Columns are what was configured, the environment, NAME_seconds for steps, median_NAME for
    samples and NAME for metrics, besides NAME@SOURCE where the lab has a metric from several
    sources. `attrs["units"]` has the units of columns. The lab's index spares reading each run."""
    frame, units = _read_index(folder / "index.hdf", ids)
    known = set(frame.index)
    rows = _read_records(folder, [run for run in ids if run not in known], units)
    if len(rows):
        frame = pd.concat([frame, rows]).sort_index()
    return _tidy(frame, units)


def add_runs(folder: Path, frame: pd.DataFrame, ids: list[str]) -> pd.DataFrame:
    """What `read_runs` gave and the runs `ids`, which it did not have: only their files are read."""
    units: dict[str, str] = {}
    rows = _read_records(folder, ids, units)
    if not len(rows):
        return frame
    rows = _tidy(rows, units)
    grown = pd.concat([frame, rows]).sort_index()
    grown.attrs["units"] = {**frame.attrs.get("units", {}), **rows.attrs["units"]}
    return grown


def _read_records(folder: Path, ids: list[str], units: dict[str, str]) -> pd.DataFrame:
    """Runs from their own files; adds the units of their columns."""
    rows = []
    for run in ids:
        try:
            scalars = Record.read(folder / "runs" / f"{run}.hdf").scalars()
        except LabError as error:
            warnings.warn(f"left out: {error}", stacklevel=4)
            continue
        rows.append({name: value for name, (value, _) in scalars.items()})
        units.update((name, unit) for name, (_, unit) in scalars.items() if unit)
    return pd.DataFrame(rows).set_index("run") if rows else pd.DataFrame(index=pd.Index([], name="run", dtype=object))


def _read_index(path: Path, ids: list[str]) -> tuple[pd.DataFrame, dict[str, str]]:
    """Those of the runs that the index has; it may be missing, behind, or damaged."""
    empty = pd.DataFrame(index=pd.Index([], name="run", dtype=object))
    try:
        with open_archive(path, "index") as file:
            columns, rows = table(file["columns"]), array(file["runs"])
            frame = pd.DataFrame({
                metric_name(name): texts(rows[name]) if rows.dtype[name].kind == "S" else rows[name]
                for name in columns["name"]}).set_index("run")
            units = {metric_name(column.name): column.unit for column in columns.itertuples(index=False) if column.unit}
    except LabError:
        return empty, {}
    return frame.loc[frame.index.isin(ids)], units


def _tidy(frame: pd.DataFrame, units: dict[str, str]) -> pd.DataFrame:
    """Gives metrics their bare names, columns their types and missing texts None."""
    metrics: dict[str, list[str]] = {}
    for name in frame.columns:
        bare, at, _ = name.partition("@")
        if at:
            metrics.setdefault(bare, []).append(name)
    columns: dict[str, pd.Series] = {
        name: frame[name] for name in frame.columns if "@" not in name}
    for bare, sourced in metrics.items():
        sourced.sort(key=lambda name: _rank(name.partition("@")[2]))
        if bare not in columns:
            columns[bare] = frame[sourced].bfill(axis=1).iloc[:, 0]
            units.setdefault(bare, units.get(sourced[0], ""))
        if len(sourced) > 1:
            columns.update((name, frame[name]) for name in sourced)
    tidy = pd.DataFrame({name: _typed(column) for name, column in columns.items()},
                        index=frame.index)
    if "time" in tidy:
        tidy["time"] = pd.to_datetime(tidy["time"], utc=True).astype("datetime64[ns, UTC]")
    tidy.attrs["units"] = {name: units[name] for name in tidy.columns if units.get(name)}
    return spell_settings(tidy)


def spell_settings(runs: pd.DataFrame) -> pd.DataFrame:
    """Puts today's words in the place of those that settings had when a table was written."""
    for name in {"strategy", *(of for of, _ in OLD_WORDS)} & set(runs):
        runs[name] = runs[name].map(lambda word, of=name: spelled(of, word) if isinstance(word, str) else word)
    return runs


def _rank(source: str) -> int:
    return SOURCES.index(source) if source in SOURCES else len(SOURCES)


def _typed(column: pd.Series) -> pd.Series:
    """Whole numbers as int64, as pandas reads them from CSV; no text as None."""
    if not pd.api.types.is_numeric_dtype(column):  # object, or the str of pandas 3
        column = column.astype(object)
        return column.where(column.notna() & (column != ""), None)
    whole = np.isfinite(column).all() and (column == np.floor(column)).all()
    return column.astype("int64") if whole and (column.abs() < 2**53).all() else column
