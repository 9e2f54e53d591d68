"""The package with pandas 3 and NumPy 2, and with pandas 2 and NumPy 1. It reads labs and papers as with those of this Python, and
draws."""

import json
import os
import subprocess
import sys

import pytest
from conftest import ROOT, limited

pandas = pytest.importorskip("pandas")
pytest.importorskip("matplotlib")
VERSIONS = {"pandas-3": ["pandas>=3", "numpy>=2"], "pandas-2": ["pandas>=2,<3", "numpy<2"]}

# What both versions must agree on: types and values of a lab, of a file of runs, and of a paper's verdicts; a figure.
SCRIPT = """
import json, sys
import numpy, pandas
import tesselab
from tesselab import findings, paper_figures, paper_tables

runs = tesselab.open_lab("notebooks/lab").runs()
tables = paper_tables.open_paper("langguth-2014")
kept = tables.runs()
table = paper_tables.beside(tables, kept)
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
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "MPLBACKEND": "Agg", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([python, "-W", "error", "-c", SCRIPT.replace("RUN", run),
                           folder], cwd=ROOT, env=environment, capture_output=True, text=True, **limited(60))  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def said_here(tmp_path_factory):
    return said_by(sys.executable, tmp_path_factory.mktemp("here"))


def has_versions(python, versions):
    """Whether a Python has what the script needs, pandas and NumPy in these major versions."""
    ask = ("import h5py, matplotlib; from importlib.metadata import version; "
           "print(*(version(name).split('.')[0] for name in ('pandas', 'numpy')))")
    return python.exists() and subprocess.run([python, "-c", ask], capture_output=True, text=True).stdout.split() == versions


@pytest.fixture(params=VERSIONS)
def other_python(request, pip):
    """A Python with other versions, that of bootstrap or one installed once by pip; its major versions of pandas and NumPy."""
    versions = {"pandas-3": ["3", "2"], "pandas-2": ["2", "1"]}[request.param]
    if has_versions(ROOT / "build/python/bin/python3", versions):
        return ROOT / "build/python/bin/python3", versions
    folder = ROOT / "build/test-cache" / request.param
    python = folder / "bin/python3"
    if not has_versions(python, versions):
        words = [*pip(folder, "--clear"), "install", "--quiet", "--timeout", "10", "--retries", "1", "--no-compile",
                 "--only-binary=:all:"]  # fmt: skip
        done = subprocess.run([*words, *VERSIONS[request.param], "h5py", "matplotlib"], capture_output=True, text=True, timeout=600)
        if done.returncode:
            pytest.skip(f"PyPI has no {request.param} for this Python, or is out of reach: {done.stderr.strip().splitlines()[-1]}")
    return python, versions


def test_other_versions_say_the_same(said_here, other_python, tmp_path):
    python, versions = other_python
    there = said_by(python, tmp_path)
    assert [version.split(".")[0] for version in there["versions"]] == versions
    for name, value in said_here["said"].items():
        assert value == there["said"][name], name
    assert (tmp_path / "bars.png").stat().st_size > 5000
