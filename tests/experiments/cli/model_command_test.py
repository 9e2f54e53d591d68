"""tess model: the tables and numbers of Langguth et al. 2015, computed here again from its equations."""

import json

import pytest

# Table 2 as printed: GFLOPS by the level that is read from (rows) and the working set in words (columns).
SETS = [140, 4000, 32000, 500000, 2500000]
PRINTED = {
    "L1": [6.07, 1.24, 1.21, 1.21, 1.21],
    "L2": [6.04, 6.04, 1.34, 1.22, 1.21],
    "L3": [5.19, 5.19, 5.19, 1.09, 1.04],
    "memory": [2.95, 2.95, 2.95, 2.95, 2.95],
}
LEVELS = {"L1": (140, 35.31), "L2": (4000, 35.14), "L3": (32000, 30.22), "memory": (2500000, 17.16)}


def model(tess, *options):
    report = json.loads(tess("model", "fv", "--json", *options).stdout)
    assert (report["regular_words"], report["irregular_words"], report["flops"]) == (8, 4, 11)
    return report, {level["level"]: level["gflops"] for level in report["levels"]}


def test_table_2_of_the_paper_is_printed(tess):
    report, table = model(tess)
    assert report["working_sets"] == SETS
    deviations = [abs(table[level][i] - PRINTED[level][i]) for level in PRINTED for i in range(5)]
    assert max(deviations) < 0.01
    assert sum(round(table[level][i], 2) == PRINTED[level][i] for level in PRINTED for i in range(5)) == 17
    assert table["minimum"] == [min(table[level][i] for level in PRINTED) for i in range(5)]


@pytest.mark.parametrize("hits, cost", [("free", 0), ("one-word", 1)])
def test_both_readings_follow_their_equations(tess, hits, cost):
    _, table = model(tess, "--hits", hits)
    for level, (capacity, bandwidth) in LEVELS.items():
        for words, gflops in zip(SETS, table[level]):
            hit = min(1, capacity / words)
            per_flop = (8 + 4 * (hit * cost + (1 - hit) * 8)) / 11
            assert gflops == pytest.approx(bandwidth / (8 * per_flop))


def test_the_limits_of_the_gpu_and_of_two_sockets_are_the_papers(tess):
    k20m, _ = model(tess, "--machine", "k20m")
    assert k20m["limits"]["memory_bandwidth"]["best"] == pytest.approx(35.75, abs=0.005)
    assert k20m["limits"]["memory_bandwidth"]["worst"] == pytest.approx(11.91, abs=0.01)
    assert k20m["balance_reached"] == pytest.approx(4.605, abs=0.0005)
    sockets, _ = model(tess, "--machine", "sandy-bridge")
    limits = sockets["limits"]
    assert limits["memory_bandwidth"]["best"] == pytest.approx(17.6, abs=0.05)
    assert limits["socket_bandwidth"]["worst"] == pytest.approx(1.76, abs=0.005)
    assert limits["l3_bandwidth"]["best"] == pytest.approx(73.4, abs=0.05)
    assert limits["link_bandwidth"]["best"] == pytest.approx(5.5, abs=0.05)
    assert limits["link_bandwidth"]["one_word"] == pytest.approx(44.0, abs=0.05)


@pytest.mark.parametrize(
    "words, code, message",
    [
        (["airfoil"], 2, "loop res_calc is no gather: it has inc of 'res' through edges:cells"),
        (["airfoil", "--loop", "save_soln"], 2, "loop save_soln is no gather: it reads nothing through a map"),
        ([], 2, "whose loop? Say 'tess model fv'"),
        (["fv", "--hits", "two"], 2, "--hits is free or one-word, not 'two'"),
        (["fv", "--working-set", "5,x"], 2, "--working-set takes at most 32 numbers above 0, not '5,x'"),
        (["fv", "--neighbours", "0"], 2, "--neighbours takes 1 to 1000, not '0'"),
        (["fv", "--machine", "k20"], 2, "there is no machine file 'k20', and none of that name ships: h200"),
        (["fw"], 2, "did you mean 'fv'?"),
    ],
)
def test_refusals_are_clear(tess, words, code, message):
    assert message in tess("model", *words, code=code).stderr


def test_a_machine_without_lines_is_named(tess, tmp_path):
    (tmp_path / "m.yaml").write_text("machine: mine\nnumbers: {}\n")
    assert "machine mine lacks the number 'line_bytes'" in tess("model", "fv", "--machine", tmp_path / "m.yaml", code=3).stderr
    (tmp_path / "m.yaml").write_text("machine: mine\nlevels:\n  - {name: L1}\n")
    assert "m.yaml:3:5: a level needs 'capacity'" in tess("model", "fv", "--machine", tmp_path / "m.yaml", code=3).stderr
