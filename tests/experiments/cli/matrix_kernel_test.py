"""The user guide's kernel with a matrix: the stiffness of a hex against its integral, and its runs."""

import ctypes
import json
import pathlib
import subprocess

import numpy
import pytest

GUIDE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "user_kernel"
CORNERS = numpy.array([(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1),
                       (-1, 1, 1)])


@pytest.fixture(scope="module")
def stiffness(tmp_path_factory):
    """The guide's function as the matrix [row node, row, column node, column] of a hex."""
    folder = tmp_path_factory.mktemp("stiffness")
    (folder / "call.c").write_text(f'typedef double real;\n#include "{GUIDE / "stiffness.h"}"\n'
                                   "void call(const double *x, double *d, float *o) { stiffness(x, d, o); }\n")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", folder / "call.so", folder / "call.c"], check=True)
    library = ctypes.CDLL(str(folder / "call.so"))

    def of(x):
        diagonal, others = numpy.zeros((8, 3, 3)), numpy.zeros((8, 7, 3, 3), numpy.float32)
        library.call(*(ctypes.c_void_p(array.ctypes.data) for array in (x, diagonal, others)))
        matrix = numpy.zeros((8, 3, 8, 3))
        for i in range(8):
            for j in range(8):
                block = diagonal[i] if i == j else others[i, j - (j > i)]
                matrix[i, :, j, :] = block.T  # stored column by column
        return matrix
    return of


def by_strains(x):
    """The same integral with strains in Voigt's order and the matrix of elasticity."""
    stress = numpy.diag([1.6] * 3 + [0.8] * 3)
    stress[:3, :3] += 1.2
    matrix = numpy.zeros((24, 24))
    for point in CORNERS / numpy.sqrt(3):
        slope = numpy.array([[c[d] / 8 * numpy.prod([1 + c[o] * point[o] for o in range(3) if o != d])
                              for d in range(3)] for c in CORNERS])
        jacobian = x.T @ slope
        g = slope @ numpy.linalg.inv(jacobian)
        strain = numpy.zeros((6, 24))
        for i, (a, b, c) in enumerate(g):
            strain[:, 3 * i:3 * i + 3] = [(a, 0, 0), (0, b, 0), (0, 0, c), (b, a, 0), (0, c, b), (c, 0, a)]
        matrix += strain.T @ stress @ strain * numpy.linalg.det(jacobian)
    return matrix.reshape(8, 3, 8, 3)


def test_the_stiffness_is_the_integral_and_rigid_motions_need_no_force(stiffness):
    random = numpy.random.default_rng(1)
    for _ in range(20):
        x = CORNERS + random.uniform(-0.3, 0.3, (8, 3))
        matrix = stiffness(x)
        assert numpy.abs(matrix - by_strains(x)).max() < 1e-6 * numpy.abs(matrix).max()
        shifted = numpy.einsum("iajb,b->ia", matrix, random.uniform(-1, 1, 3))
        turned = numpy.einsum("iajb,jb->ia", matrix, numpy.cross(random.uniform(-1, 1, 3), x))
        assert numpy.abs(shifted).max() < 1e-5 and numpy.abs(turned).max() < 1e-5


@pytest.mark.parametrize("kernel, ways", [
    ("stiffness", "atomics,atomics:aggregate=unsorted:transpose=shared,halo-atomics,two-step"),
    ("product", "atomics:aggregate=sorted,halo-atomics,point-parallel")])
def test_the_guides_matrix_is_assembled_and_used(tess, kernel, ways):
    done = tess("run", "--kernel", GUIDE / f"{kernel}.h", "--loop", GUIDE / f"{kernel}.yaml", "--mesh",
                "hexes:nx=4:ny=3:nz=3", "--strategy", ways, "--block-size", "64", "--no-lab", "--json")
    assert [run["check"] for run in json.loads(done.stdout)["runs"]] == ["passed"] * len(ways.split(","))
