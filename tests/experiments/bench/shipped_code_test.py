"""What was compiled for a GPU when the program was built is taken from there, on a pretended GPU of capability 9.0; all else is
compiled as before."""

import os
import shutil
import subprocess

import pytest
from conftest import limited
from pretended_gpu import gpu, libraries, nvrtc  # noqa: F401

CUT = ["--mesh", "quads:nx=260:ny=250", "--strategy", "block-colour", "--partitioner", "rcb", "--block-size", "64", "--partition-on", "device",
       "--no-lab"]  # fmt: skip


@pytest.fixture
def shipped(tess, nvrtc, tmp_path):  # noqa: F811
    """A folder with code for a capability, as the build makes it, and how many texts were compiled for it."""

    def make(capability=90):
        (tmp_path / "gpu").mkdir(exist_ok=True)
        tess("--compile-shipped", str(capability), tmp_path / f"gpu/sm_{capability}.code", env={
            **os.environ, "LD_LIBRARY_PATH": str(nvrtc), "FAKE_NVRTC_LOG": str(tmp_path / "made"), "FAKE_NVRTC_SHIPS": "yes",
            "TESS_CACHE": str(tmp_path / "other")})  # fmt: skip
        texts = {line.split()[1] for line in (tmp_path / "made").read_text().splitlines()}
        return tmp_path / f"gpu/sm_{capability}.code", texts

    return make


@pytest.fixture
def ran(gpu, libraries, nvrtc, tmp_path):  # noqa: F811
    """Runs a loop, cut there, with a new cache: which texts it compiles, what it asks of the driver and what it says. The pretended
    GPU plans nothing."""

    def run(**environment):
        (tmp_path / "log").write_text("")
        cache = tmp_path / f"cache{len(list(tmp_path.glob('cache*')))}"
        done = gpu(*CUT, code=None, FAKE_NVRTC_LOG=str(tmp_path / "log"), TESS_CACHE=str(cache),
                   LD_LIBRARY_PATH=f"{libraries['new']}:{nvrtc}", **environment)  # fmt: skip
        said = done.stderr
        return {line.split()[1] for line in (tmp_path / "log").read_text().splitlines()}, gpu.calls(), said

    return run


def test_what_ships_is_not_compiled(shipped, ran, tmp_path):
    file, texts = shipped()
    all_texts, calls, said = ran()
    assert len(texts) == 5 and len(all_texts & texts) == 4 and "shipped" not in calls
    compiled, calls, again = ran(TESS_GPU_CODE=str(file.parent))
    assert compiled == all_texts - texts and calls.count("shipped") >= 3 and again == said


@pytest.mark.parametrize("wrong", ["cut short", "changed", "another architecture", "nothing", "refused"])
def test_what_does_not_fit_is_compiled(shipped, ran, wrong):
    file, texts = shipped(80 if wrong == "another architecture" else 90)
    bytes_ = file.read_bytes()
    if wrong == "cut short":
        file.write_bytes(bytes_[:-20])
    elif wrong == "changed":
        file.write_bytes(bytes_[:-20] + b"shop" * 5)
    elif wrong == "nothing":
        file.write_bytes(b"")
    all_texts, _, said = ran()
    compiled, calls, again = ran(TESS_GPU_CODE=str(file.parent), mode="shipped" if wrong == "refused" else "")
    assert "shipped" not in calls and again == said
    if wrong == "refused":  # when it is loaded: of tables, never
        assert calls.count("shipped, refused") == len(texts & compiled) == 3 and len(all_texts - compiled) == 1
    else:  # that code itself is damaged is seen when it is loaded, too
        unseen = 1 if wrong in ("cut short", "changed") else 0
        assert compiled <= all_texts and len(all_texts - compiled) == unseen and "shipped, refused" not in calls


@pytest.fixture
def cut(tess_bin, libraries, tmp_path):  # noqa: F811
    """Cuts there without a compiler, by the program or a copy of it: what it says."""

    def run(program=tess_bin, **environment):
        words = [program, "partition", "quads:nx=20:ny=20", "--map", "edges:cells", "-p", "rcb", "-b", "64", "--partition-on", "device",
                 "--device", "cuda", "--no-lab", "--no-view"]  # fmt: skip
        return subprocess.run(words, capture_output=True, text=True, **limited(), cwd=tmp_path, env={
            **os.environ, "LD_LIBRARY_PATH": str(libraries["new"]), "TESS_NVRTC": "/nowhere", "TESS_CACHE": str(tmp_path / "cache"),
            **environment}).stderr  # fmt: skip

    return run


def test_a_cut_there_needs_no_compiler(shipped, cut, tmp_path):
    file, _ = shipped()
    assert "cut on the host: TESS_NVRTC is /nowhere" in cut(TESS_GPU_CODE=str(tmp_path))
    assert "off by" in cut(TESS_GPU_CODE=str(file.parent))  # by a GPU that cuts nothing


def test_code_lies_beside_the_program_and_is_of_who_put_it_there(shipped, cut, tess_bin, tmp_path):
    file, _ = shipped()
    (tmp_path / "installed/bin").mkdir(parents=True)
    program = shutil.copy(tess_bin, tmp_path / "installed/bin")
    assert "cut on the host" in cut(program)
    (tmp_path / "installed/share/tesselab").mkdir(parents=True)
    file.parent.rename(tmp_path / "installed/share/tesselab/gpu")
    assert "off by" in cut(program)
    if os.geteuid() == 0:
        os.chown(tmp_path / "installed/share/tesselab/gpu", 4711, -1)
        assert "cut on the host" in cut(program)
        os.chown(tmp_path / "installed/bin", 4711, -1)
        assert "off by" in cut(program)


def test_a_build_without_a_compiler_ships_nothing(tess, tmp_path):
    tess("--compile-shipped", "90", tmp_path / "sm_90.code", env={**os.environ, "TESS_NVRTC": "/nowhere"})
    assert (tmp_path / "sm_90.code").read_bytes() == b""
    tess("--compile-shipped", "90", tmp_path / "no/sm_90.code", env={**os.environ, "TESS_NVRTC": "/nowhere"}, code=1)
