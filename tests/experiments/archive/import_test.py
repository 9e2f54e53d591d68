"""tess import: runs of other programs. The files in imported/ were made by the programs that they are of (Google
Benchmark 1.7.1, Kernel Tuner 1.5.0, MLflow 3.17, and on an H200 nvbench 66212f1 and Nsight Compute): nvbench's samples and
Nsight's rows are the first of many; mlflow.sql is some of the tables of a mlflow.db; kernel_tuner_cut.json is of a tuning that
broke off."""
import json
import pathlib
import shutil
import sqlite3
import struct

import pytest

HERE = pathlib.Path(__file__).parent
FILES = HERE / "imported"


def imported(tess, lab, *paths, **options):
    return json.loads(tess("import", *paths, "--lab", lab, "--json", **options).stdout)["files"]


def runs_of(tess, lab):
    listed = json.loads(tess("export", "-f", "json", "--lab", lab).stdout)["runs"]
    return sorted(listed, key=lambda run: run["run"])


def number(entry):
    return entry["value"] if isinstance(entry, dict) else entry


def test_google_benchmarks_repetitions_are_samples_and_its_errors_failures(tess, tmp_path):
    told = imported(tess, tmp_path, FILES / "google_benchmark.json")[0]
    assert (told["format"], len(told["runs"]), told["left_out"]) == ("benchmark", 3, 8)
    gather, _, refused = runs_of(tess, tmp_path)
    rows = [row for row in json.load(open(FILES / "google_benchmark.json"))["benchmarks"] if row["name"] == "gather/1000"]
    assert gather["samples"]["time"] == {"unit": "s", "values": pytest.approx([1e-6 * row["real_time"] for row in rows])}
    assert gather["samples"]["edges"]["values"] == [1000] * 3 and len(gather["samples"]["cpu_time"]["values"]) == 3
    assert gather["configuration"]["application"] == "gb" and gather["configuration"]["loop"] == "gather/1000"
    assert gather["time"] == "2026-11-29T00:52:28.000Z" and gather["environment"]["host"] == "bench"
    assert "cores" not in gather["environment"] and '"num_sharing":2' in gather["log"]
    assert refused["outcome"] == "failed" and refused["check"]["message"] == "no device" and not refused["samples"]


def test_a_benchmark_of_before_1_5_says_no_threads(tess, tmp_path):
    row = {"name": "gather/1000", "iterations": 3, "real_time": 2.5, "cpu_time": 2.5, "time_unit": "us"}
    (tmp_path / "old.json").write_text(json.dumps({"context": {"date": "2018-03-01 12:00:00"}, "benchmarks": [row]}))
    (run,) = imported(tess, tmp_path, tmp_path / "old.json")[0]["runs"]
    assert runs_of(tess, tmp_path)[0]["samples"]["time"]["values"] == [pytest.approx(2.5e-6)]


def test_a_benchmark_that_was_skipped_is_a_failed_run(tess, tmp_path):
    root = json.loads((FILES / "google_benchmark.json").read_text())
    root["context"]["json_schema_version"] = 1
    for row in root["benchmarks"]:
        if row.pop("error_occurred", None):
            row |= {"skipped": True, "skip_message": row.pop("error_message"), "real_time": 0.0, "cpu_time": 0.0}
    (tmp_path / "b.json").write_text(json.dumps(root))
    imported(tess, tmp_path / "lab", tmp_path / "b.json")
    *_, skipped = runs_of(tess, tmp_path / "lab")
    assert (skipped["outcome"], skipped["check"]["message"], skipped["samples"]) == ("failed", "no device", {})


def test_medians_count_where_repetitions_are_not_there(tess, tmp_path):
    told = imported(tess, tmp_path, FILES / "google_aggregates.json")[0]
    medians = [row for row in json.load(open(FILES / "google_aggregates.json"))["benchmarks"] if row.get("aggregate_name") == "median"]
    runs = [run for run in runs_of(tess, tmp_path) if run["samples"]]
    assert told["left_out"] == 6 and len(medians) == 2
    for run, row in zip(runs, medians):
        assert run["samples"]["time"]["values"] == pytest.approx([1e-6 * row["real_time"]])
        assert run["configuration"]["aggregate"] == "median"


@pytest.mark.parametrize("name, application", [("kernel_tuner_t4.json", "kernel_tuner_t4"), ("kernel_tuner_cache.json", "vector_add")])
def test_kernel_tuners_runtimes_are_samples_and_its_parameters_settings(tess, tmp_path, name, application):
    imported(tess, tmp_path, FILES / name)
    runs = runs_of(tess, tmp_path)
    cache = json.load(open(FILES / "kernel_tuner_cache.json"))["cache"]
    assert [number(run["configuration"]["UNROLL"]) for run in runs] == [1, 2, 4]
    for run, entry in zip(runs, cache.values()):
        assert run["configuration"]["application"] == application and run["outcome"] == "unchecked"
        assert run["samples"]["time"] == {"unit": "s", "values": pytest.approx([1e-3 * ms for ms in entry["times"]])}
        steps = run["steps"]["compile_time" if "cache" in name else "compilation"]
        assert steps == {"value": pytest.approx(1e-3 * entry["compile_time"]), "unit": "s"}
        assert run["time"] == entry["timestamp"].replace(" ", "T")[:23] + "Z"


def test_a_configuration_that_did_not_compile_is_a_failed_run(tess, tmp_path):
    cache = json.load(open(FILES / "kernel_tuner_cache.json"))
    cache["cache"]["2"] = {"UNROLL": 2, "time": "CompilationFailedConfig", "occupancy": float("nan")}
    (tmp_path / "cache.json").write_text(json.dumps(cache))
    imported(tess, tmp_path / "lab", tmp_path / "cache.json")
    failed = [run for run in runs_of(tess, tmp_path / "lab") if run["outcome"] == "failed"]
    assert [run["check"]["message"] for run in failed] == ["CompilationFailedConfig"] and number(failed[0]["configuration"]["UNROLL"]) == 2


@pytest.mark.parametrize("path", ["mlruns", "mlruns/356156764369075307", "mlruns/356156764369075307/3834b752d681437b9707ec9b8a3278f9/"])
def test_mlflows_folders(tess, tmp_path, path):
    imported(tess, tmp_path, FILES / path)
    (run,) = runs_of(tess, tmp_path)
    assert run["samples"]["time"] == {"unit": "s", "values": [0.0125, 0.0123, 0.0126]} and run["samples"]["reuse"]["values"] == [2.71]
    settings = run["configuration"]
    assert (settings["application"], settings["partitioner"], number(settings["block_size"])) == ("airfoil", "rcb", 128)
    assert settings["mlflow.runName"] == "rcb, blocks of 128" and run["time"] == "2026-11-29T00:52:36.482Z"


@pytest.fixture
def database(tmp_path):
    with sqlite3.connect(tmp_path / "mlflow.db") as made:
        made.executescript((FILES / "mlflow.sql").read_text())
    return tmp_path / "mlflow.db"


def test_mlflows_database_without_what_was_deleted(tess, tmp_path, database):
    assert [len(imported(tess, tmp_path / "lab", database)[0]["runs"]) for _ in range(2)] == [2, 0]
    run, failed = runs_of(tess, tmp_path / "lab")
    assert run["samples"] == {"time": {"unit": "s", "values": [0.0125, 0.0125 - 1e-4, 0.0125 - 2e-4]}, "reuse": {"unit": "", "values": [2.71]}}
    settings = run["configuration"]
    assert (settings["application"], settings["partitioner"], number(settings["block_size"])) == ("airfoil", "rcb", 128)
    assert settings["git"] == "2fa9c40a" and run["time"] == "2026-11-30T01:37:50.273Z" and run["outcome"] == "unchecked"
    assert "run_id: b7f782bdc5c14e1ba724dfe5bd7452f8" in run["log"] and "loss: nan" in run["log"]
    assert (failed["outcome"], failed["check"]["message"], failed["configuration"]["partitioner"]) == ("failed", "it failed", "metis")


@pytest.mark.parametrize("change, words", [
    ("DROP TABLE tags", "tags of MLflow cannot be read: no such table: tags: the file is cut off, or of a version that is not known"),
    ("ALTER TABLE metrics RENAME is_nan TO nan", "metrics of MLflow cannot be read: no such column: is_nan"),
    ("DELETE FROM runs", "no run of MLflow is in it"),
])
def test_a_database_of_an_unknown_version_is_refused(tess, tmp_path, database, change, words):
    with sqlite3.connect(database) as made:
        made.execute(change)
    said = tess("import", database, "--lab", tmp_path / "lab", code=3).stderr
    assert f"{database}: {words}" in said and not (tmp_path / "lab").exists()


def test_a_database_that_is_cut_off_is_refused(tess, tmp_path, database):
    data = database.read_bytes()
    for n in (16, 99, 100, len(data) // 2, len(data) - 1):
        database.write_bytes(data[:n])
        assert f"{database}: it ends after {n} bytes: the file is cut off" in tess("import", database, "--lab", tmp_path / "lab", code=3).stderr
    for at in (100, 4096):  # pages that are none
        database.write_bytes(data[:at] + bytes(len(data) - at))
        refused(tess, tmp_path / "lab", database, database)


def test_launches_of_nsight_compute(tess, tmp_path):
    imported(tess, tmp_path, HERE.parent / "bench" / "ncu.csv")
    first, *_, last = runs_of(tess, tmp_path)
    assert first["configuration"]["application"] == "tess" and first["configuration"]["loop"] == "block_colour"
    assert first["samples"]["time"] == {"unit": "s", "values": [5.248e-06]} and last["samples"]["time"]["values"] == pytest.approx([5.024e-06])
    assert first["samples"]["dram__bytes_read.sum"]["unit"] == "byte"


def test_launches_of_one_kernel_in_one_shape_are_samples_of_one_run(tess, tmp_path):
    """Rows of metrics end early, and those of rules have no metric."""
    imported(tess, tmp_path / "two", FILES / "ncu_details.csv")
    assert [run["samples"]["time"]["values"] for run in runs_of(tess, tmp_path / "two")] == [[pytest.approx(8.83e-6)], [pytest.approx(8.1e-6)]]
    (tmp_path / "one.csv").write_text("==PROF==\n" + (FILES / "ncu_details.csv").read_text().replace("(256, 1, 1)", "(128, 1, 1)"))
    imported(tess, tmp_path / "one", tmp_path / "one.csv")
    (run,) = runs_of(tess, tmp_path / "one")
    assert run["samples"]["time"] == {"unit": "s", "values": pytest.approx([8.83e-6, 8.1e-6])}
    assert run["samples"]["Registers Per Thread"]["values"] == [16, 16] and run["configuration"]["loop"].startswith("axpy_kernel(double *")
    cut = (tmp_path / "one.csv").read_text()[:-20]
    (tmp_path / "one.csv").write_text(cut[: cut.rindex(",")])
    assert "it is cut off" in tess("import", tmp_path / "one.csv", "--lab", tmp_path / "one", code=3).stderr


def test_a_report_is_read_by_ncu(tess, tmp_path):
    program = tmp_path / "ncu"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\ncat {HERE.parent}/bench/ncu.csv\n')
    program.chmod(0o755)
    (tmp_path / "a.ncu-rep").write_bytes(b"NVR\0")
    imported(tess, tmp_path / "lab", tmp_path / "a.ncu-rep", env={"NCU": str(program)})
    assert len(runs_of(tess, tmp_path / "lab")) == 5
    assert (tmp_path / "asked").read_text() == f"--import {tmp_path}/a.ncu-rep --csv --page raw --print-units base\n"
    failed = tess("import", tmp_path / "a.ncu-rep", "--lab", tmp_path / "lab", env={"NCU": "/no/ncu"}, code=4).stderr
    assert "is read by ncu, which cannot be started: set NCU to its path" in failed


def test_nvbenchs_states_with_their_samples(tess, tmp_path):
    imported(tess, tmp_path, FILES / "nvbench.json")
    first, second, skipped = runs_of(tess, tmp_path)
    seconds = struct.unpack("<100f", (FILES / "nvbench.json-bin" / "0.bin").read_bytes())
    assert first["samples"]["time"] == {"unit": "s", "values": pytest.approx(seconds)} and len(second["samples"]["time"]["values"]) == 100
    assert [number(run["configuration"]["N"]) for run in (first, second, skipped)] == [2**20, 2**22, 2**28]
    (mean,) = [one for one in first["metrics"] if one["name"] == "nv/cold/time/gpu/mean"]
    assert mean["unit"] == "s" and mean["value"] == pytest.approx(1.184e-5, rel=1e-3)
    assert first["environment"]["gpu"] == "NVIDIA H200" and '"sm_version":900' in first["log"]
    assert skipped["outcome"] == "failed" and skipped["check"]["message"] == "larger than this benchmark takes"


def nvbench(folder):
    shutil.copytree(FILES / "nvbench.json-bin", folder / "nvbench.json-bin")
    shutil.copy(FILES / "nvbench.json", folder)
    return json.loads((FILES / "nvbench.json").read_text()), folder / "nvbench.json"


def test_without_samples_the_median_of_nvbench_counts(tess, tmp_path):
    root, file = nvbench(tmp_path)
    for state in root["benchmarks"][0]["states"]:
        state["summaries"] = [one for one in state["summaries"] or [] if "bin:" not in one["tag"]]
    file.write_text(json.dumps(root))
    imported(tess, tmp_path / "lab", file)
    run = runs_of(tess, tmp_path / "lab")[0]
    (median,) = [one for one in run["metrics"] if one["name"] == "nv/cold/time/gpu/median"]
    assert run["samples"]["time"]["values"] == [median["value"]] and run["configuration"]["aggregate"] == "nv/cold/time/gpu/median"


def test_what_a_file_names_must_be_files(tess, tmp_path):
    """Else samples are read from a device until the memory is full."""
    root, file = nvbench(tmp_path)
    (tmp_path / "nvbench.json-bin/0.bin").unlink()
    (tmp_path / "nvbench.json-bin/0.bin").symlink_to("/dev/zero")
    shutil.copytree(FILES / "mlruns", tmp_path / "mlruns")
    [metric] = (tmp_path / "mlruns").rglob("metrics/time")
    metric.unlink()
    metric.symlink_to("/dev/zero")
    for path, name in (file, "nvbench.json: its samples: "), (tmp_path / "mlruns", "metrics/time: "):
        said = tess("import", path, "--lab", tmp_path / "lab", code=3).stderr
        assert name in said and "is a pipe, socket or device, not a file" in said and not (tmp_path / "lab/runs").exists()


CSV = 'strategy,block_size,time (us),L2 [GB/s],who\natomics,128,12.5,900,me\nmosaic,256,9.5,1000,"you, too"\natomics,128,12.75,,me\n'


def test_rows_of_csv_with_equal_settings_are_samples_of_one_run(tess, tmp_path):
    (tmp_path / "t.csv").write_text(CSV)
    imported(tess, tmp_path / "lab", tmp_path / "t.csv")
    atomics, mosaic = runs_of(tess, tmp_path / "lab")
    assert atomics["samples"]["time"] == {"unit": "s", "values": pytest.approx([12.5e-6, 12.75e-6])}
    assert atomics["samples"]["L2"] == {"unit": "GB/s", "values": [900]} and mosaic["configuration"]["who"] == "you, too"
    listed = tess("show", "@last", "--lab", tmp_path / "lab").stdout
    assert " 1 sample, 1000 to 1000 GB/s" in listed and "2 samples, " in tess("show", "@last~1", "--lab", tmp_path / "lab").stdout
    shown = tess("compare", "@last~1", "@last", "--lab", tmp_path / "lab").stdout
    assert "strategy=mosaic" in shown and "block_size=256" in shown


def test_settings_are_not_what_runs_are_called_nor_how_they_ended(tess, tmp_path, monkeypatch):
    """Nor when they were made, nor what they took, which a report goes by; theirs are beside these."""
    (tmp_path / "t.csv").write_text("run,outcome,tags,time (ms)\n7,good,a,1500\n")
    imported(tess, tmp_path / "lab", tmp_path / "t.csv")
    at, settings = ("--lab", tmp_path / "lab"), ("run=8", "time=3", "median_time=3", "plan_digest=x")
    (tmp_path / "seconds").write_text("1.5\n")
    tess("record", "solver", "--seconds", tmp_path / "seconds", *at, *(word for one in settings for word in ("--set", one)))
    first, second = json.loads(tess("runs", *at, "--json").stdout)["runs"]
    assert [run["run"] for run in runs_of(tess, tmp_path / "lab")] == [first["run"], second["run"]] != ["7", "8"]
    assert (first["setting:run"], first["setting:outcome"], first["setting:tags"]) == ("7", "good", "a")
    assert (first["outcome"], first["tags"], first["median_time"]) == ("unchecked", [], second["median_time"]) == ("unchecked", [], 1.5)
    assert (second["setting:time"], second["setting:median_time"], second["setting:plan_digest"]) == ("3", "3", "x")
    monkeypatch.syspath_prepend(str(HERE.parents[2] / "python"))
    import tesselab

    frame = tesselab.open_lab(tmp_path / "lab").runs()
    assert list(frame.index) == [first["run"], second["run"]] and list(frame["setting:run"]) == ["7", "8"]
    (tmp_path / "lab/index.hdf").unlink()
    assert tesselab.open_lab(tmp_path / "lab").runs()["setting:outcome"][0] == "good"
    assert tess("runs", *at, "-w", "setting:run = 7", "--json").stdout.count('"run"') == 1
    tess("report", *at, "-o", tmp_path / "page.html")


def test_a_mark_of_utf_8_is_no_part_of_a_name(tess, tmp_path):
    (tmp_path / "sheet.csv").write_bytes(b"\xef\xbb\xbforder,time (ms)\r\nhilbert,2\r\n")
    imported(tess, tmp_path / "lab", tmp_path / "sheet.csv")
    assert runs_of(tess, tmp_path / "lab")[0]["configuration"]["order"] == "hilbert"


def test_semicolons_separate_cells_whose_names_have_no_comma(tess, tmp_path):
    (tmp_path / "sheet.csv").write_text('order;time (ms);who\nhilbert;2;"me; ""you"", too"\n')
    imported(tess, tmp_path / "lab", tmp_path / "sheet.csv")
    (run,) = runs_of(tess, tmp_path / "lab")
    assert run["configuration"]["order"] == "hilbert" and run["configuration"]["who"] == 'me; "you", too'
    assert run["samples"]["time"]["values"] == [2e-3]
    (tmp_path / "sheet.csv").write_text("time (ms),a;b\n2,1;3\n")
    imported(tess, tmp_path / "commas", tmp_path / "sheet.csv")
    assert runs_of(tess, tmp_path / "commas")[0]["configuration"]["a;b"] == "1;3"


@pytest.mark.parametrize("unit", ["us", "\N{MICRO SIGN}s", "\N{GREEK SMALL LETTER MU}s"])
def test_microseconds_are_written_in_three_ways(tess, tmp_path, unit):
    (tmp_path / "t.csv").write_text(f"order,time ({unit})\nhilbert,7\n", encoding="utf-8")
    imported(tess, tmp_path / "lab", tmp_path / "t.csv")
    assert runs_of(tess, tmp_path / "lab")[0]["samples"]["time"] == {"unit": "s", "values": pytest.approx([7e-6])}


def test_no_command_takes_home_what_another_program_has_measured(tess, tmp_path):
    (tmp_path / "t.csv").write_text("order,partitioner,time\nhilbert,,2\n")
    imported(tess, tmp_path / "lab", tmp_path / "t.csv")
    best = tess("best", "--lab", tmp_path / "lab")
    assert "best" in best.stdout and "Take it home" not in best.stderr


def test_what_was_imported_stays_once_and_what_is_new_comes_in(tess, tmp_path):
    lab, file = tmp_path / "lab", tmp_path / "t.csv"
    file.write_text(CSV)
    first = imported(tess, lab, file)[0]
    assert (len(first["runs"]), first["known"]) == (2, 0)
    (tmp_path / "moved").mkdir()
    file.rename(tmp_path / "moved" / "t.csv")
    again = imported(tess, lab, tmp_path / "moved" / "t.csv", tmp_path / "moved" / "t.csv")
    assert [(len(told["runs"]), told["known"]) for told in again] == [(0, 2)] * 2
    file.write_text(CSV + "rcb,128,11,950,me\n")
    assert tess("import", file, "--lab", lab).stdout == f"{file} (csv): 1 run; 2 were there already\n"
    assert len(runs_of(tess, lab)) == 3


def cut(text):
    return text[: len(text) // 2]


def version(text):
    return text.replace('"schema_version": "1.0.0"', '"schema_version": "2.0.0"')


@pytest.mark.parametrize("name, change, words", [
    ("google_benchmark.json", cut, "the file is cut off here, or still being written"),
    ("kernel_tuner_cut.json", str, ":19:304: string or '}' expected near end of file: the file is cut off here, or still being written"),
    ("kernel_tuner_t4.json", version, ": T4 results of schema 2.0.0; 1.0.0 is read"),
    ("google_benchmark.json", lambda text: text.replace('"context": {', '"context": {"json_schema_version": 2,'),
     ": Google Benchmark's JSON of version 2; 1 is read"),
    ("kernel_tuner_t4.json", lambda text: text.replace('"configuration"', '"config"', 1), ": result 1 has no configuration"),
    ("google_benchmark.json", lambda text: text.replace('"benchmarks"', '"results"'), ": no format is known by which this is written"),
])
def test_what_cannot_be_read_names_its_place_and_nothing_comes_in(tess, tmp_path, name, change, words):
    file = tmp_path / name
    file.write_text(change((FILES / name).read_text()))
    (tmp_path / "good.csv").write_text(CSV)
    done = tess("import", tmp_path / "good.csv", file, "--lab", tmp_path / "lab", code=3)
    assert words in done.stderr and str(file) in done.stderr and done.stdout == ""
    assert not (tmp_path / "lab").exists()


def refused(tess, lab, path, of):
    said = tess("import", path, "--lab", lab, code=3).stderr
    assert str(of) in said and not lab.exists(), said


@pytest.mark.parametrize("name", ["google_benchmark.json", "kernel_tuner_cache.json", "kernel_tuner_t4.json", "ncu_details.csv", "nvbench.json"])
def test_a_file_that_is_cut_anywhere_is_refused(tess, tmp_path, name):
    data = (FILES / name).read_bytes()
    if name == "nvbench.json":
        nvbench(tmp_path)
    for n in (len(data) // 10, len(data) // 2, len(data) * 9 // 10, len(data) - 3):
        (tmp_path / name).write_bytes(data[:n])
        refused(tess, tmp_path / "lab", tmp_path / name, tmp_path / name)


@pytest.mark.parametrize("name, lengths", [("*/meta.yaml", (0, 150)), ("*/*/meta.yaml", (0, 150, 300)), ("*/*/metrics/time", (0, 10, -1)),
                                           ("*/*/metrics/reuse", (0, 10, -1))])
def test_a_folder_of_mlflow_with_a_file_that_is_cut_is_refused(tess, tmp_path, name, lengths):
    shutil.copytree(FILES / "mlruns", tmp_path / "mlruns")
    (file,) = (tmp_path / "mlruns").glob(name)
    data = file.read_bytes()
    for n in lengths:
        file.write_bytes(data[:n])
        refused(tess, tmp_path / "lab", tmp_path / "mlruns", file)
    file.write_bytes(data)
    assert len(imported(tess, tmp_path / "lab", tmp_path / "mlruns")[0]["runs"]) == 1


def test_the_labs_list_comparison_chart_and_report_take_what_was_imported(tess, tmp_path):
    kinds = ("google_benchmark.json", "kernel_tuner_cache.json", "ncu_details.csv", "nvbench.json", "mlruns")
    told, at = imported(tess, tmp_path / "lab", *(FILES / name for name in kinds)), ("--lab", tmp_path / "lab")
    runs = [run["run"] for run in runs_of(tess, tmp_path / "lab") if run["samples"]]
    assert len(json.loads(tess("runs", *at, "--json").stdout)["runs"]) == sum(len(file["runs"]) for file in told) == 12
    assert len(tess("compare", *runs, *at).stdout.splitlines()) > len(runs) == 10
    tess("report", *at, "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert all(word in page for word in ("gather/1000", "vector_add", "axpy_kernel", "axpy.bench", "airfoil"))
    tess("plot", "time", *at, "-o", tmp_path / "time.svg")
    assert (tmp_path / "time.svg").stat().st_size > 1000


@pytest.mark.parametrize("text, words", [
    ("a,time\n1,2\n3\n", ":3: it has not the 2 cells of the header"), ("a,time\n1,x\n", ": row 1: 'x' is no number, where time is one"),
    ("a,time\n1,-2\n", ": row 1: '-2' is no time: it is negative"),
    ("a,b\n1,2\n", ": no column is measured"), ('a,time\n1,2\n"1,2\n', "/t.csv: line 3: a quote is not closed"), ("nothing", ": no format is known"),
    ("", ": no format is known"), ("a,time,b,a\n1,2,3,4\n", "/t.csv: its columns 1 and 4 are both called a\n"),
    ("a,time (ms),time (s)\n1,2,3\n", "/t.csv: its columns 2 and 3 are both called time\n"), ("a;time\n1;0,5\n", ": row 1: '0,5' is no number"),
    ("a,time (parsec)\n1,2\n", "/t.csv: 'parsec' is no unit of time that is known: say s, ms, us or ns"),
])
def test_bad_csv(tess, tmp_path, text, words):
    (tmp_path / "t.csv").write_text(text)
    assert words in tess("import", tmp_path / "t.csv", "--lab", tmp_path / "lab", code=3).stderr


def test_times_alone_in_a_column_are_csv_where_that_is_said(tess, tmp_path):
    (tmp_path / "t.csv").write_text("time\n1\n3\n")
    at = ("--lab", tmp_path / "lab")
    assert "kernel_tuner, csv, name it by --format\n" in tess("import", tmp_path / "t.csv", *at, code=3).stderr
    tess("import", "--format", "csv", tmp_path / "t.csv", *at)
    assert runs_of(tess, tmp_path / "lab")[0]["samples"]["time"]["values"] == [1, 3]


def test_samples_of_nvbench_that_are_not_there(tess, tmp_path):
    root, file = nvbench(tmp_path)
    for n in (2, 101):
        (tmp_path / "nvbench.json-bin" / "0.bin").write_bytes(bytes(4 * n))
        assert f"it has {n} samples, where" in tess("import", file, "--lab", tmp_path / "lab", code=3).stderr
    shutil.rmtree(tmp_path / "nvbench.json-bin")
    assert "its samples" in tess("import", file, "--lab", tmp_path / "lab", code=3).stderr
    root["meta"]["version"]["json"] |= {"major": 2, "string": "2.0.0"}
    file.write_text(json.dumps(root))
    assert "nvbench's JSON of version 2.0.0; 1 is read" in tess("import", file, "--lab", tmp_path / "lab", code=3).stderr


@pytest.mark.parametrize("arguments, code, words", [
    ((), 2, "a file is missing"), (("no.json",), 3, "no.json: No such file"), ((".",), 3, "no folder of a run with meta.yaml and metrics is here; MLflow may keep its runs in mlflow.db"),
    (("--format", "csw", FILES / "google_benchmark.json"), 2, "csw"), (("--format", "mlflow", FILES / "google_benchmark.json"), 3, "MLflow's runs are in its database, or folders"),
    (("--format", "csv", FILES / "mlruns"), 3, "it is a folder"),
])
def test_bad_arguments(tess, tmp_path, arguments, code, words):
    assert words in tess("import", *arguments, "--lab", tmp_path, code=code).stderr


def test_our_own_exports_come_back(tess, tmp_path):
    imported(tess, tmp_path / "a", FILES / "kernel_tuner_cache.json")
    tess("export", "-f", "t4", "--lab", tmp_path / "a", "-o", tmp_path / "t4.json")
    imported(tess, tmp_path / "b", tmp_path / "t4.json")
    for before, after in zip(runs_of(tess, tmp_path / "a"), runs_of(tess, tmp_path / "b")):
        assert after["samples"]["time"]["values"] == pytest.approx(before["samples"]["time"]["values"])
        assert after["configuration"]["UNROLL"] == before["configuration"]["UNROLL"]
