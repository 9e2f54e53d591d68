"""A side of a comparison: a run or several of one variant, and how two sides are compared, as
experiments/archive/comparison.c does it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from .archive import LabError
from .comparison import Comparison, compare, compare_rounds, widen
from .run_record import Record

ASSUMED_SPREAD = 0.1  # of sessions, where none was repeated
SAME_IN = ["host", "device", "application", "loop", "mesh_digest", "plan_digest", "partitioner", "block_size", "strategy", "layouts",
           "precision", "arithmetic", "threads", "omp_threads", "commit", "chains", "ranks"]  # beside the configuration


@dataclass(frozen=True)
class Side:
    """Every sample with its session (the run itself where it had none) and round (-1: none)."""

    samples: pd.DataFrame  # session, round, value
    failed: bool  # some run of it failed its check
    host: str  # of its first run, as are the next
    device: str
    settings: list[str]  # what its configuration says

    @staticmethod
    def of(records: list[Record], series: str) -> Side:
        """What the runs have of a series, one after the other."""
        frames = []
        for record in records:
            if series not in record.samples:
                others = ", ".join(record.samples)
                raise LabError(f"run {record.id} has no samples '{series}'{', only ' if others else ''}{others}")
            values = record.samples[series]
            rounds = record.samples.get("round", values[:0])
            session = record.environment.text.get("session", "")
            frames.append(pd.DataFrame({"session": session or record.id, "value": values,
                                        "round": rounds if len(rounds) == len(values) else -1.0}))
        first = records[0]
        return Side(pd.concat(frames, ignore_index=True),
                    any(record.outcome == "failed" for record in records),
                    first.environment.text.get("host", ""),
                    first.configuration.text.get("device", ""), list(first.configuration.index))

    def rounds(self) -> pd.Series:
        """One value a round, the median of the side's, by session and round."""
        placed = self.samples[self.samples["round"] >= 0]
        return placed.groupby(["session", "round"]).value.median()

    def sessions(self) -> np.ndarray:
        """The median of each session."""
        return self.samples.groupby("session").value.median().to_numpy()


def compare_sides(base: Side, other: Side, runs: Callable[[], pd.DataFrame], series: str,
                  margin: float) -> tuple[Comparison, str]:
    """The comparison, and its manner: "in turns" where both have rounds of a session in common,
    else "apart": by their samples, or by their sessions where one has several, with the spread of
    the sessions in `runs()`."""
    both = pd.concat([base.rounds(), other.rounds()], axis=1, join="inner").sort_index()
    if len(both):
        found = compare_rounds(both.iloc[:, 0].to_numpy(), both.iloc[:, 1].to_numpy(), margin)
        return found, "in turns"
    found = compare(base.samples.value, other.samples.value, margin)
    a, b = base.sessions(), other.sessions()
    if max(len(a), len(b)) > 1:
        ratio = math.exp(np.log(b).mean() - np.log(a).mean())
        found = replace(found, ratio=ratio, low=ratio, high=ratio, p=0.0)
    spread, df = session_spread(runs(), base, series)
    return widen(found, spread, df, (len(a), len(b)), margin), "apart"


def session_spread(runs: pd.DataFrame, like: Side, series: str) -> tuple[float, int]:
    """The standard deviation of the logarithms of medians of equal runs from session to session, on
    the machine and device of a side, with its degrees of freedom (0: it is assumed)."""
    if f"median_{series}" not in runs:
        return ASSUMED_SPREAD, 0
    names = list(dict.fromkeys([*SAME_IN, *like.settings]))
    same = runs.reindex(columns=names).astype(object).fillna("").astype(str)
    session = runs.reindex(columns=["session"]).session
    table = pd.DataFrame({"variant": same.groupby(names).ngroup(), "logarithm": np.log(runs[f"median_{series}"]),
                          "session": session.where(session.notna(), runs.index.to_series())})
    table = table[(runs.outcome != "failed") & table.logarithm.notna() & (same.host == like.host)
                  & (same.device == like.device)]
    medians = table.groupby(["variant", "session"]).logarithm.mean()
    variants = medians.groupby(level="variant")
    df = int((variants.size() - 1).sum())
    if df == 0:
        return ASSUMED_SPREAD, 0
    squares = float(((medians - variants.transform("mean")) ** 2).sum())
    return math.sqrt(squares / df), df
