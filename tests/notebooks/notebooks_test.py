"""The notebooks: each runs as a script on the lab that ships, and shows what it promises."""

import json
import os
import pathlib
import pickle
import subprocess
import sys

import pytest
from conftest import ROOT, limited

NOTEBOOKS = ROOT / "notebooks"
PYTHON = ROOT / "python"

# Runs notebooks, each in a copy of one process that has what they import: a line of JSON with its path, folder and lab comes in, one
# with its exit code goes out. What each draws is looked at, and its values are kept where they can be.
RUNNER = """
import json, os, pickle, runpy, sys, traceback
import h5py, numpy, pandas
import matplotlib.pyplot as plt
plt.rcParams["figure.max_open_warning"] = 0

def run(path):
    values = runpy.run_path(path)
    drawn = []
    for number in plt.get_fignums():
        figure = plt.figure(number)
        figure.set_dpi(50)
        figure.canvas.draw()
        drawn.append(float(numpy.asarray(figure.canvas.buffer_rgba())[..., :3].std() / 255))
    kept = {}
    for name, value in values.items():
        try:
            kept[name] = pickle.loads(pickle.dumps(value))
        except Exception:
            pass
    with open("values", "wb") as file:
        pickle.dump((kept, drawn), file)

for line in sys.stdin:
    path, folder, lab = json.loads(line)
    if os.fork() == 0:
        os.chdir(folder)
        os.environ["TESS_LAB"] = lab
        with open("said", "w") as said:
            os.dup2(said.fileno(), 2)
        os.dup2(2, 1)
        code = 1
        try:
            run(path)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
"""


@pytest.fixture(scope="module")
def execute(tmp_path_factory):
    """Runs a notebook in a folder: gives its values, and of each figure how much its pixels differ."""
    environment = dict(os.environ, MPLBACKEND="Agg", MPLCONFIGDIR=str(tmp_path_factory.mktemp("config")), PYTHONPATH=str(PYTHON),
                       PYTHONDONTWRITEBYTECODE="1")  # fmt: skip
    sys.path.insert(0, str(PYTHON))
    with subprocess.Popen([sys.executable, "-W", "error", "-c", RUNNER], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True, processor_seconds=600) as runner:  # fmt: skip

        def run(name, folder, lab=NOTEBOOKS / "lab"):
            print(json.dumps([str(NOTEBOOKS / f"{name}.py"), str(folder), str(lab)]), file=runner.stdin, flush=True)
            assert runner.stdout.readline() == "0\n", (folder / "said").read_text()[-2000:]
            with open(folder / "values", "rb") as file:
                return pickle.load(file)

        yield run


@pytest.fixture(scope="module")
def notebook(execute, tmp_path_factory):
    """Runs a notebook and gives its values; it must have drawn `n_figures`, none of them empty."""

    def run(name, n_figures, *lab):
        values, figures = execute(name, tmp_path_factory.mktemp(pathlib.Path(name).name), *lab)
        assert len(figures) == n_figures
        assert all(spread > 0.02 for spread in figures), f"a figure is empty: {figures}"
        return values

    return run


def test_a_first_look(notebook):
    values = notebook("a_first_look", 1)
    assert len(values["runs"]) == 29 and values["units"]["median_time"] == "s"
    assert values["reuse"] == pytest.approx(values["plan"].metrics["value"]["reuse_factor"], rel=1e-12)


def test_comparing_partitioners(notebook):
    values = notebook("comparing_partitioners", 2)
    small = values["ranking"].loc[128]
    assert len(small) == 8 and small.index[-1] == "file-order" and small.reuse_factor.is_monotonic_decreasing
    assert values["gain"]["file-order"] == 1 and (values["gain"][["metis", "scotch", "mosaic", "rcb", "hilbert"]] > 1).all()
    assert set(values["by_size"].index) == {"rcb", "metis", "mosaic"}
    assert values["worst"]["metis"] == values["plans"]["metis"].blocks["points"].max()
    over_seeds = values["over_seeds"].loc[("north_sea", "edges:cells", 128)]
    assert (over_seeds.reuse == small.reuse_factor[over_seeds.index]).all()


def test_the_front(notebook):
    values = notebook("the_front", 1)
    for best in values["fronts"].values():
        assert best.reuse_factor.is_monotonic_increasing and best.thread_colours_mean.is_monotonic_increasing
    everything = values["partitions"]
    for size, best in values["fronts"].items():
        of_size = everything[everything.block_size == size]
        for run, row in of_size.iterrows():
            as_good = of_size[(of_size.reuse_factor >= row.reuse_factor)
                              & (of_size.thread_colours_mean <= row.thread_colours_mean)]
            beaten = ((as_good.reuse_factor > row.reuse_factor)
                      | (as_good.thread_colours_mean < row.thread_colours_mean)).any()
            assert beaten or run in best.index
            assert not (beaten and run in best.index)


def test_is_it_faster(notebook):
    values = notebook("is_it_faster", 2)
    against = values["against"]
    assert set(against.manner) == {"in turns"}
    assert against.verdict["tag:random"] == "slower" and against.low["tag:random"] > 1.01
    verdicts = values["verdicts"]
    assert len(values["equal"]) == 3 * 15 and verdicts.loc["in turns"].sum() == 9
    wrong = verdicts.reindex(columns=["faster", "slower"], fill_value=0).sum(axis=1)
    assert wrong["in turns"] <= 1 and wrong["apart"] <= 1
    assert values["widths"]["in turns"].median() < values["widths"]["apart"].median()
    trials = values["trials"]
    assert trials["0 % slower"].sum() == trials["3 % slower"].sum() == 100
    assert trials["0 % slower"].reindex(["faster", "slower"]).fillna(0).sum() <= 5


def test_pictures_of_blocks(notebook):
    values = notebook("pictures_of_blocks", 5)
    plan, own = values["plan"], values["own"]
    assert plan.partitioner == "metis" and len(own) == plan.n_blocks and 0 < min(own) < max(own) <= 1


@pytest.fixture(scope="module")
def other_lab(tess_bin, tmp_path_factory):
    """Another mesh, loop and sizes, two seeds, no tags, no file order, and a march twice."""
    lab, mesh = tmp_path_factory.mktemp("other") / "lab", "quads:nx=20:ny=15"

    def tess(*words):
        subprocess.run([tess_bin, *words, "--lab", lab], check=True, capture_output=True, **limited(120))

    for seed in ("1", "2"):
        tess("partition", mesh, "--map", "cells:nodes", "-b", "32,48", "-p", "rcb,metis,mosaic", "--seed", seed, "--machine", "none")
    tess("run", "airfoil", "--mesh", mesh, "--device", "host", "--strategy", "sequential,sequential", "-p", "rcb,metis", "-b", "32", "--samples", "12")
    for _ in range(2):
        tess("march", "airfoil", "--mesh", mesh, "--steps", "2")
    return lab


@pytest.mark.parametrize("name, n_figures", [("a_first_look", 1), ("comparing_partitioners", 2), ("the_front", 1),
                                             ("is_it_faster", 2), ("pictures_of_blocks", 5)])  # fmt: skip
def test_they_run_on_any_lab(notebook, other_lab, name, n_figures):
    values = notebook(name, n_figures, other_lab)
    if name == "comparing_partitioners":
        assert set(values["ranking"].loc[32].index) == {"rcb", "metis", "mosaic"} and (values["over_seeds"].seeds == 2).all()
    if name == "is_it_faster":
        assert len(values["against"]) == 3 and len(values["of_session"]) == 2


def test_a_lab_without_times_is_told(execute, tess_bin, tmp_path):
    subprocess.run([tess_bin, "partition", "quads:nx=9:ny=9", "--map", "cells:nodes", "-p", "rcb", "--lab", tmp_path / "lab"],
                   check=True, capture_output=True)  # fmt: skip
    with pytest.raises(AssertionError, match="no run in .* was timed: 'tess run"):
        execute("is_it_faster", tmp_path, tmp_path / "lab")


@pytest.mark.parametrize("name, words", [("a_first_look", "no run in .* has a plan: 'tess partition"),
                                         ("is_it_faster", "no run in .* was timed: 'tess run")])  # fmt: skip
def test_a_lab_of_another_programs_times_is_told(execute, tess_bin, tmp_path, name, words):
    subprocess.run([tess_bin, "record", "solver", "--seconds", "-", "--lab", tmp_path / "lab"], input="1\n2\n", text=True,
                   check=True, capture_output=True)  # fmt: skip
    with pytest.raises(AssertionError, match=words):
        execute(name, tmp_path, tmp_path / "lab")


def test_sulyok_2019(notebook):
    values = notebook("papers/sulyok_2019", 24)
    table = values["table"]
    assert set(table.verdict) <= {"held", "differs", "not made"} and values["verdicts"].sum().sum() == len(table)
    part = table[(table["item"] == "table 2") & (table.series == "part.")].set_index("quantity")
    assert part.ours["thread_colours_mean"] == 4 and part.ours["reuse_factor"] == pytest.approx(3.6, rel=0.05)
    assert values["sectors"].gps == pytest.approx(values["sectors"]["file-order"], rel=0.02)
    assert values["sectors"]["file-order"] > 1.5 * values["sectors"].metis


def test_giles_2012(notebook):
    values = notebook("papers/giles_2012", 8)
    plan = values["table"][values["table"]["item"] == "plan of res_calc"]
    assert len(plan) == 7 and (plan.verdict == "held").all()
    assert values["gain"].ours == pytest.approx(0.04, abs=0.01) and values["gain"].published == pytest.approx(0.03, abs=0.005)
    assert values["ratio"].ours == pytest.approx(1.33, abs=0.01) and values["ratio"].published > 2
    assert values["marched"].loop_count.loc["float", "res_calc"] == 2000 and len(values["marched"]) == 10


def test_langguth_2014(notebook):
    values = notebook("papers/langguth_2014", 14)
    emulated = values["table"][values["table"]["item"] == "figure 16"]
    assert len(emulated) == 5 and (emulated.verdict == "held").all()
    assert ((values["cut"] / values["uncut"]).loc[32:512] > 2.3).all()  # uncut, most values come from memory
    assert (abs(values["by_hypergraph"].dropna() - 1) < 0.1).all() and len(values["by_hypergraph"].dropna()) == 3


def test_fun3d_2021(notebook):
    values = notebook("papers/fun3d_2021", 7)
    assert values["spread"] == pytest.approx(0.12, abs=0.01)
    assert values["gain"].ours > 10 and values["gain"].published == pytest.approx(4.86, abs=0.01)


def test_loop_splitting(notebook):
    values = notebook("papers/loop_splitting", 2)
    staged = values["staged"]
    assert (staged.phases < staged.together / 2.4).all() and (staged["phases, next=after"] <= staged.together / 3).all()
    assert (values["slower"] > 1.2).all()


def test_every_notebook_is_tested():
    here = pathlib.Path(__file__).read_text()
    for path in [*NOTEBOOKS.glob("*.py"), *NOTEBOOKS.glob("papers/*.py")]:
        assert f'notebook("{path.relative_to(NOTEBOOKS).with_suffix("")}"' in here, path
        assert path.read_text().startswith("# ---\n# jupyter:"), "jupytext's percent format"
