"""What comes from somebody else is not executed, nor does it reach beyond the lab: docs/trust.md."""

import os
import shutil
import subprocess

import h5py
import pytest
from conftest import ROOT, limited

MESH = "tris:nx=3:ny=2"
CUT = ("partition", MESH, "--map", "edges:cells", "-b", "4")
EXECUTED = 'extern int creat(const char *, unsigned);\n' \
    '__attribute__((constructor)) static void at_start(void) { creat("executed", 0600); }\n'  # fmt: skip


@pytest.fixture
def lab(tess, tmp_path):
    """A lab with one run; the path of its record."""
    tess(*CUT, "-p", "file-order", "--no-view", cwd=tmp_path)
    return next((tmp_path / "lab/runs").glob("*.hdf"))


def test_a_recipe_needs_leave_for_its_kernel(tess, tmp_path):
    text = (ROOT / "docs/user_kernel/blend.h").read_text()
    (tmp_path / "theirs.h").write_text(text + EXECUTED)
    shutil.copy(ROOT / "docs/user_kernel/blend.yaml", tmp_path)
    (tmp_path / "recipe.yaml").write_text(
        f'sweep: theirs\naxes:\n  mesh: "{MESH}"\n  kernel: theirs.h\n  loop: blend.yaml\n'
        "  strategy: sequential\n  device: host\n")
    words = tess("sweep", "recipe.yaml", cwd=tmp_path, code=3).stderr
    assert "recipe.yaml:4:11: " in words and "--allow-exec" in words
    assert "--kernel=theirs.h" in tess("sweep", "recipe.yaml", "--dry-run", cwd=tmp_path).stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["blend.yaml", "recipe.yaml", "theirs.h"]
    tess("sweep", "recipe.yaml", "--allow-exec", "--no-view", cwd=tmp_path)
    assert (tmp_path / "executed").exists()


def test_the_current_folder_holds_no_modules_of_python(tess, tmp_path):
    for name in ("array", "mmap", "numpy", "struct", "traceback"):
        (tmp_path / f"{name}.py").write_text("open('executed', 'w')\n")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/cut.py").write_text("def partition(problem):\n    return [0] * problem.n_elements\n")
    tess(*CUT, "-p", "python:file=mine/cut.py", "--no-lab", cwd=tmp_path)
    assert not (tmp_path / "executed").exists()


def test_the_current_folder_holds_no_worker(tess_bin, tmp_path):
    """Though a file there has the name by which a shell calls the program that it finds in PATH."""
    (tmp_path / "tess").touch()
    (tmp_path / "tess-worker").write_text("#!/bin/sh\ntouch executed\n")
    (tmp_path / "tess-worker").chmod(0o755)
    environment = {key: value for key, value in os.environ.items() if key != "TESS_WORKER"}
    done = subprocess.run(["tess", *CUT, "-p", "metis", "--no-lab", "--no-view"], cwd=tmp_path, capture_output=True, text=True,
                          **limited(), env={**environment, "PATH": f"{tess_bin.parent}:{os.environ['PATH']}"})  # fmt: skip
    assert done.returncode == 0 and not (tmp_path / "executed").exists(), done.stderr


def test_compiled_pages_are_taken_only_from_a_folder_of_the_user_s(tess, tmp_path):
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules").chmod(0o777)
    words = tess("run", "airfoil", "--mesh", "airfoil:i=4:j=6", "-s", "sequential", "--device", "host", "--no-lab",
                 env={**os.environ, "TESS_CACHE": str(tmp_path)}, code=1).stderr  # fmt: skip
    assert f"{tmp_path}/modules is not yours alone" in words


@pytest.mark.parametrize("name", ["mesh", "plan"])
def test_a_record_names_no_file_outside_of_its_lab(tess, tmp_path, lab, name):
    with h5py.File(lab, "r+") as file:
        file.attrs.modify(name, file.attrs[name][:0] + b"../../elsewhere")
    assert f"the attribute {name} is '../../elsewhere', no digest" in tess("show", "@last", cwd=tmp_path, code=3).stderr
    tess("view", "@last", "--png", "a.png", cwd=tmp_path, code=3)


def test_a_note_that_is_a_link_is_none(tess, tmp_path, lab):
    (tmp_path / "secret").write_text("a secret")
    tess("note", "@last", "words", cwd=tmp_path)
    (tmp_path / "lab/notes" / lab.stem / "note.0.txt").symlink_to(tmp_path / "secret")
    assert tess("note", "@last", cwd=tmp_path).stdout == "words\n"
    tess("merge", "lab", "--lab", "other", cwd=tmp_path)
    copied = tmp_path / "other/notes" / lab.stem
    assert len(list(copied.iterdir())) == 1 and not (copied / "note.0.txt").exists()


def test_a_terminal_obeys_no_name_of_a_lab(tess, tmp_path):
    name = "red\x1b[31m\x9b2J\x7f.su2"
    tess("mesh", "generate", MESH, "--output", name, cwd=tmp_path)
    tess("partition", name, *CUT[2:], "-p", "file-order", "--no-view", cwd=tmp_path)
    tess("note", "@last", "a note \x1b[31m", cwd=tmp_path)
    shown = tess("show", "@last", cwd=tmp_path).stdout
    assert "red\\x1b[31m\\x9b2J\\x7f.su2" in shown and "a note \\x1b[31m" in shown
    told = tess("note", "@last", cwd=tmp_path).stdout + tess("show", name, cwd=tmp_path, code=3).stderr
    assert not any(letter in shown + told for letter in "\x1b\x7f\x9b")
