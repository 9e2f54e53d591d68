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


def test_the_model_stands_beside_what_runs_counted_and_took(tess, tmp_path):
    """Limits by equation (2) from the L2's sectors of the runs, where both limit alike, and errors of what was timed."""
    sizes = (8, 128, 1000, 4000)  # 128 is what random_blocks takes where nobody says
    mesh_of = {b: f"random_blocks:n=16000:b={b}".removesuffix(":b=128") for b in sizes}
    for b in sizes:
        words = ("run", "fv", "--mesh", f"random_blocks:n=16000:b={b}", "--partitioner", "file-order", "--block-size", "64",
                 "--no-view", "--lab", "lab", "--layout")  # fmt: skip
        tess(*words, "aos,maps=aos", "--strategy", "gather:own=staged", "--device", "emulator:check=no:caches=k20m", cwd=tmp_path)
        tess(*words, "soa", "--strategy", "gather", "--device", "host", "--samples", "2", cwd=tmp_path)
    runs = json.loads(tess("runs", "--lab", "lab", "--json", cwd=tmp_path).stdout)["runs"]
    asked = {run["mesh"]: (run["l2_read_sectors"] + run["l2_write_sectors"]) / 16000 for run in runs if "l2_read_sectors" in run}
    took = {run["mesh"]: 11 * 16000 / run["median_time"] / 1e9 for run in runs if "median_time" in run}
    report = json.loads(tess("model", "fv", "--machine", "k20m", "--against", "lab", "--json", cwd=tmp_path).stdout)["against"]
    rows = {row["mesh"]: row for row in report["rows"] if row["layout"] == "aos,maps=aos"}
    assert rows.keys() == asked.keys() and len(rows) == 4 and report["timed"] == 0  # a host is no K20m
    for mesh, sectors in asked.items():
        row = rows[mesh]
        assert row["sectors"] == pytest.approx(sectors) and row["measured_gflops"] is None
        assert row["memory_gflops"] == pytest.approx(11 * 171.17 / 64)
        assert row["l2_gflops"] == pytest.approx(11 * 394.1 / (32 * sectors))
        assert row["gflops"] == min(row["memory_gflops"], row["l2_gflops"])
    assert rows["random_blocks:n=16000:b=8"]["sectors"] == pytest.approx(2, abs=0.01)  # the paper: 1.75 read, 0.25 written
    balance, counted = 2 * 394.1 / 171.17, [asked[mesh_of[b]] for b in sizes]
    last = max(i for i in range(4) if counted[i] <= balance)
    share = (balance - counted[last]) / (counted[last + 1] - counted[last])
    (crossing,) = report["crossings"]
    assert crossing["b"] == pytest.approx(sizes[last] * (sizes[last + 1] / sizes[last]) ** share)
    assert crossing["strategy"] == "gather:own=staged" and 128 < crossing["b"] < 4000

    report = json.loads(tess("model", "fv", "--against", "lab", "--json", cwd=tmp_path).stdout)["against"]
    timed = {row["mesh"]: row for row in report["rows"] if row["measured_gflops"]}
    assert timed.keys() == took.keys() and report["timed"] == 4
    errors = []
    for b in sizes:
        row = timed[mesh_of[b]]
        model = min(bandwidth / (8 * (8 + 4 * (1 - min(1, capacity / b)) * 8) / 11) for capacity, bandwidth in LEVELS.values())
        assert row["gflops"] == pytest.approx(model) and row["measured_gflops"] == pytest.approx(took[row["mesh"]])
        errors.append(abs(model / took[row["mesh"]] - 1))
    assert report["largest_error"] == pytest.approx(max(errors))
    printed = tess("model", "fv", "--machine", "k20m", "--against", "lab", cwd=tmp_path).stdout
    assert f"limit alike (4.605 sectors) at b = {crossing['b']:.0f}." in printed
    assert "lab has no run of fv differences_back" in tess(
        "model", "fv", "--loop", "differences_back", "--against", "lab", code=3, cwd=tmp_path).stderr  # fmt: skip


def test_bandwidths_may_be_those_that_the_runs_reached(tess, tmp_path):
    """As the paper has it: memory's is the best run's, the L2's that of the run that asks it for most in a second."""
    (tmp_path / "mine.yaml").write_text("machine: mine\nnumbers: {line_bytes: {value: 32, unit: B, source: given}}\n")
    words = ("model", "fv", "--machine", "mine.yaml", "--against", "lab", "--bandwidths", "runs")
    runs = ("run", "fv", "--partitioner", "file-order", "--block-size", "64", "--strategy", "gather", "--lab", "lab", "--mesh")
    for b in (8, 1000):
        tess(*runs, f"random_blocks:n=8000:b={b}", "--device", "host", "--samples", "2", cwd=tmp_path)
    assert "has no run that was timed on mine and whose L2 was counted" in tess(*words, code=3, cwd=tmp_path).stderr
    for b in (8, 1000):
        tess(*runs, f"random_blocks:n=8000:b={b}", "--device", "emulator:check=no:caches=k20m", cwd=tmp_path)
    report = json.loads(tess(*words, "--json", cwd=tmp_path).stdout)["against"]
    rows = [row for row in report["rows"] if row["measured_gflops"]]
    cells = [row["measured_gflops"] / 11 for row in rows]  # 1e9 a second
    memory, l2 = max(cells), max(rate * 32 * row["sectors"] for rate, row in zip(cells, rows, strict=True))
    assert len(rows) == 2 and report["l2_bandwidth"] == pytest.approx(1e9 * l2)
    for row in rows:  # every value once: 64 bytes, or what the emulator's memory gave
        assert row["l2_gflops"] == pytest.approx(11 * l2 / (32 * row["sectors"]))
        assert row["memory_gflops"] <= 11 * memory * 1.0001 and row["error"] > -1e-9
    assert min(row["error"] for row in rows) == pytest.approx(0, abs=1e-9)
    printed = tess(*words, cwd=tmp_path).stdout
    assert f"l2_bandwidth, {l2:.1f} GB/s, is what gather reached on random_blocks:n=8000:b=" in printed


@pytest.mark.parametrize(
    "words, code, message",
    [
        (["fv", "--bandwidths", "runs"], 2, "--bandwidths runs needs --against LAB"),
        (["fv", "--bandwidths", "own"], 2, "--bandwidths: 'own' is not one of machine, runs"),
        (["airfoil"], 2, "loop res_calc is no gather: it has inc of 'res' through edges:cells"),
        (["airfoil", "--loop", "save_soln"], 2, "loop save_soln is no gather: it reads nothing through a map"),
        ([], 2, "whose loop? Say 'tess model fv'"),
        (["fv", "--hits", "two"], 2, "--hits: 'two' is not one of free, one-word"),
        (["fv", "--working-set", "5,x"], 2, "--working-set takes at most 32 numbers above 0, not '5,x'"),
        (["fv", "--neighbours", "0"], 2, "--neighbours: '0' is no whole number from 1 to 1000"),
        (["fv", "--machine", "k20"], 2, "there is no machine file 'k20', and none of that name ships: h100, h200"),
        (["fw"], 2, "did you mean 'fv'?"),
        (["fv", "--against", "/nowhere"], 3, "/nowhere"),
    ],
)
def test_refusals_are_clear(tess, words, code, message):
    assert message in tess("model", *words, code=code).stderr


def test_what_a_machine_lacks_is_named(tess, tmp_path):
    (tmp_path / "m.yaml").write_text("machine: mine\nnumbers: {}\n")
    assert "machine mine lacks the number 'line_bytes'" in tess("model", "fv", "--machine", tmp_path / "m.yaml", code=3).stderr
    (tmp_path / "m.yaml").write_text("machine: mine\nnumbers:\n  line_bytes: {value: 64, unit: B, source: given}\n")
    lacking = tess("model", "fv", "--machine", tmp_path / "m.yaml", code=3).stderr
    assert "machine mine lacks levels, or a bandwidth: add 'memory_bandwidth' (B/s)" in lacking
    (tmp_path / "m.yaml").write_text("machine: mine\nlevels:\n  - {name: L1}\n")
    assert "m.yaml:3:5: a level needs 'capacity'" in tess("model", "fv", "--machine", tmp_path / "m.yaml", code=3).stderr
