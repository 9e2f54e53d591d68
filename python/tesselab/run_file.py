"""Runs in one file: a table that holds every scalar and every sample of a lab's runs, without their plans and meshes.

    PYTHONPATH=python python3 -m tesselab.run_file LAB runs.csv.xz
    PYTHONPATH=python python3 -m tesselab.run_file LAB runs.csv.xz --add     # to those that the file has

    runs = tesselab.open_table("runs.csv.xz")
    runs.runs(); runs.samples(run)          # as of a lab"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from .archive import LabError, command
from .lab import Lab, open_lab
from .run_table import spell_settings

SAMPLES = "samples"  # a run's times in seconds, one text
NOT_KEPT = ["log", "diff", "folder", "mesh_digest", "plan_digest", "sweep_point", "tags"]  # of the lab, not of the run


class RunTable:
    """The runs of such a file."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def runs(self) -> pd.DataFrame:
        """One row a run, as `Lab.runs`, without what belongs to a lab."""
        return self._frame.drop(columns=SAMPLES)

    def samples(self, run: str) -> list[float]:
        """The times of a run's samples in seconds, in the order in which they were taken."""
        text = self._frame.loc[run, SAMPLES]
        return [float(word) for word in text.split()] if isinstance(text, str) else []


def open_table(path: str | Path) -> RunTable:
    """Opens a file of runs."""
    if not Path(path).is_file():
        raise LabError(f"{path}: there is no file of runs here; python3 -m tesselab.run_file LAB FILE makes one")
    try:
        frame = pd.read_csv(path, index_col="run", dtype={SAMPLES: str})
        frame["time"] = pd.to_datetime(frame["time"])
        return RunTable(spell_settings(frame.astype({SAMPLES: object})))
    except (ValueError, KeyError) as error:
        raise LabError(f"{path}: this is no file of runs ({error})") from error


def table_of(lab: Lab) -> pd.DataFrame:
    """The runs of a lab as such a file has them."""
    frame = lab.runs()
    frame = frame.drop(columns=[name for name in NOT_KEPT if name in frame]).dropna(axis="columns", how="all")
    frame[SAMPLES] = [" ".join(f"{second:.6g}" for second in lab.record(run).samples.get("time", ()))
                      for run in frame.index]
    return frame


def save_table(lab: Lab, path: str | Path, add: bool = False) -> int:
    """Writes the runs of a lab into such a file, beside those that it has where `add` says so; returns how many it has."""
    frame = table_of(lab)
    if add:
        kept = open_table(path)._frame
        kept = kept[~kept.index.isin(frame.index)]
        frame = pd.concat([kept, frame]).sort_index()
    frame.to_csv(path, index_label="run", float_format="%.9g")
    return len(frame)


@command
def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python3 -m tesselab.run_file", description="Writes a lab's runs into one file.")
    parser.add_argument("lab")
    parser.add_argument("file", help="FILE.csv, or FILE.csv.xz, which is compressed")
    parser.add_argument("--add", action="store_true", help="keep the runs that the file has")
    asked = parser.parse_args(words)
    print(f"{save_table(open_lab(asked.lab), asked.file, asked.add)} runs in {asked.file}")


if __name__ == "__main__":
    main()
