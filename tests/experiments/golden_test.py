"""Labs of every schema that there was are read; newer minor versions, too.

golden/<version>/ was written by the first program of that schema and never changes. When the major
version rises, a folder is added: tess partition quads:nx=6:ny=4 --map edges:cells --partitioner rcb
--block-size 16 --renumber gps --lab VERSION --no-view, then one run of lab_writer, tagged `golden`."""

import json
import pathlib
import shutil

import h5py
import pytest
import recompute

GOLDEN = sorted(path for path in (pathlib.Path(__file__).parent / "golden").iterdir() if path.is_dir())


@pytest.fixture(params=GOLDEN, ids=lambda path: path.name)
def lab(request, tmp_path):
    shutil.copytree(request.param, tmp_path / "lab")
    return tmp_path / "lab"


def check(tess, lab):
    partitioned, sampled = json.loads(tess("runs", "--lab", lab, "--json").stdout)["runs"]
    assert partitioned["reuse_factor"] == 2.375 and partitioned["block_size"] == 16
    assert sampled["tags"] == ["golden"] and sampled["median_time"] == pytest.approx(1.0561e-3)
    shown = json.loads(tess("show", "--lab", lab, "tag:golden", "--json").stdout)
    assert len(shown["samples"]["time"]["values"]) == 25 and shown["notes"].startswith("written by schema")
    assert "0 defects" in tess("verify", "--lab", lab).stdout
    assert recompute.check_lab(lab) == 1


def test_every_schema_is_read(tess, lab):
    check(tess, lab)


def test_a_newer_minor_version_only_adds(tess, lab):
    for path in lab.glob("*/*.hdf"):
        with h5py.File(path, "r+") as file:
            major = file.attrs["schema_version"].decode().split(".")[0]
            file.attrs["schema_version"] = f"{major}.99"
            file["something_new"] = 1.0
            file["something_new"].attrs["unit"] = "1"
    partitioned = json.loads(tess("runs", "--lab", lab, "--json").stdout)["runs"][0]
    assert partitioned["reuse_factor"] == 2.375
