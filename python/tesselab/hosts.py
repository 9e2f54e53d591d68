"""Hosts: what programs of others take in each order of their mesh, and how many times as fast our best order is.

    PYTHONPATH=python python3 -m tesselab.hosts LAB
    PYTHONPATH=python python3 -m tesselab.hosts LAB --into docs/results/hosts.md

The labs are those of `tess sweep experiments/recipes/hosts.yaml`. A cell is the least of the runs in that order: other work
on the machine only lengthens them."""

from __future__ import annotations

import pandas as pd

from .archive import command
from .lab import open_lab
from .side_by_side import print_or_write, report_parser, text_table

OURS = ["hilbert", "levels", "rcb"]
TITLES = ["host", "the mesher's order, ms", *(f"`-p {order}`" for order in OURS), "its own", "gain", "over its own"]


def shown(ms: float) -> str:
    return "" if pd.isna(ms) else f"{ms:.4g}"


def host_rows(runs: pd.DataFrame) -> list[list[str]]:
    """Titles, then the hosts in the order in which they were run; gain: of the fastest of our orders."""
    passed = runs[runs["median_time"].notna()]
    best = passed.assign(ms=1e3 * passed["median_time"]).pivot_table(index="application", columns="order", values="ms", aggfunc="min", sort=False)
    best = best.reindex(columns=["stored", *OURS, "own"])
    rows = [TITLES]
    for host, ms in best.iterrows():
        ours = ms[OURS].min()
        rows.append([str(host), *map(shown, ms), *("" if pd.isna(ms[other]) else f"{ms[other] / ours:.2f}" for other in ("stored", "own"))])
    return rows


@command
def main(words: list[str] | None = None) -> None:
    parser = report_parser("hosts", "Programs of others in each order of their mesh.")
    asked = parser.parse_args(words)
    text = text_table(host_rows(open_lab(asked.lab).runs()), asked.markdown or asked.into is not None)
    print_or_write(asked.into, "hosts", "hosts LAB", text)


if __name__ == "__main__":
    main()
