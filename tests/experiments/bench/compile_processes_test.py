"""NVRTC compiles one text at a time in a process: others are compiled by processes beside it, each text once."""

import json
import os
import pathlib
import subprocess

import pytest
from pretended_gpu import gpu, libraries  # noqa: F401

HERE = pathlib.Path(__file__).parent


@pytest.fixture(scope="module")
def nvrtc(tmp_path_factory):
    """A folder with a pretended NVRTC (fake_nvrtc.c)."""
    folder = tmp_path_factory.mktemp("nvrtc")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", folder / "libnvrtc.so.13", HERE / "fake_nvrtc.c"], check=True)
    return folder


def compiled(tess, nvrtc, folder, threads):
    """Which processes compiled which texts, and what the predictions say of registers."""
    (folder / "log").write_text("")
    done = tess("predict", "airfoil", "--mesh", "quads:nx=9:ny=8", "--strategy", "atomics,two-step,halo-atomics",
                "--partitioner", "rcb,file-order", "--json", env={
                    **os.environ, "LD_LIBRARY_PATH": str(nvrtc), "FAKE_NVRTC_LOG": str(folder / "log"), "OMP_NUM_THREADS": threads,
                    "TESS_CACHE": str(folder / "cache")})  # fmt: skip
    lines = [line.split() for line in (folder / "log").read_text().splitlines()]
    registers = {one["features"]["registers"] for one in json.loads(done.stdout)["predictions"] if one["strategy"] == "atomics"}
    return [process for process, _ in lines], [text for _, text in lines], registers


def test_texts_are_compiled_side_by_side(tess, nvrtc, tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "four").mkdir()
    processes, texts, registers = compiled(tess, nvrtc, tmp_path / "one", "1")
    assert len(set(processes)) == 1 and len(texts) == len(set(texts)) >= 6 and registers == {41}
    processes, again, registers = compiled(tess, nvrtc, tmp_path / "four", "4")
    assert len(set(processes)) >= 3 and sorted(again) == sorted(texts) and registers == {41}
    processes, texts, _ = compiled(tess, nvrtc, tmp_path / "four", "4")  # all are kept
    assert texts == []


def test_a_search_waits_for_no_compiler_when_its_time_is_over(gpu, libraries, nvrtc, tmp_path):  # noqa: F811
    """One thread compiles, nobody beside it when it comes to the last text, which would take ten minutes."""
    done = gpu("--budget", "12", "--strategy", "atomics,block-colour,two-step", "--partitioner", "file-order", "--block-size", "64",
               "--layout", "soa", "--lab", "lab", command="tune", OMP_NUM_THREADS="2", FAKE_NVRTC_SLOW="KERNEL(two_step",
               FAKE_NVRTC_LOG=str(tmp_path / "log"), TESS_CACHE=str(tmp_path / "cache"), LD_LIBRARY_PATH=f"{libraries['new']}:{nvrtc}")  # fmt: skip
    places = {one["strategy"]: one["place"] for one in json.loads(done.stdout)["candidates"]}
    assert places["two-step"] == "not tried" and "best" in places.values()
    assert len((tmp_path / "log").read_text().splitlines()) >= 3  # it was begun
