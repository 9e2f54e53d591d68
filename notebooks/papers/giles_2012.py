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
# # OP2's first numbers
#
# Giles's slides on OP2 (2012) show the plan of airfoil's loop over edges, and the time of each of its five loops on a
# Tesla C2070 and on two processors. Here is the same on an H200, each value beside the published one.

# %%
import matplotlib.pyplot as plt
from tesselab.paper_tables import beside, open_paper, unexplained
from tesselab.paper_figures import draw_item

paper = open_paper("giles-2012")
runs = paper.runs()
table = beside(paper, runs)
verdicts = table.groupby(["item", "verdict"]).size().unstack(fill_value=0)
verdicts

# %%
table[table.verdict != "held"][["item", "series", "quantity", "published", "ours", "verdict", "because"]]

# %%
assert unexplained(table).empty

# %% [markdown]
# ## The plan
#
# Edges by tiles of 8 x 8 cells (`bricks:dims=8x8:full=yes`) are the order in which the file behind the slides must have
# been: everything that its plan counts is found again.

# %%
draw_item(paper, runs, table, "plan of res_calc")
plt.show()

# %% [markdown]
# ## Single precision
#
# The loops stand in the order of the slides, before and after block sizes are tuned: tuning gains 4 % of `res_calc` here,
# 3 % there.

# %%
draw_item(paper, runs, table, "single precision, first values")
plt.show()

# %%
draw_item(paper, runs, table, "single precision, tuned")
plt.show()

# %%
loop = table[(table.series == "res_calc") & (table.quantity == "median_time")].set_index("item")[["published", "ours"]]
gain = 1 - loop.loc["single precision, tuned"] / loop.loc["single precision, first values"]
gain

# %% [markdown]
# ## Double precision
#
# `res_calc` takes 1.3 times as long, where it took 2.1 times as long on the C2070. `update` moves more than `adt_calc` and
# takes longer, the other way round than there.

# %%
draw_item(paper, runs, table, "double precision, tuned")
plt.show()

# %%
ratio = loop.loc["double precision, tuned"] / loop.loc["single precision, tuned"]
ratio

# %% [markdown]
# ## OP2's table
#
# `tess march airfoil --mesh airfoil:i=400:j=600 --device cuda --layout aos --loops --tune-blocks 64,128,256,512 --steps 1000` prints
# OP2's table, each loop by its fastest block size: as many calls as there; in single precision the times stand in the slides' order.

# %%
for item in ("single precision, marched", "double precision, marched"):
    draw_item(paper, runs, table, item)
    plt.show()

# %%
marched = runs[runs.loop_count.notna()].set_index(["precision", "loop"])
marched[["loop_count", "loop_seconds", "loop_bandwidth", "loop_line_bandwidth", "loop_block_size"]]

# %% [markdown]
# ## Two processors
#
# The sixteen cores of a machine with an H200 stand for two processors of six: `tess sweep giles-2012/recipe.yaml --subset processors`.

# %%
for item in ("two processors, single precision", "two processors, double precision"):
    draw_item(paper, runs, table, item)
    plt.show()
