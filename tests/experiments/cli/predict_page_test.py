"""docs/predict.md: its tables of how far predictions go are what `tess predict --evaluate` says of the points that ship."""

import csv
import json
import re
import statistics
import subprocess

import pytest
from conftest import ROOT, limited

N_OF_RECIPE, FEWEST_OF_LARGE = 6, 60  # meshes that come first; points that no small mesh has so many of
FAMILY = "random_blocks:b="
WHAT = ("mesh", "application")


def rows_of(mark):
    """The cells of the rows of the page's tables between two marks, by their first cell."""
    part = (ROOT / "docs/predict.md").read_text().split(f"<!-- {mark} -->")[1].split(f"<!-- end of {mark} -->")[0]
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("|"))
    return {first.replace("`", ""): rest for first, *rest in cells}


@pytest.fixture(scope="module")
def rows():
    return rows_of("evaluation")


def evaluated(tess_bin, gpu):
    words = [tess_bin, "predict", "--evaluate", ROOT / f"docs/results/{gpu}_features.json", "--machine", gpu, "--json"]
    return json.loads(subprocess.run(words, capture_output=True, check=True, **limited(300)).stdout)


@pytest.fixture(scope="module")
def evaluation(tess_bin):
    return evaluated(tess_bin, "h200")


def groups_of(meshes):
    first, others = meshes[:N_OF_RECIPE], meshes[N_OF_RECIPE:]
    return {"the six of h200.yaml": first,
            "ten other large ones": [one for one in others if one["points"] > FEWEST_OF_LARGE],
            "sixteen small ones": [one for one in others if one["points"] <= FEWEST_OF_LARGE and FAMILY not in one["mesh"]],
            "twelve instances of random_blocks": [one for one in others if FAMILY in one["mesh"]]}  # fmt: skip


def of_group(meshes):
    """The cells of a group: extremes, worsts and sums."""

    def extremes(key, scale, form):
        values = [mesh[key] for mesh in meshes if mesh[key] is not None]  # of two times that are one no rank tells
        return " to ".join(f"{scale * end:{form}}" for end in (f(values) for f in (min, max)))

    def cases(of):
        return "/".join(str(sum(mesh[of][key] for mesh in meshes)) for key in ("within_5_percent", "cases"))

    worst = {key: max(mesh[key] for mesh in meshes) for key in ("regret", "corrected_runs_until_2_percent", "regret_after_10_runs")}
    return [str(len(meshes)), str(sum(mesh["points"] for mesh in meshes)), f"{extremes('median', 100, '.1f')} %",
            extremes("correlation", 1, ".3f"), f"{worst['regret']:.3f}", str(worst["corrected_runs_until_2_percent"]),
            f"{worst['regret_after_10_runs']:.3f}", cases("orders"), cases("strategies")]  # fmt: skip


def test_errors_are_those_of_the_points_that_ship(rows, evaluation):
    for what in WHAT:
        found = evaluation[what]
        assert rows[f"{'an' if what[0] == 'a' else 'a'} {what}"] == [
            f"{100 * found['median']:.1f} %", *(f"{100 * found[key]:.0f} %" for key in ("p90", "p90_with_random", "covered"))]  # fmt: skip


def test_meshes_are_those_of_the_points_that_ship(rows, evaluation):
    for what in WHAT:
        for name, meshes in groups_of(evaluation[what]["meshes"]).items():
            assert rows[f"{'an' if what[0] == 'a' else 'a'} {what}, {name}"] == of_group(meshes), name


def test_strategies_are_those_of_the_points_that_ship(rows, evaluation):
    for one in evaluation["mesh"]["strategies"]:
        assert rows[one["strategy"]] == [str(one["points"]), f"{100 * one['median']:.1f} %", f"{100 * one['p90']:.0f} %",
                                         f"{one['bias']:.2f}"]  # fmt: skip


def test_shares_in_the_text_are_those_of_the_points_that_ship(evaluation):
    text = " ".join((ROOT / "docs/predict.md").read_text().split())
    found = re.search(r"Over the 32 meshes that are no `random_blocks:b=…` (\d+) % of orders and (\d+) % of strategies", text)
    meshes = [mesh for mesh in evaluation["mesh"]["meshes"] if FAMILY not in mesh["mesh"]]
    shares = (sum(mesh[of]["within_5_percent"] for mesh in meshes) / sum(mesh[of]["cases"] for mesh in meshes)
              for of in ("orders", "strategies"))  # fmt: skip
    assert [int(share) for share in found.groups()] == [round(100 * share) for share in shares]
    assert len(meshes) == 32


def test_errors_of_the_h100s_fit_are_those_of_its_points(tess_bin):
    rows, found = rows_of("h100"), evaluated(tess_bin, "h100")
    for what in WHAT:
        errors, worst = found[what], max(mesh["regret"] for mesh in found[what]["meshes"])
        assert rows[f"{'an' if what[0] == 'a' else 'a'} {what}"] == [
            str(sum(mesh["points"] for mesh in errors["meshes"])), f"{100 * errors['median']:.1f} %",
            *(f"{100 * errors[key]:.0f} %" for key in ("p90", "covered")), f"{worst:.3f}"]  # fmt: skip


def test_errors_on_meshes_in_no_fit_are_those_of_the_ways_that_ship():
    rows = rows_of("h100")
    features = json.loads((ROOT / "docs/results/h100_features.json").read_text())
    with (ROOT / "docs/results/h100_tune.csv").open() as file:
        ways = [way for way in csv.DictReader(file) if way["predicted"]]
    for loop in sorted({(way["application"], way["mesh"]) for way in ways}):
        of = [(float(way["predicted"]), float(way["searched"])) for way in ways if (way["application"], way["mesh"]) == loop]
        errors, best = [abs(predicted / taken - 1) for predicted, taken in of], min(taken for _, taken in of)
        assert rows[", ".join(loop)] == [
            str(len(of)), f"{100 * statistics.median(errors):.1f} %", f"{100 * statistics.quantiles(errors, n=10)[-1]:.0f} %", "",
            f"{min(of)[1] / best:.3f}"]  # fmt: skip
        assert loop[1] not in {run["mesh"] for run in features["runs"]}


def test_a_search_on_the_h100_found_the_best_of_all_ways():
    with (ROOT / "docs/results/h100_tune.csv").open() as file:
        ways = [way for way in csv.DictReader(file) if way["searched"]]
    for mesh in sorted({way["mesh"] for way in ways}):
        of = [way for way in ways if way["mesh"] == mesh]
        found = min(of, key=lambda way: float(way["searched"]))
        assert float(found["exhaustive"]) <= 1.01 * min(float(way["exhaustive"]) for way in of) and len(of) >= 40
