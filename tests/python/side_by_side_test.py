"""Partitioners side by side: a small sweep of three seeds, and its tables."""

import io
import json
import os
import statistics
import subprocess
import sys

import pandas
import pytest
from conftest import ROOT
import tesselab
from tesselab import side_by_side as module

RECIPE = """sweep: side-by-side
about: four partitioners, three seeds each
axes: {block_size: 64, seed: [1, 2, 3], partitioner: [mosaic, metis, "metis:method=recursive", rcb]}
groups:
  - {mesh: "airfoil:i=16:j=24", map: "edges:cells"}
  - {mesh: "hexes:nx=10:ny=10:nz=10", map: ["cells:nodes", "faces:cells"]}
"""
QUADS = ("airfoil:i=16:j=24", "edges:cells", 64)


@pytest.fixture(scope="module")
def lab(tess, tmp_path_factory):
    folder = tmp_path_factory.mktemp("side_by_side") / "lab"
    recipe = folder.parent / "recipe.yaml"
    recipe.write_text(RECIPE)
    done = tess("sweep", recipe, "--strict", "--no-view", "--json", "--lab", folder, env=dict(os.environ, OMP_NUM_THREADS="1"))
    assert json.loads(done.stdout)["states"]["passed"] == 36
    return folder


@pytest.fixture(scope="module")
def table(lab):
    return module.side_by_side(tesselab.open_lab(lab).runs())


def test_a_row_is_the_median_of_its_seeds(tess, lab, table):
    """The table from what `tess runs` prints."""
    text = tess("runs", "--lab", lab, "--csv", "-w",
                'partitioner = "metis" and mesh = "hexes:nx=10:ny=10:nz=10" and loop = "cells:nodes"',
                "-c", "seed,reuse_factor,partition_cpu_seconds,fill,blocks").stdout
    runs = pandas.read_csv(io.StringIO(text), float_precision="round_trip")
    assert list(runs.seed) == [1, 2, 3]
    row = table.loc[("hexes:nx=10:ny=10:nz=10", "cells:nodes", 64, "metis")]
    assert row.reuse == statistics.median(runs.reuse_factor)
    assert (row.low, row.high) == (min(runs.reuse_factor), max(runs.reuse_factor))
    assert row.cpu == statistics.median(runs.partition_cpu_seconds) and row.seeds == 3
    assert row.elements == 1000


def test_ratios_are_to_the_best_other(table):
    here = table.groupby(level=[0, 1, 2]).get_group(QUADS).droplevel([0, 1, 2])
    assert list(here.reuse) == sorted(here.reuse, reverse=True)
    others = here.drop("mosaic")
    best, second = others.reuse.iloc[:2]
    assert here.of_best["mosaic"] == pytest.approx(here.reuse["mosaic"] / best)
    assert others.of_best.iloc[0] == pytest.approx(best / second)
    assert others.of_best.iloc[1] == pytest.approx(second / best)


def test_what_a_lab_does_not_have_is_left_empty(lab, table):
    older = module.side_by_side(tesselab.open_lab(lab).runs().drop(columns="partition_memory_bytes"))
    assert older.memory.isna().all() and len(older) == len(table)
    assert "nan" not in module.side_by_side_text(older, False)


def test_of_equal_runs_the_newest_counts(tess, lab):
    runs = tesselab.open_lab(lab).runs()
    whole = module.newest_of_each(runs)
    older = runs.assign(reuse_factor=0)
    older.index = "0" + older.index
    pandas.testing.assert_frame_equal(module.newest_of_each(pandas.concat([older, runs])), whole)
    assert set(module.newest_of_each(pandas.concat([runs, older])).reuse_factor) != {0}
    failed = runs.assign(outcome="failed")
    assert module.newest_of_each(failed).empty


@pytest.mark.parametrize("source, label", [
    ("quads:nx=3", "quads:nx=3"), ("/a/b.c/north_sea.msh.xz", "north_sea"), ("./x.su2", "x"),
    ('"/a/dlr_f6_tets.msh.xz":refine=1:shuffle=2', "dlr_f6_tets:refine=1:shuffle=2"),
    ("/a/dlr_f6_tets.msh.xz:refine=1", "dlr_f6_tets:refine=1"),
    ('"cube.meshb":shuffle=2', "cube:shuffle=2")])
def test_labels_of_meshes(source, label):
    assert module.mesh_label(source) == label


def test_the_command(lab, tmp_path, capsys):
    def command(*words):
        module.main([str(lab), *map(str, words)])
        return capsys.readouterr().out

    text = subprocess.run([sys.executable, "-W", "error", "-m", "tesselab.side_by_side", lab, "--mesh", "hexes"],
                          cwd=ROOT / "python", stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "hexes:nx=10:ny=10:nz=10 cells:nodes, 1,000 elements, S = 64" in text and "airfoil" not in text
    assert len(text.splitlines()) == 2 * (3 + 4) + 1
    assert command("--markdown").count("#### ") == 3
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- side by side: x -->\nold\n<!-- end of side by side -->\nafter\n")
    command("--into", page)
    lines = page.read_text().splitlines()
    assert lines[0] == "before" and lines[-1] == "after" and "old" not in lines
    assert sum(line.startswith("|") for line in lines) == 3 * (2 + 4)
    once = page.read_text()
    command("--into", page)
    assert page.read_text() == once
    page.write_text("no marks")
    with pytest.raises(SystemExit, match="no marks"):
        command("--into", page)
    assert page.read_text() == "no marks"
