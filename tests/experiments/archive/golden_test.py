"""Labs of every schema that there was are read; newer minor versions, too.

golden/<version>/ was written by a program of that schema and never changes; when the version rises,
folders are added. VERSION: tess partition quads:nx=6:ny=4 --map edges:cells --partitioner rcb
--block-size 16 --renumber gps --lab VERSION --no-view, then one run of lab_writer, tagged `golden`.
timed-VERSION: OMP_NUM_THREADS=1 tess run airfoil --mesh quads:nx=6:ny=4 --device host --strategy
sequential,openmp --samples 8 --lab timed-VERSION --no-view."""

import json
import pathlib
import shutil

import h5py
import pytest
import recompute

GOLDEN = pathlib.Path(__file__).parent / "golden"
PARTITIONED = sorted(path for path in GOLDEN.iterdir() if path.name[0].isdigit())
TIMED = {"timed-1.0": "apart", "timed-1.1": "in turns"}  # how its runs are compared


@pytest.fixture(params=PARTITIONED, ids=lambda path: path.name)
def lab(request, tmp_path):
    shutil.copytree(request.param, tmp_path / "lab")
    return tmp_path / "lab"


def check(tess, lab):
    partitioned, sampled = json.loads(tess("runs", "--lab", lab, "--json").stdout)["runs"]
    assert partitioned["reuse_factor"] == 2.375 and partitioned["block_size"] == 16
    assert sampled["tags"] == ["golden"] and sampled["median_time"] == pytest.approx(1.0561e-3)
    shown = json.loads(tess("show", "--lab", lab, "tag:golden", "--json").stdout)
    assert len(shown["samples"]["time"]["values"]) == 25 and shown["notes"].startswith("written by schema")
    assert "0 defects" in tess("verify", "--lab", lab).stdout
    assert recompute.check_lab(lab, is_todays=False) == 1


def test_every_schema_is_read(tess, lab):
    check(tess, lab)


def test_a_metric_is_found_by_the_name_that_it_had(tess, lab):
    """cache_lines_per_block counts sectors, so that it is called sectors_per_block now."""
    for name in ("sectors_per_block", "cache_lines_per_block", "cache_lines_per_block@plan"):
        asked = ("--where", f"{name} > 1", "--columns", name, "--sort", name, "--lab", lab)
        found = tess("runs", "--csv", *asked)
        assert found.stdout.split("\n")[0].startswith("run,sectors_per_block") and found.stdout.count("\n") == 2
        note = "tess: the metric cache_lines_per_block is called sectors_per_block now\n"
        assert found.stderr == ("" if name == "sectors_per_block" else note)
        assert tess("runs", "--csv", *asked, "--quiet").stderr == ""
    assert tess("explain", "cache_lines_per_block").stdout == tess("explain", "sectors_per_block").stdout
    run = json.loads(tess("runs", "--lab", lab, "--json").stdout)["runs"][0]
    assert run["sectors_per_block"] > 1 and "cache_lines_per_block" not in run
    assert tess("best", "cache_lines_per_block", "--lab", lab).stdout.count(run["run"][:8]) == 1
    compared = ("compare", run["run"], run["run"], "--lab", lab, "--json", "--metric")
    old, new = (json.loads(tess(*compared, name).stdout)["comparisons"] for name in ("cache_lines_per_block", "sectors_per_block"))
    assert old == new


def test_a_newer_minor_version_only_adds(tess, lab):
    for path in lab.glob("*/*.hdf"):
        with h5py.File(path, "r+") as file:
            major = file.attrs["schema_version"].decode().split(".")[0]
            file.attrs["schema_version"] = f"{major}.99"
            file["something_new"] = 1.0
            file["something_new"].attrs["unit"] = "1"
    partitioned = json.loads(tess("runs", "--lab", lab, "--json").stdout)["runs"][0]
    assert partitioned["reuse_factor"] == 2.375


@pytest.mark.parametrize("name", TIMED)
def test_timed_runs_of_every_schema_are_read_and_compared(tess, tmp_path, name):
    """Since 1.1 samples have rounds; older ones are compared without."""
    lab = tmp_path / "lab"
    shutil.copytree(GOLDEN / name, lab)
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted(
        [*(p.name for p in PARTITIONED), *TIMED])
    runs = json.loads(tess("runs", "--lab", lab, "--json").stdout)["runs"]
    assert [run["strategy"] for run in runs] == ["sequential", "openmp"]
    assert all(run["median_time"] > 0 and "median_round" not in run for run in runs)
    for run in runs:
        samples = json.loads(tess("show", "--lab", lab, run["run"], "--json").stdout)["samples"]
        assert len(samples["time"]["values"]) == 8
    (compared,) = json.loads(tess("compare", "--lab", lab, "--json", *(run["run"] for run in runs)).stdout)["comparisons"]
    assert compared["manner"] == TIMED[name] and compared.get("rounds", 8) == 8
    assert "0 defects" in tess("verify", "--lab", lab).stdout
