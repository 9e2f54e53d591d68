"""tess export: every format holds what the lab holds."""

import csv
import json
import os
import shutil
import statistics
import subprocess
import sys

import h5py
import numpy
import pytest
from conftest import ROOT
import tesselab


@pytest.fixture(scope="module")
def lab(tess, tess_bin, tmp_path_factory):
    """Four runs with samples and one with a plan."""
    folder = tmp_path_factory.mktemp("export") / "lab"
    writer = tess_bin.parents[1] / "tests/lab_writer"
    runs = subprocess.run([writer, folder, "4"], check=True, capture_output=True, text=True).stdout.split()
    done = tess("partition", "quads:nx=8:ny=8", "--map", "edges:cells", "--partitioner", "rcb",
                "--block-size", "64", "--lab", folder, "--no-view", "--json")  # fmt: skip
    return folder, runs, json.loads(done.stdout)["runs"][0]["run"]


def test_csv_holds_all_scalars_in_full(tess, lab):
    folder, runs, planned = lab
    rows = list(csv.DictReader(tess("export", "--lab", folder).stdout.splitlines()))
    assert [row["run"] for row in rows] == [*runs, planned]
    with h5py.File(folder / "runs" / f"{runs[0]}.hdf") as file:
        assert float(rows[0]["median_time"]) == numpy.median(file["samples/time"])
        stored = {row["name"].decode(): row["value"] for row in file["metrics"][:]}
    assert float(rows[0]["metric_7"]) == stored["metric_7"]
    assert rows[0]["fill"] == ""


def test_a_run_that_cannot_be_read_is_told(tess, lab, tmp_path):
    """All that can be read is exported; a run that was named is an error, not an empty list."""
    folder, runs, planned = lab
    shutil.copytree(folder, tmp_path / "lab", ignore=shutil.ignore_patterns("index.hdf"))
    damaged, at = tmp_path / "lab/runs" / f"{planned}.hdf", ("--lab", tmp_path / "lab")
    damaged.chmod(0o600)
    damaged.write_bytes(damaged.read_bytes()[:1000])
    for command in (("export", "-f", "json"), ("best", "-n", "9", "--json")):
        done = tess(*command, *at)
        assert f"1 run is left out that cannot be read: {damaged}: " in done.stderr and planned not in done.stdout
        assert runs[0] in done.stdout
    for kind in ("json", "metis"):
        assert f"error: {damaged}: " in tess("export", "-f", kind, planned, *at, code=3).stderr
    assert "no run is exported: " in tess("export", runs[0], "-w", "block_size = 7", *at).stderr


def test_a_stroke_is_the_standard_output(tess, lab, tmp_path):
    folder, _, planned = lab
    for words in (("-f", "csv"), ("-f", "metis", planned)):
        words = ("export", "--lab", folder, *words)
        assert tess(*words, "-o", "-", cwd=tmp_path).stdout == tess(*words).stdout != ""
    for words in (("export", "-f", "arrays", planned), ("report",), ("partition", "quads:nx=4:ny=4", "-M", "edges:cells", "-p", "rcb", "-b", "16")):
        done = tess(*words, "--lab", folder, "-o", "-", cwd=tmp_path, code=2)
        assert "- is the standard output, not a" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_quantity_has_one_name_everywhere(tess, tmp_path):
    """In JSON, both kinds of CSV, Python and ParaView, where values of one slot of a map have names without strokes."""
    lab = ("--lab", tmp_path / "lab")
    tess("partition", "quads:nx=9:ny=9", "--map", "cells:nodes", "-p", "rcb", "-b", "32", "--view", *lab)
    names = {one["name"] for one in json.loads(tess("show", "@last", "--json", *lab).stdout)["metrics"]}
    assert len(names) > 40 and {"reuse_factor", "predicted_time", "partition_seconds"} < names
    assert names <= set(json.loads(tess("runs", "--json", *lab).stdout)["runs"][0])
    assert names <= set(next(csv.reader(tess("export", *lab).stdout.splitlines())))
    assert names <= set(next(csv.reader(tess("runs", "--csv", "-c", ",".join(names), *lab).stdout.splitlines())))
    opened = tesselab.open_lab(tmp_path / "lab")
    of_plan = set(opened.plan("@last").metrics.index)
    assert names <= set(opened.runs().columns) and of_plan <= names
    (view,) = (path for path in (tmp_path / "lab/views").iterdir() if not path.name.endswith(".blocks.hdf"))
    with h5py.File(view) as file:
        shown = {name.split(" [")[0] for name in file["VTKHDF/FieldData"]}
    assert {name for name in of_plan if "/" not in name} <= shown and not any("@" in name for name in shown)


def test_json_holds_everything(tess, lab):
    folder, runs, _ = lab
    exported = json.loads(tess("export", "--lab", folder, "-f", "json", "-w", "partitioner = rcb").stdout)
    assert [run["run"] for run in exported["runs"]][0] == runs[1]
    assert len(exported["runs"][0]["samples"]["time"]["values"]) == 25


def test_markdown_is_a_table(tess, lab):
    folder, runs, _ = lab
    lines = tess("export", "--lab", folder, "-f", "markdown", runs[0], runs[1]).stdout.splitlines()
    assert len(lines) == 4 and len({line.count("|") for line in lines}) == 1
    assert "| ms |" in lines[0] and "| reuse |" in lines[0] and "median_time" not in lines[0] and "---:" in lines[1]
    (run,) = json.loads(tess("runs", "--lab", folder, "--json", "-w", f"run = {runs[0]}").stdout)["runs"]
    row = dict(zip(*([cell.strip() for cell in line.split("|")] for line in (lines[0], lines[2]))))
    assert float(row["ms"]) == pytest.approx(1e3 * run["median_time"], rel=1e-3)


def test_arrays_are_the_plan_and_execute_it(tess, tmp_path):
    lab, folder, mesh = tmp_path / "lab", tmp_path / "blocks", "irregular:nx=12:ny=10:shuffle=1"
    tess("partition", mesh, "--map", "edges:cells", "-p", "rcb", "-b", "32", "--renumber", "owner", "--lab", lab)
    tess("export", "--lab", lab, "-f", "arrays", "@last", "-o", folder)
    arrays = {path.stem: numpy.load(path) for path in folder.glob("*.npy")}
    listed = json.loads((folder / "arrays.json").read_text())["arrays"]
    assert {one["file"]: one["length"] for one in listed} == {f"{name}.npy": len(array) for name, array in arrays.items()}
    (plan,) = (lab / "plans").iterdir()
    with h5py.File(plan) as file:
        for name, path in (("block_of", "partition/block_of"), ("executed", "plan/executed"), ("cells.order", "renumber/cells"),
                           ("cells.local_index", "plan/sets/cells/local_index"), ("thread_colour", "plan/thread_colour")):
            assert numpy.array_equal(arrays[name], file[path]), name
    # The map, by the arrays and by the mesh: the cells of each edge, and how many edges a cell has.
    block = numpy.repeat(numpy.arange(len(arrays["block_colour"])), numpy.diff(arrays["block_offset"]))
    local = arrays["cells.local_index"]
    reached = arrays["cells.points"][numpy.minimum(arrays["cells.point_offset"][block][:, None] + local, len(arrays["cells.points"]) - 1)]
    counts = numpy.bincount(reached[local != 65535])
    assert counts.sum() == (local != 65535).sum() and set(counts) == {1, 2, 3}  # sides of triangles, but for those at the border
    assert numpy.array_equal(arrays["block_of"][arrays["executed"]], block)
    # The page's program gives the same, and its Python the same map in the new order.
    source = ROOT / "docs/into_your_code/add_by_blocks.c"
    subprocess.run(["cc", "-std=c11", "-O2", "-fopenmp", "-Wall", "-Wextra", "-Werror", source, "-o", tmp_path / "program"], check=True)
    printed = subprocess.run([tmp_path / "program", folder, "cells"], check=True, capture_output=True, text=True).stdout
    assert numpy.array_equal(numpy.array(printed.split(), float), counts)
    page = (ROOT / "docs/into_your_code/README.md").read_text()
    edges_to_cells = numpy.empty_like(reached)
    edges_to_cells[arrays["executed"]] = reached
    names = {"cell_data": numpy.arange(len(counts)), "edges_to_cells": edges_to_cells}
    (program,) = (block for block in page.split("```python") if "cell_data = " in block)
    exec(program.split("```")[0].replace('"blocks/', f'"{folder}/'), names)
    assert numpy.array_equal(names["cell_data"][names["edges_to_cells"]], edges_to_cells[arrays["edges.order"]])
    assert "--output DIR" in tess("export", "--lab", lab, "-f", "arrays", "@last", code=2).stderr


def test_blocks_are_written_as_gpmetis_does(tess, tmp_path):
    part, words = tmp_path / "mesh.part", ("partition", "quads:nx=8:ny=8", "--map", "cells:nodes", "-p", "rcb", "--no-lab")
    tess(*words, "-b", "16", "-o", part)
    assert numpy.array_equal(numpy.bincount(numpy.loadtxt(part, dtype=int)), [16] * 4)
    assert "-p mosaic -b 128" in tess(*words, "-b", "16,32", "-o", part, code=2).stderr
    assert "no/mesh.part" in tess(*words, "-b", "16", "-o", tmp_path / "no/mesh.part", code=1).stderr


def test_metis_files_come_back_as_the_same_partition(tess, lab, tmp_path):
    folder, runs, planned = lab
    part = tmp_path / "mesh.part"
    tess("export", "--lab", folder, "-f", "metis", planned, "-o", part)
    (plan,) = (folder / "plans").iterdir()
    with h5py.File(plan) as file:
        assert numpy.array_equal(numpy.loadtxt(part, dtype=int), file["partition/block_of"])
        reuse = file["metrics/reuse_factor"][()]
    again = tess("partition", "quads:nx=8:ny=8", "--map", "edges:cells", "--block-size", "64", "--json",
                 "--partitioner", f"file:path={part}", "--no-lab")  # fmt: skip
    assert json.loads(again.stdout)["runs"][0]["reuse_factor"] == reuse
    assert "of one run" in tess("export", "--lab", folder, "-f", "metis", code=2).stderr
    assert "no plan" in tess("export", "--lab", folder, "-f", "metis", runs[0], code=3).stderr


def test_t4_has_what_its_schema_requires(tess, lab):
    folder, _, _ = lab
    exported = json.loads(tess("export", "--lab", folder, "-f", "t4").stdout)
    assert exported["schema_version"] == "1.0.0" and len(exported["results"]) == 5
    for result in exported["results"]:
        assert {"configuration", "times", "invalidity", "correctness"} <= set(result)
        assert result["invalidity"] == "correct" and result["objectives"][0] in {m["name"] for m in result["measurements"]}
    times = exported["results"][0]["times"]["runtimes"]
    assert len(times) == 25 and 0.9 < times[0] < 1.2  # milliseconds


def test_google_benchmark_has_repetitions_and_a_median(tess, lab):
    folder, _, planned = lab
    exported = json.loads(tess("export", "--lab", folder, "-f", "benchmark").stdout)
    assert len(exported["benchmarks"]) == 4 * 26 and exported["context"]["num_cpus"] >= 1
    median = exported["benchmarks"][25]
    assert median["run_type"] == "aggregate" and median["name"].endswith("_median")
    assert 0.9e6 < median["real_time"] < 1.2e6 and median["time_unit"] == "ns"
    assert "samples of time" in tess("export", "--lab", folder, "-f", "benchmark", planned, code=3).stderr


def test_a_benchmark_is_named_by_its_mesh_without_the_folder(tess, tmp_path):
    tess("mesh", "generate", "quads:nx=8:ny=6", "-o", tmp_path / "small.su2")
    tess("run", "airfoil", "--mesh", tmp_path / "small.su2", "--device", "host", "-s", "sequential", "--samples", "2", "--lab", tmp_path / "lab")
    exported = json.loads(tess("export", "--lab", tmp_path / "lab", "-f", "benchmark").stdout)
    assert exported["benchmarks"][0]["name"] == "airfoil/small.su2/res_calc/rcb/sequential/soa/host/128"


def test_nvbench_has_a_state_a_run_which_comes_back(tess, lab, tmp_path):
    folder, _, _ = lab
    tess("export", "--lab", folder, "-f", "nvbench", "-o", tmp_path / "nvbench.json")
    exported = json.loads((tmp_path / "nvbench.json").read_text())
    states = [state for benchmark in exported["benchmarks"] for state in benchmark["states"]]
    assert exported["meta"]["version"]["json"]["major"] == 1 and exported["devices"][0]["id"] == 0
    timed = [{one["tag"]: one["data"][0]["value"] for one in state["summaries"]} for state in states if state["summaries"]]
    assert len(timed) == 4 and all(one["nv/cold/sample_size"] == "25" for one in timed)
    runs = json.loads(tess("export", "-f", "json", "--lab", folder).stdout)["runs"]
    times = {statistics.median(times): times for run in runs if (times := run["samples"].get("time", {}).get("values"))}
    for one in timed:
        of = times[float(one["nv/cold/time/gpu/median"])]
        assert float(one["nv/cold/time/gpu/mean"]) == pytest.approx(statistics.mean(of), rel=1e-12)
        assert float(one["nv/cold/time/gpu/stdev/relative"]) == pytest.approx(statistics.stdev(of) / statistics.mean(of), rel=1e-9)
    for benchmark in exported["benchmarks"]:  # nvbench's compare scripts of 0.3.0 ask the axes for the type of each value
        axes = {axis["name"]: axis for axis in benchmark["axes"]}
        assert len(axes) == len(benchmark["axes"]) and {axis["type"] for axis in benchmark["axes"]} == {"string", "float64"}
        for axis in benchmark["axes"]:
            values = [one["value"] for state in benchmark["states"] for one in state["axis_values"] if one["name"] == axis["name"]]
            assert [one["value"] for one in axis["values"]] == list(dict.fromkeys(values)) and axis["flags"] == ""
        assert all(one["type"] == axes[one["name"]]["type"] for state in benchmark["states"] for one in state["axis_values"])
    assert all(state["name"].startswith("Device=0 mesh=") for state in states) and len({state["name"] for state in states}) > 1
    tess("import", tmp_path / "nvbench.json", "--lab", tmp_path / "back")
    back = json.loads(tess("export", "-f", "json", "--lab", tmp_path / "back").stdout)["runs"]
    medians = sorted(run["samples"]["time"]["values"][0] for run in back if run["samples"].get("time"))
    assert medians == sorted(float(one["nv/cold/time/gpu/median"]) for one in timed)
    assert len(back) == len(states)


def test_mlflow_lists_the_runs_and_they_come_back(tess, lab, tmp_path):
    folder, _, _ = lab
    store = tmp_path / "mlruns"
    for _ in range(2):  # what is there is made again
        tess("export", "--lab", folder, "-f", "mlflow", "-o", store)
    runs = {run["run"]: run for run in json.loads(tess("export", "-f", "json", "--lab", folder).stdout)["runs"]}
    found = {path.name: path for path in store.glob("*/*/") if path.name in runs}
    assert set(found) == set(runs) and any(run["samples"].get("time") for run in runs.values())
    for name, run in runs.items():
        for series, samples in run["samples"].items():
            lines = [line.split() for line in (found[name] / "metrics" / series).read_text().splitlines()]
            assert [float(line[1]) for line in lines] == samples["values"] and [int(line[2]) for line in lines] == list(range(len(lines)))
        meta = dict(line.split(": ", 1) for line in (found[name] / "meta.yaml").read_text().splitlines())
        assert json.loads(meta["run_id"]) == name and meta["status"] == ("4" if run["outcome"] == "failed" else "3")
        assert int(meta["start_time"]) % 1000 == int(run["time"][20:23]) and (found[name] / "artifacts").is_dir()
        assert json.loads(meta["experiment_id"]) == found[name].parent.name == str(int(found[name].parent.name)), "MLflow's database takes numbers alone"
        assert (found[name] / "params/partitioner").read_text() == run["configuration"]["partitioner"]
    for new in (len(runs), 0):
        told = json.loads(tess("import", store, "--lab", tmp_path / "back", "--json").stdout)["files"][0]
        assert (told["format"], len(told["runs"])) == ("mlflow", new)
    back = json.loads(tess("export", "-f", "json", "--lab", tmp_path / "back").stdout)["runs"]
    times = lambda listed: sorted(run["samples"]["time"]["values"] for run in listed if run["samples"].get("time"))
    assert times(back) == times(runs.values())
    python = os.environ.get("TESS_PYTHON", sys.executable)
    script = "import mlflow, sys; mlflow.set_tracking_uri(sys.argv[1])\n" \
             "for e in mlflow.search_experiments():\n    for r in mlflow.MlflowClient().search_runs([e.experiment_id]): print(r.info.run_id)"
    if subprocess.run([python, "-c", "import mlflow"], capture_output=True).returncode:
        pytest.skip("MLflow is not installed (TESS_PYTHON)")
    listed = subprocess.run([python, "-c", script, f"file://{store}"], check=True, capture_output=True, text=True,
                            env={**os.environ, "MLFLOW_ALLOW_FILE_STORE": "true"}).stdout.split()
    assert sorted(listed) == sorted(runs)


def test_a_crate_names_every_file_that_is_there(tess, lab):
    folder, _, _ = lab
    crate = json.loads(tess("export", "--lab", folder, "-f", "ro-crate").stdout)
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    assert len(entities) == len(crate["@graph"])
    assert entities["ro-crate-metadata.json"]["about"] == {"@id": "./"}
    files = {part["@id"] for part in entities["./"]["hasPart"]}
    assert files == {str(p.relative_to(folder)) for p in folder.glob("*/*.hdf")}
    for name in files:
        assert int(entities[name]["contentSize"]) == (folder / name).stat().st_size


def test_formats_are_suggested(tess, lab):
    assert "did you mean 'csv'" in tess("export", "--lab", lab[0], "-f", "cvs", code=2).stderr
