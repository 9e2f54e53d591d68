"""A step of one's own: several loops in one YAML file are marched, run one by one and chained, and what is wrong is named."""

import json
import shutil

import pytest
from conftest import ROOT

pytestmark = pytest.mark.usefixtures("compiling_cc")

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


@pytest.mark.parametrize("chains, rings", [("auto:rings=1", [1]), ("auto:elements=points", [0, 0]), ("auto:elements=once", [0, 0])])
@pytest.mark.parametrize("device", ["host", "emulator"])
def test_gathered_elements_write_their_own_and_sum_once(tess, folder, device, chains, rings):
    """Also those that several blocks compute, for their rings: an edge's flow is written by one thread, its work counted once."""
    yaml = (folder / "diffusion.yaml").read_text()
    for old, new in [("    antisymmetry: exchange\n", ""), ("  - {name: gain,", "  - {name: flow, set: edges, dim: 1}\n  - {name: gain,"),
                     ("slot: 1, access: inc}\n", "slot: 1, access: inc}\n      - {dat: flow, access: write}\n"
                                                 "      - {dat: change, access: inc}\n")]:
        assert yaml.count(old) == 1
        yaml = yaml.replace(old, new)
    (folder / "diffusion.yaml").write_text(yaml)
    kernel = (folder / "diffusion.h").read_text()
    (folder / "diffusion.h").write_text(kernel.replace("real *gain1) {", "real *gain1, real *own, real *work) {")
                                        .replace("gain1[0] -= flow;", "gain1[0] -= flow;\n    own[0] = flow;\n    work[0] += flow * flow;"))
    march = ["march", "--kernel", "diffusion.yaml", "--no-lab", *MESH, "--steps", "3", "--device", device, "-b", "16", "--json"]
    told = json.loads(tess(*march, "--chains", chains, "--check", cwd=folder).stdout)
    assert [chain["rings"] for chain in told["chains"]] == rings
    assert told["check"]["difference"] <= told["check"]["tolerance"]
    alone = json.loads(tess(*march, "--chains", "none", cwd=folder).stdout)
    assert told["rows"][-1]["change"] == pytest.approx(alone["rows"][-1]["change"], rel=1e-12)


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
    (["run", "--kernel", "diffusion.h", "--loop", "diffusion.yaml", "--no-lab"], 3, "say --kernel diffusion.yaml alone"),
    (["run", "--kernel", "diffusion.yaml", "--loop", "advanc", "--no-lab"], 2, "did you mean 'advance'?"),
    (["bound", "--kernel", "diffusion.yaml", "--loop", "advance"], 2, "of a step all loops are shown"),
    (["march", "airfoil", "--kernel", "diffusion.yaml", "--no-lab"], 2, "name an application"),
    (["march", "--kernel", "nothing.yaml", "--no-lab"], 3, "nothing.yaml"),
])
def test_what_does_not_go_together_is_refused(tess, folder, arguments, code, words):
    assert words in tess(*arguments, *MESH, cwd=folder, code=code).stderr


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("device, chains", [("host", "none"), ("host", "auto:rings=1"), ("emulator", "auto")])
def test_it_marches_on_ranks(tess, folder, ranks, device, chains):
    march = ["march", "--kernel", "diffusion.yaml", "--no-lab", *MESH, "--steps", "3", "--device", device, "--chains", chains, "--json"]
    told = json.loads(tess(*march, "--check", "--ranks", ranks, cwd=folder).stdout)
    assert told["check"]["difference"] <= told["check"]["tolerance"] and told["ranks"]["n"] == ranks
    alone = json.loads(tess(*march, cwd=folder).stdout)
    assert told["rows"][-1]["change"] == pytest.approx(alone["rows"][-1]["change"], rel=1e-12)


def test_it_is_tuned_and_marched_with_what_was_found(tess, folder):
    tune = ["tune", "--kernel", "diffusion.yaml", "--lab", "lab", *MESH, "--step", "--device", "emulator", "--by", "read_sectors",
            "--strategy", "atomics,point-parallel", "--partitioner", "rcb", "--budget", "20s", "--early"]
    told = json.loads(tess(*tune, "--json", cwd=folder).stdout)
    assert told["settings"] == "diffusion.step.yaml" and {loop["loop"] for loop in told["loops"]} == {"exchange", "advance"}
    text = (folder / "diffusion.step.yaml").read_text()
    command = text.split("\n")[1].removeprefix("#   tess ")
    assert command == "march --kernel diffusion.yaml --settings diffusion.step.yaml"
    check = json.loads(tess(*command.split(), "--steps", "2", "--no-lab", "--check", "--json", cwd=folder).stdout)["check"]
    assert check["difference"] <= check["tolerance"]
    assert "where you trust it, say --kernel diffusion.yaml" in tess(
        "march", "--settings", "diffusion.step.yaml", "--steps", "1", "--no-lab", cwd=folder, code=3).stderr
    (folder / "other.yaml").write_text((folder / "diffusion.yaml").read_text())
    assert "these are settings of diffusion.yaml, not of other.yaml" in tess(
        "march", "--kernel", "other.yaml", "--settings", "diffusion.step.yaml", "--no-lab", cwd=folder, code=3).stderr
    assert "--step tunes a step: --kernel FILE.yaml" in tess(
        "tune", "--kernel", "diffusion.h", "--loop", "diffusion.yaml", *tune[5:], "--no-lab", cwd=folder, code=2).stderr


READS_SUM = """  - name: scale
    over: cells
    args:
      - {dat: u, access: rw}
      - {dat: change, access: read}
"""
ON_NODES = """  - name: scale
    over: edges
    args:
      - {dat: u, map: "edges:cells", slot: 0, access: read}
      - {dat: load, map: "edges:nodes", slot: 0, access: inc}
"""
UNOWNED = """  - name: scale
    over: bedges
    args:
      - {dat: side, access: rw}
"""
HEADERS = {READS_SUM: "real *u, const real *change) { u[0] *= change[0] > 1 ? (real)0.5 : 1; }",
           ON_NODES: "const real *u, real *load) { load[0] += u[0]; }", UNOWNED: "real *side) { side[0] += 1; }"}


@pytest.mark.parametrize("loop, run, words", [
    (READS_SUM, "advance+scale", "loops advance and scale are no chain by 'change': the one makes, the other reads a sum"),
    (ON_NODES, "exchange+advance+scale", "loops exchange and scale are no chain: exchange adds to points of cells, scale to 'load' on nodes"),
    (UNOWNED, "advance+scale", "scale is over bedges, of which no loop of the chain adds to points of cells")])
def test_a_run_of_loops_that_is_no_chain_names_two_loops_and_the_dat(tess, folder, loop, run, words):
    text = (folder / "diffusion.yaml").read_text()
    text = text.replace("step: [exchange, advance, exchange, advance]", loop)
    text = text.replace("loops:\n", "  - {name: load, set: nodes, dim: 1}\n  - {name: side, set: bedges, dim: 1}\nloops:\n")
    (folder / "diffusion.yaml").write_text(text)
    with open(folder / "diffusion.h", "a") as header:
        header.write("static inline void scale(" + HEADERS[loop] + "\n")
    for command in (["march", "--steps", "1", "--chains", run], ["run", "--chain", run]):
        refused = tess(*command, "--kernel", "diffusion.yaml", "--no-lab", *MESH, cwd=folder, code=2).stderr
        assert words in refused, refused
    # what is not asked for is cut there
    march = ["march", "--kernel", "diffusion.yaml", "--no-lab", *MESH, "--steps", "2", "--chains", "auto:rings=9", "--check", "--json"]
    told = json.loads(tess(*march, cwd=folder).stdout)
    assert told["check"]["difference"] <= told["check"]["tolerance"]
    assert not any({"advance", "scale"} <= set(chain["loops"]) for chain in told["chains"])
