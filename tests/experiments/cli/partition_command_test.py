"""`tess partition`: its table, its JSON, its lab, its errors."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time

import h5py
import pytest
from conftest import HANG

MESH = "tris:nx=24:ny=20"


@pytest.fixture
def partition(tess, tmp_path):
    """Runs `tess partition` with a lab of its own and gives the finished process."""

    def run(*arguments, **options):
        return tess("partition", *arguments, cwd=tmp_path, **options)

    return run


def runs_of(process):
    return json.loads(process.stdout)["runs"]


def test_json_carries_metrics_and_files(partition, tmp_path):
    process = partition(MESH, "--map", "edges:cells", "--partitioner", "rcb,metis", "--block-size",
                        "32,64", "--json")
    runs = runs_of(process)
    assert [(run["partitioner"], run["block_size"]) for run in runs] == [
        ("rcb", 32), ("rcb", 64), ("metis", 32), ("metis", 64)]
    for run in runs:
        for key in ("reuse_factor", "blocks", "fill", "block_colours", "thread_colours_mean",
                    "transfer_used", "transfer_total", "sectors_per_block",
                    "partition_seconds", "plan_seconds", "run"):
            assert key in run, key
        assert 1 <= run["reuse_factor"] <= 3
        with h5py.File(tmp_path / run["plan_file"], "r") as plan:
            assert plan.attrs["block_size"] == run["block_size"]
            assert plan["blocks/size"][:].max() <= run["block_size"]
            assert plan["metrics/reuse_factor"][()] == run["reuse_factor"]
            assert len(plan["plan/executed"]) == plan["blocks/size"][:].sum()


def test_table_marks_the_best_of_each_block_size(partition):
    process = partition(MESH, "--map", "edges:cells", "--partitioner", "random,rcb",
                        "--block-size", "64", "--no-lab")
    lines = process.stdout.splitlines()
    assert "reuse" in lines[0] and "thread colours" in lines[0]
    row = next(line for line in lines if " rcb" in line)
    assert "*" not in row, "random is no rival"
    process = partition(MESH, "--map", "edges:cells", "--partitioner", "random,file-order,rcb",
                        "--block-size", "64", "--no-lab")
    marked = {line.split()[1]: "*" in line for line in process.stdout.splitlines()[1:5]}
    assert not marked["as"] and not marked["random"] and marked["rcb"]


def test_what_ties_with_the_best_is_marked_beside_it(partition):
    """Within one per cent, as the line below has it; what is less is not."""
    names = "mosaic,mosaic:level=quick,mosaic:level=long,metis:objtype=vol,rcb"
    words = (MESH, "--map", "edges:cells", "-p", names, "-b", "64", "--no-lab", "--columns", "reuse,touched MB,components")
    table = partition(*words).stdout.split("\n\n")[0]
    _, stored, *rows = table.split("\n")
    columns = list(zip(*[re.findall(r" ([\d.]+)(\*?)", row) for row in rows], strict=True))
    assert "as stored" in stored and "*" not in stored and len(rows) == 5 and len(columns) == 3
    ties = 0
    for column, best in zip(columns, (max, min, min), strict=True):
        of = [float(value) for value, _ in column]
        assert [mark for _, mark in column] == ["*" if abs(value - best(of)) <= 0.01 * best(of) else "" for value in of]
        ties += len({value for value, mark in column if mark}) - 1
    assert ties > 0, "none differs from the best and ties with it"


def test_no_predicted_time_is_marked_where_no_blocks_change_it(partition):
    for mesh, marks in (("quads:nx=20:ny=20", 0), ("tris:nx=300:ny=300:shuffle=1", 1)):
        table, words = partition(mesh, "--map", "edges:cells", "-p", "hilbert,rcm", "-b", "128", "--no-lab",
                                 "--columns", "predicted ms").stdout.split("\n\n")  # fmt: skip
        assert table.count("*") == marks and words.startswith("The mesh is too small") == (marks == 0)


def test_the_mesh_as_it_is_stored_is_a_row_that_is_not_archived(partition, tess, tmp_path):
    """What one has is in each table, and nothing of the lab: the file's order, nothing renumbered."""
    mesh = "tris:nx=60:ny=60:shuffle=3"
    words = (mesh, "--map", "edges:cells", "--dat", "q:cells:4:double", "-b", "64,128")
    done = partition(*words, "-p", "rcb")
    stored = [line.split() for line in done.stdout.splitlines() if "as stored" in line]
    assert [row[0] for row in stored] == ["64", "128"]
    assert len(json.loads(tess("runs", "--json", cwd=tmp_path).stdout)["runs"]) == 2
    report = json.loads(partition(*words, "-p", "file-order", "--renumber", "none", "--json", "--no-lab").stdout)
    for one, run in zip(report["stored"], report["runs"], strict=True):
        for name in ("reuse_factor", "transfer_total", "predicted_time"):
            assert one[name] == run[name], "it is the file's order without renumbering"
    rcb = json.loads(partition(*words, "-p", "rcb", "--json", "--no-lab").stdout)
    for one, run in zip(rcb["stored"], rcb["runs"], strict=True):
        assert run["stored_time"] == one["predicted_time"]
        assert run["reuse_factor"] > 1.5 * one["reuse_factor"], "its triangles are shuffled"


def verdicts_of(tess, folder):
    """Those of `tess best` and of `tess report` on a lab with one problem."""
    (best,) = json.loads(tess("best", "--json", cwd=folder).stdout)["verdicts"]
    (page,) = json.loads(tess("report", "--json", cwd=folder).stdout)["verdicts"]
    return best, page["words"] + "."


def test_where_a_mesh_is_too_small_traffic_ranks_in_all_commands(partition, tess, tmp_path):
    report = json.loads(partition("quads:nx=30:ny=20:shuffle=1", "--map", "cells:nodes", "-p", "gps,rcb,hilbert", "-b", "128", "--json").stdout)
    least = min(report["runs"], key=lambda run: run["transfer_total"])
    ranked = json.loads(tess("best", "--json", cwd=tmp_path).stdout)
    assert ranked["metric"].startswith("transfer_total") and ranked["runs"][0]["run"] == least["run"]
    assert "too small" in report["verdict"] and f"Least predicted traffic at block size 128: {least['partitioner']}, " in report["verdict"]


def test_the_verdict_is_by_time_against_the_mesh_as_it_is_stored(partition, tess, tmp_path):
    words = ("tris:nx=700:ny=300:shuffle=3", "--map", "edges:cells", "--dat", "q:cells:4:double", "-b", "128",
             "-p", "rcb,hilbert,random")  # fmt: skip
    report = json.loads(partition(*words, "--json").stdout)
    assert verdicts_of(tess, tmp_path) == (report["verdict"], report["verdict"])
    ranked = json.loads(tess("best", "--json", cwd=tmp_path).stdout)
    places = {run["partitioner"]: run["place"] for run in ranked["runs"]}
    assert ranked["metric"].startswith("predicted_time") and set(places) == {"rcb", "hilbert"} and "best" in places.values()
    times = {run["partitioner"]: run["predicted_time"] for run in report["runs"]}
    best = min(("rcb", "hilbert"), key=times.get)
    stored = report["stored"][0]["predicted_time"]
    assert report["verdict"].startswith(
        f"{best}: {stored / times[best]:.2g} times as fast as your file's order by the model of the NVIDIA H200 "
        f"({1e3 * times[best]:.3g} ms for {1e3 * stored:.3g})")
    assert stored > 1.5 * times[best] and "random" not in report["verdict"] and "traffic" not in report["verdict"]
    words = ("tris:nx=20:ny=20:shuffle=3", *words[1:], "--no-lab")
    refused = json.loads(partition(*words, "--json", "--machine", "none").stdout)
    assert "stored" not in refused and "predicted_time" not in refused["runs"][0]
    assert refused["verdict"].startswith("Least predicted traffic")
    assert "there is no machine file 'h2000'" in partition(*words, "--machine", "h2000", code=2).stderr


def test_a_mesh_that_is_too_small_for_a_gpu_is_told_so(partition, tess, tmp_path):
    report = json.loads(partition(MESH, "--map", "edges:cells", "-p", "rcb,mosaic", "-b", "64", "--json").stdout)
    for words in verdicts_of(tess, tmp_path):
        assert report["verdict"].startswith(words)
    assert report["verdict"].startswith("The mesh is too small for a GPU to care: by the model of the NVIDIA H200 launches take")
    assert "Least predicted traffic at block size 64" in report["verdict"]
    for run in (*report["runs"], *report["stored"]):
        assert run["predicted_launch_time"] > run["predicted_time"] / 2


def test_the_best_settings_of_a_library_are_named_beside_its_defaults(partition):
    words = (MESH, "--map", "edges:cells", "-b", "64", "--no-lab", "-p")
    hint = "tess: metis has its defaults here; it cuts best by metis:objtype=vol\n"
    assert hint in partition(*words, "metis,rcb").stderr
    assert "defaults here" not in partition(*words, "metis,rcb,metis:objtype=vol").stderr
    assert "defaults here" not in partition(*words, "metis:method=recursive,rcb").stderr


def test_what_is_named_next_is_the_best_and_stands_behind_the_table(tess_bin, tmp_path):
    done = subprocess.run([tess_bin, "partition", MESH, "--map", "edges:cells", "-p", "rcb,random", "-b", "64",
                           "--lab", "lab"], cwd=tmp_path, text=True, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)  # fmt: skip
    table, next_steps = done.stdout.split("Archived in")
    assert "Least predicted traffic" in table
    row = next(line for line in table.splitlines() if " rcb" in line)
    assert f"tess view {row.split()[-1]}" in next_steps


def test_all_partitioners_that_fit_are_the_default(partition):
    process = partition("quads:nx=16:ny=16", "--map", "cells:nodes", "--block-size", "32",
                        "--json", "--no-lab")
    names = {run["partitioner"].split(":")[0] for run in runs_of(process)}
    assert {"file-order", "random", "rcm", "gps", "hilbert", "rcb", "metis", "scotch",
            "bricks"} <= names
    assert "file" not in names


@pytest.mark.parametrize("loop, metis", [("edges:cells", "objtype=vol"),
                                         ("cells:nodes", "method=recursive:weights=shared")])
def test_words_stand_for_partitioners(partition, loop, metis):
    """METIS and SCOTCH have the settings that cut best, where they are not named; named they mean what they say."""

    def names(words):
        return [run["partitioner"] for run in runs_of(partition(
            "tris:nx=9:ny=9", "--map", loop, "-p", words, "-b", "32", "--json", "--no-lab"))]

    best = ["mosaic", f"metis:{metis}", "scotch:strategy=quality:weights=shared"]
    assert names("best") == best
    assert names("best,metis,rcb") == [*best, "metis", "rcb"]
    every = names("all")
    assert set(best) < set(every) and {"file-order", "gps", "rcb"} < set(every) and "metis" not in every


@pytest.mark.parametrize("mesh, loop", [("tets:nx=9:ny=9:nz=9", "cells:nodes"), ("tets:nx=9:ny=9:nz=9", "faces:cells"),
                                        ("irregular:nx=40:ny=40", "cells:nodes")])
def test_the_settings_of_an_expert_cut_better(partition, mesh, loop):
    runs = runs_of(partition(mesh, "--map", loop, "-p", "metis,scotch,best", "-b", "128", "--json", "--no-lab"))
    reuse = {run["partitioner"]: run["reuse_factor"] for run in runs}
    for library in ("metis", "scotch"):
        expert = next(name for name in reuse if name.startswith(library + ":"))
        assert reuse[expert] > reuse[library], expert


def test_lists_that_are_typed_again_go_on(partition):
    runs = runs_of(partition(MESH, "--map", "edges:cells", "-b", "32", "-p", "rcb", "-b", "64,96", "-p", "gps", "--json",
                             "--no-lab"))
    assert [(run["partitioner"], run["block_size"]) for run in runs] == [
        (name, size) for name in ("rcb", "gps") for size in (32, 64, 96)]


def test_blocks_that_no_gpu_has_are_told_of(partition):
    arguments = (MESH, "--map", "edges:cells", "-p", "rcb", "--no-lab")
    assert "1024 threads" in partition(*arguments, "-b", "64,100000000").stderr
    assert "1024 threads" not in partition(*arguments, "-b", "64,1024").stderr


def test_a_file_that_is_not_there_is_bad_input_and_no_run(partition, tmp_path):
    done = partition(MESH, "--map", "edges:cells", "-p", "file:path=missing.part", "-b", "32,64", code=3)
    assert done.stderr.count("failed: missing.part") == 2
    done = partition(MESH, "--map", "edges:cells", "-p", f"file:path={tmp_path}", "-b", "32", code=3)
    assert f"{tmp_path} is a folder, not a partition" in done.stderr
    assert not list((tmp_path / "lab/runs").glob("*.hdf"))


@pytest.mark.parametrize("value", ["--partitioner=rcb,rbc", "--block-size=64,0", "--partitioner=all,metis:k=1"])
def test_a_value_of_a_list_is_checked_before_the_mesh_is_read(partition, value):
    partition("nowhere.su2", "--map", "edges:cells", value, code=2)


def test_a_view_that_does_not_fit_leaves_run_and_table(partition, tess, tmp_path):
    partition(MESH, "--map", "edges:cells", "-p", "rcb", "-b", "32", "--no-view")  # as scripts of 0.1 say
    views = tmp_path / "lab/views"
    shutil.rmtree(views, ignore_errors=True)
    views.write_text("no folder")  # even root cannot write into it
    done = partition(MESH, "--map", "edges:cells", "-p", "rcb,gps", "-b", "64", "--view")
    assert [row[1] for row in rows_of(done.stdout)] == ["rcb", "gps"]
    assert done.stderr.count("is archived without a view") == 2
    assert len(json.loads(tess("runs", "--json", cwd=tmp_path).stdout)["runs"]) == 3


def test_what_does_not_fit_is_said(partition):
    process = partition(MESH, "--map", "edges:cells", "--block-size", "32", "--no-lab")
    assert process.stderr.count("left out, ") == 1 and re.search("^tess: left out, the loop reaches no structured box: bricks$", process.stderr, re.M)
    process = partition(MESH, "--map", "edges:cells", "--block-size", "32", "--no-lab", "--verbose")
    assert process.stderr.count("left out, ") == 3 and re.search("named: .*zoltan", process.stderr)
    process = partition("random_blocks:n=40:b=8", "--map", "cells:cells", "--block-size", "8", "--no-lab")
    assert "tess: left out, the mesh has no coordinates: hilbert, rcb\n" in process.stderr


@pytest.mark.parametrize("mesh, block_size, seeds, colours", [
    ("airfoil:i=100:j=150", 128, (2, 3, 4), 4),
    ("hexes:nx=30:ny=30:nz=30", 480, (1, 2), 8),
])
def test_few_blocks_get_as_few_colours_as_there_can_be(partition, mesh, block_size, seeds, colours):
    """At most as many as bricks that meet at a node: first fit and a short search end with more."""
    specs = ",".join(f"mosaic:seed={seed}" for seed in seeds)
    runs = runs_of(partition(mesh, "--map", "cells:nodes", "--partitioner", specs, "--block-size",
                             str(block_size), "--no-lab", "--json"))
    assert len(runs) == len(seeds) and max(run["block_colours"] for run in runs) <= colours


def test_traffic_is_counted_where_a_run_would_have_the_data(partition, tess, tmp_path):
    """The numbering of `tess partition` is that of `tess run`, which follows the blocks."""
    mesh = "quads:nx=150:ny=150"
    plain, usual, said = (
        runs_of(partition(mesh, "--map", "edges:cells", "-p", "file-order,mosaic", "-b", "128", "--json", *more))
        for more in (("--renumber", "none"), (), ("--renumber", "blocks")))
    moved = [[run["transfer_total"] for run in runs] for runs in (plain, usual, said)]
    assert moved[1] == moved[2] != moved[0]
    assert moved[1][1] < moved[1][0], "mosaic moves least where data follow the blocks"
    tess("run", "airfoil", "--mesh", mesh, "-p", "mosaic", "--lab", "run", cwd=tmp_path)
    configurations = [json.loads(tess("show", "@last", "--lab", lab, "--json", cwd=tmp_path).stdout)["configuration"]
                      for lab in ("lab", "run")]
    assert {configuration["renumber"] for configuration in configurations} == {"blocks"}


def rows_of(stdout):
    """The table's cells by title, split where titles begin; without the mesh as it is stored."""
    title, *lines = stdout.split("\n\n")[0].split("\n")
    return [line.split() for line in lines if "as stored" not in line]


def test_one_line_says_which_is_best_and_by_how_much(partition):
    arguments = (MESH, "--map", "edges:cells", "-p", "random,rcb,gps", "-b", "64", "--no-lab")
    report = json.loads(partition(*arguments, "--json").stdout)
    moved = sorted((run["transfer_total"], run["partitioner"]) for run in report["runs"])
    (least, best), (second, other) = moved[:2]
    less = f"{100 * (1 - least / second):.2g} % less than {other}"
    assert f"at block size 64: {best}, {least / 1e6:.3g} MB, {less}." in report["verdict"]
    assert report["verdict"] in partition(*arguments).stdout.split("\n\n")[1]


def test_runs_that_move_the_same_tie(partition):
    report = json.loads(partition(MESH, "--map", "edges:cells", "-p", "metis:seed=1,metis:seed=2", "-b", "64", "--no-lab",
                                  "--json").stdout)
    assert re.search("metis:seed=[12] and metis:seed=[12] tie, ", report["verdict"])


@pytest.mark.parametrize("words, names, said", [
    (("-p", "rcb,rcb", "-b", "64"), ["rcb"], "tess: --partitioner names rcb twice: it is made once\n"),
    (("-p", "rcb", "-b", "64,32", "-b", "64"), ["rcb", "rcb"], "tess: --block-size names 64 twice: it is made once\n"),
    (("-p", "rcb,hilbert,rcb:swap=0", "-b", "64"), ["rcb", "hilbert"], "tess: --partitioner names rcb:swap=0 twice: it is made once\n"),
    (("-p", "best,mosaic", "-b", "64", "--quiet"), None, ""),
])  # fmt: skip
def test_what_is_named_twice_is_made_once(partition, words, names, said):
    done = partition("quads:nx=20:ny=20", "--map", "edges:cells", *words, "--json", "--no-lab")
    found = [run["partitioner"] for run in runs_of(done)]
    assert said in done.stderr and (found == names if names else found.count("mosaic") == 1)


@pytest.mark.parametrize("sort, order", [
    ("reuse", ["random", "file-order", "rcb"]), ("-reuse_factor", ["rcb", "file-order", "random"]),
    ("partitioner", ["file-order", "random", "rcb"]), ("-block size,partitioner", ["file-order", "random", "rcb"])])
def test_the_table_is_sorted_and_has_the_columns_that_are_asked_for(partition, sort, order):
    done = partition(MESH, "--map", "edges:cells", "-p", "file-order,rcb,random", "-b", "64", "--no-lab",
                     f"--sort={sort}", "--columns", "partitioner,reuse,unique_points_warp,seed")
    assert done.stdout.split("\n")[0].split() == ["partitioner", "reuse", "unique_points_warp", "seed"]
    rows = rows_of(done.stdout)
    assert [row[0] for row in rows] == order and all(row[3] == "1" for row in rows)


@pytest.mark.parametrize("option", ["--columns=reusse", "--sort=reusse", "--columns=reuse,median_time"])
def test_columns_that_there_are_not_are_refused_before_anything_runs(partition, tmp_path, option):
    done = partition(MESH, "--map", "edges:cells", option, code=2)
    assert "reuse" in done.stderr and not (tmp_path / "lab").exists()


def test_rows_are_told_apart_whatever_columns_are_asked_for(partition):
    """Where none of the columns does it, those in which runs differ come first."""
    def head(*words):
        done = partition(MESH, "--map", "edges:cells", "--no-lab", *words)
        return re.split("  +| (?=components|reuse|partitioner)", done.stdout.split("\n")[0].strip())

    both = ("-p", "rcb,gps", "--columns", "reuse,pieces")
    assert head("-b", "32", *both) == ["partitioner", "reuse", "components"]
    assert head("-b", "32,64", *both) == ["block size", "partitioner", "reuse", "components"]
    assert head("-b", "32", "-p", "rcb", "--columns", "reuse,pieces") == ["partitioner", "reuse", "components"]
    assert head("-b", "32", "-p", "rcb", "--machine", "none", "--columns", "reuse,pieces") == ["reuse", "components"]
    assert head("-b", "32,64", "-p", "rcb,gps", "--columns", "partitioner,reuse") == ["partitioner", "reuse"]


def test_refinement_is_part_of_the_name_and_of_the_cost(partition, tess, tmp_path):
    done = partition("irregular:nx=120:ny=120", "--map", "edges:cells", "-p", "random", "-b", "64", "--refine", "3")
    assert "random --refine 3" in done.stdout
    costs = [{one["name"]: one["value"] for one in json.loads(
        tess("show", "@last", "--json", cwd=tmp_path).stdout)["metrics"]}]
    partition("irregular:nx=120:ny=120", "--map", "edges:cells", "-p", "random", "-b", "64")
    costs.append({one["name"]: one["value"] for one in json.loads(
        tess("show", "@last", "--json", cwd=tmp_path).stdout)["metrics"]})
    refined, plain = (cost["partition_cpu_seconds"] for cost in costs)
    assert refined > 10 * plain, "the refinement's time is counted: a hundred times a shuffle's"


def test_same_seed_same_plan(partition):
    plans = set()
    for _ in range(2):
        process = partition(MESH, "--map", "edges:cells", "--partitioner", "random:seed=7",
                            "--block-size", "32", "--json")
        plans.add(runs_of(process)[0]["plan_file"])
    assert len(plans) == 1


@pytest.mark.parametrize("arguments, code, words", [
    ((MESH,), 2, "--map"),
    ((), 2, "mesh"),
    ((MESH, "--map", "edges"), 2, "FROM:TO"),
    ((MESH, "--map", "edges:cell"), 2, "edges:cells"),
    ((MESH, "--map", "edges:cells", "--partitioner", "mettis"), 2, "metis"),
    ((MESH, "--map", "edges:cells", "--block-size", "0"), 2, "--block-size"),
    ((MESH, "--map", "edges:cells", "--block-size", "12,x"), 2, "'x'"),
    ((MESH, "--map", "edges:cells", "--block-size", "12,"), 2, "--block-size: '12,' has a comma with no value"),
    ((MESH, "--map", "edges:cells", "--partitioner", ""), 2, "--partitioner has no value"),
    ((MESH, "--map", "edges:cells", "--partitioner", "rcb\\,rcm"), 2, "called 'rcb\\'"),
    ((MESH, "--map", "edges:cells", "--lab", "none"), 2, "--no-lab"),
    ((MESH, "--map", "edges:cells", "--repair", "splt"), 2, "split"),
    ((MESH, "--map", "edges:cells", "--dat", "q:nodes:4:double"), 2, "cells"),
    ((MESH, "--map", "edges:cells", "--dat", "q:cells:0:double"), 2, "DIM from 1 to 4096"),
    ((MESH, "--map", "edges:cells", "--dat", "q:cells:4097:double"), 2, "DIM from 1 to 4096"),
    ((MESH, "--map", "edges:cells", "--dat", "q:cells:99999999999:double"), 2, "DIM from 1 to 4096"),
    (("no_such_file.su2", "--map", "edges:cells"), 3, "no_such_file.su2"),
])
def test_errors_say_what_to_do(partition, arguments, code, words):
    process = partition(*arguments, code=code)
    assert words in process.stderr
    assert process.stderr.startswith("tess: error: ")
    assert not process.stdout


def test_one_failing_partitioner_does_not_stop_the_rest(partition):
    process = partition(MESH, "--map", "edges:cells", "--partitioner",
                        "file:path=missing.part,rcb", "--block-size", "32", "--json", code=3)
    failed, done = runs_of(process)
    assert failed["status"] == "failed" and "missing.part" in failed["failure"]
    assert done["status"] == "done" and done["reuse_factor"] > 1


def test_interrupted_keeps_what_is_finished(tess_bin, tmp_path):
    process = subprocess.Popen(
        [tess_bin, "partition", "tris:nx=300:ny=300", "--map", "edges:cells",
         "--partitioner", "rcb,random,file-order,hilbert,gps,rcm,metis,scotch", "--block-size",
         "32,64,128,256,512", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd=tmp_path, env=dict(os.environ))
    runs = tmp_path / "lab" / "runs"
    while not (runs.is_dir() and any(runs.glob("*.hdf"))) and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    stdout, _ = process.communicate(timeout=HANG)
    assert process.returncode == 130
    finished = [run for run in json.loads(stdout)["runs"] if run["status"] == "done"]
    assert 1 <= len(finished) < 40
    assert len(list(runs.glob("*.hdf"))) >= len(finished)


def test_front_goes_from_pencils_to_bricks(partition):
    process = partition("quads:nx=120:ny=100", "--map", "edges:cells", "--trade-off", "--block-size",
                        "64", "--colouring", "dsatur", "--no-lab", "--json")
    runs = runs_of(process)
    assert len(runs) == 11
    for metric in ("reuse_factor", "thread_colours_mean"):
        values = [run[metric] for run in runs]
        assert values == sorted(values), metric
    assert runs[0]["thread_colours_mean"] < 2.6 < 3.9 < runs[-1]["thread_colours_mean"]
    partition(MESH, "--map", "edges:cells", "--trade-off", "-p", "rcb", code=2)


def test_an_older_word_is_read_and_noted(partition):
    process = partition("quads:nx=20:ny=16", "--map", "edges:cells", "--front", "--block-size", "64", "--json")
    assert "tess: --front is called --trade-off now" in process.stderr
    assert len(runs_of(process)) == 11


def test_refine_improves_any_partitioner(partition):
    arguments = (MESH, "--map", "edges:cells", "-p", "rcb,hilbert", "-b", "32", "--no-lab",
                 "--json")
    plain, refined = runs_of(partition(*arguments)), runs_of(partition(*arguments, "--refine=3"))
    for before, after in zip(plain, refined):
        assert after["reuse_factor"] > before["reuse_factor"]
        assert after["blocks"] == before["blocks"]


def test_names_that_are_no_utf8_are_told_with_question_marks(tess, tmp_path):
    """A file system takes any bytes for a name; JSON does not."""
    name, lab = os.fsdecode(b"\xff.su2"), os.fsdecode(b"lab\xfe")
    tess("mesh", "convert", MESH, "plain.su2", cwd=tmp_path)
    (tmp_path / "plain.su2").rename(tmp_path / name)
    made = json.loads(tess("partition", name, "--map", "edges:cells", "--partitioner", "rcb", "--lab", lab, "--json",
                           cwd=tmp_path).stdout)  # fmt: skip
    assert made["mesh"] == "?.su2" and made["lab"] == "lab?" and made["runs"][0]["plan_file"].startswith("lab?/plans/")
    run = ("run", "airfoil", "--mesh", name, "--device", "host", "--lab", lab, "--samples", "2", "--json")
    assert json.loads(tess(*run, cwd=tmp_path).stdout)["lab"] == "lab?"
    for command in (("runs",), ("verify",), ("show", "@last"), ("best",)):
        assert json.loads(tess(*command, "--lab", lab, "--json", cwd=tmp_path).stdout)
    tess("tune", "airfoil", "--mesh", name, "--device", "host", "--budget", "2", "--lab", lab, "--json", cwd=tmp_path)


def test_in_one_pipe_the_table_comes_before_what_is_next(tess_bin, tmp_path):
    words = [tess_bin, "partition", "quads:nx=20:ny=20", "--map", "edges:cells", "-p", "rcb", "-b", "64", "--lab", tmp_path / "lab"]
    told = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True).stdout
    assert 0 <= told.index("partitioner") < told.index("rcb") < told.index("Archived in")


def test_what_comes_next_can_be_pasted(tess, tmp_path):
    """Names that a shell takes apart are quoted, and a lab that is not the usual one is said."""
    tess("mesh", "generate", "tris:nx=9:ny=9", "-o", tmp_path / "my sea.su2")
    words = ("partition", "my sea.su2", "--map", "edges:cells", "-p", "rcb", "-b", "64", "--no-view")
    for lab, there in (("my lab", ["-l", "my lab"]), ("lab", [])):
        told = tess(*words, "--lab", lab, cwd=tmp_path).stderr.split("Next:\n")[1]
        show, view, reorder = (shlex.split(line)[1:] for line in told.splitlines())
        assert show[0] == "show" and view == ["view", *show[1:]] and show[2:] == there
        tess(*show, cwd=tmp_path)
        tess(*reorder[:3], "new.su2", *reorder[4:], "--dry-run", cwd=tmp_path)
