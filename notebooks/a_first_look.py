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
# # A first look at a lab
#
# A lab is the folder that `tess partition`, `tess run` and `tess sweep` fill: one small file a run,
# plans and meshes stored once. Here it is opened as data frames and arrays. Without an argument
# `open_lab` takes the lab of `TESS_LAB`, else `./lab`; beside this notebook lies a small one.

# %%
import matplotlib.pyplot as plt
import tesselab

lab = tesselab.open_lab()
lab

# %% [markdown]
# ## Runs
#
# One row a run. The columns are those of `tess runs --list-columns`; `attrs["units"]` has units.

# %%
runs = lab.runs()
runs.reindex(columns=["time", "outcome", "loop", "partitioner", "strategy", "block_size",
                      "reuse_factor", "median_time"])

# %%
units = runs.attrs["units"]
{name: units.get(name) for name in ("block_size", "reuse_factor", "transfer_total",
                                    "median_time", "bandwidth")}

# %% [markdown]
# ## All of one run
#
# Runs are named as on the command line: the beginning of an id, `@last`, `@last~1`, `tag:NAME`.

# %%
record = lab.record("@last")
record.configuration[["text", "unit"]]

# %%
record.metrics.head(10)

# %% [markdown]
# ## Every sample
#
# Times are never thrown away: a long frame has one row a sample, in the order of measurement.

# %%
samples = lab.samples()
samples.groupby("run")["time"].describe()[["count", "min", "50%", "max"]]

# %% [markdown]
# ## A plan as arrays
#
# `block_of` is the partition; `executed` lists elements in the order of execution, block after
# block; `blocks` has one row a block. All ids are those of the mesh. Runs of other programs have no
# plan: this is the last run that has one.

# %%
planned = runs.index[runs["plan_digest"].fillna("") != ""]
if planned.empty:
    raise SystemExit(f"no run in {lab.folder} has a plan: 'tess partition MESH --map SET:SET' makes one")
plan = lab.plan(planned[-1])
plan.blocks.describe()

# %%
name, staged = next(iter(plan.sets.items()))
plan.elements_of(0)[:10], name, staged.points_of(0)[:10]

# %% [markdown]
# The reuse by its definition: uses of points per point that a block stages.

# %%
uses = sum(each.local_index.size for each in plan.sets.values())
reuse = uses / sum(each.point_offset[-1] for each in plan.sets.values())
reuse, plan.metrics["value"]["reuse_factor"]

# %% [markdown]
# ## The blocks over the mesh

# %%
mesh = lab.mesh(planned[-1])
tesselab.draw_blocks(mesh, plan)
plt.show()
