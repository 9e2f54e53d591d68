# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Is it faster?
#
# A time is not a number but a distribution, and runs keep every sample. `tess run` times all
# variants of a command in turns: a round takes one sample of each, in an order of its own, so that
# what slows the machine slows all of them alike. `tess compare`, whose estimators these are, then
# compares within rounds. This notebook shows what that is worth on a machine that had other work to
# do, and what is left where runs were not timed in turns.

# %%
import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import tesselab

lab = tesselab.open_lab()
runs = lab.runs()
if not {"median_time", "session"} <= {*runs}:
    raise SystemExit(f"no run in {lab.folder} was timed: 'tess run ... --device host' does")
timed = runs[runs.median_time.notna()]
timed = timed[["round" in lab.record(run).samples for run in timed.index]]  # marches have none
timed[["application", "partitioner", "strategy", "session", "median_time", "outcome"]]

# %% [markdown]
# ## One session, round by round
#
# In the lab that ships: three numberings of the cells of the North Sea, each run twice, in one
# session. Times of a round go up and down together; which variant is above which hardly changes.

# %%
micro = 1e6
session = timed.session.value_counts().idxmax()
together = timed[timed.session == session]
hues = {name: tesselab.strong_hue(i) for i, name in enumerate(together.partitioner.unique())}
figure, ax = plt.subplots(figsize=(9, 4), layout="constrained")
for run, row in together.iterrows():
    samples = lab.record(run).samples
    ax.plot(samples["round"], samples["time"] * micro, ".-", markersize=3, linewidth=0.6,
            color=hues[row.partitioner])
for name, hue in hues.items():
    ax.plot([], [], color=hue, label=name)
usual = micro * together.median_time.median()
ax.set(ylim=(0.6 * usual, 2.5 * usual), xlabel="round", ylabel="time of a loop, µs")
ax.legend(frameon=False, ncols=3, loc="lower right", bbox_to_anchor=(1, 1))  # above the curves
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %% [markdown]
# ## Which numbering is faster?
#
# A tag names several runs: here all of one partitioner. They share sessions with those of the other
# tags, so they are compared in turns: the median of the rounds' ratios, its binomial 95 % interval,
# and the sign test. In a lab without these tags the first run of the session stands for them.

# %%
try:
    against = lab.compare("tag:rcb", "tag:metis", "tag:random")
except tesselab.LabError as missing:
    print(f"{missing}; the runs of session {session} are compared with its first")
    against = lab.compare(*together.index)
against[["ratio", "low", "high", "p", "verdict", "manner"]].round(4)

# %% [markdown]
# ## A/A: runs that are equal
#
# Two runs of one partitioner and one session are the same program on the same data, timed in turns.
# Those of different sessions were timed minutes apart, and are compared by their medians; what the
# medians of equal runs differ by from session to session is then part of the interval. A pair in
# turns that is called different did differ, for its whole session: on a mesh that fits into a cache
# copies differ by what their places in memory make of them.

# %%
settings = ["mesh", "application", "loop", "partitioner", "strategy", "layout", "block_size",
            "device"]
pairs = [(a, b) for _, equals in timed.groupby(settings, dropna=False)
         for a, b in itertools.combinations(equals.index, 2)]


def in_turns(a: str, b: str) -> list[np.ndarray]:
    """The times of two runs in the rounds that both have."""
    first, second = (lab.record(run).samples for run in (a, b))
    _, i, j = np.intersect1d(first["round"], second["round"], return_indices=True)
    return [first["time"][i], second["time"][j]]


of_session = [(a, b) for a, b in pairs
              if timed.session[a] == timed.session[b] and len(in_turns(a, b)[0]) > 1]
if not of_session:
    raise SystemExit("no session of this lab timed a variant twice: "
                     "'tess run ... --strategy sequential,sequential' does")
equal = pd.concat([lab.compare(a, b) for a, b in pairs], ignore_index=True)
verdicts = equal.groupby("manner").verdict.value_counts().unstack(fill_value=0)
verdicts

# %%
figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
shown = equal.sort_values(["manner", "ratio"]).reset_index(drop=True)
ax.axvspan(0.99, 1.01, color="#eeeeee", zorder=0, label="'same': within 1 %")
ax.axvline(1, color="black", linewidth=0.8)
for i, (manner, part) in enumerate(shown.groupby("manner")):
    ax.hlines(part.index, part.low, part.high, color=tesselab.strong_hue(i), linewidth=2,
              label=manner)
    ax.plot(part.ratio, part.index, "o", color=tesselab.strong_hue(i), markersize=3)
ax.set(xlim=(0.7, 1.4), xlabel="ratio of equal runs, with 95 % intervals", ylabel="pair of runs",
       yticks=[])
ax.legend(frameon=False)
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %% [markdown]
# ## What rounds are worth
#
# Without the rounds the medians of two runs of one session differ by all that disturbed one and not
# the other. The same samples compared both ways, as the width of the interval in percent:

# %%
widths = pd.DataFrame({
    name: [100 * (found.high - found.low) for a, b in of_session
           for found in [compare(*in_turns(a, b))]]
    for name, compare in (("in turns", tesselab.compare_rounds), ("apart", tesselab.compare))})
widths.round(2)

# %% [markdown]
# ## How often is a verdict wrong, and what does it find?
#
# Rounds drawn from a pair of equal runs, sides swapped at random, are equal by construction; with
# one side made 3 % slower they are not. Of 100 such pairs each:

# %%
generator = np.random.default_rng(1)


def verdict_of_pair(factor: float) -> str:
    """The verdict on rounds drawn from a pair of equal runs, the second made slower by a factor."""
    first, second = in_turns(*of_session[generator.integers(len(of_session))])
    drawn = generator.integers(0, len(first), len(first))
    swapped = generator.random(len(first)) < 0.5
    first, second = first[drawn], second[drawn]
    return tesselab.compare_rounds(np.where(swapped, second, first),
                                   factor * np.where(swapped, first, second)).verdict


trials = pd.DataFrame({f"{100 * (factor - 1):.0f} % slower":
                       pd.Series([verdict_of_pair(factor) for _ in range(100)]).value_counts()
                       for factor in (1.0, 1.03)}).fillna(0).astype(int)
trials

# %% [markdown]
# `tests/experiments/bench/equal_runs.py` does the same with hundreds of real pairs. A small difference
# that matters is best found by one command that runs both, with more `--samples` on a busy machine;
# where that cannot be, as between two versions of a program, by several sessions of each under one
# tag.
