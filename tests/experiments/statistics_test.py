"""Statistics: SciPy finds the same, equals are rarely called different, and 3 % is found."""

import pathlib
import subprocess

import numpy
import pytest

UNCLEAR, SAME, LARGER, SMALLER = range(4)


@pytest.fixture(scope="module")
def compare(tess_bin):
    """compare(pairs of samples) gives a row for each: median_a low_a high_a ratio low high p verdict mw."""

    def run(pairs):
        lines = [" ".join([str(len(s)), *(repr(float(v)) for v in s)]) for pair in pairs for s in pair]
        done = subprocess.run(
            [pathlib.Path(tess_bin).parent / "compare_samples"],
            input="\n".join(lines), capture_output=True, text=True, check=True,
        )  # fmt: skip
        return numpy.array([[float(v) for v in line.split()] for line in done.stdout.splitlines()])

    return run


def random_pairs(n, seed=1):
    """Pairs of samples of many sizes and shapes, with ties in some."""
    generator = numpy.random.default_rng(seed)
    pairs = []
    for i in range(n):
        sizes = generator.integers(5, 80, 2)
        a, b = (numpy.exp(0.2 * generator.standard_normal(size)) for size in sizes)
        pairs.append((a.round(1 + i % 3), (b * (1 + 0.2 * (i % 2))).round(1 + i % 3)))
    return pairs


def test_scipy_finds_the_same(compare):
    stats = pytest.importorskip("scipy.stats")
    pairs = random_pairs(60)
    for (a, b), row in zip(pairs, compare(pairs)):
        assert row[0] == pytest.approx(numpy.median(a)) and row[3] == pytest.approx(numpy.median(b) / numpy.median(a))
        assert row[8] == pytest.approx(stats.mannwhitneyu(a, b, method="asymptotic").pvalue, rel=1e-9)
        below = stats.binom.cdf(range(len(a)), len(a), 0.5)
        k = numpy.searchsorted(below, 0.025, side="right") - 1
        expected = (numpy.sort(a)[k], numpy.sort(a)[-1 - k]) if k >= 0 else (-numpy.inf, numpy.inf)
        assert tuple(row[1:3]) == expected


def test_scipy_finds_the_same_interval_of_the_ratio(compare):
    stats = pytest.importorskip("scipy.stats")
    generator = numpy.random.default_rng(3)
    pairs = [(generator.normal(1, 0.05, n), generator.normal(1.1, 0.05, n)) for n in (20, 35, 50, 80)]

    def ratio(a, b, axis=-1):
        return numpy.median(b, axis=axis) / numpy.median(a, axis=axis)

    for (a, b), row in zip(pairs, compare(pairs)):
        found = stats.bootstrap(
            (a, b), ratio, method="percentile", n_resamples=4000, random_state=generator
        ).confidence_interval
        width = found.high - found.low
        assert abs(row[4] - found.low) < 0.1 * width and abs(row[5] - found.high) < 0.1 * width


SHAPES = {
    "normal": lambda g, n, s: 1 + s * g.standard_normal(n),
    "skewed": lambda g, n, s: numpy.exp(s * g.standard_normal(n)),
    "outliers": lambda g, n, s: 1 + s * g.standard_normal(n) + (g.random(n) < 0.1) * g.exponential(10 * s, n),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n, noise", [(20, 0.01), (50, 0.02), (100, 0.03)])
def test_equals_are_called_different_in_at_most_5_percent_and_3_percent_is_found_in_95(compare, shape, n, noise):
    generator = numpy.random.default_rng(n)
    pairs = [(SHAPES[shape](generator, n, noise), SHAPES[shape](generator, n, noise)) for _ in range(200)]
    equal = compare(pairs)[:, 7]
    assert numpy.isin(equal, [LARGER, SMALLER]).sum() <= 10
    slower = compare([(a, 1.03 * b) for a, b in pairs])[:, 7]
    assert (slower == LARGER).sum() >= 190
    faster = compare([(1.03 * a, b) for a, b in pairs])[:, 7]
    assert (faster == SMALLER).sum() >= 190


def test_samples_that_resemble_their_neighbours_widen_the_interval(compare):
    generator = numpy.random.default_rng(5)

    def drifting():
        steps = generator.standard_normal(60)
        for i in range(1, 60):
            steps[i] += 0.6 * steps[i - 1]
        return 1 + 0.01 * steps

    verdicts = compare([(drifting(), drifting()) for _ in range(200)])[:, 7]
    assert numpy.isin(verdicts, [LARGER, SMALLER]).sum() <= 10


def test_same_needs_a_narrow_interval_and_few_samples_are_unclear(compare):
    generator = numpy.random.default_rng(7)
    narrow = generator.normal(1, 0.001, 40)
    rows = compare([(narrow, narrow[::-1]), ([1, 1, 1, 1], [2, 2, 2, 2]), ([1] * 9, [1] * 9)])
    assert list(rows[:, 7]) == [SAME, UNCLEAR, SAME]
