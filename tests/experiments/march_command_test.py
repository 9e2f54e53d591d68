"""tess march: all loops of an application, on the host and on the emulator the same."""

import json

import pytest


@pytest.fixture(autouse=True)
def environment(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("TESS_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")


def rows(tess, *arguments):
    return json.loads(tess("march", *arguments, "--json").stdout)["rows"]


def test_the_emulator_marches_as_the_host_does(tess):
    common = ["airfoil", "--mesh", "quads:nx=20:ny=12", "--steps", "3", "--every", "1"]
    host = rows(tess, *common, "--strategy", "sequential")
    for strategy in ["atomics", "halo-atomics", "point-parallel"]:
        emulated = rows(tess, *common, "--device", "emulator", "--strategy", strategy)
        assert [row["rms"] for row in emulated] == pytest.approx([row["rms"] for row in host], rel=1e-9)


def test_the_pulse_leaves_and_the_residual_falls(tess):
    gains = rows(tess, "airfoil", "--mesh", "quads:nx=40:ny=30", "--steps", "400", "--every", "100",
                 "--strategy", "sequential")
    assert gains[-1]["rms"] < 0.2 * gains[0]["rms"]


def test_an_unknown_application_is_refused(tess):
    assert "airfoil" in tess("march", "airfol", "--mesh", "quads:nx=4:ny=4", code=2).stderr
