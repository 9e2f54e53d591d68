"""The READMEs: every command that they show works as it stands there, and the demo's table is today's."""

import pathlib
import re
import subprocess

import pytest
from conftest import ROOT

SHOWN = [("README.md", "."), ("docs/user_kernel/README.md", "docs/user_kernel")]


def commands_of(page):
    """The lines that begin with `$`, with those that continue them, of a page's blocks; no ./bootstrap."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
    lines = re.sub(r"\\\n", " ", "".join(blocks)).split("\n")
    return [line[2:] for line in lines if line.startswith("$ ") and "bootstrap" not in line]


@pytest.mark.slow
@pytest.mark.skipif(not pathlib.Path("/usr/bin/pvpython").exists(), reason="ParaView is not installed")
@pytest.mark.parametrize("page, folder", SHOWN)
def test_commands_work(tess_bin, tmp_path, page, folder):
    """In a shell, one after another, where the folders are those of the checkout."""
    for name in ("data", "docs", "viz", "experiments"):
        (tmp_path / name).symlink_to(ROOT / name)
    commands = commands_of(page)
    assert len(commands) > (6 if page == "README.md" else 0)
    script = [f"PATH={tess_bin.parent}:$PATH"]
    for command in commands:
        away = " || test $? = 4" if "--device cuda" in command else ""  # no GPU is needed here
        script.append(f"{{ {command.split('#')[0]}; }}{away} || {{ echo 'this fails: {page}'; exit 1; }}")
    script = "\n".join(script).replace("PATH=$PWD/build/release/bin:$PATH ", "")
    done = subprocess.run(["bash", "-ec", script], cwd=tmp_path / folder, text=True, capture_output=True,
                          timeout=300, env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin",
                                            "TESS_LAB": str(tmp_path / "lab")})  # fmt: skip
    assert done.returncode == 0, done.stdout[-1500:] + done.stderr[-1500:]


def table_of(text):
    """The rows of a table by its titles, without marks, seconds and run; numbers as such."""
    lines = text.split("\n")
    (start,) = [i for i, line in enumerate(lines) if line.lstrip().startswith("block size partitioner")]
    rows = [line.replace("*", "").split()[:10] for line in lines[start + 1 : start + 19]]
    return [[row[1], *map(float, [row[0], *row[2:]])] for row in rows]


def test_the_table_of_the_demo_is_todays(tess, tmp_path):
    """Within 1 %, as mosaic's blocks change a little whenever it is improved; pieces by 0.05."""
    page = (ROOT / "README.md").read_text()
    today = tess("partition", ROOT / "data/meshes/north_sea.msh.xz", "--map", "edges:cells", "--dat", "q:cells:4:double",
                 "--block-size", "128,256", "--lab", tmp_path, "--no-view").stdout  # fmt: skip
    for shown, made in zip(table_of(page), table_of(today), strict=True):
        assert shown[0] == made[0] and shown[1:] == pytest.approx(made[1:], rel=0.01, abs=0.05), (
            f"README.md shows another table than the demo prints:\n{today}")  # fmt: skip
