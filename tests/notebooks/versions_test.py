"""The package with the other pandas and NumPy: 3 and 2 where this Python has older ones, else 2 and 1. It reads labs and
papers as here, and draws."""

import json
import os
import subprocess
import sys

import pytest
from conftest import ROOT, limited

pandas = pytest.importorskip("pandas")
pytest.importorskip("matplotlib")
IS_OLD = int(pandas.__version__.split(".")[0]) < 3
OTHER = ["pandas>=3", "numpy>=2"] if IS_OLD else ["pandas>=2,<3", "numpy<2"]
FOLDER = ROOT / "build/test-cache" / ("pandas-3" if IS_OLD else "pandas-2")

# What both versions must agree on: types and values of a lab, of a file of runs, and of a paper's verdicts; a figure.
SCRIPT = """
import json, sys
import numpy, pandas
import tesselab
from tesselab import findings, paper, paper_figures

runs = tesselab.open_lab("notebooks/lab").runs()
tables = paper.open_paper("langguth-2014")
kept = tables.runs()
table = paper.beside(tables, kept)
paper_figures.bars(table, "table 2").savefig(sys.argv[1] + "/bars.png")
paper_figures.draw_item(tables, kept, table, "figure 16").savefig(sys.argv[1] + "/lines.png")
plan = tesselab.open_lab("notebooks/lab").plan(runs.index[0])
said = {"runs": json.loads(runs[["partitioner", "block_size", "reuse_factor", "median_time", "outcome"]].to_json()),
        "kinds": {name: kind.kind for name, kind in runs[["block_size", "reuse_factor", "time"]].dtypes.items()},
        "no text": int((runs.strategy.isna()).sum()), "blocks": int(plan.n_blocks), "of": plan.block_of.tolist()[:50],
        "table": json.loads(table[["item", "ours", "verdict", "because"]].to_json()),
        "samples": tesselab.open_table("notebooks/papers/giles-2012/runs.csv.xz").samples("RUN"),
        "findings": [finding.text for finding in findings.findings()]}
print(json.dumps({"versions": [pandas.__version__, numpy.__version__], "said": said}))
"""


def said_by(python, folder):
    """What a Python's packages say of what ships."""
    run = pandas.read_csv(ROOT / "notebooks/papers/giles-2012/runs.csv.xz").run[0]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "notebooks"), "MPLBACKEND": "Agg", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([python, "-W", "error", "-c", SCRIPT.replace("RUN", run),
                           folder], cwd=ROOT, env=environment, capture_output=True, text=True, **limited(60))  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def other_python():
    """A Python with the other versions, installed once by pip."""
    python = FOLDER / "bin/python3"
    ask = [python, "-c", "import pandas, numpy, h5py, matplotlib"]
    if not python.exists() or subprocess.run(ask, capture_output=True).returncode:
        subprocess.run([sys.executable, "-m", "venv", "--clear", FOLDER], check=True)
        pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--timeout", "10", "--retries", "1",
               "--only-binary=:all:"]  # fmt: skip
        done = subprocess.run([*pip, *OTHER, "h5py", "matplotlib"], capture_output=True, text=True, timeout=600)
        if done.returncode:
            pytest.skip(f"PyPI is out of reach: {done.stderr.strip().splitlines()[-1]}")
    return python


def test_other_versions_say_the_same(other_python, tmp_path):
    here, there = (said_by(python, tmp_path) for python in (sys.executable, other_python))
    for ours, theirs in zip(here["versions"], there["versions"]):
        assert ours.split(".")[0] != theirs.split(".")[0], "the other Python has the same versions"
    for name, value in here["said"].items():
        assert value == there["said"][name], name
    assert (tmp_path / "bars.png").stat().st_size > 5000
