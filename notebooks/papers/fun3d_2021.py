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
# # Atomic updates in FUN3D's loops
#
# Stone, Walden, Zubair and Nielsen (2021) give what threads add to rows of nodes and matrices in another order before they
# add it atomically. Their mesh cannot be had; ours has its numbers of nodes, edges, tets and prisms. Times are of an H200
# beside their A100, made by `tess sweep fun3d-2021/recipe.yaml --subset times`; [a page](../../docs/results/fun3d.md) has more.

# %%
import matplotlib.pyplot as plt
from tesselab.paper_tables import beside, open_paper, unexplained
from tesselab.paper_figures import draw_item

paper = open_paper("fun3d-2021")
runs = paper.runs()
table = beside(paper, runs)
verdicts = table.groupby(["item", "verdict"]).size().unstack(fill_value=0)
verdicts

# %%
table[table.verdict != "held"][["item", "series", "published", "ours", "because"]]

# %%
assert unexplained(table).empty

# %% [markdown]
# ## How many nodes a warp has
#
# Median and ninth decile of the distinct nodes of 32 and of 64 edges: left ends are few, right ends many. That is why the
# aggregation of left ends alone (*Hybrid*) pays.

# %%
draw_item(paper, runs, table, "table II")
plt.show()

# %% [markdown]
# ## Rows of 5 and 15 values
#
# Each way gains on *Global Atomic* as on the A100. But to exchange by shuffles costs no more here than through shared
# memory, so that the four others of table III lie within 12 %.

# %%
for item in ("table III", "table IV"):
    draw_item(paper, runs, table, item)
    plt.show()

# %%
roe_flux = table[table["item"] == "table III"].set_index("series").ours
spread = roe_flux.drop("Global Atomic").max() / roe_flux.min() - 1
spread

# %% [markdown]
# ## Cells
#
# A tet's or a prism's lanes share it. By nodes each has a row of the matrix; what it adds is transposed in shared memory. On
# tets that gains 10 times over atomics by edges, 4.9 on the A100.

# %%
for item in ("table V, prisms", "table V, tets", "table VI, tets", "table VI, prisms"):
    draw_item(paper, runs, table, item)
    plt.show()

# %%
tets = table[table["item"] == "table VI, tets"].set_index("series")[["published", "ours"]]
gain = tets.loc["by edges Global"] / tets.loc["by nodes Smem Trans."]
gain
