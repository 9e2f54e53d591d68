"""`tess doctor`: what is there and what is not, with the fix, on this machine and on poorer ones."""

import json
import os
import subprocess

import pytest


@pytest.fixture
def findings(tess, tmp_path):
    """Runs tess doctor, by itself without the Python that takes it a second; gives the findings by name, and what it
    said on stderr."""

    def run(*arguments, code=0, **environment):
        process = tess("doctor", "--json", *arguments, code=code, cwd=tmp_path,
                       env={**os.environ, "TESS_PYTHON": "/nowhere/python", **environment})
        answer = json.loads(process.stdout)
        assert answer["schema"] == "tess.doctor/1"
        return {finding["name"]: finding for finding in answer["findings"]}, process.stderr

    return run


def test_this_machine(findings):
    """The tests run here, so what they need is here."""
    found, _ = findings(TESS_PYTHON=os.environ.get("TESS_PYTHON", ""))
    for name in ("machine", "lab", "HDF5", "C compiler", "worker"):
        assert found[name]["is_there"] and found[name]["fix"] is None, found[name]
    assert "1." in found["HDF5"]["found"] and "GB free" in found["lab"]["found"]
    assert "metis" in found["worker"]["found"]
    assert found["Python"]["found"].startswith("/") and "python3: " in found["Python"]["found"]
    assert "h5py" in found["Python"]["found"] and "no h5py" not in found["Python"]["found"]
    for finding in found.values():
        assert finding["is_there"] or finding["fix"], f"{finding['name']} has no fix"
        assert finding["found"] and finding["use"]


@pytest.mark.parametrize("variable, value, name, words", [
    ("CC", "no-such-compiler", "C compiler", "CC names no compiler"),
    ("TESS_WORKER", "/nowhere/tess-worker", "worker", "TESS_WORKER"),
    ("TESS_LAB", "/proc/no/lab", "lab", "--lab or TESS_LAB"),
])
def test_what_is_essential_and_missing_is_exit_code_4(findings, variable, value, name, words):
    found, said = findings(code=4, **{variable: value})
    assert not found[name]["is_there"] and words in found[name]["fix"]
    assert "1 essential thing is missing" in said


@pytest.mark.parametrize("variable, value, name, words", [
    ("TESS_PYTHON", "/nowhere/python", "Python", "apt-get install python3"),
    ("PATH", "/nowhere", "pvpython", "python3-paraview"),
    ("PATH", "/nowhere", "ParaView", "apt-get install"),
    ("PATH", "/nowhere", "mpiexec", "openmpi-bin"),
    ("TESS_MPI", "libnone.so", "MPI", "openmpi-bin"),
    ("TESS_NCCL", "libnone.so", "NCCL", "TESS_NCCL"),
])
def test_what_is_optional_is_no_failure(findings, variable, value, name, words):
    environment = {variable: value}
    if variable == "PATH":
        environment["CC"] = "/usr/bin/cc"
    found, _ = findings(**environment)
    assert not found[name]["is_there"] and words in found[name]["fix"]


def test_a_launcher_and_a_library_that_do_not_fit_are_told(findings, tmp_path):
    mpiexec = tmp_path / "mpiexec"
    mpiexec.write_text("#!/bin/sh\necho 'HYDRA build details:'\n")
    mpiexec.chmod(0o755)
    library = findings()[0]["MPI"]["found"]
    if "Open MPI" not in library:
        pytest.skip("no Open MPI (Debian: apt-get install openmpi-bin)")
    found, _ = findings(PATH=f"{tmp_path}:{os.environ['PATH']}", TESS_MPI="libmpi.so.40")
    assert not found["mpiexec"]["is_there"] and "of MPICH, but the library is libmpi.so.40" in found["mpiexec"]["found"]
    assert "TESS_MPI" in found["mpiexec"]["fix"] and found["MPI"]["is_there"]


def test_a_python_without_libraries(findings, tmp_path):
    bare = tmp_path / "python"
    bare.write_text('#!/bin/sh\nexec /usr/bin/python3 -S -E "$@"\n')
    bare.chmod(0o755)
    found, _ = findings(TESS_PYTHON=str(bare))
    assert found["Python"]["found"] == "/usr/bin/python3: no h5py, no numpy, no pandas, no matplotlib"
    assert found["mtkahypar"]["found"] == "/usr/bin/python3: no mtkahypar"
    assert "pip install mtkahypar==" in found["mtkahypar"]["fix"]
    assert "pip install kaminpar==" in found["kaminpar"]["fix"]


def test_a_metis_of_wide_indices_is_named(findings, tess, tmp_path):
    """What the loader finds first, as an MPI code's own METIS may be; nothing is cut by it."""
    (tmp_path / "metis.c").write_text(
        "#include <stdint.h>\nint METIS_SetDefaultOptions(int64_t *options) {\n"
        "    for (int i = 0; i < 40; i++)\n        options[i] = -1;\n    return 1;\n}\n"
        "int METIS_PartGraphKway(void) { __builtin_trap(); }\nint METIS_PartGraphRecursive(void) { __builtin_trap(); }\n")
    library = tmp_path / "libmetis.so.5"
    subprocess.run(["cc", "-shared", "-fPIC", "-Wl,-soname,libmetis.so.5", tmp_path / "metis.c", "-o", library], check=True)
    wide = {"LD_LIBRARY_PATH": str(tmp_path)}
    found, _ = findings(code=4, **wide)
    assert not found["worker"]["is_there"] and "no metis" in found["worker"]["found"]
    assert f"METIS that is loaded, {library}, has indices of 64 bits" in found["worker"]["fix"]
    done = tess("partition", "tris:nx=4:ny=4", "--map", "edges:cells", "-p", "metis", "-b", "8", "--no-lab", code=4, env={**os.environ, **wide})
    assert "has indices of 64 bits" in done.stderr


def test_a_lab_that_is_still_to_be_made(findings, tmp_path):
    found, _ = findings("--lab", str(tmp_path / "deep" / "er" / "lab"))
    assert found["lab"]["is_there"] and not (tmp_path / "deep").exists()


def test_the_table_ends_with_what_to_do(tess):
    lines = tess("doctor", env=dict(os.environ, CC="no-such-compiler", TESS_PYTHON="/nowhere/python"), code=4).stdout.splitlines()
    row, = [line for line in lines if line.startswith("MISSING")]
    assert "C compiler" in row
    fixes = lines[lines.index("To have what is missing:") + 1:]
    assert any(line.split()[:2] == ["C", "compiler"] for line in fixes)
