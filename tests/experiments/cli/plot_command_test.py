"""tess plot: what is drawn is what runs have, ties are no wins, pictures are pictures."""

import json
import os
import shutil
import stat
import subprocess
import xml.etree.ElementTree as ElementTree

import h5py
import pytest
from conftest import HANG, in_terminal

PARTITIONERS = ("file-order", "rcb", "mosaic")
SIZES = (64, 128)


@pytest.fixture(scope="module")
def lab(tess, tmp_path_factory):
    """Two meshes in three orders and two block sizes, one of an evil name, and a loop timed twice over."""
    folder = tmp_path_factory.mktemp("plots")
    evil = folder / "a$b$<script>alert(1)<\x1b[31m.su2"
    tess("mesh", "convert", "quads:nx=12:ny=9", evil)
    for mesh in ("tris:nx=30:ny=20", evil):
        tess("partition", mesh, "--map", "edges:cells", "-b", ",".join(map(str, SIZES)), "-p", ",".join(PARTITIONERS),
             cwd=folder)
    tess("run", "airfoil", "--mesh", "airfoil:i=20:j=30", "-d", "host", "-s", "sequential,openmp", "-p", "rcb",
         "--samples", "9", cwd=folder, env=dict(os.environ, OMP_NUM_THREADS="1"))
    return folder / "lab"


def chart(tess, lab, *words):
    return json.loads(tess("plot", *words, "--lab", lab, "--json").stdout)


def runs(tess, lab, where):
    return json.loads(tess("runs", "--lab", lab, "--json", "-w", where).stdout)["runs"]


def test_reuse_is_that_of_the_runs(tess, lab):
    found = chart(tess, lab, "reuse", "-w", "mesh ~ tris and block_size <= 128")
    assert [panel["title"] for panel in found["panels"]] == ["edges:cells, tris:nx=30:ny=20"]
    drawn = {(series["name"], point["x"]): point["y"] for series in found["panels"][0]["series"] for point in series["points"]}
    assert drawn == {(run["partitioner"], run["block_size"]): run["reuse_factor"] for run in runs(tess, lab, "mesh ~ tris")}
    assert len(drawn) == len(PARTITIONERS) * len(SIZES)
    assert (found["x"]["words"], found["y"]["words"]) == ("block size", "reuse")


def test_a_name_looks_alike_in_all_panels(tess, lab):
    panels = chart(tess, lab, "reuse")["panels"]
    places = [{series["name"]: series["place"] for series in panel["series"]} for panel in panels]
    assert len(panels) == 3 and sorted(places[0].values()) == list(range(len(PARTITIONERS)))
    assert [series["place"] for series in panels[0]["series"]] == sorted(places[0].values()), "the first panel's order"
    for of_panel in places[1:]:
        assert of_panel == {name: places[0][name] for name in of_panel}


def test_lone_points_say_what_gives_lines(tess, tmp_path):
    words = ("partition", "quads:nx=9:ny=9", "--map", "edges:cells", "-p", "rcb,gps", "--lab", tmp_path, "-b")
    tess(*words, "32")
    assert "runs of one block size are points; '-b 64,128,256' gives lines" in chart(tess, tmp_path, "reuse")["notes"]
    tess(*words, "64")
    assert "one block size" not in chart(tess, tmp_path, "reuse")["notes"]


def test_times_have_the_intervals_and_verdicts_of_compare(tess, lab):
    rows = chart(tess, lab, "time")["panels"][0]["series"][0]["points"]
    timed = {run["strategy"]: run for run in runs(tess, lab, "application = airfoil")}
    assert sorted(row["label"] for row in rows) == sorted(timed) == ["openmp", "sequential"]
    assert [row["x"] for row in rows] == sorted(1e3 * run["median_time"] for run in timed.values())
    for row in rows:
        samples = json.loads(tess("show", timed[row["label"]]["run"], "--lab", lab, "--json").stdout)["samples"]["time"]
        ordered = sorted(1e3 * value for value in (samples["values"] if isinstance(samples, dict) else samples))
        assert row["n"] == len(ordered) == 9
        # Of 9 sorted samples the second and the last but one: 1 - 2 (1 + 9) / 2^9 = 0.961.
        assert (row["low"], row["high"]) == pytest.approx((ordered[1], ordered[-2]))
    fastest, other = (timed[row["label"]]["run"] for row in rows)
    verdict = json.loads(tess("compare", fastest, other, "--lab", lab, "--json").stdout)["comparisons"][0]["verdict"]
    assert [row["beaten"] for row in rows] == [False, verdict == "slower"]


def test_the_front_is_what_nothing_beats(tess, lab):
    found = chart(tess, lab, "front", "--x", "reuse_factor", "--y", "transfer_total", "-w", "mesh ~ tris")
    points = [point for series in found["panels"][0]["series"] if series["line"] == "points" for point in series["points"]]
    values = [(run["reuse_factor"], run["transfer_total"] / 1e6) for run in runs(tess, lab, "mesh ~ tris")]
    drawn = sorted((point["x"], point["y"]) for point in points)
    assert [one for pair in drawn for one in pair] == pytest.approx([one for pair in sorted(values) for one in pair])
    assert found["y"]["words"] == "touched [MB]"
    for point in points:
        x, y = point["x"], point["y"]
        assert point["beaten"] == any(a >= x and b <= y and (a, b) != (x, y) for a, b in
                                      ((other["x"], other["y"]) for other in points))
    assert any(point["beaten"] for point in points) and not all(point["beaten"] for point in points)


def test_bytes_and_flops_stand_beside_copying(tess, lab):
    timed = runs(tess, lab, "application = airfoil and mesh = \"airfoil:i=20:j=30\"")
    edges = json.loads(tess("mesh", "info", "airfoil:i=20:j=30", "--json").stdout)["sets"]["edges"]
    copying = sorted(run["bandwidth"] / run["useful_fraction"] for run in timed)
    middle = 1e-9 * (copying[0] + copying[1]) / 2
    chosen = ("-w", "application = airfoil and mesh = \"airfoil:i=20:j=30\"")
    rows, limit = (series["points"] for series in chart(tess, lab, "bandwidth", *chosen)["panels"][0]["series"])
    assert sorted(row["x"] for row in rows) == pytest.approx(sorted(1e-9 * run["bandwidth"] for run in timed))
    assert [point["x"] for point in limit] == pytest.approx([middle])
    loop, roof = chart(tess, lab, "roofline", *chosen)["panels"][0]["series"]
    assert loop["name"].startswith("airfoil, res_calc, airfoil:i=20:j=30")
    flops = 73 * edges  # of res_calc, as Airfoil's papers count them
    for point, seconds in zip(loop["points"], sorted(run["median_time"] for run in timed)):
        assert point["x"] == pytest.approx(flops / timed[0]["useful_bytes"])
        assert point["y"] == pytest.approx(1e-9 * flops / seconds)
        assert point["low"] <= point["y"] <= point["high"] and point["low"] < point["high"]
    assert [point["y"] / point["x"] for point in roof["points"]] == pytest.approx([middle, middle])


@pytest.mark.parametrize("gpu, peak", [("NVIDIA H200", 34e3), ("NVIDIA H200 NVL", 30e3), ("NVIDIA L40S", 1430),
                                       ("NVIDIA GeForce RTX 4090 Laptop GPU", 515), ("NVIDIA Q9", None)])
def test_the_peak_of_known_gpus_is_a_roof(tess, lab, tmp_path, gpu, peak):
    """Gflop/s in double, of the data sheets; the records of runs are made to be of a GPU."""
    shutil.copytree(lab, tmp_path / "lab")
    (tmp_path / "lab/index.hdf").unlink(missing_ok=True)
    for path in (tmp_path / "lab/runs").iterdir():
        with h5py.File(path, "r+") as file:
            rows = file["environment"][()]
            place = rows["key"].tolist().index(b"system")
            rows["key"][place], rows["text"][place] = b"gpu", gpu.encode()
            file["environment"][()] = rows
    found = chart(tess, tmp_path / "lab", "roofline")
    roofs = {series["name"]: series["points"] for series in found["panels"][0]["series"]}
    level = [[point["y"] for point in points] for name, points in roofs.items() if name.startswith("peak in double")]
    assert level == ([] if peak is None else [pytest.approx([peak, peak])])
    assert (f"no peak of flops is known of {gpu}" in json.dumps(found)) == (peak is None)


def test_scaling_is_by_elements(tess, lab):
    tess("run", "airfoil", "--mesh", "airfoil:i=10:j=30", "-d", "host", "-s", "sequential,openmp", "-p", "rcb", "--samples",
         "3", cwd=lab.parent, env=dict(os.environ, OMP_NUM_THREADS="1"))
    lines = {series["name"]: series for series in chart(tess, lab, "scaling")["panels"][0]["series"]}
    assert set(lines) == {"sequential", "openmp", "proportional to elements"}
    edges = [json.loads(tess("mesh", "info", f"airfoil:i={i}:j=30", "--json").stdout)["sets"] for i in (10, 20)]
    assert [point["x"] for point in lines["openmp"]["points"]] == [sets_of["edges"] for sets_of in edges]
    assert [point["n"] for point in lines["openmp"]["points"]] == [3, 9]
    ideal = lines["proportional to elements"]["points"]
    assert ideal[1]["y"] / ideal[0]["y"] == pytest.approx(edges[1]["edges"] / edges[0]["edges"])


def test_scaling_is_by_threads_where_they_differ(tess, tmp_path):
    for threads in ("1", "2", "4"):
        tess("run", "airfoil", "--mesh", "airfoil:i=10:j=30", "-d", "host", "-s", "openmp", "-p", "rcb", "--samples", "3", cwd=tmp_path,
             env=dict(os.environ, OMP_NUM_THREADS=threads))
    lines = {series["name"]: series["points"] for series in chart(tess, tmp_path / "lab", "scaling")["panels"][0]["series"]}
    assert set(lines) == {"openmp, rcb", "ideal: time / threads"} and [point["x"] for point in lines["openmp, rcb"]] == [1, 2, 4]
    first, last = lines["ideal: time / threads"]
    assert (first["x"], last["x"]) == (1, 4) and first["y"] == lines["openmp, rcb"][0]["y"] and last["y"] == pytest.approx(first["y"] / 4)


@pytest.mark.parametrize("limit, words", [(4, ("plot", "reuse", "-o", "a.png")), (100, ("report", "-o", "a.html"))])
def test_what_cannot_be_written_leaves_nothing(tess_bin, tess, lab, tmp_path, limit, words):
    """A file-size limit in kB stands for a full disk. Python would keep the beginnings of its modules there, for good."""
    done = subprocess.run(["bash", "-c", f'ulimit -f {limit}; trap "" XFSZ; exec "$@"', "bash", tess_bin, *words, "--lab", lab],
                          cwd=tmp_path, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True, text=True, timeout=HANG)
    assert done.returncode == 1 and done.stderr.splitlines()[-1] == f"tess: error: {words[-1]}: File too large"
    assert list(tmp_path.iterdir()) == []
    (tmp_path / words[-1]).mkdir()
    assert "is a folder" in tess(*words, "--lab", lab, code=1, cwd=tmp_path).stderr


def test_pictures_are_pictures_and_names_are_text(tess, lab, tmp_path):
    for ending, begin in ((".png", b"\x89PNG"), (".svg", b"<?xml")):  # each starts Python
        file = tmp_path / f"reuse{ending}"
        done = tess("plot", "reuse", "--lab", lab, "-o", file)
        assert done.stdout == f"{file}\n" and done.stderr == ""
        assert file.read_bytes().startswith(begin)
    names = {element.tag.rpartition("}")[2] for element in ElementTree.parse(tmp_path / "reuse.svg").iter()}
    assert "path" in names and "script" not in names
    drawn = (tmp_path / "reuse.svg").read_bytes()
    tess("plot", "reuse", "--lab", lab, "-o", tmp_path / "reuse.svg")
    assert (tmp_path / "reuse.svg").read_bytes() == drawn, "the same chart is the same file"
    assert list(tmp_path.glob("*.part*")) == []


def test_a_terminal_is_filled_and_a_dumb_one_gets_ascii(tess_bin, lab):
    for kind in ("reuse", "time", "front"):
        for term in ("xterm-256color", "dumb"):
            code, shown = in_terminal([tess_bin, "plot", kind, "--lab", lab], 72,
                                      env={**os.environ, "TERM": term, "LC_ALL": "C.UTF-8"})
            assert code == 0
            assert b"\x1b[31m" not in shown, "a name steers no terminal"
            if term == "dumb":
                assert shown.isascii() and b"\x1b" not in shown
                assert 60 < max(map(len, shown.decode().split("\r\n"))) <= 72
            else:
                assert b"\x1b[38;5;" in shown and not shown.isascii()


@pytest.mark.parametrize("words, code, message", [
    (("plot",), 2, "which plot?"),
    (("plot", "resue"), 2, "did you mean 'reuse'? (known: reuse, time,"),
    (("plot", "reuse", "-o", "a.jpg"), 2, "'a.jpg'"),
    (("plot", "reuse", "--x", "seed"), 2, "--x is what front and scaling show to the right: 'tess plot reuse' takes none"),
    (("plot", "scaling", "--y", "seed"), 2, "--y is what front shows upwards: 'tess plot scaling' takes none"),
    (("plot", "front", "--x", "block_size"), 2, "neither a small nor a large 'block_size'"),
    (("plot", "front", "--x", "resue_factor"), 2, "reuse_factor"),
    (("plot", "time", "-w", "loop = edges:cells"), 3, "median_time"),
    (("plot", "reuse", "-w", "block_size = 7"), 3, "no run fits"),
    (("plot", "reuse", "-o", "/nowhere/a.png"), 1, "/nowhere/a.png"),
])  # fmt: skip
def test_what_cannot_be_drawn_is_said(tess, lab, words, code, message):
    assert message in tess(*words, "--lab", lab, code=code).stderr


def test_a_missing_library_is_named_with_the_line_that_installs_it(tess, lab, tmp_path):
    bare = tmp_path / "python"
    bare.write_text('#!/bin/sh\nexec /usr/bin/python3 -S -E "$@"\n')  # without Debian's packages
    bare.chmod(bare.stat().st_mode | stat.S_IXUSR)
    told = tess("plot", "reuse", "--lab", lab, "-o", tmp_path / "a.png", code=4, env=dict(os.environ, TESS_PYTHON=str(bare)))
    assert "apt-get install --no-install-recommends" in told.stderr and "python3-matplotlib" in told.stderr
    assert not (tmp_path / "a.png").exists()
