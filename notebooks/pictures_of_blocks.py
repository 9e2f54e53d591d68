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
# # Pictures of blocks
#
# The shape of a block explains its numbers: a long rim means points that several blocks stage, and
# pieces mean rims within rims. Edges are drawn as kites, from their two nodes to the centroids of
# their cells, so that the edges of a block tile an area. `tess view` shows the same, and 3D, in
# ParaView.

# %%
import matplotlib.pyplot as plt
import tesselab

lab = tesselab.open_lab()
partitions = lab.partitions()  # of one mesh and loop
block_size = partitions.groupby("block_size").partitioner.nunique().idxmax()
run_of = {row.partitioner: run
          for run, row in partitions[partitions.block_size == block_size].iterrows()}
known = ["file-order", "rcb", "metis", "mosaic"]
names = [name for name in known if name in run_of] or list(run_of)[:4]
mesh = lab.mesh(partitions.index[0])

# %% [markdown]
# ## Four partitioners
#
# Few hues; blocks that touch differ.

# %%
figure, axes = plt.subplots(2, 2, figsize=(11, 11), layout="constrained")
for ax in axes.flat[len(names):]:
    ax.remove()
for ax, name in zip(axes.flat, names):
    plan = lab.plan(run_of[name])
    tesselab.draw_blocks(mesh, plan, "display_colour", ax, outlines=name != "file-order")
plt.show()

# %% [markdown]
# ## Block colours
#
# Blocks of one colour share no point, so one launch executes them all without races.

# %%
one, other = (names[2], names[1]) if len(names) > 2 else (names[-1], names[0])
plan = lab.plan(run_of[one])
tesselab.draw_blocks(mesh, plan, "block_colour")
plt.show()

# %% [markdown]
# ## Thread colours
#
# Inside a block the elements of one colour share no point: their threads add up at the same time.
# One corner of the mesh:

# %%
ax = tesselab.draw_blocks(mesh, plan, "thread_colour")
west, south = mesh.coordinates.min(axis=0)
east, north = mesh.coordinates.max(axis=0)
ax.set(xlim=(west + 0.74 * (east - west), west + 0.92 * (east - west)),
       ylim=(south + 0.38 * (north - south), south + 0.56 * (north - south)))
plt.show()

# %% [markdown]
# ## Where blocks are expensive
#
# The distinct points that a block stages, and the pieces in which it lies: coasts cut blocks apart.

# %%
figure, axes = plt.subplots(1, 2, figsize=(13, 6), layout="constrained")
tesselab.draw_blocks(mesh, plan, "points", axes[0])
tesselab.draw_blocks(mesh, lab.plan(run_of[other]), "components", axes[1])
plt.show()

# %% [markdown]
# ## A value of your own
#
# Any array with one value a block can be drawn: here the share of a block's points that no other
# block stages.

# %%
points, staged = next(iter(plan.sets.items()))
blocks_of_point = staged.blocks_per_point(mesh.sets[points])
own = [float((blocks_of_point[staged.points_of(block)] == 1).mean())
       for block in range(plan.n_blocks)]
tesselab.draw_blocks(mesh, plan, own, label="share of points of no other block")
plt.show()
