"""tess show and tess verify: everything of a run; every defect of a lab."""

import json
import pathlib
import subprocess

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


def test_verify_reads_views_and_says_how_to_get_them_back(tess, tmp_path):
    tess("partition", "quads:nx=8:ny=8", "--map", "edges:cells", "--partitioner", "rcb", "--view", "--lab", tmp_path)
    assert "2 views verified; 0 defects" in tess("verify", "--lab", tmp_path).stdout
    view = next((tmp_path / "views").iterdir())
    view.write_bytes(view.read_bytes()[:-500])
    assert "'tess view' makes it again" in tess("verify", "--lab", tmp_path, code=1).stdout
