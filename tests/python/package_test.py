"""The Python package: it reads what `tess` writes, and says the same."""

import dataclasses
import io
import json
import os
import shutil
import subprocess
import sys
import types

import h5py
import numpy
import pandas
import pytest
from conftest import ROOT, limited
import tesselab
from tesselab import archive, comparison, pictures, problem, run_record, run_table, shapes, side

SHIPPED = ROOT / "notebooks" / "lab"


@pytest.fixture
def lab(tmp_path):
    """The shipped lab, where a test may damage it, without what somebody's listing left there."""
    shutil.copytree(SHIPPED, tmp_path / "lab", ignore=shutil.ignore_patterns("index.hdf", "views"))
    return tesselab.open_lab(tmp_path / "lab")


def test_names_that_are_loaded_later_are_listed():
    """Completion in a shell or a notebook has them at once."""
    code = "import sys, tesselab; print(*dir(tesselab)); assert not {'numpy', 'h5py', 'pandas'} & {*sys.modules}"
    listed = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "python", capture_output=True, text=True, check=True).stdout
    assert listed.split() == sorted(tesselab.__all__)


def test_runs_are_those_of_tess_runs(tess, lab):
    columns = ("partitioner", "strategy", "block_size", "reuse_factor", "thread_colours_mean",
               "median_time", "bandwidth", "partition_seconds", "plan_digest")
    text = tess("runs", "--lab", lab.folder, "--csv", "-c", ",".join(columns)).stdout
    said = pandas.read_csv(io.StringIO(text), float_precision="round_trip").set_index("run")
    runs = lab.runs()
    assert list(said.index) == list(runs.index) == lab.ids()
    for name in columns:
        both = pandas.DataFrame({"said": said[name], "read": runs[name]})
        missing = both.isna().all(axis=1)
        assert ((both.said == both.read) | missing).all(), name
    assert runs.attrs["units"]["median_time"] == "s"
    assert runs.attrs["units"]["block_size"] == "elements"
    assert str(runs.time.dtype) == "datetime64[ns, UTC]" and runs.block_size.dtype == "int64"


def test_the_index_changes_nothing(tess, lab):
    (lab.folder / "index.hdf").unlink(missing_ok=True)
    without = lab.runs()
    tess("runs", "--lab", lab.folder, "--quiet")
    assert (lab.folder / "index.hdf").exists()
    pandas.testing.assert_frame_equal(without, lab.runs(), check_like=True)
    gone = lab.ids()[3]
    (lab.folder / "runs" / f"{gone}.hdf").unlink()
    assert gone not in lab.runs().index and len(lab.runs()) == len(without) - 1
    (lab.folder / "index.hdf").write_bytes(b"no index")
    assert len(lab.runs()) == len(without) - 1


@pytest.mark.parametrize("samples, words", [({}, "has no samples 'time'$"), ({"size": [1.0]}, "has no samples 'time', only size$")])
def test_runs_without_times_are_not_compared(samples, words):
    with pytest.raises(tesselab.LabError, match=words):
        side.Side.of([types.SimpleNamespace(id="a", samples=samples)], "time")


def test_a_metric_from_two_sources_is_two_columns(lab):
    path = lab.folder / "runs" / f"{lab.ids()[-1]}.hdf"
    with h5py.File(path, "r+") as file:
        rows = file["metrics"][()]
        other = rows[rows["name"] == b"reuse_factor"].copy()
        other["source"], other["value"] = b"emulator", 7.0
        del file["metrics"]
        file["metrics"] = numpy.concatenate([other, rows])
    last = lab.runs().iloc[-1]
    assert last["reuse_factor@emulator"] == 7 and last["reuse_factor"] == last["reuse_factor@plan"] < 3


def test_a_bare_name_is_of_the_first_source_that_a_run_has():
    frame = pandas.DataFrame({"x@emulator": [2.0, 3.0], "x@plan": [1.0, numpy.nan], "many": [2.0**60, 1], "few": [2.0, 3]}, index=["a", "b"])
    tidy = run_table._tidy(frame, {"x@plan": "B"})
    assert tidy.x.tolist() == [1, 3] and tidy.attrs["units"]["x"] == "B" and {"x@plan", "x@emulator"} < set(tidy)
    assert str(tidy.few.dtype) == "int64" and tidy.many.tolist() == [2.0**60, 1] and str(tidy.many.dtype) == "float64"


def test_metrics_of_older_labs_have_the_names_of_today(tess, tmp_path):
    """A golden lab is of a version that called sectors_per_block cache_lines_per_block."""
    shutil.copytree(ROOT / "tests/experiments/archive/golden/timed-1.1", tmp_path / "lab")
    lab = tesselab.open_lab(tmp_path / "lab")
    run = lab.ids()[0]
    with h5py.File(lab.folder / "runs" / f"{run}.hdf") as file:
        assert b"cache_lines_per_block" in file["metrics"]["name"]
    for _ in range(2):  # without an index, then with one
        runs = lab.runs()
        assert runs.sectors_per_block[run] > 1 and not [name for name in runs if "cache_lines" in name]
        tess("runs", "--lab", lab.folder, "--quiet")
    assert lab.record(run).metrics.value["sectors_per_block"] == runs.sectors_per_block[run]
    assert lab.plan(run).metrics.value["sectors_per_block"] == runs.sectors_per_block[run]


def test_names_of_runs(tess, lab):
    ids = lab.ids()
    assert lab.find("@last") == [ids[-1]] and lab.find("@last~2") == [ids[-3]]
    assert lab.find(ids[4]) == [ids[4]]
    tess("tag", "--lab", lab.folder, "chosen", ids[1], ids[3])
    assert lab.find("tag:chosen", ids[1]) == [ids[1], ids[3]]
    assert lab.runs().loc[ids[1], "tags"] == "chosen"
    assert len(lab.find("tag:rcb")) == 6
    for name, words in (("zzzz", "no run is named"), (ids[0][:4], "beginning of"), ("@last~99", "has"),
                        ("tag:none", "no run has the tag")):
        with pytest.raises(tesselab.LabError, match=words):
            lab.find(name)
    with pytest.raises(tesselab.LabError, match="means 2 runs"):
        lab.plan("tag:chosen")


def test_samples_are_long(lab):
    samples = lab.samples()
    timed = [run for run in lab.ids() if lab.record(run).samples]
    assert list(samples.run.unique()) == timed and len(timed) == 18
    one = samples[samples.run == timed[0]]
    assert list(one["sample"]) == list(range(len(one)))
    assert list(one.time) == list(lab.record(timed[0]).samples["time"])
    assert lab.samples(lab.ids()[0]).empty


def test_a_plan_is_what_its_metrics_say(lab):
    for run in lab.ids():
        plan, mesh = lab.plan(run), lab.mesh(run)
        assert len(plan.block_of) == mesh.sets[plan.over]
        assert sorted(plan.executed) == list(range(len(plan.executed)))
        blocks = numpy.diff(plan.block_offset)
        assert (numpy.bincount(plan.block_of) == blocks).all() and (plan.blocks["size"] == blocks).all()
        for block in (0, plan.n_blocks - 1):
            elements = plan.elements_of(block)
            assert (plan.block_of[elements] == block).all()
            points = numpy.unique(mesh.maps["edges:cells"][elements])
            assert (plan.sets["cells"].points_of(block) == points).all()
        assert plan.metrics.value["blocks"] == plan.n_blocks
        assert plan.metrics.value["block_colours"] == plan.block_colour.max() + 1
        assert plan.metrics.unit["reuse_factor"] == "1" and plan.metrics.source["blocks"] == "plan"
        by_element = plan.element_thread_colour()
        assert (by_element[plan.executed] == plan.thread_colour).all()
        assert (dataclasses.replace(plan, over_to_set=True).element_thread_colour() == -1).all(), "several positions may be of an element"


def test_comparisons_are_those_of_tess_compare(tess, lab):
    base, *others = [run for run in lab.ids() if lab.record(run).samples]
    said = json.loads(tess("compare", "--lab", lab.folder, "--json", "--quiet", base, *others).stdout)
    found = lab.compare(base, *others)
    for one in said["comparisons"]:
        row = found.loc[one["name"]]
        assert row.verdict == one["verdict"]
        for name in ("ratio", "low", "high", "p"):
            assert row[name] == pytest.approx(one[name], rel=1e-11, abs=1e-13), name
        assert row.median_other == one["median"]


def test_estimators_are_those_of_statistics_c(tess_bin):
    generator = numpy.random.default_rng(4)
    cases = []
    for i in range(60):
        n, m = generator.integers(1, 60, 2)
        n = m if i % 2 else n  # rounds
        a, b = generator.gamma(4, 1e-4, n), generator.gamma(4, 1e-4, m) * generator.uniform(0.7, 1.4)
        if i % 3 == 0:  # ties
            a, b = numpy.round(a, 4) + 1e-4, numpy.round(b, 4) + 1e-4
        if i % 3 == 1:  # neighbours that resemble each other
            a, b = numpy.sort(a), numpy.sort(b)
        cases.append((a, b))
    cases.append((numpy.full(20, 0.1), numpy.full(20, 0.3)))  # as of a clock whose ticks are long
    lines = "".join(" ".join(map(repr, [len(one), *one.tolist()])) + "\n" for case in cases for one in case)
    program = tess_bin.parents[1] / "tests/compare_samples"
    said = subprocess.run([program], input=lines, capture_output=True, text=True, check=True).stdout
    verdicts = ["unclear", "same", "slower", "faster"]
    for (a, b), line in zip(cases, said.splitlines(), strict=True):
        median, low_a, high_a, ratio, low, high, p, verdict, *rounds = map(float, line.split())
        found = tesselab.compare(a, b)
        assert (found.median_base, *tesselab.median_interval(a)) == (median, low_a, high_a)
        assert (found.ratio, found.low, found.high) == pytest.approx((ratio, low, high), rel=1e-11)
        assert found.p == pytest.approx(p, rel=1e-9, abs=1e-300)
        assert found.verdict == verdicts[int(verdict)]
        if rounds:
            ratio, low, high, p, verdict, _ = rounds
            found = tesselab.compare_rounds(a, b)
            assert (found.ratio, found.low, found.high) == pytest.approx((ratio, low, high), rel=1e-11)
            assert found.p == pytest.approx(p, rel=1e-9) and found.verdict == verdicts[int(verdict)]


def test_many_samples_need_little_memory(monkeypatch):
    generator = numpy.random.default_rng(5)
    a, b = generator.normal(1, 0.01, 300), generator.normal(1, 0.01, 200)
    at_once = tesselab.compare(a, b)
    monkeypatch.setattr(comparison, "DRAWS_AT_ONCE", 3000)
    assert tesselab.compare(a, b) == at_once


def test_samples_of_a_tag_are_taken_together(tess, lab):
    said = json.loads(tess("compare", "--lab", lab.folder, "--json", "tag:rcb", "tag:metis").stdout)
    found = lab.compare("tag:rcb", "tag:metis").iloc[0]
    one = said["comparisons"][0]
    assert (found.ratio, found.low, found.high) == pytest.approx((one["ratio"], one["low"], one["high"]), rel=1e-11)


@pytest.mark.parametrize("together", [True, False])
def test_sessions_are_compared_as_by_tess_compare(tess, tmp_path, together, monkeypatch):
    """Three times two variants: by one command in turns, or each by a command of its own."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    strategies = ["sequential,openmp"] if together else ["sequential", "openmp"]
    for _ in range(3):
        for names in strategies:
            made = tess("run", "airfoil", "--mesh", "quads:nx=30:ny=20", "--device", "host", "--strategy", names,
                        "--samples", "12", "--no-view", "--lab", tmp_path, "--json")  # fmt: skip
            for run in json.loads(made.stdout)["runs"]:
                tess("tag", "--lab", tmp_path, run["strategy"], run["run"])
    said = json.loads(tess("compare", "--lab", tmp_path, "--json", "tag:sequential", "tag:openmp").stdout)
    one = said["comparisons"][0]
    found = tesselab.open_lab(tmp_path).compare("tag:sequential", "tag:openmp").iloc[0]
    assert one["manner"] == found.manner == ("in turns" if together else "apart")
    assert one["sessions"] == 3 and (together or one["session_spread_df"] == 4)
    for name in ("ratio", "low", "high", "p"):
        assert found[name] == pytest.approx(one[name], rel=1e-9, abs=1e-12), name
    assert found.verdict == one["verdict"]


@pytest.mark.parametrize("scale", [1.02, 1e250])
def test_equal_runs_agree_in_their_settings_as_by_tess_compare(tess, tess_bin, tmp_path, monkeypatch, scale):
    monkeypatch.setenv("PATH", f"{tess_bin.parent}:{os.environ['PATH']}")
    runs = [tesselab.record("solver", [seconds * factor] * 6, lab=tmp_path, settings={"order": order})
            for order, seconds in (("rcm", 1e-3), ("hilbert", 2e-3)) for factor in (1.0, scale)]  # fmt: skip
    one = json.loads(tess("compare", "--lab", tmp_path, "--json", runs[0], runs[2]).stdout)["comparisons"][0]
    found = tesselab.open_lab(tmp_path).compare(runs[0], runs[2]).iloc[0]
    assert one["session_spread_df"] == 2 and found.verdict == one["verdict"]
    assert found.low == pytest.approx(one["low"], rel=1e-9) and (scale > 2 or found.high == pytest.approx(one["high"], rel=1e-9))


def test_the_front_is_what_nothing_beats():
    frame = pandas.DataFrame({"reuse": [3, 2, 2, 1, 4, 4, None], "colours": [3, 3, 2, 2, 4, 5, 1]})
    assert list(tesselab.front(frame, more="reuse", less="colours").index) == [2, 0, 4]


def test_a_failed_run_is_never_ranked(lab):
    base, other = [run for run in lab.ids() if lab.record(run).samples][:2]
    with h5py.File(lab.folder / "runs" / f"{other}.hdf", "r+") as file:
        file.attrs["outcome"] = numpy.bytes_(b"failed")
    assert lab.compare(base, other).verdict.tolist() == ["failed"]


@pytest.mark.parametrize("version, words", [
    ("2.0", "written by a newer tess"), ("0.9", "no version"), ("one", "no version")])
def test_other_schemas_are_refused(lab, version, words):
    run = lab.ids()[-1]
    with h5py.File(lab.folder / "runs" / f"{run}.hdf", "r+") as file:
        file.attrs["schema_version"] = numpy.bytes_(version.encode())
    with pytest.raises(tesselab.LabError, match=words) as raised:
        lab.record(run)
    assert isinstance(raised.value, tesselab.NewerSchemaError) == (version == "2.0")
    with pytest.warns(UserWarning, match=words):
        assert run not in lab.runs().index


def test_a_newer_minor_schema_is_read(lab):
    with h5py.File(lab.folder / "runs" / f"{lab.ids()[-1]}.hdf", "r+") as file:
        file.attrs["schema_version"] = numpy.bytes_(b"1.7")
        file["more"] = 1
    assert lab.record("@last").outcome == "passed"


def test_what_is_missing_or_damaged_is_named(lab, tmp_path):
    with pytest.raises(tesselab.LabError, match="there is no lab"):
        tesselab.open_lab(tmp_path / "elsewhere")
    plan = lab.folder / "plans" / f"{lab.record('@last').plan_digest}.hdf"
    content = plan.read_bytes()
    plan.write_bytes(content[: len(content) // 2])
    with pytest.raises(tesselab.LabError, match="damaged"):
        lab.plan("@last")
    plan.unlink()
    with pytest.raises(tesselab.LabError, match="no such file"):
        lab.plan("@last")
    mesh = lab.folder / "meshes" / f"{lab.record('@last').mesh_digest}.hdf"
    shutil.copy(mesh, lab.folder / "runs" / f"{lab.ids()[-1]}.hdf")
    with pytest.raises(tesselab.LabError, match="file of a mesh"):
        lab.record("@last")


def as_group(file, name):
    del file[name]
    file.create_group(name)


def as_words(file, name):
    del file[name]
    file[name] = numpy.array([b"some", b"words"])


def as_a_terabyte(file, name):
    del file[name]
    file.create_dataset(name, shape=(1 << 37,), dtype="i8", chunks=(1 << 16,))


def as_a_large_chunk(file, name):
    del file[name]
    file.create_dataset(name, shape=(5,), maxshape=(None,), dtype="i4", chunks=(1 << 28,), compression="gzip")


DAMAGED = [(*place, change)
           for place in [("runs", "configuration"), ("runs", "samples/time"), ("plans", "plan/executed"), ("plans", "metrics/fill"),
                         ("meshes", "coordinates"), ("index", "runs")]
           for change in (as_group, as_words, as_a_terabyte, as_a_large_chunk)
           if change is not as_words or place[1] not in ("plan/executed", "coordinates")]  # fmt: skip


@pytest.mark.parametrize("kind, name, change", DAMAGED, ids=lambda value: getattr(value, "__name__", value))
def test_what_no_file_of_a_lab_holds_is_damage(lab, tess, kind, name, change):
    """Never another error, nor memory that the file's size does not justify."""
    tess("runs", "--lab", lab.folder, "--quiet")
    run = next(run for run in lab.ids() if lab.record(run).plan_digest and "time" in lab.record(run).samples)
    record = lab.record(run)
    path = lab.folder / {"runs": f"runs/{run}.hdf", "plans": f"plans/{record.plan_digest}.hdf",
                         "meshes": f"meshes/{record.mesh_digest}.hdf", "index": "index.hdf"}[kind]  # fmt: skip
    whole = lab.runs()
    with h5py.File(path, "r+") as file:
        change(file, name)
    lab = tesselab.open_lab(lab.folder)
    if kind == "index":
        pandas.testing.assert_frame_equal(whole, lab.runs(), check_like=True)
        return
    with pytest.raises(tesselab.LabError, match=f"{path}: damaged"):
        {"runs": lab.record, "plans": lab.plan, "meshes": lab.mesh}[kind](run)
    if kind == "runs":
        (lab.folder / "index.hdf").unlink()
        with pytest.warns(UserWarning, match="left out: .*damaged"):
            assert run not in lab.runs().index


def test_a_chunk_that_the_file_cannot_fill_is_not_read(tmp_path):
    with h5py.File(tmp_path / "x.hdf", "w") as file:
        made = file.create_dataset("x", shape=(5,), maxshape=(None,), dtype="i4", chunks=(1 << 28,), compression="gzip")
        made.id.write_direct_chunk((0,), bytes(100))
        with pytest.raises(ValueError, match="/x claims more than the file can hold"):
            archive.array(made)


def test_a_mesh_without_coordinates_is_not_damaged(lab):
    """As programs make it by the C library."""
    run = next(run for run in lab.ids() if lab.mesh(run).dimension == 2)
    with h5py.File(lab.folder / "meshes" / f"{lab.record(run).mesh_digest}.hdf", "r+") as file:
        del file["coordinates"]
    mesh = tesselab.open_lab(lab.folder).mesh(run)
    assert mesh.coordinates.shape == (0, 2) and mesh.sets["nodes"] > 0
    with pytest.raises(tesselab.LabError, match="has no coordinates"):
        tesselab.draw_blocks(mesh, lab.plan(run))


def area(points):
    following = numpy.roll(points, -1, axis=0)
    return abs((points[:, 0] * following[:, 1] - points[:, 1] * following[:, 0]).sum()) / 2


@pytest.fixture(scope="module")
def mixed(tess, tmp_path_factory):
    """A mesh of triangles and quads, as `tess` stores it."""
    folder = tmp_path_factory.mktemp("mixed")
    (folder / "mixed.su2").write_text(
        "NDIME= 2\nNELEM= 4\n9 0 1 4 3\n5 1 2 4\n5 2 5 4\n9 3 4 7 6\nNPOIN= 8\n"
        "0 0\n1 0\n2 0\n0 1\n1 1\n2 1\n0 2\n1 2\nNMARK= 0\n")
    tess("partition", folder / "mixed.su2", "--map", "edges:cells", "--partitioner", "file-order",
         "--block-size", "2", "--no-view", "--lab", folder / "lab")
    return tesselab.open_lab(folder / "lab").mesh("@last")


def test_shapes_tile_the_mesh(mixed):
    whole = 4.0 - 1.0  # the square of two by two without its upper right quarter
    total = {}
    for name in ("cells", "nodes", "tris", "quads", "edges", "bedges"):
        found = shapes.shapes_of(mixed, name)
        assert set(found.element) == set(range(mixed.sets[name])), name
        total[name] = sum(area(found.points[sites[sites >= 0]]) for sites in found.sites)
    assert total["cells"] == pytest.approx(whole) and total["nodes"] == pytest.approx(whole)
    assert total["tris"] + total["quads"] == pytest.approx(whole)
    assert total["edges"] + total["bedges"] == pytest.approx(whole)
    twice = numpy.repeat(mixed.maps["bedges:cells"], 2, axis=1)  # as OP2 files may state it
    stated = dataclasses.replace(mixed, maps={**mixed.maps, "bedges:cells": twice})
    assert (shapes.shapes_of(stated, "bedges").sites == shapes.shapes_of(mixed, "bedges").sites).all()
    bare = {name: index for name, index in mixed.maps.items() if name != "bedges:cells"}
    bare.update({"rim:nodes": mixed.maps["bedges:nodes"][:, ::-1], "bedges:cells": twice})
    rim = shapes.shapes_of(dataclasses.replace(mixed, maps=bare, sets={**mixed.sets, "rim": len(twice)}), "rim")
    assert sum(area(rim.points[sites[sites >= 0]]) for sites in rim.sites) == pytest.approx(total["bedges"])


def test_outlines_are_where_blocks_end(mixed):
    found = shapes.shapes_of(mixed, "cells")
    length = lambda group: numpy.linalg.norm(numpy.diff(found.outline(group), axis=1), axis=2).sum()
    assert length(numpy.zeros(4)) == pytest.approx(8)  # around the mesh
    assert length(numpy.array([0, 1, 1, 0])) == pytest.approx(8 + 1)
    assert length(numpy.arange(4)) == pytest.approx(8 + 1 + 1 + numpy.sqrt(2))
    assert found.neighbours(numpy.array([0, 1, 1, 0])).tolist() == [[0, 1]]


def test_neighbours_have_different_hues(lab):
    conflicts = {}
    for run in lab.ids()[:4]:
        plan = lab.plan(run)
        found = shapes.shapes_of(lab.mesh(run), plan.over)
        colour = pictures.display_colours(found, plan)
        pairs = found.neighbours(plan.block_of[found.element])
        assert len(pairs) > plan.n_blocks and colour.max() < len(pictures.HUES)
        conflicts[plan.partitioner] = (colour[pairs[:, 0]] == colour[pairs[:, 1]]).mean()
    assert conflicts["metis"] == conflicts["rcb"] == 0
    assert 0 < conflicts["file-order"] < 1 / len(pictures.HUES)  # in pieces: more neighbours than hues


def test_only_2d_meshes_are_drawn(tess, tmp_path):
    tess("partition", "tets:nx=3:ny=3:nz=3", "--map", "faces:cells", "--partitioner", "file-order",
         "--block-size", "32", "--no-view", "--lab", tmp_path / "lab")
    solid = tesselab.open_lab(tmp_path / "lab")
    with pytest.raises(tesselab.LabError, match="tess view"):
        tesselab.draw_blocks(solid.mesh("@last"), solid.plan("@last"))
    with pytest.raises(tesselab.LabError, match="the plan is of another mesh than"):
        tesselab.draw_blocks(tesselab.open_lab(SHIPPED).mesh("@last"), solid.plan("@last"))


def test_what_tess_exports_opens_in_pandas(tess, lab):
    runs = lab.runs()
    csv = pandas.read_csv(io.StringIO(tess("export", "--lab", lab.folder, "-f", "csv").stdout),
                          float_precision="round_trip").set_index("run")
    for name in ("reuse_factor", "median_time", "bandwidth", "block_size"):
        pandas.testing.assert_series_equal(csv[name], runs[name], check_dtype=False)
    exported = json.loads(tess("export", "--lab", lab.folder, "-f", "json").stdout)["runs"]
    flat = pandas.json_normalize(exported).set_index("run")
    assert list(flat.index) == lab.ids() and (flat.outcome == "passed").all()
    metrics = pandas.json_normalize(exported, "metrics", "run")
    reuse = metrics[metrics.name == "reuse_factor"].set_index("run").value
    assert (reuse == runs.reuse_factor).all()


def test_an_exported_partition_is_the_plan(tess, lab):
    text = tess("export", "--lab", lab.folder, "-f", "metis", lab.ids()[3]).stdout
    assert (pandas.read_csv(io.StringIO(text), header=None)[0] == lab.plan(lab.ids()[3]).block_of).all()


def test_meshes_and_plans_are_told_in_a_line(lab):
    """Not every array in full, as a cell of a notebook would print them."""
    mesh, plan = lab.mesh("@last"), lab.plan("@last")
    ranks = run_record.Ranks("cells", 4, numpy.zeros(10920, int), numpy.zeros(10920, int))
    edges = problem.PointMap(mesh.maps["edges:cells"].copy(), mesh.sets["cells"], 8)
    asked = problem.Problem(mesh.sets["edges"], 128, 0, [edges], None)
    for one, words in ((mesh, "north_sea"), (plan, "120 blocks of at most 128 edges"), (ranks, "10920 cells on 4 ranks"),
                       (plan.sets["cells"], f"edges:cells.1: {len(plan.sets['cells'].points)} points in 120 blocks"),
                       (asked, "15240 elements for 120 blocks of at most 128; maps [<PointMap: 2 of 10920 points")):
        assert words in repr(one) and "\n" not in repr(one) and len(repr(one)) < 300


def test_notebooks_show_tables(lab):
    """Of what pandas shows by itself nothing is asked here; names of others are text, never markup."""
    mesh, plan, record = lab.mesh("@last"), lab.plan("@last"), lab.record("@last")
    page = mesh._repr_html_()
    assert f"<td style='text-align:left'>{mesh.sets['cells']:,} elements</td>" in page and "edges:cells" in page
    value = plan.metrics["value"]["reuse_factor"]
    assert f">{value:.4g}<" in plan._repr_html_() and "reuse_factor" in plan._repr_html_()
    assert record.id in record._repr_html_() and record.id in repr(record) and len(repr(record)) < 300
    strange = dataclasses.replace(mesh, source="<b>x</b>.msh", markers=["<script>alert(1)</script>"])
    assert "<script" not in strange._repr_html_() and "&lt;script&gt;" in strange._repr_html_()
    page = lab._repr_html_()
    assert f"lab {lab.folder}: runs 29, plans 14, meshes 1; the last 10<" in page and record.id in page and page.count("<tr>") == 1 + 10
    row = lab.runs().iloc[-1]
    assert f">{1e3 * row.median_time:.4g}<" in page and f">{row.reuse_factor:.4g}<" in page and ">north_sea.msh.xz<" in page
    for one in (mesh, plan, record, lab):
        assert one._repr_html_().count("<table") == one._repr_html_().count("</table>") > 0


def test_a_python_without_h5py_is_told_what_to_install():
    done = subprocess.run([sys.executable, "-c", "import sys; sys.modules['h5py'] = None; import tesselab; tesselab.open_lab"], cwd=ROOT / "python",
                          capture_output=True, text=True, **limited(20))  # fmt: skip
    assert done.returncode == 1 and "tesselab needs h5py" in done.stderr.splitlines()[-1] and "pip install -e python" in done.stderr


@pytest.mark.parametrize("module", ["strategies", "arena", "side_by_side", "counted_twice", "run_file", "paper", "report"])
def test_commands_say_in_a_line_that_there_is_no_lab(module, tmp_path):
    """From a folder without one; none shows a traceback."""
    words = {"run_file": ["lab", "runs.csv"], "paper": ["giles-2012", "--lab", "lab"], "report": ["lab.html"]}.get(module, [])
    done = subprocess.run([sys.executable, "-m", f"tesselab.{module}", *words], cwd=tmp_path, capture_output=True, text=True,
                          input='{"schema": "tess.report/1", "lab": "lab"}', env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
                          **limited(20))  # fmt: skip
    assert (done.returncode, done.stderr) == (3, "lab: there is no lab here; 'tess partition' and 'tess run' make one\n")


def test_a_plan_without_colours_is_read(tess, tmp_path):
    """Of a loop that increments nothing."""
    tess("run", "fv", "--mesh", "tris:nx=6:ny=5", "-b", "32", "-s", "gather", "-d", "emulator", "--lab", tmp_path / "lab")
    plan = tesselab.open_lab(tmp_path / "lab").plan("@last")
    assert len(plan.block_colour) == len(plan.blocks) > 1 and not plan.block_colour.any()
    assert len(plan.thread_colour) == len(plan.executed) and not plan.thread_colour.any()
