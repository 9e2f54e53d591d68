"""The notebooks: each runs as a script on the lab that ships, and shows what it promises."""

import os
import pathlib
import pickle
import subprocess
import sys

import matplotlib.image
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"

# Runs a notebook, then keeps its figures and the values that can be kept.
RUNNER = """
import pickle, runpy, sys
import matplotlib.pyplot as plt
values = runpy.run_path(sys.argv[1])
for number in plt.get_fignums():
    plt.figure(number).savefig(f"figure{number}.png")
kept = {}
for name, value in values.items():
    try:
        kept[name] = pickle.loads(pickle.dumps(value))
    except Exception:
        pass
with open("values", "wb") as file:
    pickle.dump(kept, file)
"""


def execute(name, folder):
    """The values of a notebook and its figures' paths."""
    environment = dict(os.environ, MPLBACKEND="Agg", MPLCONFIGDIR=str(folder / "config"),
                       PYTHONPATH=str(NOTEBOOKS), TESS_LAB=str(NOTEBOOKS / "lab"),
                       PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run([sys.executable, "-W", "error", "-c", RUNNER, NOTEBOOKS / f"{name}.py"],
                          cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    sys.path.insert(0, str(NOTEBOOKS))
    with open(folder / "values", "rb") as file:
        return pickle.load(file), sorted(folder.glob("figure*.png"))


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """Runs a notebook and gives its values; it must have drawn `n_figures`, none of them empty."""

    def run(name, n_figures):
        values, figures = execute(name, tmp_path_factory.mktemp(name))
        assert len(figures) == n_figures
        for figure in figures:
            picture = matplotlib.image.imread(figure)
            assert picture[..., :3].std() > 0.02, f"{figure} is empty"
        return values

    return run


def test_a_first_look(notebook):
    values = notebook("a_first_look", 1)
    assert len(values["runs"]) == 21 and values["units"]["median_time"] == "s"
    assert values["reuse"] == pytest.approx(values["plan"].metrics["value"]["reuse_factor"], rel=1e-12)


def test_every_notebook_is_tested():
    here = pathlib.Path(__file__).read_text()
    for path in NOTEBOOKS.glob("*.py"):
        assert f'notebook("{path.stem}"' in here, path
        assert path.read_text().startswith("# ---\n# jupyter:"), "jupytext's percent format"
