"""Rows of every length go through the lanes of a warp: FUN3D's exchanges, whose equation (1) holds for every odd number, for
one value up to more than a warp's, and for tiles of every number of lanes."""

import json

import pytest
from conftest import ROOT

pytestmark = pytest.mark.usefixtures("compiling_cc")

GUIDE = ROOT / "docs" / "user_kernel"
HEADER = """static inline void spread(const real *u, const real *w, real *sum) {
    for (int i = 0; i < 3; i++)
        for (int v = 0; v < K; v++)
            sum[K * i + v] += (i + 1) * u[v] + v * w[0];
}
"""
YAML = """name: spread
over: tris
dats:
  - {name: u, set: tris, dim: K}
  - {name: w, set: tris, dim: 1}
  - {name: sum, set: nodes, dim: K, start: zero}
args:
  - {dat: u, access: read}
  - {dat: w, access: read}
  - {dat: sum, map: "tris:nodes", access: inc}
"""


def checks(tess, *options):
    return [run["check"] for run in json.loads(tess("run", *options, "--no-lab", "--json").stdout)["runs"]]


@pytest.mark.parametrize("values", [*range(1, 18), 20, 24, 25, 31, 32, 33])
def test_rows_of_any_length_are_turned(tess, tmp_path, values):
    (tmp_path / "spread.h").write_text(HEADER.replace("K", str(values)))
    (tmp_path / "spread.yaml").write_text(YAML.replace("K", str(values)))
    ways = ["atomics:transpose=shuffles", "atomics:aggregate=unsorted:transpose=shuffles", "atomics:transpose=shared",
            "atomics:aggregate=shared:transpose=shared"]  # fmt: skip
    ways += ["atomics:transpose=groups"] if values & (values - 1) == 0 else []
    assert checks(tess, "--kernel", tmp_path / "spread.h", "--loop", tmp_path / "spread.yaml", "--mesh", "tris:nx=5:ny=7", "--layout", "aos",
                  "--block-size", "64", "--strategy", ",".join(ways)) == ["passed"] * len(ways)


RUNS = """static inline void give(const real *u, real *two, real *four, float *weights) {
    for (int i = 0; i < 3; i++) {
        for (int v = 0; v < 2; v++)
            two[2 * i + v] += u[v] * (i + 1);
        for (int v = 0; v < 4; v++) {
            four[4 * i + v] += u[0] + i * v;
            weights[4 * i + v] += (float)(v + i);
        }
    }
}
"""
OF_RUNS = """name: give
over: tris
dats:
  - {name: u, set: tris, dim: 2}
  - {name: two, set: nodes, dim: 2, start: zero}
  - {name: four, set: nodes, dim: 4, start: zero}
  - {name: weights, set: nodes, dim: 4, type: float, start: zero}
args:
  - {dat: u, access: read}
  - {dat: two, map: "tris:nodes", access: inc}
  - {dat: four, map: "tris:nodes", access: inc}
  - {dat: weights, map: "tris:nodes", access: inc}
"""


@pytest.mark.parametrize("seed", [0, 3])
def test_rows_that_leave_whole_keep_out_of_each_others_way(tess, tmp_path, seed):
    """Rows of two lengths, and slots that sum up first beside slots that do not: a lane's row has one place, whatever is on its way."""
    (tmp_path / "warp_reduction.h").write_text(RUNS)
    (tmp_path / "give.yaml").write_text(OF_RUNS)
    ways = [f"atomics:aggregate={aggregate}:transpose=shared:adds=widest" for aggregate in
            ("no", "unsorted", "shared", "shared+no", "no+shared+unsorted", "shared+sorted+shared")]  # fmt: skip
    assert checks(tess, "--kernel", tmp_path / "warp_reduction.h", "--loop", tmp_path / "give.yaml", "--mesh", "tris:nx=7:ny=6", "--layout", "aos",
                  "--block-size", "64", "--device", f"emulator:seed={seed}", "--strategy", ",".join(ways)) == ["passed"] * len(ways)
    assert checks(tess, "airfoil", "--mesh", "quads:nx=9:ny=7", "--layout", "aos", "--block-size", "64", "--device", f"emulator:seed={seed}",
                  "--strategy", "atomics:aggregate=shared+no:transpose=shared+no:adds=widest") == ["passed"]


def test_tiles_of_any_number_of_lanes_turn_rows(tess):
    ways = [f"tiles:lanes={lanes}:aggregate={aggregate}:transpose={transpose}" for lanes in (1, 2, 4, 8, 16, 32)
            for aggregate, transpose in (("no", "shuffles"), ("unsorted", "shared"), ("shared", "shared"))]  # fmt: skip
    assert checks(tess, "--kernel", GUIDE / "heat.h", "--loop", GUIDE / "heat.yaml", "--mesh", "tets:nx=2:ny=2:nz=2", "--layout", "aos",
                  "--block-size", "32", "--strategy", ",".join(ways)) == ["passed"] * len(ways)
