"""tess ranks: what is counted for ranks that are not there, and the model of their time."""

import json

import pytest
import yaml
from conftest import ROOT


def count(tess, *arguments):
    return json.loads(tess("ranks", *arguments, "--json").stdout)["rows"]


def test_squares_have_the_halos_of_squares(tess):
    # 16 ranks of 10 by 10 quads: 4 corners with 2 neighbours, 8 borders with 3, 4 inside with 4
    [row] = count(tess, "airfoil", "--mesh", "quads:nx=40:ny=40", "--ranks", "16")
    assert row["elements"] == 100 and row["rank_imbalance"] == 1
    assert row["neighbours_mean"] == 3 and row["neighbours_max"] == 4
    between, inside = 2 * 3 * 40, 2 * 39 * 40
    assert row["core_share"] == pytest.approx(1 - between / inside)
    assert row["exec_share"] == pytest.approx(between / inside)
    # q (4 values) and adt (1) of the quads beyond each side, twice a step; none across a corner
    assert row["exchanges"] == 2
    assert row["exchange_bytes"] == 2 * 2 * between * 5 * 8
    assert row["exchange_bytes_max"] == 2 * 4 * 10 * 5 * 8


@pytest.mark.parametrize("application,mesh", [("lulesh", "hexes:nx=8:ny=7:nz=6"), ("bookleaf", "quads:nx=19:ny=13"),
                                              ("miniaero", "hexes:nx=8:ny=7:nz=6")])
@pytest.mark.parametrize("more", [["--halo", "redundant"], ["--halo", "partial-sums"], ["--chains", "auto:rings=2"]])
def test_what_is_counted_is_what_marches_exchange(tess, application, mesh, more):
    [row] = count(tess, application, "--mesh", mesh, "--ranks", "5", *more)
    marched = json.loads(tess("march", "--no-lab", application, "--mesh", mesh, "--ranks", "5", *more, "--steps", "1",
                              "--json").stdout)["ranks"]
    assert row["exchange_bytes"] == marched["exchange_bytes"]
    assert row["exchange_messages"] == marched["exchange_messages"]


@pytest.mark.parametrize("application,halo,n_loops,exchanges,returns,dats", [
    ("airfoil", "redundant", 9, 2, 0, (4, 0)),  # q and adt, twice
    ("bookleaf", "partial-sums", 3, 2, 1, (1, 1))])  # x; the sums of the nodes
def test_the_prediction_is_the_stated_model(tess, application, halo, n_loops, exchanges, returns, dats):
    one, alpha, beta, launch = 4e-3, 2e-5, 1e9, 3e-6
    asked = (application, "--mesh", "quads:nx=40:ny=40", "--halo", halo, "--step", one)
    rows = count(tess, *asked, "--ranks", "1,4,16,64", "--network", f"alpha={alpha}:beta={beta}:launch={launch}")
    bounded = []
    for row in rows:
        share = one / row["ranks"] * row["rank_imbalance"]
        step = most = share + n_loops * launch * (1 - 1 / row["ranks"])
        core = step / n_loops * row["core_share"]
        if row["ranks"] > 1:
            assert (row["exchanges"], row["returns"]) == (exchanges, returns)
            assert (row["arriving_dats"], row["returned_dats"]) == dats
            travels = 2 * launch + alpha + row["exchange_bytes_max"] / exchanges / beta
            exposed = max(0, travels - share / n_loops * row["core_share"])
            hides = core >= travels + 3 * launch
            most += launch * (exchanges + 2 * returns) + exchanges * (exposed if hides else travels + launch)
            step += launch * (exchanges + 2 * returns) + exchanges * exposed
            bounded += [] if hides else [row["ranks"]]
        assert row["step_seconds"] == pytest.approx(step)
        assert row["step_seconds_most"] == pytest.approx(most)
        assert row["scaling_efficiency"] == pytest.approx(one / (row["ranks"] * step))
    assert bounded in ([16, 64], [64])
    assert rows[0]["scaling_efficiency"] == 1 and rows[2]["scaling_efficiency"] < rows[1]["scaling_efficiency"] < 1
    table = tess("ranks", *asked, "--ranks", "4,64").stdout
    assert "efficiency" in table and "ms a step" in table
    assert [" to " in line for line in table.splitlines()[1:]] == [False, True]


def test_what_no_division_shortens_is_what_two_ranks_show(tess):
    asked = ("airfoil", "--mesh", "quads:nx=40:ny=40", "--ranks", "1,2,4", *NETWORK)
    from_one = [row["step_seconds"] for row in count(tess, *asked, "--step", 4e-3)]
    more = 1e-4  # that two ranks take longer
    from_two = [row["step_seconds"] for row in count(tess, *asked, "--step", f"4e-3,{from_one[1] + more}")]
    assert from_two == pytest.approx([4e-3, from_one[1] + more, from_one[2] + 2 * more * 3 / 4])


def test_what_exchanges_add_on_two_ranks_they_add_on_more(tess):
    asked = ("airfoil", "--mesh", "quads:nx=40:ny=40", "--ranks", "1,2,4", *NETWORK)
    one, two, added = 4e-3, 2.3e-3, 5e-5
    fixed = 2 * (two - added - one / 2)  # s that no division shortens
    rows = count(tess, *asked, "--step", f"{one},{two},{added}")
    assert [row["step_seconds"] for row in rows] == pytest.approx([one, two, one / 4 + fixed * 3 / 4 + added])
    # where cores are too short, that by which those of more ranks are shorter comes to it
    one, two, added = 4e-5, 4.2e-5, 1.5e-5
    rows = count(tess, "bookleaf", "--chains", "auto", *asked[1:], "--step", f"{one},{two},{added}")
    short = [2 * 3e-6 + 2e-5 + row["exchange_bytes_max"] / 1e9 - one / row["ranks"] for row in rows[1:]]
    assert 0 < short[0] < short[1]
    four = one / 4 + 2 * (two - added - one / 2) * 3 / 4 + added + short[1] - short[0]
    assert [row["step_seconds"] for row in rows] == pytest.approx([one, two, four])


def test_a_step_has_bounds_where_it_is_not_sure_that_the_core_hides_an_exchange(tess):
    # one chain, so one core; its border's last block takes no longer than what no division shortens
    asked = ("bookleaf", "--mesh", "quads:nx=40:ny=40", "--chains", "auto", "--ranks", "2,4", *NETWORK)
    one, added = 4e-4, 1e-6
    for fixed, is_sure in ((2.4e-5, True), (4e-5, False), (1e-4, False)):
        two, four = count(tess, *asked, "--step", f"{one},{one / 2 + fixed / 2 + added},{added}")
        travels = 2 * 3e-6 + 2e-5 + four["exchange_bytes_max"] / 1e9
        compute = one / 4 + fixed * 3 / 4
        assert four["exchanges"] == 1 and (travels + 3 * fixed <= compute) == is_sure
        assert four["step_seconds"] == pytest.approx(compute + added)
        assert four["step_seconds_most"] == pytest.approx(compute + added + (0 if is_sure else travels + fixed))
        assert two["step_seconds_most"] == two["step_seconds"]  # it was measured


NETWORK = ("--network", "alpha=2.0e-5:beta=1.0e9:launch=3.0e-6")
MARCHES = """
about: two applications
marches:
- {application: airfoil, mesh: "quads:nx=40:ny=40", halo: redundant, rank_partitioner: rcb, steps: {1: 4.0e-3, 4: 1.1e-3, 16: 5.0e-4}}
- {application: bookleaf, mesh: "quads:nx=20:ny=20", halo: partial-sums, rank_partitioner: rcb, steps: {1: 4.0e-3, 2: 3.0e-3, 4: 2.0e-3}}
"""


def test_what_was_measured_is_compared_with_what_is_predicted(tess, tmp_path):
    (tmp_path / "marches.yaml").write_text(MARCHES)
    told = json.loads(tess("ranks", "--against", tmp_path / "marches.yaml", *NETWORK, "--json").stdout)
    rows = count(tess, "airfoil", "--mesh", "quads:nx=40:ny=40", "--ranks", "4,16", "--step", "4.0e-3", *NETWORK)
    want = [row["step_seconds"] for row in rows]
    assert [row["predicted"] for row in told["rows"]][:2] == pytest.approx(want)
    rows = count(tess, "bookleaf", "--mesh", "quads:nx=20:ny=20", "--ranks", "2,4", "--halo", "partial-sums", "--step", "4.0e-3", *NETWORK)
    want += [row["step_seconds"] for row in rows]
    assert [row["predicted_most"] > row["predicted"] for row in told["rows"]] == [False, True, False, False]
    errors = [one / measured - 1 for one, measured in zip(want, [1.1e-3, 5e-4, 3e-3, 2e-3])]
    errors[1] = told["rows"][1]["predicted_most"] / 5e-4 - 1  # it took longer than both bounds
    assert errors[1] < 0
    assert [row["error"] for row in told["rows"]] == pytest.approx(errors)
    numbers = [abs(errors[i]) for i in (0, 2, 3)]
    assert told["mean_error"] == pytest.approx(sum(numbers) / 3)
    assert (told["bounded"], told["within"]) == (1, 0)
    [two] = [row for row in told["rows"] if "error_from_two" in row]
    assert (two["application"], two["ranks"]) == ("bookleaf", 4)
    assert two["predicted_from_two"] == pytest.approx(want[3] + 2 * (3e-3 - want[2]) * 3 / 4)
    assert two["predicted_from_two_most"] > two["predicted_from_two"] > 2e-3  # it took less than both bounds
    assert two["error_from_two"] == pytest.approx(two["predicted_from_two"] / 2e-3 - 1)
    assert (told["bounded_from_two"], told["within_from_two"], told["mean_error_from_two"]) == (1, 0, None)
    text = tess("ranks", "--against", tmp_path / "marches.yaml", *NETWORK).stdout
    assert f"from one rank: {100 * told['mean_error']:.1f} % off in the mean of 3; 0 of 1 within bounds" in text
    assert "from one and two: 0 of 1 within bounds" in text


def test_steps_on_h200s_are_foretold_from_one_and_two(tess, tmp_path):
    own = yaml.safe_load((ROOT / "docs/results/h200_ranks.yaml").read_text())
    small = [march for march in own["marches"] if march["application"] in ("volna", "lulesh") and "170" not in march["mesh"]]
    (tmp_path / "small.yaml").write_text(yaml.safe_dump({"about": "of them", "marches": small}))
    told = json.loads(tess("ranks", "--against", tmp_path / "small.yaml", "--json").stdout)
    volna, lulesh = [row for row in told["rows"] if "error_from_two" in row]
    assert volna["predicted_from_two"] < volna["measured"] < volna["predicted_from_two_most"]
    assert abs(lulesh["error_from_two"]) < 0.05 and lulesh["predicted_from_two_most"] == lulesh["predicted_from_two"]


@pytest.mark.parametrize("what,instead,words", [
    ("4: 2.0e-3}", "4: 2.0e-3}, exposed: {2: none}", "'exposed' needs a number above 0"),
    ("4: 2.0e-3", "4: soon", "'steps' needs a number above 0"), ("about: two", "abuot: two", ":2:1: "), ("{1: 4.0e-3, 2:", "{3: 4.0e-3, 2:", "'1' needs a number above 0"),
    ("halo: partial-sums", "halo: some", "redundant"), ("application: bookleaf", "application: booklaef", "bookleaf"),
    ("mesh: \"quads:nx=20:ny=20\", ", "", "a march needs its 'mesh'"), ("marches:", "runs:", "marches"),
    (", steps: {1: 4.0e-3, 2: 3.0e-3, 4: 2.0e-3}", "", ":5:3: a march needs its 'steps'"), (MARCHES[MARCHES.index("marches"):], "", ":2:1: 'marches' is missing"),
    ("quads:nx=20:ny=20", "quads:nx=0", ":5:3: option 'nx'"), ("quads:nx=20:ny=20", "none.su2", ":5:3: none.su2: cannot be opened"),
    ("sums, rank_partitioner: rcb", "sums, rank_partitioner: rbc", ":5:3: no partitioner is called 'rbc'")])
def test_what_is_wrong_with_a_file_of_marches_is_named(tess, tmp_path, what, instead, words):
    (tmp_path / "marches.yaml").write_text(MARCHES.replace(what, instead))
    assert words in tess("ranks", "--against", tmp_path / "marches.yaml", code=3).stderr


@pytest.mark.parametrize("arguments,words", [
    (["--network", "token-ring"], "nvlink, ndr or alpha=SECONDS:beta=BYTES_A_SECOND"),
    (["--network", "alpha=1:beta=1:launch=x"], "nvlink, ndr or alpha=SECONDS:beta=BYTES_A_SECOND"),
    (["--network", "alpha=1:beta=0"], "nvlink, ndr or alpha=SECONDS:beta=BYTES_A_SECOND"),
    (["--step", "4,3,2,1"], "what exchanges add to that"), (["--ranks", "0"], "--ranks"), (["--ranks", ","], "--ranks takes numbers"),
    (["--engine", "nccl"], "--engine is for --measure"), (["--device", "cuda"], "--device is for --measure"),
    (["--rank-partitioner", "rbc"], "rcb")])
def test_what_is_wrong_is_named(tess, arguments, words):
    assert words in tess("ranks", "airfoil", "--mesh", "quads:nx=4:ny=4", *arguments, code=2).stderr
