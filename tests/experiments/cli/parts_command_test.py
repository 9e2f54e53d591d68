"""What a split loop stages of a point, phase after phase: tess parts against the kernels' own sizes."""

import json


def cuts(tess, *words):
    report = json.loads(tess("parts", *words, "--json").stdout)
    phases = {}
    for phase in report["phases"]:
        phases.setdefault(phase.pop("cut"), []).append(phase)
    return phases, report["refused"]


def test_each_phase_says_what_it_stages(tess):
    phases, refused = cuts(tess, "fun3d", "--loop", "roe_flux", "--mesh", "layers:nx=3:ny=3:prisms=1:tets=1")
    assert [p["staged"] for p in phases["together"]] == ["nodes 224 B"]  # q 5, three gradients of 5, x 3, res 5
    assert [p["reads"] for p in phases["parts"]] == ["x", *(f"q[{i}] gx[{i}] gy[{i}] gz[{i}]" for i in range(5)), "-"]
    assert [p["staged"] for p in phases["parts"]] == ["nodes 24 B", *["nodes 32 B"] * 5, "nodes 40 B"]
    assert [p["adds"] for p in phases["parts"]] == ["-"] * 6 + ["res"]
    assert [p["passed_on"] for p in phases["parts"]] == [3, 13, 13, 13, 13, 10, 0]  # half 3, ends 10
    assert set(refused) == {"outputs", "components"} and "nothing to split" in refused["components"]
    phases, refused = cuts(tess, "fun3d", "--loop", "lstgs", "--mesh", "layers:nx=3:ny=3:prisms=1:tets=1")
    assert [p["adds"] for p in phases["components"]] == [f"gx[{i}] gy[{i}] gz[{i}]" for i in range(5)]
    assert {p["staged"] for p in phases["components"]} == {"nodes 104 B"}  # q 1, x 3, r 6, three sums
    assert [p["staged"] for p in phases["outputs"]] == ["nodes 152 B"] * 3  # q 5, x 3, r 6, five sums
    assert [p["staged"] for p in phases["parts"]] == ["nodes 72 B", *["nodes 32 B"] * 5]  # x and r once
    assert refused == {}


def test_the_table_and_what_is_asked_wrongly(tess):
    said = tess("parts", "miniaero", "--mesh", "tets:nx=1:ny=1:nz=1").stdout
    assert "face_temperature  gradient[12-14] limiter[4] w[4] centre  -" in said and "cells 264 B" in said
    assert "outputs: loop compute_face_flux: nothing to split" in said
    assert "on which mesh?" in tess("parts", "fun3d", code=2).stderr
    assert "whose loop?" in tess("parts", "--mesh", "tets", code=2).stderr
    assert "not both" in tess("parts", "fun3d", "--kernel", "mix.h", "--mesh", "tets", code=2).stderr
