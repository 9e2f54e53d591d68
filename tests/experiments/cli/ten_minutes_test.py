"""The walk from an empty folder: what its page shows is typed, run and broken as it says, with the words that it shows."""

import json
import re

import pytest
from conftest import ROOT

PAGE = (ROOT / "docs" / "user_kernel" / "ten-minutes.md").read_text()
FILES = {name: text for name, text in re.findall(r"`(\w+\.\w+)`:\n\n```\w+\n(.*?)```", PAGE, re.DOTALL)}
COMMANDS = re.findall(r"^\$ tess (.*)$", PAGE, re.MULTILINE)
ERRORS = re.findall(r"^```\n(tess: error: .*?)```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_what_the_page_shows_runs_and_passes(tess, folder):
    assert sorted(FILES) == [f"{name}.{end}" for name in ("diffusion", "limit", "mass") for end in ("h", "yaml")]
    assert len(COMMANDS) == 8
    for command in COMMANDS[:4]:
        more = [] if command.startswith("parts") else ["--no-lab"]
        done = tess(*command.split(), *more, "--json", cwd=folder)
        shown = json.loads(done.stdout)
        assert command.startswith("parts") or {run["check"] for run in shown["runs"]} == {"passed"}
    together, phases = json.loads(tess(*COMMANDS[2].split(), "--no-lab", "--json", cwd=folder).stdout)["runs"][1:]
    assert "144 bytes" in PAGE and 2 * phases["shared_bytes"] == together["shared_bytes"]


def test_the_step_of_the_page_is_bounded_marched_and_run(tess, folder):
    bound, march, chained, run = [
        json.loads(tess(*command.split(), *([] if command.startswith("bound") else ["--no-lab"]), "--json", cwd=folder).stdout)
        for command in COMMANDS[4:]]
    parts = {part["kind"]: part for part in bound["parts"]}  # the last of each kind
    assert parts["chain"]["loops"] == ["exchange", "advance"] * 2 and parts["chain"]["rings"] == 1
    assert "less than a quarter" in PAGE and 4 * parts["chain"]["bytes"] < parts["loop by loop"]["bytes"]
    assert all(one["check"]["difference"] <= one["check"]["tolerance"] for one in (march, chained))
    assert chained["chains"][0]["loops"] == parts["chain"]["loops"] and chained["chains"][0]["not_stored"] == ["gain"]
    assert chained["rows"][-1]["change"] == pytest.approx(march["rows"][-1]["change"], rel=1e-9)
    assert [one["check"] for one in run["runs"]] == ["passed"] and run["loop"] == "exchange+advance"


def test_every_strategy_that_fits_runs_them(tess, folder):
    for name, mesh, fit in (("mass", "tets:nx=3:ny=3:nz=3", 7), ("limit", "tris:nx=6:ny=6", 7)):
        done = tess("run", "--kernel", f"{name}.h", "--loop", f"{name}.yaml", "--mesh", mesh, "--strategy", "all", "--no-lab", "--json", cwd=folder)
        checks = [run["check"] for run in json.loads(done.stdout)["runs"] if run.get("check") != "not applicable"]
        assert checks == ["passed"] * fit


@pytest.mark.parametrize("number, file, change, mesh", [
    (0, "mass.h", ("x[9 + d]", "x[12 + d]"), "tets"),
    (1, "mass.yaml", ("rows: nodes", "row: nodes"), "tets"),
    (2, "limit.h", ("along[d] = x1[d] - x0[d]", "along[d] += x1[d] - x0[d]"), "tris"),
    (3, "limit.h", (", real *sum1)", ")"), "tris"),
    (4, "diffusion.h", ("    gain[0] = 0;\n", ""), "tris"),
])
def test_what_is_made_wrong_is_said_as_shown(tess, folder, number, file, change, mesh):
    assert change[0] in FILES[file]
    (folder / file).write_text(FILES[file].replace(*change))
    name = file.partition(".")[0]
    kernel = [f"{name}.yaml"] if name == "diffusion" else [f"{name}.h", "--loop", f"{name}.yaml"]
    said = tess("run", "--kernel", *kernel, "--mesh", mesh, "--no-lab", cwd=folder, code=3).stderr
    assert len(ERRORS) == 5 and said.startswith(ERRORS[number].removesuffix(" ...\n"))
