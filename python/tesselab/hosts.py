"""Hosts: what programs of others take in each order of their mesh, and how many times as fast our best order is.

    PYTHONPATH=python python3 -m tesselab.hosts LAB
    PYTHONPATH=python python3 -m tesselab.hosts LAB --into docs/results/hosts.md
    PYTHONPATH=python python3 -m tesselab.hosts LAB --foretold docs/results/hosts.md

The labs are those of `tess sweep experiments/recipes/hosts.yaml`. A cell is the median of the rounds, a gain that of the
rounds' ratios: a round is a run of each order, one behind the other. The second table puts beside them what follows from the shares and gains of the page's
table of sweeps: shares of a step in the mesher's order."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from .archive import LabError, command
from .lab import open_lab
from .remake import numbers, parse_tables, part_of
from .side_by_side import print_or_write, report_parser, text_table, write_part

OURS = ["hilbert", "levels", "rcb"]
GAINS = ["gain by `hilbert`", "`levels`", "`rcb`"]  # titles in the table of sweeps
TITLES = ["host", "the mesher's order, ms", *(f"`-p {order}`" for order in OURS), "its own", "gain", "over its own"]


def shown(ms: float) -> str:
    return "" if pd.isna(ms) else f"{ms:.4g}"


def rounds_of(runs: pd.DataFrame) -> pd.DataFrame:
    """Milliseconds of each host and round in each order; hosts in the order in which they were run. A round is a run of each
    order, one behind the other, so that what is slow meanwhile is so for all of them."""
    passed = runs[runs["median_time"].notna()].sort_values("time", kind="stable")
    turn = passed.groupby(["application", "order"]).cumcount()
    table = passed.assign(ms=1e3 * passed["median_time"], turn=turn).pivot_table(
        index=["application", "turn"], columns="order", values="ms", sort=False)  # fmt: skip
    return table.reindex(columns=["stored", *OURS, "own"])


def times_of(rounds: pd.DataFrame) -> pd.DataFrame:
    """The medians over the rounds, and of the times over those in the mesher's order of the same round ("/stored")."""
    ratios = rounds.div(rounds["stored"], axis="index").add_suffix("/stored")
    return pd.concat([rounds, ratios], axis="columns").groupby(level="application", sort=False).median()


def host_rows(runs: pd.DataFrame) -> list[list[str]]:
    """Titles, then the hosts; gain: of the fastest of our orders."""
    rows = [TITLES]
    for host, one in times_of(rounds_of(runs)).iterrows():
        ours = one[[f"{order}/stored" for order in OURS]].min()
        cells = [one[order] for order in ("stored", *OURS, "own")]
        rows.append([str(host), *map(shown, cells), *("" if pd.isna(one[f"{other}/stored"]) else f"{one[f'{other}/stored'] / ours:.2f}"
                                                      for other in ("stored", "own"))])  # fmt: skip
    return rows


Step = tuple[float, float, float]  # its time, what is foretold and between which two, one in the mesher's order being 1


def foretold_steps(page: Path) -> dict[str, list[Step]]:
    """Of each host of the page's table of sweeps a step in each of our orders."""
    steps: dict[str, list[Step]] = {}
    for _, sweeps in parse_tables(part_of(page, "sweeps")):
        for name, cells in sweeps.items():
            share = float(cells["share"])
            step = steps.setdefault(name.partition(", ")[0], [(1.0, 1.0, 1.0)] * len(OURS))
            for i, title in enumerate(GAINS):
                gain, low, high = (numbers(cells[title]) * 3)[:3]
                step[i] = tuple(one + share / by - share for one, by in zip(step[i], (gain, high, low)))  # type: ignore[assignment]
    if not steps:
        raise LabError(f"{page} has no table of sweeps: python3 -m tesselab.remake --make sweeps --write")
    return steps


def off_by(steps: list[Step], measured: list[float], is_interval: bool) -> str:
    """The most points between a step as measured and what was foretold, or the nearer end of its interval."""
    off = [max(low - one, one - high, 0) if is_interval else abs(step - one) for (step, low, high), one in zip(steps, measured) if not pd.isna(one)]
    return f"{100 * max(off, default=0):.0f}"


def foretold_rows(runs: pd.DataFrame, steps: dict[str, list[Step]]) -> list[list[str]]:
    """Titles, then what was foretold of a step in each of our orders, what was measured, and points between the two."""
    rows = [["host", *(f"`-p {order}`: foretold, measured" for order in OURS), "most points off", "off the interval"]]
    for host, one_host in times_of(rounds_of(runs)).iterrows():
        if host in steps and not pd.isna(one_host["stored"]):
            measured = [one_host[f"{order}/stored"] for order in OURS]
            cells = ["" if pd.isna(one) else f"{step:.2f} [{low:.2f}, {high:.2f}], {one:.2f}" for (step, low, high), one in zip(steps[host], measured)]
            rows.append([str(host), *cells, *(off_by(steps[host], measured, is_interval) for is_interval in (False, True))])
    return rows


@command
def main(words: list[str] | None = None) -> None:
    parser = report_parser("hosts", "Programs of others in each order of their mesh.")
    parser.add_argument("--foretold", metavar="PAGE", type=Path, help="write into the page how near its table of sweeps comes")
    asked = parser.parse_args(words)
    runs = open_lab(asked.lab).runs()
    if asked.foretold:
        rows = foretold_rows(runs, foretold_steps(asked.foretold))
        write_part(asked.foretold, "foretold", f"python3 -m tesselab.hosts LAB --foretold {asked.foretold}", text_table(rows, True))
        return
    text = text_table(host_rows(runs), asked.markdown or asked.into is not None)
    print_or_write(asked.into, "hosts", "hosts LAB", text)


if __name__ == "__main__":
    main()
