"""tesselab.Loop: C kernels of users over maps on the host and on the emulator; with PyTorch and JAX where they are."""

import re

import numpy
import pytest
from conftest import ROOT
import tesselab
from tesselab import foreign_arrays

pytestmark = pytest.mark.usefixtures("built")

FLUX = """static inline void flux(const real *q, const real *w, real *res) {
    for (int d = 0; d < 3; d++) {
        const real f = w[0] * (q[3 + d] - q[d]) + w[1];
        res[d] += f;
        res[3 + d] -= f;
    }
}
"""
ABOUT = {"name": "flux", "over": "edges",
         "dats": [{"name": "q", "set": "cells", "dim": 3}, {"name": "w", "set": "edges", "dim": 2},
                  {"name": "res", "set": "cells", "dim": 3}],
         "args": [{"dat": "q", "map": "edges:cells", "access": "read"}, {"dat": "w", "access": "read"},
                  {"dat": "res", "map": "edges:cells", "access": "inc"}]}  # fmt: skip


def a_flux(seed, n_edges=500, n_cells=90, type_name="float64", **options):
    """A loop, its arrays, and what NumPy makes of them; some cells have no edge."""
    random = numpy.random.default_rng(seed)
    edges = random.integers(0, n_cells - 5, (n_edges, 2))
    q, w = random.standard_normal((n_cells, 3)), random.standard_normal((n_edges, 2))
    q, w = q.astype(type_name), w.astype(type_name)
    f = w[:, :1] * (q[edges[:, 1]] - q[edges[:, 0]]) + w[:, 1:]
    want = numpy.zeros((n_cells, 3), type_name)
    numpy.add.at(want, edges[:, 0], f)
    numpy.subtract.at(want, edges[:, 1], f)
    return tesselab.Loop(FLUX, ABOUT, {"edges:cells": edges}, {"cells": n_cells}, **options), q, w, want


@pytest.mark.parametrize("options", [
    {}, {"device": "emulator"}, {"device": "emulator:seed=2", "strategy": "block-colour", "block_size": 64},
    {"device": "emulator", "strategy": "point-parallel:stage=none"}, {"device": "emulator", "strategy": "owner-block"},
    {"device": "emulator", "strategy": "atomics", "block_size": 32}, {"strategy": "sequential"},
    {"partitioner": "mosaic", "device": "emulator", "block_size": 32}], ids=str)  # fmt: skip
@pytest.mark.parametrize("type_name", ["float64", "float32"])
def test_a_kernel_runs_on_arrays(options, type_name):
    loop, q, w, want = a_flux(1, type_name=type_name, **options)
    found = loop(q=q, w=w)
    assert found.dtype == q.dtype and numpy.allclose(found, want, 0, {"float64": 1e-12, "float32": 1e-4}[type_name])
    assert (found[-5:] == 0).all() and numpy.abs(want).max() > 1
    before = found.copy()
    assert numpy.allclose(loop(q=q, w=w, res=found), 2 * want, 0, {"float64": 1e-12, "float32": 2e-4}[type_name])
    assert (found == before).all(), "what is given stays"


def test_arrays_of_another_device_are_not_read(monkeypatch):
    monkeypatch.setattr(foreign_arrays._NumPy, "device", lambda kind, array: "cuda:gpu=0")
    loop, q, w, _ = a_flux(1, device="emulator")
    with pytest.raises(tesselab.BadInputError, match="arrays are on cuda:gpu=0, and device 'emulator' was asked for"):
        loop(q=q, w=w)


@pytest.mark.parametrize("device", [None, "emulator"])
def test_twenty_runs_give_the_same_bits(device):
    loop, q, w, _ = a_flux(2, device=device)
    again, *_ = a_flux(2, device=device)
    assert len({loop(q=q, w=w).tobytes() for _ in range(20)} | {again(q=q, w=w).tobytes()}) == 1


def test_the_order_of_threads_changes_no_bit():
    """... by the strategy that is taken; by atomics it does."""
    bits = {strategy: set() for strategy in (None, "block-colour", "atomics")}
    for strategy, found in bits.items():
        for seed in range(1, 5):
            loop, q, w, _ = a_flux(2, strategy=strategy, device=f"emulator:seed={seed}", type_name="float32")
            found.add(loop(q=q, w=w).tobytes())
    assert [len(found) > 1 for found in bits.values()] == [False, False, True]


@pytest.mark.parametrize("device", [None, "emulator"])
def test_other_accesses(device, tmp_path):
    """A value for all, a map with holes, slots by themselves, some components, whole numbers, what is written and what is both."""
    source = tmp_path / "blend.h"
    source.write_text("""static inline void blend(const real *a, const real *u0, const real *u, const int *kind, const real *v, real *new_, real *age) {
    new_[0] = a[0] * u0[0] + v[0];
    for (int k = 0; k < 3; k++)
        new_[0] += kind[0] * u[k];
    age[0] += a[1];
}
""")
    (tmp_path / "blend.yaml").write_text("""name: blend
over: cells
dats:
  - {name: a, dim: 2}
  - {name: u, set: nodes, dim: 1}
  - {name: kind, set: cells, dim: 1, type: int}
  - {name: v, set: cells, dim: 3}
  - {name: made, set: cells, dim: 1}
  - {name: age, set: cells, dim: 1}
args:
  - {dat: a, access: read}
  - {dat: u, map: cells:nodes, slot: 0, access: read}
  - {dat: u, map: cells:nodes, access: read}
  - {dat: kind, access: read}
  - {dat: v, components: [2], access: read}
  - {dat: made, access: write}
  - {dat: age, access: rw}
""")
    random = numpy.random.default_rng(3)
    nodes = random.integers(0, 40, (70, 3))
    nodes[::4, 2] = -1
    loop = tesselab.Loop(source, tmp_path / "blend.yaml", {"cells:nodes": nodes}, {"nodes": 41}, device=device)
    a, u, v = numpy.array([2.0, 0.5]), random.standard_normal(41), random.standard_normal((70, 3))
    kind, age = random.integers(0, 5, 70).astype("int32"), random.standard_normal(70)
    found = loop(a=a, u=u, kind=kind, v=v, age=age)
    taken = numpy.where(nodes < 0, 0, u[nodes])
    assert sorted(found) == ["age", "made"] and numpy.allclose(found["age"], age + 0.5)
    assert numpy.allclose(found["made"], 2 * u[nodes[:, 0]] + v[:, 2] + kind * taken.sum(1))


def test_nothing_to_do():
    loop = tesselab.Loop(FLUX, ABOUT, {"edges:cells": numpy.zeros((0, 2), int)}, {"cells": 4}, device="emulator")
    assert (loop(q=numpy.ones((4, 3)), w=numpy.ones((0, 2))) == 0).all()


def changed(**changes):
    return {**ABOUT, **changes}


@pytest.mark.parametrize("change, words", [
    (lambda loop, q, w: loop(), "no array is given"),
    (lambda loop, q, w: loop(q=q), "w is not given: the loop reads it"),
    (lambda loop, q, w: loop(q=q, w=w, z=w), "no dat 'z': it has q, w, res"),
    (lambda loop, q, w: loop(q=q, w=w[:-1]), r"w is of shape \(499, 2\): the kernel has 2 values of 500 edges, \(500, 2\)"),
    (lambda loop, q, w: loop(q=q.T, w=w), r"q is of shape \(3, 90\)"),
    (lambda loop, q, w: loop(q=q, w=w.astype("float32")), "w is of type float32: float64 is wanted"),
    (lambda loop, q, w: loop(q=q.astype(int), w=w), "q is of type int64: float64 is wanted"),
    (lambda loop, q, w: tesselab.Loop(FLUX, ABOUT, {}, {"cells": 5, "edges": 4})(q=q[:5], w=w[:4]), "has no map 'edges:cells', and can have no other"),
    (lambda loop, q, w: tesselab.Loop(FLUX, ABOUT, {"edges:cells": [[0, 9]]}, {"cells": 5}), r"maps\['edges:cells'\]\[0, 1\] is 9: there are 5 cells"),
    (lambda loop, q, w: tesselab.Loop(FLUX, ABOUT, {"edges:cells": [[0, -2]]}, {"cells": 5}), "is -2"),
    (lambda loop, q, w: tesselab.Loop(FLUX, ABOUT, {"edges:cells": [[0, 1]]}), "sizes lack 'cells'"),
    (lambda loop, q, w: tesselab.Loop(FLUX, ABOUT, {"edges:cells": [[0, 1]]}, {"cells": 2.5}), r"sizes\['cells'\] is 2.5"),
    (lambda loop, q, w: tesselab.Loop(FLUX, ABOUT, {"edges:cells": [[[0, 1]]]}, {"cells": 5}), r"\[n, k\] or \[n\], not of shape \(1, 1, 2\)"),
    (lambda loop, q, w: tesselab.Loop(FLUX, ABOUT, {"edges:cells": [[0, 1]]}, {"cells": 5, "edges": 7}), "has 1 rows, but there are 7 edges"),
    (lambda loop, q, w: tesselab.Loop(FLUX, ABOUT, {"edges": [[0, 1]]}, {"cells": 5}), "'edges' is no name of a map"),
    (lambda loop, q, w: tesselab.Loop(FLUX, changed(name="flow"), {"edges:cells": [[0, 1]]}, {"cells": 2})(q=q[:2], w=w[:1]), "the function .flow. is not in kernel.h"),
    (lambda loop, q, w: tesselab.Loop(FLUX, changed(over="faces"), {"edges:cells": [[0, 1]]}, {"cells": 2})(q=q[:2], w=w[:1]), "faces"),
    (lambda loop, q, w: tesselab.Loop(FLUX.replace("real f", "reel f"), ABOUT, {"edges:cells": [[0, 1]]}, {"cells": 2})(q=q[:2], w=w[:1]), "reel"),
    (lambda loop, q, w: tesselab.Loop("nowhere.h", ABOUT, {}), "nowhere.h cannot be read"),
    (lambda loop, q, w: a_flux(1, strategy="gather", device="emulator")[0](q=q, w=w), "gather fits loops that only read"),
    (lambda loop, q, w: a_flux(1, strategy="gether")[0](q=q, w=w), "did you mean 'gather'"),
    (lambda loop, q, w: a_flux(1, device="abacus")[0](q=q, w=w), "abacus"),
    (lambda loop, q, w: a_flux(1, device="nvrtc")[0](q=q, w=w), "runs no loops"),
    (lambda loop, q, w: a_flux(1, block_size=0)[0](q=q, w=w), "block"),
])  # fmt: skip
def test_what_is_wrong_is_said(change, words):
    loop, q, w, _ = a_flux(4)
    with pytest.raises(tesselab.BadInputError, match=words) as told:
        change(loop, q, w)
    assert "/tmp" not in str(told.value)


PARTLY = """static inline void halve(const real *q, real *half) {
    half[0] = q[0] / 2;
    if (q[0] > 0)
        half[1] = q[1] / 2;
}
"""
HALVE = {"name": "halve", "over": "cells", "dats": [{"name": name, "set": "cells", "dim": 2} for name in ("q", "half")],
         "args": [{"dat": "q", "access": "read"}, {"dat": "half", "access": "write"}]}  # fmt: skip


@pytest.mark.parametrize("device", [None, "emulator"])
@pytest.mark.parametrize("source, q, words", [
    (PARTLY, [[1.0, 1.0], [-1.0, 1.0]], r"^kernel.h: halve reads, or does not set all of, what is write \(rw may\): arg 1 \('half', 2 values here\)"),
    (PARTLY.replace("half[1] =", "half[2] = half[1] ="), [[1.0, 1.0]], r"^kernel.h: halve writes outside of arg 1 \('half'"),
    (PARTLY.replace("if (q[0] > 0)", "while (q[0] > 0)"), [[1.0, 1.0]], "^kernel.h: halve on element 0 still computes after 2 s"),
], ids=["partly", "outside", "endless"])  # fmt: skip
def test_a_kernel_that_does_not_keep_to_its_args_is_refused(source, q, words, device):
    """With the words of `tess run`, on values of the first call, and again on those of the next."""
    loop = tesselab.Loop(source, HALVE, {}, {"cells": len(q)}, device=device)
    for _ in range(2):
        with pytest.raises(tesselab.BadInputError, match=words):
            loop(q=numpy.array(q))


def test_a_kernel_is_tried_on_what_is_given():
    """Not on values that nobody has, and once; what comes in as no number may come out so."""
    loop = tesselab.Loop(PARTLY, HALVE, {}, {"cells": 3})
    q = numpy.array([[1.0, 2.0], [3.0, numpy.nan], [numpy.inf, 4.0]])
    assert numpy.array_equal(loop(q=q), q / 2, equal_nan=True)


def test_a_sum_over_all_elements_is_refused():
    """It would have other bits in every run."""
    about = changed(dats=[*ABOUT["dats"][:2], {"name": "res", "dim": 6}], args=[*ABOUT["args"][:2], {"dat": "res", "access": "inc"}])
    with pytest.raises(tesselab.BadInputError, match=r"arg 2 \('res'\) of flux is a sum over all elements"):
        tesselab.Loop(FLUX, about, {"edges:cells": [[0, 1]]}, {"cells": 2})(q=numpy.ones((2, 3)), w=numpy.ones((1, 2)))


def test_arrays_of_pytorch():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    loop, q, w, want = a_flux(5)
    q, w = torch.tensor(q), torch.tensor(w)
    found = loop(q=q.T.contiguous().T, w=w)
    assert isinstance(found, torch.Tensor) and numpy.allclose(found.numpy(), want, 0, 1e-12)
    misplaced = torch.empty(w.numel() + 1, dtype=w.dtype)[1:].reshape(w.shape).copy_(w)
    assert (loop(q=q, w=misplaced) == found).all()
    for given, words in (({"q": q, "w": w.requires_grad_()}, "w requires a gradient"), ({"q": q.numpy(), "w": w}, "w is an array of torch, q one of numpy"),
                         ({"q": q, "w": torch.zeros((500, 2), device="meta", dtype=torch.double)}, "meta")):  # fmt: skip
        with pytest.raises(tesselab.BadInputError, match=words):
            loop(**given)


def test_arrays_of_jax():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    loop, q, w, want = a_flux(6, type_name="float32")
    q, w = jax.numpy.asarray(q), jax.numpy.asarray(w)
    found = loop(q=q, w=w)
    assert isinstance(found, jax.Array) and numpy.allclose(numpy.asarray(found), want, 0, 1e-4)
    assert numpy.allclose(numpy.asarray(loop(q=q, w=w, res=found)), 2 * want, 0, 2e-4)
    with pytest.raises(tesselab.BadInputError, match="q is traced by JAX"):
        jax.jit(lambda q: loop(q=q, w=w))(q)


def test_the_example_of_the_page():
    page = (ROOT / "python/README.md").read_text()
    (example,) = (block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "tesselab.Loop" in block)
    found = {"numpy": numpy, "tesselab": tesselab}
    exec(example, found)
    assert found["res"].tolist() == [3.0, -3.0 + 8.0, -8.0]
