"""Users' kernels with matrices: the guide's stiffness of a hex, and a Jacobian of FUN3D's viscous fluxes with turbulence
coupled; against their integrals and differences, and by every strategy that fits."""

import ctypes
import json
import subprocess

import numpy
import pytest
from conftest import ROOT

pytestmark = pytest.mark.usefixtures("compiling_cc")

GUIDE = ROOT / "docs" / "user_kernel"
CORNERS = numpy.array([(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1),
                       (-1, 1, 1)])
TRANSPOSED = "atomics:aggregate=unsorted:transpose=shared,atomics:transpose=shuffles"

# Flow and Spalart and Allmaras's variable: 6 values a node, of 36 entries of a block 18 are not 0. With the texts of
# the application fun3d; nu is at the nodes, A [4][4][18] column by column: 17 of the flow, then (5, 5).
TURBULENT_H = """
static inline void turbulent(const real *scale, const real *x, const real *q, const real *amut, const real *nu,
                             real *blocks) {
    struct viscous_cell c;
    real w[12], t[4], spread = 0;
    const real inverse = 1 / tet_surface(x, w);
    viscous_means(4, w, inverse, q, amut, scale[0], t, &c);
    for (int i = 0; i < 4; i++)
        spread += scale[0] * (real)(0.25 * 1.5) *
                  (t[i] * sqrt(t[i]) * (1 + SUTHERLAND) / (t[i] + SUTHERLAND) / q[5 * i] + nu[i]);
    for (int i = 0; i < 4; i++) {
        real f[4];
        viscous_flux(&c, c.velocity, c.temperature, w + 3 * i, f);
        for (int j = 0; j < 4; j++) {
            struct viscous_slopes s = {{0}, {0}, 0};
            real block[17], *to = blocks + 18 * (4 * i + j);
            const real g[3] = {w[3 * j] * inverse, w[3 * j + 1] * inverse, w[3 * j + 2] * inverse};
            slopes_add(&c, g, w + 3 * i, f, (real)0.25, 1, &s);
            slopes_block(&s, q + 5 * j, t[j], block);
            for (int v = 0; v < 17; v++)
                to[v] += block[v];
            to[17] += spread * (g[0] * w[3 * i] + g[1] * w[3 * i + 1] + g[2] * w[3 * i + 2]);
        }
    }
}
"""
TURBULENT_YAML = """
name: turbulent
over: tets
dats:
  - {name: scale, dim: 1}
  - {name: x, set: nodes, dim: 3, start: coordinates}
  - {name: q, set: nodes, dim: 5}
  - {name: amut, set: nodes, dim: 1}
  - {name: nu, set: nodes, dim: 1}
matrices:
  - {name: A, rows: nodes, block: [6, 6], through: ["tets:nodes", "prisms:nodes"], diagonal: double, others: float}
args:
  - {dat: scale, access: read}
  - {dat: x, map: "tets:nodes", access: read}
  - {dat: q, map: "tets:nodes", access: read}
  - {dat: amut, map: "tets:nodes", access: read}
  - {dat: nu, map: "tets:nodes", access: read}
  - {matrix: A, map: "tets:nodes", access: inc,
     entries: [1, 2, 3, 4, 7, 8, 9, 10, 13, 14, 15, 16, 19, 20, 21, 22, 28, 35]}
"""


@pytest.fixture(scope="module")
def turbulent(tmp_path_factory):
    """The files of the coupled Jacobian."""
    folder = tmp_path_factory.mktemp("turbulent")
    flow = (ROOT / "kernels/applications/fun3d/fun3d_flow_kernels.h").read_text()
    matrix = (ROOT / "kernels/applications/fun3d/fun3d_matrix_kernels.h").read_text()
    (folder / "turbulent.h").write_text(flow + matrix + TURBULENT_H)
    (folder / "turbulent.yaml").write_text(TURBULENT_YAML)
    return folder


def compiled(folder, header, call):
    """A library of one function `call` on the header's."""
    (folder / "call.c").write_text(f'#include <math.h>\ntypedef double real;\n#include "{ROOT}/kernels/loops/arithmetic_words.h"\n'
                                   f'#include "{header}"\n{call}\n')
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", folder / "call.so", folder / "call.c", "-lm"], check=True)
    return ctypes.CDLL(str(folder / "call.so"))


def call(function, *arrays):
    function(*(ctypes.c_void_p(array.ctypes.data) for array in arrays))


def by_strains(x):
    """The stiffness with strains in Voigt's order and the matrix of elasticity."""
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


def test_the_stiffness_is_the_integral_and_rigid_motions_need_no_force(tmp_path):
    library = compiled(tmp_path, GUIDE / "stiffness.h", "void call(double *x, double *k) { stiffness(x, k); }")
    random = numpy.random.default_rng(1)
    for _ in range(20):
        x, blocks = CORNERS + random.uniform(-0.3, 0.3, (8, 3)), numpy.zeros((8, 8, 3, 3))
        call(library.call, x, blocks)
        matrix = blocks.transpose(0, 3, 1, 2)  # blocks are stored column by column
        assert numpy.abs(matrix - by_strains(x)).max() < 1e-13 * numpy.abs(matrix).max()
        shifted = numpy.einsum("iajb,b->ia", matrix, random.uniform(-1, 1, 3))
        turned = numpy.einsum("iajb,jb->ia", matrix, numpy.cross(random.uniform(-1, 1, 3), x))
        assert numpy.abs(shifted).max() < 1e-12 and numpy.abs(turned).max() < 1e-12


def turbulent_flux(x, q, nu):
    """What a tet's nodes get of the diffusion of nu through their shares of its surface, its viscosity kept."""
    w = numpy.array([numpy.cross(x[b] - x[a], x[c] - x[a]) for a, b, c in ((1, 3, 2), (0, 2, 3), (0, 3, 1), (0, 1, 2))]) / 6
    t = 1.4 * q[:, 4] / q[:, 0]
    spread = 0.02 * numpy.mean(t ** 1.5 * (1 + 110.4 / 288.15) / (t + 110.4 / 288.15) / q[:, 0] + 0.3) / (2 / 3)
    volume = numpy.sum(w * x) / 3
    return w @ (w.T @ nu) / volume * spread


def test_the_coupled_jacobian_is_fun3ds_and_the_slope_of_what_diffuses(turbulent, tmp_path):
    library = compiled(tmp_path, turbulent / "turbulent.h",
                       "void call(double *s, double *x, double *q, double *m, double *n, double *a)"
                       " { turbulent(s, x, q, m, n, a); }\n"
                       "void flow(double *s, double *x, double *q, double *m, double *d, float *o)"
                       " { visjac_tets(s, x, q, m, d, o); }")
    random = numpy.random.default_rng(2)
    corners = numpy.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]) + random.uniform(-0.2, 0.2, (4, 3))
    q, amut = random.uniform(0.5, 1.5, (4, 5)), random.uniform(0, 2, 4)
    blocks, diagonal, others = numpy.zeros((4, 4, 18)), numpy.zeros((4, 17)), numpy.zeros((4, 3, 17), numpy.float32)
    call(library.call, numpy.array([0.02]), corners, q, amut, numpy.full(4, 0.3), blocks)
    call(library.flow, numpy.array([0.02]), corners, q, amut, diagonal, others)
    for i in range(4):
        for j in range(4):
            flow = diagonal[i] if i == j else others[i, j - (j > i)]
            assert blocks[i, j, :17] == pytest.approx(flow, rel=1e-6, abs=1e-7)
        assert blocks[:, i, 17] == pytest.approx(turbulent_flux(corners, q, numpy.eye(4)[i]), rel=1e-12, abs=1e-15)


def checks(tess, folder, kernel, *options):
    done = tess("run", "--kernel", folder / f"{kernel}.h", "--loop", folder / f"{kernel}.yaml", "--block-size", "16",
                "--no-lab", "--json", *options)
    return {run["strategy"]: run["check"] for run in json.loads(done.stdout)["runs"] if run.get("check") != "not applicable"}


@pytest.mark.parametrize("kernel, mesh", [("stiffness", "hexes:nx=2:ny=2:nz=2"),
                                          ("turbulent", "layers:nx=3:ny=2:prisms=1:tets=1")])
def test_a_matrix_is_assembled_by_every_strategy_that_fits(tess, turbulent, kernel, mesh):
    folder = GUIDE if kernel == "stiffness" else turbulent
    fit = ["atomics", "global-colour", "block-colour", "two-step", "halo-atomics", "owner-block:sum=slots", "point-parallel"]
    found = checks(tess, folder, kernel, "--mesh", mesh, "--layout", "aos", "--strategy", "all," + TRANSPOSED)
    assert found == {strategy: "passed" for strategy in fit + TRANSPOSED.split(",")}
    found = checks(tess, folder, kernel, "--mesh", mesh, "--device", "host", "--strategy", "all", "--samples", "1")
    assert found == {"sequential": "passed", "openmp": "passed"}


def test_floats_of_a_block_are_added_four_at_a_time(tess, turbulent, tmp_path):
    """20 entries are kept, so that rows are of whole 16 bytes: of the loop's 18 the first 16 are four vectors."""
    kept = "[1, 2, 3, 4, 7, 8, 9, 10, 13, 14, 15, 16, 19, 20, 21, 22, 25, 26, 28, 35]"
    (tmp_path / "turbulent.h").write_text((turbulent / "turbulent.h").read_text())
    (tmp_path / "turbulent.yaml").write_text(
        TURBULENT_YAML.replace("diagonal: double", f"entries: {kept}, diagonal: double"))
    done = tess("run", "--kernel", tmp_path / "turbulent.h", "--loop", tmp_path / "turbulent.yaml", "--no-lab", "--json",
                "--mesh", "layers:nx=3:ny=2:prisms=1:tets=1", "--layout", "aos", "--strategy",
                "atomics,atomics:adds=vectors,atomics:adds=vectors:transpose=shared")
    runs = json.loads(done.stdout)["runs"]
    assert [run["check"] for run in runs] == ["passed"] * 3
    tets = 3 * 2 * 2 * 3  # a triangle of the base is a prism, and each of those three tets
    a_tet = [run["atomics"] / tets for run in runs]
    assert a_tet == [16 * 18] + [4 * 18 + 12 * (4 + 2)] * 2


def test_the_guides_matrix_is_multiplied_by_a_vector(tess):
    ways = "atomics:aggregate=sorted,halo-atomics,point-parallel"
    found = checks(tess, GUIDE, "matrix_product", "--mesh", "hexes:nx=4:ny=3:nz=3", "--strategy", ways)
    assert found == {strategy: "passed" for strategy in ways.split(",")}


@pytest.mark.parametrize("change, words", [
    (("28, 35]", "28, 36]"), "turbulent.yaml:19:77: arg 5 (matrix A) has entry 36: write numbers from 0 to 35"),
    (("28, 35]", "35, 28]"), "arg 5 (matrix A) has entry 28 behind 35: write them in ascending order, each once"),
    (("diagonal: double", "entries: [1, 2, 3, 4], diagonal: double"),
     "arg 5 (matrix A) has entry 7, which the matrix does not keep"),
    (("diagonal: double", "entries: [1, 40], diagonal: double"), "matrix A has entry 40: write numbers from 0 to 35"),
    (("block: [6, 6]", "block: [6, 0]"), "turbulent.yaml:11:35: matrix A has no such block: write [ROWS, COLUMNS]"),
    (("block: [6, 6]", "block: [65, 65]"), "turbulent.yaml:11:35: matrix A has no such block: write [ROWS, COLUMNS]"),
    (("\"tets:nodes\", \"prisms:nodes\"]", "\"prisms:nodes\"]"), "A_pairs lack the pair ("),
    (("\"tets:nodes\", \"prisms", "\"tets:cells\", \"prisms"), "turbulent.yaml:11:53: matrix A has rows on nodes, but tets:cells leads to cells"),
    (("\"tets:nodes\", \"prisms", "\"hexes:nodes\", \"prisms"), "matrix A: layers:nx=3:ny=2:prisms=1:tets=1 has no map"),
    (("{matrix: A, map: \"tets:nodes\"", "{matrix: A, map: \"prisms:nodes\""),
     "arg 5 (matrix A) goes through 'prisms:nodes': write the map tets:nodes"),
    (("{matrix: A", "{matrix: B"), "arg 5 is 'B', which is not among the matrices"),
    (("access: inc", "access: read"), "access is one of inc, not 'read'"),
    (("diagonal: double", "diagonal: int"), "diagonal is one of real, float, double, not 'int'"),
    (("{name: nu,", "{name: A_others,"), "matrix A makes the dat 'A_others', which is there twice"),
])
def test_a_matrix_that_does_not_fit_is_refused_by_name(tess, turbulent, tmp_path, change, words):
    assert change[0] in TURBULENT_YAML
    (tmp_path / "turbulent.yaml").write_text(TURBULENT_YAML.replace(*change, 1))
    assert words in tess("run", "--kernel", turbulent / "turbulent.h", "--loop", tmp_path / "turbulent.yaml", "--mesh",
                         "layers:nx=3:ny=2:prisms=1:tets=1", "--no-lab", code=3).stderr


def test_a_kernel_that_leaves_its_blocks_is_refused(tess, turbulent, tmp_path):
    text = (turbulent / "turbulent.h").read_text()
    (tmp_path / "turbulent.h").write_text(text.replace("blocks + 18 * (4 * i + j)", "blocks + 18 * (4 * i + j + 1)"))
    assert "turbulent writes outside of arg 5 ('A', 288 values here)" in tess(
        "run", "--kernel", tmp_path / "turbulent.h", "--loop", turbulent / "turbulent.yaml", "--mesh",
        "layers:nx=3:ny=2:prisms=1:tets=1", "--no-lab", code=3).stderr
