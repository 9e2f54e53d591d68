"""The recipes that ship."""

import json

import pytest
from conftest import ROOT

pytestmark = pytest.mark.usefixtures("compiling_cc")

RECIPES = ROOT / "experiments/recipes"


def test_shipped_recipes_are_understood(tess, tmp_path):
    for recipe in sorted(RECIPES.glob("*.yaml")):
        if recipe.stem == "pages":  # of tables, for tesselab.remake
            continue
        done = tess("sweep", recipe, "--dry-run", "--json", "--lab", tmp_path / "lab")
        n_points = len(json.loads(done.stdout)["points"])
        assert n_points == {"counters": 96, "gate": 6, "hosts": 77}.get(recipe.stem, max(n_points, 101))
    for name, subset in (("partitioners", "quick"), ("execute", "ci"), ("h200", "small"), ("langguth", "sizes"),
                         ("langguth", "processors"), ("ranks", "two")):
        tess("sweep", RECIPES / f"{name}.yaml", "--subset", subset, "--dry-run", "--lab", tmp_path / "lab")


def assert_small_passes(tess, folder, monkeypatch, recipe, n_points):
    """Sweeps the subset `small` of a recipe into the lab of a folder."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    done = tess("sweep", RECIPES / f"{recipe}.yaml", "--subset", "small", "--strict", "--no-view", "--json", "--lab", "lab",
                cwd=folder)
    report = json.loads(done.stdout)
    assert report["states"]["passed"] == len(report["points"]) == n_points, done.stderr


def test_a_small_langguth_runs_every_kernel_of_the_paper(tess, tmp_path, monkeypatch):
    assert_small_passes(tess, tmp_path, monkeypatch, "langguth", 40)
    runs = json.loads(tess("runs", "--lab", "lab", "--json", cwd=tmp_path).stdout)["runs"]
    assert {(run["strategy"], run["layouts"]) for run in runs} == {
        ("gather:own=staged", "aos,maps=aos"), ("gather", "aos,maps=aos"), ("gather", "soa"), ("gather:reads=staged", "soa"),
        ("openmp", "aos,maps=aos"), ("openmp:copies=private", "aos,maps=aos")}  # fmt: skip
    assert {run["partitioner"] for run in runs} == {"file-order", "metis:l=1.03", "mosaic", "rcb", "gps"}


def test_a_small_fun3d_runs_every_method_of_the_paper(tess, tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    done = tess("sweep", RECIPES / "fun3d.yaml", "--subset", "small", "--strict", "--no-view", "--json", "--lab", "lab", cwd=tmp_path)
    report = json.loads(done.stdout)
    assert report["states"]["passed"] == len(report["points"]) == 101, done.stderr
    runs = json.loads(tess("runs", "--lab", "lab", "--json", cwd=tmp_path).stdout)["runs"]
    ran = {(run["loop"], run["strategy"]) for run in runs}
    edge = ["", "transpose=shared", "aggregate=sorted+unsorted"]
    cell = ["", "aggregate=unsorted", "transpose=shuffles", "aggregate=unsorted:transpose=shuffles"]
    block = ["edges=own", "edges=own:transpose=shared", "by=edges", *(f"by=edges:sum={way}:transpose=shared" for way in ("shared-atomics", "serial", "sets"))]
    methods = {
        ("roe_flux", "atomics"): [*edge, "transpose=shuffles", "aggregate=sorted+no:transpose=no+shared"],
        ("lstgs", "atomics"): [*edge, "aggregate=sorted+unsorted:transpose=shared"],
        ("visrhs_tets", "atomics"): cell,
        ("visrhs_prisms", "tiles"): [*cell, "by=edges", "by=edges:aggregate=unsorted"],
        ("visjac_tets", "tiles"): block,
        ("visjac_prisms", "tiles"): block,
    }
    entries = {(loop, f"{name}:{way}".rstrip(":")) for (loop, name), ways in methods.items() for way in ways}
    assert len(entries) == 31 and ran >= entries, entries - ran
    assert ran >= {("roe_flux", "halo-atomics:parts=staged"), ("lstgs", "halo-atomics:parts=staged"), ("visjac_prisms", "halo-atomics:made=per-part")}
    assert ran >= {(loop, strategy) for loop in ("visjac_tets", "visjac_prisms") for strategy in ("tiles", "tiles:transpose=shared")}
    assert ran >= {("roe_flux", "atomics:aggregate=sorted+unsorted:loads=vectors:elements=3:registers=80"),
                   ("visjac_tets", "atomics:aggregate=unsorted:transpose=shared:adds=widest:made=per-part:loads=vectors:registers=152")}  # ours


def test_small_ranks_come_to_the_reference(tess, tmp_path, monkeypatch):
    assert_small_passes(tess, tmp_path, monkeypatch, "ranks", 20)
