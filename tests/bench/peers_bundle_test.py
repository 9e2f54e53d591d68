"""bench/peers_bundle.py: what is made and packed for the arena on a machine that reaches nothing, here by doubles of compilers."""

import os
import subprocess
import sys
import tarfile

import pytest
import yaml
from conftest import ROOT

SCRIPT = ROOT / "bench/peers_bundle.py"
MADE = {"kokkos/bin/nvcc_wrapper": "", "kokkos/lib/libkokkoscore.a": "kokkos", "kokkos/include/KokkosCore_config.h": "#define KOKKOS_ENABLE_CUDA\n",
        "v1.1.0-512-gb9e7a58d/op2/lib/libop2_cuda.a": "op2", "v1.1.0-512-gb9e7a58d/op2/obj": "", "libceed/lib/libceed.so": "ceed",
        "libceed/include/ceed/ceed.h": "", "libceed/include/ceed/types.h": '\n#include "ceed-f64.h"', "libceed/tests": "",
        "mfem/lib/libmfem.so": "mfem", "mfem/include/mfem/config/_config.hpp": "#define MFEM_USE_CUDA\n#define MFEM_USE_DOUBLE\n"}  # fmt: skip
COMPILER = """#!/bin/sh
for word; do [ "$before" = -o ] && echo made > "$word"; [ "$before" = --build ] && echo made > "$word/program"; before=$word; done
exit 0
"""


def bundle(*words, code=0, **more):
    done = subprocess.run([sys.executable, SCRIPT, *map(str, words)], capture_output=True, text=True, env={**os.environ, **more})
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def folder(tmp_path):
    for name, text in MADE.items():
        (tmp_path / "arena" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "arena" / name).write_text(text)
    return tmp_path / "arena"


def test_what_is_there_is_not_made_again(tmp_path, folder):
    words = ["--dry-run", "--jobs", 3, "--folder"]
    all_said = bundle(*words, tmp_path / "none", CUDAARCHS="80")
    said = bundle(*words, folder, CUDAARCHS="80")
    for what in ("github.com/kokkos/kokkos", "Kokkos_ARCH_AMPERE80=ON", "CUDA_GEN=80", "CUDA_ARCH=sm_80", "CMAKE_CUDA_ARCHITECTURES=80", "--jobs 3"):
        assert what in all_said and what not in said, what
    assert "warp-lang" in said and not (tmp_path / "none").exists()
    assert "CUDAARCHS is '90a': give one of" in bundle("--dry-run", code=2, CUDAARCHS="90a")
    assert "there is no part kokos; there are kokkos, op2" in bundle("--dry-run", "--only", "kokos", code=2, CUDAARCHS="90")


def test_what_a_run_needs_is_packed(folder):
    bundle("--only", "kokkos,op2,libceed,mfem", "--folder", folder, CUDAARCHS="90")
    with tarfile.open(f"{folder}.tar.xz") as archive:
        names = {member.name.partition("/arena/")[2] for member in archive if member.isfile()}
    assert names == {name for name in MADE if not name.endswith(("/obj", "/tests"))}
    for script in ("env.sh", "run.sh"):
        subprocess.run(["bash", "-n", folder / script], check=True)
    assert f"LIBCEED_ROOT={folder}/libceed" in (folder / "env.sh").read_text()


def test_loops_are_those_of_the_recipe(tess, folder):
    bundle("--only", "kokkos", "--folder", folder, CUDAARCHS="90")
    listed = lambda *words: {tuple(sorted(word for word in line.split() if word.startswith("--loop=") or "=" not in word)) + (line.count("shuffle"),)
                             for line in tess("sweep", *words, "--dry-run").stdout.splitlines() if line.startswith("tess run")}  # fmt: skip
    arena = listed(ROOT / "experiments/recipes/arena.yaml", "--subset", "soa")
    assert listed(folder / "ahead.yaml", "--allow-exec") == arena and len(arena) > 12
    groups = yaml.safe_load((folder / "ahead.yaml").read_text())["groups"]
    assert {"application": "lulesh", "mesh": ["hexes:nx=10:ny=10:nz=10", "hexes:nx=24:ny=24:nz=1"]} in groups


def test_as_a_peer_it_compiles_a_loops_programs_for_the_gpu(tess, tmp_path, folder):
    for name in ("nvcc", "cmake"):
        (tmp_path / name).write_text(COMPILER)
        (tmp_path / name).chmod(0o755)
    roots = {"KOKKOS_ROOT": folder / "kokkos", "OP2_ROOT": folder / "v1.1.0-512-gb9e7a58d", "LIBCEED_ROOT": folder / "libceed",
             "MFEM_ROOT": folder / "mfem", "OP2_PYTHON": "/bin/true", "TESS_CACHE": tmp_path / "cache", "TESS_PYTHON": "/usr/bin/python3"}  # fmt: skip
    env = {**os.environ, **{name: str(value) for name, value in roots.items()}, "CUDAARCHS": "90", "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    said = tess("run", "airfoil", "--mesh", "quads:nx=9:ny=7", "--device", "host", "--strategy", f"peer:{SCRIPT}", "--no-lab", "--json",
                code=1, env=env)  # fmt: skip
    assert "compiled, and not run" in said.stderr
    assert [path.read_text() for path in (tmp_path / "cache/peers").glob("*/program")] == ["made\n"] * 4
