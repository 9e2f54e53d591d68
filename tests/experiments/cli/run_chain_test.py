"""tess run --chain: one chain alone, checked, counted, timed and archived like a loop."""

import json
import re
import subprocess

import pytest

from march_chains_test import MESHES

# Chains without rings and with rings, of each application.
CHAINS = {
    "airfoil": ("res_calc+bres_calc+update", "auto:rings=2"), "bookleaf": ("auto",), "volna": ("auto",),
    "lulesh": ("auto", "auto:elements=points"),
    "miniaero": ("compute_face_flux+advance", "compute_face_flux+advance:elements=points"), "fv": ("auto:rings=9",),
    "fun3d": ("lstgs+roe_flux+visrhs_tets+visrhs_prisms+update", "visrhs_tets+visrhs_prisms+update:elements=once")}  # fmt: skip
CASES = [(application, chain) for application, chains in sorted(CHAINS.items()) for chain in chains]
COUNTED = ("read_sectors", "write_sectors", "atomic_sectors", "shared_bank_conflicts")


def ran(tess, application, *arguments, code=0, **options):
    archive = () if "--lab" in arguments else ("--no-lab",)
    return json.loads(tess("run", application, *archive, "--mesh", MESHES[application], "--json", *arguments, code=code,
                           **options).stdout)


@pytest.mark.parametrize("device", ["host", "emulator"])
@pytest.mark.parametrize("application, chain", CASES)
def test_a_chain_is_checked(tess, application, chain, device):
    (run,) = ran(tess, application, "--chain", chain, "--device", device, "--block-size", "32", "--samples", "2")["runs"]
    assert run["check"] == "passed" and len(run["samples"]) == 2 and run["launches"] == 1
    assert run["useful_bytes"] > 0 and run["moved_bytes_min"] > 0


@pytest.mark.parametrize("application, chain", [case for case in CASES if case[0] in ("airfoil", "lulesh")])
def test_it_is_the_chain_of_a_march(tess, tmp_path, application, chain):
    """One kernel, letter by letter, and the same counts."""
    common = ["--device", "emulator", "--strategy", "point-parallel", "--block-size", "64", "--renumber", "owner"]
    found = ran(tess, application, *common, "--chain", chain, "--keep-text", str(tmp_path / "run"))
    names = found["loop"].split("+")
    march = json.loads(tess("march", application, "--no-lab", "--mesh", MESHES[application], *common, "--steps", "1",
                            "--chains", chain, "--keep-text", str(tmp_path / "march"), "--json").stdout)
    page = f"chain-{names[0]}-{names[-1]}-emulator.cu"
    assert (tmp_path / "run" / page).read_text() == (tmp_path / "march" / page).read_text()
    counters = march["chains"][0]["counters"]
    assert march["chains"][0]["loops"] == names
    assert {name: found["runs"][0][name] for name in COUNTED} == {name: counters[name] for name in COUNTED}


def test_it_is_archived_like_a_run(tess, tmp_path):
    lab = ["--lab", str(tmp_path / "lab")]
    chain = CHAINS["airfoil"][0]
    ran(tess, "airfoil", *lab, "--chain", chain, "--device", "host", "--block-size", "32,64", "--samples", "5")
    runs = json.loads(tess("runs", *lab, "--json").stdout)["runs"]
    assert [(run["loop"], run["chain"], run["outcome"], run["block_size"]) for run in runs] == [
        (chain, chain, "passed", 32), (chain, chain, "passed", 64)]
    assert chain in tess("runs", *lab).stdout and chain in tess("best", *lab).stdout
    compared = json.loads(tess("compare", "@last~1", "@last", *lab, "--json").stdout)
    assert compared["comparisons"][0]["ratio"] > 0
    shown = json.loads(tess("show", "@last", *lab, "--json").stdout)
    assert shown["configuration"]["numbered_by"] == "res_calc" and len(shown["samples"]["time"]["values"]) == 5


def test_its_settings_are_marched(tess, tmp_path):
    lab = ["--lab", str(tmp_path / "lab")]
    for chain in ("save_soln+adt_calc", CHAINS["airfoil"][0]):
        ran(tess, "airfoil", *lab, "--chain", chain, "--device", "emulator", "--block-size", "96")
    march = ["march", "airfoil", "--mesh", MESHES["airfoil"], "--steps", "1", "--device", "emulator"]
    found = json.loads(tess(*march, "--settings", "@last,@last~1", *lab, "--check", "--json").stdout)
    assert [chain["loops"] for chain in found["chains"]] == [
        ["save_soln", "adt_calc"], CHAINS["airfoil"][0].split("+"), CHAINS["airfoil"][0].split("+")]
    shown = json.loads(tess("show", "@last", *lab, "--json").stdout)["configuration"]
    assert shown["strategy/res_calc"] == "point-parallel" and shown["numbered_by"] == "res_calc"


def test_one_more_block_runs_where_few_registers_are_spared(tess, tess_bin, tmp_path):
    """miniaero's chain, as NVRTC compiles it: 180 registers let two blocks of 128 threads run at a time, 168 three. What is said
    of registers stands, and the text that is kept is the one that is compiled."""
    run = ["run", "miniaero", "--lab", tmp_path / "lab", "--mesh", "hexes:nx=8:ny=8:nz=8", "--chain", "auto", "-b", "256", "--threads",
           "128", "--layout", "soa", "--device", "nvrtc", "--keep-text", tmp_path]  # fmt: skip
    if "libnvrtc" in subprocess.run([tess_bin, *run, "-s", "point-parallel"], capture_output=True, text=True).stderr:
        pytest.skip("NVRTC is not on this machine")
    (page,) = tmp_path.glob("chain-*.cu")
    shown = {}
    for said in ("point-parallel", "atomics", "point-parallel:registers=0", "point-parallel:registers=168"):
        tess(*run, "-s", said)
        metrics = json.loads(tess("show", "@last", "--lab", tmp_path / "lab", "--json").stdout)["metrics"]
        shown[said] = [one["value"] for name in ("registers", "spilled_bytes", "occupancy_theoretical") for one in metrics if one["name"] == name]
        shown[said] += re.findall(r"#define LEAST_BLOCKS (\d+)", page.read_text())
        assert ("fewer blocks run at a time" in " ".join(tess("explain", "@last", "--lab", tmp_path / "lab").stdout.split())) == (":" not in said)
    assert shown["point-parallel"] == shown["atomics"] == shown["point-parallel:registers=168"] == [168, 0, 12 / 64, "3"]
    assert shown["point-parallel:registers=0"] == [180, 0, 8 / 64, "1"]
    for run, said, least in (("@last~3", [], 3), ("@last~3", ["-b", "128"], 1), ("@last~1", [], 1), ("@last", [], 3)):
        tess("emit", "--settings", run, *said, "--lab", tmp_path / "lab", "-o", tmp_path / "taken")
        page = (tmp_path / "taken" / "compute_face_flux_to_advance_kernel.h").read_text()
        assert f"#define LEAST_BLOCKS {least}\n" in page, (run, said)


def test_a_sweep_has_chains(tess, tmp_path):
    (tmp_path / "sweep.yaml").write_text(
        f"sweep: chains\naxes:\n  application: airfoil\n  mesh: '{MESHES['airfoil']}'\n  device: host\n  strategy: openmp\n"
        "  samples: 2\n  chain: [save_soln+adt_calc, res_calc+bres_calc+update]\n")
    tess("sweep", tmp_path / "sweep.yaml", "--lab", tmp_path / "lab")
    runs = json.loads(tess("runs", "--lab", tmp_path / "lab", "--json").stdout)["runs"]
    assert {(run["chain"], run["outcome"]) for run in runs} == {
        ("save_soln+adt_calc", "passed"), ("res_calc+bres_calc+update", "passed")}


@pytest.mark.parametrize("arguments, words", [
    (["--chain", "auto"], "is several: save_soln+adt_calc, res_calc+bres_calc+update+adt_calc"),
    (["--chain", "res_calc"], "is no chain of airfoil"),
    (["--chain", "none"], "is no chain of airfoil"),
    (["--chain", "res_calc+updat"], "the step has no loop 'updat'; did you mean 'update'?"),
    (["--chain", "update+res_calc"], "no chain update+res_calc: these loops do not follow"),
    (["--chain", "auto:rings=2", "--ranks", "2"], "a chain runs without ranks"),
    (["--chain", "auto:rings=2", "--loop", "update"], "--loop or --chain, not both"),
])
def test_what_is_no_chain_is_refused(tess, arguments, words):
    failed = tess("run", "airfoil", "--no-lab", "--mesh", MESHES["airfoil"], *arguments, code=2)
    assert words in failed.stderr


def test_what_a_chain_cannot_be_is_no_fit(tess):
    failed = tess("run", "airfoil", "--no-lab", "--mesh", MESHES["airfoil"], "--chain", "auto:rings=2", "--graph", "on",
                  code=1)
    assert "nothing fits: a chain is one launch" in failed.stderr


def test_what_stands_behind_a_chain_is_no_part_of_its_last_loop(tess):
    """res_calc adds to points, so the strategy that nobody named is one for that."""
    words = ("run", "airfoil", "--mesh", "quads:nx=9:ny=9", "--device", "emulator", "-b", "64", "--no-lab", "--json")
    for chain in ("adt_calc+res_calc", "adt_calc+res_calc:elements=once"):
        (run,) = json.loads(tess(*words, "--chain", chain).stdout)["runs"]
        assert run["strategy"] == "point-parallel", chain
