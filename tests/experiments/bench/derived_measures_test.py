"""What follows from a run's counters and times: rates, sectors an element, occupancy without a GPU."""

import json

import pytest


@pytest.fixture
def measured(tess, tmp_path):
    """The metrics of one archived run of fv on random blocks."""

    def run(*options):
        tess("run", "fv", "--mesh", "random_blocks:n=8000:b=8", "--partitioner", "file-order", "--block-size", "64", "--layout",
             "aos,maps=aos", "--strategy", "gather", "--lab", tmp_path, *options)
        shown = json.loads(tess("show", "@last", "--lab", tmp_path, "--json").stdout)
        return {metric["name"]: metric for metric in shown["metrics"]}

    return run


def test_sectors_of_an_element_are_those_of_langguth(measured):
    found = measured("--device", "emulator:check=no:caches=k20m")
    value = {name: metric["value"] for name, metric in found.items()}
    # their least: 48 bytes of matrix and indices, a value of x; and one that is written
    assert value["l2_reads_per_element"] == pytest.approx(1.75) == value["memory_reads_per_element"]
    assert value["l2_writes_per_element"] == 0.25
    assert value["l2_hit_rate"] == 1 - value["dram_read_bytes"] / 32 / value["l2_read_sectors"]
    assert found["l2_hit_rate"]["source"] == "emulator" and "flop_rate" not in found


def test_a_rate_is_flops_by_the_median(measured):
    found = measured("--device", "host", "--strategy", "openmp", "--samples", "3")
    assert found["flop_rate"]["unit"] == "1/s" and "l2_hit_rate" not in found
    bandwidth, useful = (found[name]["value"] for name in ("bandwidth", "useful_bytes"))
    assert found["flop_rate"]["value"] == pytest.approx(found["flops"]["value"] * bandwidth / useful)


def test_occupancy_is_known_without_a_gpu(measured, tess):
    if "ok NVRTC" not in tess("doctor").stdout:
        pytest.skip("NVRTC is not on this machine")
    found = measured("--device", "nvrtc:sm=90")
    registers, occupancy = found["registers"]["value"], found["occupancy_theoretical"]["value"]
    assert (found["spilled_bytes"]["value"], found["spilled_bytes"]["unit"]) == (0, "B")
    warps = 4 * (16384 // (-(-registers * 32 // 256) * 256)) // 2 * 2
    assert occupancy == min(warps, 64) / 64


def test_columns_show_registers_and_what_spills(tess):
    if "ok NVRTC" not in tess("doctor").stdout:
        pytest.skip("NVRTC is not on this machine")
    words = ("run", "airfoil", "--mesh", "airfoil:i=8:j=12", "--device", "nvrtc", "--strategy", "atomics", "--no-lab")
    (run,) = json.loads(tess(*words, "--json").stdout)["runs"]
    shown = tess(*words, "--columns", "registers,spilled_bytes").stdout.splitlines()[1].split()[-2:]
    assert shown == [str(run["registers"]), str(run["spilled_bytes"])] and shown[0] != shown[1]


@pytest.mark.parametrize("rule, order", [("greedy", "file-order --renumber none"), ("sulyok", "gps --renumber gps"),
                                         ("sulyok", "file-order --renumber colours --order colour")])
def test_global_colours_are_the_launches_of_global_colour(tess, tmp_path, rule, order):
    done = tess("run", "airfoil", "--mesh", "airfoil:i=20:j=30", "--device", "emulator:check=no", "--block-size", "64", "--partitioner",
                *order.split(), "--colouring", rule, "--strategy", f"global-colour:colouring={rule}", "--json", "--lab", tmp_path)
    (run,) = json.loads(done.stdout)["runs"]
    metrics = {metric["name"]: metric["value"] for metric in json.loads(tess("show", "@last", "--lab", tmp_path, "--json").stdout)["metrics"]}
    assert metrics["global_colours"] == run["launches"] >= 4


def test_colourings_that_search_have_no_global_colours(tess, tmp_path):
    tess("run", "airfoil", "--mesh", "airfoil:i=20:j=30", "--device", "host", "--strategy", "sequential", "--samples", "0", "--lab", tmp_path)
    shown = json.loads(tess("show", "@last", "--lab", tmp_path, "--json").stdout)
    assert "global_colours" not in [metric["name"] for metric in shown["metrics"]]
