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
from tesselab.paper import bars, beside, lines, open_paper, unexplained

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
bars(table, "table 2")
plt.show()

# %% [markdown]
# ## Volna
#
# The paper's mesh is in an order that gives a reuse of 1.5 before partitioning; rows of triangles have
# 2.0. After it, the order does not matter any more: reuse and lines agree.

# %%
bars(table, "table 3")
plt.show()

# %% [markdown]
# ## BookLeaf

# %%
bars(table, "section 3.1.3")
plt.show()

# %% [markdown]
# ## LULESH
#
# Eight nodes a cell: compact blocks of hexahedra need 9.8 thread colours, in place of 4 of the mesh's
# own order. That is why a partition does not pay in the paper.

# %%
bars(table, "table 4")
plt.show()

# %% [markdown]
# ## miniAero

# %%
bars(table, "table 5")
plt.show()

# %% [markdown]
# ## On an H200
#
# Times and counters of table 2, as shares of the largest: not the hardware is compared but the order.

# %%
bars(table, "table 2 on a GPU")
plt.show()

# %% [markdown]
# Figure 8: block sizes, by order and layout.

# %%
theirs = runs[(runs.application == "airfoil") & (runs.strategy == "block-colour:loads=single:sums=cleared")
              & (runs.outcome == "passed")]
lines(theirs, "block_size", "bandwidth", ["partitioner", "layouts"])
plt.show()
