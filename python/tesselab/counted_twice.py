"""Counted twice: what the emulator counts beside the hardware's counters, run by run.

    PYTHONPATH=python python3 -m tesselab.counted_twice LAB

The labs are those of `tess sweep experiments/recipes/counters.yaml` on a machine with a GPU. Deviations are in
percent of the hardware's count; 0 is the same number."""

from __future__ import annotations

import pandas as pd

from .archive import LabError, command
from .lab import open_lab
from .side_by_side import print_or_write, report_parser, text_table

POINT = ["application", "mesh", "layouts", "strategy"]
COUNTED = {"read_sectors": "read sectors", "write_sectors": "write sectors", "atomic_sectors": "atomic sectors",
           "shared_bank_conflicts": "bank conflicts", "barriers": "barriers"}


def counted_twice(runs: pd.DataFrame) -> pd.DataFrame:
    """One row for each point that was counted both ways, one column a metric: the emulator's count / the
    hardware's, 1 where they are equal, NaN where both are 0."""
    wanted = [*POINT, *(f"{name}@{source}" for name in COUNTED for source in ("emulator", "counter"))]
    if missing := [name for name in wanted if name not in runs]:
        raise LabError(f"no run here has {missing[0]}: sweep experiments/recipes/counters.yaml on a GPU, where ncu counts, too")
    points = runs.groupby(POINT)
    columns = {}
    for name in COUNTED:
        ours, theirs = (points[f"{name}@{source}"].last() for source in ("emulator", "counter"))
        columns[name] = (ours / theirs).where(ours != theirs, (ours / ours))[ours.notna() & theirs.notna()]
    return pd.DataFrame(columns).dropna(how="all")


def cell(ratio: float) -> str:
    return "–" if pd.isna(ratio) else "0" if ratio == 1 else f"{100 * (ratio - 1):+.2f}"


def page(table: pd.DataFrame, markdown: bool) -> str:
    """The rows that deviate, and how many counts do."""
    equal = (table == 1) | table.isna()
    near = equal | ((table - 1).abs() <= 0.01)
    rows = [["application, layout", "strategy", *COUNTED.values()]]
    for (application, mesh, layout, strategy), ratios in table[~equal.all(axis=1)].iterrows():
        rows.append([f"{application} {mesh.split(':')[0]}, {layout}", strategy, *map(cell, ratios)])
    return (f"{equal.sum().sum()} of {table.size} counts are the same, {near.sum().sum()} are within 1 %; "
            f"{equal.all(axis=1).sum()} of {len(table)} rows are all 0 and left out.\n\n{text_table(rows, markdown)}")


@command
def main(words: list[str] | None = None) -> None:
    parser = report_parser("counted_twice", "What the emulator counts beside the hardware.")
    asked = parser.parse_args(words)
    text = page(counted_twice(open_lab(asked.lab).runs()), asked.markdown or asked.into is not None)
    print_or_write(asked.into, "counters", "counted_twice LAB", text)


if __name__ == "__main__":
    main()
