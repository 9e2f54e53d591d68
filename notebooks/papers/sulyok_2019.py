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
# # Locality optimized unstructured mesh algorithms on GPUs
#
# Sulyok, Balogh, Reguly and Mudalige (2019) put elements that share data into one thread block. Their
# tables 2 to 5 have what that does to reuse, to colours and to the lines of memory that a block
# touches. All of it follows from meshes and plans, so it needs no GPU. Here it is made again, each
# value beside the published one.

# %%
import matplotlib.pyplot as plt
from tesselab.paper_tables import beside, open_paper, unexplained
from tesselab.paper_figures import draw_item

paper = open_paper("sulyok-2019")
runs = paper.runs()
table = beside(paper, runs)
verdicts = table.groupby(["item", "verdict"]).size().unstack(fill_value=0)
verdicts

# %% [markdown]
# Where a run is not of the paper's mesh but of a smaller one, its stand-in, `stand_in` says so. Every
# difference has a reason.

# %%
table[table.verdict == "differs"][["item", "series", "quantity", "published", "ours", "stand_in", "because"]]

# %%
assert unexplained(table).empty

# %% [markdown]
# ## Airfoil
#
# A partition by METIS nearly doubles the reuse of the mesh's own order, for one thread colour more. The
# colours are those of the paper's own rule, `--colouring sulyok`.

# %%
draw_item(paper, runs, table, "table 2")
plt.show()

# %% [markdown]
# On an H200, as shares of the largest: not the hardware is compared but the order. METIS saves as many bytes as on the P100,
# but barriers take twice the share of time: figures 8 to 10 show no gain.

# %%
for item in ("table 2 on a GPU", "figure 8", "figure 9", "figure 10"):
    draw_item(paper, runs, table, item)
    plt.show()

# %% [markdown]
# In GPS order, with points renumbered by GPS, airfoil is as fast as in its own, a band already: the points of a block lie in
# as many sectors. METIS's blocks touch fewer.

# %%
sweep = runs[(runs.application == "airfoil") & (runs.block_size == 480) &
             (runs.strategy == "block-colour:loads=single:sums=cleared")]
sectors = sweep.groupby("partitioner").sectors_per_block.median()
sectors

# %% [markdown]
# ## Volna
#
# Volna's import tool numbers cells by SCOTCH's GPS and edges as cells come. Irregular triangles on a strip have a reuse of 1.54 so,
# the paper's 1.5. The GPU ran regular ones in that order, with 1.52. Partitions do not depend on it: reuse and lines agree. On an H200 the layout AoS,
# which is best there, loses: it takes 54 registers for 40.

# %%
for item in ("table 3", "table 3 on a GPU", "figure 11", "figure 12"):
    draw_item(paper, runs, table, item)
    plt.show()

# %% [markdown]
# ## BookLeaf
#
# Partitions gain 1.21 times here, 1.15 there, both by rows (AoS).

# %%
for item in ("section 3.1.3", "figure 13", "figure 14"):
    draw_item(paper, runs, table, item)
    plt.show()

# %% [markdown]
# ## LULESH
#
# Eight nodes a cell: compact blocks of hexahedra need 9.6 thread colours, in place of 4 of the mesh's
# own order. That is why a partition does not pay in the paper. On an H200 no coloured strategy reaches the two-step one, which runs at
# an occupancy of 0.55 beside 0.12.

# %%
for item in ("table 4", "table 4 on a GPU", "figure 15", "figure 16"):
    draw_item(paper, runs, table, item)
    plt.show()

# %% [markdown]
# ## miniAero
#
# All values of a block fit into an H200's shared memory at every block size, where the paper's fitted up to 288 (figure 17).
# Atomics are faster than both coloured strategies.

# %%
for item in ("table 5", "table 5 on a GPU", "figure 17", "figure 18", "figure 19"):
    draw_item(paper, runs, table, item)
    plt.show()

# %% [markdown]
# ## Bricks
#
# Regular blocks of hexahedra have more reuse than METIS's by fewer thread colours, and are faster, here and there. Blocks of
# faces gain most as lines, whose reuse is the least: barriers of four thread colours cost less than of six.

# %%
for item in ("figure 20", "figure 21"):
    draw_item(paper, runs, table, item)
    plt.show()

# %% [markdown]
# ## Whole applications
#
# How many times as fast a time step is as the original's, from `tess march` in SoA: by partitions of mosaic in the original's own strategy,
# blocks of 128 by first fit, and, for LULESH, by block colours beside its two-step strategy.

# %%
draw_item(paper, runs, table, "whole application")
plt.show()
