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
# A time is not a number but a distribution, and runs keep every sample. The estimators here are
# those of `tess compare`: the ratio of medians, its 95 % interval, and a verdict that needs the
# interval to exclude 1 and a Mann-Whitney test with p < 0.01. Machines drift, though, from one run
# to the next, and no interval of samples within a run knows of it. This notebook shows both: what
# the intervals are worth, and why what is compared should be measured in several rounds.

# %%
import itertools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import tesselab

lab = tesselab.open_lab()
runs = lab.runs()
timed = runs[runs.median_time.notna()]
timed[["application", "partitioner", "strategy", "device", "median_time", "outcome"]]

# %% [markdown]
# ## All samples
#
# Dots are samples, lines medians with their 95 % intervals. What disturbed a loop takes up to a
# thousand times as long: such samples are counted on the right, and the median does not mind them.

# %%
micro = 1e6
fastest, shown = micro * timed.median_time.min(), 1.2 * micro * timed.median_time.max()
figure, ax = plt.subplots(figsize=(9, 4.5), layout="constrained")
for place, (run, row) in enumerate(timed.iterrows()):
    times = lab.record(run).samples["time"] * micro
    low, high = tesselab.median_interval(times)
    spread = np.linspace(-0.3, 0.3, len(times))
    ax.plot(times, place + spread, ".", markersize=3, alpha=0.5,
            color=tesselab.strong_hue(int(row.strategy == "openmp")))
    ax.plot([low, high], [place, place], color="black", linewidth=3, solid_capstyle="butt")
    ax.plot(np.median(times), place, "|", color="black", markersize=14)
    if (times > shown).any():
        ax.text(shown, place, f" {(times > shown).sum()} more", va="center", fontsize="x-small")
ax.set(xlim=(0.9 * fastest, shown), xlabel="time of a loop, µs", yticks=range(len(timed)),
       yticklabels=timed.partitioner + ", " + timed.strategy)
ax.invert_yaxis()
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %% [markdown]
# ## Sequential or OpenMP?
#
# A tag names several runs, whose samples are taken together: here the rounds of one variant.

# %%
against_sequential = lab.compare("tag:rcb-sequential", "tag:rcb-openmp", "tag:metis-sequential",
                                 "tag:metis-openmp")
against_sequential[["ratio", "low", "high", "p", "verdict"]].round(4)

# %% [markdown]
# ## How often is a verdict wrong?
#
# Two sets drawn from the samples of one run are equal by construction; the same with one of them
# made 3 % slower are not. Of 100 such pairs each:

# %%
generator = np.random.default_rng(1)
samples = lab.record(timed.index[-1]).samples["time"]


def verdict_of_pair(factor: float) -> str:
    """The verdict on two sets drawn from the samples, the second slower by a factor."""
    first, second = generator.choice(samples, (2, len(samples)))
    return tesselab.compare(first, factor * second).verdict


trials = pd.DataFrame({f"{100 * (factor - 1):.0f} % slower":
                       pd.Series([verdict_of_pair(factor) for _ in range(100)]).value_counts()
                       for factor in (1.0, 1.03)}).fillna(0).astype(int)
trials

# %% [markdown]
# ## A/A: whole runs that are equal
#
# The rounds of one variant are the same program on the same data, minutes or milliseconds apart.

# %%
pairs = [(a, b) for _, rounds in timed.groupby("tags")
         for a, b in itertools.combinations(rounds.index, 2)]
equal = pd.concat([lab.compare(a, b) for a, b in pairs])
verdicts = equal.verdict.value_counts()
verdicts

# %%
largest = max(equal.ratio.max(), 1 / equal.ratio.min()) - 1
f"equal runs differ by up to {100 * largest:.1f} %"

# %% [markdown]
# Where many of these equal runs are called different, as on the busy machine that this lab is from,
# the verdicts are right about the samples: those runs did take different times. They say nothing of
# the program. A single run of each of two variants proves no difference smaller than the one above.

# %%
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
place = np.arange(len(equal))
ax.axvspan(0.99, 1.01, color="#eeeeee", zorder=0, label="'same': within 1 %")
ax.axvline(1, color="black", linewidth=0.8)
ax.hlines(place, equal.low, equal.high, color=tesselab.strong_hue(0), linewidth=2)
ax.plot(equal.ratio, place, "o", color=tesselab.strong_hue(0), markersize=4)
ax.set(xlabel="ratio of medians of equal runs, with 95 % intervals", ylabel="pair of runs",
       yticks=[])
ax.legend(frameon=False)
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %% [markdown]
# ## What holds in every round
#
# Each round measured all variants within a second. A difference that is due to the program has the
# same sign in every round; one that changes sides is the machine's.

# %%
medians = timed.assign(round=timed.groupby("tags").cumcount() + 1).pivot(
    index="round", columns="tags", values="median_time")
by_round = pd.DataFrame({
    "OpenMP / sequential": medians["rcb-openmp"] / medians["rcb-sequential"],
    "METIS / RCB": medians["metis-openmp"] / medians["rcb-openmp"]})
by_round.round(4)

# %%
agreed = ((by_round < 1).all() | (by_round > 1).all())
agreed
