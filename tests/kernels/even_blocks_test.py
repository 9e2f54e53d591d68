"""Even blocks: the few of a chain that ask for the most memory are halved where more would run at once."""

import json
import re
import subprocess

import pytest

SHARED = 228 << 10  # bytes of a multiprocessor of capability 90, of which each block has 1024 beside its own
RINGS = ("airfoil", "--mesh", "irregular:nx=60:ny=60", "--chain", "auto:rings=2", "--threads", 128, "-s", "point-parallel:registers=64",
         "--renumber", "owner")  # fmt: skip
CELLS = 7200


def launch(tess, folder, block_size, *more):
    """Blocks of the emitted chain, and how many of them a multiprocessor has the memory for."""
    tess("emit", *RINGS, "-b", block_size, *more, "-o", folder)
    n_blocks, shared = re.search(r"<<<(\d+), 128, (\d+), stream>>>", (folder / "save_soln_to_update.cu").read_text()).groups()
    return int(n_blocks), SHARED // (int(shared) + 1024)


def test_a_few_large_blocks_are_halved_where_that_lets_more_run(tess, tmp_path):
    n_blocks, n_resident = launch(tess, tmp_path / "uneven", 180)
    assert CELLS / 180 < n_blocks <= CELLS / 180 * 9 / 8
    assert n_resident == 6  # of whole blocks five


def test_without_rings_only_the_lists_of_elements_count(tess, tmp_path):
    tess("emit", "lulesh", "--mesh", "hexes:nx=17:ny=17:nz=18", "--chain", "auto", "--threads", 128, "-s", "point-parallel:registers=80",
         "--renumber", "owner", "-p", "rcb", "-b", 128, "-o", tmp_path)  # fmt: skip
    text = (tmp_path / "init_stress_to_move_nodes.cu").read_text()
    n_blocks, shared = map(int, re.search(r"<<<(\d+), 128, (\d+), stream>>>", text).groups())
    assert 49 < n_blocks <= 49 * 9 / 8
    assert SHARED // (shared + 1024) == 5  # of whole blocks four


def far_pieces(tess, path, *exchanges):
    """A partition by rcb, of which pairs of blocks exchange some cells."""
    tess("partition", RINGS[2], "--map", "cells:nodes", "-p", "rcb", "-b", 180, "--no-lab", "-o", path)
    block_of = [int(line) for line in path.read_text().split()]
    for one, other, n in exchanges:
        cells = [[cell for cell, block in enumerate(block_of) if block == which][:n] for which in (one, other)]
        for cell in cells[0]:
            block_of[cell] = other
        for cell in cells[1]:
            block_of[cell] = one
    path.write_text("\n".join(map(str, block_of)))
    return f"file:path={path}"


def test_two_blocks_of_far_pieces_are_halved_though_many_are_near_the_limit(tess, tmp_path):
    pieces = far_pieces(tess, tmp_path / "partition.txt", (0, 39, 90))
    assert launch(tess, tmp_path / "far", 180, "-p", pieces) == (CELLS // 180 + 2, 6)


def test_what_is_largest_then_is_halved_too(tess, tmp_path):
    pieces = far_pieces(tess, tmp_path / "partition.txt", (0, 39, 90), (7, 25, 20))
    assert launch(tess, tmp_path / "far", 180, "-p", pieces) == (CELLS // 180 + 3, 6)  # two in the first round: five would run


def test_a_large_block_is_halved_where_that_leaves_more_first_cache(tess, tmp_path):
    tess("emit", "lulesh", "--mesh", "hexes:nx=20:ny=20:nz=20", "--chain", "auto", "--threads", 128, "-s", "point-parallel",
         "--renumber", "owner", "-p", "hilbert", "-b", 128, "-o", tmp_path)  # fmt: skip
    text = (tmp_path / "init_stress_to_move_nodes.cu").read_text()
    n_blocks, shared = map(int, re.search(r"<<<(\d+), 128, (\d+), stream>>>", text).groups())
    assert n_blocks == -(-(21**3) // 128) + 1
    assert 164 << 10 < 4 * (shared + 1024) <= 196 << 10  # four run by their registers


def test_blocks_stay_whole_where_many_would_be_halved(tess, tmp_path):
    n_blocks, n_resident = launch(tess, tmp_path / "even", 192)
    assert n_blocks == -(-CELLS // 192)
    assert n_resident == 5


def test_blocks_stay_whole_where_registers_are_the_limit(tess, tmp_path):
    tess("emit", *RINGS, "-s", "point-parallel:registers=128", "-b", 180, "-o", tmp_path)
    assert f"<<<{CELLS // 180}, 128, " in (tmp_path / "save_soln_to_update.cu").read_text()


def test_blocks_are_halved_for_registers_that_a_cap_leaves(tess, tess_bin):
    """NVRTC takes 92 registers, by which five blocks run at a time; 80 let six, of halved blocks alone."""
    found = {}
    for registers in (-1, 0, 80):
        run = ["run", *RINGS[:-3], f"point-parallel:registers={registers}", "--renumber", "owner", "-b", "180", "--device", "nvrtc", "--no-lab",
               "--json"]  # fmt: skip
        if "libnvrtc" in subprocess.run([tess_bin, *map(str, run)], capture_output=True, text=True).stderr:
            pytest.skip("NVRTC is not on this machine")
        (one,) = json.loads(tess(*run).stdout)["runs"]
        found[registers] = [one[name] for name in ("registers", "spilled_bytes", "shared_bytes", "occupancy_theoretical")]
    assert found[-1] == found[80] and found[80][:2] == [80, 0] and found[80][3] == 24 / 64
    assert found[0][0] == 92 and found[0][2] > found[80][2] and found[0][3] == 20 / 64


def test_blocks_are_not_halved_for_a_cap_that_takes_the_first_cache(tess, tess_bin):
    """lulesh's 114 registers let four blocks run, a cap five, whose memory would leave L1 next to nothing."""
    run = ["run", "lulesh", "--mesh", "hexes:nx=16:ny=16:nz=16", "--chain", "auto", "-b", "128", "--threads", "128", "--layout", "soa",
           "--renumber", "owner", "-p", "rcb", "--device", "nvrtc", "--no-lab", "--json", "-s", "point-parallel,point-parallel:registers=0"]  # fmt: skip
    if "libnvrtc" in subprocess.run([tess_bin, *run], capture_output=True, text=True).stderr:
        pytest.skip("NVRTC is not on this machine")
    first, second = json.loads(tess(*run).stdout)["runs"]
    assert first["registers"] == second["registers"] == 114 and first["shared_bytes"] == second["shared_bytes"]


def test_halved_blocks_come_to_the_same(tess, tmp_path):
    folder = tmp_path / "loop"
    tess("emit", *RINGS, "-b", 180, "--language", "c", "-o", folder)
    subprocess.run(["cc", "-std=gnu11", "-O1", "-fno-strict-aliasing", *sorted(folder.glob("*.c")), "-lm", "-o", folder / "check"],
                   check=True)
    subprocess.run([folder / "check", folder / "save_soln_to_update.plan"], check=True, capture_output=True)
    march = ["airfoil", "--mesh", "irregular:nx=60:ny=60", "--chains", "auto:rings=2", "-b", 180, "--threads", 128, "--device", "emulator",
             "--strategy", "point-parallel:registers=64", "--renumber", "owner", "--steps", 1, "--check", "--no-lab"]  # fmt: skip
    for ranks in (1, 2):
        assert "the same state" in tess("march", *march, "--ranks", ranks).stdout
