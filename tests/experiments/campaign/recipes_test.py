"""The recipes that ship."""

import json

from conftest import ROOT

RECIPES = ROOT / "experiments/recipes"


def test_shipped_recipes_are_understood(tess, tmp_path):
    for recipe in sorted(RECIPES.glob("*.yaml")):
        done = tess("sweep", recipe, "--dry-run", "--json", "--lab", tmp_path / "lab")
        n_points = len(json.loads(done.stdout)["points"])
        assert n_points == 96 if recipe.stem == "counters" else n_points > 100
    for name, subset in (("partitioners", "quick"), ("execute", "ci"), ("h200", "small"), ("mosaic", "small"),
                         ("mosaic", "medium"), ("mosaic", "full")):
        tess("sweep", RECIPES / f"{name}.yaml", "--subset", subset, "--dry-run", "--lab", tmp_path / "lab")


def test_every_strategy_on_every_application(tess, tmp_path, monkeypatch):
    """The subset of execute.yaml that every change runs; its meshes are tiny: threads would wait for each other."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("CC", str(ROOT / "tests/kernels/quick-cc"))  # nothing that is counted is looked at
    done = tess("sweep", RECIPES / "execute.yaml", "--subset", "ci", "--strict", "--no-view", "--json",
                "--lab", "lab", cwd=tmp_path, seconds=1200)
    report = json.loads(done.stdout)
    assert report["states"]["passed"] == len(report["points"]) > 180, done.stderr
