"""A step of one's own: several loops in one YAML file are marched, run one by one and chained, and what is wrong is named."""

import json
import shutil

import pytest
from conftest import ROOT

MESH = ["--mesh", "tris:nx=9:ny=7"]


@pytest.fixture
def folder(tmp_path):
    for name in ("diffusion.h", "diffusion.yaml"):
        shutil.copy(ROOT / "docs/user_kernel" / name, tmp_path)
    return tmp_path


@pytest.mark.parametrize("device", ["host", "emulator"])
@pytest.mark.parametrize("chains", ["none", "auto", "auto:rings=1", "exchange+advance"])
def test_it_comes_to_the_state_of_its_functions(tess, folder, device, chains):
    for more in ([], ["--precision", "float"]):
        check = json.loads(tess("march", "--kernel", "diffusion.yaml", "--no-lab", *MESH, "--steps", "3", "--chains", chains,
                                "--device", device, "--check", "--json", *more, cwd=folder).stdout)["check"]
        assert check["difference"] <= check["tolerance"]


def test_its_loops_are_run_and_its_settings_marched(tess, folder):
    for what in (["--loop", "exchange", "--strategy", "atomics,point-parallel"], ["--chain", "exchange+advance"]):
        found = json.loads(tess("run", "--kernel", "diffusion.yaml", "--lab", "lab", *MESH, *what, "--json", cwd=folder).stdout)
        assert {run["check"] for run in found["runs"]} == {"passed"}
    march = ["march", "--lab", "lab", *MESH, "--steps", "1", "--device", "emulator", "--settings", "@last"]
    chains = json.loads(tess(*march, "--kernel", "diffusion.yaml", "--json", cwd=folder).stdout)["chains"]
    assert [chain["loops"] for chain in chains] == [["exchange", "advance"]] * 2
    assert "say --kernel diffusion.yaml" in tess(*march, cwd=folder, code=3).stderr, "nobody's code runs unasked"
    runs = json.loads(tess("runs", "--lab", "lab", "--json", cwd=folder).stdout)["runs"]
    assert {(run["application"], run["loop"]) for run in runs} == {
        ("diffusion.yaml", loop) for loop in ("exchange", "exchange+advance", "step")}


@pytest.mark.parametrize("change, words", [
    (("loops:", "loop:"), "'loops' is missing"),
    (("name: advance", "name: advanc"), "the function 'advanc' is not in"),
    (("over: cells", "over: cell"), "the loop is over cell"),
    (("[exchange,", "[exchang,"), "the step has 'exchang', which is not among the loops; did you mean 'exchange'?"),
    (("dat: gain, access", "dat: gai, access"), "arg 1 is 'gai', which is not among the dats"),
    (("cleared: yes", "cleared: maybe"), "cleared is one of no, yes"),
    (("name: advance", "name: exchange"), "loop 'exchange' is there twice"),
    (("    over: cells", "    over: cells\n    parts: []"), "a loop of a step has no 'parts'"),
    (("antisymmetry: exchange", "independent_ends: yes"), "declares its ends independent, which is wrong"),
])
def test_what_is_wrong_is_named(tess, folder, change, words):
    text = (folder / "diffusion.yaml").read_text()
    assert change[0] in text
    (folder / "diffusion.yaml").write_text(text.replace(*change))
    failed = tess("march", "--kernel", "diffusion.yaml", "--no-lab", *MESH, "--steps", "1", cwd=folder, code=3)
    assert words in failed.stderr and "diffusion.yaml" in failed.stderr


@pytest.mark.parametrize("arguments, code, words", [
    (["march", "--kernel", "diffusion.h", "--no-lab"], 2, "a march needs a step: --kernel FILE.yaml"),
    (["march", "--kernel", "diffusion.yaml", "--ranks", "2", "--no-lab"], 2, "march without ranks"),
    (["run", "--kernel", "diffusion.h", "--loop", "diffusion.yaml", "--no-lab"], 3, "say --kernel diffusion.yaml alone"),
    (["run", "--kernel", "diffusion.yaml", "--loop", "advanc", "--no-lab"], 2, "did you mean 'advance'?"),
    (["bound", "--kernel", "diffusion.yaml", "--loop", "advance"], 2, "of a step all loops are shown"),
    (["march", "airfoil", "--kernel", "diffusion.yaml", "--no-lab"], 2, "name an application"),
    (["march", "--kernel", "nothing.yaml", "--no-lab"], 3, "nothing.yaml"),
])
def test_what_does_not_go_together_is_refused(tess, folder, arguments, code, words):
    assert words in tess(*arguments, *MESH, cwd=folder, code=code).stderr
