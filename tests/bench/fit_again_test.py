"""bench/fit_again.py: the points of a fit become a recipe, and what a lab timed their times."""

import json
import pathlib
import subprocess
import sys

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "bench/fit_again.py"
COLUMNS = "device,mesh,application,strategy,layouts,renumber,block_size,partitioner,median_time"


def point(strategy, seconds, **others):
    return {"mesh": "tris:nx=9:ny=8", "application": "airfoil", "strategy": strategy, "layouts": "soa", "block_size": 64, "partitioner": "rcb",
            "renumber": "blocks", "device": "host", "median_time": seconds, "features": {"registers": 7}, **others}  # fmt: skip


def again(*words):
    return subprocess.run([sys.executable, PROGRAM, *words], check=True, capture_output=True, text=True).stdout


def test_points_are_timed_again_and_others_keep_their_times(tess, tmp_path):
    held = [point("sequential", 1.0), point("openmp", 2.0), point("openmp", 3.0, layouts="soa,nodes=aos"), point("openmp", 50.0)]
    points, lab = tmp_path / "points.json", tmp_path / "lab"
    points.write_text(json.dumps({"about": "µ", "runs": held}))
    assert again(points, "--recipe", tmp_path / "again.yaml", "--below", "10").endswith(": 3 points\n")
    tess("sweep", tmp_path / "again.yaml", "--lab", lab)
    (tmp_path / "runs.csv").write_text(tess("runs", "--lab", lab, "--csv", "-c", COLUMNS).stdout)

    held[3]["partitioner"] = "gps"  # nothing timed it
    points.write_text(json.dumps({"about": "µ", "runs": held}))
    assert "3 of 4 points have times of today\n" in again(points, "--times", tmp_path / "runs.csv")
    after = json.loads(points.read_text())
    times = [one["median_time"] for one in after["runs"]]
    assert all(0 < one < 0.1 for one in times[:3]) and times[3] == 50 and len(set(times)) == 4
    assert [{**one, "median_time": 0} for one in after["runs"]] == [{**one, "median_time": 0} for one in held] and after["about"] == "µ"
