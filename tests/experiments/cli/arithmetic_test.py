"""--arithmetic: a kernel's reciprocal, divide and root exactly or fast, in runs, marches and records."""

import json

import pytest

ADT = ["run", "airfoil", "--mesh", "quads:nx=30:ny=20", "--loop", "adt_calc"]  # it divides and takes roots


def shown(tess, lab):
    listed = json.loads(tess("runs", "--lab", lab, "--json").stdout)["runs"]
    return [json.loads(tess("show", run["run"], "--lab", lab, "--json").stdout) for run in listed]


@pytest.mark.parametrize("device, strategy", [("host", "sequential"), ("emulator", "atomics")])
def test_a_fast_run_is_checked_and_archived_as_such(tess, tmp_path, device, strategy):
    differences = []
    for arithmetic in (["--arithmetic", "exact"], ["--arithmetic", "fast"], []):
        said = tess(*ADT, "--device", device, "--strategy", strategy, "--samples", 0, "--lab", tmp_path, *arithmetic, "--json")
        differences.append(json.loads(said.stdout)["runs"][0]["difference"])
    runs = shown(tess, tmp_path)
    assert [run["configuration"]["arithmetic"] for run in runs] == ["exact", "fast", "exact"]
    assert {run["outcome"] for run in runs} == {"passed"}
    assert differences[0] == differences[2] < differences[1] < 1e-14


def test_exact_arithmetic_is_that_of_operators(tess, tmp_path):
    """On the host the words come to what the operators do, bit for bit."""
    loop = """name: words
over: cells
dats:
  - {name: a, set: cells, dim: 2}
  - {name: got, set: cells, dim: 3, start: zero}
args:
  - {dat: a, access: read}
  - {dat: got, access: write}
"""
    texts = {"words": "reciprocal(a[0]), divide(a[1], a[0]), root(a[0])", "signs": "1 / a[0], a[1] / a[0], sqrt(a[0])"}
    said = {}
    for name, values in texts.items():
        (tmp_path / f"{name}.h").write_text(
            f"static inline void words(const real *a, real *got) {{\n    const real all[3] = {{{values}}};\n"
            "    for (int i = 0; i < 3; i++)\n        got[i] = all[i];\n}\n")
    (tmp_path / "words.yaml").write_text(loop)
    for name in texts:
        for precision in ("double", "float"):
            result = tess("run", "--kernel", tmp_path / f"{name}.h", "--loop", tmp_path / "words.yaml", "--mesh",
                          "quads:nx=9:ny=7", "--precision", precision, "--strategy", "atomics", "--no-lab", "--json")
            run = json.loads(result.stdout)["runs"][0]
            said[name, precision] = {key: value for key, value in run.items() if "sectors" in key or "check" in key}
    assert said["words", "double"] == said["signs", "double"] and said["words", "float"] == said["signs", "float"]


def test_a_march_is_fast_in_all_its_loops(tess, tmp_path):
    march = ["march", "airfoil", "--mesh", "quads:nx=12:ny=12", "--steps", "3", "--strategy", "sequential", "--check",
             "--lab", tmp_path, "--json"]  # fmt: skip
    said = {}
    for ranks in ([], ["--ranks", "2"]):
        for arithmetic in ("exact", "fast"):
            said[len(ranks), arithmetic] = json.loads(tess(*march, *ranks, "--arithmetic", arithmetic).stdout)
    for n in (0, 2):
        exact, fast = said[n, "exact"], said[n, "fast"]
        assert [row["rms"] for row in exact["rows"]] != [row["rms"] for row in fast["rows"]]
        assert [row["rms"] for row in exact["rows"]] == pytest.approx([row["rms"] for row in fast["rows"]], rel=1e-12)
        assert exact["check"]["difference"] <= fast["check"]["difference"] < fast["check"]["tolerance"]
    assert [run["configuration"]["arithmetic"] for run in shown(tess, tmp_path)] == ["exact", "fast"] * 2


def test_another_arithmetic_is_refused(tess):
    assert "arithmetic" in tess(*ADT, "--strategy", "atomics", "--arithmetic", "fats", "--no-lab", code=2).stderr
