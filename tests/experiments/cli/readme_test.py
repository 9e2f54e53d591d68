"""The READMEs: every command that they show works as it stands there, and the demo's table is today's."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import matplotlib.image
import pytest
from conftest import ROOT, limited

SHOWN = [("README.md", "."), ("docs/tasks.md", "."), ("docs/user_kernel/README.md", "docs/user_kernel"),
         ("docs/user_partitioner/README.md", "docs/user_partitioner")]  # fmt: skip


def commands_of(page):
    """The lines that begin with `$`, with those that continue them, of a page's blocks; no ./bootstrap."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
    lines = re.sub(r"\\\n", " ", "".join(blocks)).split("\n")
    return [line[2:] for line in lines if line.startswith("$ ") and "bootstrap" not in line]


def pictures_of(page):
    return [ROOT / "docs" / name for name in re.findall(r"^!\[.*\]\((.*)\)$", (ROOT / page).read_text(), re.MULTILINE)]


def has_colours(picture):
    """Whether a picture shows something: it is neither empty nor of one colour."""
    pixels = matplotlib.image.imread(picture)[..., :3]
    return min(pixels.shape[:2]) > 200 and (pixels < pixels.max() - 0.3).any(axis=-1).mean() > 0.002


def test_each_task_has_a_command_and_a_picture():
    page = "docs/tasks.md"
    tasks = re.findall(r"^\*\*\d+\..*?(?=^\*\*|\Z)", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
    assert len(tasks) == len(pictures_of(page)) == 10
    for task in tasks:
        assert task.count("\n$ ") == 1 and len(re.findall(r"^!\[", task, re.MULTILINE)) == 1
        assert f"-o {task.split('(tasks/')[1].split(')')[0]}" in task or f"--png {task.split('(tasks/')[1].split(')')[0]}" in task


@pytest.mark.slow
@pytest.mark.skipif(not pathlib.Path("/usr/bin/pvpython").exists(), reason="ParaView is not installed")
@pytest.mark.parametrize("page, folder", SHOWN)
def test_commands_work(tess_bin, tmp_path, page, folder):
    """In a shell, one after another, where the folders are those of the checkout, that of the page a copy."""
    if folder != ".":
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for name in {"data", "docs", "viz", "experiments"} - {folder.split("/")[0]}:
        (tmp_path / name).symlink_to(ROOT / name)
    commands = commands_of(page)
    assert len(commands) > (6 if page == "README.md" else 0)
    script = [f"PATH={tess_bin.parent}:$PATH"]
    for command in commands:
        away = " || test $? = 4" if "--device cuda" in command else ""  # no GPU is needed here
        script.append(f"{{ {command.split('#')[0]}; }}{away} || {{ echo 'this fails: {page}'; exit 1; }}")
    script = "\n".join(script).replace("PATH=$PWD/build/release/bin:$PATH ", "")
    done = subprocess.run(["bash", "-ec", script], cwd=tmp_path / folder, text=True, capture_output=True,
                          **limited(300), env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin",
                                               "TESS_LAB": str(tmp_path / "lab"), "CC": os.environ["CC"],
                                               "TESS_CACHE": os.environ["TESS_CACHE"],
                                               "OMP_WAIT_POLICY": "passive"})  # fmt: skip
    assert done.returncode == 0, done.stdout[-1500:] + done.stderr[-1500:]
    if page == "docs/tasks.md":
        for picture in pictures_of(page):
            assert has_colours(tmp_path / picture.name) and has_colours(picture), picture


COLUMNS = {"reuse": "reuse_factor", "thread colours": "thread_colours_mean", "block colours": "block_colours",
           "components": "components_mean", "touched MB": "transfer_total"}  # fmt: skip


def table_of(page):
    """The values of README's table by partitioner, under its titles."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")]
            for line in page.split("\n") if line.startswith("|")]  # fmt: skip
    start = [row[0] for row in rows].index("partitioner")
    titles, _, *values = rows[start:]
    return {row[0]: dict(zip(titles[1:], map(float, row[1:]))) for row in values}


def test_the_table_of_the_demo_is_todays(tess, tmp_path):
    """Within 1 %, as mosaic's blocks change a little whenever it is improved; pieces by 0.05."""
    shown = table_of((ROOT / "README.md").read_text())
    assert len(shown) == 5 and all(list(row) == list(COLUMNS) for row in shown.values())
    done = tess("partition", ROOT / "data/meshes/north_sea.msh.xz", "--map", "edges:cells", "--dat", "q:cells:4:double",
                "--block-size", "128", "--partitioner", ",".join(shown), "--lab", tmp_path, "--no-view",
                "--json")  # fmt: skip
    for run in json.loads(done.stdout)["runs"]:
        made = {title: run[name] / (1e6 if "MB" in title else 1) for title, name in COLUMNS.items()}
        assert shown[run["partitioner"]] == pytest.approx(made, rel=0.01, abs=0.05), run["partitioner"]
