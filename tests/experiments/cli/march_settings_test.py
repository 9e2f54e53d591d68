"""tess march --settings, --set, --loop: each loop runs as it is told, the same as by tess run."""

import json

import pytest

pytestmark = pytest.mark.usefixtures("compiling_cc")

MARCH = ["march", "--no-lab", "airfoil", "--mesh", "quads:nx=12:ny=12", "--steps", "2"]
EMULATED = [*MARCH, "--device", "emulator", "--check"]
SETTINGS = """application: airfoil
device: emulator
layout: soa,cells.q=aos
renumber: owner
numbered_by: res_calc
loops:
  adt_calc:
    strategy: atomics:registers=40
    partitioner: rcb
    block_size: 96
    threads: 32
  res_calc:
    strategy: point-parallel
    partitioner: file-order
    block_size: 64
    threads: 32
  update: {block_size: 32}
"""


def loops(tess, *words, cwd=None):
    told = json.loads(tess(*words, "--loops", "--json", cwd=cwd).stdout)
    return {loop["loop"]: (loop["block_size"], loop["threads"]) for loop in told["loops"]}


def test_options_are_of_the_loop_that_is_named(tess):
    found = loops(tess, *EMULATED, "--loop", "adt_calc", "--strategy", "halo-atomics", "--threads", "32", "--block-size", "64",
                  "--set", "update.block-size=96", "--set", "update.threads=64")  # fmt: skip
    assert found == {"save_soln": (64, 64), "adt_calc": (64, 32), "res_calc": (64, 64), "bres_calc": (64, 64),
                     "update": (96, 64)}  # fmt: skip


def test_a_file_says_how_each_loop_runs(tess, tmp_path):
    (tmp_path / "step.yaml").write_text(SETTINGS)
    march = [*EMULATED, "--settings", "step.yaml", "--keep-text", "pages"]
    assert loops(tess, *march, cwd=tmp_path) == {
        "save_soln": (128, 128), "adt_calc": (96, 32), "res_calc": (64, 32), "bres_calc": (128, 128), "update": (32, 32)}
    pages = {page.name for page in (tmp_path / "pages").iterdir()}
    assert {"adt_calc-atomics-registers=40-emulator.cu", "res_calc-point-parallel-emulator.cu", "update-atomics-emulator.cu"} <= pages
    # what is typed wins over the file, for the loop that numbers the mesh or the one that is named
    assert loops(tess, *march, "--block-size", "32", cwd=tmp_path)["res_calc"] == (32, 32)
    assert loops(tess, *march, "--loop", "adt_calc", "--threads", "96", cwd=tmp_path)["adt_calc"] == (96, 96)
    assert loops(tess, *march, "--set", "res_calc.block_size=32", cwd=tmp_path)["res_calc"] == (32, 32)


def test_a_file_says_which_loops_are_chained(tess, tmp_path):
    (tmp_path / "step.yaml").write_text("chains: res_calc+bres_calc+update\n" + SETTINGS)
    march = [*EMULATED[:1], "airfoil", *EMULATED[3:], "--settings", "step.yaml", "--json", "--lab", "lab"]
    told = json.loads(tess(*march, cwd=tmp_path).stdout)
    assert [chain["loops"] for chain in told["chains"]] == [["res_calc", "bres_calc", "update"]] * 2
    again = json.loads(tess(*march[:-1], "lab", "--settings", "@last", cwd=tmp_path).stdout)
    assert again["chains"] == told["chains"] and again["rows"][-1]["rms"] == pytest.approx(told["rows"][-1]["rms"], rel=1e-9)
    assert "chains" not in json.loads(tess(*march, "--chains", "none", cwd=tmp_path).stdout)


def test_a_file_says_mesh_and_device_where_nobody_else_does(tess, tmp_path):
    (tmp_path / "step.yaml").write_text("mesh: quads:nx=6:ny=6\n" + SETTINGS)
    told = json.loads(tess("march", "--no-lab", "--settings", "step.yaml", "--steps", "1", "--json", cwd=tmp_path).stdout)
    assert told["application"] == "airfoil" and told["mesh"] == "quads:nx=6:ny=6"
    done = tess("march", "--no-lab", "--settings", "step.yaml", "--steps", "1", "--device", "host", code=2, cwd=tmp_path)
    assert "runs on GPUs and the emulator; this is device host" in done.stderr


@pytest.mark.parametrize("loop, strategy", [("res_calc", "point-parallel"), ("adt_calc", "halo-atomics"),
                                            ("bres_calc", "atomics"), ("update", "atomics")])  # fmt: skip
def test_a_loop_has_the_page_that_tess_run_gives_it(tess, tmp_path, loop, strategy):
    """Its text, blocks and threads are the same, so on a GPU it takes the same time."""
    words = ["airfoil", "--mesh", "quads:nx=40:ny=30", "--loop", loop, "--device", "emulator", "--strategy", strategy,
             "--partitioner", "rcb", "--block-size", "64", "--threads", "32"]
    tess("run", *words, "--no-lab", "--keep-text", tmp_path / "run")
    told = json.loads(tess("march", "--no-lab", *words, "--steps", "1", "--loops", "--json", "--keep-text", tmp_path / "march").stdout)
    name = f"{loop}-{strategy}-emulator.cu"
    assert (tmp_path / "run" / name).read_text() == (tmp_path / "march" / name).read_text()
    assert {row["loop"]: row["threads"] for row in told["loops"]}[loop] == 32


def test_loops_come_to_the_same_state_whatever_each_runs_by(tess):
    rows = []
    for words in ([], ["--set", "res_calc.strategy=point-parallel", "--set", "adt_calc.strategy=halo-atomics"],
                  ["--set", "bres_calc.strategy=block-colour", "--set", "bres_calc.partitioner=rcb", "--loop", "adt_calc"]):
        rows.append(json.loads(tess(*EMULATED, *words, "--json").stdout)["rows"][-1]["rms"])
    assert rows == pytest.approx([rows[0]] * 3, rel=1e-9)


@pytest.mark.parametrize("words, said", [
    (["--set", "res_calk.threads=32"], "there is no loop 'res_calk'; did you mean 'res_calc'?"),
    (["--set", "res_calc"], "is no LOOP.SETTING=VALUE"), (["--set", "res_calc.threads"], "has no value"),
    (["--set", "res_calc.thread=32"], "a loop has no setting 'thread'; did you mean 'threads'?"),
    (["--set", "res_calc.layout=aos"], "a march has one layout, which all its loops share: say it once, and dats that differ"),
    (["--set", "res_calc.threads=33"], "loop res_calc: --threads 33"), (["--set", "res_calc.block_size=x"], "block-size"),
    (["--set", "res_calc.strategy=atomic"], "did you mean 'atomics'?"), (["--loop", "none"], "there is no loop 'none'"),
    (["--set", "update.thread=64", "--ranks", "2"], "a loop has no setting 'thread'")])  # fmt: skip
def test_what_is_no_setting_of_a_loop_is_refused(tess, words, said):
    assert said in tess(*MARCH, "--device", "emulator", *words, code=2).stderr


def test_threads_with_copies_run_all_loops_or_none(tess):
    fv = ["march", "--no-lab", "fv", "--mesh", "quads:nx=6:ny=6", "--steps", "1", "--strategy", "openmp:copies=private"]
    tess(*fv)
    said = tess(*fv, "--set", "differences_back.strategy=sequential", code=2).stderr
    assert "loop differences has copies of its own for each thread, and differences_back has not" in said


@pytest.mark.parametrize("before, after, said", [
    ("application: airfoil", "application: volna", "step.yaml:1:14: application: these are settings of volna, not of airfoil"),
    ("application: airfoil\n", "", "'application: NAME' is missing"),
    ("layout: soa,cells.q=aos", "layouts: soa", "step.yaml:3:1: a file of settings has no 'layouts'; did you mean 'layout'?"),
    ("layout: soa,cells.q=aos", "layout: saa", "step.yaml:3:9: layout: "),
    ("adt_calc:", "adt_kalc:", "step.yaml:7:3: adt_kalc: there is no loop 'adt_kalc'; did you mean 'adt_calc'?"),
    ("threads: 32", "thread: 32", "step.yaml:11:5: thread: a loop has no setting 'thread'; did you mean 'threads'?"),
    ("threads: 32", "threads: many", "step.yaml:11:14: threads: "),
    ("threads: 32", "layout: aos", "step.yaml:11:5: layout: a march has one layout"),
    ("threads: 32", "threads: [32, 64]", "step.yaml:11:14: threads is a word or a number"),
    ("registers=40", "registers=4000", "step.yaml:8:15: strategy: "), ("registers=40", "hints=all", "'hints'"),
    ("numbered_by: res_calc", "numbered_by: update", "step.yaml:5:14: numbered_by: loop update reaches nothing through a map"),
    ("update: {block_size: 32}", "update: 32", "step.yaml:17:11: update: the settings of a loop are a map"),
    ("partitioner: rcb", "partitioner: exec:command=true", "step.yaml:9:18: exec:command=true executes code"),
    ("device: emulator", "device: emulator\nchains: res_calc+updat", "step.yaml:3:9: chains: there is no loop 'updat'; did you mean 'update'?"),
    ("device: emulator", "device: emulator\nchains: res_calc+differences", "step.yaml:3:9: chains: there is no loop 'differences'"),
    (SETTINGS, "- 1\n", "a file of settings is a map"), (SETTINGS, "", "step.yaml:1:1: the file is empty"),
    (SETTINGS, "sweep: x\n", "a file of settings has no 'sweep'"), (SETTINGS, "a: [", "no YAML")])  # fmt: skip
def test_what_is_wrong_in_a_file_is_told_where_it_stands(tess, tmp_path, before, after, said):
    (tmp_path / "step.yaml").write_text(SETTINGS.replace(before, after, 1))
    assert said in tess(*MARCH, "--settings", "step.yaml", code=3, cwd=tmp_path).stderr


@pytest.mark.parametrize("more, mesh, code, said", [
    ("mesh: none.su2", [], 3, "step.yaml: mesh: none.su2"), ("mesh: quads:nx=a", [], 2, "step.yaml: mesh: option 'nx'"),
    ("mesh: hexes:nx=2:ny=2:nz=2", [], 2, "step.yaml: mesh: airfoil runs on 2D meshes"),
    ("mesh: none.su2", ["--mesh", "quads:nx=a"], 2, "error: option 'nx'"),
    ("mesh: quads:nx=9:ny=9\nchains: save_soln+res_calc", [], 2, "step.yaml: no chain save_soln+res_calc: these loops do not follow"),
    ("mesh: quads:nx=9:ny=9\nchains: auto:ringz=1", [], 2, "step.yaml: --chains auto:ringz=1: write auto")])
def test_what_does_not_fit_names_the_file(tess, tmp_path, more, mesh, code, said):
    (tmp_path / "step.yaml").write_text(f"application: airfoil\n{more}\nloops: {{update: {{block_size: 32}}}}\n")
    assert said in tess("march", "--no-lab", "--settings", "step.yaml", *mesh, "--steps", "1", cwd=tmp_path, code=code).stderr


def test_settings_that_are_not_there_are_refused(tess, tmp_path):
    assert "none.yaml: cannot be opened" in tess(*MARCH, "--settings", "none.yaml", code=3, cwd=tmp_path).stderr
    assert "there is no lab at" in tess(*MARCH, "--settings", "@last", "--lab", tmp_path, code=3).stderr


def test_runs_give_the_settings_of_their_loops(tess, tmp_path):
    run = ["run", "airfoil", "--mesh", "quads:nx=12:ny=12", "--lab", tmp_path]
    tess(*run, "--strategy", "point-parallel", "--threads", "32", "--block-size", "64", "--layout", "aos")
    tess(*run, "--loop", "update", "--strategy", "atomics", "--block-size", "96")
    march = ["march", "airfoil", "--mesh", "quads:nx=12:ny=12", "--steps", "1", "--lab", tmp_path]
    found = loops(tess, *march, "--settings", "@last~1,@last", "--keep-text", tmp_path / "pages")
    assert found["res_calc"] == (64, 32) and found["update"] == (96, 96) and found["adt_calc"] == (128, 128)
    assert (tmp_path / "pages/res_calc-point-parallel-emulator.cu").exists()
    [marched] = json.loads(tess("runs", "--lab", tmp_path, "--json", "-w", "loop=step").stdout)["runs"]
    assert marched["strategy/res_calc"] == "point-parallel" and marched["threads/res_calc"] == 32
    assert marched["numbered_by"] == "res_calc" and marched["layouts"] == "aos"
    assert "beside runs: write @step.yaml" in tess(*march, "--settings", "@last,step.yaml", code=2).stderr
    # and a march those of all its loops
    assert loops(tess, *march, "--settings", "@" + marched["run"]) == found
    refused = tess("march", "volna", "--mesh", "tris:nx=4:ny=4", "--settings", "@last", "--lab", tmp_path, code=3).stderr
    assert "is of application airfoil, not of volna" in refused
    tess("partition", "quads:nx=12:ny=12", "--map", "edges:cells", "-p", "rcb", "--lab", tmp_path)
    assert "compares blocks: it has no settings of a loop" in tess(*march, "--settings", "@last", code=3).stderr
