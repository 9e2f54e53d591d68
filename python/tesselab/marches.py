"""Marches among runs: what they say of each loop, and how a whole application gains."""

from __future__ import annotations

import pandas as pd

STEP = "step"  # the loop of a march: all of a time step
LOOP_MEASURES = ["loop_count", "loop_seconds", "loop_bandwidth", "loop_line_bandwidth", "loop_block_size"]
ORIGINALS = ["block-colour", "two-step"]  # what applications did before, in the mesh's own order


def is_march(runs: pd.DataFrame) -> pd.Series:
    """Which runs are marches that went well; their results are checked where `tess march --check` asks for it."""
    steps = runs.steps.notna() if "steps" in runs else pd.Series(False, index=runs.index)
    return steps & runs.outcome.isin(["passed", "unchecked"])


def with_loops(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs, and one row RUN/LOOP more for each loop of a march that timed its loops, as OP2's table has them: the settings
    of the march, `loop_time`, the seconds of a call, and the LOOP_MEASURES, which the march has as `loop_seconds/LOOP`."""
    loops = [name.partition("/")[2] for name in runs if name.startswith("loop_count/")]
    settings = [name for name in runs if name.partition("/")[0] not in LOOP_MEASURES and name != "median_time"]
    parts = [runs]
    for loop in loops:
        march = runs[runs[f"loop_count/{loop}"].notna()]
        measures = {name: march.get(f"{name}/{loop}", float("nan")) for name in LOOP_MEASURES}  # chains have no lines
        rows = march[settings].copy().assign(loop=loop, **measures, loop_time=measures["loop_seconds"] / measures["loop_count"])
        parts.append(rows.set_axis(rows.index + f"/{loop}"))
    return pd.concat(parts) if loops else runs


def application_speedup(runs: pd.DataFrame) -> pd.Series:
    """How many times as fast a march is as the original on the same mesh; NaN of what is no march, and of marches that waited
    for each loop to time it."""
    speedup = pd.Series(float("nan"), index=runs.index)
    if "loop" not in runs or "median_time" not in runs:
        return speedup
    waited = runs[[name for name in runs if name.startswith("loop_count/")]].notna().any(axis=1)
    if "loops_timed" in runs:  # in steps of their own
        waited &= runs.loops_timed != "after it"
    marches = runs[(runs.loop == STEP) & (runs.device == "cuda") & runs.median_time.notna() & ~waited]
    for _, of_mesh in marches.groupby(["application", "mesh", "precision"]):
        original = of_mesh[of_mesh.strategy.isin(ORIGINALS) & (of_mesh.partitioner == "file-order")]
        if len(original):
            speedup[of_mesh.index] = original.median_time.iloc[-1] / of_mesh.median_time
    return speedup
