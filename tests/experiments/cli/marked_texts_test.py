"""Texts of users that begin with a byte order mark, as Windows' editors write it, are read as they are without it."""

import json
import pathlib

import pytest

MESH = "quads:nx=8:ny=8"
IMPORTED = pathlib.Path(__file__).resolve().parents[1] / "archive/imported"
KERNEL = "static inline void spread(const real *u, real *r0, real *r1) { *r0 += *u; *r1 -= *u; }\n"
LOOP = """name: spread
over: edges
dats: [{name: u, set: edges, dim: 1}, {name: r, set: cells, dim: 1, start: zero}]
args: [{dat: u, access: read}, {dat: r, map: "edges:cells", slot: 0, access: inc}, {dat: r, map: "edges:cells", slot: 1, access: inc}]
"""


@pytest.fixture(params=[b"", b"\xef\xbb\xbf"], ids=["plain", "marked"])
def text(request, tmp_path):
    """Writes a text behind the mark, or without it."""

    def write(name, content):
        (tmp_path / name).write_bytes(request.param + content.encode())
        return tmp_path / name

    return write


def test_a_kernel_and_its_description(tess, text):
    words = ("run", "--kernel", text("spread.h", KERNEL), "--loop", text("spread.yaml", LOOP), "--mesh", MESH, "-s", "atomics,block-colour", "-b", "64", "--no-lab")
    assert [run["check"] for run in json.loads(tess(*words, "--json").stdout)["runs"]] == ["passed"] * 2


def test_a_partition(tess, text):
    blocks = text("cells.part", "".join(f"{cell // 32}\n" for cell in range(64)))
    run = json.loads(tess("partition", MESH, "-M", "cells:nodes", "-b", "64", "-p", f"file:path={blocks}", "--no-lab", "--json").stdout)["runs"][0]
    assert run["blocks"] == 2


def test_a_permutation(tess, text, tmp_path):
    order = text("order.txt", "cells.new_to_old 64\n" + "".join(f"{63 - cell}\n" for cell in range(64)))
    tess("mesh", "reorder", MESH, tmp_path / "new.su2", "--apply", order, "--quiet")
    assert (tmp_path / "new.su2").stat().st_size > 1000


def test_times(tess, text, tmp_path):
    tess("record", "p", "--seconds", text("times.txt", "1.5\n2\n"), "-l", tmp_path / "lab")
    tess("record", "p", "--seconds", "-", "-l", tmp_path / "lab", input=text("more.txt", "7\n").read_text())
    runs = json.loads(tess("runs", "--json", "-l", tmp_path / "lab").stdout)["runs"]
    assert sorted(run["median_time"] for run in runs) == [1.75, 7]


@pytest.mark.parametrize("name, n_runs", [("google_benchmark.json", 3), ("kernel_tuner_cache.json", None), ("ncu_details.csv", None)])
def test_what_other_programs_measured(tess, text, tmp_path, name, n_runs):
    plain = IMPORTED / name
    told = [json.loads(tess("import", path, "-l", tmp_path / f"lab{i}", "--json").stdout)["files"][0] for i, path in enumerate((plain, text(name, plain.read_text())))]
    assert len(told[0]["runs"]) == len(told[1]["runs"]) > 0 and n_runs in (None, len(told[0]["runs"]))
    assert told[0]["format"] == told[1]["format"]
