"""The part of a paper that needs no GPU, made again from nothing by `tess`."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pandas as pd

from .archive import LabError
from .paper_tables import SERIES, Paper

MODEL = "tess model fv"  # what values.csv says of values that this command prints


def without_gpu(paper: Paper) -> Paper:
    """A paper without the values whose runs take a GPU, or an idle machine of many cores, and without their figures."""
    ways = paper.series
    missing = pd.Series(index=ways.index, dtype=object)
    timed = (ways.get("device", missing) == "cuda") | ways.get("strategy", missing).astype(str).str.startswith("openmp")
    kept = set(ways[~timed][SERIES].itertuples(index=False, name=None))
    is_kept = [value in kept for value in paper.published[SERIES].itertuples(index=False, name=None)]
    figures = paper.figures[~paper.figures["where"].str.contains("cuda|median_time")]
    return replace(paper, published=paper.published[is_kept], figures=figures)


def make_again(paper: Paper, lab: Path) -> pd.DataFrame:
    """Runs a paper's subset `structure` into a lab, which goes on where it was interrupted, and the model; the values of
    other commands than `tess sweep`, as of values.csv."""
    lab.parent.mkdir(parents=True, exist_ok=True)
    words = ["tess", "sweep", "recipe.yaml", "--subset", "structure", "--lab", str(lab.resolve())]
    try:
        code = subprocess.run(words, cwd=paper.folder).returncode
    except FileNotFoundError as error:
        raise LabError("there is no tess in PATH: PATH=$PWD/build/release/bin:$PATH") from error
    if code:
        raise LabError(f"{paper.folder.name}: tess sweep ended with {code}")
    values = paper.values[paper.values.made_by == MODEL]
    if values.empty:
        return values
    model = json.loads(subprocess.run([*MODEL.split(), "--json"], check=True, capture_output=True).stdout)
    of = {(level["level"], str(round(words))): gflops for level in model["levels"]
          for words, gflops in zip(model["working_sets"], level["gflops"])}
    return values.assign(value=[of[row.series, row.x] for row in values.itertuples()])
