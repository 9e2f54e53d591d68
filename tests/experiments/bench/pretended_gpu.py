"""tess on a pretended GPU (fake_cuda.c), for tests; NVRTC is the real one."""

import json
import os
import pathlib
import subprocess

import pytest
from conftest import limited

HERE = pathlib.Path(__file__).parent
# A kernel that adds nothing, as those of the pretended GPU do, so that the check passes.
KERNEL = "static void nothing(const real *q, real *r) { r[0] += 0 * q[0]; r[1] += 0 * q[0]; }\n"
LOOP = """name: nothing
over: edges
dats:
  - {name: q, set: edges, dim: 1}
  - {name: r, set: cells, dim: 1, start: zero}
args:
  - {dat: q, access: read}
  - {dat: r, map: edges:cells, access: inc}
"""


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """Folders with the pretended driver: a new one and an old one."""
    folders = {}
    for name, flags in {"new": [], "old": ["-DOLD"]}.items():
        folders[name] = tmp_path_factory.mktemp(name)
        for library in ("libcuda.so.1", "libnvidia-ml.so.1"):
            subprocess.run(
                ["cc", "-shared", "-fPIC", "-Wl,-z,nodelete", *flags, "-o", folders[name] / library, HERE / "fake_cuda.c"],
                check=True,
            )
    return folders


@pytest.fixture(scope="module")
def nvrtc(tmp_path_factory):
    """A folder with a pretended NVRTC (fake_nvrtc.c)."""
    folder = tmp_path_factory.mktemp("nvrtc")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", folder / "libnvrtc.so.13", HERE / "fake_nvrtc.c"], check=True)
    return folder


@pytest.fixture
def gpu(tess_bin, libraries, tmp_path):
    """Runs `tess run` with a kernel of its own on the pretended GPU; `mode` is FAKE_CUDA."""
    (tmp_path / "nothing.h").write_text(KERNEL)
    (tmp_path / "nothing.yaml").write_text(LOOP)

    def run(*options, mode="", driver="new", code=0, device="cuda", command="run", file=None, pass_fds=(), say=None, **more):
        environment = {
            **os.environ,
            "LD_LIBRARY_PATH": f"{libraries[driver]}:{os.environ.get('LD_LIBRARY_PATH', '')}",
            "FAKE_CUDA": mode,
            "FAKE_CUDA_LOG": str(tmp_path / "calls"),
            "TESS_GPU_CODE": "/nowhere",  # all is compiled
            "TMPDIR": str(tmp_path),  # where a GPU's lock lies
            **more,
        }
        (tmp_path / "calls").write_text("")
        words = ["--no-view"] if command == "run" else []
        words += ["--kernel", "nothing.h", "--loop", "nothing.yaml"]
        words += ["--mesh", "quads:nx=20:ny=20"] * ("--mesh" not in options)
        words = [file, *["--no-view"] * (command != "march")] if file else [*words, "--device", device]
        words += ["--early"] if command == "tune" and "--budget" not in options else []
        done = subprocess.run(
            [tess_bin, command, *words, "--json", *options],
            capture_output=True, text=True, **limited(120), env=environment, cwd=tmp_path,
            pass_fds=pass_fds, input=say,
        )  # fmt: skip
        if "libnvrtc" in done.stderr + done.stdout:
            pytest.skip("NVRTC is not on this machine")
        assert code is None or done.returncode == code, done.stdout + done.stderr
        return done

    run.calls = lambda: (tmp_path / "calls").read_text().split("\n")[:-1]
    run.records = lambda: sorted((tmp_path / "lab/runs").glob("*.hdf"))
    return run


def runs_of(done):
    return json.loads(done.stdout)["runs"]
