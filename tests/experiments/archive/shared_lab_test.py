"""Labs of others: one that cannot be written is viewed, one of a group is the group's, a file in use is no defect."""

import json
import os
import stat

import h5py
import pytest

RUN = ["partition", "tris:nx=6:ny=6", "--map", "edges:cells", "-b", "32", "-p", "file-order"]


@pytest.fixture
def as_owner(tess_bin):
    """The program without root's right to write everywhere."""
    return ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.geteuid() == 0 else []


@pytest.fixture
def run_bound(tess_bin, as_owner):
    import subprocess

    from conftest import limited

    def run(*words, code=0, **options):
        done = subprocess.run([*as_owner, tess_bin, *map(str, words)], capture_output=True, text=True, **limited(120), **options)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run


def test_a_lab_that_cannot_be_written_is_viewed(tess, run_bound, tmp_path):
    lab, cache = tmp_path / "lab", tmp_path / "cache"
    tess(*RUN, "--lab", lab, "--no-view")
    before = sorted(path for path in lab.rglob("*"))
    for folder in (lab, *(path for path in lab.iterdir() if path.is_dir())):
        folder.chmod(0o555)
    try:
        for _ in range(2):  # made, then found again
            done = run_bound("view", "@last", "--lab", lab, "--json", env={**os.environ, "TESS_CACHE": str(cache)})
            view = json.loads(done.stdout)["views"][0]
            assert view.startswith(str(cache)) and f"the lab {lab} cannot be written: views are in {cache}/views" in done.stderr
            with h5py.File(view) as file:
                assert "VTKHDF" in file
        assert len(list((cache / "views").iterdir())) == 2  # the view and its blocks
        run_bound("runs", "--lab", lab)
        run_bound("show", "@last", "--lab", lab)
        run_bound("verify", "--lab", lab)
        for words in (RUN, ["record", "it", "--", "touch", str(tmp_path / "begun")]):
            told = run_bound(*words[:2], "--lab", lab, *words[2:], code=3).stderr
            assert f"the lab {lab} cannot be written: Permission denied; --lab DIR or TESS_LAB name another" in told
        assert not (tmp_path / "begun").exists(), "a lab is looked at before the work"
        assert sorted(path for path in lab.rglob("*")) == before
    finally:
        for folder in (lab, *(path for path in lab.iterdir() if path.is_dir())):
            folder.chmod(0o755)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_lab_of_a_group_is_writable_by_it(tess, tmp_path):
    """Whatever the umask: a setgid folder that its group may write is meant to be shared."""
    ours, mine = tmp_path / "ours", tmp_path / "mine"
    for folder in (ours, mine):
        folder.mkdir()
    ours.chmod(0o2775)
    mine.chmod(0o755)
    for folder in (ours, mine):
        tess(*RUN, "--lab", folder / "lab", umask=0o022)
        tess("tag", "good", "@last", "--lab", folder / "lab", umask=0o022)
    kinds = ["", "meshes", "plans", "runs", "notes", "views"]
    assert {mode(ours / "lab" / kind) for kind in kinds} == {0o2775}
    assert {mode(path) for path in (ours / "lab/notes").iterdir()} == {0o2775}
    assert {mode(mine / "lab" / kind) for kind in kinds} == {0o755}


def test_a_file_that_is_held_open_is_in_use(tess, tmp_path):
    tess(*RUN, "--lab", tmp_path / "lab")
    path = next((tmp_path / "lab/runs").iterdir())
    with h5py.File(path, "r+") as file:
        file.attrs["note"] = "being written"
        done = tess("verify", "--lab", tmp_path / "lab")
        assert f"{path}: in use" in done.stdout and "1 in use; 0 defects" in done.stdout
        said = json.loads(tess("verify", "--lab", tmp_path / "lab", "--json").stdout)
        assert said["in_use"] == [str(path)] and said["defects"] == []
    path.write_bytes(path.read_bytes()[:1000])
    done = tess("verify", "--lab", tmp_path / "lab", code=1)
    assert "in use" not in done.stdout and "1 defect" in done.stdout


def test_the_plans_of_a_mesh_in_use_are_no_defects(tess, tmp_path):
    tess(*RUN, "--lab", tmp_path / "lab")
    mesh = next((tmp_path / "lab/meshes").iterdir())
    content = mesh.read_bytes()
    with h5py.File(mesh, "r+") as file:
        file.attrs["note"] = "being written"
        file.flush()
        done = tess("verify", "--lab", tmp_path / "lab")
        assert "1 in use; 0 defects" in done.stdout
    mesh.write_bytes(content)
    assert "in use" not in tess("verify", "--lab", tmp_path / "lab").stdout
