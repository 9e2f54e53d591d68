"""Keeping runs: tags, notes, the trash, and merging labs."""

import json
import os
import shutil
import subprocess
import time

import h5py
import pytest


@pytest.fixture
def writer(tess_bin):
    """writer(lab, n) stores n runs and gives their ids."""

    def write(lab, n, seed=1):
        program = tess_bin.parents[1] / "tests/lab_writer"
        done = subprocess.run([program, lab, str(n), str(seed)], capture_output=True, text=True, check=True)
        return done.stdout.split()

    return write


def listed(tess, lab, *arguments):
    return [run["run"] for run in json.loads(tess("runs", "--lab", lab, "--json", *arguments).stdout)["runs"]]


def indexed(lab):
    with h5py.File(lab / "index.hdf") as index:
        return [row.decode() for row in index["runs"]["run"]]


def content(lab):
    """Every file of a lab but the index, by its path."""
    return {p.relative_to(lab): p.read_bytes() for p in lab.rglob("*") if p.is_file() and p.name != "index.hdf"}


def test_tags_choose_runs(tess, writer, tmp_path):
    runs = writer(tmp_path, 4)
    assert tess("tag", "--lab", tmp_path, "paper", runs[0], "@last").stderr == "tag paper: given to 2 runs\n"
    tess("tag", "--lab", tmp_path, "paper", runs[0])  # twice is once
    tess("tag", "--lab", tmp_path, "fig-2", "tag:paper")
    assert listed(tess, tmp_path, "-w", "tag:paper and not block_size = 480") == [runs[0], runs[3]]
    assert tess("tag", "--lab", tmp_path).stdout.split() == ["tag", "runs", "fig-2", "2", "paper", "2"]
    assert tess("tag", "--lab", tmp_path, "--remove", "paper", runs[0]).stderr == "tag paper: taken from 1 run\n"
    told = tess("tag", "--lab", tmp_path, "--remove", "paper", runs[0], code=3).stderr
    assert told == "tess: error: none of these runs has the tag 'paper': 'tess tag' lists the tags\n"
    assert "which runs lose the tag 'paper'? tess tag --remove paper @last" in tess("tag", "--lab", tmp_path, "--remove", "paper", code=2).stderr
    assert "tess rm --restore ID" in tess("rm", "--lab", tmp_path, "--restore", code=2).stderr
    assert listed(tess, tmp_path, "-w", "tag:paper") == [runs[3]]
    assert "fig-2" in tess("runs", "--lab", tmp_path).stdout
    assert "cannot be a tag" in tess("tag", "--lab", tmp_path, "a/b", "@last", code=2).stderr
    for letters in (47, 48, 49):  # a file that somebody else put there; 47 are the most
        (tmp_path / "notes" / runs[3] / f"tag.{letters * 'x'}").touch()
    assert tess("tag", "--lab", tmp_path).stdout.split() == ["tag", "runs", "fig-2", "2", "paper", "1", 47 * "x", "1"]
    assert "no run has the tag" in tess("tag", "--lab", tmp_path, "x", "tag:none", code=3).stderr
    assert "means 2 runs" in tess("show", "--lab", tmp_path, "tag:fig-2", code=3).stderr


def test_notes_are_shown(tess, writer, tmp_path):
    runs = writer(tmp_path, 1)
    assert tess("note", "--lab", tmp_path, "@last", "the", "machine was busy").stderr == f"note added to run {runs[-1]}\n"
    assert tess("note", "--lab", tmp_path, "@last", "again", "--quiet").stderr == ""
    assert tess("note", "--lab", tmp_path, "@last").stdout == "the machine was busy\nagain\n"
    assert "the machine was busy" in tess("show", "--lab", tmp_path, "@last").stdout


def test_the_trash_gives_back_until_it_is_emptied(tess, writer, tmp_path):
    runs = writer(tmp_path, 3)
    tess("tag", "--lab", tmp_path, "keep", runs[1])
    before = content(tmp_path)
    tess("rm", "--lab", tmp_path, runs[1])
    assert listed(tess, tmp_path) == [runs[0], runs[2]]
    tess("rm", "--lab", tmp_path, "--restore", runs[1])
    assert listed(tess, tmp_path, "-w", "tag:keep") == [runs[1]]
    assert content(tmp_path) == before
    tess("rm", "--lab", tmp_path, "@last", runs[0])
    tess("rm", "--lab", tmp_path, "--empty")
    assert listed(tess, tmp_path) == [runs[1]]
    assert not list((tmp_path / "trash").iterdir())
    assert "has no run" in tess("rm", "--lab", tmp_path, "--restore", runs[0], code=3).stderr


def test_emptying_deletes_plans_that_nobody_uses(tess, tmp_path):
    tess("partition", "quads:nx=8:ny=8", "--map", "edges:cells", "--partitioner", "rcb,file-order",
         "--block-size", "64", "--view", "--lab", tmp_path)  # fmt: skip
    plans = list((tmp_path / "plans").iterdir())
    tess("rm", "--lab", tmp_path, "@last")
    for plan in plans:
        os.utime(plan, (time.time() - 7200,) * 2)  # nobody is about to refer to them
    assert "1 run, 1 plan, 0 meshes" in tess("rm", "--lab", tmp_path, "--empty").stderr
    assert len(list((tmp_path / "plans").iterdir())) == len(list((tmp_path / "views").glob("*64.hdf"))) == 1
    assert "0 defects" in tess("verify", "--lab", tmp_path).stdout


def age(path, hours):
    os.utime(path, (time.time() - 3600 * hours,) * 2)


def test_emptying_deletes_meshes_that_nobody_uses_but_no_young_ones(tess, tmp_path):
    for mesh in ("quads:nx=8:ny=8", "quads:nx=9:ny=8"):
        tess("partition", mesh, "--map", "edges:cells", "--partitioner", "rcb", "--block-size", "64", "--view", "--lab", tmp_path)
    used = json.loads(tess("show", "--lab", tmp_path, "@last~1", "--json").stdout)
    meshes = {path.stem: path for path in (tmp_path / "meshes").iterdir()}
    plans = {path.stem: path for path in (tmp_path / "plans").iterdir()}
    tess("rm", "--lab", tmp_path, "@last")
    for path in meshes.values():
        age(path, 23)  # a sweep may have stored it and be at its first point still
    assert "1 run, 0 plans, 0 meshes" in tess("rm", "--lab", tmp_path, "--empty").stderr
    for path in [*meshes.values(), *plans.values()]:
        age(path, 25)
    assert "0 runs, 1 plan, 1 mesh" in tess("rm", "--lab", tmp_path, "--empty").stderr
    for kind, digest in (("meshes", used["mesh_digest"]), ("plans", used["plan_digest"])):
        assert [path.stem for path in (tmp_path / kind).iterdir()] == [digest]
    (view,) = (tmp_path / "views").glob("*.64.hdf")
    with h5py.File(view) as file:
        assert file.attrs["view_of"].decode() == used["plan_digest"]
    assert "0 defects" in tess("verify", "--lab", tmp_path).stdout


def test_views_are_made_on_demand_and_named_for_people(tess, tmp_path):
    """Equal words, other seeds: the second has the plan's digest in its name. The names of 0.1 are found and replaced."""
    lab, mesh = tmp_path / "lab", tmp_path / "my mesh;$(x).v2.su2"
    tess("mesh", "convert", "quads:nx=8:ny=8", tmp_path / "plain.su2")
    (tmp_path / "plain.su2").rename(mesh)
    cut = ("partition", mesh, "--map", "edges:cells", "--block-size", "64", "--lab", lab, "--json")
    runs = json.loads(tess(*cut, "-p", "random,metis:method=recursive", "--seed", "1").stdout)["runs"]
    assert {run["view_file"] for run in runs} == {None} and not list((lab / "views").iterdir())
    runs += json.loads(tess(*cut, "-p", "random", "--seed", "2", "--view").stdout)["runs"]
    runs += json.loads(tess(*cut, "-p", "random", "--seed", "2", "--view", "--refine", "0").stdout)["runs"]  # the same plan
    plans = [run["plan_file"].split("/")[-1].removesuffix(".hdf") for run in runs]

    def view(i):
        (path,) = json.loads(tess("view", runs[i]["run"], "--lab", lab, "--json").stdout)["views"]
        with h5py.File(path) as file:
            assert file.attrs["view_of"].decode() == plans[i]
            assert file["VTKHDF/FieldData/plan_digest"][0].decode() == plans[i]
            assert file["VTKHDF/FieldData/run"][0].decode() == runs[min(i, 2)]["run"]
        return path.split("/")[-1].removesuffix(".hdf").removeprefix("my-mesh---x-.edges-cells.")

    assert plans[2] == plans[3] and runs[2]["view_file"] == runs[3]["view_file"]
    assert [view(i) for i in range(4)] == [f"random.64.{plans[0][:12]}", "metis-method=recursive.64", "random.64", "random.64"]
    first = lab / f"views/my-mesh---x-.edges-cells.random.64.{plans[0][:12]}.hdf"
    for old in (f"{plans[0]}.hdf", f"{'x' * 100}.{plans[0][:12]}.hdf"):  # as labs of 0.1 had it
        first.rename(lab / "views" / old)
        with h5py.File(lab / "views" / old, "r+") as file:
            del file.attrs["view_of"], file.attrs["view_version"]
        assert view(0) == f"random.64.{plans[0][:12]}" and not (lab / "views" / old).exists()
    (lab / "views" / "mine.hdf").write_bytes(b"not a view of ours")
    (lab / "views" / "my-mesh---x-.edges-cells.random.64.pvsm").write_text("the state of a view that goes")
    for run in runs[2:]:
        tess("rm", "--lab", lab, run["run"])
    for path in (lab / "plans").iterdir():
        age(path, 25)
    tess("rm", "--lab", lab, "--empty")
    left = {path.name for path in (lab / "views").iterdir()}
    kept = [first.name, "my-mesh---x-.edges-cells.metis-method=recursive.64.hdf"]
    assert left == {*kept, *(name.replace(".hdf", ".blocks.hdf") for name in kept), "mine.hdf"}


def test_emptying_deletes_nothing_that_an_unreadable_run_may_use(tess, tmp_path):
    tess("partition", "quads:nx=8:ny=8", "--map", "edges:cells", "--partitioner", "rcb,file-order",
         "--block-size", "64", "--lab", tmp_path)  # fmt: skip
    next((tmp_path / "runs").iterdir()).write_bytes(b"damaged")
    before = content(tmp_path)
    for path in [*(tmp_path / "plans").iterdir(), *(tmp_path / "meshes").iterdir()]:
        age(path, 48)
    assert "error: 1 run cannot be read, so the plans" in tess("rm", "--lab", tmp_path, "--empty", code=1).stderr
    assert content(tmp_path) == before


def test_emptying_while_others_write_loses_nothing(tess, tess_bin, tmp_path):
    """Plans that are old and unused are taken up again by one process and deleted by another."""
    words = ["partition", "quads:nx=20:ny=20", "--map", "edges:cells", "--partitioner", "rcb,file-order,hilbert,rcm",
             "--block-size", "32,64,96,128", "--no-view", "--lab", tmp_path]  # fmt: skip
    tess(*words)
    for _ in range(4):
        tess("rm", "--lab", tmp_path, *(path.stem for path in (tmp_path / "runs").iterdir()))
        for path in [*(tmp_path / "plans").iterdir(), *(tmp_path / "meshes").iterdir()]:
            age(path, 48)
        with subprocess.Popen([tess_bin, *map(str, words)], stdout=subprocess.DEVNULL) as writer:
            while writer.poll() is None:
                tess("rm", "--lab", tmp_path, "--empty", "--quiet")
        assert writer.returncode == 0
        assert "0 defects" in tess("verify", "--lab", tmp_path).stdout
        assert len(listed(tess, tmp_path)) == 16


def test_merging_is_complete_and_idempotent(tess, writer, tmp_path):
    one, two, all_of_them = tmp_path / "one", tmp_path / "two", tmp_path / "all"
    runs = writer(one, 3) + writer(two, 2)
    tess("tag", "--lab", two, "paper", runs[4])
    tess("note", "--lab", one, runs[0], "first")
    assert "1 mesh, 0 plans, 3 runs" in tess("merge", "--lab", all_of_them, one, two).stdout
    assert indexed(all_of_them) == sorted(runs), "nobody has listed them yet"
    assert sorted(listed(tess, all_of_them)) == sorted(runs)
    assert listed(tess, all_of_them, "-w", "tag:paper") == [runs[4]]
    before = content(all_of_them)
    again = tess("merge", "--lab", all_of_them, two, one).stdout.splitlines()
    assert len(again) == 2 and all("0 meshes, 0 plans, 0 runs, 0 " in line for line in again), again
    assert content(all_of_them) == before == content(one) | content(two)
    assert "0 defects" in tess("verify", "--lab", all_of_them).stdout
    table = tess("runs", "--lab", all_of_them, "--csv").stdout
    (all_of_them / "runs" / f"{runs[1]}.hdf").unlink()  # its row stays in the index until somebody lists
    tess("merge", "--lab", all_of_them, one)
    assert indexed(all_of_them) == sorted(runs)
    assert tess("runs", "--lab", all_of_them, "--csv").stdout == table
    (all_of_them / "index.hdf").unlink()
    assert tess("runs", "--lab", all_of_them, "--csv").stdout == table, "the files say the same as the index"


def test_merging_says_what_a_lab_that_was_copied_while_it_grew_lacks(tess, writer, tmp_path):
    """Runs come, as nothing that is archived is lost, and what they refer to when the other lab has it."""
    one, two, all_of_them = tmp_path / "one", tmp_path / "two", tmp_path / "all"
    runs = writer(one, 2)
    shutil.copytree(one, two)
    for mesh in (two / "meshes").iterdir():
        mesh.unlink()
    done = tess("merge", "--lab", all_of_them, two, code=1)
    assert f"2 runs were copied whose mesh or plan is in none of the labs; the last: run {max(runs)}. Merge again" in done.stderr
    assert sorted(listed(tess, all_of_them)) == sorted(runs)
    assert "has 2 defects" in tess("verify", "--lab", all_of_them, code=1).stderr
    tess("rm", "--lab", all_of_them, runs[0])
    assert tess("verify", "--lab", all_of_them, code=1).stderr.endswith("has 1 defect\n")
    tess("rm", "--lab", all_of_them, "--restore", runs[0])
    tess("merge", "--lab", all_of_them, one)
    assert "0 defects" in tess("verify", "--lab", all_of_them).stdout


def test_merging_a_lab_that_is_not_there_makes_none(tess, writer, tmp_path):
    writer(tmp_path / "one", 1)
    done = tess("merge", "--lab", tmp_path / "all", tmp_path / "one", tmp_path / "won", code=3)
    assert "there is no lab at" in done.stderr and not (tmp_path / "all").exists()


def test_merging_leaves_damage_and_trash_where_they_are(tess, writer, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    runs = writer(one, 3)
    shutil.copytree(one, two)
    tess("rm", "--lab", two, runs[0])
    (two / "runs" / f"{runs[1]}.hdf").unlink()
    damaged = one / "runs" / f"{runs[1]}.hdf"
    damaged.write_bytes(damaged.read_bytes()[:-200])
    done = tess("merge", "--lab", two, one, code=1)
    assert "1 file cannot be read and was not copied; the last: " in done.stderr and runs[1] in done.stderr
    assert listed(tess, two) == [runs[2]]
