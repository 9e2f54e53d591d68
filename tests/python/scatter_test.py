"""tesselab.Scatter: sums over maps on the host and on the emulator, the same bits; with PyTorch, JAX where they are."""

import gc
import pickle
import subprocess
import sys

import numpy
import pytest
from conftest import ROOT
import tesselab
from tesselab import foreign_arrays
from tesselab.shared_library import SONAME as LIBRARY

pytestmark = pytest.mark.usefixtures("built")

TYPES = ["float64", "float32", "float16"]
# Half a unit in the last place for each addition of some 300 values of about one.
TOLERANCE = {"float64": 1e-12, "float32": 1e-3, "float16": 0.1}
REDUCERS = {"sum": (numpy.add, 0.0), "max": (numpy.maximum, -numpy.inf), "min": (numpy.minimum, numpy.inf)}


def reduced(index, n_points, values, way):
    """What NumPy makes of it, in double."""
    function, start = REDUCERS[way]
    result = numpy.full((n_points,) + values.shape[index.ndim:], start)
    function.at(result, index, values.astype("float64"))
    return result


def a_map(random, n_elements=200, arity=3, n_points=60):
    """A map with empty points, repeated points and one that has hundreds of entries."""
    index = random.integers(0, max(1, n_points - 3), (n_elements, arity))
    index[: n_elements * 2 // 3, 0] = 7 % n_points
    return index


@pytest.mark.parametrize("seed", range(200))
def test_sums_are_numpys(seed):
    random = numpy.random.default_rng(seed)
    n_elements, arity = int(random.integers(0, 700)), int(random.integers(1, 9))
    n_points, inner = int(random.integers(1, 90)), tuple(random.integers(1, 5, random.integers(0, 3)))
    index = a_map(random, n_elements, arity, n_points)
    values = random.standard_normal(index.shape + inner).astype(TYPES[seed % 3])
    s = tesselab.Scatter(index, n_points)
    for way in REDUCERS:
        found = s(values, way)
        assert found.dtype == values.dtype
        assert numpy.allclose(found, reduced(index, n_points, values, way), 0, TOLERANCE[str(values.dtype)] if way == "sum" else 0)
    counts = numpy.maximum(numpy.bincount(index.ravel(), minlength=n_points), 1).reshape((-1,) + (1,) * len(inner))
    assert numpy.allclose(s.mean(values), reduced(index, n_points, values, "sum") / counts, 0, TOLERANCE[str(values.dtype)])
    points = random.standard_normal((n_points,) + inner).astype(values.dtype)
    assert (s.gather(points) == points[index]).all()


@pytest.mark.parametrize("inner", [(), (1,), (3,), (4,), (16,), (2, 3)])
@pytest.mark.parametrize("type_name", TYPES)
def test_the_emulator_finds_no_race_and_the_same_bits(inner, type_name):
    random = numpy.random.default_rng(len(inner))
    index = a_map(random, 400)
    sources = random.integers(0, 50, index.shape)
    for of_sources in (None, sources):
        host = tesselab.Scatter(index, 60, of_sources)
        values = random.standard_normal(host.shape_before("scatter") + inner).astype(type_name)
        values.ravel()[::97] = numpy.nan
        points = random.standard_normal((60,) + inner).astype(type_name)
        for device, threads in (("emulator", 128), ("emulator:seed=3", 32)):
            there = tesselab.Scatter(index, 60, of_sources, threads, device=device)
            for way in ("sum", "mean", "max", "min"):
                assert there(values, way).tobytes() == host(values, way).tobytes()
            assert there.gather(points).tobytes() == host.gather(points).tobytes()


def test_a_point_with_a_million_entries():
    index = numpy.zeros(1_000_003, int)
    index[5] = 1
    s = tesselab.Scatter(index, 2)
    ones = numpy.ones(index.shape, "float32")
    assert (s(ones) == [1_000_002, 1]).all()  # in float, one after the other, no more than 2^24 would come
    assert (s(numpy.full(index.shape, 1 / 64, "float16")) == numpy.array([1_000_002 / 64, 1 / 64], "float16")).all()
    random = numpy.random.default_rng(1).standard_normal(index.shape)
    assert s.max(random)[0] == numpy.delete(random, 5).max()


def test_values_of_sources_are_read_where_they_lie():
    random = numpy.random.default_rng(2)
    index, sources = random.integers(0, 40, (300, 2)), random.integers(0, 25, 300)
    s = tesselab.Scatter(index, 40, sources, n_sources=30)
    values = random.standard_normal((30, 2))
    assert numpy.allclose(s(values), reduced(index, 40, values[numpy.stack([sources, sources], 1)], "sum"))
    points = random.standard_normal((40, 2))
    transposed = numpy.zeros((30, 2))
    numpy.add.at(transposed, numpy.stack([sources, sources], 1), points[index])
    assert numpy.allclose(s.gather(points), transposed)


def test_twenty_runs_give_the_same_bits_and_a_pickle_too():
    random = numpy.random.default_rng(3)
    index = a_map(random, 5000, 4, 900)
    values = random.standard_normal(index.shape + (3,)).astype("float32")
    s = tesselab.Scatter(index, 900)
    assert len({s(values).tobytes() for _ in range(20)} | {pickle.loads(pickle.dumps(s))(values).tobytes()}) == 1


@pytest.mark.parametrize("asked, words", [
    (lambda: tesselab.Scatter([[0, 5], [1, 9]], 6), r"index\[1, 1\] is 9: there are 6 points.*\(1 such entry\)"),
    (lambda: tesselab.Scatter([3, -1, -1], 6), r"index\[1\] is -1.*\(2 such entries\)"),
    (lambda: tesselab.Scatter([2**40], 6), r"index\[0\] is 1099511627776"),
    (lambda: tesselab.Scatter([1 - 2**32], 6), r"index\[0\] is -4294967295"),
    (lambda: tesselab.Scatter([0.5], 6), "whole numbers, not of float64"),
    (lambda: tesselab.Scatter(3, 6), "not a number"),
    (lambda: tesselab.Scatter([1], -1), "-1 points"),
    (lambda: tesselab.Scatter([1], 6, n_sources=3), "without sources"),
    (lambda: tesselab.Scatter([1], 6, [4], n_sources=3), r"sources\[0\] is 4: there are 3 rows of values"),
    (lambda: tesselab.Scatter([[1, 2]], 6, [[1], [2]]), r"sources are of shape \(2, 1\)"),
    (lambda: tesselab.Scatter([[1]], 6)(numpy.zeros((2, 1))), r"shape \(2, 1\): the first extents must be 1, 1"),
    (lambda: tesselab.Scatter([1], 6)(numpy.zeros(1, int)), "type int64: take float16, float32, float64"),
    (lambda: tesselab.Scatter([1], 6, block_size=33)(numpy.zeros(1)), "33 threads: take a multiple of 32"),
    (lambda: tesselab.Scatter([1], 6)(numpy.zeros(1), "product"), "no reduction 'product'"),
    (lambda: tesselab.Scatter([1], 6, device="host:fast=yes")(numpy.zeros(1)), "host"),
    (lambda: tesselab.Scatter([1], 6, device="abacus")(numpy.zeros(1)), "abacus"),
])  # fmt: skip
def test_what_is_wrong_is_said(asked, words):
    with pytest.raises(tesselab.BadInputError, match=words):
        asked()


class _Elsewhere(foreign_arrays._NumPy):
    """Arrays that say that they lie on the second GPU."""

    def device(self, array):
        return "cuda:gpu=1"


@pytest.mark.parametrize("asked", ["host", "emulator", "cuda", "cuda:gpu=0", "cuda:gpu=11"])
def test_arrays_of_another_device_are_not_read(monkeypatch, asked):
    """It would end Python."""
    monkeypatch.setitem(foreign_arrays._known, "numpy", _Elsewhere())
    words = rf"arrays are on cuda:gpu=1, and device '{asked}' was asked for"
    with pytest.raises(tesselab.BadInputError, match=words):
        tesselab.Scatter([0, 1], 2, device=asked)(numpy.ones(2))
    assert foreign_arrays.worker_for("cuda:gpu=1", "cuda:gpu=1") == foreign_arrays.worker_for(None, "cuda:gpu=1") == "cuda:gpu=1"
    assert foreign_arrays.worker_for("cuda", "cuda:gpu=0") == foreign_arrays.worker_for("cuda", "host") == "cuda"


def test_neither_h5py_nor_pandas_is_needed(tess_bin):
    code = ("import sys; sys.modules.update(h5py=None, pandas=None, matplotlib=None); "
            "import tesselab; print(tesselab.Scatter([0, 1, 1], 2)([1.0, 2.0, 3.0]))")  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          env={"PYTHONPATH": str(ROOT / "python"), "TESS_LIBRARY": str(tess_bin.parents[1] / LIBRARY)})  # fmt: skip
    assert done.stdout == "[1. 5.]\n"


def test_pytorch_differentiates_and_compiles_it():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    random = numpy.random.default_rng(4)
    index, sources = random.integers(0, 20, (40, 3)), random.integers(0, 15, (40, 3))
    for s in (tesselab.Scatter(torch.tensor(index), 22), tesselab.Scatter(index, 22, sources)):
        values = torch.randn(s.shape_before("scatter") + (2,), dtype=torch.double, requires_grad=True)
        for way in ("sum", "mean", "max", "min"):  # empty points have infinities, and no gradient
            assert torch.autograd.gradcheck(lambda v, w=way: torch.nan_to_num(s(v, w), 0, 0, 0), values)
        assert torch.autograd.gradgradcheck(lambda v: s(v) ** 2, values)
        assert torch.autograd.gradcheck(s.gather, torch.randn((22, 2), dtype=torch.double, requires_grad=True))
        compiled = torch.compile(lambda v: s(v * 2).sin(), fullgraph=True)
        assert torch.allclose(compiled(values), s(values * 2).sin())
        assert torch.equal(s(values.detach()), torch.tensor(s(values.detach().numpy())))


def test_arrays_of_jax():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    s = tesselab.Scatter([0, 1, 1], 2)
    values = jax.numpy.asarray([1.0, 2.0, 4.0], "float32")
    found = s(values)
    assert isinstance(found, jax.Array)
    assert found.tolist() == [1, 6]
    random = numpy.random.default_rng(7)
    index, x = random.integers(0, 20, (40, 3)), random.standard_normal((40, 3, 2)).astype("float32")
    s, weights = tesselab.Scatter(index, 22), random.standard_normal((22, 2)).astype("float32")
    for way in ("sum", "mean", "max"):
        traced = jax.jit(lambda v, w=way: 2 * s(v, w))(x)
        assert (numpy.asarray(traced) == 2 * s(x, way)).all()
    for way, counts in (("sum", numpy.ones(22)), ("mean", numpy.maximum(s.counts(), 1))):
        gradient = jax.grad(jax.jit(lambda v, w=way: (s(v, w) * weights).sum()))(jax.numpy.asarray(x))
        assert numpy.allclose(numpy.asarray(gradient), (weights / counts[:, None])[index], 1e-5)
    assert numpy.allclose(numpy.asarray(jax.grad(lambda v: (s.gather(v) * x).sum())(jax.numpy.asarray(weights))), s(x), 0, 1e-5)
    assert (numpy.asarray(jax.vmap(s)(numpy.stack([x, 2 * x]))) == numpy.stack([s(x), 2 * s(x)])).all()
    for traced, words in ((lambda v: jax.grad(lambda v: s.max(v).sum())(v), "gradient of 'max' is known to PyTorch alone"),
                          (lambda v: jax.jit(s)(v[1:]), r"shape \(39, 3, 2\): the first extents must be 40, 3"),
                          (lambda v: jax.jit(s)(v.astype(int)), "type int32: take float16")):  # fmt: skip
        with pytest.raises(tesselab.BadInputError, match=words):
            traced(jax.numpy.asarray(x))


def test_what_fails_in_a_compiled_program_of_jax_is_said():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    s = tesselab.Scatter([0, 1, 1], 2)
    compiled = jax.jit(s).lower(jax.numpy.ones(3, "float32")).compile()
    assert compiled(jax.numpy.ones(3, "float32")).tolist() == [1, 2]
    del s
    jax.clear_caches()
    gc.collect()
    with pytest.raises(Exception, match="the Scatter of this compiled function is gone"):
        compiled(jax.numpy.ones(3, "float32")).block_until_ready()
