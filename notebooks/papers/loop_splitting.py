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
# # Loops split into phases
#
# The authors of OP2 split large kernels into sub-kernels that stage less each, so that blocks can be larger. We have the
# front of the paper only: no table and no figure of it. Here are its two claims beside what
# [a page](../../docs/results/splitting.md) has of a block's bytes, counted by the emulator, and of times on an H200.

# %%
import matplotlib.pyplot as plt
from tesselab import paper_tables
from tesselab.findings import times_of_parts
from tesselab.page_tables import first_number, page_table
from tesselab.pictures import strong_hue

page = paper_tables.PAPERS.parents[1] / "docs/results/splitting.md"

# %% [markdown]
# ## Blocks can be larger: it holds
#
# What a block of miniaero's faces stages, all at once, in phases, and in phases that are staged one after another.

# %%
staged = page_table(page, "block", "shared bytes: together").set_index("block")
staged = staged.iloc[:, :3].set_axis(["together", "phases", "phases, next=after"],
                                     axis=1).apply(lambda column: column.map(first_number))
ax = (staged / 1000).plot.bar(figsize=(7.5, 3.4), color=[strong_hue(place) for place in range(3)], rot=0,
                              xlabel="faces of a block", ylabel="kB staged")
ax.axhline(48, color="#888888", linestyle="--")
ax.annotate("48 kB: the paper's C2070", (-0.45, 48), xytext=(0, 3), textcoords="offset points", fontsize="small",
            color="#888888")
ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
ax.spines[["top", "right"]].set_visible(False)
ax.figure.set_layout_engine("constrained")
plt.show()

# %% [markdown]
# ## Large loops run faster: not on an H200
#
# An H200 has 228 kB for what the blocks of a multiprocessor stage. There registers bound the blocks, and barriers cost.

# %%
times = times_of_parts().loc[["miniaero", "roe_flux", "lstgs"]]
ax = times.plot.bar(figsize=(7.5, 3.4), color=[strong_hue(place) for place in range(4)], rot=0, xlabel="", ylabel="ms on an H200")
ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
ax.spines[["top", "right"]].set_visible(False)
ax.figure.set_layout_engine("constrained")
plt.show()

# %%
slower = times.phases / times.together
slower
