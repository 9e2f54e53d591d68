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
# # Comparing partitioners
#
# Every run of `tess partition` on one mesh and loop says how good the blocks of a partitioner are,
# before any kernel is executed. Which one is best, by how much, and is it so in every block?

# %%
import matplotlib.pyplot as plt
import tesselab

lab = tesselab.open_lab()
runs = lab.runs()
partitions = lab.partitions()  # of one mesh and loop

# %% [markdown]
# ## The table
#
# `tess explain METRIC` has the definitions. Larger is better for reuse, smaller for the others. Of
# runs that differ in their seeds the median stands here.

# %%
columns = ["reuse_factor", "thread_colours_mean", "block_colours", "components_mean",
           "transfer_total"]
ranking = (partitions.groupby(["block_size", "partitioner"])[columns].median()
           .sort_values(["block_size", "reuse_factor"], ascending=[True, False]))
ranking.round(3)

# %% [markdown]
# ## Against the mesh's own numbering
#
# What a loop gains over blocks that are chopped from the mesh as it is; in a lab without them, over
# the partitioner that moves most.

# %%
block_size = partitions.groupby("block_size").partitioner.nunique().idxmax()
small = ranking.loc[block_size]
moved = small["transfer_total"]
gain = moved.get("file-order", moved.max()) / moved
gain.round(3)

# %%
figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), sharey=True, layout="constrained")
titles = {"reuse_factor": "reuse (more is better)",
          "thread_colours_mean": "thread colours (fewer is better)",
          "transfer_total": "touched MB (less is better)"}
ordered = small.sort_values("reuse_factor")
for ax, (column, title) in zip(axes, titles.items()):
    values = ordered[column] / (1e6 if column == "transfer_total" else 1)
    ax.hlines(range(len(values)), 0, values, color="#bbbbbb", linewidth=1)
    ax.plot(values, range(len(values)), "o", color=tesselab.strong_hue(0))
    ax.set(title=title, xlim=(0, None), yticks=range(len(values)), yticklabels=values.index)
    ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %% [markdown]
# ## Over seeds
#
# One run is one throw of the dice. `side_by_side` takes the median over all seeds that a lab has, with
# the least and the largest beside it, before and after the repair that makes blocks usable, and
# `of_best` is the ratio to the best partitioner that is not mosaic. Here there is one
# of each.

# %%
from tesselab.side_by_side import side_by_side

over_seeds = side_by_side(runs)
over_seeds[["before", "reuse", "low", "high", "of_best", "colours", "fill", "seeds"]].round(3)

# %% [markdown]
# ## Block by block
#
# A mean hides the worst block, which the others of a launch wait for. The plans keep one value a
# block: here how many distinct points each one stages, and in how many pieces it lies.

# %%
of_size = partitions[partitions.block_size == block_size]
known = ["hilbert", "rcb", "metis", "mosaic"]
names = [name for name in known if name in small.index] or list(small.index[:4])
plans = {name: lab.plan(of_size.index[of_size.partitioner == name][0]) for name in names}
figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for ax, column in zip(axes, ("points", "components")):
    tesselab.draw_distribution(plans, column, ax)
# The last block, which is not full, lies left of the picture.
axes[0].set_xlim(0.7 * min(plan.blocks["points"].median() for plan in plans.values()), None)
plt.show()

# %%
worst = {name: int(plan.blocks["points"].max()) for name, plan in plans.items()}
worst

# %% [markdown]
# ## Do larger blocks help?

# %%
by_size = ranking["reuse_factor"].unstack("block_size").dropna()
(by_size[by_size.columns.max()] / by_size[by_size.columns.min()]).round(3)
