"""NVRTC compiles one text at a time in a process: others are compiled by processes beside it, each text once."""

import json
import os
import pathlib
import subprocess

import pytest

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
