"""The arena: what each loop takes in the code of others (peers) and in ours, on the same data in the same order.

    PYTHONPATH=python python3 -m tesselab.arena LAB
    PYTHONPATH=python python3 -m tesselab.arena LAB --into docs/results/arena.md

The labs are those of `tess sweep experiments/recipes/arena.yaml`. A row is a loop on a mesh in an order; a cell is the
fastest of the layouts and settings that were run; where all loops of a step were run, a row has their sum, too. Rows that a
peer wins stand first."""

from __future__ import annotations

import pandas as pd

from .archive import command
from .lab import open_lab
from .side_by_side import print_or_write, report_parser, text_table

ROW = ["application", "loop", "mesh", "partitioner"]
STEPS = {"airfoil": {"save_soln": 1, "adt_calc": 2, "res_calc": 2, "bres_calc": 2, "update": 2}}  # how often a step runs a loop


def with_peers(runs: pd.DataFrame) -> pd.DataFrame:
    """The runs that were timed, with the peer of each ("": ours), the fastest of each row and peer; NaN where none passed."""
    runs = runs.assign(peer=runs["strategy"].str.extract(r"^peer:(?:name=)?([^:]+)", expand=False).fillna(""))
    runs = runs[runs["median_time"].notna() | (runs["outcome"] == "failed")]
    runs = runs.assign(ms=(1e3 * runs["median_time"]).where(runs["outcome"] == "passed"))
    return runs.sort_values("ms").drop_duplicates([*ROW, "peer"])


def with_steps(best: pd.DataFrame) -> pd.DataFrame:
    """These rows and those of whole steps, one loop after the other."""
    sums = []
    for (application, mesh, partitioner, peer), loops in best.groupby(["application", "mesh", "partitioner", "peer"]):
        times, ms = pd.Series(STEPS.get(application, {}), dtype=float), loops.set_index("loop")["ms"]
        if len(times) and times.index.isin(ms.index).all():
            sums.append({"application": application, "loop": "step", "mesh": mesh, "partitioner": partitioner, "peer": peer,
                         "strategy": "each the fastest", "ms": (times * ms[times.index]).sum(skipna=False)})  # fmt: skip
    return pd.concat([best, pd.DataFrame(sums)], ignore_index=True) if sums else best


def table_rows(runs: pd.DataFrame) -> list[list[str]]:
    """Titles, then the rows, those first in which a peer comes closest to ours."""
    best = with_steps(with_peers(runs))
    times = best[best["peer"] != ""].pivot(index=ROW, columns="peer", values="ms")
    ours = best[best["peer"] == ""].set_index(ROW)
    peers = list(times.median().sort_values().index)
    failed = best[best["ms"].isna()].set_index([*ROW, "peer"]).index
    rows = []
    for row in times.index.intersection(ours.index[ours["ms"].notna()]):
        own = ours.loc[row]
        cells = ["failed" if (*row, peer) in failed else "" if pd.isna(ms) else f"{ms:.4g}" for peer, ms in times.loc[row, peers].items()]
        ratio = times.loc[row].min() / own["ms"]
        where = f"{row[0]} `{row[1]}`, `{row[2]}`, {row[3]}"
        rows.append((ratio, [where, f"{own['ms']:.4g} `{own['strategy']}`", *cells, "" if pd.isna(ratio) else f"{ratio:.2f}"]))
    rows.sort(key=lambda pair: (pd.isna(pair[0]), pair[0]))
    return [["loop, mesh, order", "ours, ms", *(f"`{peer}`" for peer in peers), "times ours"], *(row for _, row in rows)]


@command
def main(words: list[str] | None = None) -> None:
    parser = report_parser("arena", "Loops in the code of others beside ours.")
    asked = parser.parse_args(words)
    text = text_table(table_rows(open_lab(asked.lab).runs()), asked.markdown or asked.into is not None)
    print_or_write(asked.into, "arena", "arena LAB", text)


if __name__ == "__main__":
    main()
