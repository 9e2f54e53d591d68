"""tess predict: features against the emulator's counts, reports, records, fits and refusals."""

import functools
import json
import math
import pathlib
import re
import shutil

import pytest
from conftest import ROOT

MESH = "quads:nx=60:ny=50"
CASE = ("--partitioner", "rcb", "--block-size", "128", "--renumber", "owner", "--layout", "soa,aos", "--registers", "assumed",
        "--using", "none", "--json")  # fmt: skip
STRATEGIES = ("atomics", "atomics:transpose=shared", "atomics:aggregate=sorted", "atomics:aggregate=unsorted",
              "halo-atomics", "owner-block:sum=slots", "block-colour", "block-colour:stage=none", "two-step", "global-colour",
              "point-parallel")  # fmt: skip


@pytest.fixture(scope="module")
def both(tess_module):
    """Predictions and the emulator's runs by (application, strategy, layout)."""
    predicted, counted = {}, {}
    for application, mesh in (("airfoil", MESH), ("lulesh", "hexes:nx=12:ny=12:nz=12")):
        words = (application, "--mesh", mesh, *CASE, "--strategy", ",".join(STRATEGIES))
        for one in json.loads(tess_module("predict", *words).stdout)["predictions"]:
            predicted[application, one["strategy"], one["layout"]] = one
        for layout in ("soa", "aos"):
            words = (application, "--mesh", mesh, *CASE[:6], "--layout", layout, "--json", "--no-lab", "--no-view",
                     "--strategy", ",".join(STRATEGIES))  # fmt: skip
            for one in json.loads(tess_module("run", *words).stdout)["runs"]:
                counted[application, one["strategy"], layout] = one
    assert predicted.keys() == counted.keys() and len(counted) == 44
    return predicted, counted


@pytest.fixture(scope="module")
def tess_module(tess_bin, tmp_path_factory):
    import subprocess

    folder = tmp_path_factory.mktemp("predict")

    def run(*words):
        return subprocess.run([tess_bin, *map(str, words)], capture_output=True, text=True, check=True, cwd=folder)

    return run


def test_what_follows_from_the_plan_is_what_the_emulator_counts(both):
    predicted, counted = both
    for key, run in counted.items():
        features = predicted[key]["features"]
        assert features["launches"] == run["launches"], key
        assert features["blocks"] == run["blocks_launched"], key
        assert features["shared_bytes"] == run["shared_bytes"], key
        assert features["moved_bytes"] == run["moved_bytes_min"], key
        assert features["values"] == run["atomics"], key  # of 8 bytes each
        assert features["turns"] >= 1, key  # of a thread: two points at once are one


def test_sectors_are_those_of_the_emulator(both):
    predicted, counted = both
    exact = ("atomics", "global-colour", "block-colour:stage=none")
    for key, run in counted.items():
        features, strategy = predicted[key]["features"], key[1]
        tolerance = 0.02 if strategy.startswith(exact) else 0.45
        assert features["reads"] == pytest.approx(run["read_sectors"], rel=tolerance), key
        tolerance = 0.001 if strategy.startswith((*exact, "two-step")) else 0.3
        assert features["writes"] == pytest.approx(run["write_sectors"], rel=tolerance), key


def test_wavefronts_are_those_of_the_emulator_but_for_conflicts_it_alone_sees(both):
    predicted, counted = both
    for key, run in counted.items():
        if key[1] in ("halo-atomics", "owner-block:sum=slots", "block-colour", "point-parallel"):
            wavefronts = predicted[key]["features"]["wavefronts"]
            assert 0.35 * run["shared_wavefronts"] < wavefronts < 1.1 * run["shared_wavefronts"], key


def test_split_loops_are_counted_as_the_emulator_does(tess):
    """Pieces of dats are staged in the phases that need them, and passed on through memory where phases have launches of their own."""
    ways = ("halo-atomics:parts=staged", "halo-atomics:parts=staged:next=after", "halo-atomics:parts=separate",
            "owner-block:sum=slots:parts=staged", "owner-block:sum=slots:parts=separate", "block-colour:parts=staged")  # fmt: skip
    words = ("miniaero", "--mesh", "hexes:nx=12:ny=12:nz=12:shuffle=1", *CASE[:6], "--json", "--strategy", ",".join(ways))
    done = tess("predict", *words, "--layout", "soa,aos", "--registers", "assumed")
    predicted = {(one["strategy"], one["layout"]): one["features"] for one in json.loads(done.stdout)["predictions"]}
    assert len(predicted) == 12
    for layout in ("soa", "aos"):
        done = tess("run", *words, "--layout", layout, "--no-lab", "--no-view", "--device", "emulator:check=no:caches=h100")
        for run in json.loads(done.stdout)["runs"]:
            key = run["strategy"], layout
            one = predicted[key]
            for name, counter in (("launches", "launches"), ("blocks", "blocks_launched"), ("shared_bytes", "shared_bytes"),
                                  ("moved_bytes", "moved_bytes_min"), ("values", "atomics"), ("barriers", "barriers")):  # fmt: skip
                assert one[name] == run[counter], (key, name)
            assert one["reads"] == pytest.approx(run["read_sectors"], rel=0.12), key
            assert one["writes"] == pytest.approx(run["write_sectors"], rel=0.12), key
            assert 0.6 * run["shared_wavefronts"] < one["wavefronts"] < 1.1 * run["shared_wavefronts"], key
            if key != ("owner-block:sum=slots:parts=staged", "aos"):  # whose first level does not hold what several phases read
                assert one["block_reads"] == pytest.approx(run["l2_read_sectors"], rel=0.02), key


def test_parts_of_points_have_no_model(tess):
    done = tess("predict", "miniaero", "--mesh", "hexes:nx=4:ny=4:nz=4", *CASE[:-1], "--strategy", "point-parallel:parts=staged", code=2)
    assert "there is no model of point-parallel by parts: predict parts=fused" in done.stderr + done.stdout


def test_blocks_of_a_matrix_that_are_searched_have_no_model(tess):
    """Their places are computed, not read: there is no array of them that could be counted."""
    pages = pathlib.Path(__file__).parents[3] / "docs/user_kernel"
    loop = ("--kernel", pages / "stiffness.h", "--loop", pages / "stiffness.yaml", "--mesh", "hexes:nx=4:ny=3:nz=3", "--layout", "aos", *CASE[:4], "--renumber", "owner")
    for find in ("ranks", "search"):
        done = tess("predict", *loop, "--strategy", f"atomics:find={find}", "--registers", "assumed", code=2)
        assert "there is no model of strategy atomics where loop stiffness finds its" in done.stderr + done.stdout
    done = tess("run", *loop, "--strategy", "atomics:find=ranks,atomics", "--json", "--no-lab")
    assert ["predicted_time" in run for run in json.loads(done.stdout)["runs"]] == [False, True]


def test_a_loop_that_only_gathers_is_counted_as_the_emulator_does(tess):
    words = ("fv", "--mesh", "random_blocks:n=4000:b=100", "--partitioner", "file-order", "--block-size", "128",
             "--strategy", "gather,gather:own=staged,gather:elements=2,gather:reads=staged,atomics", "--json")  # fmt: skip
    for layout in ("soa", "aos,maps=aos"):
        done = tess("predict", *words, "--layout", layout, "--registers", "assumed")
        predicted = {one["strategy"]: one["features"] for one in json.loads(done.stdout)["predictions"]}
        done = tess("run", *words, "--layout", layout, "--no-lab", "--no-view")
        for run in json.loads(done.stdout)["runs"]:
            one, staged = predicted[run["strategy"]], run["strategy"] == "gather:reads=staged"
            assert one["reads"] == pytest.approx(run["read_sectors"], rel=0.1 if staged else 1e-6), run["strategy"]
            assert one["wavefronts"] == pytest.approx(run["shared_wavefronts"], rel=0.2 if staged else 1e-6)
            for name, counter in (("writes", "write_sectors"), ("barriers", "barriers"), ("blocks", "blocks_launched")):
                assert one[name] == run[counter], (run["strategy"], layout, name)
            # All fits in the L2: y goes to memory once, weights, x and map rows come from there once.
            assert one["memory_writes"] == 4000 * 8 / 32, (run["strategy"], layout)
            if not staged:
                assert one["memory_reads"] == pytest.approx(4000 * (4 * 8 + 8 + 4 * 4) / 32, rel=0.01)


def test_the_table_has_the_fastest_and_says_how_many_are_left_out(tess):
    words = ("predict", "airfoil", "--mesh", "quads:nx=20:ny=20", "--registers", "assumed")
    shown, left = tess(*words).stdout.split("\n\n")[0].split("\n")[1:], json.loads(tess(*words, "--json").stdout)["predictions"]
    slowest = max(one["seconds"] for one in left)
    assert "as stored" in shown[0] and len(shown) == 1 + 20 + 1
    assert shown[-1] == f"{len(left) - 20} slower ones, up to {1e3 * slowest:.4g} ms: --json has all"
    assert "slower ones" not in tess(*words, "-p", "rcb", "-b", "128", "--layout", "soa", "-s", "atomics,two-step").stdout


def test_progress_counts_variants(tess, monkeypatch):
    monkeypatch.setenv("TESS_PROGRESS", "times")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # other threads are silent
    words = ("predict", "airfoil", "--mesh", "quads:nx=20:ny=20", "--registers", "assumed", "-p", "rcb", "-s", "atomics,two-step")
    told = tess(*words).stderr
    assert len(re.findall(r" counting, [0-9.]+ s$", told, re.M)) == 16, told  # the variants, and the mesh as it is stored by each
    assert len(re.findall(r" predicting 8 variants, ", told)) == 1


def test_the_strategies_are_those_that_fit_the_loop(tess):
    words = ("--partitioner", "file-order", "--block-size", "64", "--layout", "soa", "--json")
    gathering = {"gather", "gather:own=staged", "gather:reads=staged", "atomics", "halo-atomics"}
    others = {"block-colour", "two-step", "global-colour"}
    fv = ("fv", "--mesh", "random_blocks:n=500:b=50")
    for case, expected in (
        (fv, gathering | others),
        (("airfoil", "--mesh", "quads:nx=9:ny=9"),
         {"point-parallel", "atomics", "atomics:transpose=shared", "atomics:aggregate=sorted:elements=4", "halo-atomics",
          "owner-block:sum=slots"} | others),
        (("miniaero", "--mesh", "hexes:nx=5:ny=5:nz=5"),
         {"point-parallel", "atomics", "atomics:transpose=shared", "atomics:aggregate=sorted:elements=4", "halo-atomics",
          "owner-block:sum=slots", "halo-atomics:parts=staged", "halo-atomics:parts=separate"} | others),
    ):  # fmt: skip
        for more in ((), ("--strategy", "all")):
            done = tess("predict", *case, *words, "--registers", "assumed", *more)
            found = json.loads(done.stdout)["predictions"]
            assert {one["strategy"] for one in found} == expected and not any("failure" in one for one in found)
    done = tess("tune", *fv, "--by", "read_sectors", *words, "--no-lab")
    assert {one["strategy"] for one in json.loads(done.stdout)["candidates"] if one["value"]} == gathering


def test_a_share_of_the_elements_tells_what_all_would(tess):
    """Accesses of the first 8,000 of 64,800 edges, multiplied, against those of all."""
    words = ("predict", "airfoil", "--mesh", "airfoil:i=90:j=120", "--partitioner", "rcb", "--block-size", "128",
             "--registers", "assumed", "--json")  # fmt: skip
    of_all, of_some = ({(one["strategy"], one["layout"]): one["features"]
                        for one in json.loads(tess(*words, "--counted", n).stdout)["predictions"]} for n in (0, 8000))  # fmt: skip
    for key, features in of_all.items():
        for name in ("reads", "block_reads", "lines", "instructions", "wavefronts"):
            assert of_some[key][name] == pytest.approx(features[name], rel=0.15), (key, name)
        for name in ("blocks", "barriers", "launches", "flops", "moved_bytes"):
            assert of_some[key][name] == features[name], (key, name)
    assert "--counted: 'many' is no whole number" in tess(*words, "--counted", "many", code=2).stderr


def test_registers_are_compiled_where_nvrtc_is_there(tess):
    words = ("predict", "airfoil", "--mesh", "quads:nx=20:ny=20", "--strategy", "atomics", "--partitioner", "rcb",
             "--block-size", "128", "--layout", "soa", "--json")  # fmt: skip
    one = json.loads(tess(*words).stdout)["predictions"][0]
    if one["registers_from"] == "compiled":
        assert 16 < one["features"]["registers"] <= 255
    assumed = json.loads(tess(*words, "--registers", "assumed").stdout)["predictions"][0]
    assert assumed["registers_from"] == "assumed" and assumed["features"]["registers"] == 64


def test_barriers_are_those_of_the_emulator(both):
    predicted, counted = both
    for key, run in counted.items():
        if key[1].startswith(("atomics", "two-step", "global-colour", "block-colour", "halo-atomics")):
            assert predicted[key]["features"]["barriers"] == run["barriers"], key


def test_blocks_never_read_more_sectors_than_instructions_do(both):
    for one in both[0].values():
        features = one["features"]
        assert features["block_reads"] <= features["reads"]
        assert features["memory_reads"] <= features["block_reads"] + features["passes"]
        assert one["seconds"] > max(one["terms"].values())


def test_predictions_are_ranked_and_say_what_bounds_them(tess):
    done = tess("predict", "airfoil", "--mesh", MESH, *CASE)
    report = json.loads(done.stdout)
    times = [one["seconds"] for one in report["predictions"] if "failure" not in one]
    assert report["schema"] == "tess.predict/1" and report["machine"] == "h200" and report["fit"] is None
    assert times == sorted(times) and len(times) == 18
    assert all(one["bound"] == max(one["terms"], key=one["terms"].get) for one in report["predictions"])
    printed = tess("predict", "airfoil", "--mesh", MESH, *CASE[:-1]).stdout
    assert "Predicted for NVIDIA H200 (h200) by the machine's own constants, without a fit" in printed


def test_the_winner_is_told_against_the_mesh_as_it_is_stored(tess):
    """By the fit that ships, where no other is said; the row as stored is the best of all ways that were asked for."""
    words = ("predict", "fv", "--mesh", "tris:nx=360:ny=280:shuffle=2", "-p", "rcb,hilbert", "-b", "128", "--layout", "soa",
             "-s", "halo-atomics,atomics", "--registers", "assumed")  # fmt: skip
    report = json.loads(tess(*words, "--json").stdout)
    best, stored = report["predictions"][0], report["stored"]
    assert report["fit"] == "h200" and len(report["predictions"]) == 4
    assert stored["partitioner"] == "file-order" and stored["seconds"] > 1.3 * best["seconds"]
    assert report["verdict"].startswith(
        f"{best['partitioner']} by {best['strategy']} (soa) in blocks of 128: {stored['seconds'] / best['seconds']:.2g} times as "
        f"fast as your file's order by the model of the NVIDIA H200")
    printed = tess(*words).stdout
    assert report["verdict"] + "." in printed and printed.splitlines()[1].split()[1:3] == ["as", "stored"]
    both = [json.loads(tess(*words[:-4], "-s", strategy, "--registers", "assumed", "--json").stdout)["stored"]["seconds"]
            for strategy in ("atomics", "halo-atomics")]  # fmt: skip
    assert stored["seconds"] == min(both)


def test_predict_run_and_partition_agree(tess, tmp_path):
    """One rule and one model: with registers that are assumed, what predict says of a variant is what run says of it, and the winner is the same."""
    mesh = ("--mesh", "tris:nx=360:ny=280:shuffle=2", "-p", "rcb,hilbert", "-b", "128", "-s", "atomics")
    predicted = json.loads(tess("predict", "fv", *mesh, "--layout", "soa", "--renumber", "blocks", "--registers", "assumed",
                                "--json").stdout)  # fmt: skip
    ran = json.loads(tess("run", "fv", *mesh, "--device", "emulator:sample=1", "--json", "--lab", tmp_path / "lab").stdout)
    by_name = {one["partitioner"]: one["seconds"] for one in predicted["predictions"]}
    assert {one["partitioner"]: one["predicted_time"] for one in ran["runs"]} == pytest.approx(by_name, rel=1e-9)
    assert ran["stored"][0]["predicted_time"] == pytest.approx(predicted["stored"]["seconds"], rel=1e-9)
    gain = re.search(r"[\d.]+ times as fast as your file's order", predicted["verdict"])[0]
    assert gain in ran["verdict"] and predicted["predictions"][0]["partitioner"] in ran["verdict"].split(":")[0]
    archived = json.loads(tess("runs", "--lab", tmp_path / "lab", "--json").stdout)["runs"]
    assert len(archived) == 2 and all(row["stored_time"] > row["predicted_time"] > 0 for row in archived)


def test_predictions_are_archived_but_never_rank_among_runs(tess, tmp_path):
    lab = tmp_path / "lab"
    tess("predict", "airfoil", "--mesh", "quads:nx=20:ny=20", "--strategy", "atomics", "--partitioner", "rcb",
         "--registers", "assumed", "--lab", lab)  # fmt: skip
    rows = json.loads(tess("runs", "--lab", lab, "--json").stdout)["runs"]
    assert len(rows) == 4 and all(row["predicted_time"] > 0 and row["outcome"] == "unchecked" for row in rows)
    assert all("median_time" not in row for row in rows)
    assert "no run has" in tess("best", "--lab", lab, code=2).stderr


def test_what_has_no_model_says_so(tess):
    done = tess("predict", "airfoil", "--mesh", "quads:nx=20:ny=20", "--strategy", "atomics,openmp", "--partitioner",
                "rcb", "--registers", "assumed")  # fmt: skip
    reason = "No prediction for 4 variants, the first rcb by openmp: strategy openmp runs on the host only"
    assert done.stdout.count("No prediction") == 1 and reason in done.stdout
    done = tess("predict", "airfoil", "--mesh", "quads:nx=20:ny=20", "--strategy", "openmp,gather", "--partitioner",
                "rcb", code=2)  # fmt: skip
    assert "none of the 8 variants can be predicted" in done.stderr and "Predicted for" not in done.stdout
    assert done.stdout.count("No prediction for 4 variants") == 2


def test_what_cannot_be_written_is_said_before_anything_is_counted(tess, tmp_path):
    points, into = tmp_path / "points.json", tmp_path / "none" / "fit.yaml"
    points.write_text("not looked at")
    for option in "--features", "--fit":
        done = tess("predict", option, points, "--into", into, code=1)
        assert f"{into} cannot be written: No such file or directory" in done.stderr
    assert f"{into} cannot be" in tess("machine", "measure", "--into", into, code=1).stderr
    assert "is a folder, not a file to write" in tess("predict", "--fit", points, "--into", tmp_path, code=1).stderr
    assert "not a file to write" in tess("predict", "--fit", points, "--into", "/dev/null", code=1).stderr


H200 = """machine: mine
device: NVIDIA H200
numbers:
  copy_bandwidth: {value: 4.19e12, unit: B/s, source: measured}
"""


@pytest.mark.parametrize(
    "text, words",
    [
        ("", ":1:1: the file is empty"),
        (H200, "machine mine lacks the number 'processors'"),
        (H200.replace("machine: mine\n", ""), "a machine needs its name"),
        (H200.replace("B/s", "GB/s"), "4:42: 'copy_bandwidth' needs the unit B/s"),
        (H200.replace("4.19e12", "-1"), "'copy_bandwidth' needs a value above 0"),
        (H200.replace(", source: measured", ""), "'copy_bandwidth' needs a source"),
        (H200.replace("copy_bandwidth", "copy_bandwith"), "did you mean 'copy_bandwidth'?"),
        (H200.replace("{", "["), "no YAML"),
    ],
)
def test_a_machine_file_is_refused_by_its_place(tess, tmp_path, text, words):
    (tmp_path / "machine.yaml").write_text(text)
    done = tess("predict", "airfoil", "--mesh", MESH, "--machine", tmp_path / "machine.yaml", code=3)
    assert words in done.stderr and "machine" in done.stderr


def test_a_point_without_a_number_is_named(tess, tmp_path):
    points = json.loads((ROOT / "docs/results/h200_features.json").read_text())
    points["runs"] = points["runs"][:3]
    points["runs"][0]["outcome"] = "failed"
    del points["runs"][2]["features"]["lines"]
    (tmp_path / "points.json").write_text(json.dumps(points))
    said = tess("predict", "--evaluate", tmp_path / "points.json", "--using", "h200", code=3).stderr
    assert f"{tmp_path}/points.json: runs[2]: its features lack the number 'lines'" in said


@pytest.mark.parametrize("command", ["predict", "bound"])
def test_a_folder_is_no_machine_file(tess, tmp_path, command):
    done = tess(command, "airfoil", "--mesh", "quads:nx=4:ny=4", "--machine", tmp_path, code=3)
    assert done.stderr == f"tess: error: {tmp_path}: is a directory, not a file\n"


def test_a_machine_that_is_not_there_is_named(tess):
    done = tess("predict", "airfoil", "--mesh", MESH, "--machine", "h2000", code=2)
    assert "there is no machine file 'h2000', and none of that name ships: h100, h200" in done.stderr


# --- fits -------------------------------------------------------------------------------------------------------------


@functools.cache
def points_text(tess):
    """Points whose times are the model's own, by constants of ours, for four meshes and two applications."""
    runs = []
    for number, (application, mesh) in enumerate(
        [("airfoil", "quads:nx=60:ny=50"), ("airfoil", "tris:nx=50:ny=40"), ("volna", "tris:nx=70:ny=70"),
         ("volna", "tris:nx=40:ny=90")]):  # fmt: skip
        done = tess("predict", application, "--mesh", mesh, "--partitioner", "rcb,gps", "--registers", "assumed",
                    "--using", "none", "--json")  # fmt: skip
        for one in json.loads(done.stdout)["predictions"]:
            terms = {name: seconds * (1e3 if name != "launches" else 1) for name, seconds in one["terms"].items()}
            terms["atomics"] *= 2
            launches = terms.pop("launches")
            seconds = sum(term**4 for term in terms.values()) ** 0.25 + launches
            features = one["features"] | {
                key: 1e3 * one["features"][key]
                for key in one["features"]
                if key not in ("launches", "threads", "turns", "shared_bytes", "registers", "shared_atomics")
            }
            runs.append({"application": application, "mesh": mesh, "strategy": one["strategy"],
                         "layouts": one["layout"], "block_size": one["block_size"], "partitioner": one["partitioner"],
                         "device": "cuda", "outcome": "passed", "features": features,
                         "median_time": seconds})  # fmt: skip
    return json.dumps({"schema": "tess.points/1", "runs": runs})


def made_points(tess):
    return json.loads(points_text(tess))


def test_a_fit_finds_the_constants_that_made_the_times(tess, tmp_path):
    points, fit = tmp_path / "points.json", tmp_path / "fit.yaml"
    points.write_text(points_text(tess))
    tess("predict", "--fit", points, "--into", fit)
    report = json.loads(tess("predict", "--evaluate", points, "--json").stdout)
    for held_out in ("mesh", "application"):
        assert report[held_out]["median"] < 0.02 and report[held_out]["p90"] < 0.05
        assert all(mesh["regret"] < 1.02 for mesh in report[held_out]["meshes"])
        for of in ("orders", "strategies"):
            cases = [mesh[of] for mesh in report[held_out]["meshes"]]
            close, many = (sum(case[key] for case in cases) for key in ("within_5_percent", "cases"))
            assert many >= 8 and report[held_out][f"mesh_{of.replace('ies', 'y').rstrip('s')}_within_5_percent"] == close / many
    lines = tess("predict", "--evaluate", points).stdout.splitlines()
    titles = ("mesh", "points", "median %", "correlation", "regret", "runs until 2 %", "corrected", "after 10 runs",
              "orders", "strategies")  # fmt: skip
    assert lines.count(next(line for line in lines if line.split() == " ".join(titles).split())) == 2
    assert len([line for line in lines if line.startswith("airfoil ") and len(line.split()) == 1 + len(titles)]) >= 2
    done = tess("predict", "airfoil", "--mesh", MESH, "--partitioner", "rcb", "--registers", "assumed", "--using", fit,
                "--json")  # fmt: skip
    for one in json.loads(done.stdout)["predictions"]:
        assert one["is_fitted"] and one["low"] <= one["seconds"] * 1.05 and one["high"] >= one["seconds"] * 0.95


def test_what_covers_a_time_is_what_other_meshes_say(tess, tmp_path):
    """Of fewer than ten points there is no interval, and those of the own mesh do not count."""
    made, few, more = made_points(tess), [], []
    for mesh in ("quads:nx=60:ny=50", "tris:nx=70:ny=70"):  # of two applications
        of_mesh = [run for run in made["runs"] if run["mesh"] == mesh]
        for base in ("atomics", "block-colour", "halo-atomics", "point-parallel"):
            runs = [run for run in of_mesh if run["strategy"].split(":")[0] == base]
            few += runs[:9]
            more += runs[9:12] if mesh.startswith("quads") else []
    covered = []
    for runs in (few, few + more):
        (tmp_path / "points.json").write_text(json.dumps(made | {"runs": runs}))
        covered.append(json.loads(tess("predict", "--evaluate", tmp_path / "points.json", "--json").stdout)["mesh"]["covered"])
    assert len(few) > 60 and covered[0] is None and 0 <= covered[1] <= 1


def test_points_of_before_mean_the_default_of_then(tess, tmp_path):
    """owner-block summed by increment colours until its records said so."""
    made = made_points(tess)
    for run in made["runs"]:
        run["strategy"] = run["strategy"].replace("two-step", "owner-block")
    (tmp_path / "points.json").write_text(json.dumps(made))
    tess("predict", "--fit", tmp_path / "points.json", "--into", tmp_path / "fit.yaml")
    kinds = set(re.findall(r'{strategy: "(owner-block[^"]*)", layout: "', (tmp_path / "fit.yaml").read_text()))
    assert "owner-block:sum=increment-colours" in kinds and "owner-block" not in kinds


def test_the_own_order_of_a_shuffled_mesh_is_random(tess, tmp_path):
    """Whatever its seed; not where its elements were put in an order since."""
    made = made_points(tess)
    gps = [run for run in made["runs"] if run["mesh"] == "tris:nx=40:ny=90" and run["partitioner"] == "gps"]

    def counted(mesh):
        own = [run | {"mesh": mesh, "partitioner": "file-order"} for run in gps]
        (tmp_path / "points.json").write_text(json.dumps(made | {"runs": made["runs"] + own}))
        report = json.loads(tess("predict", "--evaluate", tmp_path / "points.json", "--json").stdout)
        return report["mesh"]["points"] - len(made["runs"])

    assert counted("tris:nx=40:ny=90:shuffle=2") == 0
    assert counted("tris:nx=40:ny=90:shuffle=2:order=hilbert") == len(gps)


def test_a_planted_fault_shows_as_the_bias_of_its_kind(tess, tmp_path):
    """One mesh's atomics took four times as long: predicted without it they come out four times too short."""
    made = made_points(tess)
    for run in made["runs"]:
        if run["application"] == "airfoil" and run["strategy"].startswith("atomics"):
            run["median_time"] *= 4
    (tmp_path / "points.json").write_text(json.dumps(made))
    report = json.loads(tess("predict", "--evaluate", tmp_path / "points.json", "--json").stdout)
    errors = {one["strategy"]: one for one in report["application"]["strategies"]}
    assert errors["atomics"]["p90"] > 0.5
    assert all(one["p90"] < errors["atomics"]["p90"] for name, one in errors.items() if name != "atomics")


def test_atomics_that_a_fit_takes_for_four_times_as_cheap_are_the_bias_of_their_kind(tess, tmp_path):
    """The fit that ships, on the points it is made of, has none; with a quarter of what atomics cost, one kind alone has."""
    root = pathlib.Path(__file__).resolve().parents[3]
    points, text = root / "docs/results/h200_features.json", (root / "experiments/model/machines/h200.fit.yaml").read_text()
    cheap = re.sub(r"(?m)^  (pass|value|missed_pass): (\S+)", lambda found: f"  {found[1]}: {float(found[2]) / 4}", text)
    (tmp_path / "cheap.yaml").write_text(cheap)

    def given(fit):
        return json.loads(tess("predict", "--evaluate", points, "--using", fit, "--json").stdout)["given"]

    whole, planted = given("h200"), given(tmp_path / "cheap.yaml")
    assert all(0.98 < one["bias"] < 1.02 for one in whole["strategies"]) and len(whole["strategies"]) == 8
    biases = {one["strategy"]: one["bias"] for one in planted["strategies"]}
    assert biases.pop("atomics") < 0.85 and all(0.98 < bias < 1.02 for bias in biases.values())
    assert 0.9 < whole["covered"] and planted["covered"] < 0.8 and "mesh" not in whole
    printed = tess("predict", "--evaluate", points, "--using", tmp_path / "cheap.yaml").stdout
    assert printed.startswith("All predicted by the fit that is given (2489 points without random orders):\n")
    assert re.search(r"\natomics +721 .* 0\.7\d\n", printed)


def test_numbers_of_one_point_that_say_nothing_are_null_in_json(tess, tmp_path):
    """One point has no rank among others, and points in a random order are not judged."""
    runs = json.loads((pathlib.Path(__file__).resolve().parents[3] / "docs/results/h200_features.json").read_text())["runs"]
    ordered = next(run for run in runs if run["partitioner"] == "gps")
    unordered = next(run for run in runs if run["partitioner"] == "random")
    found = []
    for run in (ordered, unordered):
        (tmp_path / "one.json").write_text(json.dumps({"runs": [run]}))
        found.append(json.loads(tess("predict", "--evaluate", tmp_path / "one.json", "--using", "h200", "--json").stdout)["given"])
    assert [one["meshes"][0]["correlation"] for one in found] == [None, None]
    assert found[0]["points"] == 1 and found[0]["meshes"][0]["regret"] == 1 and found[0]["median"] > 0
    assert found[1]["points"] == 0 and found[1]["meshes"][0]["regret"] is None and found[1]["median"] is None


def test_a_fit_of_another_gpu_is_refused(tess, tmp_path):
    points, fit = tmp_path / "points.json", tmp_path / "fit.yaml"
    points.write_text(points_text(tess))
    tess("predict", "--fit", points, "--into", fit)
    fit.write_text(fit.read_text().replace("device: NVIDIA H200", "device: NVIDIA A100"))
    done = tess("predict", "airfoil", "--mesh", MESH, "--using", fit, code=3)
    assert "the fit is of the GPU 'NVIDIA A100', and machine h200 is 'NVIDIA H200'" in done.stderr
    fit.write_text(fit.read_text().replace("  pass:", "  passes:"))
    done = tess("predict", "airfoil", "--mesh", MESH, "--using", fit, code=3)
    assert "a fit needs the number 'pass'" in done.stderr


def test_a_fit_that_ships_brings_its_machine(tess, tmp_path):
    words = ("predict", "airfoil", "--mesh", MESH, "--partitioner", "rcb", "--strategy", "atomics", "--registers", "assumed")
    assert "Predicted for NVIDIA H100 80GB HBM3 (h100) by a fit" in tess(*words, "--using", "h100").stdout
    assert "Predicted for NVIDIA H200 (h200) by a fit" in tess(*words, "--using", "h200").stdout
    assert "Predicted for NVIDIA H200 (h200)" in tess(*words).stdout
    done = tess(*words, "--using", "h100", "--machine", "h200", code=3)
    assert "the fit is of the GPU 'NVIDIA H100 80GB HBM3', and machine h200 is 'NVIDIA H200'" in done.stderr
    shutil.copy(pathlib.Path(__file__).resolve().parents[3] / "experiments/model/machines/h200.fit.yaml", tmp_path / "h100")
    assert "Predicted for NVIDIA H200 (h200) by a fit" in tess(*words, "--using", "h100", cwd=tmp_path).stdout  # a file comes first


def test_a_machine_file_is_no_fit_and_a_fit_no_machine_file(tess, tmp_path):
    words = ("predict", "airfoil", "--mesh", MESH)
    (tmp_path / "machine.yaml").write_text(H200)
    for one in (words, ("tune", *words[1:], "--device", "cuda")):
        option = "--using" if one is words else "--predict"
        assert "this is a machine file, not a fit: 'tess predict --machine" in tess(*one, option, tmp_path / "machine.yaml", code=3).stderr
    fit = pathlib.Path(__file__).resolve().parents[3] / "experiments/model/machines/h200.fit.yaml"
    assert "this is a fit, not a machine file: 'tess predict --using" in tess(*words, "--machine", fit, code=3).stderr
    text = fit.read_text()
    (tmp_path / "torn.yaml").write_text(text[: text.index("kinds:")])
    done = tess(*words, "--using", tmp_path / "torn.yaml", code=3)
    assert "a fit needs 'kinds': the file is not whole; 'tess predict --fit' writes it again" in done.stderr


def test_blocks_that_no_multiprocessor_holds_are_not_predicted(tess):
    words = ("predict", "miniaero", "--mesh", "tets:nx=7:ny=7:nz=7:shuffle=1", "--partitioner", "gps", "--strategy", "point-parallel",
             "--layout", "soa", "--registers", "assumed", "--json", "--block-size")  # fmt: skip
    small, large = json.loads(tess(*words, "64,512").stdout)["predictions"]
    assert small["features"]["shared_bytes"] <= 232448 and small["seconds"] > 0
    assert "bytes of shared memory, and may have 232448: take smaller blocks" in large["failure"] and large["block_size"] == 512
    tess(*words, "512", code=2)


def test_runs_of_another_gpu_make_no_fit(tess, tmp_path):
    made = made_points(tess)
    for run, gpu in zip(made["runs"], ["NVIDIA H200", "NVIDIA A100"], strict=False):
        run.update(gpu=gpu, run=gpu[7:])
    (tmp_path / "points.json").write_text(json.dumps(made))
    for words in (["--into", tmp_path / "out", "--fit"], ["--evaluate"], ["--into", tmp_path / "out", "--features"]):
        done = tess("predict", *words, tmp_path / "points.json", code=3)
        assert "run A100 is of the GPU 'NVIDIA A100', and machine h200 is 'NVIDIA H200': a fit is of one GPU" in done.stderr
    made["runs"][1]["gpu"] = "NVIDIA H200"
    (tmp_path / "points.json").write_text(json.dumps(made))
    tess("predict", "--features", tmp_path / "points.json", "--into", tmp_path / "out")
    assert [run.get("gpu") for run in json.loads((tmp_path / "out").read_text())["runs"]][:3] == ["NVIDIA H200", "NVIDIA H200", None]


def test_a_fit_that_is_not_there_is_named(tess):
    done = tess("predict", "airfoil", "--mesh", MESH, "--using", "h2000", code=2)
    assert "there is no fit 'h2000', and none of that name ships: h100, h200" in done.stderr


def test_slopes_of_a_fit_move_its_predictions(tess, tmp_path):
    points, fit = tmp_path / "points.json", tmp_path / "fit.yaml"
    points.write_text(points_text(tess))
    tess("predict", "--fit", points, "--into", fit)
    words = ("predict", "airfoil", "--mesh", MESH, "--using", fit, "--partitioner", "rcb", "--strategy", "atomics,two-step",
             "--layout", "soa", "--registers", "assumed", "--json")  # fmt: skip
    before = {one["strategy"]: one["seconds"] for one in json.loads(tess(*words).stdout)["predictions"]}
    text = fit.read_text()
    for layout, by in ("all", 0.1), ("soa", 0.1), ("aos", 0):
        offset = float(re.search(rf'strategy: "atomics", layout: {layout}, offset: (\S+),', text)[1])
        fit.write_text(re.sub(rf'(strategy: "atomics", layout: {layout}, offset: )\S+,', rf"\g<1>{offset + 0.1:.4f},", text))
        after = {one["strategy"]: one["seconds"] for one in json.loads(tess(*words).stdout)["predictions"]}
        assert after == {"atomics": pytest.approx(before["atomics"] * math.exp(by)), "two-step": pytest.approx(before["two-step"])}
    fit.write_text(text.replace(", layout: all, offset:", ", offset:"))
    assert "older fits lack: make the fit again: tess predict --fit" in tess(*words, code=3).stderr
    fit.write_text(re.sub(r"  latency: {mean.*\n", "", text))
    assert "a fit needs the trait 'latency'" in tess(*words, code=3).stderr
    fit.write_text(text.replace("  latency: {mean", "  l1: {mean: 0, deviation: 1}\n  latency: {mean"))
    assert "make an older one again: tess predict --fit) has no 'l1'" in tess(*words, code=3).stderr
    fit.write_text(re.sub(r"traits:.*?(?=slopes:)", "", text, flags=re.S))
    assert "a fit has both 'traits' and 'slopes'" in tess(*words, code=3).stderr
    fit.write_text(re.sub(r"traits:.*?(?=errors:)", "", text, flags=re.S))
    assert json.loads(tess(*words).stdout)["predictions"], "a fit of before has none"


def test_an_application_has_offsets_of_its_own(tess, tmp_path):
    """Of volna, two-step takes longer in blocks of 128 on both meshes; of airfoil it does not."""
    points, fit = tmp_path / "points.json", tmp_path / "fit.yaml"
    made = made_points(tess)
    for run in made["runs"]:
        if (run["application"], run["strategy"], run["block_size"]) == ("volna", "two-step", 128):
            run["median_time"] *= 1.3
    points.write_text(json.dumps(made))
    tess("predict", "--fit", points, "--into", fit)
    text = fit.read_text()
    offsets = dict(re.findall(r'{of: "(.+)", offset: (\S+)}', text))
    longer = "volna by all of two-step in soa, blocks of 128"
    for other in longer.replace("volna", "airfoil"), longer.replace("128", "256"):
        assert float(offsets[longer]) > float(offsets[other]) + 0.05
    words = ("predict", "volna", "--mesh", "tris:nx=70:ny=70", "--using", fit, "--partitioner", "rcb", "--strategy",
             "two-step", "--layout", "soa", "--block-size", "128,256", "--registers", "assumed", "--json")  # fmt: skip
    before = {one["block_size"]: one["seconds"] for one in json.loads(tess(*words).stdout)["predictions"]}
    fit.write_text(text.replace(f'"{longer}", offset: {offsets[longer]}', f'"{longer}", offset: 0'))
    after = {one["block_size"]: one["seconds"] for one in json.loads(tess(*words).stdout)["predictions"]}
    assert after == {128: pytest.approx(before[128] / math.exp(float(offsets[longer]))), 256: pytest.approx(before[256])}
    fit.write_text(text.replace("offsets: #", "offset: #"))
    assert "a fit has no 'offset'; did you mean 'offsets'?" in tess(*words, code=3).stderr
    fit.write_text(re.sub(r"{of: .*, offset", "{offset", text, count=1))
    assert "a fit needs the text 'of'" in tess(*words, code=3).stderr


def test_a_layout_timed_on_one_mesh_is_compared_with_runs_alike(tess, tmp_path):
    """On that mesh everything takes twice as long, which says next to nothing of the layout that was timed there alone."""
    points, fit = tmp_path / "points.json", tmp_path / "fit.yaml"
    made = made_points(tess)
    for run in made["runs"]:
        run["median_time"] *= 2 if run["mesh"] == MESH else 1
    made["runs"] += [run | {"layouts": "soa,nodes=aos"} for run in made["runs"]
                     if run["mesh"] == MESH and run["layouts"] == "soa" and run["strategy"] == "two-step"]  # fmt: skip
    points.write_text(json.dumps(made))
    tess("predict", "--fit", points, "--into", fit)
    kinds = re.findall(r'strategy: "two-step", layout: "(\S+)", factor: (\S+),', fit.read_text())
    factor = {layout: float(value) for layout, value in kinds}
    assert factor["soa,nodes=aos"] == pytest.approx(factor["soa"], rel=1e-2)


@pytest.mark.parametrize(
    "words, code, message",
    [
        (["--fit", "nowhere", "--into", "x"], 3, "there is no lab or file 'nowhere'"),
        (["--fit", "nowhere"], 2, "--fit needs --into FILE"),
        (["--into", "x"], 2, "--into is for --fit and --features"),
        (["--fit", "a", "--evaluate", "b"], 2, "--fit, --evaluate and --features are one each"),
        (["airfoil", "--evaluate", "b"], 2, "leave out APPLICATION, --kernel and --mesh"),
        (["--mesh", MESH, "--fit", "a", "--into", "x"], 2, "leave out APPLICATION, --kernel and --mesh"),
        (["--using", "h200", "--features", "a", "--into", "x"], 2, "--fit and --features make no use of a fit: leave out --using"),
        (["--using", "h200", "--fit", "a", "--into", "x"], 2, "--fit and --features make no use of a fit: leave out --using"),
    ],
)
def test_fits_are_asked_for_clearly(tess, words, code, message):
    assert message in tess("predict", *words, code=code).stderr


def made_run():
    return {"application": "airfoil", "mesh": MESH, "strategy": "atomics", "layouts": "soa", "block_size": 128, "partitioner": "rcb",
            "device": "cuda", "outcome": "passed", "median_time": 1e-4}  # fmt: skip


def test_points_without_times_make_no_fit(tess, tmp_path):
    (tmp_path / "none.json").write_text('{"runs": [{"mesh": "quads:nx=9:ny=9"}]}')
    done = tess("predict", "--evaluate", tmp_path / "none.json", code=3)
    assert "has no run that passed and was timed on a GPU" in done.stderr
    (tmp_path / "bad.json").write_text("{")
    done = tess("predict", "--evaluate", tmp_path / "bad.json", code=3)
    assert "bad.json:1:1" in done.stderr and "the file is no whole JSON; 'tess predict --features LAB --into FILE' writes it" in done.stderr
    (tmp_path / "old.json").write_text(json.dumps({"runs": [made_run() | {"features": {"reads": 1}}]}))
    assert "take 'features' out of the point" in tess("predict", "--evaluate", tmp_path / "old.json", code=3).stderr


def test_one_mesh_cannot_be_left_out(tess, tmp_path):
    made = made_points(tess)
    made["runs"] = [run for run in made["runs"] if run["mesh"] == MESH]
    (tmp_path / "points.json").write_text(json.dumps(made))
    done = tess("predict", "--evaluate", tmp_path / "points.json", code=3)
    assert f"without mesh {MESH} there are only 0 timed runs" in done.stderr
    assert "time another mesh, too" in done.stderr


@pytest.mark.parametrize("name, gpu", [("h200", "NVIDIA H200"), ("h100", "NVIDIA H100 80GB HBM3")])
def test_a_fit_that_ships_is_that_of_the_points_that_ship(tess, tmp_path, name, gpu):
    def read(path):
        text = path.read_text()
        constants = dict(re.findall(r"^  (\w+): (\S+) #", text, re.MULTILINE))
        kinds = re.findall(r'^  - {strategy: "(\S+)", layout: "(\S+)", factor: (\S+),', text, re.MULTILINE)
        factors = {f"{strategy} {layout}": factor for strategy, layout, factor in kinds}
        return re.findall(r"^(?:device|points): (.+)$", text, re.MULTILINE), constants | factors

    root = pathlib.Path(__file__).resolve().parents[3]
    tess("predict", "--fit", root / f"docs/results/{name}_features.json", "--machine", name, "--into", tmp_path / "fit.yaml")
    about, made = read(tmp_path / "fit.yaml")
    shipped_about, shipped = read(root / "experiments/model/machines" / f"{name}.fit.yaml")
    assert about == shipped_about and about[0] == gpu and len(shipped) >= 26 + 20
    for constant, value in shipped.items():
        assert float(made[constant]) == pytest.approx(float(value), rel=0.01), constant
    done = tess("predict", "airfoil", "--mesh", MESH, "--partitioner", "rcb", "--registers", "assumed", "--using",
                name, "--json")  # fmt: skip
    report = json.loads(done.stdout)
    intervals = [(one["low"], one["high"]) for one in report["predictions"] if one["low"] is not None]
    assert report["fit"] == name and len(intervals) >= 16 and all(low < high for low, high in intervals)
