"""tess show and tess verify: everything of a run; every defect of a lab."""

import json
import pathlib
import re
import subprocess

import h5py
import pytest


@pytest.fixture
def lab(tess_bin, tmp_path):
    """A lab of three runs and its writer's output."""
    writer = tess_bin.parents[1] / "tests/lab_writer"
    done = subprocess.run([writer, tmp_path, "3"], capture_output=True, text=True, check=True)
    return tmp_path, done.stdout.split()


def test_show_has_everything_of_a_run(tess, lab):
    folder, runs = lab
    shown = json.loads(tess("show", "--lab", folder, runs[1], "--json").stdout)
    assert shown["run"] == runs[1] and shown["outcome"] == "passed"
    assert shown["configuration"]["block_size"] == {"value": 64, "unit": "elements"}
    reuse = [metric for metric in shown["metrics"] if metric["name"] == "reuse_factor"]
    assert reuse[0]["value"] == 1.25 and reuse[0]["source"] == "plan" and reuse[0]["long_name"]
    assert len(shown["samples"]["time"]["values"]) == 25
    assert shown["environment"]["cores"]["unit"] == "1" and shown["environment"]["commit"]
    words = tess("show", "--lab", folder, "@last").stdout
    assert runs[2] in words and "accesses per staged point" in words


def test_show_names_what_it_cannot_find(tess, lab):
    folder, runs = lab
    assert "no run 'zzzz'" in tess("show", "--lab", folder, "zzzz", code=3).stderr
    assert "more of its id" in tess("show", "--lab", folder, runs[0][:6], code=3).stderr
    assert "which run?" in tess("show", "--lab", folder, code=2).stderr


def test_verify_finds_every_defect_and_removes_what_the_dead_left(tess, lab):
    folder, runs = lab
    assert "0 defects" in tess("verify", "--lab", folder).stdout
    flipped = folder / "runs" / f"{runs[0]}.hdf"
    content = bytearray(flipped.read_bytes())
    for at in range(len(content) // 2, len(content), 97):  # what HDF5 left unused may be hit, too
        content[at] ^= 4
    flipped.write_bytes(content)
    (folder / "runs" / f"{runs[1]}.hdf").rename(folder / "runs" / f"{runs[1][:-1]}{'1' if runs[1][-1] == '0' else '0'}.hdf")
    ended = subprocess.Popen(["true"])
    ended.wait()
    host = pathlib.Path("/proc/sys/kernel/hostname").read_text().strip().split(".")[0]
    left = folder / "plans" / f".x.hdf.{host}.{ended.pid}.0011223344556677.tmp"
    left.touch()
    report = json.loads(tess("verify", "--lab", folder, "--json", code=1).stdout)
    assert len(report["defects"]) == 2 and report["temporaries_removed"] == 1
    assert any(str(flipped) in words for words in report["defects"])
    assert not left.exists()


def test_verify_needs_the_mesh_of_a_run(tess, lab):
    folder, runs = lab
    (mesh,) = (folder / "meshes").iterdir()
    mesh.unlink()
    done = tess("verify", "--lab", folder, code=1)
    assert done.stdout.count("which is not there") == 3 and "3 defects" in done.stderr


@pytest.fixture
def planned(tess, tmp_path):
    """Plans on two meshes, in the order of the meshes' digests."""
    for mesh in ("quads:nx=8:ny=8", "tris:nx=8:ny=8"):
        tess("partition", mesh, "--map", "edges:cells", "--partitioner", "rcb", "-b", "32", "--lab", tmp_path, "--no-view")
    plans = sorted((tmp_path / "plans").iterdir(), key=lambda path: h5py.File(path).attrs["mesh"])
    for path in plans:
        path.chmod(0o644)
    return tmp_path, plans


@pytest.mark.parametrize("which", [0, 1])
def test_verify_names_the_plans_alone_whose_mesh_is_missing(tess, planned, which):
    folder, plans = planned
    sorted((folder / "meshes").iterdir())[which].unlink()
    said = tess("verify", "--lab", folder, code=1).stdout
    (line,) = [line for line in said.splitlines() if "is missing or damaged" in line]
    assert str(plans[which]) in line


def test_verify_counts_and_proves_plans_again(tess, planned):
    folder, (plan, _) = planned
    with h5py.File(plan, "r+") as file:
        fill = float(file["metrics/fill"][()])
        file["metrics/fill"][...] = 1.5 * fill
    assert f"the metric fill is {1.5 * fill:.17g}, the plan gives {fill:.17g}" in tess("verify", "--lab", folder, code=1).stdout
    with h5py.File(plan, "r+") as file:
        file["metrics/fill"][...] = fill
        file["plan/block_colour"][...] = 0 * file["plan/block_colour"][...]
    digest = re.search(r"its content has the digest (\w{64}), not its name", tess("verify", "--lab", folder, code=1).stdout).group(1)
    plan.rename(plan.with_name(f"{digest}.hdf"))
    assert f"{digest}.hdf: " in (said := tess("verify", "--lab", folder, code=1).stdout) and "colour" in said


def test_verify_reads_views_and_says_how_to_get_them_back(tess, tmp_path):
    tess("partition", "quads:nx=8:ny=8", "--map", "edges:cells", "--partitioner", "rcb", "--view", "--lab", tmp_path)
    assert "2 views verified; 0 defects" in tess("verify", "--lab", tmp_path).stdout
    view = next((tmp_path / "views").iterdir())
    view.write_bytes(view.read_bytes()[:-500])
    assert "'tess view' makes it again" in tess("verify", "--lab", tmp_path, code=1).stdout
