"""tess run --ranks: one loop on several ranks with its exchange comes to the reference, is archived and compared."""

import json
import os
import subprocess

import pytest

from launched_ranks import LAUNCHERS, ROOT_MAY, launcher_command, said_by_ranks_of_which_one_is_killed

pytestmark = pytest.mark.usefixtures("compiling_cc")

KERNELS = os.path.join(os.path.dirname(__file__), "../../../docs/user_kernel")
FOUR_SQUARES = ["airfoil", "--mesh", "quads:nx=12:ny=12"]


def run(tess, *arguments):
    return json.loads(tess("run", *arguments, "--json").stdout)["runs"]


def test_every_strategy_runs_what_a_rank_has(tess):
    strategies = "atomics,global-colour,block-colour,two-step,halo-atomics,owner-block,point-parallel"
    runs = run(tess, *FOUR_SQUARES, "--ranks", "1,4", "--halo", "exec,sums", "--strategy", strategies, "--no-lab")
    assert len(runs) == 28 and {one["check"] for one in runs} == {"passed"}
    for one in runs:
        # four squares of 6 by 6 cells: each has two sides of 6 cells with another, of which state and time step arrive
        # (5 double); by sums the rank of an edge gets these of one cell, and the other's rank 4 double of flux
        assert one["ranks"]["exchange_messages"] <= 16
        if one["ranks"]["n"] == 1:
            assert one["ranks"]["exchange_bytes"] == 0
        elif one["ranks"]["exec_share"] > 0:
            assert one["ranks"]["exchange_bytes"] == 4 * 12 * 5 * 8 and one["ranks"]["exchange_messages"] == 8
        else:
            assert one["ranks"]["exchange_bytes"] == 4 * 6 * (5 + 4) * 8


def test_a_kernel_in_parts_may_name_maps_that_its_loop_does_not_go_through(tess):
    """adt_calc stands in res_calc's file and names cells:nodes, which is no part of a rank."""
    strategies = "block-colour:parts=staged,halo-atomics:parts=separate,owner-block:parts=staged,point-parallel:parts=staged"
    runs = run(tess, *FOUR_SQUARES, "--ranks", "2", "--strategy", strategies, "--no-lab")
    assert [one["check"] for one in runs] == 4 * ["passed"]


def test_points_of_a_rank_are_cut_without_those_of_others(tess):
    # 512 cells in blocks of 64: two ranks have four full ones each, and run none of points that others own
    runs = run(tess, "volna", "--mesh", "tris:nx=16:ny=16", "--device", "emulator", "--ranks", "1,2", "-b", "64",
               "--partitioner", "rcb", "--strategy", "point-parallel", "--no-lab")  # fmt: skip
    assert [(one["check"], one["blocks"], one["blocks_executed"]) for one in runs] == 2 * [("passed", 8, 8)]


@pytest.mark.parametrize("halo", ["redundant", "partial-sums"])
def test_blocks_of_a_rank_own_the_rows_of_a_matrix(tess, halo):
    runs = run(tess, "fun3d", "--loop", "visjac_tets", "--mesh", "layers:nx=4:ny=4:prisms=2:tets=3:order=rcm", "--ranks", "3",
               "--halo", halo, "--device", "emulator", "--partitioner", "mosaic", "--renumber", "owner", "--block-size", "32",
               "--strategy", "owner-block,owner-block:made=per-part", "--no-lab")  # fmt: skip
    assert [one["check"] for one in runs] == ["passed", "passed"]


@pytest.mark.parametrize("kernel,mesh", [("blend", "tris:nx=20:ny=15"), ("stiffness", "hexes:nx=4:ny=3:nz=3"),
                                         ("matrix_product", "hexes:nx=4:ny=3:nz=3"), ("heat", "tets:nx=4:ny=3:nz=3")])
def test_a_kernel_of_the_users_runs_on_ranks(tess, kernel, mesh):
    runs = run(tess, "--kernel", f"{KERNELS}/{kernel}.h", "--loop", f"{KERNELS}/{kernel}.yaml", "--mesh", mesh,
               "--device", "host", "--samples", "0", "--ranks", "3", "--halo", "exec,sums", "--no-lab")
    assert [one["check"] for one in runs] == ["passed", "passed"]
    assert max(one["ranks"]["exchange_bytes"] for one in runs) > 0


def test_runs_on_ranks_are_archived_and_compared(tess, tmp_path):
    table = tess("run", *FOUR_SQUARES, "--device", "host", "--ranks", "1,4", "--samples", "5", "--exchange-samples", "2",
                 "--lab", tmp_path).stdout
    assert "ranks" in table and "exchanged kB" in table
    [alone, ranked] = [json.loads(tess("show", which, "--lab", tmp_path, "--json").stdout)
                       for which in ["@last~1", "@last"]]
    said = ranked["configuration"]
    assert [said["ranks"]["value"], said["engine"], said["halo"], said["renumber"]] == [4, "local", "redundant", "blocks"]
    counted = {metric["name"]: metric["value"] for metric in ranked["metrics"]}
    inside, between = 2 * 12 * 11, 2 * 12
    assert counted["ranks"] == 4 and counted["core_share"] == pytest.approx(1 - between / inside)
    assert counted["exchange_bytes"] == 4 * 12 * 5 * 8 and counted["exchange_seconds"] > 0
    assert ranked["outcome"] == alone["outcome"] == "passed"
    compared = json.loads(tess("compare", "@last~1", "@last", "--lab", tmp_path, "--json").stdout)["comparisons"][0]
    assert compared["scaling_efficiency"] == pytest.approx(1 / (4 * compared["ratio"]))


@pytest.mark.parametrize("application,mesh,least_core,most_lost", [("airfoil", "airfoil:i=200:j=250", 0.99, 0.01),
                                                                   ("lulesh", "hexes:nx=59:ny=59:nz=59", 0.94, 0.04)])
def test_large_ranks_are_core_and_keep_their_reuse(tess, tmp_path, application, mesh, least_core, most_lost):
    """Two ranks of 100k elements; core and border are cut apart, so that blocks of neither have to wait."""
    run(tess, application, "--mesh", mesh, "--device", "host", "--ranks", "1,2", "--samples", "0", "--no-view", "--lab", tmp_path)
    shown = [json.loads(tess("show", which, "--lab", tmp_path, "--json").stdout) for which in ("@last~1", "@last")]
    alone, ranked = [{metric["name"]: metric["value"] for metric in one["metrics"]} for one in shown]
    assert ranked["core_share"] >= least_core and 1 - ranked["reuse_factor"] / alone["reuse_factor"] <= most_lost


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_processes_run_what_ranks_of_one_do(tess, tess_bin, launcher, tmp_path):
    command = launcher_command(launcher)
    common = ["lulesh", "--mesh", "hexes:nx=8:ny=7:nz=6", "--device", "host", "--halo", "exec,sums", "--samples", "3"]
    done = subprocess.run(
        [*command, "-n", "3", tess_bin, "run", *common, "--engine", "mpi", "--json", "--lab", tmp_path],
        env={**os.environ, **ROOT_MAY}, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    got, want = json.loads(done.stdout)["runs"], run(tess, *common, "--ranks", "3", "--no-lab")
    assert [one["ranks"] for one in got] == [one["ranks"] for one in want]
    assert all(one["check"] == "passed" and len(one["samples"]) == 3 for one in got)
    assert len(json.loads(tess("runs", "--lab", tmp_path, "--json").stdout)["runs"]) == 2


def test_a_run_whose_rank_is_killed_is_archived_as_failed(tess, tess_bin, tmp_path):
    said = said_by_ranks_of_which_one_is_killed(
        [tess_bin, "run", *FOUR_SQUARES, "--device", "host", "--engine", "mpi", "--halo", "exec,sums", "--samples",
         "1000000", "--lab", tmp_path])
    [failed] = json.loads(tess("runs", "--lab", tmp_path, "--json").stdout)["runs"]
    shown = json.loads(tess("show", failed["run"], "--lab", tmp_path, "--json").stdout)
    assert shown["outcome"] == "failed" and "ended by signal 9" in shown["check"]["message"]
    assert shown["check"]["message"] in said


@pytest.mark.parametrize("arguments,words", [
    (["--halo", "partial-sums"], "say how many ranks: --ranks N"),
    (["--rank-timeout", "3"], "say how many ranks: --ranks N"),
    (["--ranks", "0"], "--ranks"),
    (["--ranks", "2", "--engine", "locl"], "local"),
    (["--ranks", "2", "--engine", "tcp"], "there is no engine 'tcp' (known: local, mpi, nccl, peer)"),
    (["--ranks", "2", "--rank-partitioner", "rbc"], "rcb"),
    (["--ranks", "2,3", "--engine", "mpi"], "one number of ranks at a time by --engine mpi")])
def test_what_does_not_go_together_is_refused(tess, arguments, words):
    assert words in tess("run", *FOUR_SQUARES, "--no-lab", *arguments, code=2).stderr


def test_a_strategy_that_does_not_fit_the_loop_is_left_out_before_ranks_are_cut(tess):
    """Its blocks would own cells, which this loop does not add to."""
    said = tess("run", "fv", "--mesh", "tets:nx=3:ny=1:nz=2", "-s", "point-parallel", "-b", "1024", "--ranks", "3", "--no-lab", code=1).stderr
    assert "nothing fits: point-parallel needs a loop that increments through a map; differences does not: take gather" in said


def test_a_cold_cache_needs_one(tess):
    words = "device emulator has no caches: --cache cold is for host and cuda"
    assert words in tess("run", *FOUR_SQUARES, "--ranks", "2", "--no-lab", "--cache", "cold", code=1).stderr


def test_each_rank_is_counted_and_its_pages_are_kept(tess, tmp_path):
    """One block a phase. A square of 6 by 6 cells has 60 edges inside, its core, and executes 12 more on two sides, which
    reach 11 cells of its own and 12 of others."""
    told = run(tess, *FOUR_SQUARES, "--ranks", "4", "--block-size", "1024", "--strategy", "atomics", "--samples", "0",
               "--counters", "--keep-text", tmp_path / "text", "--lab", tmp_path / "lab")  # fmt: skip
    assert told[0]["atomics"] == 4 * (60 + 12) * 2 * 4  # 4 double for each of an edge's cells
    shown = json.loads(tess("show", "@last", "--lab", tmp_path / "lab", "--json").stdout)
    counted = {metric["name"]: metric["value"] for metric in shown["metrics"]}
    assert counted["reuse_factor"] == pytest.approx((60 + 12) * 2 / (36 + 11 + 12)) and counted["blocks"] == 8
    for name in ("read_sectors", "atomic_sectors"):
        of_ranks = [counted[f"{name}/rank{rank}"] for rank in range(4)]
        assert min(of_ranks) > 0 and sum(of_ranks) == counted[name] == told[0][name]
    pages = sorted(str(page.relative_to(tmp_path / "text")) for page in (tmp_path / "text").glob("*/*"))
    assert pages == [f"rank{rank}-{phase}/res_calc-atomics-emulator.cu" for rank in range(4) for phase in ("early", "rest")]
    assert "void res_calc(" in (tmp_path / "text" / pages[0]).read_text()


def test_one_rank_does_what_none_does(tess):
    """As many sectors of memory, as many conflicts: the same blocks, numbers and text."""
    one_loop = ["airfoil", "--mesh", "airfoil:i=40:j=60", "--device", "emulator", "--strategy", "point-parallel,halo-atomics",
                "--partitioner", "mosaic", "-b", "64", "--layout", "soa", "--samples", "0", "--no-lab"]  # fmt: skip
    alone, ranked = run(tess, *one_loop), run(tess, *one_loop, "--ranks", "1")
    for name in ["read_sectors", "write_sectors", "atomic_sectors", "shared_bank_conflicts"]:
        assert [one[name] for one in ranked] == [one[name] for one in alone]


def test_blocks_that_own_points_run_while_values_travel(tess):
    """Blocks at a border wait; the others are the core's, by a proof that runs before each march."""
    runs = run(tess, "airfoil", "--mesh", "airfoil:i=40:j=60", "--device", "emulator", "--ranks", "2", "--halo", "exec,sums",
               "--strategy", "point-parallel,owner-block", "-b", "32", "--samples", "0", "--no-lab")
    assert [one["check"] for one in runs] == ["passed"] * 4
