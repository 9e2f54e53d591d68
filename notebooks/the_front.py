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
# # The front of reuse against colours
#
# Compact blocks use each point that they stage more often, and for that very reason more of their
# elements increment the same point: they need more thread colours, that is more rounds in which
# the threads of a block add up. Neither number alone says which partition is better. What can be
# said without a GPU is which choices nobody beats in both: the front.

# %%
import itertools

import matplotlib.pyplot as plt
import tesselab

lab = tesselab.open_lab()
partitions = lab.partitions()  # of one mesh and loop

# %% [markdown]
# mosaic's option `shape` is the part of the blocks that are bricks; the rest are pencils.

# %%
columns = ["partitioner", "reuse_factor", "thread_colours_mean", "block_colours"]
fronts = {size: tesselab.front(of_size, more="reuse_factor", less="thread_colours_mean")[columns]
          for size, of_size in partitions.groupby("block_size")}
block_size = max(fronts, key=lambda size: len(fronts[size]))
fronts[block_size].round(3)

# %% [markdown]
# The picture leaves out what has less than 0.8 of the best reuse: the mesh's own numbering, and
# mosaic's pencils.

# %%
markers = dict(zip(partitions.partitioner.unique(), itertools.cycle("oXsD^vP*")))
figure, axes = plt.subplots(1, len(fronts), figsize=(11, 4.6), sharey=True, squeeze=False,
                            layout="constrained")
for ax, (size, best) in zip(axes[0], fronts.items()):
    of_size = partitions[partitions.block_size == size]
    close = of_size[of_size.reuse_factor > 0.8 * of_size.reuse_factor.max()]
    best = best.loc[best.index.isin(close.index)]
    ax.step(best.thread_colours_mean, best.reuse_factor, where="post", color="#bbbbbb",
            linewidth=1, zorder=0)
    for row in close.itertuples():
        on_front = row.Index in best.index
        colour = tesselab.strong_hue(list(markers).index(row.partitioner))
        ax.plot(row.thread_colours_mean, row.reuse_factor, markers[row.partitioner], color=colour,
                markerfacecolor=colour if on_front else "white", markersize=8, linestyle="none",
                label=row.partitioner)
    ax.set(title=f"at most {size} elements a block", xlabel="thread colours of a block, mean")
    ax.spines[["top", "right"]].set_visible(False)
axes[0, 0].set_ylabel("reuse")
axes[0, 0].legend(title="filled: on the front", frameon=False, fontsize="small", loc="upper left")
plt.show()

# %% [markdown]
# ## What a colour costs
#
# Along the front, the reuse that one more colour buys. Where it is small, a kernel that is bound by
# its rounds of adding up does better with the choice on the left.

# %%
step = fronts[block_size].set_index("partitioner")
price = (step.reuse_factor.diff() / step.thread_colours_mean.diff()).dropna()
price.round(2)
